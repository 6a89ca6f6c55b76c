//! Devices: feature levels, flags, threading, memory and removal.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use onze::{AdapterInfo, Features, FormatSupport, prelude::*};
use onze_ddi::{BoxFuture, DdiVersion, Driver, OpenAdapterArgs, OpenAdapterError};
use onze_null::NullDriver;
use onze_tests::{
    Backend, Config, Harness, Quad, Target, assert_error, drawing::assert_all, matrix, on_each,
    watched_device,
};

#[test]
fn core_11_is_granted_and_11_0_is_refused_by_name() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        assert_eq!(h.device.feature_level(), FeatureLevel::Core11);
        let desc =
            |levels: &[FeatureLevel]| DeviceDesc { feature_levels: levels.to_vec(), ..h.config.desc() };
        let device = |levels: &[FeatureLevel]| {
            watched_device(&desc(levels)).map(|(_watch, device, _)| device.feature_level())
        };
        use FeatureLevel as L;
        if h.config.backend == Backend::Null || device(&[]).is_ok() {
            assert_eq!(device(&[]), Ok(L::Core11));
            assert_eq!(device(&[L::Core11]), Ok(L::Core11));
            assert_eq!(device(&[L::Level11_1, L::Level11_0, L::Core11]), Ok(L::Core11));
            for levels in [&[L::Level11_0][..], &[L::Level11_1], &[L::Level11_1, L::Level11_0]] {
                let result = device(levels);
                assert!(
                    matches!(&result, Err(onze::Error::Unsupported(text)) if text.contains("Core11")),
                    "{result:?}"
                );
            }
        }
    });
}

#[test]
fn present_and_missing_features_make_up_all_features() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let support = h.device.check_feature_support();
        assert_eq!(support.features.intersection(support.missing), Features::empty());
        assert_eq!(support.features.union(support.missing), Features::all());
        assert_eq!(support.interface, DdiVersion::V11_1);
        assert!(support.constant_buffer_offsetting && support.map_no_overwrite_on_dynamic_constant_buffer);
    });
}

#[test]
fn shaders_that_read_unsupported_textures_are_refused() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let missing = h.device.check_feature_support().missing;
        for (feature, texture, load) in [
            (Features::TEXTURE_1D_3D, "texture_3d<f32>", "textureLoad(t, vec3u(), 0)"),
            (Features::MULTISAMPLING, "texture_multisampled_2d<f32>", "textureLoad(t, vec2u(), 0)"),
        ] {
            let text = format!(
                "@group(1) @binding(3) var t: {texture};
                @fragment fn ps() -> @location(0) vec4f {{ return {load}; }}"
            );
            let result = h.device.create_pixel_shader(ShaderSource::wgsl(&text, "ps"));
            if missing.contains(feature) {
                let refused = result.unwrap_err();
                let (name, _) = feature.iter_names().next().unwrap();
                assert!(
                    matches!(&refused, onze::Error::Unsupported(text) if text.contains(name)),
                    "{refused}"
                );
            } else {
                assert!(result.is_ok(), "{texture}: {result:?}");
            }
        }
        h.take_errors();
    });
}

#[test]
fn float32_textures_are_filtered_where_the_feature_is() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let filters = h.device.check_feature_support().features.contains(Features::FLOAT32_FILTER);
        for format in [Format::R32_FLOAT, Format::R32G32_FLOAT, Format::R32G32B32A32_FLOAT] {
            let support = h.device.check_format_support(format);
            assert_eq!(support.contains(FormatSupport::SHADER_SAMPLE), filters, "{format:?}");
        }
    });
}

#[test]
fn reported_threading_support_follows_the_configuration() {
    on_each(&matrix(), |h| {
        let support = h.device.check_feature_support();
        let threading = h.config.threading;
        assert_eq!(support.driver_command_lists, threading == ThreadingCaps::CommandLists);
        assert_eq!(support.driver_concurrent_creates, threading >= ThreadingCaps::FreeThreaded);
    });
}

