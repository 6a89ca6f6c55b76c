//! Tests of back buffers that use the window's textures, on a screen whose answers the test controls.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use onze_ddi::{
    AlphaMode, BindFlags, ColorSpace, ContextFuncs, CreateSwapChainArgs, DriverObject, DsvFlags, Format,
    Handle, HandleType, ImmediateFuncs, Key, ObjectDesc, ObjectRef, PresentError, PresentStatus,
    RenderTargetViewHandle, ResourceHandle, SubresourceRange, SwapEffect, Texture2dDesc, TextureViewDesc,
    ViewDesc, ViewDimension, kind,
    raw_window_handle::{DisplayHandle, HandleError, HasDisplayHandle, HasWindowHandle, WindowHandle},
};
use wgpu::{TextureFormat as T, TextureUsages as U};

use super::{Rig, list};
use crate::{
    context::{DeferredTable, ImmediateTable},
    objects::surface::{Picture, Screen, ScreenAnswer},
    record::recorder::private_size,
    services::gpu::Gpu,
    submit::swap_chain::SwapChain,
    testing,
};

const SIZE: u32 = 4;

/// A screen's next answer. If no answer is queued, the screen lends a texture.
#[derive(Copy, Clone, Debug, PartialEq)]
enum Say {
    Suboptimal,
    Hidden,
    Outdated,
    Lost,
    Invalid,
}

/// The requests that a screen received, and the textures that it has shown.
#[derive(Default)]
struct Seen {
    says: VecDeque<Say>,
    sizes: Vec<(u32, u32)>,
    modes: Vec<wgpu::PresentMode>,
    latencies: Vec<u32>,
    color_spaces: Vec<wgpu::SurfaceColorSpace>,
    alpha_modes: Vec<wgpu::CompositeAlphaMode>,
    renewed: u32,
    lent: Vec<wgpu::Texture>,
    shown: Vec<wgpu::Texture>,
    /// Number of textures that were lent but neither shown nor returned.
    out: u32,
}

/// A screen that lends textures which a test can read.
struct TestScreen {
    device: wgpu::Device,
    configuration: Option<wgpu::SurfaceConfiguration>,
    seen: Arc<Mutex<Seen>>,
}

struct TestPicture {
    texture: wgpu::Texture,
    seen: Arc<Mutex<Seen>>,
}

impl Screen for TestScreen {
    fn configure(&mut self, _: &Gpu, configuration: &wgpu::SurfaceConfiguration) {
        let mut seen = self.seen.lock().unwrap();
        assert_eq!(seen.out, 0, "wgpu allows no configuration while a texture is lent");
        seen.sizes.push((configuration.width, configuration.height));
        seen.modes.push(configuration.present_mode);
        seen.latencies.push(configuration.desired_maximum_frame_latency);
        seen.color_spaces.push(configuration.color_space);
        seen.alpha_modes.push(configuration.alpha_mode);
        self.configuration = Some(configuration.clone());
    }

    fn next(&mut self) -> ScreenAnswer {
        let configuration = self.configuration.as_ref().expect("configured");
        let mut seen = self.seen.lock().unwrap();
        assert_eq!(seen.out, 0, "wgpu lends one texture at a time");
        let say = seen.says.pop_front();
        match say {
            Some(Say::Hidden) => return ScreenAnswer::Hidden,
            Some(Say::Outdated) => {
                self.configuration = None;
                return ScreenAnswer::Outdated;
            }
            Some(Say::Lost) => return ScreenAnswer::Lost,
            Some(Say::Invalid) => return ScreenAnswer::Invalid,
            Some(Say::Suboptimal) | None => {}
        }
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("screen"),
            size: wgpu::Extent3d {
                width: configuration.width,
                height: configuration.height,
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: configuration.format,
            usage: configuration.usage | U::COPY_SRC,
            view_formats: &configuration.view_formats,
        });
        seen.lent.push(texture.clone());
        seen.out += 1;
        let picture = Box::new(TestPicture { texture, seen: self.seen.clone() });
        if say.is_some() { ScreenAnswer::Suboptimal(picture) } else { ScreenAnswer::Picture(picture) }
    }

    fn renew(&mut self, _: &Gpu) -> Result<(), PresentError> {
        self.configuration = None;
        self.seen.lock().unwrap().renewed += 1;
        Ok(())
    }
}

