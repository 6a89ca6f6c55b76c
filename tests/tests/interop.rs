//! Access to the wgpu objects of the library's objects, for programs that use both APIs.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{Config, Harness, Target, drawing::assert_all, gpu_matrix, null_matrix, on_each};
use onze_wgpu::{
    interop,
    wgpu::{self, Color, LoadOp, StoreOp},
};

const RED: u32 = 0xff00_00ff;
const GREEN: u32 = 0xff00_ff00;

/// Records and submits, with wgpu alone, a pass that either clears a view or loads it and changes nothing.
fn pass(device: &wgpu::Device, queue: &wgpu::Queue, view: &wgpu::TextureView, load: LoadOp<Color>) {
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let attachment = wgpu::RenderPassColorAttachment {
        view,
        depth_slice: None,
        resolve_target: None,
        ops: wgpu::Operations { load, store: StoreOp::Store },
    };
    drop(encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(attachment)],
        ..Default::default()
    }));
    queue.submit([encoder.finish()]);
}

#[test]
fn wgpu_and_the_library_draw_into_one_texture() {
    on_each(&gpu_matrix(), |h| {
        let target = Target::new(&h.device, 8, 8);
        let (device, queue) = interop::device_and_queue(&h.device.driver_object()).unwrap();
        let texture = interop::texture(&target.texture.driver_object()).unwrap();
        let view = interop::texture_view(&target.view.driver_object()).unwrap();
        assert_eq!((texture.size().width, texture.format()), (8, wgpu::TextureFormat::Rgba8Unorm));
        h.immediate.clear_render_target_view(&target.view, [1.0, 0.0, 0.0, 1.0]);
        h.immediate.flush();
        pass(&device, &queue, &view, LoadOp::Load);
        assert_all(&target.read(h), RED, "the library's clear");
        pass(&device, &queue, &view, LoadOp::Clear(Color::GREEN));
        assert_all(&target.read(h), GREEN, "wgpu's clear");
        h.immediate.clear_render_target_view(&target.view, [1.0, 0.0, 0.0, 1.0]);
        assert_all(&target.read(h), RED, "and the library over it");
        // The returned wgpu objects stay valid after the library's objects were dropped.
        drop(target);
        h.immediate.flush();
        pass(&device, &queue, &view, LoadOp::Clear(Color::GREEN));
        h.assert_nothing_alive();
    });
}

#[test]
fn features_of_the_adapter_are_those_of_wgpu() {
    use onze::Features as F;
    use wgpu::Features as W;
    on_each(&[Config::GPU], |h| {
        let (device, _) = interop::device_and_queue(&h.device.driver_object()).unwrap();
        for (feature, of_wgpu) in [
            (F::DEPTH_CLIP_DISABLE, W::DEPTH_CLIP_CONTROL),
            (F::WIREFRAME, W::POLYGON_MODE_LINE),
            (F::CONSERVATIVE_RASTERIZATION, W::CONSERVATIVE_RASTERIZATION),
            (F::DUAL_SOURCE_BLEND, W::DUAL_SOURCE_BLENDING),
            (F::FLOAT32_FILTER, W::FLOAT32_FILTERABLE),
            (F::BC_TEXTURES, W::TEXTURE_COMPRESSION_BC),
            (F::EARLY_DEPTH_STENCIL, W::SHADER_EARLY_DEPTH_TEST),
            (F::CLIP_DISTANCES, W::CLIP_DISTANCES),
            (F::PRIMITIVE_ID, W::PRIMITIVE_INDEX),
            (F::TIMESTAMPS, W::TIMESTAMP_QUERY),
            (F::PIPELINE_STATISTICS, W::PIPELINE_STATISTICS_QUERY),
        ] {
            assert_eq!(h.has_feature(feature), device.features().contains(of_wgpu), "{feature:?}");
        }
    });
}

