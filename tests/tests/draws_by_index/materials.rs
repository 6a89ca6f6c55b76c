//! Draws that change textures, samplers and meshes with buffers of their own, and draws after other changes.

use onze::{DepthStencilOpDesc, DsvFlags, Filter, SamplerDesc, TextureAddressMode};

use super::*;

/// Textured meshes, placed by constants.
const TEXTURED: &str = "
    struct Place { rect: vec4<f32> }
    struct Paint { color: vec4<f32> }
    @group(0) @binding(0) var<uniform> place: Place;
    @group(0) @binding(1) var<uniform> paint: Paint;
    @group(1) @binding(0) var first: texture_2d<f32>;
    @group(1) @binding(1) var third: texture_2d<f32>;
    @group(1) @binding(2) var second: texture_2d<f32>;
    @group(1) @binding(5) var<storage> numbers: array<vec4<f32>>;
    @group(2) @binding(0) var its_sampler: sampler;
    struct Corner { @builtin(position) position: vec4<f32>, @location(0) at: vec2<f32> }
    @vertex fn vs_main(@location(0) corner: vec2<f32>) -> Corner {
        return Corner(vec4<f32>(mix(place.rect.xy, place.rect.zw, corner), 0.5, 1.0), corner);
    }
    fn texels(at: vec2<f32>) -> vec4<f32> {
        let loaded = textureLoad(second, vec2<i32>(at * 1.9), 0);
        return textureSampleLevel(first, its_sampler, at * 2.0 - 0.3, 0.0) * 0.75 + loaded * 0.25;
    }
    @fragment fn ps_main(corner: Corner) -> @location(0) vec4<f32> { return texels(corner.at); }
    @fragment fn ps_other(corner: Corner) -> @location(0) vec4<f32> { return texels(corner.at).bgra; }
    @fragment fn ps_painted(corner: Corner) -> @location(0) vec4<f32> { return texels(corner.at) * paint.color; }
    @fragment fn ps_third(corner: Corner) -> @location(0) vec4<f32> {
        return textureLoad(third, vec2<i32>(corner.at * 1.9), 0).gbra;
    }
    @fragment fn ps_numbers(corner: Corner) -> @location(0) vec4<f32> { return texels(corner.at) + numbers[1]; }
";

/// The entry points of the pixel shaders. The second one has the same bindings as the first one.
const PIXEL_SHADERS: [&str; 5] = ["ps_main", "ps_other", "ps_painted", "ps_third", "ps_numbers"];

const CORNERS: [[f32; 2]; 6] = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [0.5, 0.0], [0.3, 0.9]];

/// The numbers of vertices and of indices of each mesh, which are so different that a draw of one mesh reads beyond
/// another.
const MESHES: [(usize, usize); 4] = [(4, 6), (3, 3), (6, 12), (5, 9)];

pub(crate) struct Mesh {
    pub(crate) vertices: Buffer,
    pub(crate) indices: Buffer,
    /// The indices with 32 bits.
    pub(crate) wide: Buffer,
}

impl Mesh {
    fn new(device: &Device, (vertices, indices): (usize, usize)) -> Self {
        let numbers: Vec<_> =
            (0..indices as u16).map(|at| [0, 2, 1, 3, 1, 2][at as usize % 6] + at / 6).collect();
        let wide: Vec<_> = numbers.iter().map(|number| u32::from(*number)).collect();
        Self {
            vertices: device.create_buffer_with(BindFlags::VERTEX_BUFFER, &CORNERS[..vertices]).unwrap(),
            indices: device.create_buffer_with(BindFlags::INDEX_BUFFER, &numbers).unwrap(),
            wide: device.create_buffer_with(BindFlags::INDEX_BUFFER, &wide).unwrap(),
        }
    }

    pub(crate) fn bind(&self, cx: &mut DeviceContext) {
        cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.vertices, 8));
        cx.ia_set_index_buffer(&self.indices, Format::R16_UINT, 0);
    }
}

fn texture(device: &Device, n: u32) -> ShaderResourceView {
    let texels =
        [0, 1, 2, 3].map(|at| 0xff00_0000 | (n * 37 + at * 91) << 16 | (n * 53) << 8 | (255 - n * 29));
    let texture = device.create_texture_2d_with(Format::R8G8B8A8_UNORM, 2, 2, &texels).unwrap();
    device.create_shader_resource_view(&texture, None).unwrap()
}

