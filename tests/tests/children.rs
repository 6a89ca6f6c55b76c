//! Data that an application attaches to the objects of a device (names, private data and priorities), and the
//! descriptors that objects return.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use onze::{EvictionPriority, Guid, Resource as _, prelude::*};
use onze_tests::{Config, Harness, on_each, watched_device};

const KEY: Guid = Guid(0x11111111_2222_3333_4444_555555555555);
const OTHER: Guid = Guid(0x11111111_2222_3333_4444_555555555556);

const WGSL: &str = "
    @vertex fn vs(@location(0) a: vec4f) -> @builtin(position) vec4f { return a; }
    @fragment fn ps() -> @location(0) vec4f { return vec4f(); }
    @compute @workgroup_size(1) fn cs() {}";

struct Counted(Arc<AtomicU32>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Calls a function-like macro once with an object of each type and the object's name for messages.
macro_rules! each_child {
    ($h:expr, $check:ident) => {{
        let h: &mut Harness = $h;
        let device = h.device.clone();
        let vs = device.create_vertex_shader(ShaderSource::wgsl(WGSL, "vs")).unwrap();
        let element = InputElementDesc::new("A", 0, Format::R32G32B32A32_FLOAT);
        let depth = device.create_depth_target(Format::D32_FLOAT, 4, 4).unwrap();
        let target = device.create_render_target(Format::R8G8B8A8_UNORM, 4, 4).unwrap();
        let buffer = device.create_buffer(&BufferDesc::new(16, BindFlags::VERTEX_BUFFER), None).unwrap();
        let words = BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS);
        $check!("buffer", buffer);
        $check!("texture", target.texture);
        $check!("render-target view", target.render_target_view);
        $check!("shader-resource view", target.shader_resource_view);
        $check!("depth-stencil view", depth.depth_stencil_view);
        if let Ok(words) = device.create_buffer(&words, None) {
            $check!("unordered-access view", words.create_unordered_access_view().unwrap());
        }
        $check!("vertex shader", vs);
        $check!("pixel shader", device.create_pixel_shader(ShaderSource::wgsl(WGSL, "ps")).unwrap());
        if let Ok(shader) = device.create_compute_shader(ShaderSource::wgsl(WGSL, "cs")) {
            $check!("compute shader", shader);
        }
        $check!("input layout", device.create_input_layout(&[element], &vs).unwrap());
        $check!("blend state", device.create_blend_state(&BlendDesc::default()).unwrap());
        $check!(
            "depth-stencil state",
            device.create_depth_stencil_state(&DepthStencilDesc::default()).unwrap()
        );
        $check!("rasterizer state", device.create_rasterizer_state(&RasterizerDesc::default()).unwrap());
        $check!("sampler", device.create_sampler_state(&SamplerDesc::default()).unwrap());
        $check!("query", device.create_query(QueryType::Event).unwrap());
        $check!("constant buffer", device.create_constant_buffer(&[0_u32; 4]).unwrap());
        let mut deferred = device.create_deferred_context().unwrap();
        $check!("command list", deferred.finish_command_list(false).unwrap());
        $check!("deferred context", deferred);
        $check!("immediate context", h.immediate);
        $check!("device", device);
    }};
}

#[test]
fn every_kind_of_object_takes_a_name_at_any_time() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        macro_rules! check {
            ($what:literal, $object:expr) => {
                let object = &$object;
                assert_ne!(object.label(), "lamp", "{}", $what);
                object.set_label("lamp");
                assert_eq!(object.label(), "lamp", "{}", $what);
                object.set_label("door");
                object.set_private_data(KEY, 7_u32);
                assert_eq!(object.label(), "door", "{}", $what);
                object.set_label("");
                assert_eq!(object.label(), "", "{}", $what);
            };
        }
        each_child!(h, check);
    });
}

