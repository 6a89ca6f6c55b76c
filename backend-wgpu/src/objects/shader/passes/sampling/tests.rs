//! Tests of the choice of code for sampled pairs, and of the rewritten modules.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::{
    ComparisonFunc, Filter, Format, ResourceKind, SampleKind, SamplerDesc, ShaderStage, TextureAddressMode,
    TextureDimension,
};

use super::*;
use crate::{
    objects::shader::{
        ClampedTexture, DriverBlock, SampledView, SamplingAbilities, Samplings, SeenBindings, Specialization,
        ViewLevels, passes::tests::languages::specialized, specialization::sampling::InexactSampling,
    },
    testing::shader_code,
};

/// The type of a texture, its coordinates, its layer, and whether offsets and gathers exist for it.
const COLORS: [(&str, &str, &str, bool, bool); 6] = [
    ("texture_1d<f32>", "at.x", "", false, false),
    ("texture_2d<f32>", "at.xy", "", true, true),
    ("texture_2d_array<f32>", "at.xy", ", u32(at.z)", true, true),
    ("texture_3d<f32>", "at", "", true, false),
    ("texture_cube<f32>", "at", "", false, true),
    ("texture_cube_array<f32>", "at", ", i32(at.z)", false, true),
];

const DEPTHS: [(&str, &str, &str, bool, bool); 4] = [
    ("texture_depth_2d", "at.xy", "", true, true),
    ("texture_depth_2d_array", "at.xy", ", 1", true, true),
    ("texture_depth_cube", "at", "", false, true),
    ("texture_depth_cube_array", "at", ", 1", false, true),
];

/// Returns a pixel shader with all of WGSL's sampling functions for a texture, some of them with function
/// arguments.
fn color_source((ty, at, layer, has_offset, can_gather): (&str, &str, &str, bool, bool)) -> String {
    let place = format!("t, s, {at}{layer}");
    let mut reads = vec![
        format!("textureSample({place})"),
        format!("textureSampleLevel({place}, at.z)"),
        format!("textureSampleGrad({place}, {at}, {at} * 2.0)"),
        "through(t, s, at)".to_owned(),
    ];
    if !ty.contains("1d") {
        reads.push(format!("textureSampleBias({place}, at.x)"));
    }
    let offset = if ty.contains("3d") { "vec3<i32>(1, -2, SHIFT)" } else { "vec2<i32>(SHIFT, -2)" };
    if has_offset {
        reads.push(format!("textureSample({place}, {offset})"));
        reads.push(format!("textureSampleLevel({place}, 1.0, {offset})"));
    }
    if can_gather {
        reads.push(format!("textureGather(1, {place})"));
    }
    if can_gather && has_offset {
        reads.push(format!("textureGather(3, {place}, {offset})"));
    }
    format!(
        "
        const SHIFT = 3;
        @group(1) @binding(2) var t: {ty};
        @group(2) @binding(5) var s: sampler;
        fn through(image: {ty}, by: sampler, at: vec3<f32>) -> vec4<f32> {{
            return textureSampleLevel(image, by, {at}{layer}, 0.0);
        }}
        @fragment fn main(@location(0) at: vec3<f32>) -> @location(0) vec4<f32> {{ return {}; }}",
        reads.join(" + ")
    )
}

fn depth_source((ty, at, layer, has_offset, can_gather): (&str, &str, &str, bool, bool)) -> String {
    let place = format!("t, s, {at}{layer}, at.x");
    let mut reads =
        vec![format!("textureSampleCompare({place})"), format!("textureSampleCompareLevel({place})")];
    if has_offset {
        reads.push(format!("textureSampleCompare({place}, vec2<i32>(1, 2))"));
    }
    if can_gather {
        reads.push(format!("textureGatherCompare({place}).y"));
    }
    format!(
        "
        @group(1) @binding(2) var t: {ty};
        @group(2) @binding(5) var s: sampler_comparison;
        @fragment fn main(@location(0) at: vec3<f32>) -> @location(0) vec4<f32> {{ return vec4<f32>({}); }}",
        reads.join(" + ")
    )
}

const ALL: SamplingAbilities = SamplingAbilities { has_borders: true, loads_depth: true };

fn seen(format: Format, is_filterable: bool) -> Option<SampledView> {
    Some(SampledView { format, is_filterable, levels: ViewLevels::All })
}

/// Returns the reflected kind of a declared texture.
fn kind(ty: &str) -> ResourceKind {
    let dimension = match ty {
        _ if ty.contains("1d") => TextureDimension::D1,
        _ if ty.contains("2d_array") => TextureDimension::D2Array,
        _ if ty.contains("2d") => TextureDimension::D2,
        _ if ty.contains("3d") => TextureDimension::D3,
        _ if ty.contains("cube_array") => TextureDimension::CubeArray,
        _ => TextureDimension::Cube,
    };
    let sample = match ty {
        _ if ty.contains("depth") => SampleKind::Depth,
        _ if ty.contains("u32") => SampleKind::Uint,
        _ if ty.contains("i32") => SampleKind::Sint,
        _ => SampleKind::Float,
    };
    ResourceKind::Texture { dimension, multisampled: false, sample }
}

