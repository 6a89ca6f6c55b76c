//! Tests of the checks of draws.

#![allow(clippy::unwrap_used, reason = "a test may stop")]

use crate::prelude::*;

#[test]
fn an_indexed_draw_needs_an_index_buffer_on_each_path() {
    for debug in [false, true] {
        let desc = DeviceDesc { driver_type: DriverType::Null, debug, ..DeviceDesc::default() };
        let (device, mut context) = create_device(&desc).unwrap();
        let source = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }";
        let shader = device.create_vertex_shader(ShaderSource::wgsl(source, "main")).unwrap();
        context.vs_set_shader(&shader);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        for path in ["checked", "fast", "known chain"] {
            if path == "known chain" {
                context.vs_set_shader(None);
                context.vs_set_shader(&shader);
            }
            context.draw(3, 0);
            let before = device.info_queue().count(MessageId::DrawIndexedNoIndexBuffer);
            assert_eq!(context.core.rt.draw.is_fast(), !debug, "{path}");
            context.draw_indexed(3, 0, 0);
            let after = device.info_queue().count(MessageId::DrawIndexedNoIndexBuffer);
            assert_eq!(after - before, u64::from(debug), "{path}");
        }
    }
}

const POINTS: &str = "
    struct V { @builtin(position) at: vec4f }
    fn append0(v: V) {}
    fn main(v: array<V, 1>) { append0(v[0]); }";

/// Creates a device without the debug layer, whose context has a vertex shader and a geometry shader for points.
fn with_points(text: &str) -> (Device, ImmediateContext) {
    let desc = DeviceDesc { driver_type: DriverType::Null, debug: false, ..DeviceDesc::default() };
    let (device, mut context) = create_device(&desc).unwrap();
    let source = "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }";
    let vertex = device.create_vertex_shader(ShaderSource::wgsl(source, "vs")).unwrap();
    let points = GeometryShaderDesc::new(InputPrimitive::Point, 1, &[StreamTopology::Points]);
    let source = ShaderSource::wgsl_geometry(text, "main", &points);
    let geometry = device.create_geometry_shader(source).unwrap();
    context.vs_set_shader(&vertex);
    context.gs_set_shader(&geometry);
    context.ia_set_primitive_topology(PrimitiveTopology::PointList);
    (device, context)
}

#[test]
fn known_chains_with_a_geometry_shader_need_its_primitives() {
    let (_device, mut context) = with_points(POINTS);
    let rows = [
        (PrimitiveTopology::PointList, true),
        (PrimitiveTopology::TriangleList, false),
        (PrimitiveTopology::PointList, true),
        (PrimitiveTopology::PatchList1, false),
    ];
    for (topology, is_drawn) in rows {
        context.ia_set_primitive_topology(topology);
        context.draw(3, 0);
        assert_eq!(context.core.rt.draw.is_fast(), is_drawn, "{topology:?}");
    }
}

#[test]
fn a_depth_stencil_view_decides_whether_a_position_is_needed() {
    let text = "
        struct V { @builtin(position) at: vec4f }
        struct O { @location(0) at: vec4f }
        fn append0(v: O) {}
        fn main(v: array<V, 1>) { append0(O(v[0].at)); }";
    let (device, mut context) = with_points(text);
    let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, 4, 4);
    let depth = device.create_texture_2d(&desc, None).unwrap();
    let depth = device.create_depth_stencil_view(&depth, None).unwrap();
    for is_bound in [false, true, false, true] {
        context.om_set_render_targets(None, is_bound.then_some(&depth));
        context.draw(3, 0);
        assert_eq!(context.core.rt.draw.is_fast(), !is_bound);
    }
    // A context state without the view and without the shaders replaces all bindings.
    let mut other = device.create_device_context_state();
    context.swap_device_context_state(&mut other);
    context.swap_device_context_state(&mut other);
    context.draw(3, 0);
    assert!(!context.core.rt.draw.is_fast());
}