#[test]
fn every_kind_of_object_keeps_private_data() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let drops = Arc::new(AtomicU32::new(0));
        macro_rules! check {
            ($what:literal, $object:expr) => {
                let object = &$object;
                drops.store(0, Ordering::Relaxed);
                assert!(object.private_data::<u32>(KEY).is_none(), "{}", $what);
                assert!(!object.remove_private_data(KEY), "{}", $what);
                object.set_private_data(KEY, Counted(drops.clone()));
                object.set_private_data(OTHER, [1_u8, 2, 3]);
                // A request for another type returns nothing, and another key has its own value.
                assert!(object.private_data::<u32>(KEY).is_none(), "{}", $what);
                assert_eq!(*object.private_data::<[u8; 3]>(OTHER).unwrap(), [1, 2, 3], "{}", $what);
                let kept = object.private_data::<Counted>(KEY).unwrap();
                object.set_private_data(KEY, 5_u32);
                assert_eq!(drops.load(Ordering::Relaxed), 0, "{}", $what);
                drop(kept);
                assert_eq!(drops.load(Ordering::Relaxed), 1, "{}", $what);
                assert_eq!(*object.private_data::<u32>(KEY).unwrap(), 5, "{}", $what);
                assert!(object.remove_private_data(KEY), "{}", $what);
                assert!(object.private_data::<u32>(KEY).is_none(), "{}", $what);
                assert_eq!(*object.private_data::<[u8; 3]>(OTHER).unwrap(), [1, 2, 3], "{}", $what);
                assert!(object.remove_private_data(OTHER), "{}", $what);
            };
        }
        each_child!(h, check);
    });
}

#[test]
fn private_data_ends_with_its_object() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let drops = Arc::new(AtomicU32::new(0));
        let count = || Counted(drops.clone());
        let buffer = h.device.create_buffer(&BufferDesc::new(16, BindFlags::VERTEX_BUFFER), None).unwrap();
        let clone = buffer.clone();
        buffer.set_private_data(KEY, count());
        assert!(clone.private_data::<Counted>(KEY).is_some(), "clones are one object");
        drop(buffer);
        // A getter of the binding returns the same object with its private data.
        h.immediate.ia_set_vertex_buffers(0, [Some(&clone).map(|b| VertexBufferBinding::new(b, 16))]);
        drop(clone);
        h.immediate.flush();
        assert_eq!(drops.load(Ordering::Relaxed), 0);
        h.immediate.clear_state();
        h.immediate.flush();
        h.immediate.flush();
        assert_eq!(drops.load(Ordering::Relaxed), 1);
        // The memory of a list is reused, but the data that was attached to the list is gone.
        let mut deferred = h.device.create_deferred_context().unwrap();
        for used in 1..4 {
            let list = deferred.finish_command_list(false).unwrap();
            assert!(list.private_data::<Counted>(KEY).is_none() && list.label().is_empty());
            list.set_private_data(KEY, count());
            list.set_label("shadows");
            drop(list);
            assert_eq!(drops.load(Ordering::Relaxed), 1 + used);
        }
    });
}

#[test]
fn private_data_may_hold_other_objects() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let desc = BufferDesc::new(16, BindFlags::VERTEX_BUFFER);
        let live = h.device.statistics().live_objects;
        let mut outer = h.device.create_buffer(&desc, None).unwrap();
        for _ in 0..20 {
            let next = h.device.create_buffer(&desc, None).unwrap();
            next.set_private_data(KEY, (h.device.clone(), outer));
            outer = next;
        }
        drop(outer);
        h.immediate.flush();
        h.immediate.flush();
        assert_eq!(h.device.statistics().live_objects, live);
    });
}

