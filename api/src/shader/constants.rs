//! Comparison of a Rust structure with a shader's declaration of a constant buffer.

use std::fmt::Write as _;

use bytemuck::NoUninit;
use naga::{ArraySize, Handle, Module, Type, TypeInner};
use onze_ddi::ShaderCode;

/// A structure for the contents of a constant buffer, whose fields can be compared with a shader's
/// declaration. D3D11 has no counterpart.
///
/// Derive the trait with the feature `derive`, which is on by default. The method
/// [`check_constant_buffer`](crate::PixelShader::check_constant_buffer) of each stage's shader then reports
/// fields at wrong offsets. Without this check, wrong offsets cause no error, although they are common,
/// because HLSL and WGSL align some types to 16 bytes and Rust does not.
///
/// ```
/// # #[cfg(feature = "derive")]
/// # fn main() -> Result<(), onze::Error> {
/// use onze::prelude::*;
///
/// #[derive(Clone, Copy, NoUninit, ConstantFields)]
/// #[bytemuck(crate = "onze::bytemuck")] // Not needed in a package that depends on `bytemuck` itself.
/// #[repr(C)]
/// struct Light {
///     intensity: f32,
///     color: [f32; 3], // WGSL's `vec3f` begins at byte 16, this one at byte 4.
/// }
///
/// # let (device, _context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
/// let ps = device.create_pixel_shader(ShaderSource::wgsl(
///     "struct Light { intensity: f32, color: vec3f }
///     @group(0) @binding(0) var<uniform> light: Light;
///     @fragment fn main() -> @location(0) vec4f { return vec4f(light.color * light.intensity, 1.0); }",
///     "main",
/// ))?;
/// let error = ps.check_constant_buffer::<Light>(0).unwrap_err().to_string();
/// assert!(error.contains("`color` is at byte 4 in the structure and at byte 16 in the shader"), "{error}");
/// assert!(error.contains("add 12 bytes of padding before it"), "{error}");
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "derive"))]
/// # fn main() {}
/// ```
///
/// A field is matched with the variable of the same name, ignoring case and underscores, so `view_proj`
/// matches the shader's `viewProj`. A variable whose name matches no field is matched by offset. The fields
/// of nested structures, and of arrays of structures, are also compared if the nested structure derives the
/// trait. `#[constants(..)]` accepts these arguments:
/// | on | argument | meaning |
/// | --- | --- | --- |
/// | a field | `name = "worldViewProj"` | the variable's name in the shader |
/// | the struct | `crate = "path"` | the path of `onze`, if it is not `::onze` |
///
/// Only offsets and sizes are compared, so a wrong type of the same size, such as a transposed matrix or an
/// integer in place of a float, is not detected.
pub trait ConstantFields: NoUninit {
    /// The fields of the structure, in the order of their declaration.
    const FIELDS: &'static [ConstantField];
}

/// A field of a [`ConstantFields`](trait@ConstantFields) structure, as the derive macro describes it.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ConstantField {
    /// The name that is compared with the shader's variables.
    pub name: &'static str,
    /// Offset of the field in the directly enclosing structure, in bytes.
    pub offset: u32,
    /// Size of the field in bytes, or of all elements of an array together.
    pub size: u32,
    /// Number of elements of an array, or 1 for other fields.
    pub count: u32,
    /// The fields of the field's type, or of the element type of an array, empty unless that type derives
    /// [`ConstantFields`](trait@ConstantFields).
    pub fields: &'static [ConstantField],
}

/// A variable of a constant buffer as a shader declares it, or a member of such a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DeclaredConstant {
    /// The name in the module, or an empty string if the module has no names.
    pub(crate) name: String,
    /// Offset of the variable in the directly enclosing structure, in bytes.
    pub(crate) offset: u32,
    /// Size of the variable in bytes, without trailing padding.
    pub(crate) size: u32,
    /// Number of elements of an array, or 1 for other variables.
    pub(crate) count: u32,
    /// Distance between the elements of an array in bytes, or 0 for other variables.
    pub(crate) stride: u32,
    /// The members of the type, or of the element type of an array, empty unless the type is a structure.
    pub(crate) members: Vec<DeclaredConstant>,
}

