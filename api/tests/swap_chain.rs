//! Swap chains with one and with several back buffers, on the null driver.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue panics")]

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, atomic::Ordering},
};

use onze::{
    PresentFlags,
    ddi::{
        PresentStatus,
        raw_window_handle::{
            DisplayHandle, HandleError, HasDisplayHandle, HasWindowHandle, WindowHandle as Raw,
        },
        verifier::{Breach, verify_with},
    },
    prelude::*,
};
use onze_null::NullDriver;

#[allow(dead_code, reason = "shared with other tests")]
mod spy;
use spy::Spy;

/// A window that does not exist, because the null driver never uses it.
struct NoWindow;

impl HasWindowHandle for NoWindow {
    fn window_handle(&self) -> Result<Raw<'_>, HandleError> {
        Err(HandleError::Unavailable)
    }
}

impl HasDisplayHandle for NoWindow {
    fn display_handle(&self) -> Result<DisplayHandle<'_>, HandleError> {
        Err(HandleError::Unavailable)
    }
}

/// A device on the null driver, where a spy records the runtime's calls and the verifier checks the runtime
/// and the driver.
struct Watched {
    spy: Arc<Spy>,
    breaches: Arc<Mutex<Vec<String>>>,
    device: Device,
    immediate: ImmediateContext,
}

impl Watched {
    fn new() -> Self {
        let (spy, breaches) = (Arc::new(Spy::default()), Arc::new(Mutex::new(Vec::new())));
        let heard = breaches.clone();
        let sink = Arc::new(move |breach: &Breach| heard.lock().unwrap().push(breach.to_string()));
        let driver = verify_with(spy.driver(NullDriver::default()), sink);
        let desc =
            DeviceDesc { driver_type: DriverType::Custom(driver), debug: true, ..DeviceDesc::default() };
        let (device, immediate) = create_device(&desc).unwrap();
        Self { spy, breaches, device, immediate }
    }

    /// Creates a swap chain that keeps the contents of its back buffers.
    fn chain(&mut self, buffer_count: u32) -> Result<SwapChain, onze::Error> {
        let swap_effect = SwapEffect::Sequential;
        let desc = SwapChainDesc { buffer_count, swap_effect, ..SwapChainDesc::new(4, 1) };
        self.immediate.create_swap_chain(Arc::new(NoWindow), &desc)
    }

    fn fill(&mut self, texture: &Texture2d, value: u8) {
        self.immediate.update_subresource(texture, 0, None, &[value; 16], 16, 0);
    }

    fn read(&mut self, texture: &Texture2d) -> u8 {
        let bytes = self.immediate.read_texture_2d(texture, 0).unwrap();
        assert!(bytes.iter().all(|byte| *byte == bytes[0]), "{bytes:?}");
        bytes[0]
    }

    /// Drops the device, and checks that neither the runtime nor the driver has broken a rule.
    fn finish(self) {
        let Self { spy: _spy, breaches, device, mut immediate } = self;
        immediate.flush();
        let left = device.statistics();
        assert_eq!((left.live_objects, left.allocations), (0, 0));
        drop((device, immediate));
        assert_eq!(*breaches.lock().unwrap(), Vec::<String>::new());
    }
}

#[test]
fn the_window_of_the_descriptor_reaches_the_driver() {
    let spy = Arc::new(Spy::default());
    let driver_type = DriverType::Custom(spy.driver(NullDriver::default()));
    let window: WindowHandle = Arc::new(NoWindow);
    let desc = DeviceDesc { driver_type, window: Some(window), ..DeviceDesc::default() };
    drop(create_device(&desc).unwrap());
    assert!(spy.args.lock().unwrap()[0].window.is_some());
}

#[test]
fn a_swap_chain_has_1_to_16_back_buffers() {
    let mut w = Watched::new();
    for count in [1, 2, 3, 16] {
        let chain = w.chain(count).unwrap();
        assert_eq!(chain.desc().buffer_count, count);
        assert_eq!(w.device.statistics().allocations, u64::from(count));
        drop(chain);
        w.immediate.flush();
    }
    for count in [0, 17, u32::MAX] {
        let refused = w.chain(count).map(drop);
        let Err(onze::Error::InvalidArg(words)) = refused else { panic!("{count}: {refused:?}") };
        assert!(words.contains("1 to 16") && words.contains(&count.to_string()), "{words}");
        assert_eq!(w.device.statistics().allocations, 0, "nothing was made");
    }
    assert_eq!(w.device.info_queue().count(MessageId::CreateSwapChainInvalid), 3);
    w.finish();
}