impl Picture for TestPicture {
    fn texture(&self) -> &wgpu::Texture {
        &self.texture
    }

    fn show(self: Box<Self>, _: &Gpu) {
        self.seen.lock().unwrap().shown.push(self.texture.clone());
    }
}

impl Drop for TestPicture {
    fn drop(&mut self) {
        self.seen.lock().unwrap().out -= 1;
    }
}

struct NoWindow;

impl HasWindowHandle for NoWindow {
    fn window_handle(&self) -> Result<WindowHandle<'_>, HandleError> {
        Err(HandleError::Unavailable)
    }
}

impl HasDisplayHandle for NoWindow {
    fn display_handle(&self) -> Result<DisplayHandle<'_>, HandleError> {
        Err(HandleError::Unavailable)
    }
}

fn args() -> CreateSwapChainArgs {
    CreateSwapChainArgs {
        window: Arc::new(NoWindow),
        width: SIZE,
        height: SIZE,
        format: Format::R8G8B8A8_UNORM,
        bind_flags: BindFlags::RENDER_TARGET,
        buffer_count: 1,
        swap_effect: SwapEffect::FlipDiscard,
        maximum_frame_latency: 2,
        alpha_mode: AlphaMode::Unspecified,
        label: None,
    }
}

const ALL_USAGES: U = U::RENDER_ATTACHMENT.union(U::COPY_SRC).union(U::COPY_DST);

fn capabilities(formats: &[T], usages: U) -> wgpu::SurfaceCapabilities {
    wgpu::SurfaceCapabilities {
        formats: formats.to_vec(),
        format_capabilities: Vec::new(),
        present_modes: vec![wgpu::PresentMode::Fifo, wgpu::PresentMode::Immediate],
        alpha_modes: vec![wgpu::CompositeAlphaMode::Opaque],
        usages,
    }
}

/// A swap chain, its back buffer, and a view of the back buffer.
struct Chain {
    seen: Arc<Mutex<Seen>>,
    object: DriverObject,
    back_buffer: ResourceHandle,
    view: RenderTargetViewHandle,
}

impl Chain {
    fn new(rig: &mut Rig, args: &CreateSwapChainArgs, capabilities: wgpu::SurfaceCapabilities) -> Self {
        let seen = Arc::<Mutex<Seen>>::default();
        let screen =
            TestScreen { device: rig.device.gpu.device.clone(), configuration: None, seen: seen.clone() };
        let chain = SwapChain::of_screen(&rig.device.gpu, Box::new(screen), capabilities, args).unwrap();
        let object: DriverObject = Arc::new(chain);
        let (back_buffer, view) = Self::back_buffer(rig, &object);
        Self { seen, object, back_buffer, view }
    }

    fn direct(rig: &mut Rig) -> Self {
        Self::new(rig, &args(), capabilities(&[T::Rgba8Unorm], ALL_USAGES))
    }

    fn back_buffer(rig: &mut Rig, chain: &DriverObject) -> (ResourceHandle, RenderTargetViewHandle) {
        let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, SIZE, SIZE);
        let key = Key::new(rig.keys, std::num::NonZeroU32::MIN);
        rig.keys += 1;
        let mut private = vec![0; private_size(HandleType::Resource)];
        let made = ImmediateTable::default()
            .create_primary(rig.context.entry(), chain, &desc.into(), &mut private)
            .unwrap();
        assert!(rig.context.handles.open(key, private.len(), made.clone(), Arc::new(())));
        let handle: ResourceHandle = Handle::new(key);
        let desc = ViewDesc::Texture(TextureViewDesc {
            format: Format::R8G8B8A8_UNORM,
            dimension: ViewDimension::Texture2d,
            range: SubresourceRange::FIRST,
            flags: DsvFlags::empty(),
        });
        let resource = ObjectRef::<kind::Resource> { handle, object: &made };
        (handle, rig.create(&ObjectDesc::RenderTargetView { resource, desc: &desc }))
    }

    fn is_direct(&self) -> bool {
        self.object.downcast_ref::<SwapChain>().unwrap().is_direct
    }

    fn say(&self, says: &[Say]) {
        self.seen.lock().unwrap().says.extend(says);
    }

    fn clear(&self, rig: &mut Rig, value: u8) {
        let color = [f32::from(value) / 255.0; 4];
        ImmediateTable::default().clear_render_target_view(rig.context.entry(), self.view, color);
    }

    fn present(&self, rig: &mut Rig, sync_interval: u32) -> Result<PresentStatus, PresentError> {
        let table = ImmediateTable::default();
        table.present(rig.context.entry(), &self.object, self.back_buffer, sync_interval)
    }

    /// Returns the value that all texels of the last shown texture have.
    fn shown(&self, rig: &Rig) -> u8 {
        let texture = self.seen.lock().unwrap().shown.last().expect("nothing was shown").clone();
        let texels = testing::read_texture(&rig.device, &texture, 0, 0);
        assert!(texels.iter().all(|texel| *texel == texels[0]), "{texels:?}");
        texels[0]
    }

    fn count(&self) -> (usize, usize) {
        let seen = self.seen.lock().unwrap();
        (seen.lent.len(), seen.shown.len())
    }
}

