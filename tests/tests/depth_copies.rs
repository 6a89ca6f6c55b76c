//! Copies of depth and stencil to textures that are not depth-stencil targets.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{Harness, Target, gpu_matrix, matrix, on_each};

#[test]
fn depth_and_stencil_are_copied_to_textures_of_all_bind_flags() {
    let one = 1.0_f32.to_bits();
    let rows: [(Format, Format, &[u32]); 7] = [
        (Format::D16_UNORM, Format::R16_UNORM, &[0xffff_0000]),
        (Format::R16_TYPELESS, Format::R16_UNORM, &[0x0000_ffff]),
        (Format::D32_FLOAT, Format::R32_FLOAT, &[one, 0]),
        (Format::R32_TYPELESS, Format::R32_FLOAT, &[0, one]),
        (Format::D24_UNORM_S8_UINT, Format::R24G8_TYPELESS, &[0x12ff_ffff, 0x3400_0000]),
        (Format::R24G8_TYPELESS, Format::R24G8_TYPELESS, &[0x5600_0000, 0x78ff_ffff]),
        (Format::R32G8X24_TYPELESS, Format::R32G8X24_TYPELESS, &[one, 0x9a, 0, 0xbc]),
    ];
    on_each(&matrix(), |h| {
        let mut copied = 0;
        for (format, staging, pattern) in rows {
            for bind in [BindFlags::empty(), BindFlags::SHADER_RESOURCE, BindFlags::DEPTH_STENCIL] {
                let desc =
                    Texture2dDesc { bind_flags: bind, mip_levels: 1, ..Texture2dDesc::new(format, 4, 4) };
                let source = Texture2dDesc::staging(staging, 4, 4, CpuAccessFlags::WRITE);
                // Some formats cannot be bound with all these flags, and some adapters lack some of the
                // formats.
                let Ok(texture) = h.device.create_texture_2d(&desc, None) else { continue };
                let Ok(source) = h.device.create_texture_2d(&source, None) else { continue };
                let bytes: Vec<u8> = bytemuck::cast_slice(pattern).repeat(16);
                let bytes = &bytes[..format.row_pitch(4) as usize * 4];
                let mut mapped = h.immediate.map(&source, 0, MapType::Write).unwrap();
                let pitch = mapped.row_pitch() as usize;
                for (y, row) in bytes.chunks(format.row_pitch(4) as usize).enumerate() {
                    mapped.write_slice(y * pitch, row);
                }
                drop(mapped);
                h.immediate.copy_resource(&texture, &source);
                assert_eq!(h.read(&texture, 0), bytes, "{format:?}, {bind:?}");
                copied += 1;
            }
        }
        drop(h.take_errors());
        assert!(copied >= 8, "only {copied} were copied");
    });
}

/// Depth-stencil targets are copied and updated only as a whole, but without the `DEPTH_STENCIL` bind flag,
/// textures of these formats allow copies of regions.
#[test]
fn regions_of_depth_formats_without_targets_are_copied() {
    on_each(&gpu_matrix(), |h| {
        let desc = Texture2dDesc {
            bind_flags: BindFlags::SHADER_RESOURCE,
            mip_levels: 2,
            array_size: 2,
            ..Texture2dDesc::new(Format::R24G8_TYPELESS, 8, 8)
        };
        let (one, two) = (
            h.device.create_texture_2d(&desc, None).unwrap(),
            h.device.create_texture_2d(&desc, None).unwrap(),
        );
        let seen = DepthPart::new(&h.device, &two);
        h.immediate.update_subresource(&one, 2, None, &[0x12ff_ffff_u32; 64], 32, 0);
        let part = Some(Box3d::rect(2, 1, 4, 2));
        h.immediate.update_subresource(&one, 2, part, &[0x3400_0000_u32; 2], 8, 0);
        let part = Some(Box3d::rect(1, 0, 5, 3));
        h.immediate.copy_subresource_region(&two, 2, [4, 5, 0], &one, 2, part);
        h.immediate.copy_subresource_region(&two, 2, [0, 5, 0], &two, 2, Some(Box3d::rect(4, 5, 7, 7)));
        let texels = seen.read(h);
        for (at, texel) in texels.into_iter().enumerate() {
            let (x, y) = (at % 8, at / 8);
            let set = (4..8).contains(&x) && (5..8).contains(&y) || x < 3 && (5..7).contains(&y);
            let hole = y == 6 && [1, 2, 5, 6].contains(&x);
            let expected = if set && !hole { 0xff } else { 0 };
            assert_eq!(texel & 0xff, expected, "({x}, {y})");
        }
    });
}

/// Draws the depth plane of slice 1 in the first mip level, with the depth as red.
struct DepthPart {
    view: ShaderResourceView,
    target: Target,
    vs: VertexShader,
    ps: PixelShader,
}

impl DepthPart {
    fn new(device: &Device, texture: &Texture2d) -> Self {
        let source = "
            @group(1) @binding(0) var depth: texture_2d_array<f32>;

            @vertex
            fn vs_main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
                return vec4<f32>(f32(i & 1u) * 4.0 - 1.0, f32(i & 2u) * 2.0 - 1.0, 0.0, 1.0);
            }

            @fragment
            fn ps_main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
                return vec4<f32>(textureLoad(depth, vec2<i32>(at.xy), 0, 0).r, 0.0, 0.0, 1.0);
            }
        ";
        let view = ShaderResourceViewDesc::texture_2d_array(Format::R24_UNORM_X8_TYPELESS, 1, 1);
        Self {
            view: device.create_shader_resource_view(texture, Some(&view)).unwrap(),
            target: Target::new(device, 8, 8),
            vs: device.create_vertex_shader(ShaderSource::wgsl(source, "vs_main")).unwrap(),
            ps: device.create_pixel_shader(ShaderSource::wgsl(source, "ps_main")).unwrap(),
        }
    }

    fn read(&self, h: &mut Harness) -> Vec<u32> {
        let both_sides = RasterizerDesc { cull_mode: CullMode::None, ..Default::default() };
        let both_sides = h.device.create_rasterizer_state(&both_sides).unwrap();
        let cx = &mut h.immediate;
        self.target.bind(cx);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.rs_set_state(&both_sides);
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.ps);
        cx.ps_set_shader_resources(0, &self.view);
        cx.draw(3, 0);
        cx.clear_state();
        self.target.read(h)
    }
}
