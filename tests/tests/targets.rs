//! Textures that are created from texels, targets with their views, and short forms of calls.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze::prelude::*;
use onze_tests::{
    Config, Quad, Target, assert_error, drawing::assert_all, gpu_matrix, matrix, on_each, watched_device,
};

#[test]
fn a_texture_holds_the_texels_that_it_is_made_with() {
    on_each(&matrix(), |h| {
        let texels: Vec<[u8; 4]> = (0..15).map(|i| [i, 2 * i, 3 * i, 255]).collect();
        let texture = h.device.create_texture_2d_with(Format::R8G8B8A8_UNORM_SRGB, 5, 3, &texels).unwrap();
        let desc = texture.desc();
        assert_eq!((desc.width, desc.height, desc.mip_levels, desc.usage), (5, 3, 1, Usage::Default));
        if h.draws() {
            assert_eq!(h.read(&texture, 0), texels.as_flattened());
        }
        h.assert_silent();
        for (count, text) in [(14, "have 60 bytes, found 56"), (0, "found 0")] {
            let wrong =
                h.device.create_texture_2d_with(Format::R8G8B8A8_UNORM, 5, 3, &texels[..count]).unwrap_err();
            assert!(wrong.to_string().contains(text), "{wrong}");
            h.assert_reported(MessageId::CreateTexture2dInvalid);
        }
        let longer = vec![[0_u8; 4]; 16];
        assert_error!(h.device.create_texture_2d_with(Format::R8G8B8A8_UNORM, 5, 3, &longer), InvalidArg);
        h.assert_reported(MessageId::CreateTexture2dInvalid);
        assert_error!(h.device.create_texture_2d_with::<u8>(Format::R8G8B8A8_UNORM, 0, 3, &[]), InvalidArg);
        assert_error!(h.device.create_texture_2d_with::<u8>(Format::UNKNOWN, 4, 4, &[]), InvalidArg);
        h.assert_reported(MessageId::CreateTexture2dInvalid);
    });
}

#[test]
fn a_target_of_another_type_gets_the_bits_of_the_output() {
    let shaders = [
        ("vec4u(0x40490fdbu, 1u, 2u, 3u)", "vec4u", 0x4049_0fdb),
        ("vec4i(-22, 1, 2, 3)", "vec4i", -22_i32 as u32),
        ("vec4f(-22.0, 1.0, 2.0, 3.0)", "vec4f", (-22.0_f32).to_bits()),
        ("vec2f(0.5, 1.0)", "vec2f", 0.5_f32.to_bits()),
        ("7u", "u32", 7),
    ];
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawRenderTargetMismatch]);
        let quad = Quad::new(&h.device);
        for format in [Format::R32_FLOAT, Format::R32_UINT, Format::R32_SINT, Format::R32G32B32A32_UINT] {
            for (value, ty, bits) in shaders {
                let text = format!("@fragment fn main() -> @location(0) {ty} {{ return {value}; }}");
                let ps = h.device.create_pixel_shader(ShaderSource::wgsl(&text, "main")).unwrap();
                let target = Target::with_format(&h.device, format, 4, 4);
                let cx = &mut h.immediate;
                target.bind(cx);
                quad.bind(cx);
                quad.set(cx, [1.0; 4], Quad::ALL, 0.0);
                cx.ps_set_shader(&ps);
                cx.draw(4, 0);
                assert_eq!(target.read(h)[0], bits, "{value} into {format:?}");
                h.assert_silent();
            }
        }
    });
}

#[test]
fn mip_levels_are_made_from_the_texels_given() {
    on_each(&gpu_matrix(), |h| {
        // The columns have two colours, and the last level contains their average.
        let texels: Vec<u32> = (0..32).map(|i| if i % 8 < 4 { 0xff00_0000 } else { 0xff00_00fe }).collect();
        let format = Format::R8G8B8A8_UNORM;
        let texture = h.device.create_texture_2d_with_mips(&mut h.immediate, format, 8, 4, &texels).unwrap();
        assert_eq!(texture.desc().mip_levels, 4);
        assert_eq!(h.read_u32(&texture, 0), texels);
        assert_eq!(h.read_u32(&texture, 2), [0xff00_0000, 0xff00_00fe]);
        assert_all(&h.read_u32(&texture, 3), 0xff00_007f, "the last level");

        let mut deferred = h.device.create_deferred_context().unwrap();
        let later = h.device.create_texture_2d_with_mips(&mut deferred, format, 8, 4, &texels).unwrap();
        assert_eq!(h.read_u32(&later, 3), [0]);
        let list = deferred.finish_command_list(false).unwrap();
        h.immediate.execute_command_list(&list, false);
        assert_all(&h.read_u32(&later, 3), 0xff00_007f, "of a deferred context");
        h.assert_silent();
    });
}

