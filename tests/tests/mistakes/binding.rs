//! Mistakes in setters: wrong buffers, slots and ranges, and objects of another device.

use onze::prelude::*;

use super::{Mistake, row, scene::EXTENT};

pub(crate) const MISTAKES: &[Mistake] = &[
    row(
        "vertex buffer as constants",
        &[
            "`vs_set_constant_buffers` for slot 2",
            "buffer \"vertices\"",
            "CONSTANT_BUFFER",
            "VERTEX_BUFFER",
            "add the flag",
        ],
        |s| {
            s.context.vs_set_constant_buffers(2, &s.vertices);
            Ok(())
        },
    ),
    row(
        "index buffer as vertices",
        &["`ia_set_vertex_buffers` for slot 1", "buffer \"indices\"", "VERTEX_BUFFER", "add the flag"],
        |s| {
            s.context.ia_set_vertex_buffers(1, VertexBufferBinding::new(&s.indices, 4));
            Ok(())
        },
    ),
    row(
        "vertex buffer as indices",
        &["`ia_set_index_buffer`", "buffer \"vertices\"", "INDEX_BUFFER", "add the flag"],
        |s| {
            s.context.ia_set_index_buffer(&s.vertices, Format::R16_UINT, 0);
            Ok(())
        },
    ),
    row("slot beyond the last one", &["`ps_set_constant_buffers`", "slot 14", "0 to 13"], |s| {
        s.context.ps_set_constant_buffers(14, &s.camera);
        Ok(())
    }),
    row("texture slot beyond the last one", &["`ps_set_shader_resources`", "slot 128", "0 to 127"], |s| {
        s.context.ps_set_shader_resources(128, &s.albedo_view);
        Ok(())
    }),
    row("stride beyond the most", &["buffer \"vertices\"", "slot 0", "4096", "at most 2048"], |s| {
        s.context.ia_set_vertex_buffers(0, VertexBufferBinding::new(&s.vertices, 4096));
        Ok(())
    }),
    row("indices of a colour format", &["R8G8B8A8_UNORM", "buffer \"indices\"", "R16_UINT (u16)"], |s| {
        s.context.ia_set_index_buffer(&s.indices, Format::R8G8B8A8_UNORM, 0);
        Ok(())
    }),
    row("odd offset of indices", &["buffer \"indices\"", "1 bytes", "multiple of 2"], |s| {
        s.context.ia_set_index_buffer(&s.indices, Format::R16_UINT, 1);
        Ok(())
    }),
    row(
        "range of constants that is not aligned",
        &["`vs_set_constant_buffers1`", "16 constants from constant 1 on", "256 bytes"],
        |s| {
            let range = ConstantRange { first_constant: 1, num_constants: 16 };
            s.context.vs_set_constant_buffers1(0, &s.camera, &[range]);
            Ok(())
        },
    ),
    row("viewport of a negative size", &["viewport 0", "-4", "at least 0"], |s| {
        s.context.rs_set_viewports(Viewport::sized(-4.0, 4.0));
        Ok(())
    }),
    row(
        "viewport of a wrong depth range",
        &["viewport 0", "depths from 0 to 2", "min_depth <= max_depth <= 1"],
        |s| {
            s.context.rs_set_viewports(Viewport { max_depth: 2.0, ..Viewport::sized(4.0, 4.0) });
            Ok(())
        },
    ),
    row(
        "targets of different sizes",
        &["texture \"small\"", "texture \"picture\"", "4 x 4", "16 x 16", "one size"],
        |s| {
            let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 4, 4).label("small");
            let small = s.device.create_texture_2d(&desc, None)?;
            let small = s.device.create_render_target_view(&small, None)?;
            s.context.om_set_render_targets([&s.target, &small], None);
            Ok(())
        },
    ),
    row(
        "depth that is too small",
        &["texture \"small\"", "4 x 4", "at least as large as the render target"],
        |s| {
            let desc = Texture2dDesc::depth_stencil(Format::D32_FLOAT, 4, 4).label("small");
            let small = s.device.create_texture_2d(&desc, None)?;
            let small = s.device.create_depth_stencil_view(&small, None)?;
            s.context.om_set_render_targets(&s.target, &small);
            Ok(())
        },
    ),
    row(
        "target that is bound twice",
        &["texture \"picture\"", "given twice", "different subresources"],
        |s| {
            s.context.om_set_render_targets([&s.target, &s.target], None);
            Ok(())
        },
    ),
    row(
        "target that is read",
        &["`ps_set_shader_resources` for slot 3", "texture \"picture\"", "Unbind the output first"],
        |s| {
            let view = s.device.create_shader_resource_view(&s.picture, None)?;
            s.context.om_set_render_targets(&s.target, None);
            s.context.ps_set_shader_resources(3, &view);
            Ok(())
        },
    ),
    row(
        "texture that is read becomes a target",
        &["texture \"albedo\"", "slot t0 of the pixel stage", "Unbind them before"],
        |s| {
            s.context.ps_set_shader_resources(0, &s.albedo_view);
            let view = s.device.create_render_target_view(&s.albedo, None)?;
            s.context.om_set_render_targets(&view, None);
            Ok(())
        },
    ),
    row(
        "buffer of another device",
        &["`ps_set_constant_buffers` for slot 1", "buffer \"stranger\"", "another device", "belong"],
        |s| {
            let (_watch, other, _context) = s.other_device();
            let desc = BufferDesc::new(16, BindFlags::CONSTANT_BUFFER).label("stranger");
            let stranger = other.create_buffer(&desc, None)?;
            s.context.ps_set_constant_buffers(1, &stranger);
            Ok(())
        },
    ),
    row(
        "target of another device",
        &[
            "`om_set_render_targets` for slot 0",
            "render-target view of texture \"stranger\"",
            "another device",
        ],
        |s| {
            let (_watch, other, _context) = s.other_device();
            let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, EXTENT, EXTENT).label("stranger");
            let stranger = other.create_texture_2d(&desc, None)?;
            let stranger = other.create_render_target_view(&stranger, None)?;
            s.context.om_set_render_targets(&stranger, None);
            Ok(())
        },
    ),
];
