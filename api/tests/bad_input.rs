//! Arguments out of range and calls at the wrong time are rejected or skipped, and do not panic.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue panics")]

use std::sync::Arc;

use onze::{MapFlags, prelude::*};

const SHADER: &str = "
    struct Scene { color: vec4<f32> }
    @group(0) @binding(0) var<uniform> scene: Scene;
    @group(1) @binding(0) var picture: texture_2d<f32>;
    @group(2) @binding(0) var smooth_: sampler;
    @vertex fn vs(@location(0) position: vec4<f32>) -> @builtin(position) vec4<f32> { return position; }
    @fragment fn ps() -> @location(0) vec4<f32> {
        return scene.color * textureSampleLevel(picture, smooth_, vec2<f32>(), 0.0);
    }";

fn device() -> (Device, ImmediateContext) {
    let desc = DeviceDesc {
        driver_type: DriverType::Null,
        debug: true,
        verify_driver: true,
        ..DeviceDesc::default()
    };
    create_device(&desc).unwrap()
}

fn constants(device: &Device) -> Buffer {
    device.create_buffer(&BufferDesc::dynamic(256, BindFlags::CONSTANT_BUFFER), None).unwrap()
}

/// Binds everything that a draw requires, and a vertex buffer in slot 0.
fn ready_to_draw(device: &Device, cx: &mut DeviceContext) {
    let vertices = device.create_buffer(&BufferDesc::new(64, BindFlags::VERTEX_BUFFER), None).unwrap();
    let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs")).unwrap();
    let elements = [InputElementDesc::new("POSITION", 0, Format::R32G32B32A32_FLOAT)];
    cx.ia_set_input_layout(&device.create_input_layout(&elements, &vs).unwrap());
    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&vertices, 16));
    cx.vs_set_shader(&vs);
    cx.ps_set_shader(&device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps")).unwrap());
    let sampler = device.create_sampler_state(&SamplerDesc::default()).unwrap();
    cx.ps_set_samplers(0, &sampler);
    cx.rs_set_viewports(Viewport::sized(4.0, 4.0));
    cx.draw(3, 0);
}

#[test]
fn a_part_of_a_constant_buffer_may_begin_anywhere() {
    let (device, mut immediate) = device();
    ready_to_draw(&device, &mut immediate);
    let range = ConstantRange { first_constant: u32::MAX - 15, num_constants: 16 };
    immediate.ps_set_constant_buffers1(0, &constants(&device), &[range]);
    immediate.draw(3, 0);
    assert_eq!(device.info_queue().count(MessageId::DrawConstantBufferTooSmall), 1);
}

#[test]
fn the_debug_layer_looks_again_after_each_change() {
    let (device, mut immediate) = device();
    ready_to_draw(&device, &mut immediate);
    let queue = device.info_queue();
    for (id, change) in [
        (
            MessageId::DrawVertexBufferNotSet,
            (|cx| cx.ia_set_vertex_buffers(0, None)) as fn(&mut DeviceContext),
        ),
        (MessageId::DrawSamplerNotSet, |cx| cx.ps_set_samplers(0, None)),
        (MessageId::DrawViewportNotSet, |cx| cx.rs_set_viewports([])),
    ] {
        assert_eq!(queue.count(id), 0, "{id:?}");
        change(&mut immediate);
        immediate.draw(3, 0);
        assert_eq!(queue.count(id), 1, "{id:?}");
    }
}

#[test]
fn a_forgotten_guard_leaves_its_resource_mapped() {
    let (device, mut immediate) = device();
    let buffer = constants(&device);
    let texture = Texture2dDesc::staging(Format::R8G8B8A8_UNORM, 4, 4, CpuAccessFlags::READ);
    let texture = device.create_texture_2d(&texture, None).unwrap();
    std::mem::forget(immediate.map(&buffer, 0, MapType::WriteDiscard).unwrap());
    std::mem::forget(immediate.map(&texture, 0, MapType::Read).unwrap());
    for _ in 0..2 {
        let again = immediate.map(&buffer, 0, MapType::WriteDiscard).map(drop);
        assert!(matches!(again, Err(onze::Error::InvalidCall(_))), "{again:?}");
        let again = immediate.map_with_flags(&texture, 0, MapType::Read, MapFlags::DO_NOT_WAIT).map(drop);
        assert!(matches!(again, Err(onze::Error::InvalidCall(_))), "{again:?}");
    }
    assert_eq!(device.get_device_removed_reason(), Ok(()));
    drop(immediate.map(&constants(&device), 0, MapType::WriteDiscard).unwrap());
}

#[test]
fn a_buffer_can_be_mapped_again_when_its_token_is_gone() {
    let (device, mut immediate) = device();
    let buffer = constants(&device);
    let token = immediate.map_owned(&buffer, 0, MapType::WriteDiscard).unwrap();
    assert!(matches!(
        immediate.map(&buffer, 0, MapType::WriteDiscard).map(drop),
        Err(onze::Error::InvalidCall(_))
    ));
    immediate.unmap(token);
    drop(immediate.map_owned(&buffer, 0, MapType::WriteDiscard).unwrap());
    drop(immediate.map(&buffer, 0, MapType::WriteDiscard).unwrap());
}