#[test]
fn mip_levels_need_a_format_that_can_be_filtered() {
    on_each(&gpu_matrix(), |h| {
        let (device, cx) = (h.device.clone(), &mut h.immediate);
        let error = device.create_texture_2d_with_mips(cx, Format::R32_UINT, 2, 2, &[0_u32; 4]).unwrap_err();
        assert!(error.to_string().contains("cannot generate mip levels of R32_UINT"), "{error}");
        let format = Format::R8G8B8A8_UNORM;
        assert_error!(device.create_texture_2d_with_mips(cx, format, 2, 2, &[0_u32; 3]), InvalidArg);
        let (watch, other, _context) = watched_device(&Config::NULL.desc()).unwrap();
        watch.expect(&[MessageId::CreateTexture2dInvalid]);
        assert_error!(other.create_texture_2d_with_mips(cx, format, 2, 2, &[0_u32; 4]), InvalidArg);
        assert_eq!(other.info_queue().take().len(), 1);
        h.assert_reported(MessageId::CreateTexture2dInvalid);
    });
}

fn copy(cx: &mut DeviceContext, source: &ShaderResourceView, target: &Target) {
    const SHADER: &str = "
        @group(1) @binding(0) var source: texture_2d<f32>;
        @vertex fn vs_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
            return vec4f(f32(i & 2u) * 2.0 - 1.0, f32(i & 1u) * 4.0 - 1.0, 0.0, 1.0);
        }
        @fragment fn ps_main(@builtin(position) at: vec4f) -> @location(0) vec4f {
            return vec4f(textureLoad(source, vec2i(at.xy), 0).xyz, 1.0);
        }";
    let device = cx.device();
    cx.clear_state();
    target.bind(cx);
    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    cx.vs_set_shader(&device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main")).unwrap());
    cx.ps_set_shader(&device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main")).unwrap());
    cx.ps_set_shader_resources(0, source);
    cx.draw(3, 0);
}

#[test]
fn targets_are_drawn_into_and_then_read() {
    on_each(&gpu_matrix(), |h| {
        let scene = h.device.create_render_target(Format::R8G8B8A8_UNORM, 4, 4).unwrap();
        let (shown, quad) = (Target::new(&h.device, 4, 4), Quad::new(&h.device));
        let formats =
            [Format::D16_UNORM, Format::D24_UNORM_S8_UINT, Format::D32_FLOAT, Format::D32_FLOAT_S8X24_UINT];
        for format in formats {
            let depth = h.device.create_depth_target(format, 4, 4);
            // A device may lack a format, and the error then names the format.
            if !h.has_format(format, FormatSupport::DEPTH_STENCIL) {
                let error = depth.unwrap_err().to_string();
                assert!(error.contains(&format!("{:?}", format.family())), "{error}");
                h.assert_reported(MessageId::CreateTexture2dInvalid);
                continue;
            }
            let depth = depth.unwrap();
            let cx = &mut h.immediate;
            cx.clear_render_target_view(&scene.render_target_view, [0.0; 4]);
            cx.clear_depth_stencil(&depth.depth_stencil_view);
            cx.om_set_render_targets(&scene.render_target_view, &depth.depth_stencil_view);
            cx.rs_set_viewports(Viewport::sized(4.0, 4.0));
            quad.draw_at(cx, [0.0, 1.0, 0.0, 1.0], Quad::ALL, 0.6);
            // This quad is hidden, because the first quad has a smaller depth.
            quad.draw_at(cx, [1.0, 0.0, 0.0, 1.0], Quad::ALL, 0.8);
            copy(cx, &scene.shader_resource_view, &shown);
            assert_all(&shown.read(h), 0xff00_ff00, "the colour");
            copy(&mut h.immediate, &depth.shader_resource_view, &shown);
            assert_all(&shown.read(h), 0xff00_0099, &format!("{format:?}"));
            h.assert_silent();
        }
        assert_error!(h.device.create_depth_target(Format::R32_FLOAT, 4, 4), InvalidArg);
        h.assert_reported(MessageId::CreateTexture2dInvalid);
    });
}

#[test]
fn short_forms_pass_the_usual_arguments() {
    on_each(&matrix(), |h| {
        let (device, cx) = (h.device.clone(), &mut h.immediate);
        let blend = device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::alpha())).unwrap();
        cx.om_set_blend_state(None, [0.5; 4], 1);
        cx.om_set_blend(&blend);
        assert_eq!(cx.om_get_blend_state(), (Some(blend), [1.0; 4], u32::MAX));
        cx.om_set_blend(None);
        assert_eq!(cx.om_get_blend_state(), (None, [1.0; 4], u32::MAX));

        let desc = DepthStencilDesc { stencil_enable: true, ..Default::default() };
        let state = device.create_depth_stencil_state(&desc).unwrap();
        cx.om_set_depth_stencil_state(None, 7);
        cx.om_set_depth_stencil(&state);
        assert_eq!(cx.om_get_depth_stencil_state(), (Some(state), 0));

        assert!(RasterizerDesc::counter_clockwise().front_counter_clockwise);
        assert_eq!(
            RasterizerDesc { front_counter_clockwise: false, ..RasterizerDesc::counter_clockwise() },
            RasterizerDesc::default()
        );
        h.assert_silent();
    });
}

