//! Tests of the reflection of bindings, and of the errors of bindings in a wrong place.

use onze_ddi::{ResourceKind, SampleKind, SampledPair, ShaderReflection, TextureDimension};

use super::{compute, pixel_reading, scene, vertex_reading};
use crate::shader::{ShaderError, linkage::check_linkage};

#[test]
fn two_entry_points_of_one_module_have_separate_slots() {
    let (vs, ps) = scene();
    let names = |r: &ShaderReflection| {
        let b: Vec<_> = r.constant_buffers.iter().map(|b| (b.slot, b.name.clone(), b.size)).collect();
        let t: Vec<_> = r.resources.iter().map(|t| (t.slot, t.name.clone())).collect();
        let s: Vec<_> = r.samplers.iter().map(|s| (s.slot, s.name.clone(), s.comparison)).collect();
        (b, t, s)
    };
    assert_eq!(
        names(&vs.reflection),
        (vec![(0, "camera".to_owned(), 80)], vec![(0, "displacement".to_owned())], vec![])
    );
    assert_eq!(
        names(&ps.reflection),
        (
            vec![(0, "light".to_owned(), 16), (13, "exposure".to_owned(), 4)],
            vec![(0, "albedo".to_owned()), (127, "shadows".to_owned())],
            vec![(0, "linear".to_owned(), false), (15, "compare".to_owned(), true)],
        )
    );
    check_linkage(&vs.reflection, &ps.reflection).unwrap();
}

#[test]
fn texture_sampler_pairs_are_found_through_arguments() {
    let (vs, ps) = scene();
    assert_eq!(vs.reflection.sampled_pairs, []);
    assert_eq!(
        ps.reflection.sampled_pairs,
        [SampledPair { resource: 0, sampler: 0 }, SampledPair { resource: 127, sampler: 15 }]
    );
}

#[test]
fn constant_buffers_have_the_size_of_the_block() {
    for (declarations, value, size) in [
        ("@group(0) @binding(2) var<uniform> x: f32;", "x", 4),
        ("@group(0) @binding(2) var<uniform> x: vec3f;", "x.x", 12),
        ("@group(0) @binding(2) var<uniform> x: mat3x3f;", "x[0].x", 48),
        ("@group(0) @binding(2) var<uniform> x: array<vec4f, 4096>;", "x[1].x", 65536),
        ("struct B { a: vec3f, b: vec2f } @group(0) @binding(2) var<uniform> x: B;", "x.b.x", 32),
    ] {
        let code = pixel_reading(declarations, value).unwrap();
        let slot = code.reflection.constant_buffer(2).unwrap();
        assert_eq!(slot.size, size, "{declarations}");
    }
}

#[test]
fn a_constant_buffer_above_64_kib_is_refused() {
    let declarations = "@group(0) @binding(0) var<uniform> bones: array<vec4f, 4097>;";
    let error = pixel_reading(declarations, "bones[0].x").unwrap_err();
    assert_eq!(error, ShaderError::ConstantBufferTooLarge { variable: "bones".to_owned(), size: 65552 });
}

#[test]
fn textures_of_every_dimension_and_kind_are_reflected() {
    use SampleKind as K;
    use TextureDimension as D;
    let rows = [
        ("texture_1d<f32>", "textureLoad(t, 0, 0).x", D::D1, false, K::Float),
        ("texture_2d<f32>", "textureLoad(t, vec2u(), 0).x", D::D2, false, K::Float),
        ("texture_2d<i32>", "textureLoad(t, vec2u(), 0).x", D::D2, false, K::Sint),
        ("texture_2d<u32>", "textureLoad(t, vec2u(), 0).x", D::D2, false, K::Uint),
        ("texture_2d_array<f32>", "textureLoad(t, vec2u(), 0, 0).x", D::D2Array, false, K::Float),
        ("texture_3d<f32>", "textureLoad(t, vec3u(), 0).x", D::D3, false, K::Float),
        ("texture_cube<f32>", "textureDimensions(t).x", D::Cube, false, K::Float),
        ("texture_cube_array<f32>", "textureNumLayers(t)", D::CubeArray, false, K::Float),
        ("texture_multisampled_2d<f32>", "textureLoad(t, vec2u(), 0).x", D::D2, true, K::Float),
        ("texture_multisampled_2d<u32>", "textureLoad(t, vec2u(), 0).x", D::D2, true, K::Uint),
        ("texture_depth_2d", "textureLoad(t, vec2u(), 0)", D::D2, false, K::Depth),
        ("texture_depth_2d_array", "textureNumLayers(t)", D::D2Array, false, K::Depth),
        ("texture_depth_cube", "textureDimensions(t).x", D::Cube, false, K::Depth),
        ("texture_depth_cube_array", "textureNumLayers(t)", D::CubeArray, false, K::Depth),
        ("texture_depth_multisampled_2d", "textureLoad(t, vec2u(), 0)", D::D2, true, K::Depth),
    ];
    for (ty, value, dimension, multisampled, sample) in rows {
        let declaration = format!("@group(1) @binding(5) var t: {ty};");
        let code = pixel_reading(&declaration, &format!("f32({value})")).unwrap();
        assert_eq!(
            code.reflection.resource(5).map(|t| t.kind),
            Some(ResourceKind::Texture { dimension, multisampled, sample }),
            "{ty}"
        );
    }
}

