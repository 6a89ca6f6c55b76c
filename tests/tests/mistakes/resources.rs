//! Mistakes in maps, copies and updates of buffers and textures, and the words that the messages must
//! contain.

use onze::prelude::*;

use super::{Mistake, row};

pub(crate) const MISTAKES: &[Mistake] = &[
    row(
        "copy of a part of a structure",
        &["buffer \"items\"", "complete structures of 8 bytes", "multiples of that"],
        |s| {
            let desc = BufferDesc::structured(8, 4, BindFlags::SHADER_RESOURCE);
            let (items, others) = (s.buffer(desc.clone(), "items"), s.buffer(desc, "others"));
            s.context.copy_subresource_region(&items, 0, [8, 0, 0], &others, 0, Some(Box3d::bytes(4..12)));
            Ok(())
        },
    ),
    row(
        "copy to structures of another size",
        &["buffer \"items\"", "destination have 8 bytes", "source 16", "one structure_byte_stride"],
        |s| {
            let desc = |stride| BufferDesc::structured(stride, 4, BindFlags::SHADER_RESOURCE);
            let (items, others) = (s.buffer(desc(8), "items"), s.buffer(desc(16), "others"));
            s.context.copy_subresource_region(&items, 0, [0; 3], &others, 0, Some(Box3d::bytes(0..16)));
            Ok(())
        },
    ),
    row(
        "map of a default buffer",
        &["buffer \"plain\"", "Usage::Dynamic", "found Default", "`update_subresource`"],
        |s| {
            let plain = s.buffer(BufferDesc::new(64, BindFlags::CONSTANT_BUFFER), "plain");
            s.context.map(&plain, 0, MapType::WriteDiscard).map(drop)
        },
    ),
    row(
        "read of a dynamic buffer",
        &["buffer \"camera\"", "Usage::Staging", "found Dynamic", "staging resource"],
        |s| s.context.map(&s.camera, 0, MapType::Read).map(drop),
    ),
    row("read of a staging buffer for writing", &["buffer \"upload\"", "READ", "add the flag"], |s| {
        let upload = s.buffer(BufferDesc::staging(64, CpuAccessFlags::WRITE), "upload");
        s.context.map(&upload, 0, MapType::Read).map(drop)
    }),
    row("map of what is mapped", &["buffer \"camera\"", "mapped already", "unmap it"], |s| {
        let _first = s.context.map_owned(&s.camera, 0, MapType::WriteDiscard)?;
        s.context.map_owned(&s.camera, 0, MapType::WriteDiscard).map(drop)
    }),
    row(
        "map of a subresource that is not there",
        &["buffer \"camera\"", "no subresource 1", "it has 1"],
        |s| s.context.map(&s.camera, 1, MapType::WriteDiscard).map(drop),
    ),
    row(
        "write beyond the constants",
        &["buffer \"camera\"", "60..76", "64 bytes", "nothing was written", "larger"],
        |s| {
            s.context.vs_set_constant_buffers(0, &s.camera);
            s.context.map(&s.camera, 0, MapType::WriteDiscard)?.write(60, &[1.0_f32; 4]);
            Ok(())
        },
    ),
    row(
        "write beyond a vertex buffer",
        &["buffer \"stream\"", "0..80", "64 bytes", "nothing was written"],
        |s| {
            let stream = s.buffer(BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER), "stream");
            s.context.map(&stream, 0, MapType::WriteDiscard)?.write_slice(0, &[1.0_f32; 20]);
            Ok(())
        },
    ),
    row("slice beyond the map", &["`slice_mut`", "buffer \"camera\"", "32..96", "64 bytes"], |s| {
        assert!(s.context.map(&s.camera, 0, MapType::WriteDiscard)?.slice_mut(32..96).is_empty());
        Ok(())
    }),
    row(
        "values that are larger than the map",
        &["`as_slice`", "buffer \"readback\"", "64 bytes", "16 bytes", "smaller type"],
        |s| {
            let readback = s.buffer(BufferDesc::staging(16, CpuAccessFlags::READ), "readback");
            assert!(s.context.map(&readback, 0, MapType::Read)?.as_slice::<[f32; 16]>().is_empty());
            Ok(())
        },
    ),
    row(
        "write to what is mapped for reading",
        &["buffer \"readback\"", "does not reach it", "MapType::ReadWrite"],
        |s| {
            let readback = s.buffer(BufferDesc::staging(16, CpuAccessFlags::READ), "readback");
            s.context.map(&readback, 0, MapType::Read)?.write(0, &1.0_f32);
            Ok(())
        },
    ),
    row(
        "no-overwrite first in a deferred context",
        &["buffer \"camera\"", "first map the resource with WriteDiscard"],
        |s| {
            let mut deferred = s.device.create_deferred_context()?;
            deferred.map(&s.camera, 0, MapType::WriteNoOverwrite).map(drop)
        },
    ),
    row(
        "copy to a smaller buffer",
        &["buffer \"vertices\"", "buffer \"small\"", "16 bytes", "60", "copy_subresource_region"],
        |s| {
            let small = s.buffer(BufferDesc::new(16, BindFlags::VERTEX_BUFFER), "small");
            s.context.copy_resource(&small, &s.vertices);
            Ok(())
        },
    ),
    row(
        "copy between formats",
        &[
            "texture \"picture\"",
            "texture \"hdr\"",
            "R8G8B8A8_UNORM cannot be copied to R16G16B16A16_FLOAT",
            "one typeless family",
        ],
        |s| {
            let desc = Texture2dDesc::render_target(Format::R16G16B16A16_FLOAT, 16, 16).label("hdr");
            let hdr = s.device.create_texture_2d(&desc, None)?;
            s.context.copy_resource(&hdr, &s.picture);
            Ok(())
        },
    ),
    row("copy onto itself", &["texture \"picture\"", "the same resource", "another one"], |s| {
        s.context.copy_resource(&s.picture, &s.picture);
        Ok(())
    }),
    row(
        "copy from a buffer to a texture",
        &["buffer \"vertices\"", "texture \"picture\"", "cannot be copied to a texture"],
        |s| {
            s.context.copy_resource(&s.picture, &s.vertices);
            Ok(())
        },
    ),
    row(
        "region outside of the source",
        &["texture \"albedo\"", "the box from (8, 8, 0)", "16 x 16", "make the box smaller"],
        |s| {
            let region = Box3d::rect(8, 8, 24, 24);
            s.context.copy_subresource_region(&s.picture, 0, [0; 3], &s.albedo, 0, Some(region));
            Ok(())
        },
    ),
    row(
        "region that leaves the destination",
        &["texture \"picture\"", "(24, 24)", "16 x 16", "smaller box"],
        |s| {
            s.context.copy_subresource_region(&s.picture, 0, [8, 8, 0], &s.albedo, 0, None);
            Ok(())
        },
    ),
    row(
        "update of an immutable buffer",
        &["buffer \"vertices\"", "Usage::Default", "found Immutable", "default usage"],
        |s| {
            s.context.update_subresource(&s.vertices, 0, None, &[0_u8; 60], 0, 0);
            Ok(())
        },
    ),
    row(
        "update of a dynamic buffer",
        &["buffer \"camera\"", "found Dynamic", "MapType::WriteDiscard"],
        |s| {
            s.context.update_subresource(&s.camera, 0, None, &[0.0_f32; 16], 0, 0);
            Ok(())
        },
    ),
    row("update with too few bytes", &["buffer \"plain\"", "64 bytes", "16 are given", "all of them"], |s| {
        let plain = s.buffer(BufferDesc::new(64, BindFlags::CONSTANT_BUFFER), "plain");
        s.context.update_subresource(&plain, 0, None, &[0.0_f32; 4], 0, 0);
        Ok(())
    }),
    row("update of a part of constants", &["buffer \"plain\"", "updated completely", "None"], |s| {
        let plain = s.buffer(BufferDesc::new(64, BindFlags::CONSTANT_BUFFER), "plain");
        s.context.update_subresource(&plain, 0, Some(Box3d::bytes(0..16)), &[0.0_f32; 4], 0, 0);
        Ok(())
    }),
    row(
        "update of a texture without a row pitch",
        &["texture \"picture\"", "64 bytes", "row pitch is 0"],
        |s| {
            s.context.update_subresource(&s.picture, 0, None, &[0_u32; 256], 0, 0);
            Ok(())
        },
    ),
    row(
        "mips of a texture without the flag",
        &["texture \"albedo\"", "GENERATE_MIPS", "add the flag"],
        |s| {
            s.context.generate_mips(&s.albedo_view);
            Ok(())
        },
    ),
    row("clear of depth with a NaN", &["texture \"depth\"", "NaN", "0.0 to 1.0"], |s| {
        s.context.clear_depth_stencil_view(&s.depth, ClearFlags::DEPTH, f32::NAN, 0);
        Ok(())
    }),
];