#[test]
fn a_back_buffer_is_the_windows_memory_where_it_can_be() {
    let Some(mut rig) = Rig::gpu() else { return };
    let own = &[T::Bgra8UnormSrgb, T::Rgba8Unorm][..];
    let read = BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE;
    type Row<'a> = (&'a str, CreateSwapChainArgs, &'a [T], U, bool);
    let rows: [Row<'_>; 9] = [
        ("its format", args(), own, ALL_USAGES, true),
        (
            "its twin's format",
            CreateSwapChainArgs { format: Format::B8G8R8A8_UNORM, ..args() },
            own,
            ALL_USAGES,
            true,
        ),
        (
            "the window's own",
            CreateSwapChainArgs { format: Format::UNKNOWN, ..args() },
            own,
            ALL_USAGES,
            true,
        ),
        ("another format", args(), &[T::Bgra8Unorm], ALL_USAGES, false),
        ("no copies from it", args(), own, U::RENDER_ATTACHMENT | U::COPY_DST, false),
        ("shaders read it", CreateSwapChainArgs { bind_flags: read, ..args() }, own, ALL_USAGES, false),
        (
            "shaders may read it",
            CreateSwapChainArgs { bind_flags: read, ..args() },
            own,
            ALL_USAGES | U::TEXTURE_BINDING,
            true,
        ),
        (
            "it keeps its contents",
            CreateSwapChainArgs { swap_effect: SwapEffect::Sequential, ..args() },
            own,
            ALL_USAGES,
            false,
        ),
        (
            "it stays bound",
            CreateSwapChainArgs { swap_effect: SwapEffect::Discard, ..args() },
            own,
            ALL_USAGES,
            false,
        ),
    ];
    for (what, args, formats, usages, direct) in rows {
        if args.format != Format::R8G8B8A8_UNORM {
            // This case creates a separate swap chain, and its back buffers are not used.
            let seen = Arc::<Mutex<Seen>>::default();
            let screen = TestScreen { device: rig.device.gpu.device.clone(), configuration: None, seen };
            let offered = capabilities(formats, usages);
            let chain = SwapChain::of_screen(&rig.device.gpu, Box::new(screen), offered, &args).unwrap();
            let expected =
                if args.format == Format::UNKNOWN { Format::B8G8R8A8_UNORM_SRGB } else { args.format };
            assert_eq!((chain.is_direct, chain.format), (direct, expected), "{what}");
            continue;
        }
        let chain = Chain::new(&mut rig, &args, capabilities(formats, usages));
        assert_eq!(chain.is_direct(), direct, "{what}");
        for value in [30, 60] {
            chain.clear(&mut rig, value);
            assert!(matches!(chain.present(&mut rig, 1), Ok(PresentStatus::Presented)), "{what}");
            assert_eq!(rig.context.core.presents.last().unwrap().copied, !direct, "{what}");
            assert_eq!(chain.shown(&rig), value, "{what}");
        }
    }
    rig.runtime.assert_clean();
}

/// Each frame requests a different texture when it first uses the back buffer, and draws into that texture.
#[test]
fn a_frame_asks_for_one_texture_when_it_needs_it() {
    let Some(mut rig) = Rig::gpu() else { return };
    let chain = Chain::direct(&mut rig);
    for frame in 0..3 {
        assert_eq!(chain.count(), (frame, frame));
        chain.clear(&mut rig, 10);
        assert_eq!(chain.count(), (frame + 1, frame));
        rig.context.flush();
        chain.clear(&mut rig, frame as u8);
        assert!(matches!(chain.present(&mut rig, 1), Ok(PresentStatus::Presented)));
        assert_eq!(chain.shown(&rig), frame as u8, "the clear after the flush is shown");
    }
    assert!(
        matches!(chain.present(&mut rig, 1), Ok(PresentStatus::Presented)),
        "a frame without draws is presented"
    );
    assert_eq!(chain.count(), (4, 4));
    rig.runtime.assert_clean();
}

