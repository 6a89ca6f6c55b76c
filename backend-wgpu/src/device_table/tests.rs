//! Resources and views on the adapter at hand.
//!
//! Each format and usage works, or is refused with the reason, and none ends in an unexpected wgpu error.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    num::NonZeroU32,
    sync::{Arc, atomic::Ordering},
};

use onze_ddi::{
    BindFlags, BufferDesc, CpuAccessFlags, DsvFlags, ElementDesc, InputClassification, MiscFlags,
    ResourceDesc, SubresourceData, SubresourceRange, Texture2dDesc, TextureViewDesc, Usage, ViewDimension,
};

use super::*;
use crate::{
    interop,
    objects::depth_data,
    services::{convert, packing::packed},
    testing::{self, assert_no_bug, assert_refused},
};

fn key() -> Key {
    Key::new(1, NonZeroU32::MIN)
}

fn buffer(device: &Device, desc: BufferDesc, data: &[u8]) -> Result<Arc<Resource>, CreateError> {
    let data = [SubresourceData { bytes: data, row_pitch: 0, depth_pitch: 0 }];
    let data = if data[0].bytes.is_empty() { &[][..] } else { &data };
    Resource::new(&device.objects, key(), &ResourceDesc::Buffer(desc), data)
}

fn texture(device: &Device, desc: Texture2dDesc) -> Result<Arc<Resource>, CreateError> {
    Resource::new(&device.objects, key(), &ResourceDesc::from(desc), &[])
}

#[test]
fn buffers_hold_what_they_were_given_to_the_last_byte() {
    let Some((device, runtime)) = testing::gpu() else { return };
    for (size, bind) in [
        (1, BindFlags::VERTEX_BUFFER),
        (15, BindFlags::VERTEX_BUFFER | BindFlags::INDEX_BUFFER),
        (4096, BindFlags::INDEX_BUFFER),
        (16, BindFlags::CONSTANT_BUFFER),
        (272, BindFlags::CONSTANT_BUFFER),
        (80_000, BindFlags::CONSTANT_BUFFER),
        (7, BindFlags::empty()),
    ] {
        let bytes: Vec<u8> = (0..size).map(|i| (i % 251) as u8 + 1).collect();
        for desc in
            [BufferDesc::new(size, bind), BufferDesc::dynamic(size, bind), BufferDesc::immutable(size, bind)]
        {
            let made = buffer(&device, desc, &bytes).unwrap();
            let base = made.base_storage().unwrap();
            let mut expected = bytes.clone();
            expected.resize(size.next_multiple_of(4) as usize, 0);
            device.objects.allocator.write_allocated();
            let read = testing::read_buffer(&device, &base.buffer, base.offset, expected.len() as u64);
            assert_eq!(read, expected, "{size} bytes for {bind:?}");
        }
        let made = buffer(&device, BufferDesc::new(size, bind), &[]).unwrap();
        let base = made.base_storage().unwrap();
        device.objects.allocator.write_allocated();
        let read = testing::read_buffer(&device, &base.buffer, base.offset, base.size);
        assert!(read.iter().all(|b| *b == 0), "without contents it is zero");
    }
    runtime.assert_clean();
}