#[test]
fn objects_without_a_wgpu_counterpart_return_none() {
    on_each(&[&gpu_matrix()[..1], &null_matrix()[..1]].concat(), |h| {
        let buffer = h.device.create_buffer(&BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None).unwrap();
        let query = h.device.create_query(QueryType::Event).unwrap();
        for object in [buffer.driver_object(), query.driver_object(), h.device.driver_object()] {
            assert!(interop::texture(&object).is_none() && interop::texture_view(&object).is_none());
        }
        assert_eq!(interop::device_and_queue(&h.device.driver_object()).is_some(), h.draws());
    });
    on_each(&[Config::NULL], |h| {
        let target = Target::new(&h.device, 8, 8);
        assert!(interop::texture(&target.texture.driver_object()).is_none());
        assert!(interop::texture_view(&target.view.driver_object()).is_none());
    });
}

#[test]
fn a_device_destroyed_through_wgpu_is_removed() {
    // A call that is made after the device was lost and that may detect the loss.
    type Ask = fn(&mut Harness, &Target);
    let asks: [Ask; 5] = [
        |_, _| (),
        |h, _| drop(h.device.create_buffer(&BufferDesc::new(1 << 20, BindFlags::VERTEX_BUFFER), None)),
        |h, _| drop(h.device.create_render_target(Format::R8G8B8A8_UNORM, 4, 4)),
        |h, target| {
            let color = h.device.create_constant_buffer(&[1.0_f32; 4]);
            let vs = "@vertex fn main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
                return vec4f(vec2f(f32(i & 1u), f32(i >> 1u)), 0.0, 1.0);
            }";
            let ps = "@group(0) @binding(0) var<uniform> color: vec4f;
                @fragment fn main() -> @location(0) vec4f { return color; }";
            let vs = h.device.create_vertex_shader(ShaderSource::wgsl(vs, "main"));
            let ps = h.device.create_pixel_shader(ShaderSource::wgsl(ps, "main"));
            let (Ok(color), Ok(vs), Ok(ps)) = (color, vs, ps) else { return };
            h.immediate.om_set_render_targets(&target.view, None);
            h.immediate.rs_set_viewports(Viewport::sized(8.0, 8.0));
            h.immediate.vs_set_shader(&vs);
            h.immediate.ps_set_shader(&ps);
            h.immediate.ps_set_constant_buffers(0, &color);
            h.immediate.draw(3, 0);
        },
        |h, _| {
            let cs = "@compute @workgroup_size(1) fn main() {}";
            let Ok(cs) = h.device.create_compute_shader(ShaderSource::wgsl(cs, "main")) else { return };
            h.immediate.cs_set_shader(&cs);
            h.immediate.dispatch(1, 1, 1);
        },
    ];
    for (ask, config) in asks.iter().flat_map(|ask| gpu_matrix().into_iter().map(move |config| (ask, config)))
    {
        let Some(mut h) = Harness::start(config) else { return };
        h.watch.allow(&[MessageId::DeviceRemoved, MessageId::CreateShaderInvalid, MessageId::MapInvalid]);
        let target = Target::new(&h.device, 8, 8);
        h.immediate.clear_render_target_view(&target.view, [1.0, 0.0, 0.0, 1.0]);
        let (device, _) = interop::device_and_queue(&h.device.driver_object()).unwrap();
        device.destroy();
        ask(&mut h, &target);
        // A call that waits for the GPU always detects the loss.
        let read = h.immediate.read_texture_2d(&target.texture, 0).unwrap_err();
        assert!(matches!(read, onze::Error::DeviceRemoved(_)), "{config}: {read}");
        let reason = h.device.get_device_removed_reason().unwrap_err().to_string();
        assert!(reason.contains("its wgpu device was destroyed"), "{config}: {reason}");
        assert_eq!(h.device.info_queue().count(MessageId::DriverBug), 0, "{config}: {:?}", h.take_errors());
    }
}