/// After a present, the back buffer has the image that was presented `count - 1` presents earlier. Its
/// initial contents are zero.
#[test]
fn presents_rotate_the_back_buffers_in_order() {
    for count in [1, 2, 3, 16] {
        let mut w = Watched::new();
        let mut chain = w.chain(count).unwrap();
        let back = chain.get_buffer().unwrap();
        for frame in 1..=40u8 {
            w.fill(&back, frame);
            assert_eq!(chain.present(&mut w.immediate, 0), Ok(PresentStatus::Presented));
            let expected = frame.saturating_sub(count as u8 - 1);
            assert_eq!(w.read(&back), expected, "{count} back buffers, after present {frame}");
            assert_eq!(chain.get_buffer().unwrap(), back, "it is the same texture");
        }
        let rotations = w.spy.take_of("rotate_resource_identities").len();
        assert_eq!(rotations, if count == 1 { 0 } else { 40 });
        drop((chain, back));
        w.finish();
    }
}

#[test]
fn a_list_means_the_back_buffer_at_its_execution() {
    let mut w = Watched::new();
    let mut chain = w.chain(2).unwrap();
    let back = chain.get_buffer().unwrap();
    let staging = Texture2dDesc::staging(back.desc().format, 4, 1, CpuAccessFlags::READ);
    let staging = w.device.create_texture_2d(&staging, None).unwrap();
    let mut deferred = w.device.create_deferred_context().unwrap();
    deferred.copy_resource(&staging, &back);
    let inner = deferred.finish_command_list(false).unwrap();
    deferred.execute_command_list(&inner, false);
    let outer = deferred.finish_command_list(false).unwrap();
    drop(deferred);
    for frame in 1..6 {
        w.fill(&back, frame);
        chain.present(&mut w.immediate, 0).unwrap();
        for list in [&inner, &outer] {
            w.immediate.execute_command_list(list, false);
            let mapped = w.immediate.map(&staging, 0, MapType::Read).unwrap();
            assert_eq!(mapped[0], frame - 1);
        }
    }
    drop((chain, back, staging, inner, outer));
    w.finish();
}

#[test]
fn a_resize_gives_all_back_buffers_back() {
    let mut w = Watched::new();
    let mut chain = w.chain(3).unwrap();
    let back = chain.get_buffer().unwrap();
    chain.present(&mut w.immediate, 0).unwrap();
    let refused = chain.resize_buffers(&mut w.immediate, 8, 1);
    assert!(matches!(refused, Err(onze::Error::InvalidCall(_))), "{refused:?}");
    assert_eq!(chain.get_buffer().unwrap(), back, "all goes on with the old ones");
    chain.present(&mut w.immediate, 0).unwrap();
    drop(back);
    let before = w.device.statistics().allocations;
    w.spy.take();
    chain.resize_buffers(&mut w.immediate, 8, 1).unwrap();
    let calls = w.spy.take();
    let at = |entry| calls.iter().enumerate().filter(move |(_, c)| c.entry == entry).map(|(at, _)| at);
    let (destroyed, created) = (at("destroy_primary"), at("create_primary"));
    assert_eq!((destroyed.clone().count(), created.clone().count()), (3, 3));
    assert!(destroyed.max() < created.min(), "the old ones go first");
    assert_eq!(w.device.statistics().allocations, before);
    assert_eq!(chain.get_buffer().unwrap().desc().width, 8);
    assert_eq!(chain.present(&mut w.immediate, 0), Ok(PresentStatus::Presented));
    drop(chain);
    w.finish();
}

#[test]
fn a_back_buffer_keeps_its_contents_without_its_swap_chain() {
    let mut w = Watched::new();
    let mut chain = w.chain(2).unwrap();
    let back = chain.get_buffer().unwrap();
    w.fill(&back, 7);
    chain.present(&mut w.immediate, 0).unwrap();
    w.fill(&back, 8);
    drop(chain);
    w.immediate.flush();
    assert_eq!(w.read(&back), 8);
    drop(back);
    w.finish();
}