pub(crate) struct Materials {
    vs: VertexShader,
    pixel_shaders: [PixelShader; PIXEL_SHADERS.len()],
    layout: InputLayout,
    pub(crate) place: Buffer,
    pub(crate) paint: Buffer,
    numbers: ShaderResourceView,
    pub(crate) meshes: [Mesh; 4],
    textures: [ShaderResourceView; 6],
    pub(crate) samplers: [SamplerState; 3],
}

impl Materials {
    pub(crate) fn new(device: &Device) -> Self {
        let vs = device.create_vertex_shader(ShaderSource::wgsl(TEXTURED, "vs_main")).unwrap();
        let pixel_shader = |entry| device.create_pixel_shader(ShaderSource::wgsl(TEXTURED, entry)).unwrap();
        let desc = BufferDesc::structured(16, 2, BindFlags::SHADER_RESOURCE);
        let numbers = device
            .create_buffer(&desc, Some(bytemuck::cast_slice(&[[0.0f32; 4], [0.1, 0.2, -0.1, 0.0]])))
            .unwrap();
        let elements = [InputElementDesc::new("corner", 0, Format::R32G32_FLOAT)];
        let samplers = [
            SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Wrap),
            SamplerDesc::new(Filter::MIN_MAG_MIP_LINEAR, TextureAddressMode::Clamp),
            // Shaders read the colour from constants, so the bind group has another layout.
            SamplerDesc {
                border_color: [0.2, 0.4, 0.6, 0.8],
                ..SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, TextureAddressMode::Border)
            },
        ];
        Self {
            layout: device.create_input_layout(&elements, &vs).unwrap(),
            vs,
            pixel_shaders: PIXEL_SHADERS.map(pixel_shader),
            place: dynamic(device, 16),
            paint: dynamic(device, 16),
            numbers: numbers.create_shader_resource_view().unwrap(),
            meshes: MESHES.map(|numbers| Mesh::new(device, numbers)),
            textures: [0, 1, 2, 3, 4, 5].map(|n| texture(device, n)),
            samplers: samplers.map(|desc| device.create_sampler_state(&desc).unwrap()),
        }
    }

    pub(crate) fn bind(&self, cx: &mut DeviceContext) {
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&self.pixel_shaders[0]);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.ia_set_input_layout(&self.layout);
        cx.vs_set_constant_buffers(0, &self.place);
        discard(cx, &self.paint, &[0.5f32, 1.0, 0.7, 1.0]);
        cx.ps_set_constant_buffers(1, &self.paint);
        cx.ps_set_shader_resources(5, &self.numbers);
        cx.ps_set_shader_resources(0, [&self.textures[0], &self.textures[1], &self.textures[2]]);
        cx.ps_set_samplers(0, &self.samplers[0]);
        self.meshes[0].bind(cx);
    }

    pub(crate) fn pixel_shader(&self, n: u32) -> Option<&PixelShader> {
        self.pixel_shaders.get(n as usize % (PIXEL_SHADERS.len() + 1))
    }

    pub(crate) fn view(&self, n: u32) -> Option<&ShaderResourceView> {
        self.textures.get(n as usize % 7)
    }
}

pub(crate) fn always_by_index(drawn: Option<[Drawn; 2]>, least: u32) {
    if let Some([Drawn { statistics, .. }, _]) = drawn {
        assert!(statistics.draws_by_index > u64::from(least), "{statistics:?}");
    }
}

