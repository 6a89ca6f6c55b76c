//! Creation of objects of every type, with valid and invalid descriptors, on the threads of a stress test.

use onze::prelude::*;

use crate::{
    common::{BYTES, SIDE, mesh, mesh_elements},
    recorder::Recorder,
};

/// Creates a random object, keeps it for a while and sometimes binds it.
pub(crate) fn object(on: &mut Recorder) {
    match on.r.below(12) {
        0..3 => buffer(on),
        3 | 4 => texture(on),
        5 => depth(on),
        6 => target(on),
        7 => states(on),
        8 => shaders(on),
        9 => {
            let query = on.common.device.create_query(QueryType::Event).unwrap();
            on.keep(query);
        }
        10 => {
            let mut context = on.common.device.create_deferred_context().unwrap();
            context.clear_state();
            on.keep(context);
        }
        _ => refused(on),
    }
}

fn buffer(on: &mut Recorder) {
    let read = CpuAccessFlags::READ;
    let desc = match on.r.below(7) {
        0 => BufferDesc::new(BYTES, BindFlags::VERTEX_BUFFER | BindFlags::INDEX_BUFFER),
        1 => BufferDesc::new(96 << 10, BindFlags::CONSTANT_BUFFER),
        2 => BufferDesc::dynamic(BYTES, BindFlags::CONSTANT_BUFFER),
        3 => BufferDesc::immutable(BYTES, BindFlags::INDEX_BUFFER),
        4 => BufferDesc::staging(BYTES, read),
        5 => BufferDesc::dynamic(80 << 10, BindFlags::VERTEX_BUFFER),
        _ => BufferDesc::new(1 << on.r.range(4..16), BindFlags::VERTEX_BUFFER),
    };
    let contents = vec![on.r.bits() as u8; desc.byte_width as usize];
    let buffer = on.common.device.create_buffer(&desc, Some(&contents)).unwrap();
    let slot = on.r.below(4);
    if on.r.one_in(2) {
        match desc.bind_flags {
            BindFlags::CONSTANT_BUFFER => on.context.ps_set_constant_buffers(slot, &buffer),
            BindFlags::INDEX_BUFFER => on.context.ia_set_index_buffer(&buffer, Format::R16_UINT, 0),
            flags if flags.contains(BindFlags::VERTEX_BUFFER) => {
                let binding = VertexBufferBinding { buffer: &buffer, stride: 16, offset: 0 };
                on.context.ia_set_vertex_buffers(slot, binding);
            }
            _ => {}
        }
    }
    on.keep(buffer);
}

fn texture(on: &mut Recorder) {
    let format = *on.r.pick(&[Format::R8G8B8A8_UNORM, Format::BC1_UNORM, Format::R16G16B16A16_FLOAT]);
    let desc = Texture2dDesc::new(format, SIDE, SIDE);
    let desc = match on.r.below(3) {
        0 => desc,
        1 => Texture2dDesc { array_size: 6, mip_levels: 1, ..desc },
        _ => Texture2dDesc { array_size: 6, misc_flags: MiscFlags::TEXTURECUBE, ..desc },
    };
    let texture = on.common.device.create_texture_2d(&desc, None).unwrap();
    let view = on.common.device.create_shader_resource_view(&texture, None).unwrap();
    if on.r.one_in(2) {
        on.context.ps_set_shader_resources(on.r.below(4), &view);
    }
    if on.r.one_in(2) {
        on.keep(texture);
    }
    on.keep(view);
}

fn depth(on: &mut Recorder) {
    let desc = Texture2dDesc {
        bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
        ..Texture2dDesc::depth_stencil(Format::R24G8_TYPELESS, SIDE, SIDE)
    };
    let texture = on.common.device.create_texture_2d(&desc, None).unwrap();
    let view = DepthStencilViewDesc::format(Format::D24_UNORM_S8_UINT);
    let view = on.common.device.create_depth_stencil_view(&texture, Some(&view)).unwrap();
    let read = ShaderResourceViewDesc::format(Format::R24_UNORM_X8_TYPELESS);
    let read = on.common.device.create_shader_resource_view(&texture, Some(&read)).unwrap();
    on.context.clear_depth_stencil_view(&view, ClearFlags::DEPTH | ClearFlags::STENCIL, 0.5, 3);
    on.keep((view, read));
}

fn target(on: &mut Recorder) {
    let texture = Texture2dDesc::render_target(Format::R16G16B16A16_FLOAT, 1 + on.r.below(40), SIDE);
    let texture = on.common.device.create_texture_2d(&texture, None).unwrap();
    let view = on.common.device.create_render_target_view(&texture, None).unwrap();
    drop(texture);
    on.context.clear_render_target_view(&view, [0.5; 4]);
    on.keep(view);
}

/// Creates states from a small set of descriptors that all threads use, so that they find each other's
/// states.
fn states(on: &mut Recorder) {
    let device = &on.common.device;
    let bias = on.r.below(4);
    let rasterizer = RasterizerDesc { depth_bias: bias as i32, ..Default::default() };
    let rasterizer = device.create_rasterizer_state(&rasterizer).unwrap();
    assert_eq!(rasterizer.desc().depth_bias, bias as i32);
    let sampler = SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Wrap);
    let sampler = device.create_sampler_state(&SamplerDesc { max_lod: bias as f32, ..sampler }).unwrap();
    let depth = DepthStencilDesc { stencil_read_mask: bias as u8, ..Default::default() };
    let depth = device.create_depth_stencil_state(&depth).unwrap();
    let blend = BlendDesc { alpha_to_coverage_enable: bias & 1 == 0, ..Default::default() };
    let blend = device.create_blend_state(&blend).unwrap();
    if on.r.one_in(2) {
        on.context.rs_set_state(&rasterizer);
        on.context.ps_set_samplers(bias, &sampler);
        on.context.om_set_depth_stencil_state(&depth, bias);
        on.context.om_set_blend_state(&blend, [1.0; 4], u32::MAX);
    }
    on.keep((rasterizer, sampler, depth, blend));
}

fn shaders(on: &mut Recorder) {
    let (vs, ps, layout) = mesh(&on.common.device);
    let again = on.common.device.create_input_layout(&mesh_elements()[..], &vs).unwrap();
    if on.r.one_in(2) {
        on.context.vs_set_shader(&vs);
        on.context.ps_set_shader(&ps);
        on.context.ia_set_input_layout(&layout);
    }
    on.keep((vs, again, ps, layout));
}

/// Tries to create objects from invalid descriptors, for which no driver object may be created or destroyed.
fn refused(on: &mut Recorder) {
    let device = &on.common.device;
    assert!(device.create_buffer(&BufferDesc::new(0, BindFlags::VERTEX_BUFFER), None).is_err());
    assert!(device.create_vertex_shader(ShaderSource::wgsl("fn", "main")).is_err());
}