#[test]
fn primaries_live_and_die_on_the_immediate_context_s_thread() {
    let Watched { spy, breaches, device, mut immediate } = Watched::new();
    let desc = SwapChainDesc::new(4, 4);
    let mut chain = immediate.create_swap_chain(Arc::new(NoWindow), &desc).unwrap();
    let back = chain.get_buffer().unwrap();
    // The last reference to the back buffer is dropped on another thread.
    std::thread::scope(|scope| {
        scope.spawn(move || drop(back));
    });
    let before = device.statistics().allocations;
    chain.resize_buffers(&mut immediate, 8, 8).unwrap();
    assert_eq!(device.statistics().allocations, before, "the old one's memory is back before the new one's");
    chain.present(&mut immediate, 0).unwrap();
    chain.present(&mut immediate, 1).unwrap();
    assert_eq!(device.statistics().presents, 2);
    std::thread::scope(|scope| {
        scope.spawn(move || drop(chain));
    });
    immediate.flush();
    let primaries = ["create_primary", "destroy_primary", "create_swap_chain", "destroy_swap_chain"];
    let calls: Vec<_> = spy.take().into_iter().filter(|call| primaries.contains(&call.entry)).collect();
    let mut counts: HashMap<_, usize> = HashMap::new();
    calls.iter().for_each(|call| *counts.entry(call.entry).or_default() += 1);
    assert_eq!(primaries.map(|entry| counts[entry]), [2, 2, 1, 1]);
    assert!(calls.iter().all(|call| call.thread == std::thread::current().id()));
    assert_eq!(device.statistics().allocations, 0);
    assert_eq!(*breaches.lock().unwrap(), Vec::<String>::new());
}

/// The error of a resize names all objects that refer to the back buffer, and no other objects.
#[test]
fn a_resize_says_who_holds_the_old_back_buffer() {
    let mut w = Watched::new();
    let desc = SwapChainDesc { label: Some("screen".into()), ..SwapChainDesc::new(4, 4) };
    let mut chain = w.immediate.create_swap_chain(Arc::new(NoWindow), &desc).unwrap();
    let mut deferred = w.device.create_deferred_context().unwrap();
    let back = chain.get_buffer().unwrap();
    let target = w.device.create_render_target_view(&back, None).unwrap();
    deferred.clear_render_target_view(&target, [1.0; 4]);
    let inner = deferred.finish_command_list(false).unwrap();
    deferred.execute_command_list(&inner, false);
    let outer = deferred.finish_command_list(false).unwrap();
    deferred.clear_render_target_view(&target, [1.0; 4]);
    w.immediate.om_set_render_targets(&target, None);
    drop(inner);
    let (texture, view) =
        ("the application has texture \"screen\"", "the application has the render-target view of texture");
    let used = "a deferred context or a command list uses the render-target view of texture \"screen\"";
    let refused = |chain: &mut SwapChain, immediate: &mut ImmediateContext, holders: &[&str]| {
        let resized = chain.resize_buffers(immediate, 8, 8);
        let Err(onze::Error::InvalidCall(words)) = resized else { panic!("{holders:?}: {resized:?}") };
        for holder in [texture, view, used] {
            assert_eq!(words.contains(holder), holders.contains(&holder), "{holders:?}: {words}");
        }
        // The old back buffer remains usable after the failed resize.
        assert_eq!(chain.get_buffer().unwrap().desc().width, 4);
        immediate.clear_render_target_view(chain.render_target_view().unwrap(), [1.0; 4]);
        chain.present(immediate, 0).unwrap();
    };
    refused(&mut chain, &mut w.immediate, &[texture, view, used]);
    drop(back);
    refused(&mut chain, &mut w.immediate, &[view, used]);
    drop(target);
    refused(&mut chain, &mut w.immediate, &[used]);
    w.immediate.execute_command_list(&outer, true);
    drop(outer);
    refused(&mut chain, &mut w.immediate, &[used]);
    drop(deferred);
    let clone = chain.render_target_view().unwrap().clone();
    refused(&mut chain, &mut w.immediate, &[view]);
    assert_eq!(w.device.info_queue().count(MessageId::ResizeBuffersInvalid), 5);
    w.immediate.om_set_render_targets(&clone, None);
    drop(clone);
    chain.resize_buffers(&mut w.immediate, 8, 8).unwrap();
    assert_eq!(chain.get_buffer().unwrap().desc().width, 8);
    drop(chain);
    w.finish();
}

