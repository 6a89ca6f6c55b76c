//! Lists that draw, with the expected contents of their targets.

use onze::prelude::*;
use onze_tests::Target;

use crate::{
    common::{Check, SIDE},
    recorder::Recorder,
};

const TEXELS: usize = (SIDE * SIDE) as usize;

/// Returns a colour that every format represents exactly, as four floats and as 0xAABBGGRR.
fn color(on: &mut Recorder) -> ([f32; 4], u32) {
    let bits = on.r.below(8);
    let channels = [0, 1, 2].map(|i| (bits >> i) & 1);
    let word = channels.iter().rev().fold(0xff, |word, channel| word << 8 | (channel * 0xff));
    ([channels[0] as f32, channels[1] as f32, channels[2] as f32, 1.0], word)
}

fn check(on: &mut Recorder, what: &'static str, target: Target, expected: Vec<u32>) {
    on.checks.push(Check::Texels { what, texture: target.texture, subresource: 0, expected, drawn: true });
}

/// Draws a colour over the whole target and another over its left half, with one of several methods.
pub(crate) fn draw(on: &mut Recorder) {
    let target = Target::new(&on.common.device, SIDE, SIDE);
    let (whole, whole_word) = color(on);
    let (half, half_word) = color(on);
    on.context.clear_state();
    let left = [-1.0, -1.0, 0.0, 1.0];
    let expected = (0..TEXELS).map(|i| if i % 8 < 4 { half_word } else { whole_word }).collect();
    let what = match on.r.below(4) {
        0 => {
            target.bind(&mut on.context);
            let quad = on.common.quad.clone();
            quad.draw(&mut on.context, whole);
            quad.draw_at(&mut on.context, half, left, 0.5);
            "drawn with constants that all threads discard"
        }
        1 => {
            on.context.clear_render_target_view(&target.view, whole);
            target.bind(&mut on.context);
            draw_mesh(on, half_word);
            "drawn as a mesh"
        }
        2 => {
            draw_with_depth(on, &target, whole, half);
            "drawn with depth"
        }
        _ => {
            target.bind(&mut on.context);
            draw_textured(on, half_word, whole_word);
            "drawn with a texture that was dropped"
        }
    };
    check(on, what, target, expected);
}

/// Draws the left half from new buffers and from a buffer that all threads discard, and then drops the new
/// buffers.
fn draw_mesh(on: &mut Recorder, color: u32) {
    let device = on.common.device.clone();
    let corners = [[-1.0_f32, -1.0], [-1.0, 1.0], [0.0, -1.0], [0.0, 1.0]];
    let vertices = device.create_buffer_with(BindFlags::VERTEX_BUFFER, &corners).unwrap();
    let indices = device.create_buffer_with(BindFlags::INDEX_BUFFER, &[0_u16, 1, 2, 3]).unwrap();
    let (vs, ps, layout) = on.common.mesh.clone();
    let (context, colors) = (&mut on.context, &on.common.dynamic);
    context.map(colors, 0, MapType::WriteDiscard).unwrap().write_slice(0, &[color; 4]);
    context.ia_set_input_layout(&layout);
    context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
    let colors = VertexBufferBinding { buffer: colors, stride: 4, offset: 4 };
    context
        .ia_set_vertex_buffers(0, [VertexBufferBinding { buffer: &vertices, stride: 8, offset: 0 }, colors]);
    context.vs_set_shader(&vs);
    context.ps_set_shader(&ps);
    if on.r.one_in(2) {
        context.draw_instanced(4, 2, 0, 1);
    } else {
        context.ia_set_index_buffer(&indices, Format::R16_UINT, 0);
        context.draw_indexed_instanced(4, 1, 0, 0, 0);
    }
}

