//! Rotation of back buffers. The back buffer, its views, its bindings and its uses in lists always refer to
//! the current memory, identified by each frame's own colour.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::sync::Arc;

use onze::{PresentStatus, prelude::*};
use onze_tests::{
    Backend, Config, Faults, HIDDEN, Harness, NoWindow, Quad, Target, assert_error, drawing::assert_all,
    gpu_matrix, windowless,
};

const SIZE: u32 = 8;

fn color(frame: u32) -> [f32; 4] {
    [(frame * 16) as f32 / 255.0, 1.0, frame as f32 / 255.0, 1.0]
}

fn texel(frame: u32) -> u32 {
    0xff00_ff00 | (frame * 16) | (frame << 16)
}

const NOTHING: u32 = 0;

/// Returns the colour of a frame, or the colour of a back buffer that was never drawn to.
fn expected(frame: Option<u32>) -> u32 {
    frame.map_or(NOTHING, texel)
}

struct Scene {
    chain: SwapChain,
    back: Texture2d,
    target: RenderTargetView,
    read: ShaderResourceView,
    quad: Quad,
    show: PixelShader,
    copy: Target,
}

const SHOW: &str = "
    @group(1) @binding(0) var image: texture_2d<f32>;

    @fragment
    fn ps_main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        return textureLoad(image, vec2<i32>(at.xy), 0);
    }
";

impl Scene {
    fn new(h: &mut Harness, buffer_count: u32) -> Self {
        let desc = SwapChainDesc {
            format: Format::R8G8B8A8_UNORM,
            buffer_usage: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
            buffer_count,
            swap_effect: SwapEffect::Sequential,
            ..SwapChainDesc::new(SIZE, SIZE)
        };
        let chain = h.immediate.create_swap_chain(Arc::new(NoWindow), &desc).unwrap();
        let back = chain.get_buffer().unwrap();
        Self {
            target: h.device.create_render_target_view(&back, None).unwrap(),
            read: h.device.create_shader_resource_view(&back, None).unwrap(),
            quad: Quad::new(&h.device),
            show: h.device.create_pixel_shader(ShaderSource::wgsl(SHOW, "ps_main")).unwrap(),
            copy: Target::new(&h.device, SIZE, SIZE),
            chain,
            back,
        }
    }

    fn bind(&self, cx: &mut DeviceContext) {
        cx.om_set_render_targets(&self.target, None);
        cx.rs_set_viewports(Viewport::sized(SIZE as f32, SIZE as f32));
        self.quad.bind(cx);
    }

    fn show(&self, cx: &mut DeviceContext) {
        self.copy.bind(cx);
        self.quad.bind(cx);
        self.quad.set(cx, [0.0; 4], Quad::ALL, 0.0);
        cx.ps_set_shader(&self.show);
        cx.ps_set_shader_resources(0, &self.read);
    }

    fn present(&mut self, h: &mut Harness) {
        assert_eq!(self.chain.present(&mut h.immediate, 0), Ok(PresentStatus::Presented));
    }

    /// Asserts that the back buffer has the colour of a frame, both when it is read and when a draw samples
    /// its view.
    fn assert_has(&self, h: &mut Harness, frame: Option<u32>, what: &str) {
        assert_all(&h.read_u32(&self.back, 0), expected(frame), what);
        h.immediate.clear_state();
        self.show(&mut h.immediate);
        h.immediate.draw(4, 0);
        assert_all(&self.copy.read(h), expected(frame), &format!("{what}, through a view"));
        h.immediate.clear_state();
    }
}

/// Runs a test with one, two and three back buffers in each configuration of the wgpu driver.
fn on_each_chain(test: impl Fn(&mut Harness, Scene, u32)) {
    for config in gpu_matrix() {
        for count in [1, 2, 3] {
            let Some(mut h) = start(config) else { return };
            let scene = Scene::new(&mut h, count);
            println!("{config}, {count} back buffers");
            test(&mut h, scene, count);
            h.finish();
        }
    }
}

fn start(config: Config) -> Option<Harness> {
    assert_eq!(config.backend, Backend::Gpu, "the null driver draws nothing");
    let driver = windowless(onze_wgpu::driver());
    Harness::start_with(config, &DeviceDesc { driver_type: DriverType::Custom(driver), ..config.desc() })
}

/// Returns the number of the frame that the back buffer contains after `frame` presents, with frames counted
/// from 1.
fn before(frame: u32, count: u32) -> Option<u32> {
    (frame + 1).checked_sub(count).filter(|frame| *frame > 0)
}

fn list(device: &Device, record: impl FnOnce(&mut DeviceContext)) -> CommandList {
    let mut deferred = device.create_deferred_context().unwrap();
    record(&mut deferred);
    deferred.finish_command_list(false).unwrap()
}

#[test]
fn a_draw_after_a_present_goes_to_the_next_memory() {
    on_each_chain(|h, mut scene, count| {
        for frame in 1..8 {
            scene.bind(&mut h.immediate);
            scene.quad.draw(&mut h.immediate, color(frame));
            scene.present(h);
            scene.assert_has(h, before(frame, count), "a frame before");
        }
    });
}