#[test]
fn messages_show_the_current_name() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let immutable = BufferDesc::immutable(16, BindFlags::VERTEX_BUFFER).label("first");
        let buffer = h.device.create_buffer(&immutable, Some(&[0; 16])).unwrap();
        let texture = h.device.create_texture_2d(&Texture2dDesc::new(Format::R8_UNORM, 4, 4), None).unwrap();
        buffer.set_label("second");
        texture.set_label("wall");
        let view = texture.create_shader_resource_view().unwrap();
        assert_eq!(view.label(), "wall", "a view has its resource's name");
        texture.set_label("floor");
        assert_eq!(view.label(), "floor");
        let text = |h: &mut Harness| {
            let messages: Vec<_> = h.take_errors().iter().map(ToString::to_string).collect();
            assert_eq!(messages.len(), 1, "{messages:?}");
            messages[0].clone()
        };
        h.immediate.update_subresource(&buffer, 0, None, &[0_u8; 16], 0, 0);
        let found = text(h);
        assert!(found.contains("\"second\"") && !found.contains("first"), "{found}");
        h.immediate.copy_resource(&buffer, &texture);
        let found = text(h);
        assert!(found.contains("\"second\"") && found.contains("\"floor\""), "{found}");
        h.device.create_render_target_view(&texture, None).unwrap_err();
        let found = text(h);
        assert!(found.contains("\"floor\""), "{found}");
        h.immediate.generate_mips(&view);
        let found = text(h);
        assert!(found.contains("\"floor\""), "{found}");
        view.set_label("mirror");
        assert_eq!((view.label().as_str(), texture.label().as_str()), ("mirror", "floor"));
        let null = DeviceDesc { driver_type: DriverType::Null, ..Default::default() };
        let (watch, other, _context) = watched_device(&null).unwrap();
        watch.expect(&[MessageId::ForeignObject]);
        let mut foreign = other.create_deferred_context().unwrap();
        foreign.ps_set_shader_resources(0, &view);
        let found = other.info_queue().messages().last().map(ToString::to_string).unwrap_or_default();
        assert!(found.contains("\"mirror\""), "{found}");
    });
}

#[test]
fn the_descriptor_of_a_2d_view_creates_the_same_view() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let binds = BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET;
        let desc =
            Texture2dDesc { bind_flags: binds, ..Texture2dDesc::new(Format::R8G8B8A8_TYPELESS, 16, 16) };
        let cube = MiscFlags::TEXTURECUBE;
        for (slices, misc) in [(1, MiscFlags::empty()), (4, MiscFlags::empty()), (6, cube), (12, cube)] {
            let desc = Texture2dDesc { array_size: slices, misc_flags: misc, ..desc.clone() };
            let Ok(texture) = h.device.create_texture_2d(&desc, None) else { continue };
            let format = Format::R8G8B8A8_UNORM_SRGB;
            let parts = [
                ShaderResourceViewDesc::format(format),
                ShaderResourceViewDesc::texture_2d(format, 1, u32::MAX),
                ShaderResourceViewDesc::texture_2d_array(format, slices / 2, u32::MAX),
            ];
            for part in parts {
                let Ok(view) = h.device.create_shader_resource_view(&texture, &part) else { continue };
                let again = h.device.create_shader_resource_view(&texture, &view.to_desc()).unwrap();
                assert_eq!((again.desc(), again.to_desc()), (view.desc(), view.to_desc()), "{part:?}");
                assert!(view.to_desc().dimension.is_some());
            }
            for part in [
                RenderTargetViewDesc::format(format),
                RenderTargetViewDesc::texture_2d_array(format, 2, 0, 1),
            ] {
                let view = h.device.create_render_target_view(&texture, &part).unwrap();
                let again = h.device.create_render_target_view(&texture, &view.to_desc()).unwrap();
                assert_eq!((again.desc(), again.to_desc()), (view.desc(), view.to_desc()), "{part:?}");
            }
        }
        h.take_errors();
        let depth =
            Texture2dDesc { mip_levels: 2, ..Texture2dDesc::depth_stencil(Format::D24_UNORM_S8_UINT, 8, 8) };
        let depth = h.device.create_texture_2d(&depth, None).unwrap();
        for flags in [DsvFlags::empty(), DsvFlags::READ_ONLY_DEPTH, DsvFlags::READ_ONLY_STENCIL] {
            let part = DepthStencilViewDesc::texture_2d(Format::D24_UNORM_S8_UINT, 1).read_only(flags);
            let view = h.device.create_depth_stencil_view(&depth, &part).unwrap();
            assert_eq!(view.to_desc(), part);
        }
        let raw = BufferDesc {
            misc_flags: MiscFlags::BUFFER_ALLOW_RAW_VIEWS,
            ..BufferDesc::new(64, BindFlags::UNORDERED_ACCESS | BindFlags::SHADER_RESOURCE)
        };
        let structured =
            BufferDesc::structured(4, 16, BindFlags::UNORDERED_ACCESS | BindFlags::SHADER_RESOURCE);
        let (Ok(raw), Ok(structured)) =
            (h.device.create_buffer(&raw, None), h.device.create_buffer(&structured, None))
        else {
            h.take_errors();
            return;
        };
        let appended = UnorderedAccessViewDimension::Buffer {
            first_element: 2,
            num_elements: 9,
            flags: BufferUavFlags::APPEND,
        };
        let appended = UnorderedAccessViewDesc { dimension: Some(appended), ..Default::default() };
        for (buffer, part) in [
            (&raw, UnorderedAccessViewDesc::raw_buffer(4, 8)),
            (&raw, UnorderedAccessViewDesc::typed_buffer(Format::R32_UINT, 2, 3)),
            (&structured, UnorderedAccessViewDesc::buffer(1, 5)),
            (&structured, UnorderedAccessViewDesc::counted_buffer(0, 16)),
            (&structured, appended),
        ] {
            let view = h.device.create_unordered_access_view(buffer, &part).unwrap();
            assert_eq!(view.to_desc(), part);
        }
        for (buffer, part) in [
            (&raw, ShaderResourceViewDesc::raw_buffer(4, 8)),
            (&raw, ShaderResourceViewDesc::typed_buffer(Format::R32_FLOAT, 2, 3)),
            (&structured, ShaderResourceViewDesc::buffer(1, 5)),
        ] {
            let view = h.device.create_shader_resource_view(buffer, &part).unwrap();
            assert_eq!(view.to_desc(), part);
        }
    });
}