/// Draws the farther quad last, so that the depth test must reject a part of it.
fn draw_with_depth(on: &mut Recorder, target: &Target, whole: [f32; 4], half: [f32; 4]) {
    let device = on.common.device.clone();
    let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, SIDE, SIDE);
    let depth = device.create_texture_2d(&desc, None).unwrap();
    let view = device.create_depth_stencil_view(&depth, None).unwrap();
    on.context.clear_depth_stencil_view(&view, ClearFlags::DEPTH, 1.0, 0);
    on.context.om_set_render_targets(&target.view, &view);
    on.context.rs_set_viewports(target.viewport());
    let quad = on.common.quad.clone();
    quad.draw_at(&mut on.context, half, [-1.0, -1.0, 0.0, 1.0], 0.25);
    quad.draw_at(&mut on.context, whole, [-1.0, -1.0, 1.0, 1.0], 0.75);
}

fn draw_textured(on: &mut Recorder, left: u32, right: u32) {
    let device = on.common.device.clone();
    let texels = [left, right];
    let data = SubresourceData { bytes: bytemuck::cast_slice(&texels), row_pitch: 8, depth_pitch: 0 };
    let texture = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 2, 1) };
    let texture = device.create_texture_2d(&texture, Some(&[data])).unwrap();
    let view = device.create_shader_resource_view(&texture, None).unwrap();
    let sampler = SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Clamp);
    let sampler = device.create_sampler_state(&sampler).unwrap();
    let quad = on.common.quad.clone();
    quad.bind(&mut on.context);
    quad.set(&mut on.context, [0.0; 4], [-1.0, -1.0, 1.0, 1.0], 0.0);
    on.context.ps_set_shader(&on.common.textured);
    on.context.ps_set_shader_resources(0, &view);
    on.context.ps_set_samplers(0, &sampler);
    on.context.draw(4, 0);
}

pub(crate) fn clear(on: &mut Recorder) {
    let target = Target::new(&on.common.device, SIDE, SIDE);
    let (value, word) = color(on);
    on.context.clear_render_target_view(&target.view, [0.5; 4]);
    on.context.clear_render_target_view(&target.view, value);
    check(on, "cleared", target, vec![word; TEXELS]);
}

pub(crate) fn texels(on: &mut Recorder) {
    let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, SIDE, SIDE) };
    let target = on.common.device.create_texture_2d(&desc, None).unwrap();
    let expected: Vec<u32> = (0..TEXELS).map(|_| on.r.bits() as u32).collect();
    if on.r.one_in(2) {
        let source = on.common.device.create_texture_2d(&desc, None).unwrap();
        on.context.update_subresource(&source, 0, None, &expected, 4 * SIDE, 0);
        on.context.copy_subresource_region(&target, 0, [0; 3], &source, 0, None);
    } else {
        let desc = Texture2dDesc {
            usage: Usage::Dynamic,
            cpu_access_flags: CpuAccessFlags::WRITE,
            bind_flags: BindFlags::SHADER_RESOURCE,
            ..desc
        };
        let source = on.common.device.create_texture_2d(&desc, None).unwrap();
        let mut mapped = on.context.map(&source, 0, MapType::WriteDiscard).unwrap();
        let pitch = mapped.row_pitch() as usize;
        for (y, row) in expected.chunks(SIDE as usize).enumerate() {
            mapped.write_slice(y * pitch, row);
        }
        drop(mapped);
        on.context.copy_resource(&target, &source);
    }
    let what = "texels copied from a dropped texture";
    on.checks.push(Check::Texels { what, texture: target, subresource: 0, expected, drawn: false });
}

pub(crate) fn mips(on: &mut Recorder) {
    let desc = Texture2dDesc {
        mip_levels: 0,
        misc_flags: MiscFlags::GENERATE_MIPS,
        ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, SIDE, SIDE)
    };
    let texture = on.common.device.create_texture_2d(&desc, None).unwrap();
    let top = RenderTargetViewDesc::texture_2d(Format::R8G8B8A8_UNORM, 0);
    let top = on.common.device.create_render_target_view(&texture, Some(&top)).unwrap();
    let all = on.common.device.create_shader_resource_view(&texture, None).unwrap();
    let (value, word) = color(on);
    on.context.clear_render_target_view(&top, value);
    on.context.generate_mips(&all);
    let (what, expected) = ("generated mips", vec![word; 4]);
    on.checks.push(Check::Texels { what, texture, subresource: 2, expected, drawn: true });
}