#[test]
fn a_bound_target_follows_the_rotation() {
    on_each_chain(|h, mut scene, count| {
        scene.bind(&mut h.immediate);
        for frame in 1..8 {
            // The first draw is recorded after the state was set, but for all later draws a preamble sets the
            // state.
            scene.quad.set(&mut h.immediate, color(frame), Quad::ALL, 0.0);
            h.immediate.draw(4, 0);
            scene.present(h);
            let back = scene.back.clone();
            assert_all(&h.read_u32(&back, 0), expected(before(frame, count)), "after a present");
        }
    });
}

#[test]
fn a_shader_reads_the_next_memory_through_a_bound_view() {
    on_each_chain(|h, mut scene, count| {
        for frame in 1..8 {
            h.immediate.clear_render_target_view(&scene.target, color(frame));
            // The view is bound before the present, and the draw follows the present.
            scene.show(&mut h.immediate);
            scene.present(h);
            h.immediate.draw(4, 0);
            assert_all(&scene.copy.read(h), expected(before(frame, count)), "through a view");
            h.immediate.clear_state();
        }
    });
}

#[test]
fn a_clear_before_a_present_clears_the_old_memory() {
    on_each_chain(|h, mut scene, count| {
        for frame in 1..8 {
            // The clear is deferred until the present, because nothing is drawn.
            h.immediate.clear_render_target_view(&scene.target, color(frame));
            scene.present(h);
            scene.assert_has(h, before(frame, count), "cleared a frame before");
        }
    });
}

#[test]
fn a_copy_follows_the_back_buffer_both_ways() {
    on_each_chain(|h, mut scene, count| {
        for frame in 1..8 {
            h.immediate.clear_render_target_view(&scene.copy.view, color(frame));
            h.immediate.copy_resource(&scene.back, &scene.copy.texture);
            h.immediate.clear_render_target_view(&scene.copy.view, [0.0; 4]);
            scene.present(h);
            h.immediate.copy_resource(&scene.copy.texture, &scene.back);
            assert_all(&scene.copy.read(h), expected(before(frame, count)), "copied");
            h.immediate.update_subresource(&scene.back, 0, None, &[frame as u8; 256], 4 * SIZE, 0);
            assert_all(&h.read_u32(&scene.back, 0), frame * 0x0101_0101, "updated");
            h.immediate.copy_resource(&scene.back, &scene.copy.texture);
        }
    });
}

/// A list that was recorded before the first frame is executed directly and within another list.
#[test]
fn a_list_draws_to_the_memory_at_its_execution() {
    on_each_chain(|h, mut scene, count| {
        let inner = list(&h.device, |cx| {
            scene.bind(cx);
            cx.draw(4, 0);
        });
        let outer = list(&h.device, |cx| cx.execute_command_list(&inner, false));
        let outermost = list(&h.device, |cx| {
            cx.execute_command_list(&outer, false);
            cx.execute_command_list(&outer, false);
        });
        for frame in 1..12 {
            let list = [&inner, &outer, &outermost][frame as usize % 3];
            scene.quad.set(&mut h.immediate, color(frame), Quad::ALL, 0.0);
            h.immediate.execute_command_list(list, frame % 2 == 0);
            scene.present(h);
            scene.assert_has(h, before(frame, count), "drawn by a list a frame before");
        }
    });
}

#[test]
fn a_list_clears_and_copies_the_memory_at_its_execution() {
    on_each_chain(|h, mut scene, count| {
        let inner = list(&h.device, |cx| {
            cx.copy_resource(&scene.copy.texture, &scene.back);
            cx.clear_render_target_view(&scene.target, color(15));
        });
        let outer = list(&h.device, |cx| cx.execute_command_list(&inner, false));
        let back = list(&h.device, |cx| cx.copy_resource(&scene.back, &scene.copy.texture));
        for frame in 1..10 {
            h.immediate.clear_render_target_view(&scene.target, color(frame));
            scene.present(h);
            let list = if frame % 2 == 0 { &inner } else { &outer };
            h.immediate.execute_command_list(list, false);
            assert_all(&scene.copy.read(h), expected(before(frame, count)), "copied by a list");
            assert_all(&h.read_u32(&scene.back, 0), texel(15), "cleared by a list");
            h.immediate.execute_command_list(&back, false);
            scene.assert_has(h, before(frame, count), "copied back by a list");
        }
    });
}

/// From the third execution on, the list's draws come from render bundles.
#[test]
fn bundles_of_a_list_read_the_memory_at_its_execution() {
    on_each_chain(|h, mut scene, count| {
        let list = list(&h.device, |cx| {
            scene.show(cx);
            (0..64).for_each(|_| cx.draw(4, 0));
        });
        let show = |h: &mut Harness, scene: &Scene, frame, what: &str| {
            h.immediate.clear_render_target_view(&scene.copy.view, [0.5; 4]);
            h.immediate.execute_command_list(&list, false);
            assert_all(&scene.copy.read(h), expected(frame), what);
        };
        for frame in 1..6 {
            h.immediate.clear_render_target_view(&scene.target, color(frame));
            scene.present(h);
            for _ in 0..4 {
                show(h, &scene, before(frame, count), "the same memory again");
            }
        }
        for frame in 6..12 {
            h.immediate.clear_render_target_view(&scene.target, color(frame));
            scene.present(h);
            show(h, &scene, before(frame, count), "another memory each time");
        }
    });
}