#[test]
fn textures_and_samplers_change_from_draw_to_draw() {
    let reported = [MessageId::DrawShaderResourceNotSet, MessageId::DrawSamplerNotSet];
    let drawn = compare_reported(&reported, Materials::new, |scene: &Materials, cx, _| {
        scene.bind(cx);
        for n in 0..300 {
            discard(cx, &scene.place, &rect(n));
            cx.ps_set_shader_resources(0, scene.view(n * n / 3));
            if n % 4 == 1 {
                // No shader reads slot 1.
                cx.ps_set_shader_resources(1, [scene.view(n), scene.view(n / 2)]);
            }
            if n % 5 == 2 {
                cx.ps_set_samplers(0, scene.samplers.get(n as usize / 5 % 4));
            }
            if n % 7 == 3 {
                // The shader is bound for one draw, in which the texture stays the same.
                cx.ps_set_shader(scene.pixel_shader(n / 7 % 2));
            }
            cx.draw_indexed(6, 0, 0);
            // The last texture of a slot counts, also without a draw between.
            cx.ps_set_shader_resources(2, scene.view(n + 1));
            cx.ps_set_shader_resources(2, scene.view(n / 3));
        }
    });
    always_by_index(drawn, 3000);
}

#[test]
fn meshes_with_their_own_buffers_change_from_draw_to_draw() {
    let reported = [
        MessageId::DrawIndexedNoIndexBuffer,
        MessageId::DrawIndexBufferTooSmall,
        MessageId::DrawVertexBufferTooSmall,
        MessageId::DrawVertexStrideTooShort,
    ];
    let drawn = compare_reported(&reported, Materials::new, |scene: &Materials, cx, _| {
        scene.bind(cx);
        for n in 0..400 {
            discard(cx, &scene.place, &rect(n));
            let mesh = &scene.meshes[(n * n / 3) as usize % 4];
            match n % 13 {
                // The buffers of different meshes, so that some indices are beyond the vertices.
                3 => cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&mesh.vertices, 8)),
                5 => cx.ia_set_index_buffer(&mesh.wide, Format::R32_UINT, 4),
                7 => cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(&mesh.vertices, 4)),
                8 => cx.ia_set_vertex_buffers(
                    0,
                    VertexBufferBinding { offset: 8, ..VertexBufferBinding::new(&mesh.vertices, 8) },
                ),
                9 => cx.ia_set_index_buffer(None, Format::R16_UINT, 0),
                10 => cx.ia_set_index_buffer(&mesh.indices, Format::R16_UINT, 2 * (n % 9)),
                11 => cx.ia_set_vertex_buffers(
                    0,
                    VertexBufferBinding {
                        offset: 2 * (n % 5),
                        ..VertexBufferBinding::new(&mesh.vertices, 8)
                    },
                ),
                12 => cx.ia_set_vertex_buffers(
                    0,
                    VertexBufferBinding { offset: 4096, ..VertexBufferBinding::new(&mesh.vertices, 8) },
                ),
                _ => mesh.bind(cx),
            }
            match n % 6 {
                0 => cx.draw(3, n % 4),
                1 => cx.draw_indexed(12, 0, 0),
                2 => cx.draw_indexed(3, n % 11, 1),
                3 => cx.draw_indexed(3, 3, -1),
                _ => cx.draw_indexed(3, 0, 0),
            }
        }
    });
    always_by_index(drawn, 1000);
}

/// With a stride that wgpu does not have, the vertex shader reads the vertices from storage buffers.
#[test]
fn pulled_meshes_change_from_draw_to_draw() {
    let make = |device: &Device| {
        let vertices = [0, 1, 2].map(|first| {
            let padded = CORNERS[first..].iter().flat_map(|[x, y]| {
                let [x, y] = [x, y].map(|n| n.to_le_bytes());
                [x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3], 0, 0]
            });
            let padded: Vec<_> = padded.collect();
            device.create_buffer_with(BindFlags::VERTEX_BUFFER, &padded).unwrap()
        });
        (Materials::new(device), vertices)
    };
    let drawn = compare(make, |(scene, vertices), cx, _| {
        scene.bind(cx);
        for n in 0..100 {
            discard(cx, &scene.place, &rect(n));
            let vertices = &vertices[n as usize / 2 % 3];
            cx.ia_set_vertex_buffers(0, VertexBufferBinding::new(vertices, 10));
            cx.ia_set_index_buffer(&scene.meshes[n as usize % 4].indices, Format::R16_UINT, 0);
            cx.draw_indexed(3, 0, 0);
        }
    });
    always_by_index(drawn, 1000);
}