#[test]
fn a_list_means_the_texture_of_the_frame() {
    let Some(mut rig) = Rig::gpu() else { return };
    let chain = Chain::direct(&mut rig);
    let mut deferred = rig.deferred();
    rig.open(&mut deferred, chain.back_buffer);
    rig.open(&mut deferred, chain.view);
    DeferredTable::default().clear_render_target_view(deferred.entry(), chain.view, [1.0; 4]);
    let recorded = deferred.finish();
    assert_eq!(list(&recorded).imports.len(), 1);
    assert_eq!(chain.count(), (0, 0), "a deferred context requests no texture");
    for frame in 1..4 {
        rig.context.execute(&recorded);
        assert!(matches!(chain.present(&mut rig, 1), Ok(PresentStatus::Presented)));
        assert_eq!((chain.shown(&rig), chain.count()), (255, (frame, frame)));
    }
    rig.runtime.assert_clean();
}

/// A frame without a lent texture is drawn into the back buffer's original texture, and the present reports
/// that nothing is shown.
#[test]
fn a_frame_without_a_texture_shows_nothing() {
    let Some(mut rig) = Rig::gpu() else { return };
    let chain = Chain::direct(&mut rig);
    for (says, shown) in [
        (&[Say::Hidden][..], false),
        (&[Say::Outdated], true),
        (&[Say::Outdated, Say::Outdated], false),
        (&[Say::Lost], true),
        (&[Say::Lost, Say::Outdated], false),
        (&[Say::Suboptimal], true),
    ] {
        chain.say(says);
        let before = chain.count();
        chain.clear(&mut rig, 77);
        let status = chain.present(&mut rig, 1);
        let expected = if shown { PresentStatus::Presented } else { PresentStatus::Occluded };
        assert!(matches!(status, Ok(is) if is == expected), "{says:?}: {status:?}");
        let change = usize::from(shown);
        assert_eq!(chain.count(), (before.0 + change, before.1 + change), "{says:?}");
        chain.clear(&mut rig, 5);
        assert!(matches!(chain.present(&mut rig, 1), Ok(PresentStatus::Presented)), "after {says:?}");
        assert_eq!(chain.shown(&rig), 5, "after {says:?}");
    }
    assert_eq!(chain.seen.lock().unwrap().renewed, 2);
    chain.say(&[Say::Invalid]);
    chain.clear(&mut rig, 1);
    assert!(matches!(chain.present(&mut rig, 1), Err(PresentError::Bug(_))));
}

#[test]
fn a_resize_gives_the_frames_texture_back() {
    let Some(mut rig) = Rig::gpu() else { return };
    let chain = Chain::direct(&mut rig);
    chain.clear(&mut rig, 7);
    rig.context.flush();
    let table = ImmediateTable::default();
    table.resize_swap_chain(rig.context.entry(), &chain.object, 9, 3).unwrap();
    assert_eq!((chain.count(), chain.seen.lock().unwrap().out), ((1, 0), 0));
    chain.clear(&mut rig, 8);
    assert_eq!(chain.seen.lock().unwrap().sizes, [(SIZE, SIZE), (9, 3)]);
    // Resizing to the same size also configures the screen, because configuring returns the acquired texture.
    rig.context.flush();
    table.resize_swap_chain(rig.context.entry(), &chain.object, 9, 3).unwrap();
    chain.clear(&mut rig, 8);
    assert_eq!(chain.seen.lock().unwrap().sizes, [(SIZE, SIZE), (9, 3), (9, 3)]);
    assert!(matches!(chain.present(&mut rig, 1), Ok(PresentStatus::Presented)));
    assert_eq!(chain.shown(&rig), 8);
    rig.runtime.assert_clean();
}

