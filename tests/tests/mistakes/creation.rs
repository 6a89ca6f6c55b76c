//! Mistakes in the descriptors of buffers, textures, views, layouts and states, and the words that the
//! messages must contain.

use onze::prelude::*;

use super::{Mistake, Outcome, Scene, row};

/// Creates an unordered-access view of four elements with the given flags.
fn counted_view(s: &Scene, desc: &BufferDesc, flags: BufferUavFlags) -> Outcome {
    let buffer = s.device.create_buffer(desc, None)?;
    let dimension = UnorderedAccessViewDimension::Buffer { first_element: 0, num_elements: 4, flags };
    let desc =
        UnorderedAccessViewDesc { format: Format::UNKNOWN, dimension: Some(dimension), ..Default::default() };
    s.device.create_unordered_access_view(&buffer, Some(&desc)).map(drop)
}

pub(crate) const MISTAKES: &[Mistake] = &[
    row(
        "constant buffer of an odd size",
        &["buffer \"light\"", "multiple of 16", "found 20", "make it 32"],
        |s| {
            let desc = BufferDesc::new(20, BindFlags::CONSTANT_BUFFER).label("light");
            s.device.create_buffer(&desc, None).map(drop)
        },
    ),
    row("buffer without bytes", &["buffer \"empty\"", "byte_width is 0", "at least one byte"], |s| {
        s.device.create_buffer(&BufferDesc::new(0, BindFlags::VERTEX_BUFFER).label("empty"), None).map(drop)
    }),
    row(
        "constants and vertices in one buffer",
        &["buffer \"both\"", "cannot be combined", "a buffer for each use"],
        |s| {
            let desc =
                BufferDesc::new(64, BindFlags::CONSTANT_BUFFER | BindFlags::VERTEX_BUFFER).label("both");
            s.device.create_buffer(&desc, None).map(drop)
        },
    ),
    row(
        "structures of an odd size",
        &["buffer \"items\"", "multiple of 4 from 4 to 2048", "found 6", "pad the structure"],
        |s| {
            let desc = BufferDesc::structured(6, 4, BindFlags::SHADER_RESOURCE).label("items");
            s.device.create_buffer(&desc, None).map(drop)
        },
    ),
    row(
        "structures that are arguments",
        &["buffer \"items\"", "BUFFER_STRUCTURED and DRAWINDIRECT_ARGS exclude", "for each use"],
        |s| {
            let mut desc = BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS).label("items");
            desc.misc_flags |= MiscFlags::DRAWINDIRECT_ARGS;
            s.device.create_buffer(&desc, None).map(drop)
        },
    ),
    row(
        "raw views of what no shader sees",
        &["buffer \"words\"", "BUFFER_ALLOW_RAW_VIEWS", "found VERTEX_BUFFER", "bind flags"],
        |s| {
            let desc = BufferDesc::raw(64, BindFlags::VERTEX_BUFFER).label("words");
            s.device.create_buffer(&desc, None).map(drop)
        },
    ),
    row("immutable buffer without contents", &["buffer \"mesh\"", "contents", "default usage"], |s| {
        s.device
            .create_buffer(&BufferDesc::immutable(12, BindFlags::VERTEX_BUFFER).label("mesh"), None)
            .map(drop)
    }),
    row(
        "contents that are too short",
        &["buffer \"mesh\"", "8 bytes", "byte_width is 12", "at least as many"],
        |s| {
            let desc = BufferDesc::immutable(12, BindFlags::VERTEX_BUFFER).label("mesh");
            s.device.create_buffer(&desc, Some(&[0; 8])).map(drop)
        },
    ),
    row("dynamic render target", &["texture \"target\"", "dynamic usage", "default usage"], |s| {
        let desc = Texture2dDesc {
            usage: Usage::Dynamic,
            cpu_access_flags: CpuAccessFlags::WRITE,
            ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 8, 8)
        };
        s.device.create_texture_2d(&desc.label("target"), None).map(drop)
    }),
    row(
        "dynamic buffer without processor access",
        &["buffer \"stream\"", "CpuAccessFlags::WRITE", "cpu_access_flags"],
        |s| {
            let desc = BufferDesc { usage: Usage::Dynamic, ..BufferDesc::new(64, BindFlags::VERTEX_BUFFER) };
            s.device.create_buffer(&desc.label("stream"), None).map(drop)
        },
    ),
    row(
        "staging buffer that is bound",
        &["buffer \"readback\"", "staging usage cannot be bound", "copy"],
        |s| {
            let desc = BufferDesc {
                bind_flags: BindFlags::VERTEX_BUFFER,
                ..BufferDesc::staging(64, CpuAccessFlags::READ)
            };
            s.device.create_buffer(&desc.label("readback"), None).map(drop)
        },
    ),
    row(
        "one level of contents for a mip chain",
        &["texture \"wood\"", "1 subresources", "4 mip levels", "`mip_levels` to 1"],
        |s| {
            let data = SubresourceData { bytes: &[0; 256], row_pitch: 32, depth_pitch: 0 };
            let desc = Texture2dDesc::new(Format::R8G8B8A8_UNORM, 8, 8).label("wood");
            s.device.create_texture_2d(&desc, Some(&[data])).map(drop)
        },
    ),
    row("contents with too small a row pitch", &["texture \"wood\"", "32 bytes", "row pitch is 8"], |s| {
        let data = SubresourceData { bytes: &[0; 256], row_pitch: 8, depth_pitch: 0 };
        let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 8, 8) };
        s.device.create_texture_2d(&desc.label("wood"), Some(&[data])).map(drop)
    }),
    row("texture that is too wide", &["texture \"atlas\"", "1 to 16384", "found 20000"], |s| {
        s.device
            .create_texture_2d(&Texture2dDesc::new(Format::R8G8B8A8_UNORM, 20000, 8).label("atlas"), None)
            .map(drop)
    }),
    row("depth texture of a colour format", &["texture \"shadow\"", "R8G8B8A8_UNORM", "D32_FLOAT"], |s| {
        let desc = Texture2dDesc::depth_stencil(Format::R8G8B8A8_UNORM, 8, 8).label("shadow");
        s.device.create_texture_2d(&desc, None).map(drop)
    }),
    row(
        "depth texture that shaders read",
        &["texture \"shadow\"", "D32_FLOAT", "create the texture with R32_TYPELESS"],
        |s| {
            let desc = Texture2dDesc {
                bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
                ..Texture2dDesc::depth_stencil(Format::D32_FLOAT, 8, 8)
            };
            s.device.create_texture_2d(&desc.label("shadow"), None).map(drop)
        },
    ),
    row("texture with a flag of buffers", &["VERTEX_BUFFER | CONSTANT_BUFFER is for buffers only"], |s| {
        let bind_flags = BindFlags::VERTEX_BUFFER | BindFlags::CONSTANT_BUFFER;
        let desc = Texture2dDesc { bind_flags, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
        s.device.create_texture_2d(&desc, None).map(drop)
    }),
    row("texture with a misc flag of buffers", &["BUFFER_STRUCTURED is for buffers only"], |s| {
        let misc_flags = MiscFlags::BUFFER_STRUCTURED;
        let desc = Texture2dDesc { misc_flags, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
        s.device.create_texture_2d(&desc, None).map(drop)
    }),
    row("depth and unordered access", &["DEPTH_STENCIL and UNORDERED_ACCESS are mutually exclusive"], |s| {
        let bind_flags = BindFlags::DEPTH_STENCIL | BindFlags::UNORDERED_ACCESS;
        let desc = Texture2dDesc { bind_flags, ..Texture2dDesc::new(Format::D32_FLOAT, 4, 4) };
        s.device.create_texture_2d(&desc, None).map(drop)
    }),
    row(
        "mips that cannot be generated",
        &["needs RENDER_TARGET and SHADER_RESOURCE, found SHADER_RESOURCE"],
        |s| {
            let misc_flags = MiscFlags::GENERATE_MIPS;
            let desc = Texture2dDesc { misc_flags, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
            s.device.create_texture_2d(&desc, None).map(drop)
        },
    ),
    row(
        "multisampled texture that is only read",
        &["RENDER_TARGET or DEPTH_STENCIL, found SHADER_RESOURCE"],
        |s| {
            let desc = Texture2dDesc { sample_count: 4, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4) };
            s.device.create_texture_2d(&desc, None).map(drop)
        },
    ),
    row("texture without a format", &["texture \"nothing\"", "needs a format", "R8G8B8A8_UNORM"], |s| {
        s.device
            .create_texture_2d(&Texture2dDesc::new(Format::UNKNOWN, 8, 8).label("nothing"), None)
            .map(drop)
    }),
    row(
        "render-target view of what is no target",
        &["texture \"wood\"", "RENDER_TARGET", "add the flag"],
        |s| {
            let wood = s
                .device
                .create_texture_2d(&Texture2dDesc::new(Format::R8G8B8A8_UNORM, 8, 8).label("wood"), None)?;
            s.device.create_render_target_view(&wood, None).map(drop)
        },
    ),
    row(
        "view of another format",
        &["texture \"picture\"", "R8G8B8A8_UNORM_SRGB", "R8G8B8A8_TYPELESS"],
        |s| {
            let desc = RenderTargetViewDesc { format: Format::R8G8B8A8_UNORM_SRGB, ..Default::default() };
            s.device.create_render_target_view(&s.picture, Some(&desc)).map(drop)
        },
    ),
    row(
        "view without elements of a buffer that is not structured",
        &["buffer \"plain\"", "needs a descriptor", "`typed_buffer`", "`raw_buffer`"],
        |s| {
            let desc = BufferDesc::new(64, BindFlags::SHADER_RESOURCE).label("plain");
            let plain = s.device.create_buffer(&desc, None)?;
            s.device.create_shader_resource_view(&plain, None).map(drop)
        },
    ),
    row(
        "typed view without a format",
        &["buffer \"plain\"", "UNKNOWN", "R32_FLOAT", "`BufferDesc::structured`"],
        |s| {
            let desc = BufferDesc::new(64, BindFlags::SHADER_RESOURCE).label("plain");
            let plain = s.device.create_buffer(&desc, None)?;
            s.device.create_shader_resource_view(&plain, &ShaderResourceViewDesc::buffer(0, 4)).map(drop)
        },
    ),
    row(
        "raw view of a structured buffer",
        &["buffer \"items\"", "BUFFER_ALLOW_RAW_VIEWS", "BUFFER_STRUCTURED", "add the flag"],
        |s| {
            let desc = BufferDesc::structured(16, 4, BindFlags::SHADER_RESOURCE).label("items");
            let items = s.device.create_buffer(&desc, None)?;
            let desc = ShaderResourceViewDesc::raw_buffer(0, 4);
            s.device.create_shader_resource_view(&items, Some(&desc)).map(drop)
        },
    ),
    row("raw view that begins anywhere", &["buffer \"words\"", "a multiple of 16 bytes", "found 2"], |s| {
        let desc = BufferDesc::raw(64, BindFlags::UNORDERED_ACCESS).label("words");
        let words = s.device.create_buffer(&desc, None)?;
        let desc = UnorderedAccessViewDesc::raw_buffer(2, 4);
        s.device.create_unordered_access_view(&words, Some(&desc)).map(drop)
    }),
    row("raw view of another format", &["buffer \"words\"", "R32_TYPELESS", "found R32_UINT"], |s| {
        let words =
            s.device.create_buffer(&BufferDesc::raw(64, BindFlags::SHADER_RESOURCE).label("words"), None)?;
        let desc =
            ShaderResourceViewDesc { format: Format::R32_UINT, ..ShaderResourceViewDesc::raw_buffer(0, 4) };
        s.device.create_shader_resource_view(&words, Some(&desc)).map(drop)
    }),
    row(
        "raw view with a counter",
        &["buffer \"words\"", "no counter", "leave APPEND and COUNTER out"],
        |s| {
            let words = s
                .device
                .create_buffer(&BufferDesc::raw(64, BindFlags::UNORDERED_ACCESS).label("words"), None)?;
            let dimension = UnorderedAccessViewDimension::Buffer {
                first_element: 0,
                num_elements: 4,
                flags: BufferUavFlags::RAW | BufferUavFlags::APPEND,
            };
            let desc = UnorderedAccessViewDesc {
                format: Format::R32_TYPELESS,
                dimension: Some(dimension),
                ..Default::default()
            };
            s.device.create_unordered_access_view(&words, Some(&desc)).map(drop)
        },
    ),
    row(
        "view with two kinds of counters",
        &["buffer \"items\"", "APPEND and COUNTER exclude each other", "choose APPEND where"],
        |s| {
            let desc = BufferDesc::structured(16, 4, BindFlags::UNORDERED_ACCESS).label("items");
            counted_view(s, &desc, BufferUavFlags::APPEND | BufferUavFlags::COUNTER)
        },
    ),
    row(
        "counter without structures",
        &["buffer \"bytes\"", "needs a structured buffer", "`BufferDesc::structured`"],
        |s| {
            let desc = BufferDesc::raw(64, BindFlags::UNORDERED_ACCESS).label("bytes");
            counted_view(s, &desc, BufferUavFlags::COUNTER)
        },
    ),
    row("input layout without an element", &["TEXCOORD0", "`texcoord`", "no element", "add one"], |s| {
        let element = InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT);
        s.device.create_input_layout(&[element], &s.vs).map(drop)
    }),
    row(
        "input layout with integers for floats",
        &["POSITION0", "R32G32B32_UINT", "vec3<f32>", "use a format of that type"],
        |s| {
            let elements = [
                InputElementDesc::new("POSITION", 0, Format::R32G32B32_UINT),
                InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT),
            ];
            s.device.create_input_layout(&elements, &s.vs).map(drop)
        },
    ),
    row(
        "anisotropic sampler without anisotropy",
        &["sampler", "\"wood\"", "max_anisotropy must be 1 to 16", "found 0", "16 gives the best quality"],
        |s| {
            let desc = SamplerDesc {
                max_anisotropy: 0,
                ..SamplerDesc::new(Filter::ANISOTROPIC, TextureAddressMode::Wrap)
            };
            s.device.labelled("wood").create_sampler_state(&desc).map(drop)
        },
    ),
    row(
        "colour factor for alpha",
        &["blend state, target 0", "src_blend_alpha", "found the colour factor"],
        |s| {
            let target = RenderTargetBlendDesc {
                blend_enable: true,
                src_blend_alpha: Blend::SrcColor,
                ..RenderTargetBlendDesc::default()
            };
            s.device.create_blend_state(&BlendDesc::all(target)).map(drop)
        },
    ),
    row(
        "view of another device's texture",
        &["texture \"picture\"", "another device", "belong to the device"],
        |s| {
            let (_watch, other, _context) = s.other_device();
            let result = other.create_render_target_view(&s.picture, None).map(drop);
            assert_eq!(other.info_queue().take().len(), 1);
            result
        },
    ),
];