#[test]
fn every_subresource_holds_what_it_was_given() {
    let Some((device, runtime)) = testing::gpu() else { return };
    let mut tested = 0;
    for &format in Format::ALL {
        let Some(physical) = convert::texture_format(format) else { continue };
        // Drawn depth and packed texels are read back through the API, in `tests/tests/planes.rs` and
        // `packed.rs`.
        if format.is_typeless() || depth_data::is_drawn(physical) || packed(format).is_some() {
            continue;
        }
        let mut desc = Texture2dDesc { array_size: 2, ..Texture2dDesc::new(format, 20, 12) };
        desc.mip_levels = desc.resolved_mip_levels();
        let contents: Vec<(Vec<u8>, u32)> = (0..desc.subresources())
            .map(|i| {
                let (width, height) = desc.mip_size(i % desc.mip_levels);
                // The pitch exceeds the row length by an odd number of bytes.
                let pitch = format.row_pitch(width) + 3;
                let len = pitch * format.rows(height);
                ((0..len).map(|b| (b.wrapping_mul(7) + i * 13) as u8 & 0x3f).collect(), pitch)
            })
            .collect();
        let data: Vec<_> = contents
            .iter()
            .map(|(bytes, row_pitch)| SubresourceData { bytes, row_pitch: *row_pitch, depth_pitch: 0 })
            .collect();
        let made = Resource::new(&device.objects, key(), &ResourceDesc::from(desc.clone()), &data);
        assert_no_bug(&made, format);
        let Ok(made) = made else { continue };
        for (i, (bytes, pitch)) in (0u32..).zip(&contents) {
            let (mip, slice) = (i % desc.mip_levels, i / desc.mip_levels);
            let (width, height) = desc.mip_size(mip);
            let row = format.row_pitch(width) as usize;
            let expected: Vec<u8> = (0..format.rows(height) as usize)
                .flat_map(|y| bytes[y * *pitch as usize..][..row].to_vec())
                .collect();
            let read = testing::read_texture(&device, &made.texture().unwrap().texture, mip, slice);
            assert_eq!(read, expected, "{format:?}, mip {mip}, slice {slice}");
        }
        tested += 1;
    }
    assert!(tested > 40, "{tested} formats");
    runtime.assert_clean();
}

#[test]
fn every_format_and_view_works_or_is_refused() {
    let Some((device, runtime)) = testing::gpu() else { return };
    let bindings = [
        BindFlags::empty(),
        BindFlags::SHADER_RESOURCE,
        BindFlags::RENDER_TARGET,
        BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
        BindFlags::DEPTH_STENCIL,
        BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
    ];
    let mut views = 0;
    for &format in Format::ALL {
        for bind_flags in bindings {
            for (mip_levels, array_size, misc_flags) in [
                (1, 1, MiscFlags::empty()),
                (0, 12, MiscFlags::TEXTURECUBE),
                (3, 1, MiscFlags::GENERATE_MIPS),
            ] {
                let desc = Texture2dDesc {
                    mip_levels,
                    array_size,
                    misc_flags,
                    bind_flags,
                    ..Texture2dDesc::new(format, 16, 16)
                };
                let made = texture(&device, desc);
                assert_no_bug(&made, (format, bind_flags));
                if let Ok(made) = made {
                    views += create_views(&device, &made, format, bind_flags, array_size);
                }
            }
        }
    }
    assert!(views > 500, "{views} views");
    assert_eq!(runtime.bytes(), 0, "every resource is given back");
    runtime.assert_clean();
}

/// Creates all views of a texture that D3D11 allows, and returns their number.
fn create_views(
    device: &Device,
    made: &Arc<Resource>,
    format: Format,
    bind_flags: BindFlags,
    slices: u32,
) -> usize {
    let mut views = 0;
    let shapes = [
        (ViewDimension::Texture2d, 1),
        (ViewDimension::Texture2dArray, slices),
        (ViewDimension::TextureCube, 6),
        (ViewDimension::TextureCubeArray, 12),
    ];
    let kinds = [
        (HandleType::ShaderResourceView, BindFlags::SHADER_RESOURCE),
        (HandleType::RenderTargetView, BindFlags::RENDER_TARGET),
        (HandleType::DepthStencilView, BindFlags::DEPTH_STENCIL),
    ];
    for (kind, _) in kinds.into_iter().filter(|(_, needed)| bind_flags.contains(*needed)) {
        for (dimension, count) in shapes.into_iter().filter(|(_, count)| *count <= slices) {
            for &seen in Format::ALL.iter().filter(|f| f.family() == format.family() && !f.is_typeless()) {
                let castable = seen == format || format.is_typeless();
                let is_depth = kind == HandleType::DepthStencilView;
                if !castable || seen.is_depth_stencil() != is_depth {
                    continue;
                }
                let mips = if kind == HandleType::ShaderResourceView {
                    made.texture().unwrap().texture.mip_level_count()
                } else {
                    1
                };
                let range = SubresourceRange { mips, slices: count, ..SubresourceRange::FIRST };
                let desc = TextureViewDesc { format: seen, dimension, range, flags: DsvFlags::empty() };
                let view = View::new(&device.gpu, kind, made, &desc);
                assert_no_bug(&view, (format, desc));
                if let Ok(view) = view {
                    let is_target = kind != HandleType::ShaderResourceView;
                    assert_eq!(view.attachments().len(), if is_target { count as usize } else { 1 });
                    assert_eq!((view.width, view.height), (16, 16));
                    views += 1;
                }
            }
        }
    }
    views
}