/// The sync interval does not change for a texture that is already lent.
#[test]
fn a_sync_interval_acts_from_the_next_frame_on() {
    let Some(mut rig) = Rig::gpu() else { return };
    let chain = Chain::direct(&mut rig);
    for interval in [1, 0, 0, 2] {
        chain.clear(&mut rig, 7);
        chain.present(&mut rig, interval).unwrap();
    }
    chain.clear(&mut rig, 7);
    let modes = chain.seen.lock().unwrap().modes.clone();
    assert_eq!(modes, [wgpu::PresentMode::Fifo, wgpu::PresentMode::Immediate, wgpu::PresentMode::Fifo]);
    rig.runtime.assert_clean();
}

#[test]
fn a_test_asks_a_hidden_window_again() {
    let Some(mut rig) = Rig::gpu() else { return };
    let chain = Chain::direct(&mut rig);
    let table = ImmediateTable::default();
    chain.say(&[Say::Hidden, Say::Hidden]);
    for expected in [PresentStatus::Occluded, PresentStatus::Occluded, PresentStatus::Presented] {
        assert_eq!(table.test_present(rig.context.entry(), &chain.object), Ok(expected));
    }
    // The frame uses the texture that `test_present` acquired.
    assert_eq!(table.test_present(rig.context.entry(), &chain.object), Ok(PresentStatus::Presented));
    assert_eq!(chain.count(), (1, 0));
    chain.clear(&mut rig, 7);
    assert!(matches!(chain.present(&mut rig, 1), Ok(PresentStatus::Presented)));
    assert_eq!((chain.count(), chain.shown(&rig)), ((1, 1), 7));
    rig.runtime.assert_clean();
}

#[test]
fn the_screen_learns_of_another_latency_with_the_next_frame() {
    let Some(mut rig) = Rig::gpu() else { return };
    let chain = Chain::direct(&mut rig);
    let table = ImmediateTable::default();
    for frames in [2, 3, 3] {
        chain.clear(&mut rig, 7);
        table.set_maximum_frame_latency(rig.context.entry(), &chain.object, frames);
        chain.present(&mut rig, 1).unwrap();
    }
    chain.clear(&mut rig, 7);
    assert_eq!(chain.seen.lock().unwrap().latencies, [2, 3]);
    rig.runtime.assert_clean();
}

/// Capabilities of a window that shows floats in three colour spaces, and 8-bit values in two of these and in
/// an unknown colour space.
fn hdr_capabilities() -> wgpu::SurfaceCapabilities {
    use wgpu::SurfaceColorSpaces as Spaces;
    let format = |format, color_spaces| wgpu::SurfaceFormatCapabilities { format, color_spaces };
    wgpu::SurfaceCapabilities {
        format_capabilities: vec![
            format(T::Rgba8Unorm, Spaces::SRGB | Spaces::DISPLAY_P3 | Spaces::BT2100_PQ),
            format(T::Rgba16Float, Spaces::SRGB | Spaces::EXTENDED_SRGB_LINEAR | Spaces::BT2100_PQ),
        ],
        alpha_modes: vec![wgpu::CompositeAlphaMode::PreMultiplied],
        ..capabilities(&[T::Rgba8Unorm, T::Rgba16Float], ALL_USAGES)
    }
}

#[test]
fn a_back_buffer_has_the_color_spaces_of_its_format() {
    let Some(rig) = Rig::gpu() else { return };
    let spaces = |format, capabilities| {
        let screen =
            TestScreen { device: rig.device.gpu.device.clone(), configuration: None, seen: Arc::default() };
        let args = CreateSwapChainArgs { format, ..args() };
        SwapChain::of_screen(&rig.device.gpu, Box::new(screen), capabilities, &args).unwrap().color_spaces
    };
    use ColorSpace::{
        RgbFullG10NoneP709 as Linear, RgbFullG22NoneP709 as Srgb, RgbFullG2084NoneP2020 as Hdr10,
    };
    assert_eq!(spaces(Format::R8G8B8A8_UNORM, hdr_capabilities()), [Srgb, Hdr10]);
    assert_eq!(spaces(Format::R16G16B16A16_FLOAT, hdr_capabilities()), [Linear, Srgb, Hdr10]);
    // The window reports no colour spaces, and floats are converted to 8 bits.
    let plain = capabilities(&[T::Rgba8Unorm], ALL_USAGES);
    assert_eq!(spaces(Format::R16G16B16A16_FLOAT, plain), [Srgb]);
}