#[test]
fn descriptors_of_1d_and_3d_views_create_the_same_views() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let format = Format::R32_FLOAT;
        let bind_flags = BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET | BindFlags::UNORDERED_ACCESS;
        let row = Texture1dDesc { array_size: 3, bind_flags, ..Texture1dDesc::new(format, 8) };
        let row = h.device.create_texture_1d(&row, None).unwrap();
        for part in [
            ShaderResourceViewDesc::texture_1d(format, 1, 2),
            ShaderResourceViewDesc::texture_1d_array(format, 1, 2),
        ] {
            let view = h.device.create_shader_resource_view(&row, &part).unwrap();
            let again = h.device.create_shader_resource_view(&row, &view.to_desc()).unwrap();
            assert_eq!((again.desc(), again.to_desc()), (view.desc(), view.to_desc()), "{part:?}");
        }
        for part in [
            RenderTargetViewDesc::texture_1d(format, 1),
            RenderTargetViewDesc::texture_1d_array(format, 2, 1, 2),
        ] {
            assert_eq!(h.device.create_render_target_view(&row, &part).unwrap().to_desc(), part);
        }
        for part in [
            UnorderedAccessViewDesc::texture_1d(format, 1),
            UnorderedAccessViewDesc::texture_1d_array(format, 2, 1, 2),
        ] {
            assert_eq!(h.device.create_unordered_access_view(&row, &part).unwrap().to_desc(), part);
        }
        let volume = Texture3dDesc { bind_flags, ..Texture3dDesc::new(format, 8, 8, 8) };
        let volume = h.device.create_texture_3d(&volume, None).unwrap();
        let part = ShaderResourceViewDesc::texture_3d(format, 1, 2);
        assert_eq!(h.device.create_shader_resource_view(&volume, &part).unwrap().to_desc(), part);
        let part = RenderTargetViewDesc::texture_3d(format, 1, 1, 2);
        assert_eq!(h.device.create_render_target_view(&volume, &part).unwrap().to_desc(), part);
        let part = UnorderedAccessViewDesc::texture_3d(format, 1, 1, 2);
        assert_eq!(h.device.create_unordered_access_view(&volume, &part).unwrap().to_desc(), part);
        let depth = Texture1dDesc {
            array_size: 3,
            bind_flags: BindFlags::DEPTH_STENCIL,
            ..Texture1dDesc::new(Format::D32_FLOAT, 8)
        };
        let depth = h.device.create_texture_1d(&depth, None).unwrap();
        for part in [
            DepthStencilViewDesc::texture_1d(Format::D32_FLOAT, 1),
            DepthStencilViewDesc::texture_1d_array(Format::D32_FLOAT, 1, 0, 2),
        ] {
            assert_eq!(h.device.create_depth_stencil_view(&depth, &part).unwrap().to_desc(), part);
        }
        h.assert_silent();
    });
}