#[test]
fn depth_that_shaders_read_is_the_depth_aspect() {
    let Some((device, runtime)) = testing::gpu() else { return };
    for (format, seen) in [
        (Format::R24G8_TYPELESS, Format::R24_UNORM_X8_TYPELESS),
        (Format::R32_TYPELESS, Format::R32_FLOAT),
        (Format::R16_TYPELESS, Format::R16_UNORM),
    ] {
        let bind_flags = BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE;
        let made =
            texture(&device, Texture2dDesc { mip_levels: 1, bind_flags, ..Texture2dDesc::new(format, 8, 4) });
        let range = SubresourceRange::FIRST;
        let desc = TextureViewDesc {
            format: seen,
            dimension: ViewDimension::Texture2d,
            range,
            flags: DsvFlags::empty(),
        };
        let view = View::new(&device.gpu, HandleType::ShaderResourceView, &made.unwrap(), &desc).unwrap();
        assert_eq!(view.sample_type, wgpu::TextureSampleType::Depth, "{format:?}");
        assert!(!view.format.has_stencil_aspect(), "{format:?}");
    }
    runtime.assert_clean();
}

#[test]
fn depth_is_read_in_a_format_that_other_textures_lack() {
    let (device, runtime) = testing::noop_without(wgpu::Features::TEXTURE_FORMAT_16BIT_NORM);
    let support = format_support::format_support(&device.gpu, Format::R16_UNORM);
    assert!(support.contains(FormatSupport::SHADER_LOAD | FormatSupport::SHADER_SAMPLE_COMPARISON));
    assert!(!support.intersects(FormatSupport::TEXTURE2D | FormatSupport::RENDER_TARGET));
    let other = format_support::format_support(&device.gpu, Format::R16G16_UNORM);
    assert!(!other.intersects(FormatSupport::SHADER_LOAD | FormatSupport::TEXTURE2D));
    for (bind_flags, is_depth) in
        [(BindFlags::SHADER_RESOURCE, false), (BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE, true)]
    {
        let desc = Texture2dDesc { bind_flags, ..Texture2dDesc::new(Format::R16_TYPELESS, 8, 4) };
        let made = texture(&device, Texture2dDesc { mip_levels: 1, ..desc }).unwrap();
        let desc = TextureViewDesc {
            format: Format::R16_UNORM,
            dimension: ViewDimension::Texture2d,
            range: SubresourceRange::FIRST,
            flags: DsvFlags::empty(),
        };
        let view = View::new(&device.gpu, HandleType::ShaderResourceView, &made, &desc);
        match view {
            Ok(view) => assert!(is_depth && view.sample_type == wgpu::TextureSampleType::Depth),
            Err(error) => {
                assert!(!is_depth && format!("{error:?}").contains("TEXTURE_FORMAT_16BIT_NORM"), "{error:?}");
            }
        }
    }
    runtime.assert_clean();
}