#[test]
fn an_adapter_reports_its_name_kind_and_luid() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let info = h.device.adapter();
        assert!(!info.name.is_empty() && !info.driver.is_empty());
        assert_eq!(info.kind == AdapterKind::Null, h.config.backend == Backend::Null);
        if h.draws() {
            let adapters = enumerate_adapters();
            assert!(adapters.iter().any(|a| a.info() == info), "{info:?} is not in {adapters:?}");
            let numbers: std::collections::BTreeSet<_> = adapters.iter().map(|a| a.info().luid).collect();
            assert_eq!(numbers.len(), adapters.len(), "{adapters:?}");
            assert!(onze::enum_adapter_by_luid(u64::MAX).is_none());
            for adapter in adapters {
                assert_eq!(onze::enum_adapter_by_luid(adapter.info().luid).unwrap().info(), adapter.info());
                let desc = DeviceDesc { adapter: Some(adapter.clone()), ..DeviceDesc::default() };
                let (_watch, device, _immediate) = watched_device(&desc).unwrap();
                assert_eq!(device.adapter(), adapter.info());
            }
        }
    });
}

/// Each option of Direct3D 11.1 to 11.3 works if it is reported as supported, and is refused otherwise.
#[test]
fn feature_options_match_the_working_features() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let support = h.device.check_feature_support();
        let (options, options1, options2) = (support.options, support.options1, support.options2);
        assert!(options.clear_view && options.copy_with_overlap && support.present_allow_tearing);
        assert_eq!(options.constant_buffer_offsetting, support.constant_buffer_offsetting);
        assert_eq!(options.output_merger_logic_op, support.features.contains(Features::LOGIC_OPS));
        assert_eq!(options1.min_max_filtering, support.features.contains(Features::MIN_MAX_FILTERS));
        assert_eq!((options1.tiled_resources_tier, options2.tiled_resources_tier), (0, 0));
        assert!(!support.double_precision_float_shader_ops && !options2.standard_swizzle);
        let is_one_memory =
            matches!(h.device.adapter().kind, AdapterKind::Software | AdapterKind::Integrated);
        assert_eq!(options2.unified_memory_architecture, is_one_memory);
        let text = "struct O { float4 position : SV_Position; uint slice : SV_RenderTargetArrayIndex; };
            O main() { O o = { float4(0, 0, 0, 1), 1 }; return o; }";
        let selects = h.device.create_vertex_shader(ShaderSource::hlsl(text, "main")).is_ok();
        assert_eq!(selects, options2.vp_and_rt_array_index_from_any_shader_feeding_rasterizer);

        let constants = BufferDesc::new(32, BindFlags::CONSTANT_BUFFER);
        let constants = h.device.create_buffer(&constants, None).unwrap();
        let part = Some(Box3d::bytes(16..32));
        h.immediate.update_subresource1(&constants, 0, part, &[2_u8; 16], 0, 0, CopyFlags::NO_OVERWRITE);
        assert_eq!(h.immediate.read_buffer::<u8>(&constants).unwrap()[16..], [2; 16]);
        // Dynamic buffers that shaders read are written without waiting for the GPU.
        let read = BufferDesc::dynamic(16, BindFlags::SHADER_RESOURCE);
        let read = BufferDesc { misc_flags: MiscFlags::BUFFER_ALLOW_RAW_VIEWS, ..read };
        let read = h.device.create_buffer(&read, None).unwrap();
        h.immediate.map(&read, 0, MapType::WriteDiscard).unwrap().fill(1);
        let is_mapped = h.immediate.map(&read, 0, MapType::WriteNoOverwrite).is_ok();
        assert_eq!(is_mapped, options.map_no_overwrite_on_dynamic_buffer_srv);
        let depth = h.device.create_depth_target(Format::D32_FLOAT, 4, 4).unwrap();
        h.immediate.clear_view(
            &depth.depth_stencil_view,
            [0.5; 4],
            &[onze::Rect { left: 0, top: 0, right: 2, bottom: 2 }],
        );
        assert_eq!(h.take_errors().is_empty(), options1.clear_view_also_supports_depth_only_formats);
        if options2.typed_uav_load_additional_formats {
            let support = h.device.check_format_support2(Format::R8G8B8A8_UNORM);
            assert!(support.contains(FormatSupport2::UAV_TYPED_LOAD));
        }
    });
}

#[test]
fn gpu_performance_counters_are_unsupported() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        assert_eq!(h.device.check_counter_info(), CounterInfo::default());
        let desc = |counter, misc_flags| CounterDesc { counter, misc_flags };
        assert_error!(h.device.create_counter(&desc(0x4000_0000, 0)), Unsupported);
        assert_error!(h.device.create_counter(&desc(0x4000_0000, 1)), InvalidArg);
        assert_error!(h.device.create_counter(&desc(0, 0)), InvalidArg);
    });
}