/// Descriptor fields added by Direct3D 11.3.
#[test]
fn texture_layouts_and_planes_have_one_value() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let format = Format::R8G8B8A8_UNORM;
        let bind_flags = BindFlags::SHADER_RESOURCE | BindFlags::RENDER_TARGET | BindFlags::UNORDERED_ACCESS;
        for layout in [TextureLayout::Undefined, TextureLayout::RowMajor, TextureLayout::StandardSwizzle64k] {
            let flat = Texture2dDesc { texture_layout: layout, ..Texture2dDesc::new(format, 4, 4) };
            let deep = Texture3dDesc { texture_layout: layout, ..Texture3dDesc::new(format, 4, 4, 4) };
            let results = [
                h.device.create_texture_2d(&flat, None).map(|t| t.desc().texture_layout),
                h.device.create_texture_3d(&deep, None).map(|t| t.desc().texture_layout),
            ];
            for result in results {
                match result {
                    Ok(found) => {
                        assert_eq!((found, layout), (TextureLayout::Undefined, TextureLayout::Undefined));
                    }
                    Err(onze::Error::Unsupported(words)) => {
                        assert!(words.contains(&format!("{layout:?}")), "{words}");
                    }
                    Err(error) => panic!("{layout:?}: {error}"),
                }
            }
        }
        h.take_errors();
        let texture = Texture2dDesc { bind_flags, ..Texture2dDesc::new(format, 4, 4) };
        let texture = h.device.create_texture_2d(&texture, None).unwrap();
        for plane_slice in [0, 1, u32::MAX] {
            let is_made = [
                h.device
                    .create_shader_resource_view(
                        &texture,
                        &ShaderResourceViewDesc { plane_slice, ..Default::default() },
                    )
                    .is_ok(),
                h.device
                    .create_render_target_view(
                        &texture,
                        &RenderTargetViewDesc { plane_slice, ..Default::default() },
                    )
                    .is_ok(),
                h.device
                    .create_unordered_access_view(
                        &texture,
                        &UnorderedAccessViewDesc { plane_slice, ..Default::default() },
                    )
                    .is_ok(),
            ];
            assert_eq!(is_made, [plane_slice == 0; 3], "{plane_slice}");
        }
        assert_eq!(h.take_errors().len(), 6);
    });
}

#[test]
fn queries_keep_their_context_type() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        use ContextType::{All, Compute, Copy, ThreeD, Video};
        assert_eq!(QueryDesc::from(QueryType::Event).context_type, All);
        for (value, context_type) in [All, ThreeD, Compute, Copy, Video].into_iter().enumerate() {
            assert_eq!(context_type as usize, value);
            let desc = QueryDesc { context_type, ..QueryType::Event.into() };
            assert_eq!(h.device.create_query(desc).unwrap().desc(), desc);
        }
        h.assert_silent();
    });
}

#[test]
fn eviction_priorities_are_kept_by_each_resource() {
    on_each(&[Config::NULL], |h| {
        let target = h.device.create_render_target(Format::R8G8B8A8_UNORM, 4, 4).unwrap();
        let buffer = h.device.create_constant_buffer(&[0_u32; 4]).unwrap();
        buffer.set_label("it has a name and no priority");
        assert_eq!(target.texture.eviction_priority(), EvictionPriority::NORMAL);
        assert_eq!(buffer.eviction_priority(), EvictionPriority::NORMAL);
        target.texture.set_eviction_priority(EvictionPriority::MINIMUM);
        buffer.set_eviction_priority(EvictionPriority(0x7800_0001));
        assert_eq!(target.texture.clone().eviction_priority(), EvictionPriority::MINIMUM);
        assert_eq!(buffer.eviction_priority().0, 0x7800_0001);
        assert!(
            EvictionPriority::MINIMUM < EvictionPriority::LOW
                && EvictionPriority::HIGH < EvictionPriority::MAXIMUM
        );
    });
}