/// A typical frame loop: bind, present, and resize with the window.
#[test]
fn a_bound_back_buffer_does_not_stop_a_resize() {
    for swap_effect in
        [SwapEffect::Discard, SwapEffect::Sequential, SwapEffect::FlipSequential, SwapEffect::FlipDiscard]
    {
        let mut w = Watched::new();
        let buffer_usage = BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE;
        let desc = SwapChainDesc { swap_effect, buffer_usage, ..SwapChainDesc::new(4, 4) };
        let mut chain = w.immediate.create_swap_chain(Arc::new(NoWindow), &desc).unwrap();
        for size in 5..8 {
            w.immediate.om_set_render_targets(chain.render_target_view().unwrap(), None);
            chain.present(&mut w.immediate, 1).unwrap();
            let read = w.device.create_shader_resource_view(&chain.get_buffer().unwrap(), None).unwrap();
            w.immediate.om_set_render_targets(None, None);
            w.immediate.ps_set_shader_resources(3, &read);
            drop(read);
            chain.resize_buffers(&mut w.immediate, size, size).unwrap();
            assert_eq!(w.immediate.ps_get_shader_resources(3, 1), [None]);
            assert_eq!(chain.render_target_view().unwrap().device(), w.device);
            assert_eq!((chain.desc().width, chain.get_buffer().unwrap().desc().width), (size, size));
        }
        assert!(w.device.info_queue().is_empty(), "{swap_effect:?}");
        drop(chain);
        w.finish();
    }
}

#[test]
fn a_present_of_the_flip_model_unbinds_the_back_buffer() {
    for (swap_effect, stays) in [
        (SwapEffect::Discard, true),
        (SwapEffect::Sequential, true),
        (SwapEffect::FlipSequential, false),
        (SwapEffect::FlipDiscard, false),
    ] {
        let mut w = Watched::new();
        let desc = SwapChainDesc { swap_effect, ..SwapChainDesc::new(4, 4) };
        let mut chain = w.immediate.create_swap_chain(Arc::new(NoWindow), &desc).unwrap();
        let texture = |desc: Texture2dDesc| w.device.create_texture_2d(&desc, None).unwrap();
        let other = texture(Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4));
        let other_view = w.device.create_render_target_view(&other, None).unwrap();
        let depth = texture(Texture2dDesc::depth_stencil(Format::D32_FLOAT, 4, 4));
        let depth_view = w.device.create_depth_stencil_view(&depth, None).unwrap();
        drop((other, depth));
        let target = chain.render_target_view().unwrap().clone();
        w.immediate.om_set_render_targets([&other_view, &target], &depth_view);
        chain.present(&mut w.immediate, 1).unwrap();
        let (color, bound_depth) = w.immediate.om_get_render_targets();
        assert_eq!(color[0].as_ref(), Some(&other_view), "{swap_effect:?}");
        assert_eq!(color[1].as_ref(), Some(&target).filter(|_| stays), "{swap_effect:?}");
        assert_eq!(bound_depth.as_ref(), Some(&depth_view), "{swap_effect:?}");
        drop((chain, target, other_view, depth_view, color, bound_depth));
        w.immediate.clear_state();
        w.finish();
    }
}

#[test]
fn the_default_is_the_windows_own_format() {
    let mut w = Watched::new();
    let chain = w.immediate.create_swap_chain(Arc::new(NoWindow), &SwapChainDesc::new(4, 4)).unwrap();
    assert_eq!(chain.desc().format, Format::B8G8R8A8_UNORM_SRGB, "the null driver's");
    assert_eq!(chain.get_buffer().unwrap().desc().format, Format::B8G8R8A8_UNORM_SRGB);
    assert_eq!(chain.get_buffer().unwrap().desc().bind_flags, BindFlags::RENDER_TARGET);
    let args = w.spy.swap_chain_args.lock().unwrap()[0].clone();
    assert_eq!((args.format, args.buffer_count), (Format::UNKNOWN, 1), "nothing is kept, so one is enough");
    drop(chain);
    w.finish();
}