#[test]
fn a_typeless_texture_is_seen_in_the_formats_of_its_family() {
    let Some((device, _)) = testing::gpu() else { return };
    let made = texture(&device, Texture2dDesc::render_target(Format::R8G8B8A8_TYPELESS, 4, 4)).unwrap();
    let range = SubresourceRange::FIRST;
    let view = |format| {
        let desc =
            TextureViewDesc { format, dimension: ViewDimension::Texture2d, range, flags: DsvFlags::empty() };
        View::new(&device.gpu, HandleType::RenderTargetView, &made, &desc)
    };
    assert_eq!(view(Format::R8G8B8A8_UNORM).unwrap().format, wgpu::TextureFormat::Rgba8Unorm);
    assert_eq!(view(Format::R8G8B8A8_UNORM_SRGB).unwrap().format, wgpu::TextureFormat::Rgba8UnormSrgb);
    assert_eq!(view(Format::R8G8B8A8_UINT).unwrap().format, wgpu::TextureFormat::Rgba8Uint);
    assert_refused(view(Format::B8G8R8A8_UNORM), "B8G8R8A8_UNORM");
}

#[test]
fn oversized_resources_are_refused_before_wgpu_sees_them() {
    let Some((device, runtime)) = testing::gpu() else { return };
    let most = device.gpu.limits.max_texture_dimension_2d;
    let new = Texture2dDesc::new;
    assert_refused(texture(&device, new(Format::R8_UNORM, most + 1, 1)), &most.to_string());
    let slices = device.gpu.limits.max_texture_array_layers + 1;
    assert_refused(
        texture(&device, Texture2dDesc { array_size: slices, ..new(Format::R8_UNORM, 1, 1) }),
        "slices",
    );
    assert_refused(
        texture(&device, new(Format::R10G10B10_XR_BIAS_A2_UNORM, 4, 4)),
        "R10G10B10_XR_BIAS_A2_UNORM",
    );
    assert_refused(texture(&device, new(Format::BC1_UNORM, 6, 4)), "4x4");
    let three = Texture2dDesc { sample_count: 3, ..Texture2dDesc::render_target(Format::R8_UNORM, 4, 4) };
    assert_refused(texture(&device, three), "3 samples");
    assert_eq!(runtime.bytes(), 0);
    runtime.assert_clean();
}

#[test]
fn a_budget_that_is_spent_is_out_of_memory_and_nothing_is_made() {
    let (device, runtime) = testing::noop();
    runtime.budget.store(100, Ordering::Relaxed);
    let made = buffer(&device, BufferDesc::new(101, BindFlags::VERTEX_BUFFER), &[]);
    assert_eq!(made.map(drop), Err(CreateError::OutOfMemory));
    drop(buffer(&device, BufferDesc::new(100, BindFlags::VERTEX_BUFFER), &[]).unwrap());
    assert_eq!(runtime.bytes(), 0);
}

#[test]
fn back_buffer_memory_is_given_back_once() {
    let (device, runtime) = testing::noop();
    let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 5, 5) };
    let held = Resource::new_primary(&device.objects, key(), &ResourceDesc::from(desc), None).unwrap();
    assert_eq!(runtime.bytes(), 100);
    held.deallocate_primary();
    assert_eq!(runtime.bytes(), 0, "given back though it is held");
    drop(held);
    runtime.assert_clean();
}