/// Creates a device without the debug layer, whose context has a hull and a domain shader for patches of two points.
fn with_patches(vertex: &str) -> (Device, ImmediateContext, HullShader, DomainShader) {
    let desc = DeviceDesc { driver_type: DriverType::Null, debug: false, ..DeviceDesc::default() };
    let (device, mut context) = create_device(&desc).unwrap();
    let text = format!(
        "struct V {{ @builtin(position) at: vec4f }} struct O {{ {vertex} }}
         struct C {{ tess_factor: array<f32, 2> }}
         @vertex fn vs() -> V {{ return V(); }}
         fn constants(points: array<V, 2>) -> C {{ return C(); }}
         fn place(points: array<V, 2>) -> O {{ return O(); }}"
    );
    let vs = device.create_vertex_shader(ShaderSource::wgsl(&text, "vs")).unwrap();
    let desc = HullShaderDesc::new(TessellatorDomain::Isoline, 2);
    let hull = device.create_hull_shader(ShaderSource::wgsl_hull(&text, "constants", &desc)).unwrap();
    let source = ShaderSource::wgsl_domain(&text, "place", TessellatorDomain::Isoline);
    let domain = device.create_domain_shader(source).unwrap();
    context.vs_set_shader(&vs);
    context.hs_set_shader(&hull);
    context.ds_set_shader(&domain);
    context.ia_set_primitive_topology(PrimitiveTopology::PatchList2);
    (device, context, hull, domain)
}

#[test]
fn known_chains_with_hull_and_domain_shaders_need_patches() {
    let (_device, mut context, hull, domain) = with_patches("@builtin(position) at: vec4f");
    let (patches, lines) = (PrimitiveTopology::PatchList2, PrimitiveTopology::LineList);
    let rows = [
        (Some(&hull), Some(&domain), patches, true),
        (Some(&hull), Some(&domain), lines, false),
        (Some(&hull), Some(&domain), PrimitiveTopology::PatchList3, false),
        (None, None, lines, true),
        (None, None, patches, false),
        (Some(&hull), None, patches, false),
        (None, Some(&domain), patches, false),
        (Some(&hull), None, lines, false),
    ];
    // The second round finds the chains that fit in the cache.
    for round in 0..2 {
        for (hs, ds, topology, is_drawn) in rows {
            context.hs_set_shader(hs);
            context.ds_set_shader(ds);
            context.ia_set_primitive_topology(topology);
            context.draw(4, 0);
            assert_eq!(context.core.rt.draw.is_fast(), is_drawn, "round {round}: {hs:?} {ds:?} {topology:?}");
        }
    }
}

#[test]
fn a_depth_view_makes_a_domain_shader_need_a_position() {
    let (device, mut context, ..) = with_patches("@location(0) at: vec4f");
    let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, 4, 4);
    let depth = device.create_texture_2d(&desc, None).unwrap();
    let depth = device.create_depth_stencil_view(&depth, None).unwrap();
    for is_bound in [false, true, false, true] {
        context.om_set_render_targets(None, is_bound.then_some(&depth));
        context.draw(4, 0);
        assert_eq!(context.core.rt.draw.is_fast(), !is_bound);
    }
}

#[test]
fn a_draw_checks_the_chain_after_each_change() {
    let desc = DeviceDesc { driver_type: DriverType::Null, debug: false, ..DeviceDesc::default() };
    let (device, mut context) = create_device(&desc).unwrap();
    let source = "@vertex fn vs() -> @builtin(position) vec4f { return vec4f(); }
        @fragment fn fits() {}
        @fragment fn reads(@location(0) x: f32) -> @location(0) f32 { return x; }";
    let vertex = device.create_vertex_shader(ShaderSource::wgsl(source, "vs")).unwrap();
    let pixel = |name| device.create_pixel_shader(ShaderSource::wgsl(source, name)).unwrap();
    let (fits, reads) = (pixel("fits"), pixel("reads"));
    context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    // The second round finds the chains that fit in the cache.
    for round in 0..2 {
        for (vs, ps, is_drawn) in [
            (Some(&vertex), None, true),
            (Some(&vertex), Some(&fits), true),
            (Some(&vertex), Some(&reads), false),
            (Some(&vertex), None, true),
            (None, None, false),
            (None, Some(&fits), false),
        ] {
            context.vs_set_shader(vs);
            context.ps_set_shader(ps);
            context.draw(3, 0);
            let is_fast = context.core.rt.draw.is_fast();
            assert_eq!(is_fast, is_drawn, "round {round}: {vs:?} {ps:?}");
        }
    }
}