#[test]
fn an_unusable_swap_chain_is_refused_with_advice() {
    let mut w = Watched::new();
    let good = SwapChainDesc::new(4, 4);
    for (desc, words) in [
        (SwapChainDesc { buffer_count: 1, ..good.clone() }, "2 to 16"),
        (SwapChainDesc { buffer_usage: BindFlags::SHADER_RESOURCE, ..good.clone() }, "RENDER_TARGET"),
        (
            SwapChainDesc {
                buffer_usage: BindFlags::RENDER_TARGET | BindFlags::UNORDERED_ACCESS,
                ..good.clone()
            },
            "SHADER_RESOURCE",
        ),
        (SwapChainDesc { maximum_frame_latency: 0, ..good.clone() }, "1 to 16"),
        (SwapChainDesc { maximum_frame_latency: 17, ..good.clone() }, "1 to 16"),
        (SwapChainDesc { format: Format::D32_FLOAT, ..good.clone() }, "Format::UNKNOWN"),
        (SwapChainDesc { width: 0, ..good.clone() }, "at least 1"),
    ] {
        let refused = w.immediate.create_swap_chain(Arc::new(NoWindow), &desc).map(drop);
        let Err(onze::Error::InvalidArg(text)) = refused else { panic!("{desc:?}: {refused:?}") };
        assert!(text.contains(words), "{text}");
    }
    w.finish();
}

#[test]
fn a_present_that_may_not_wait_says_so() {
    let mut w = Watched::new();
    let desc = SwapChainDesc { maximum_frame_latency: 3, ..SwapChainDesc::new(4, 4) };
    let mut chain = w.immediate.create_swap_chain(Arc::new(NoWindow), &desc).unwrap();
    w.spy.gpu_is_busy.store(true, Ordering::Relaxed);
    for _ in 0..3 {
        assert_eq!(chain.try_present_now(&mut w.immediate, 0), Ok(PresentStatus::Presented));
    }
    for _ in 0..2 {
        assert_eq!(chain.try_present_now(&mut w.immediate, 0), Err(onze::Error::WasStillDrawing));
    }
    assert_eq!(w.device.statistics().presents, 3);
    assert!(w.device.info_queue().is_empty(), "that is no mistake");
    assert_eq!(chain.present(&mut w.immediate, 0), Ok(PresentStatus::Presented), "this one waits");
    w.spy.gpu_is_busy.store(false, Ordering::Relaxed);
    w.immediate.clear_render_target_view(chain.render_target_view().unwrap(), [0.0; 4]);
    assert_eq!(chain.try_present_now(&mut w.immediate, 0), Ok(PresentStatus::Presented));
    drop(chain);
    w.finish();
}

#[test]
fn a_window_has_colour_spaces_by_format() {
    let mut w = Watched::new();
    let format = Format::R16G16B16A16_FLOAT;
    let desc = SwapChainDesc { format, alpha_mode: AlphaMode::Premultiplied, ..SwapChainDesc::new(4, 4) };
    let mut chain = w.immediate.create_swap_chain(Arc::new(NoWindow), &desc).unwrap();
    assert_eq!(w.spy.swap_chain_args.lock().unwrap()[0].alpha_mode, AlphaMode::Premultiplied);
    let (linear, srgb) = (ColorSpace::RgbFullG10NoneP709, ColorSpace::RgbFullG22NoneP709);
    assert!(chain.check_color_space_support(linear) && !chain.check_color_space_support(srgb));
    assert_eq!(chain.color_space(), linear);
    assert_eq!(chain.set_color_space1(&mut w.immediate, linear), Ok(()));
    let Err(onze::Error::InvalidArg(text)) = chain.set_color_space1(&mut w.immediate, srgb) else {
        panic!("a colour space that the window does not have");
    };
    assert!(text.contains("only in ColorSpace::RgbFullG10NoneP709;"), "{text}");
    w.device.info_queue().take();
    let desc = SwapChainDesc { format: Format::UNKNOWN, ..desc };
    chain.resize_buffers_with(&mut w.immediate, &desc).unwrap();
    assert_eq!(chain.color_space(), srgb);
    assert!(chain.check_color_space_support(srgb) && !chain.check_color_space_support(linear));
    drop(chain);
    w.finish();
}

#[test]
fn the_frames_that_may_wait_change_while_it_runs() {
    let mut w = Watched::new();
    let mut chain = w.immediate.create_swap_chain(Arc::new(NoWindow), &SwapChainDesc::new(4, 4)).unwrap();
    for frames in [0, 17, u32::MAX] {
        let refused = chain.set_maximum_frame_latency(&mut w.immediate, frames);
        assert!(matches!(refused, Err(onze::Error::InvalidArg(_))), "{frames}");
    }
    w.device.info_queue().take();
    assert_eq!(chain.maximum_frame_latency(), 2);
    w.spy.gpu_is_busy.store(true, Ordering::Relaxed);
    chain.set_maximum_frame_latency(&mut w.immediate, 1).unwrap();
    assert_eq!(chain.try_present_now(&mut w.immediate, 0), Ok(PresentStatus::Presented));
    let flags = PresentFlags::DO_NOT_WAIT;
    let still = Err(onze::Error::WasStillDrawing);
    assert_eq!(chain.present_with_flags(&mut w.immediate, 0, flags), still);
    chain.set_maximum_frame_latency(&mut w.immediate, 2).unwrap();
    assert_eq!(chain.present_with_flags(&mut w.immediate, 0, flags), Ok(PresentStatus::Presented));
    assert_eq!((chain.desc().maximum_frame_latency, chain.last_present_count()), (2, 2));
    w.spy.gpu_is_busy.store(false, Ordering::Relaxed);
    w.immediate.clear_render_target_view(chain.render_target_view().unwrap(), [0.0; 4]);
    drop(chain);
    w.finish();
}