#[test]
fn bundles_of_a_list_draw_to_the_memory_at_its_execution() {
    on_each_chain(|h, mut scene, count| {
        let list = list(&h.device, |cx| {
            scene.bind(cx);
            (0..64).for_each(|_| cx.draw(4, 0));
        });
        for frame in 1..12 {
            scene.quad.set(&mut h.immediate, color(frame), Quad::ALL, 0.0);
            h.immediate.execute_command_list(&list, false);
            scene.present(h);
            let back = scene.back.clone();
            assert_all(&h.read_u32(&back, 0), expected(before(frame, count)), "a frame before");
        }
    });
}

#[test]
fn a_view_created_later_follows_the_rotation() {
    on_each_chain(|h, mut scene, count| {
        for frame in 1..6 {
            let target = h.device.create_render_target_view(&scene.back, None).unwrap();
            h.immediate.clear_render_target_view(&target, color(frame));
            scene.present(h);
            let read = h.device.create_shader_resource_view(&scene.back, None).unwrap();
            scene.read = read;
            scene.assert_has(h, before(frame, count), "through new views");
        }
    });
}

#[test]
fn a_resized_swap_chain_rotates_its_new_back_buffers() {
    on_each_chain(|h, mut scene, count| {
        for size in [SIZE, 2 * SIZE, SIZE] {
            let Scene { mut chain, back, target, read, quad, show, copy } = scene;
            drop((back, target, read));
            h.immediate.clear_state();
            chain.resize_buffers(&mut h.immediate, size, size).unwrap();
            let back = chain.get_buffer().unwrap();
            let target = h.device.create_render_target_view(&back, None).unwrap();
            let read = h.device.create_shader_resource_view(&back, None).unwrap();
            scene = Scene { chain, back, target, read, quad, show, copy };
            for frame in 1..6 {
                h.immediate.clear_render_target_view(&scene.target, color(frame));
                scene.present(h);
                let texels = h.read_u32(&scene.back, 0);
                assert_eq!(texels.len() as u32, size * size);
                assert_all(&texels, expected(before(frame, count)), "after a resize");
            }
        }
    });
}

#[test]
fn an_occluded_present_rotates_nothing() {
    on_each_chain(|h, mut scene, count| {
        for frame in 1..6 {
            h.immediate.clear_render_target_view(&scene.target, color(frame));
            assert_eq!(scene.chain.present(&mut h.immediate, HIDDEN), Ok(PresentStatus::Occluded));
            scene.assert_has(h, Some(frame), "still the same memory");
            scene.present(h);
            scene.assert_has(h, before(frame, count), "the next one");
        }
    });
}

#[test]
fn a_back_buffer_keeps_its_contents_without_its_swap_chain() {
    on_each_chain(|h, mut scene, _| {
        scene.present(h);
        h.immediate.clear_render_target_view(&scene.target, color(3));
        let Scene { chain, back, target, .. } = scene;
        drop(chain);
        h.immediate.flush();
        assert_all(&h.read_u32(&back, 0), texel(3), "drawn before the swap chain is dropped");
        h.immediate.clear_render_target_view(&target, color(4));
        assert_all(&h.read_u32(&back, 0), texel(4), "drawn after it");
    });
}

#[test]
fn a_swap_chain_has_all_its_back_buffers_or_none() {
    for (config, driver) in [(Config::NULL, onze_null::driver()), (Config::GPU, onze_wgpu::driver())] {
        let faults = Faults::default();
        let driver_type = DriverType::Custom(faults.driver(windowless(driver)));
        let desc = DeviceDesc { driver_type, ..config.desc() };
        let Some(mut h) = Harness::start_with(config, &desc) else { continue };
        let swap_effect = SwapEffect::FlipSequential;
        let desc = SwapChainDesc { buffer_count: 3, swap_effect, ..SwapChainDesc::new(SIZE, SIZE) };
        for before in 0..3 {
            faults.fail_after(before);
            let refused = h.immediate.create_swap_chain(Arc::new(NoWindow), &desc);
            assert_error!(refused, OutOfMemory, "after {before} back buffers");
            h.assert_nothing_alive();
        }
        let mut chain = h.immediate.create_swap_chain(Arc::new(NoWindow), &desc).unwrap();
        faults.fail_after(1);
        assert_error!(chain.resize_buffers(&mut h.immediate, 2 * SIZE, SIZE), OutOfMemory, "{config}");
        assert_error!(chain.get_buffer(), InvalidCall, "{config}");
        chain.resize_buffers(&mut h.immediate, SIZE, SIZE).unwrap();
        assert_eq!(chain.present(&mut h.immediate, 0), Ok(PresentStatus::Presented));
        h.take_errors();
        drop(chain);
        h.finish();
    }
}