#[test]
fn tiled_resources_have_no_quality_levels() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        use onze::CheckMultisampleQualityLevelsFlags as Flags;
        let levels = |samples, flags| {
            h.device.check_multisample_quality_levels1(Format::R8G8B8A8_UNORM, samples, flags)
        };
        for samples in 0..=32 {
            let plain = h.device.check_multisample_quality_levels(Format::R8G8B8A8_UNORM, samples);
            assert_eq!((levels(samples, Flags::empty()), levels(samples, Flags::TILED_RESOURCE)), (plain, 0));
        }
    });
}

/// See Wine 10.0, d3d11 tests, line 2427.
#[test]
fn a_single_threaded_device_has_no_deferred_contexts() {
    for config in [Config::NULL, Config::GPU] {
        let desc = DeviceDesc { single_threaded: true, ..config.desc() };
        let Some(mut h) = Harness::start_with(config, &desc) else { continue };
        assert_error!(h.device.create_deferred_context(), InvalidCall);
        h.assert_reported(MessageId::CreateDeferredContextInvalid);
        let buffer =
            h.device.create_buffer(&BufferDesc::dynamic(16, BindFlags::VERTEX_BUFFER), None).unwrap();
        h.immediate.map(&buffer, 0, MapType::WriteDiscard).unwrap().fill(3);
        assert_eq!(h.immediate.read_buffer::<u8>(&buffer).unwrap(), [3; 16]);
        drop(buffer);
        h.finish();
    }
}

#[test]
fn draws_are_the_same_without_internal_threads() {
    let flags = [(true, false), (false, true), (true, true)];
    for (single_threaded, prevent) in flags {
        let desc = DeviceDesc {
            single_threaded,
            prevent_internal_threading_optimizations: prevent,
            workers: None,
            ..Config::GPU.desc()
        };
        let Some(mut h) = Harness::start_with(Config::GPU, &desc) else { return };
        let flags = h.device.creation_flags();
        assert_eq!(flags.contains(CreateDeviceFlags::SINGLETHREADED), single_threaded);
        let prevents = CreateDeviceFlags::PREVENT_INTERNAL_THREADING_OPTIMIZATIONS;
        assert_eq!(flags.contains(prevents), prevent);
        assert_eq!(flags.contains(CreateDeviceFlags::DEBUG), desc.debug);
        let (target, quad) = (Target::new(&h.device, 8, 8), Quad::new(&h.device));
        target.bind(&mut h.immediate);
        quad.draw(&mut h.immediate, [0.0, 1.0, 0.0, 1.0]);
        assert_all(&target.read(&mut h), 0xff00_ff00, "green");
        drop((target, quad));
        h.finish();
    }
}

/// See Wine 10.0, d3d11 tests, line 19688.
#[test]
fn both_format_queries_agree_and_unknown_supports_nothing() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        assert_eq!(h.device.check_format_support(Format::UNKNOWN), FormatSupport::empty());
        for format in Format::ALL.iter().copied() {
            let support = h.device.check_format_support(format);
            assert_eq!(support, h.device.check_format_support(format), "{format:?}");
            if support.contains(FormatSupport::BLENDABLE) {
                assert!(support.contains(FormatSupport::RENDER_TARGET), "{format:?}");
            }
            let read = FormatSupport::SHADER_LOAD | FormatSupport::SHADER_SAMPLE;
            if format.is_typeless() {
                assert!(!support.intersects(read), "{format:?} is seen through typed views only");
            }
            if format.is_integer() {
                assert!(!support.contains(FormatSupport::SHADER_SAMPLE), "{format:?} is not filtered");
            }
        }
        // Direct3D 11 requires every device to support these uses.
        let rgba = h.device.check_format_support(Format::R8G8B8A8_UNORM);
        let needed = FormatSupport::TEXTURE2D
            | FormatSupport::SHADER_SAMPLE
            | FormatSupport::RENDER_TARGET
            | FormatSupport::BLENDABLE
            | FormatSupport::IA_VERTEX_BUFFER
            | FormatSupport::MIP_AUTOGEN
            | FormatSupport::CPU_LOCKABLE;
        assert!(rgba.contains(needed), "{rgba:?}");
        assert!(h.device.check_format_support(Format::D32_FLOAT).contains(FormatSupport::DEPTH_STENCIL));
        for format in [Format::R16_UINT, Format::R32_UINT] {
            assert!(h.device.check_format_support(format).contains(FormatSupport::IA_INDEX_BUFFER));
        }
        assert_eq!(h.device.check_multisample_quality_levels(Format::R8G8B8A8_UNORM, 1), 1);
        assert_eq!(h.device.check_multisample_quality_levels(Format::R8G8B8A8_UNORM, 0), 0);
        assert_eq!(h.device.check_multisample_quality_levels(Format::R8G8B8A8_UNORM, 33), 0);
    });
}