#[test]
fn an_unused_buffer_goes_at_once_and_a_texture_with_a_flush() {
    let (device, runtime) = testing::noop();
    let table = DeviceTable(device.clone());
    for bind in [BindFlags::CONSTANT_BUFFER, BindFlags::VERTEX_BUFFER] {
        for contents in [&[][..], &[1; 64]] {
            let unused = buffer(&device, BufferDesc::new(64, bind), contents).unwrap();
            table.destroy_unused(HandleType::Resource, unused);
            assert_eq!(runtime.bytes(), 0, "{bind:?}");
        }
    }
    let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
    table.destroy_unused(HandleType::Resource, texture(&device, desc).unwrap());
    assert_eq!(runtime.bytes(), 64);
    device.submission.retire_destroyed();
    assert_eq!(runtime.bytes(), 0);
    let used = buffer(&device, BufferDesc::new(64, BindFlags::CONSTANT_BUFFER), &[]).unwrap();
    table.destroy(HandleType::Resource, used);
    assert_eq!(runtime.bytes(), 64, "commands may use it");
    device.submission.retire_destroyed();
    assert_eq!(runtime.bytes(), 0);
}

#[test]
fn a_texture_counts_all_its_subresources() {
    let (device, runtime) = testing::noop();
    let desc = Texture2dDesc { array_size: 3, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
    let _held = texture(&device, desc).unwrap();
    assert_eq!(runtime.bytes(), 3 * 4 * (16 + 4 + 1));
}

#[test]
fn a_texture_is_freed_unless_interop_holds_it() {
    let (device, runtime) = testing::noop();
    let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
    // A write fails after the texture was destroyed, because wgpu refuses writes to destroyed textures.
    let exists = |texture: &wgpu::Texture| {
        let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(16), rows_per_image: None };
        let write = || {
            device.gpu.queue.write_texture(texture.as_image_copy(), &[0; 64], layout, texture.size());
        };
        device.gpu.guarded(write).is_ok()
    };
    let made: Arc<Resource> = texture(&device, desc.clone()).unwrap();
    let known = made.texture().unwrap().texture.clone();
    assert!(exists(&known));
    drop(made);
    assert!(!exists(&known));
    let made: DriverObject = texture(&device, desc).unwrap();
    let object = DeviceTable(device.clone()).driver_object_of(HandleType::Resource, &made);
    let lent = interop::texture(&object).unwrap();
    drop((made, object));
    assert!(exists(&lent));
    runtime.assert_clean();
}

#[test]
fn the_device_s_object_keeps_no_device() {
    let (device, _runtime) = testing::noop();
    let object = DeviceTable(device.clone()).driver_object();
    assert!(interop::device_and_queue(&object).is_some_and(|(wgpu, _)| wgpu == device.gpu.device));
    assert!(interop::texture(&object).is_none());
    let weak = Arc::downgrade(&device);
    drop(device);
    assert!(weak.upgrade().is_none());
    assert!(interop::device_and_queue(&object).is_none());
}

#[test]
fn destroyed_objects_go_when_the_graveyard_is_drained() {
    let (device, runtime) = testing::noop();
    let table = DeviceTable(device.clone());
    let desc = ResourceDesc::Buffer(BufferDesc::new(64, BindFlags::VERTEX_BUFFER));
    let object =
        table.create(key(), &ObjectDesc::Resource { desc: &desc, initial_data: &[] }, &mut []).unwrap();
    let lent = table.driver_object_of(HandleType::Resource, &object);
    assert!(interop::texture(&lent).is_none() && interop::texture_view(&lent).is_none());
    table.destroy(HandleType::Resource, object);
    assert_eq!(runtime.bytes(), 64);
    device.submission.retire_destroyed();
    assert_eq!(runtime.bytes(), 0);
}

#[test]
fn staging_resources_are_made_from_the_same_descriptors() {
    let (device, runtime) = testing::noop();
    let access = CpuAccessFlags::READ | CpuAccessFlags::WRITE;
    let made = buffer(&device, BufferDesc::staging(33, access), &[1; 33]).unwrap();
    assert!(made.staging().is_some() && made.base_storage().is_none());
    let made = texture(&device, Texture2dDesc::staging(Format::R8G8B8A8_UNORM, 5, 5, access)).unwrap();
    assert!(made.staging().is_some() && made.desc.usage() == Usage::Staging);
    runtime.assert_clean();
}

