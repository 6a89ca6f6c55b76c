//! Compares FXC's listings from `/Fc` and `/Fh` with the reflection of this project's compiler.
//!
//! Both are converted to rows, one for each resource, input, output and constant buffer variable, and the two
//! sets of rows must be equal.

use std::collections::BTreeSet;

use onze_hlsl::reflection::{ComponentKind, Reflection, ResourceKind, SignatureParameter, SystemValue};

/// Returns the rows in which a reflection and a listing differ. Rows that only the listing contains begin
/// with `-`, and rows that only the reflection contains begin with `+`.
pub fn differences(listing: &str, reflection: &Reflection) -> Vec<String> {
    let (expected, found) = (listed(listing), reflected(reflection));
    let missing = expected.difference(&found).map(|row| format!("- {row}"));
    missing.chain(found.difference(&expected).map(|row| format!("+ {row}"))).collect()
}

#[derive(Clone, Copy)]
enum ListingSection {
    Buffers,
    Resources,
    Signature(&'static str),
    Other,
}

fn listed(text: &str) -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    let (mut part, mut buffer) = (ListingSection::Other, String::new());
    for line in text.lines() {
        let Some(line) = line.strip_prefix("//").map(str::trim) else { continue };
        let words: Vec<_> = line.split_whitespace().collect();
        match line {
            "Buffer Definitions:" => part = ListingSection::Buffers,
            "Resource Bindings:" => part = ListingSection::Resources,
            "Input signature:" => part = ListingSection::Signature("input"),
            "Output signature:" => part = ListingSection::Signature("output"),
            _ if line.ends_with(':') => part = ListingSection::Other,
            _ if line.starts_with("---") || line.starts_with("Name ") => {}
            _ => match (part, words.as_slice()) {
                (ListingSection::Buffers, ["cbuffer", name]) => buffer = (*name).to_owned(),
                (ListingSection::Buffers, _) => rows.extend(variable(&buffer, line)),
                (ListingSection::Resources, [name, kind, .., register, count]) => {
                    let register = register.replace("cb", "b");
                    rows.insert(format!("{kind} {name} {register} {count}"));
                }
                (ListingSection::Signature(way), [name, index, mask, register, system, format, ..]) => {
                    rows.insert(format!("{way} {name}{index} {mask} {register} {system} {format}"));
                }
                _ => {}
            },
        }
    }
    rows
}

/// Parses a variable such as `float4 a[2];  // Offset:   16 Size:    32 [unused]`.
fn variable(buffer: &str, line: &str) -> Option<String> {
    let (declaration, place) = line.split_once("// Offset:")?;
    let (offset, size) = place.split_once("Size:")?;
    let name = declaration.trim().trim_end_matches(';').rsplit(' ').next()?;
    let name = name.split('[').next()?;
    let (size, used) = match size.split_once("[unused]") {
        Some((size, _)) => (size, "unused"),
        None => (size, "used"),
    };
    Some(format!("{buffer}.{name} {} {} {used}", offset.trim(), size.trim()))
}

fn reflected(reflection: &Reflection) -> BTreeSet<String> {
    let mut rows = BTreeSet::new();
    for buffer in &reflection.constant_buffers {
        for variable in &buffer.variables {
            let used = if variable.used { "used" } else { "unused" };
            rows.insert(format!(
                "{}.{} {} {} {used}",
                buffer.name, variable.name, variable.offset, variable.size
            ));
        }
    }
    for resource in &reflection.resources {
        let (kind, letter) = match resource.kind {
            ResourceKind::ConstantBuffer => ("cbuffer", 'b'),
            ResourceKind::Sampler => ("sampler", 's'),
            ResourceKind::ComparisonSampler => ("sampler_c", 's'),
            ResourceKind::Texture => ("texture", 't'),
            _ => ("another", '?'),
        };
        rows.insert(format!("{kind} {} {letter}{} {}", resource.name, resource.slot, resource.count));
    }
    rows.extend(reflection.inputs.iter().map(|parameter| signature("input", parameter)));
    rows.extend(reflection.outputs.iter().map(|parameter| signature("output", parameter)));
    rows
}

fn signature(way: &str, parameter: &SignatureParameter) -> String {
    let mask: String = "xyzw"
        .chars()
        .enumerate()
        .filter(|(bit, _)| parameter.mask >> bit & 1 == 1)
        .map(|(_, c)| c)
        .collect();
    let register = parameter.register.map_or_else(|| "oDepth".to_owned(), |register| register.to_string());
    let system = match parameter.system_value {
        SystemValue::Undefined => "NONE",
        SystemValue::Position => "POS",
        SystemValue::Target => "TARGET",
        _ => "another",
    };
    let format = match parameter.component_kind {
        ComponentKind::Float => "float",
        ComponentKind::Int => "int",
        ComponentKind::Uint => "uint",
    };
    format!(
        "{way} {}{} {mask} {register} {system} {format}",
        parameter.semantic_name, parameter.semantic_index
    )
}

#[cfg(test)]
mod tests {
    use onze_hlsl::{CompileOptions, compile};

    use super::*;

    const SOURCE: &str = "
        cbuffer Frame : register(b1) { float a; float3 b; float4 c[2]; };
        Texture2D image : register(t2);
        SamplerState smooth : register(s3);
        float4 main(float4 at : SV_Position, float2 place : TEXCOORD1) : SV_Target {
            return image.Sample(smooth, place) * c[1] + a;
        }";

    const LISTING: &str = "
// Buffer Definitions:
//
// cbuffer Frame
// {
//
//   float a;                           // Offset:    0 Size:     4
//   float3 b;                          // Offset:    4 Size:    12 [unused]
//   float4 c[2];                       // Offset:   16 Size:    32
//
// }
//
// Resource Bindings:
//
// Name                                 Type  Format         Dim      HLSL Bind  Count
// ------------------------------ ---------- ------- ----------- -------------- ------
// smooth                            sampler      NA          NA             s3      1
// image                             texture  float4          2d             t2      1
// Frame                             cbuffer      NA          NA            cb1      1
//
// Input signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Position              0   xyzw        0      POS   float
// TEXCOORD                 1   xy          1     NONE   float   xy
//
// Output signature:
//
// Name                 Index   Mask Register SysValue  Format   Used
// -------------------- ----- ------ -------- -------- ------- ------
// SV_Target                0   xyzw        0   TARGET   float   xyzw
//
ps_5_0
";

    #[test]
    fn listings_and_reflections_are_compared_row_by_row() {
        let options = CompileOptions::default();
        let compiled = compile(SOURCE, "a.hlsl", "main", "ps_5_0".parse().unwrap(), &options).unwrap();
        assert_eq!(listed(LISTING).len(), 9);
        assert_eq!(differences(LISTING, &compiled.reflection), [""; 0]);
        let other =
            LISTING.replace("Size:    12 [unused]", "Size:    12").replace("xy          1", "xy          2");
        let rows = [
            "- Frame.b 4 12 used",
            "- input TEXCOORD1 xy 2 NONE float",
            "+ Frame.b 4 12 unused",
            "+ input TEXCOORD1 xy 1 NONE float",
        ];
        assert_eq!(differences(&other, &compiled.reflection), rows);
    }
}