#[test]
fn a_memory_budget_is_kept_and_memory_comes_back() {
    const BUDGET: u64 = 8 << 20;
    for config in [Config::NULL, Config::GPU] {
        let desc = DeviceDesc { memory_budget: Some(BUDGET), ..config.desc() };
        let Some(mut h) = Harness::start_with(config, &desc) else { continue };
        let megabyte = BufferDesc::new(1 << 20, BindFlags::VERTEX_BUFFER);
        for round in 0..3 {
            let mut buffers = Vec::new();
            let error = loop {
                match h.device.create_buffer(&megabyte, None) {
                    Ok(buffer) => buffers.push(buffer),
                    Err(error) => break error,
                }
                assert!(buffers.len() <= 8, "the budget is not kept");
            };
            assert!(matches!(error, onze::Error::OutOfMemory(_)), "{config}: {error}");
            h.assert_reported(MessageId::CreateBufferInvalid);
            assert!(buffers.len() >= 4, "{config}, round {round}: only {} fit", buffers.len());
            assert!(h.device.statistics().allocated_bytes <= BUDGET);
            let large =
                Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 2048, 1024) };
            assert_error!(h.device.create_texture_2d(&large, None), OutOfMemory);
            h.assert_reported(MessageId::CreateTexture2dInvalid);
            // Objects that were created before the failure continue to work.
            h.immediate.update_subresource(&buffers[0], 0, None, &vec![7_u8; 1 << 20], 0, 0);
            drop(buffers);
            h.assert_nothing_alive();
        }
        h.get_ready_to_finish();
    }
}

/// Finishes a device whose budget may be too small for [`Harness::finish`].
trait Finish {
    fn get_ready_to_finish(self);
}

impl Finish for Harness {
    fn get_ready_to_finish(self) {
        assert_eq!(self.device.get_device_removed_reason(), Ok(()));
        self.finish();
    }
}

#[test]
fn both_versions_of_the_driver_interface_work() {
    for (versions, expected) in [
        (vec![DdiVersion::V11_0], DdiVersion::V11_0),
        (vec![DdiVersion::V11_1], DdiVersion::V11_1),
        (vec![DdiVersion::V11_1, DdiVersion::V11_0], DdiVersion::V11_1),
        (vec![DdiVersion { interface: 99 << 16, build: 1 }, DdiVersion::V11_0], DdiVersion::V11_0),
    ] {
        let driver = NullDriver { versions, ..NullDriver::default() };
        let desc = DeviceDesc { driver_type: DriverType::Custom(Arc::new(driver)), ..Config::NULL.desc() };
        let mut h = Harness::start_with(Config::NULL, &desc).unwrap();
        let support = h.device.check_feature_support();
        let newer = expected == DdiVersion::V11_1;
        assert_eq!(support.interface, expected);
        assert_eq!(support.constant_buffer_offsetting, newer);
        assert_eq!(support.map_no_overwrite_on_dynamic_constant_buffer, newer);

        // Ranges of constant buffers, and NO_OVERWRITE maps of constant buffers, need the newer interface.
        let desc = BufferDesc::dynamic(1024, BindFlags::CONSTANT_BUFFER);
        let constants = h.device.create_buffer(&desc, None).unwrap();
        let range = ConstantRange { first_constant: 16, num_constants: 16 };
        h.immediate.vs_set_constant_buffers1(0, &constants, &[range]);
        assert_eq!(h.immediate.vs_get_constant_buffers(0, 1)[0].is_some(), newer);
        assert_eq!(h.immediate.map(&constants, 0, MapType::WriteNoOverwrite).is_ok(), newer);
        assert_eq!(h.take_errors().len(), if newer { 0 } else { 2 });
        let vertices =
            h.device.create_buffer(&BufferDesc::dynamic(16, BindFlags::VERTEX_BUFFER), None).unwrap();
        assert!(h.immediate.map(&vertices, 0, MapType::WriteNoOverwrite).is_ok());
        drop((constants, vertices));
        h.finish();
    }
}