#[test]
fn a_test_shows_nothing() {
    let mut w = Watched::new();
    let mut chain = w.immediate.create_swap_chain(Arc::new(NoWindow), &SwapChainDesc::new(4, 4)).unwrap();
    let test = PresentFlags::TEST;
    assert_eq!(chain.present_with_flags(&mut w.immediate, 1, test), Ok(PresentStatus::Presented));
    assert_eq!((chain.last_present_count(), w.device.statistics().presents), (0, 0));
    assert_eq!(
        chain.present_with_flags(&mut w.immediate, 1, PresentFlags::empty()),
        Ok(PresentStatus::Presented)
    );
    assert_eq!((chain.last_present_count(), w.device.statistics().presents), (1, 1));
    let unknown = chain.present_with_flags(&mut w.immediate, 1, PresentFlags::from_bits_retain(2));
    assert!(matches!(unknown, Err(onze::Error::InvalidArg(_))));
    let tears = PresentFlags::ALLOW_TEARING;
    assert_eq!(chain.present_with_flags(&mut w.immediate, 0, tears), Ok(PresentStatus::Presented));
    assert!(matches!(chain.present_with_flags(&mut w.immediate, 1, tears), Err(onze::Error::InvalidArg(_))));
    chain.set_label("screen");
    let Err(onze::Error::InvalidArg(text)) = chain.present(&mut w.immediate, 5) else {
        panic!("it is refused")
    };
    assert!(text.contains("swap chain \"screen\""), "{text}");
    w.device.info_queue().take();
    drop(chain);
    w.finish();
}

#[test]
fn a_swap_chain_takes_another_description() {
    let mut w = Watched::new();
    let mut chain = w.immediate.create_swap_chain(Arc::new(NoWindow), &SwapChainDesc::new(4, 4)).unwrap();
    let desc = SwapChainDesc {
        format: Format::R16G16B16A16_FLOAT,
        buffer_usage: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
        buffer_count: 3,
        swap_effect: SwapEffect::FlipSequential,
        maximum_frame_latency: 5,
        ..SwapChainDesc::new(9, 7)
    };
    let held = chain.get_buffer().unwrap();
    assert!(matches!(chain.resize_buffers_with(&mut w.immediate, &desc), Err(onze::Error::InvalidCall(_))));
    assert_eq!(chain.desc().width, 4, "nothing has changed");
    drop(held);
    w.immediate.om_set_render_targets(chain.render_target_view().unwrap(), None);
    chain.resize_buffers_with(&mut w.immediate, &desc).unwrap();
    assert_eq!(chain.desc(), &desc);
    let buffer = chain.get_buffer().unwrap().desc();
    assert_eq!((buffer.width, buffer.height, buffer.format), (9, 7, desc.format));
    assert_eq!(buffer.bind_flags, desc.buffer_usage);
    chain.get_buffer().unwrap().create_shader_resource_view().unwrap();
    for _ in 0..4 {
        w.immediate.clear_render_target_view(chain.render_target_view().unwrap(), [0.5; 4]);
        assert_eq!(chain.present(&mut w.immediate, 1), Ok(PresentStatus::Presented));
    }
    let wrong = SwapChainDesc { buffer_count: 1, ..desc.clone() };
    assert!(matches!(chain.resize_buffers_with(&mut w.immediate, &wrong), Err(onze::Error::InvalidArg(_))));
    assert!(chain.get_buffer().is_ok());
    chain.resize_buffers(&mut w.immediate, 5, 5).unwrap();
    assert_eq!(chain.desc(), &SwapChainDesc { width: 5, height: 5, ..desc });
    w.device.info_queue().take();
    drop(chain);
    w.finish();
}