#[test]
fn the_screen_learns_of_another_color_space_with_the_next_frame() {
    let Some(mut rig) = Rig::gpu() else { return };
    let chain = Chain::new(&mut rig, &args(), hdr_capabilities());
    let table = ImmediateTable::default();
    let (srgb, hdr10) = (ColorSpace::RgbFullG22NoneP709, ColorSpace::RgbFullG2084NoneP2020);
    for color_space in [srgb, hdr10, hdr10, srgb] {
        table.set_color_space(rig.context.entry(), &chain.object, color_space);
        chain.clear(&mut rig, 7);
        chain.present(&mut rig, 1).unwrap();
    }
    use wgpu::SurfaceColorSpace::{Auto, Bt2100Pq};
    assert_eq!(chain.seen.lock().unwrap().color_spaces, [Auto, Bt2100Pq, Auto]);
    rig.runtime.assert_clean();
}

#[test]
fn a_window_is_blended_as_it_can() {
    use wgpu::CompositeAlphaMode::{Auto, Inherit, Opaque, PostMultiplied, PreMultiplied};
    let Some(mut rig) = Rig::gpu() else { return };
    for (asked, offered, given) in [
        (AlphaMode::Unspecified, vec![PreMultiplied, Opaque], Some(Opaque)),
        (AlphaMode::Unspecified, vec![Inherit], Some(Auto)),
        (AlphaMode::Ignore, vec![PreMultiplied, Opaque], Some(Opaque)),
        (AlphaMode::Ignore, vec![PreMultiplied], None),
        (AlphaMode::Premultiplied, vec![Opaque, PreMultiplied], Some(PreMultiplied)),
        (AlphaMode::Premultiplied, vec![Opaque, PostMultiplied], None),
        (AlphaMode::Straight, vec![Opaque, PostMultiplied], Some(PostMultiplied)),
        (AlphaMode::Straight, vec![Opaque], None),
    ] {
        let args = CreateSwapChainArgs { alpha_mode: asked, ..args() };
        let offers =
            wgpu::SurfaceCapabilities { alpha_modes: offered, ..capabilities(&[T::Rgba8Unorm], ALL_USAGES) };
        let Some(given) = given else {
            let screen = TestScreen {
                device: rig.device.gpu.device.clone(),
                configuration: None,
                seen: Arc::default(),
            };
            let refused = SwapChain::of_screen(&rig.device.gpu, Box::new(screen), offers, &args);
            assert!(matches!(refused, Err(PresentError::SurfaceLost(_))), "{asked:?}");
            continue;
        };
        let chain = Chain::new(&mut rig, &args, offers);
        chain.clear(&mut rig, 7);
        chain.present(&mut rig, 1).unwrap();
        assert_eq!(chain.seen.lock().unwrap().alpha_modes, [given], "{asked:?}");
    }
    rig.runtime.assert_clean();
}

/// wgpu's own commands may still refer to the lent texture, so the back buffer continues with its original
/// texture.
#[test]
fn a_swap_chain_goes_in_the_middle_of_a_frame() {
    let Some(mut rig) = Rig::gpu() else { return };
    let chain = Chain::direct(&mut rig);
    chain.clear(&mut rig, 7);
    ImmediateTable::default().destroy_swap_chain(rig.context.entry(), chain.object.clone());
    assert_eq!(chain.seen.lock().unwrap().out, 0);
    assert_eq!(Arc::strong_count(&chain.seen), 1, "the screen is closed, although the back buffer exists");
    chain.clear(&mut rig, 8);
    rig.context.flush();
    assert_eq!(chain.count(), (1, 0));
    rig.runtime.assert_clean();
}

/// The program draws directly into the texture that interop lends, without this driver, so that texture must
/// be shown.
#[test]
fn a_back_buffer_that_interop_lends_is_copied() {
    let Some(mut rig) = Rig::gpu() else { return };
    let chain = Chain::direct(&mut rig);
    let object = rig.context.handles.object(chain.back_buffer).unwrap().clone();
    assert!(crate::interop::lend(&object).is_some());
    chain.clear(&mut rig, 9);
    assert_eq!(chain.count(), (0, 0));
    assert!(matches!(chain.present(&mut rig, 1), Ok(PresentStatus::Presented)));
    assert!(rig.context.core.presents.last().unwrap().copied);
    assert_eq!(chain.shown(&rig), 9);
    rig.runtime.assert_clean();
}