/// Returns samplers that wgpu does not support, for different reasons.
fn samplers() -> Vec<SamplerDesc> {
    use TextureAddressMode::{Border, Mirror, MirrorOnce, Wrap};
    let mut all = Vec::new();
    for address in [Wrap, Mirror, MirrorOnce, Border] {
        for filter in Filter::ALL {
            for mip_lod_bias in [0.0, 1.5] {
                let border_color = [0.5; 4];
                let comparison_func = ComparisonFunc::Greater;
                let desc = SamplerDesc::new(filter, address);
                all.push(SamplerDesc { mip_lod_bias, border_color, comparison_func, ..desc });
            }
        }
    }
    all
}

fn rewritten_module(source: &str, sampling: Sampling) -> Module {
    let mut code = (*shader_code(ShaderStage::Pixel, source, Vec::new())).clone();
    code.reflection.sampled_pairs = vec![SampledPair { resource: 2, sampler: 5 }];
    let samplings: Samplings = Some([Some(sampling)].into());
    let block = sampling.reads_constants().then_some(DriverBlock::All);
    let seen = SeenBindings { samplings, ..SeenBindings::default() };
    // The call writes the module in all languages.
    specialized(&code, &Specialization { block, seen, ..Specialization::default() })
}

/// Returns the number of sampling expressions and the number of loads.
fn reads(module: &Module) -> (usize, usize) {
    let functions = module.functions.iter().map(|(_, function)| function);
    let functions = functions.chain(module.entry_points.iter().map(|entry| &entry.function));
    let all: Vec<_> = functions
        .flat_map(|function| function.expressions.iter().map(|(_, expression)| expression))
        .collect();
    let count = |is_one: fn(&Expression) -> bool| all.iter().filter(|found| is_one(found)).count();
    (
        count(|found| matches!(found, Expression::ImageSample { .. })),
        count(|found| matches!(found, Expression::ImageLoad { .. })),
    )
}

#[test]
fn a_rewritten_pair_only_loads_texels() {
    let mut done = Vec::new();
    for shape in COLORS.into_iter().chain(DEPTHS) {
        let is_depth = shape.0.contains("depth");
        let source = if is_depth { depth_source(shape) } else { color_source(shape) };
        let format = if is_depth { Format::R16_UNORM } else { Format::R8G8_SNORM };
        for desc in samplers().into_iter().filter(|desc| desc.filter.is_comparison() == is_depth) {
            let sampling = Sampling::of(&kind(shape.0), seen(format, true), &desc, ALL);
            let Ok(Some(sampling)) = sampling else { continue };
            if done.contains(&(shape.0, sampling)) {
                continue;
            }
            done.push((shape.0, sampling));
            let (sampled, loaded) = reads(&rewritten_module(&source, sampling));
            // Every sampling expression is rewritten if the pair's code filters texels itself.
            let is_computed = matches!(sampling, Sampling::Computed(_));
            assert_eq!((sampled == 0, loaded > 0), (is_computed, is_computed), "{} {sampling:?}", shape.0);
        }
        let (sampled, loaded) = reads(&rewritten_module(&source, Sampling::Nothing));
        assert_eq!((sampled, loaded), (0, 0), "{}", shape.0);
    }
    assert!(done.len() > 150, "{}", done.len());
}

/// The shaders sample and load from textures with a minimum mip level, with and without remaining levels.
#[test]
fn a_texture_with_a_minimum_level_is_sampled_by_the_driver() {
    for shape in COLORS.into_iter().chain(DEPTHS) {
        let (ty, at, layer, ..) = shape;
        let (is_depth, is_cube) = (ty.contains("depth"), ty.contains("cube"));
        let load = if is_cube {
            String::new()
        } else {
            let size = at.replace("at", "").replace('.', "").len().max(1);
            let size = if ty.contains("3d") { 3 } else { size };
            let place = if size == 1 { "u32(at.x)".into() } else { format!("vec{size}<i32>({at})") };
            format!(" + textureLoad(t, {place}{layer}, u32(at.x))")
        };
        let source = if is_depth { depth_source(shape) } else { color_source(shape) };
        let source = if is_depth {
            source.replace("); }", &format!("{load}); }}"))
        } else {
            source.replace("; }", &format!("{load}; }}"))
        };
        for levels in [ViewLevels::Some, ViewLevels::None] {
            let format = if is_depth { Format::R32_FLOAT } else { Format::R8G8_UNORM };
            let view = Some(SampledView { format, is_filterable: true, levels });
            let desc = SamplerDesc { comparison_func: ComparisonFunc::Less, ..SamplerDesc::default() };
            let sampling = Sampling::of(&kind(ty), view, &desc, ALL);
            assert_eq!(sampling.is_err(), is_cube && levels == ViewLevels::Some, "{ty}");
            let Ok(Some(sampling)) = sampling else { continue };
            let mut code = (*shader_code(ShaderStage::Pixel, &source, Vec::new())).clone();
            code.reflection.sampled_pairs = vec![SampledPair { resource: 2, sampler: 5 }];
            let clamp = ClampedTexture { slot: 2, components: 3 };
            let (samplings, clamps) = (Some([Some(sampling)].into()), Some([clamp].into()));
            let seen = SeenBindings { samplings, clamps, ..SeenBindings::default() };
            let specialization =
                Specialization { block: Some(DriverBlock::All), seen, ..Specialization::default() };
            let module = specialized(&code, &specialization);
            assert_eq!(reads(&module).0, 0, "{ty} {levels:?}");
        }
    }
}