#[test]
fn reading_back_says_why_it_cannot() {
    let (device, mut immediate) = device();
    let (other, _other_immediate) = self::device();
    let foreign = constants(&other);
    let error = immediate.read_buffer::<u32>(&foreign);
    assert!(matches!(error, Err(onze::Error::InvalidArg(_))), "{error:?}");
    let target = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4);
    let error = immediate.read_texture_2d(&other.create_texture_2d(&target, None).unwrap(), 0);
    assert!(matches!(error, Err(onze::Error::InvalidArg(_))), "{error:?}");

    let buffer = constants(&device);
    let token = immediate.map_owned(&buffer, 0, MapType::WriteDiscard).unwrap();
    let error = immediate.read_buffer::<u32>(&buffer);
    assert!(matches!(error, Err(onze::Error::InvalidCall(_))), "{error:?}");
    immediate.unmap(token);
    assert_eq!(immediate.read_buffer::<u32>(&buffer).map(|words| words.len()), Ok(64));
    assert_eq!(immediate.read_buffer::<()>(&buffer), Ok(Vec::new()));
}

#[test]
fn huge_subresource_indices_name_no_subresource() {
    let (device, mut immediate) = device();
    let texture = Texture2dDesc::staging(Format::R8G8B8A8_UNORM, 4, 4, CpuAccessFlags::READ);
    let texture = device.create_texture_2d(&texture, None).unwrap();
    let beyond = texture.subresource(u32::MAX, u32::MAX);
    assert!(matches!(
        immediate.map(&texture, beyond, MapType::Read).map(drop),
        Err(onze::Error::InvalidArg(_))
    ));
    assert!(matches!(immediate.read_texture_2d(&texture, beyond), Err(onze::Error::InvalidArg(_))));
    let huge = Texture2dDesc { mip_levels: u32::MAX, array_size: u32::MAX, ..texture.desc().clone() };
    assert!(matches!(device.create_texture_2d(&huge, None), Err(onze::Error::InvalidArg(_))));
    assert_eq!(huge.subresources(), u32::MAX);
}

#[test]
fn lists_that_execute_each_other_twice_stay_small() {
    let (device, mut immediate) = device();
    let (buffer, other) = (constants(&device), constants(&device));
    let query = device.create_query(QueryType::Event).unwrap();
    let mut deferred = device.create_deferred_context().unwrap();
    drop(deferred.map(&buffer, 0, MapType::WriteDiscard).unwrap());
    deferred.end(&query);
    let mut pair =
        [deferred.finish_command_list(false).unwrap(), deferred.finish_command_list(false).unwrap()];
    // Without a limit, the number of objects that the lists keep would multiply with each step.
    for _ in 0..6 {
        pair = [(); 2].map(|()| {
            for list in pair.iter().chain(&pair) {
                deferred.execute_command_list(list, false);
            }
            deferred.finish_command_list(false).unwrap()
        });
    }
    let token = immediate.map_owned(&other, 0, MapType::WriteDiscard).unwrap();
    immediate.execute_command_list(&pair[0], false);
    immediate.unmap(token);
    immediate.flush();
    assert!(immediate.get_data(&query, false).is_ok());
    let token = immediate.map_owned(&buffer, 0, MapType::WriteDiscard).unwrap();
    immediate.execute_command_list(&pair[1], false);
    assert_eq!(device.info_queue().count(MessageId::ExecuteCommandListMappedResource), 1);
    immediate.unmap(token);
}

#[test]
fn slots_beyond_all_numbers_are_ignored() {
    /// A list of `usize::MAX` empty slots, which a call must not iterate over.
    struct Endless;
    impl Slots<Buffer> for Endless {
        fn count(&self) -> usize {
            usize::MAX
        }
        fn get(&self, _index: usize) -> Option<&Buffer> {
            None
        }
    }
    let (device, mut immediate) = device();
    immediate.vs_set_constant_buffers(u32::MAX, Endless);
    immediate.ia_set_vertex_buffers(u32::MAX, None);
    let queue = device.info_queue();
    assert_eq!(queue.count(MessageId::SetConstantBuffersInvalid), 1);
    assert_eq!(queue.count(MessageId::SetVertexBuffersInvalid), 1);
}

#[test]
fn a_swap_chain_has_a_format_that_can_be_shown() {
    let (device, mut immediate) = device();
    for format in [Format::R8G8B8A8_TYPELESS, Format::BC1_UNORM, Format::D32_FLOAT] {
        let desc = SwapChainDesc { format, ..SwapChainDesc::new(4, 4) };
        let error = immediate.create_swap_chain(Arc::new(NoWindow), &desc).map(drop);
        assert!(matches!(error, Err(onze::Error::InvalidArg(_))), "{format:?}: {error:?}");
    }
    assert_eq!(device.get_device_removed_reason(), Ok(()));
}

/// A window that does not exist, because the null driver never uses it.
struct NoWindow;

mod window {
    use onze::ddi::raw_window_handle::{
        DisplayHandle, HandleError, HasDisplayHandle, HasWindowHandle, WindowHandle,
    };

    impl HasWindowHandle for super::NoWindow {
        fn window_handle(&self) -> Result<WindowHandle<'_>, HandleError> {
            Err(HandleError::Unavailable)
        }
    }

    impl HasDisplayHandle for super::NoWindow {
        fn display_handle(&self) -> Result<DisplayHandle<'_>, HandleError> {
            Err(HandleError::Unavailable)
        }
    }
}