/// Reads the variables of the constant buffer in a slot from the module, or returns `None` if the shader has
/// no constant buffer in this slot.
pub(crate) fn declared_constants(code: &ShaderCode, slot: u32) -> Option<Vec<DeclaredConstant>> {
    let buffer = code.reflection.constant_buffer(slot)?;
    let variable = &code.module.global_variables[buffer.binding];
    let whole = of_module(&code.module, &buffer.name, 0, variable.ty);
    let is_struct = matches!(code.module.types[variable.ty].inner, TypeInner::Struct { .. });
    Some(if is_struct { whole.members } else { vec![whole] })
}

/// Describes a variable of a type of the module.
fn of_module(module: &Module, name: &str, offset: u32, ty: Handle<Type>) -> DeclaredConstant {
    let inner = &module.types[ty].inner;
    let plain =
        |size| DeclaredConstant { name: name.to_owned(), offset, size, count: 1, ..Default::default() };
    match *inner {
        TypeInner::Struct { ref members, .. } => {
            let members: Vec<_> = members
                .iter()
                .map(|member| {
                    of_module(module, member.name.as_deref().unwrap_or_default(), member.offset, member.ty)
                })
                .collect();
            let size = members.last().map_or(0, |last| last.offset + last.size);
            DeclaredConstant { members, ..plain(size) }
        }
        TypeInner::Array { base, size: ArraySize::Constant(count), stride } => {
            let (element, count) = (of_module(module, "", 0, base), count.get());
            let size = stride.saturating_mul(count - 1).saturating_add(element.size);
            DeclaredConstant { count, stride, members: element.members, ..plain(size) }
        }
        TypeInner::Matrix { columns, rows, scalar } => {
            let (columns, rows, width) = (columns as u32, rows as u32, u32::from(scalar.width));
            // Columns with three rows are aligned like columns with four.
            let stride = rows.next_power_of_two() * width;
            plain((columns - 1) * stride + rows * width)
        }
        _ => plain(inner.try_size(module.to_ctx()).unwrap_or(0)),
    }
}

/// The variables of constant buffers, read from the HLSL compiler's reflection.
#[cfg(feature = "hlsl")]
pub(crate) mod of_hlsl {
    use onze_hlsl::reflection::{Reflection, ResourceKind, VariableClass, VariableKind, VariableType};

    use super::DeclaredConstant;

    /// Reads the variables of the constant buffer in a slot, or returns `None` if the shader has no constant
    /// buffer in this slot.
    pub(crate) fn declared_constants(reflection: &Reflection, slot: u32) -> Option<Vec<DeclaredConstant>> {
        let bound = reflection.resources.iter().find(|bound| {
            bound.kind == ResourceKind::ConstantBuffer
                && (bound.slot..bound.slot + bound.count).contains(&slot)
        })?;
        let buffer = reflection.constant_buffer(&bound.name)?;
        let mut variables: Vec<_> =
            buffer.variables.iter().map(|v| declared(&v.name, v.offset, &v.ty)).collect();
        // `ConstantBuffer<T> name` declares one variable with the name of the buffer.
        match variables.pop() {
            Some(only) if variables.is_empty() && only.name == buffer.name && only.count == 1 => {
                Some(if only.members.is_empty() { vec![only] } else { only.members })
            }
            last => Some(variables.into_iter().chain(last).collect()),
        }
    }