#[test]
fn integer_textures_are_gathered_with_integer_borders() {
    for (ty, format) in [("u32", Format::R16G16_UINT), ("i32", Format::R8_SINT), ("i32", Format::R32_SINT)] {
        let source = format!(
            "
            @group(1) @binding(2) var t: texture_2d<{ty}>;
            @group(2) @binding(5) var s: sampler;
            @fragment fn main(@location(0) at: vec3<f32>) -> @location(0) vec4<{ty}> {{
                return textureGather(0, t, s, at.xy) + textureGather(1, t, s, at.xy, vec2<i32>(1, 1));
            }}"
        );
        let desc = SamplerDesc::new(Filter::MIN_MAG_MIP_LINEAR, TextureAddressMode::Border);
        let sampling = Sampling::of(&kind(&format!("texture_2d<{ty}>")), seen(format, true), &desc, ALL);
        let (sampled, loaded) = reads(&rewritten_module(&source, sampling.unwrap().unwrap()));
        assert_eq!((sampled, loaded), (0, 1), "{format:?}");
    }
}

/// For each dimension, only samplers that wgpu does not support have code.
#[test]
fn a_supported_sampler_stays_with_wgpu() {
    use TextureAddressMode::{Border, Clamp, MirrorOnce, Wrap};
    let plain = SamplerDesc { max_lod: -3.0, min_lod: 1.0, ..SamplerDesc::new(Filter::ANISOTROPIC, Wrap) };
    let white = SamplerDesc::new(Filter::MIN_MAG_MIP_LINEAR, Border);
    let grey = SamplerDesc { border_color: [0.5; 4], ..white };
    let once_in = |axis: usize| {
        let mut modes = [Clamp; 3];
        modes[axis] = MirrorOnce;
        let [address_u, address_v, address_w] = modes;
        SamplerDesc { address_u, address_v, address_w, ..plain }
    };
    let biased = SamplerDesc { mip_lod_bias: -1.0, ..plain };
    for (shape, axes) in COLORS.iter().zip([1, 2, 2, 3, 0, 0]) {
        let kind = kind(shape.0);
        let of = |desc: &SamplerDesc, has_borders| {
            let view = seen(Format::R8G8B8A8_UNORM, true);
            Sampling::of(&kind, view, desc, SamplingAbilities { has_borders, ..ALL })
        };
        let is_computed = |sampling| matches!(sampling, Ok(Some(Sampling::Computed(_))));
        assert_eq!((of(&plain, false), of(&white, true)), (Ok(None), Ok(None)), "{}", shape.0);
        let unfilterable = Sampling::of(&kind, seen(Format::R32_FLOAT, false), &plain, ALL);
        assert_eq!((is_computed(unfilterable), unfilterable.is_err()), (axes > 0, axes == 0), "{}", shape.0);
        assert_eq!(is_computed(of(&white, false)), axes > 0, "{}", shape.0);
        assert_eq!(is_computed(of(&grey, true)), axes > 0, "{}", shape.0);
        for axis in 0..3 {
            let once = once_in(axis);
            assert_eq!(is_computed(of(&once, true)), axis < axes, "{} {axis}", shape.0);
        }
        let least = SamplerDesc { filter: Filter::MINIMUM_MIN_MAG_MIP_POINT, ..plain };
        assert_eq!(of(&least, true).is_err(), axes == 0, "{}", shape.0);
        assert_eq!(of(&biased, true) == Ok(Some(Sampling::Biased)), axes != 1, "{}", shape.0);
        assert_eq!(Sampling::of(&kind, None, &plain, ALL), Ok(None));
        let border = (axes > 0).then_some(Sampling::Nothing);
        assert_eq!(Sampling::of(&kind, None, &white, ALL), Ok(border), "{}", shape.0);
    }
    let depth = kind("texture_depth_2d");
    let compared =
        SamplerDesc { mip_lod_bias: 1.0, ..SamplerDesc::comparison(plain.filter, ComparisonFunc::Less) };
    let opengl = SamplingAbilities { loads_depth: false, ..ALL };
    assert_eq!(Sampling::of(&depth, seen(Format::R16_UNORM, true), &compared, opengl), Err(InexactSampling));
    assert_eq!(Sampling::of(&depth, None, &compared, opengl), Ok(Some(Sampling::Nothing)));
}