/// The other textures of the draw are cleared as late as possible.
#[test]
fn a_cleared_texture_is_read_after_its_clear() {
    let make = |device: &Device| {
        let targets = [0; 4].map(|_| {
            let desc = Texture2dDesc {
                bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
                ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 2, 2)
            };
            let texture = device.create_texture_2d(&desc, None).unwrap();
            let target = device.create_render_target_view(&texture, None).unwrap();
            (target, device.create_shader_resource_view(&texture, None).unwrap())
        });
        (Materials::new(device), targets)
    };
    compare(make, |(scene, targets), cx, target| {
        scene.bind(cx);
        for round in 0..3 {
            for (n, (cleared, _)) in (0..).zip(targets) {
                cx.clear_render_target_view(cleared, color(round * 4 + n));
            }
            target.bind(cx);
            for n in 0..40 {
                discard(cx, &scene.place, &rect(n));
                cx.ps_set_shader_resources(0, [&targets[n as usize / 10].1, &targets[n as usize % 2].1]);
                cx.draw_indexed(6, 0, 0);
            }
        }
    });
}

#[test]
fn a_texture_may_be_created_and_destroyed_between_draws() {
    let make = |device: &Device| (Materials::new(device), device.clone());
    compare_reported(&[MessageId::DrawShaderResourceNotSet], make, |(scene, device), cx, _| {
        scene.bind(cx);
        for n in 0..120 {
            discard(cx, &scene.place, &rect(n));
            if n % 3 == 1 {
                let new = texture(device, n % 8);
                cx.ps_set_shader_resources(0, &new);
            } else {
                cx.ps_set_shader_resources(0, scene.view(n));
            }
            cx.draw_indexed(6, 0, 0);
        }
    });
}

/// A buffer in the slot of a texture reads as 0, and the next texture replaces it.
#[test]
fn a_slot_may_alternate_between_a_buffer_and_a_texture() {
    let make = |device: &Device| {
        let desc = BufferDesc::structured(16, 4, BindFlags::SHADER_RESOURCE);
        let buffer = device.create_buffer(&desc, None).unwrap();
        (Materials::new(device), buffer.create_shader_resource_view().unwrap())
    };
    let reported = [MessageId::DrawShaderResourceNotSet, MessageId::DrawShaderResourceMismatch];
    compare_reported(&reported, make, |(scene, buffer), cx, _| {
        scene.bind(cx);
        for n in 0..200 {
            discard(cx, &scene.place, &rect(n));
            let view = if n % 11 == 4 { Some(buffer) } else { scene.view(n) };
            cx.ps_set_shader_resources(2 * (n % 2), view);
            cx.draw_indexed(6, 0, 0);
        }
    });
}

/// With one read-only plane, the draw writes the other plane.
#[test]
fn a_read_only_plane_of_the_target_may_be_read_in_some_draws() {
    let make = |device: &Device| {
        let desc = Texture2dDesc {
            mip_levels: 1,
            bind_flags: BindFlags::DEPTH_STENCIL | BindFlags::SHADER_RESOURCE,
            ..Texture2dDesc::new(Format::R24G8_TYPELESS, SIZE, SIZE)
        };
        let texture = device.create_texture_2d(&desc, None).unwrap();
        let view = DepthStencilViewDesc::texture_2d(Format::D24_UNORM_S8_UINT, 0);
        let read = view.read_only(DsvFlags::READ_ONLY_DEPTH);
        let views = [view, read].map(|desc| device.create_depth_stencil_view(&texture, Some(&desc)).unwrap());
        let seen = ShaderResourceViewDesc::texture_2d(Format::R24_UNORM_X8_TYPELESS, 0, 1);
        let seen = device.create_shader_resource_view(&texture, Some(&seen)).unwrap();
        let state = DepthStencilDesc {
            depth_func: ComparisonFunc::Always,
            stencil_enable: true,
            front_face: DepthStencilOpDesc {
                stencil_pass_op: StencilOp::Replace,
                ..DepthStencilOpDesc::default()
            },
            ..DepthStencilDesc::default()
        };
        (Materials::new(device), views, seen, device.create_depth_stencil_state(&state).unwrap())
    };
    let reported = [MessageId::DrawShaderResourceNotSet];
    compare_reported(&reported, make, |(scene, [written, read], seen, state), cx, target| {
        cx.clear_depth_stencil_view(written, ClearFlags::DEPTH | ClearFlags::STENCIL, 0.75, 0);
        scene.bind(cx);
        for n in 0..20 {
            discard(cx, &scene.place, &rect(n));
            cx.ps_set_shader_resources(2, if n % 6 == 3 { Some(seen) } else { scene.view(n) });
            cx.draw_indexed(6, 0, 0);
        }
        cx.om_set_render_targets(&target.view, read);
        cx.om_set_depth_stencil_state(state, 77);
        for n in 0..100 {
            discard(cx, &scene.place, &rect(n));
            cx.ps_set_shader_resources(2, if n % 6 == 3 { Some(seen) } else { scene.view(n) });
            cx.draw_indexed(6, 0, 0);
        }
        cx.om_set_depth_stencil_state(None, 0);
    });
}