#[test]
fn an_uncaptured_wgpu_error_removes_the_device_once() {
    let (device, runtime) = testing::noop();
    for _ in 0..2 {
        drop(device.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("mistake"),
            size: 16,
            usage: wgpu::BufferUsages::empty(),
            mapped_at_creation: false,
        }));
    }
    assert!(device.gpu.is_lost());
    assert_eq!((runtime.bugs.lock().unwrap().len(), runtime.removed.lock().unwrap().len()), (1, 1));
    let made = buffer(&device, BufferDesc::new(16, BindFlags::VERTEX_BUFFER), &[]);
    assert!(matches!(made, Err(CreateError::DeviceRemoved(_))));
}

#[test]
fn format_support_keeps_its_word() {
    let Some((device, runtime)) = testing::gpu() else { return };
    for &format in Format::ALL {
        let support = format_support::format_support(&device.gpu, format);
        let works = |bind_flags, misc_flags| {
            let desc =
                Texture2dDesc { mip_levels: 2, bind_flags, misc_flags, ..Texture2dDesc::new(format, 8, 8) };
            texture(&device, desc).is_ok()
        };
        let none = MiscFlags::empty();
        if support.contains(FormatSupport::TEXTURE2D) && !format.is_typeless() {
            assert!(works(BindFlags::SHADER_RESOURCE, none), "{format:?}");
        }
        if !format.is_typeless() {
            assert_eq!(
                works(BindFlags::RENDER_TARGET, none),
                support.contains(FormatSupport::RENDER_TARGET),
                "{format:?}"
            );
            assert_eq!(
                works(BindFlags::DEPTH_STENCIL, none),
                support.contains(FormatSupport::DEPTH_STENCIL),
                "{format:?}"
            );
        }
        if support.contains(FormatSupport::MIP_AUTOGEN) {
            assert!(
                works(BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE, MiscFlags::GENERATE_MIPS),
                "{format:?}"
            );
        }
        let element = ElementDesc {
            location: 0,
            format,
            input_slot: 0,
            offset: 0,
            class: InputClassification::PerVertexData,
            step_rate: 0,
        };
        let in_layout = ElementLayout::new(&device.gpu, &[element]).is_ok();
        assert_eq!(in_layout, support.contains(FormatSupport::IA_VERTEX_BUFFER), "{format:?}");
    }
    let back_buffer = format_support::format_support(&device.gpu, Format::R8G8B8A8_UNORM);
    assert!(back_buffer.contains(
        FormatSupport::DISPLAY
            | FormatSupport::RENDER_TARGET
            | FormatSupport::BLENDABLE
            | FormatSupport::SHADER_SAMPLE
    ));
    runtime.assert_clean();
}

#[test]
fn threads_that_come_and_go_leave_no_memory_behind() {
    let (device, runtime) = testing::noop();
    let table = DeviceTable(device.clone());
    // There are more threads than caches, and each thread drops the objects of the previous thread.
    let mut made = Vec::new();
    for _ in 0..40 {
        made = std::thread::scope(|scope| {
            let worker = scope.spawn(|| {
                made.into_iter().for_each(|object| table.destroy_unused(HandleType::Resource, object));
                let desc = BufferDesc::new(64, BindFlags::CONSTANT_BUFFER);
                (0..50).map(|_| buffer(&device, desc.clone(), &[1; 64]).unwrap() as DriverObject).collect()
            });
            worker.join().unwrap()
        });
    }
    let heap = device.objects.allocator.heap();
    assert_eq!(heap.bytes - heap.free, 50 * 256, "what waits in a cache is free");
    assert_eq!(heap.bytes, 256 << 10, "one chunk has room for all caches, as for 1,024 ranges");
    made.into_iter().for_each(|object| table.destroy_unused(HandleType::Resource, object));
    assert_eq!((device.objects.allocator.heap().free, runtime.bytes()), (heap.bytes, 0));
}
