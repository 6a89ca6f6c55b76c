//! Memory of the buffer heap: a device keeps only a limited amount of unused memory and releases all other
//! unused memory.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::{Statistics, prelude::*};
use onze_tests::{Config, Quad, Random, Target, on_each, watched_device};

const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// Sizes of heap pieces for buffers of up to 4096 bytes and for larger buffers. Memory is released in whole
/// pieces.
const PIECES: [u64; 2] = [256 * 1024, 1024 * 1024];

/// Number of submissions after which unused memory must have been released.
const SOON: u32 = 200;

/// A device that encodes all commands but draws nothing, and the objects for one draw.
struct Scene {
    device: Device,
    immediate: ImmediateContext,
    quad: Quad,
    target: Target,
}

impl Scene {
    fn new() -> Self {
        let driver_type = DriverType::Custom(onze_wgpu::noop_driver());
        let desc = DeviceDesc { driver_type, verify_driver: true, ..DeviceDesc::default() };
        let (_watch, device, immediate) = watched_device(&desc).unwrap();
        let (quad, target) = (Quad::new(&device), Target::new(&device, 16, 16));
        Self { device, immediate, quad, target }
    }

    fn constants(&self, size: u32) -> Buffer {
        self.device.create_buffer(&BufferDesc::new(size, BindFlags::CONSTANT_BUFFER), None).unwrap()
    }

    /// Submits frames that do not use the test's buffers.
    fn frames(&mut self, count: u32) -> Statistics {
        for _ in 0..count {
            self.target.bind(&mut self.immediate);
            self.quad.draw(&mut self.immediate, RED);
            self.immediate.flush();
        }
        self.device.statistics()
    }
}

fn piece(size: u32) -> u64 {
    PIECES[usize::from(size > 4096)]
}

#[test]
fn dropped_constant_buffers_release_their_memory() {
    let mut scene = Scene::new();
    for size in [256_u32, 4096, 65_536] {
        let count = 8 * piece(size) as u32 / size;
        let buffers: Vec<_> = (0..count).map(|_| scene.constants(size)).collect();
        // A frame uses some of the buffers, so the release of these buffers also waits for the submission.
        scene.target.bind(&mut scene.immediate);
        scene.quad.bind(&mut scene.immediate);
        for buffer in buffers.iter().step_by(7) {
            scene.immediate.update_subresource(buffer, 0, None, &vec![1_u8; size as usize], 0, 0);
            scene.immediate.vs_set_constant_buffers(0, buffer);
            scene.immediate.draw(4, 0);
        }
        scene.immediate.clear_state();
        scene.immediate.flush();
        let now = scene.device.statistics();
        assert!(now.buffer_heap_bytes >= 8 * piece(size), "{now:?}");
    }
    let then = scene.frames(SOON);
    // Besides one free large piece, only three small pieces may be left: free pieces, and the piece with the
    // quad's constants.
    assert!(then.buffer_heap_bytes <= 3 * PIECES[0] + PIECES[1], "{then:?}");
    let Scene { device, mut immediate, quad, .. } = scene;
    immediate.clear_state();
    drop(quad);
    immediate.trim();
    let trimmed = device.statistics();
    assert_eq!((trimmed.buffer_heap_bytes, trimmed.buffer_heap_free_bytes), (0, 0), "{trimmed:?}");
    device.get_device_removed_reason().unwrap();
}

/// Each live buffer may keep one piece, and a few free pieces may be kept. The unused bytes of all pieces are
/// reported as free bytes or as padding.
#[test]
fn each_live_buffer_keeps_at_most_one_heap_piece() {
    let mut scene = Scene::new();
    let mut random = Random::new(11);
    let sizes = [64_u32, 256, 1024, 16_384];
    for survivors in [0_usize, 1, 5, 20] {
        let mut buffers: Vec<_> = (0..8000).map(|n| scene.constants(sizes[n % 4])).collect();
        let most = scene.device.statistics().buffer_heap_bytes;
        random.shuffle(&mut buffers);
        buffers.truncate(survivors);
        let then = scene.frames(SOON);
        buffers.push(scene.quad.constants.clone());
        let of = |buffer: &Buffer| piece(buffer.desc().byte_width);
        let bound = buffers.iter().map(of).sum::<u64>() + 2 * PIECES[0] + PIECES[1];
        assert!(then.buffer_heap_bytes <= bound.min(most), "{survivors}: {then:?}, at most {bound}");
        let own: u64 = buffers.iter().map(|buffer| u64::from(buffer.desc().byte_width)).sum();
        let others = then.buffer_heap_free_bytes + then.buffer_heap_padding_bytes;
        assert_eq!(then.buffer_heap_bytes - others, own, "{survivors}: {then:?}");
    }
}

/// New buffers are placed in the fullest pieces, so buffers that are replaced over time move together.
#[test]
fn a_fragmented_heap_compacts_as_buffers_are_replaced() {
    let mut scene = Scene::new();
    let mut random = Random::new(5);
    let mut buffers: Vec<_> = (0..20 * 1024).map(|_| scene.constants(256)).collect();
    random.shuffle(&mut buffers);
    buffers.truncate(2 * 1024);
    let spread = scene.frames(SOON).buffer_heap_bytes;
    assert!(spread >= 18 * PIECES[0], "{spread}: the buffers must be spread over the heap");
    for _ in 0..400 {
        for _ in 0..50 {
            let at = random.below(buffers.len() as u32) as usize;
            buffers[at] = scene.constants(256);
        }
        scene.frames(1);
    }
    let together = scene.frames(SOON).buffer_heap_bytes;
    assert!(together <= 8 * PIECES[0], "{} of {} pieces", together / PIECES[0], spread / PIECES[0]);
}

#[test]
fn bytes_beyond_the_size_of_a_buffer_are_counted() {
    let scene = Scene::new();
    let own = scene.device.statistics().buffer_heap_padding_bytes;
    let padding = || scene.device.statistics().buffer_heap_padding_bytes - own;
    let small = scene.constants(64);
    assert_eq!(padding(), 192);
    let large = scene.constants(4096 + 16);
    assert_eq!(padding(), 192 + 4096 - 16);
    let exact = scene.constants(512);
    assert_eq!(padding(), 192 + 4096 - 16);
    drop((small, exact));
    assert_eq!(padding(), 4096 - 16);
    drop(large);
    assert_eq!(padding(), 0);
}

#[test]
fn a_trim_keeps_draws_and_contents() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let (quad, target) = (Quad::new(&h.device), Target::new(&h.device, 16, 16));
        let mut deferred = h.device.create_deferred_context().unwrap();
        target.bind(&mut deferred);
        quad.draw_at(&mut deferred, RED, [-1.0, -1.0, 0.0, 1.0], 0.0);
        let list = deferred.finish_command_list(false).unwrap();
        drop(deferred);
        for _ in 0..3 {
            h.immediate.clear_render_target_view(&target.view, [0.0; 4]);
            h.immediate.trim();
            h.immediate.execute_command_list(&list, false);
            h.immediate.trim();
            target.bind(&mut h.immediate);
            quad.bind(&mut h.immediate);
            quad.set(&mut h.immediate, [0.0, 1.0, 0.0, 1.0], [0.0, -1.0, 1.0, 1.0], 0.0);
            // A trim must keep the contents of the bound constant buffer.
            h.immediate.trim();
            h.immediate.draw(4, 0);
            h.immediate.trim();
            if h.draws() {
                let texels = target.read(h);
                assert_eq!((target.at(&texels, 4, 8), target.at(&texels, 12, 8)), (0xff00_00ff, 0xff00_ff00));
            }
        }
    });
}