#[test]
fn structured_buffers_have_a_stride_and_a_minimum_size() {
    for (declarations, value, stride, size) in [
        ("@group(1) @binding(1) var<storage> x: array<f32>;", "x[3]", 4, 4),
        ("@group(1) @binding(1) var<storage> x: array<vec3f, 4>;", "x[3].x", 16, 64),
        ("@group(1) @binding(1) var<storage> x: vec2f;", "x.x", 8, 8),
        (
            "struct A { n: u32, list: array<vec4f> } @group(1) @binding(1) var<storage, read> x: A;",
            "x.list[1].x",
            16,
            32,
        ),
    ] {
        let code = pixel_reading(declarations, value).unwrap();
        assert_eq!(
            code.reflection.resource(1).map(|t| t.kind),
            Some(ResourceKind::Buffer { stride, size }),
            "{declarations}"
        );
    }
}

#[test]
fn counters_of_unordered_access_views_are_reflected() {
    let text = "
        @group(4) @binding(5) var<storage, read_write> alone: atomic<u32>;
        @group(3) @binding(1) var<storage, read_write> ids: array<u32>;
        @group(4) @binding(1) var<storage, read_write> count: atomic<u32>;
        @group(4) @binding(2) var<storage, read_write> unused: atomic<u32>;
        @compute @workgroup_size(1) fn main() { ids[atomicAdd(&count, 1u)] = atomicLoad(&alone); }";
    let reflection = compute(text).unwrap().reflection;
    let counters: Vec<_> = reflection.counters.iter().map(|c| (c.slot, c.name.as_str())).collect();
    assert_eq!(counters, [(1, "count"), (5, "alone")]);
    assert_eq!(reflection.counter(5).map(|c| c.name.as_str()), Some("alone"));
    assert_eq!((reflection.counter(2), reflection.unordered_access(5)), (None, None));
    assert_eq!(reflection.unordered_access.len(), 1, "a counter is no view");
}

#[test]
fn group_4_accepts_only_counters() {
    let misplaced = "`x` is in @group(4), which is for the counters of the u registers; declare the counter of u1 as \
                     `@group(4) @binding(1) var<storage, read_write> x: atomic<u32>;`, or use another group";
    for (declarations, value, message) in [
        ("@group(4) @binding(1) var<storage, read_write> x: u32;", "x", misplaced),
        ("@group(4) @binding(1) var<storage, read_write> x: atomic<i32>;", "u32(atomicLoad(&x))", misplaced),
        (
            "@group(4) @binding(1) var<storage, read_write> x: array<atomic<u32>>;",
            "atomicLoad(&x[0])",
            misplaced,
        ),
        ("@group(4) @binding(1) var<storage> x: u32;", "x", misplaced),
        ("@group(4) @binding(1) var<uniform> x: u32;", "x", misplaced),
        ("@group(4) @binding(1) var x: texture_2d<u32>;", "textureLoad(x, vec2(0), 0).x", misplaced),
        (
            "@group(4) @binding(8) var<storage, read_write> x: atomic<u32>;",
            "atomicLoad(&x)",
            "`x` is in slot u8; the slots are u0 to u7, so give it another @binding",
        ),
        (
            "@group(4) @binding(3) var<storage, read_write> x: atomic<u32>; \
             @group(4) @binding(3) var<storage, read_write> y: atomic<u32>;",
            "atomicLoad(&x) + atomicLoad(&y)",
            "`x` and `y` are both the counter of u3; declare it once",
        ),
    ] {
        let text = format!(
            "{declarations} @group(3) @binding(0) var<storage, read_write> out: u32;
            @compute @workgroup_size(1) fn main() {{ out = {value}; }}"
        );
        assert_eq!(compute(&text).unwrap_err().to_string(), message, "{declarations}");
    }
    let declaration = "@group(4) @binding(0) var<storage, read_write> x: atomic<u32>;";
    assert!(pixel_reading(declaration, "f32(atomicLoad(&x))").is_ok());
    let error = vertex_reading(declaration, "f32(atomicLoad(&x))").unwrap_err().to_string();
    assert!(error.contains("`x` is the counter of an unordered-access view, which needs"), "{error}");
}