    fn declared(name: &str, offset: u32, ty: &VariableType) -> DeclaredConstant {
        let members: Vec<_> =
            ty.members.iter().map(|member| declared(&member.name, member.offset, &member.ty)).collect();
        let component = if ty.kind == VariableKind::Double { 8 } else { 4 };
        // Each stored row or column of a matrix starts at a multiple of 16 bytes.
        let lines = |count: u32, components: u32| count.saturating_sub(1) * 16 + components * component;
        let element = match ty.class {
            VariableClass::MatrixRows => lines(ty.rows, ty.columns),
            VariableClass::MatrixColumns => lines(ty.columns, ty.rows),
            VariableClass::Struct => members.last().map_or(0, |last| last.offset + last.size),
            VariableClass::Object => 0,
            _ => ty.columns * component,
        };
        let count = ty.elements.max(1);
        let stride = if ty.elements == 0 { 0 } else { element.next_multiple_of(16) };
        let size = stride.saturating_mul(count - 1).saturating_add(element);
        DeclaredConstant { name: name.to_owned(), offset, size, count, stride, members }
    }
}

/// Describes the differences between a structure of `size` bytes and a shader's declaration.
pub(crate) fn constant_mismatches(
    fields: &[ConstantField],
    size: u32,
    declared: &[DeclaredConstant],
) -> Vec<String> {
    let mut found = Vec::new();
    compare("", fields, size, declared, &mut found);
    found
}

/// Removes case and underscores from a name, so that names in different styles become equal.
fn plain(name: &str) -> String {
    name.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect()
}

fn compare(
    path: &str,
    fields: &[ConstantField],
    size: u32,
    declared: &[DeclaredConstant],
    found: &mut Vec<String>,
) {
    // Padding, in bytes, that the advice for the previous differences adds.
    let mut added = 0_i64;
    for (index, variable) in declared.iter().enumerate() {
        let by_name = |field: &&ConstantField| plain(field.name) == plain(&variable.name);
        let by_place =
            |field: &&ConstantField| field.offset == variable.offset && field.size >= variable.size;
        let (begin, end) = (variable.offset, variable.offset + variable.size);
        let field = fields.iter().find(by_name).or_else(|| fields.iter().find(by_place));
        let Some(field) = field else {
            let name =
                if variable.name.is_empty() { format!("member {index}") } else { variable.name.clone() };
            let there: Vec<_> =
                fields.iter().filter(|f| f.offset < end && begin < f.offset + f.size).collect();
            let mut text = format!("`{path}{name}` (bytes {begin} to {end} of the shader) has no field");
            // Writing to a string cannot fail.
            let _ = match there.first() {
                Some(other) => {
                    write!(text, ": `{}` is there; rename it or add padding before it", other.name)
                }
                None if begin >= size => {
                    write!(text, ": the structure has {size} bytes; add the field at its end")
                }
                None => write!(text, "; add it at byte {begin}"),
            };
            found.push(text);
            continue;
        };
        let name = format!("{path}{}", field.name);
        let missing = i64::from(variable.offset) - i64::from(field.offset);
        if missing != added {
            let (change, bytes) = (if missing > added { "add" } else { "remove" }, (missing - added).abs());
            found.push(format!(
                "`{name}` is at byte {} in the structure and at byte {} in the shader; {change} {bytes} bytes of padding \
                 before it",
                field.offset, variable.offset
            ));
            added = missing;
        }
        compare_size(&name, field, variable, found);
        if !field.fields.is_empty() && !variable.members.is_empty() {
            let size = field.size / field.count.max(1);
            compare(&format!("{name}."), field.fields, size, &variable.members, found);
        }
    }
}

/// Compares the size of a field, or the stride of an array.
fn compare_size(name: &str, field: &ConstantField, variable: &DeclaredConstant, found: &mut Vec<String>) {
    let apart = field.size / field.count.max(1);
    if variable.count > 1 && variable.count == field.count {
        if apart != variable.stride {
            found.push(format!(
                "the elements of `{name}` are {apart} bytes apart in the structure and {} in the shader; make an element \
                 of {} bytes",
                variable.stride, variable.stride
            ));
        }
    } else if field.size < variable.size {
        let cure =
            if variable.count > 1 { "; the elements of an array start at multiples of 16 bytes" } else { "" };
        found.push(format!(
            "`{name}` has {} bytes in the structure and {} in the shader{cure}",
            field.size, variable.size
        ));
    }
}
