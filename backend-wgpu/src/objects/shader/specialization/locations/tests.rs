//! Tests of new location numbers, and of modules with renumbered locations.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::ShaderCode;

use super::*;
use crate::{
    objects::shader::{Specialization, passes::tests::languages::specialized},
    testing::shader_code,
};

/// Returns a vertex shader with outputs at locations, and clip distances.
fn vertex(locations: &[u32], clip: u32) -> Arc<ShaderCode> {
    let mut members = "@builtin(position) position: vec4f,".to_owned();
    let enable = if clip > 0 { "enable clip_distances;" } else { "" };
    if clip > 0 {
        members += &format!("@builtin(clip_distances) clip: array<f32, {clip}>,");
    }
    for at in locations {
        members += &format!("@location({at}) value{at}: vec4f,");
    }
    let text = format!("{enable} struct Out {{ {members} }} @vertex fn main() -> Out {{ return Out(); }}");
    shader_code(ShaderStage::Vertex, &text, Vec::new())
}

/// Returns a pixel shader that adds inputs at locations. The last input is a separate argument.
fn pixel(locations: &[u32], inputs: &str) -> Arc<ShaderCode> {
    let (last, others) = locations.split_last().unwrap();
    let members: String = others.iter().map(|at| format!("@location({at}) value{at}: vec4f,")).collect();
    let sum: String = others.iter().map(|at| format!("+ in.value{at}")).collect();
    let text = format!(
        "struct In {{ @builtin(position) position: vec4f, {members} }}
        @fragment fn main(in: In, @location({last}) last: vec4f {inputs}) -> @location(3) vec4f {{
            return in.position + last {sum};
        }}"
    );
    shader_code(ShaderStage::Pixel, &text, Vec::new())
}

fn limits(most: u32) -> wgpu::Limits {
    wgpu::Limits { max_inter_stage_shader_variables: most, ..wgpu::Limits::default() }
}

#[test]
fn a_pixel_shader_with_too_many_inputs_is_refused() {
    let all: Vec<_> = (0..31).collect();
    for (code, words) in [
        (vertex(&all, 8), None),
        (pixel(&all[..16], ""), None),
        (pixel(&all[1..17], ""), None),
        (pixel(&all[..17], ""), Some("takes 17 values, and the adapter has 16")),
        (pixel(&all[..15], ", @builtin(front_facing) f: bool"), None),
        (
            pixel(&all[..15], ", @builtin(front_facing) f: bool, @builtin(sample_index) n: u32"),
            Some("takes 15 values and 2 system values"),
        ),
    ] {
        let found = check(&limits(16), code.reflection.stage, &code.module).err();
        let is_right = match (&found, words) {
            (Some(found), Some(words)) => found.contains(words),
            (None, None) => true,
            _ => false,
        };
        assert!(is_right, "{found:?}, expected {words:?}");
    }
}

#[test]
fn a_location_out_of_range_renumbers_all_inputs() {
    let numbered = |given: &[u32], clip, taken: &[u32], index, is_points| {
        let (vertex, pixel) = (vertex(given, clip), pixel(taken, ""));
        let planned = plan(&limits(16), &vertex, Some(&pixel.module), index, is_points);
        planned.map(|locations| locations.map(|locations| locations.to_vec()))
    };
    let all: Vec<_> = (0..17).collect();
    for (given, clip, taken, index, is_points, expected) in [
        (&[0, 15][..], 0, &[15][..], None, false, None),
        (&[1, 16], 0, &[16], None, false, Some(vec![16])),
        (&[1, 3], 0, &[3, 16], None, false, Some(vec![3, 16])),
        (&[1, 3], 0, &[3], Some(16), false, Some(vec![3, 16])),
        (&[0, 15], 4, &[15], None, false, Some(vec![15])),
        (&[0, 14], 4, &[0], None, false, None),
        (&[0, 15], 0, &[15], None, true, Some(vec![15])),
        (&[0, 14], 0, &[0], None, true, None),
        (&all, 8, &all[1..15], None, false, Some(all[1..15].to_vec())),
        (&all, 0, &all[1..16], None, true, Some(all[1..16].to_vec())),
    ] {
        let found = numbered(given, clip, taken, index, is_points);
        assert_eq!(found, Ok(expected), "{given:?}, {clip}, {taken:?}, {index:?}, {is_points}");
    }
    for (clip, is_points, words) in [
        (
            0,
            true,
            "takes 16 values from the vertex shader, and the adapter has 15 registers for them where it draws points;",
        ),
        (5, false, "has 14 registers for them with these clip distances;"),
        (4, true, "has 14 registers for them where it draws points with these clip distances;"),
    ] {
        let error = numbered(&all[..16], clip, &all[..16], None, is_points).unwrap_err();
        assert!(error.contains(words), "{error}");
    }
}

/// Returns the locations of the entry point's inputs and outputs.
fn locations_of(module: &Module) -> [Vec<u32>; 2] {
    let result = module.entry_points.first().and_then(|entry| entry.function.result.as_ref()).unwrap();
    let outputs = bindings(module, result.binding.as_ref(), result.ty);
    [inputs(module).filter_map(location).collect(), outputs.into_iter().filter_map(location).collect()]
}

#[test]
fn only_locations_between_the_stages_are_renumbered() {
    let numbered = |code: &ShaderCode| {
        let locations = Some([2, 5, 31].into());
        locations_of(&specialized(code, &Specialization { locations, ..Specialization::default() }))
    };
    assert_eq!(numbered(&vertex(&[2, 5, 31], 0)), [vec![], vec![0, 1, 2]]);
    // The pixel shader reads neither 0 nor 4.
    assert_eq!(numbered(&vertex(&[0, 2, 4, 31], 8)), [vec![], vec![0, 2]]);
    assert_eq!(numbered(&pixel(&[2, 31], "")), [vec![0, 2], vec![3]]);
    let both = "struct Both { @builtin(position) position: vec4f, @location(5) value: vec4f }
        @vertex fn main(@location(5) value: vec4f, @location(2) other: vec4f) -> Both { return Both(value, other); }";
    assert_eq!(numbered(&shader_code(ShaderStage::Vertex, both, Vec::new())), [vec![5, 2], vec![1]]);
    let plain = "@fragment fn main(@location(31) value: vec4f) -> @location(2) vec4f { return value; }";
    assert_eq!(numbered(&shader_code(ShaderStage::Pixel, plain, Vec::new())), [vec![2], vec![2]]);
}