#[test]
fn resources_in_the_wrong_place_are_refused_by_name() {
    for (declarations, value, message) in [
        (
            "@group(1) @binding(0) var<uniform> x: f32;",
            "x",
            "`x` is a uniform buffer and belongs in @group(0), the b registers, not in @group(1)",
        ),
        (
            "@group(0) @binding(0) var x: texture_1d<f32>;",
            "textureLoad(x, 0, 0).x",
            "`x` is a texture and belongs in @group(1), the t registers, not in @group(0)",
        ),
        (
            "@group(3) @binding(0) var<storage> x: f32;",
            "x",
            "`x` is a read-only storage buffer and belongs in @group(1), the t registers, not in @group(3)",
        ),
        (
            "@group(1) @binding(1) var s: sampler; @group(1) @binding(0) var t: texture_2d<f32>;",
            "textureSample(t, s, vec2f()).x",
            "`s` is a sampler and belongs in @group(2), the s registers, not in @group(1)",
        ),
        (
            "@group(7) @binding(0) var<uniform> x: f32;",
            "x",
            "`x` is a uniform buffer and belongs in @group(0), the b registers, not in @group(7)",
        ),
        (
            "@group(0) @binding(14) var<uniform> x: f32;",
            "x",
            "`x` is in slot b14; the slots are b0 to b13, so give it another @binding",
        ),
        (
            "@group(1) @binding(128) var x: texture_1d<f32>;",
            "textureLoad(x, 0, 0).x",
            "`x` is in slot t128; the slots are t0 to t127, so give it another @binding",
        ),
        (
            "@group(2) @binding(16) var s: sampler; @group(1) @binding(0) var t: texture_2d<f32>;",
            "textureSample(t, s, vec2f()).x",
            "`s` is in slot s16; the slots are s0 to s15, so give it another @binding",
        ),
        (
            "@group(0) @binding(1) var<uniform> x: f32; @group(0) @binding(1) var<uniform> y: f32;",
            "x + y",
            "`x` and `y` are both in slot b1; give one of them another @binding",
        ),
        (
            "@group(1) @binding(1) var<storage> x: f32; @group(1) @binding(1) var y: texture_1d<f32>;",
            "x + textureLoad(y, 0, 0).x",
            "`x` and `y` are both in slot t1; give one of them another @binding",
        ),
        (
            "enable wgpu_binding_array; @group(1) @binding(0) var x: binding_array<texture_1d<f32>, 4>;",
            "textureLoad(x[1], 0, 0).x",
            "`x` is an array of bindings: give each resource a slot of its own",
        ),
        ("override x: f32;", "x", "`override x` cannot be set: use `const`, or a constant buffer"),
        (
            "override render_target_sample_count: f32 = 1;",
            "render_target_sample_count",
            "`override render_target_sample_count` cannot be set: use `const`, or a constant buffer",
        ),
    ] {
        let error = pixel_reading(declarations, value).unwrap_err();
        assert_eq!(error.to_string(), message, "{declarations}");
    }
}

#[test]
fn only_pixel_and_compute_shaders_may_write() {
    for (declaration, value, kind) in [
        (
            "@group(3) @binding(0) var<storage, read_write> x: f32;",
            "x",
            "a storage buffer that can be written",
        ),
        (
            "@group(3) @binding(0) var x: texture_storage_1d<r32float, read>;",
            "textureLoad(x, 0).x",
            "a storage texture",
        ),
        (
            "@group(3) @binding(0) var x: texture_storage_2d_array<r32float, read>;",
            "textureLoad(x, vec2u(), 0).x",
            "a storage texture",
        ),
    ] {
        assert!(pixel_reading(declaration, value).is_ok(), "{declaration}");
        let error = vertex_reading(declaration, value).unwrap_err().to_string();
        let expected = format!(
            "`x` is {kind}, which needs an unordered-access view (the u registers, @group(3)); pixel and compute \
             shaders have them"
        );
        assert_eq!(error, expected, "{declaration}");
    }
}