#[test]
fn textures_that_are_updated_between_draws_are_read_in_order() {
    let make = |device: &Device| {
        let textures = [0; 2]
            .map(|_| device.create_texture_2d_with(Format::R8G8B8A8_UNORM, 2, 2, &[u32::MAX; 4]).unwrap());
        let views =
            textures.each_ref().map(|texture| device.create_shader_resource_view(texture, None).unwrap());
        (Materials::new(device), textures, views)
    };
    compare(make, |(scene, textures, views), cx, _| {
        scene.bind(cx);
        for n in 0..200 {
            discard(cx, &scene.place, &rect(n));
            cx.ps_set_shader_resources(0, &views[n as usize % 2]);
            if n % 16 == 12 {
                let texels = [0xff00_0000 | n << 16 | (n * 7 % 256); 4];
                cx.update_subresource(&textures[n as usize / 16 % 2], 0, None, &texels, 8, 16);
            }
            cx.draw_indexed(6, 0, 0);
        }
        // The next frame begins with the same texels.
        textures.iter().for_each(|texture| cx.update_subresource(texture, 0, None, &[u32::MAX; 4], 8, 16));
    });
}

#[test]
fn a_minimum_level_applies_to_the_draws_after_it() {
    let make = |device: &Device| {
        let desc = Texture2dDesc {
            mip_levels: 2,
            misc_flags: MiscFlags::RESOURCE_CLAMP,
            ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 2, 2)
        };
        let levels = [[0xff00_80ff_u32; 4], [0xffff_4000; 4]];
        let data = [8, 4].into_iter().zip(&levels).map(|(row_pitch, texels)| SubresourceData {
            bytes: &bytemuck::cast_slice(texels)[..row_pitch as usize * row_pitch as usize / 4],
            row_pitch,
            depth_pitch: 0,
        });
        let texture = device.create_texture_2d(&desc, Some(&data.collect::<Vec<_>>())).unwrap();
        let view = device.create_shader_resource_view(&texture, None).unwrap();
        (Materials::new(device), texture, view)
    };
    compare(make, |(scene, texture, view), cx, _| {
        scene.bind(cx);
        for n in 0..120 {
            discard(cx, &scene.place, &rect(n));
            cx.ps_set_shader_resources(0, if n % 3 == 1 { Some(view) } else { scene.view(n % 6) });
            if n % 40 == 20 {
                cx.set_resource_min_lod(texture, if n % 80 == 20 { 1.0 } else { 0.0 });
            }
            cx.draw_indexed(6, 0, 0);
        }
        cx.set_resource_min_lod(texture, 0.0);
    });
}

#[test]
fn constant_buffers_of_one_block_change_from_draw_to_draw() {
    let make = |device: &Device| {
        let places =
            (0..40).map(|n| device.create_buffer_with(BindFlags::CONSTANT_BUFFER, &rect(n)).unwrap());
        let places: Vec<_> = places.collect();
        (Materials::new(device), places)
    };
    let drawn = compare_reported(&[MessageId::DrawShaderResourceNotSet], make, |(scene, places), cx, _| {
        scene.bind(cx);
        for n in 0..400 {
            cx.vs_set_constant_buffers(0, &places[n * n / 3 % places.len()]);
            cx.ps_set_shader_resources(0, scene.view(n as u32));
            cx.draw_indexed(6, 0, 0);
        }
    });
    always_by_index(drawn, 1000);
}