#[test]
fn a_whole_depth_target_is_cleared_to_far_and_zero() {
    on_each(&gpu_matrix(), |h| {
        let formats = [Format::D24_UNORM_S8_UINT, Format::D32_FLOAT_S8X24_UINT];
        let has = |format: &Format| h.has_format(*format, FormatSupport::DEPTH_STENCIL);
        let format = formats.into_iter().find(has).unwrap();
        let desc = Texture2dDesc::depth_stencil(format, 4, 4);
        let view = h.device.create_texture_2d(&desc, None).unwrap().create_depth_stencil_view().unwrap();
        let (target, quad) = (Target::new(&h.device, 4, 4), Quad::new(&h.device));
        let equal = DepthStencilOpDesc { stencil_func: ComparisonFunc::Equal, ..Default::default() };
        let test = DepthStencilDesc {
            depth_func: ComparisonFunc::Equal,
            stencil_enable: true,
            front_face: equal,
            back_face: equal,
            ..Default::default()
        };
        let cx = &mut h.immediate;
        cx.clear_depth_stencil_view(&view, ClearFlags::DEPTH | ClearFlags::STENCIL, 0.5, 3);
        cx.clear_depth_stencil(&view);
        cx.clear_render_target_view(&target.view, [0.0; 4]);
        cx.om_set_render_targets(&target.view, &view);
        cx.rs_set_viewports(target.viewport());
        cx.om_set_depth_stencil(&h.device.create_depth_stencil_state(&test).unwrap());
        quad.draw_at(cx, [1.0; 4], Quad::ALL, 1.0);
        assert_all(&target.read(h), u32::MAX, "depth is 1 and stencil 0");
        h.assert_silent();
    });
}

#[test]
fn views_of_whole_resources_are_made_by_the_resource() {
    on_each(&matrix(), |h| {
        let device = h.device.clone();
        let texture = device
            .create_texture_2d(&Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4), None)
            .unwrap();
        let read = texture.create_shader_resource_view().unwrap();
        assert_eq!(read.desc(), device.create_shader_resource_view(&texture, None).unwrap().desc());
        let drawn = texture.create_render_target_view().unwrap();
        assert_eq!(drawn.texture_2d(), Some(texture.clone()));
        h.assert_silent();
        assert_error!(texture.create_depth_stencil_view(), InvalidArg);
        h.assert_reported(MessageId::CreateDepthStencilViewInvalid);
        let desc = ShaderResourceViewDesc::format(Format::R8G8B8A8_UNORM);
        let one = device.create_shader_resource_view(&texture, &desc).unwrap();
        let two = device.create_shader_resource_view(&texture, Some(&desc)).unwrap();
        assert_eq!(one.desc(), two.desc());
    });
}