#[test]
fn without_a_common_version_there_is_no_device() {
    let alien = DdiVersion { interface: 12 << 16, build: 3 };
    for versions in [vec![], vec![alien]] {
        let driver = NullDriver { versions, ..NullDriver::default() };
        let desc = DeviceDesc { driver_type: DriverType::Custom(Arc::new(driver)), ..DeviceDesc::default() };
        assert_error!(watched_device(&desc), Unsupported);
    }
}

/// A driver without adapters, as on a machine without a GPU.
struct NoAdapters(AtomicUsize);

impl Driver for NoAdapters {
    fn name(&self) -> &str {
        "none"
    }
    fn adapters(&self) -> BoxFuture<'_, Vec<AdapterInfo>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Box::pin(std::future::ready(Vec::new()))
    }
    fn open_adapter(
        &self,
        _: OpenAdapterArgs,
    ) -> BoxFuture<'_, Result<Arc<dyn onze_ddi::AdapterFuncs>, OpenAdapterError>> {
        Box::pin(std::future::ready(Err(OpenAdapterError("there is none".into()))))
    }
}

#[test]
fn without_an_adapter_the_error_says_what_to_install() {
    let driver = Arc::new(NoAdapters(AtomicUsize::new(0)));
    let desc = DeviceDesc { driver_type: DriverType::Custom(driver.clone()), ..DeviceDesc::default() };
    let Err(onze::Error::NotFound(text)) = watched_device(&desc) else { panic!("expected NotFound") };
    assert!(text.contains("mesa-vulkan-drivers") && text.contains("DriverType::Null"), "{text}");
    assert_eq!(driver.0.load(Ordering::Relaxed), 1);
}

#[test]
fn the_runtime_records_lists_if_the_driver_cannot() {
    for threading in [ThreadingCaps::Serialized, ThreadingCaps::FreeThreaded, ThreadingCaps::CommandLists] {
        let driver = NullDriver { threading, ..NullDriver::default() };
        let desc = DeviceDesc { driver_type: DriverType::Custom(Arc::new(driver)), ..Config::NULL.desc() };
        let mut h = Harness::start_with(Config::NULL, &desc).unwrap();
        assert_eq!(
            h.device.check_feature_support().driver_command_lists,
            threading == ThreadingCaps::CommandLists
        );
        let buffer =
            h.device.create_buffer(&BufferDesc::dynamic(16, BindFlags::VERTEX_BUFFER), None).unwrap();
        let mut deferred = h.device.create_deferred_context().unwrap();
        deferred.map(&buffer, 0, MapType::WriteDiscard).unwrap().fill(8);
        let list = deferred.finish_command_list(false).unwrap();
        h.immediate.execute_command_list(&list, false);
        assert_eq!(h.immediate.read_buffer::<u8>(&buffer).unwrap(), [8; 16]);
        drop((buffer, deferred, list));
        h.finish();
    }
}

#[test]
fn two_devices_do_not_share_objects() {
    on_each(&[Config::NULL, Config::GPU], |h| {
        let Some(mut other) = Harness::start(h.config) else { return };
        assert_ne!(h.device, other.device);
        let make = |device: &Device| {
            device.create_buffer(&BufferDesc::dynamic(16, BindFlags::VERTEX_BUFFER), None).unwrap()
        };
        let (mine, theirs) = (make(&h.device), make(&other.device));
        assert_ne!(mine, theirs);
        assert_eq!((mine.device(), theirs.device()), (h.device.clone(), other.device.clone()));
        h.immediate.map(&mine, 0, MapType::WriteDiscard).unwrap().fill(1);
        other.immediate.map(&theirs, 0, MapType::WriteDiscard).unwrap().fill(2);
        assert_eq!(h.immediate.read_buffer::<u8>(&mine).unwrap(), [1; 16]);
        assert_eq!(other.immediate.read_buffer::<u8>(&theirs).unwrap(), [2; 16]);
        assert!(h.immediate.read_buffer::<u8>(&theirs).is_err());
        h.take_errors();
        drop(theirs);
        other.finish();
    });
}

#[test]
fn without_the_debug_flag_only_the_messages_are_missing() {
    for config in [Config::NULL, Config::GPU] {
        let desc = DeviceDesc { debug: false, ..config.desc() };
        let Some(mut h) = Harness::start_with(config, &desc) else { continue };
        h.immediate.draw(3, 0);
        h.immediate.vs_set_constant_buffers(14, None);
        assert_error!(h.device.create_buffer(&BufferDesc::default(), None), InvalidArg);
        assert!(h.device.info_queue().is_empty() && !h.device.info_queue().is_enabled());
        h.finish();
    }
}
