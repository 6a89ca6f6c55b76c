//! wgpu's objects behind the library's, for programs that mix both.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{Config, Target, drawing::assert_all, gpu_matrix, null_matrix, on_each};
use onze_wgpu::{
    interop,
    wgpu::{self, Color, LoadOp, StoreOp},
};

const RED: u32 = 0xff00_00ff;
const GREEN: u32 = 0xff00_ff00;

/// Draws into a view with wgpu alone: clears it, or only touches it.
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
        assert_all(&target.read(h), RED, "what the library has drawn");
        pass(&device, &queue, &view, LoadOp::Clear(Color::GREEN));
        assert_all(&target.read(h), GREEN, "what wgpu has drawn");
        h.immediate.clear_render_target_view(&target.view, [1.0, 0.0, 0.0, 1.0]);
        assert_all(&target.read(h), RED, "and the library over it");
        // What was handed out lives on.
        drop(target);
        h.immediate.flush();
        pass(&device, &queue, &view, LoadOp::Clear(Color::GREEN));
        h.assert_nothing_alive();
    });
}

#[test]
fn what_has_no_counterpart_in_wgpu_has_nothing_to_show() {
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
