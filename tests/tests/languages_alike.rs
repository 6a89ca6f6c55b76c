//! Features that involve shaders, each drawn with a WGSL shader and with an HLSL shader and compared with one
//! expected value.
//!
//! A row of [`FEATURES`] is a function that draws in either language, and `docs/coverage.md` names the
//! function for each feature. `api/tests/coverage.rs` fails if a supported feature has neither a function
//! here nor a reason why no shader is involved.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::{Features, prelude::*};
use onze_tests::{Config, Harness, Target, drawing::is_close, on_each};

const SIZE: u32 = 4;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Language {
    Wgsl,
    Hlsl,
}

struct Scene<'h> {
    h: &'h mut Harness,
    language: Language,
    target: Target,
    vs: VertexShader,
}

const COVER: (&str, &str) = (
    "@vertex fn main(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
        return vec4f(vec2f(vec2u(n >> 1u, n & 1u) * 4u) - 1.0, 0.5, 1.0);
    }",
    "float4 main(uint n : SV_VertexID) : SV_Position { return float4(float2(n >> 1, n & 1) * 4 - 1, 0.5, 1); }",
);

impl<'h> Scene<'h> {
    fn new(h: &'h mut Harness, language: Language) -> Self {
        let target = Target::new(&h.device, SIZE, SIZE);
        let source = source(language, COVER);
        let vs = h.device.create_vertex_shader(source).unwrap();
        Self { h, language, target, vs }
    }

    fn vs(&mut self, texts: (&str, &str)) {
        self.vs = self.h.device.create_vertex_shader(source(self.language, texts)).unwrap();
    }

    fn device(&self) -> Device {
        self.h.device.clone()
    }

    /// Draws a triangle with a pixel shader, after `bind` has bound the shader's resources. `ps` contains
    /// WGSL and HLSL.
    fn draw(&mut self, ps: (&str, &str), bind: impl FnOnce(&mut DeviceContext, &Target)) {
        let ps = self.h.device.create_pixel_shader(source(self.language, ps)).unwrap();
        let cx = &mut self.h.immediate;
        cx.clear_state();
        cx.clear_render_target_view(&self.target.view, [0.0, 0.0, 0.0, 1.0]);
        self.target.bind(cx);
        cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        cx.vs_set_shader(&self.vs);
        cx.ps_set_shader(&ps);
        bind(cx, &self.target);
        cx.draw(3, 0);
    }

    fn expect(&mut self, expected: impl Fn(u32, u32) -> u32) {
        let texels = self.target.read(self.h);
        for (n, texel) in (0..).zip(texels) {
            let (x, y) = (n % SIZE, n / SIZE);
            let expected = expected(x, y);
            assert!(is_close(texel, expected, 1), "({x}, {y}) is {texel:#010x}, not {expected:#010x}");
        }
        self.h.immediate.clear_state();
    }

    /// Samples a row of four texels at the coordinate `u`, which is outside or between the texels.
    fn sample(&mut self, desc: &SamplerDesc, format: Format, texels: &[u8], u: f32, expected: u32) {
        let device = self.device();
        let texture = device.create_texture_2d_with(format, 4, 1, texels).unwrap();
        let view = texture.create_shader_resource_view().unwrap();
        let sampler = device.create_sampler_state(desc).unwrap();
        let place = device.create_constant_buffer(&[u, 0.5, 0.0, 0.0]).unwrap();
        let ps = (
            "@group(0) @binding(0) var<uniform> place: vec4f;
             @group(1) @binding(1) var image: texture_2d<f32>;
             @group(2) @binding(2) var how: sampler;
             @fragment fn main() -> @location(0) vec4f { return textureSample(image, how, place.xy); }",
            "float2 place : register(c0); Texture2D image : register(t1); SamplerState how : register(s2);
             float4 main() : SV_Target { return image.Sample(how, place); }",
        );
        self.draw(ps, |cx, _| {
            cx.ps_set_constant_buffers(0, &place);
            cx.ps_set_shader_resources(1, &view);
            cx.ps_set_samplers(2, &sampler);
        });
        self.expect(|_, _| expected);
    }
}

fn source<'t>(language: Language, (wgsl, hlsl): (&'t str, &'t str)) -> ShaderSource<'t> {
    match language {
        Language::Wgsl => ShaderSource::wgsl(wgsl, "main"),
        Language::Hlsl => ShaderSource::hlsl(hlsl, "main"),
    }
}

type Row = (Features, fn(&mut Scene<'_>));

const FEATURES: &[Row] = &[
    (Features::DUAL_SOURCE_BLEND, dual_source_blending),
    (Features::CLIP_DISTANCES, clip_distances),
    (Features::PRIMITIVE_ID, primitive_ids),
    (Features::BORDER_COLOR, border_colors),
    (Features::BORDER_ADDRESS, border_addresses),
    (Features::MIRROR_ONCE, mirror_once),
    (Features::FLOAT32_FILTER, float32_filter),
    (Features::MIN_MAX_FILTERS, min_max_filters),
    (Features::BC_TEXTURES, compressed_textures),
    (Features::CUBE_ARRAYS, cube_arrays),
    (Features::INSTANCE_STEP_RATE, instance_step_rates),
    (Features::MULTISAMPLING, multisampled_textures),
    (Features::TEXTURE_1D_3D, textures_1d_and_3d),
    (Features::BUFFER_VIEWS, typed_buffers),
    (Features::RAW_BUFFERS, raw_buffers),
    (Features::STRUCTURED_BUFFERS, structured_buffers),
    (Features::COUNTERS, counters),
    (Features::UNORDERED_ACCESS, unordered_access),
    (Features::EARLY_DEPTH_STENCIL, early_depth_tests),
    (Features::COMPUTE, compute),
    (Features::OCCLUSION_COUNTS, occlusion_counts),
    (Features::INDIRECT_DRAWS, indirect_draws),
    (Features::GEOMETRY_SHADERS, geometry_shaders),
    (Features::TESSELLATION, tessellation),
    (Features::MULTIPLE_VIEWPORTS, multiple_viewports),
    (Features::STREAM_OUTPUT, stream_output),
];

#[test]
fn each_feature_draws_alike_in_wgsl_and_hlsl() {
    on_each(&[Config::GPU, Config::GPU.by_index()], |h| {
        h.watch.allow(&[MessageId::DrawViewportEmpty]);
        for (feature, draw) in FEATURES {
            if h.has_feature(*feature) {
                for language in [Language::Wgsl, Language::Hlsl] {
                    println!("{feature:?}, {language:?}");
                    draw(&mut Scene::new(h, language));
                }
            }
        }
    });
}

fn dual_source_blending(scene: &mut Scene<'_>) {
    let blend = RenderTargetBlendDesc {
        blend_enable: true,
        src_blend: Blend::Src1Color,
        dest_blend: Blend::InvSrc1Color,
        ..RenderTargetBlendDesc::default()
    };
    let blend = scene.device().create_blend_state(&BlendDesc::all(blend)).unwrap();
    let ps = (
        "enable dual_source_blending;
         struct Out { @location(0) @blend_src(0) a: vec4f, @location(0) @blend_src(1) b: vec4f }
         @fragment fn main() -> Out { return Out(vec4f(1.0), vec4f(0.2, 0.4, 0.6, 1.0)); }",
        "void main(out float4 a : SV_Target0, out float4 b : SV_Target1) { a = 1; b = float4(0.2, 0.4, 0.6, 1); }",
    );
    scene.draw(ps, |cx, _| cx.om_set_blend_state(&blend, [1.0; 4], u32::MAX));
    scene.expect(|_, _| 0xff99_6633);
}

/// A pixel shader without inputs that returns a constant colour, in WGSL and HLSL.
const RED: (&str, &str) = (
    "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0, 0.0, 0.0, 1.0); }",
    "float4 main() : SV_Target { return float4(1, 0, 0, 1); }",
);

fn clip_distances(scene: &mut Scene<'_>) {
    scene.vs((
        "enable clip_distances;
         struct Out { @builtin(position) at: vec4f, @builtin(clip_distances) distances: array<f32, 2> }
         @vertex fn main(@builtin(vertex_index) n: u32) -> Out {
             let at = vec2f(vec2u(n >> 1u, n & 1u) * 4u) - 1.0;
             return Out(vec4f(at, 0.5, 1.0), array(at.x, -at.y));
         }",
        "struct Out { float4 at : SV_Position; float2 distances : SV_ClipDistance; };
         Out main(uint n : SV_VertexID) {
             float2 at = float2(n >> 1, n & 1) * 4 - 1;
             Out result = { float4(at, 0.5, 1), float2(at.x, -at.y) };
             return result;
         }",
    ));
    scene.draw(RED, |_, _| ());
    scene.expect(|x, y| if x >= 2 && y >= 2 { 0xff00_00ff } else { 0xff00_0000 });
}

fn primitive_ids(scene: &mut Scene<'_>) {
    scene.vs((
        "@vertex fn main(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
             let corner = n % 3u;
             return vec4f(vec2f(vec2u(corner >> 1u, corner & 1u) * 4u) - 1.0, 0.5, 1.0);
         }",
        "float4 main(uint n : SV_VertexID) : SV_Position {
             uint corner = n % 3;
             return float4(float2(corner >> 1, corner & 1) * 4 - 1, 0.5, 1);
         }",
    ));
    let ps = (
        "enable primitive_index;
         @fragment fn main(@builtin(primitive_index) id: u32) -> @location(0) vec4f {
             return vec4f(f32(id) * 0.2, 0.0, 0.0, 1.0);
         }",
        "float4 main(uint id : SV_PrimitiveID) : SV_Target { return float4(id * 0.2, 0, 0, 1); }",
    );
    scene.draw(ps, |cx, _| {
        cx.draw(6, 0);
        // [`Scene::draw`] draws once more after this closure, so an empty viewport hides that draw.
        cx.rs_set_viewports(Viewport::sized(0.0, 0.0));
    });
    scene.expect(|_, _| 0xff00_0033);
}

const ROW: [u8; 16] = [10, 0, 0, 255, 20, 0, 0, 255, 30, 0, 0, 255, 40, 0, 0, 255];

fn point(address: TextureAddressMode) -> SamplerDesc {
    SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, address)
}

fn border_colors(scene: &mut Scene<'_>) {
    let desc = SamplerDesc { border_color: [0.2, 0.4, 0.6, 0.8], ..point(TextureAddressMode::Border) };
    scene.sample(&desc, Format::R8G8B8A8_UNORM, &ROW, 1.4, 0xcc99_6633);
}

fn border_addresses(scene: &mut Scene<'_>) {
    let desc = SamplerDesc { border_color: [0.0, 0.0, 0.0, 1.0], ..point(TextureAddressMode::Border) };
    scene.sample(&desc, Format::R8G8B8A8_UNORM, &ROW, -0.1, 0xff00_0000);
    scene.sample(&desc, Format::R8G8B8A8_UNORM, &ROW, 0.9, 0xff00_0028);
}

fn mirror_once(scene: &mut Scene<'_>) {
    let desc = point(TextureAddressMode::MirrorOnce);
    scene.sample(&desc, Format::R8G8B8A8_UNORM, &ROW, -0.4, 0xff00_0014);
    scene.sample(&desc, Format::R8G8B8A8_UNORM, &ROW, 1.9, 0xff00_0028);
}

fn float32_filter(scene: &mut Scene<'_>) {
    let desc = SamplerDesc::new(Filter::MIN_MAG_MIP_LINEAR, TextureAddressMode::Clamp);
    let texels = [0.0_f32, 0.2, 0.6, 1.0];
    // The coordinate is between the second and the third texel, and the format lacks green, blue and alpha,
    // so they read 0, 0 and 1.
    scene.sample(&desc, Format::R32_FLOAT, bytemuck::cast_slice(&texels), 0.5, 0xff00_0066);
}

fn min_max_filters(scene: &mut Scene<'_>) {
    let desc = SamplerDesc::new(Filter::MAXIMUM_MIN_MAG_MIP_LINEAR, TextureAddressMode::Clamp);
    scene.sample(&desc, Format::R8G8B8A8_UNORM, &ROW, 0.45, 0xff00_001e);
    let desc = SamplerDesc::new(Filter::MINIMUM_MIN_MAG_MIP_LINEAR, TextureAddressMode::Clamp);
    scene.sample(&desc, Format::R8G8B8A8_UNORM, &ROW, 0.45, 0xff00_0014);
}

fn read(
    scene: &mut Scene<'_>,
    view: &ShaderResourceView,
    ps: (&str, &str),
    expected: impl Fn(u32, u32) -> u32,
) {
    scene.draw(ps, |cx, _| cx.ps_set_shader_resources(1, view));
    scene.expect(expected);
}

fn compressed_textures(scene: &mut Scene<'_>) {
    // The block's first colour is red and its second colour is blue, and the four rows select red, blue and
    // two mixtures.
    let block = [0x00, 0xf8, 0x1f, 0x00, 0x00, 0x55, 0xaa, 0xff_u8];
    let texture = scene.device().create_texture_2d_with(Format::BC1_UNORM, 4, 4, &block).unwrap();
    let view = texture.create_shader_resource_view().unwrap();
    let ps = (
        "@group(1) @binding(1) var image: texture_2d<f32>;
         @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
             return textureLoad(image, vec2u(at.xy), 0);
         }",
        "Texture2D image : register(t1);
         float4 main(float4 at : SV_Position) : SV_Target { return image.Load(int3(at.xy, 0)); }",
    );
    let rows = [0xff00_00ff, 0xffff_0000, 0xff55_00aa, 0xffaa_0055];
    read(scene, &view, ps, |_, y| rows[y as usize]);
}

fn cube_arrays(scene: &mut Scene<'_>) {
    let faces: Vec<[u8; 4]> = (0..12).map(|face| [20 * face, 0, 0, 255]).collect();
    let faces: Vec<_> =
        faces.iter().map(|bytes| SubresourceData { bytes, row_pitch: 4, depth_pitch: 0 }).collect();
    let desc = Texture2dDesc {
        array_size: 12,
        mip_levels: 1,
        misc_flags: MiscFlags::TEXTURECUBE,
        ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 1, 1)
    };
    let device = scene.device();
    let texture = device.create_texture_2d(&desc, Some(&faces)).unwrap();
    let view = device.create_shader_resource_view(&texture, None).unwrap();
    let sampler = device.create_sampler_state(&point(TextureAddressMode::Clamp)).unwrap();
    let ps = (
        "@group(1) @binding(1) var image: texture_cube_array<f32>;
         @group(2) @binding(0) var how: sampler;
         @fragment fn main() -> @location(0) vec4f { return textureSample(image, how, vec3f(0.1, -1.0, 0.2), 1); }",
        "TextureCubeArray image : register(t1); SamplerState how : register(s0);
         float4 main() : SV_Target { return image.Sample(how, float4(0.1, -1, 0.2, 1)); }",
    );
    scene.draw(ps, |cx, _| {
        cx.ps_set_shader_resources(1, &view);
        cx.ps_set_samplers(0, &sampler);
    });
    // The coordinate selects the fourth face of the second cube.
    scene.expect(|_, _| 0xff00_00b4);
}

/// Two consecutive instances share a colour, so the fourth instance has the second colour.
fn instance_step_rates(scene: &mut Scene<'_>) {
    scene.vs((
        "struct Out { @builtin(position) at: vec4f, @location(0) color: vec4f }
         @vertex fn main(@location(0) color0: vec4f, @builtin(vertex_index) n: u32) -> Out {
             return Out(vec4f(vec2f(vec2u(n >> 1u, n & 1u) * 4u) - 1.0, 0.5, 1.0), color0);
         }",
        "void main(float4 color : COLOR, uint n : SV_VertexID, out float4 at : SV_Position, out float4 value : VALUE) {
             at = float4(float2(n >> 1, n & 1) * 4 - 1, 0.5, 1);
             value = color;
         }",
    ));
    let device = scene.device();
    let colors = device.create_vertex_buffer(&[0xff00_00ff_u32, 0xff00_ff00, 0xffff_0000]).unwrap();
    let element = InputElementDesc::new("COLOR", 0, Format::R8G8B8A8_UNORM).step_rate(2);
    let layout = device.create_input_layout(&[element], &scene.vs).unwrap();
    let ps = (
        "@fragment fn main(@location(0) color: vec4f) -> @location(0) vec4f { return color; }",
        "float4 main(float4 at : SV_Position, float4 value : VALUE) : SV_Target { return value; }",
    );
    scene.draw(ps, |cx, _| {
        cx.ia_set_input_layout(&layout);
        cx.ia_set_vertex_buffers(0, &colors);
        cx.draw_instanced(3, 4, 0, 0);
        // [`Scene::draw`] draws the first instance once more after this closure, so an empty viewport hides
        // that draw.
        cx.rs_set_viewports(Viewport::sized(0.0, 0.0));
    });
    scene.expect(|_, _| 0xff00_ff00);
}

fn multisampled_textures(scene: &mut Scene<'_>) {
    let device = scene.device();
    let desc = Texture2dDesc {
        sample_count: 4,
        bind_flags: BindFlags::RENDER_TARGET | BindFlags::SHADER_RESOURCE,
        ..Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, SIZE, SIZE)
    };
    let texture = device.create_texture_2d(&desc, None).unwrap();
    let target = device.create_render_target_view(&texture, None).unwrap();
    scene.h.immediate.clear_render_target_view(&target, [0.2, 0.4, 0.6, 1.0]);
    let view = device.create_shader_resource_view(&texture, None).unwrap();
    let ps = (
        "@group(1) @binding(1) var image: texture_multisampled_2d<f32>;
         @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
             return textureLoad(image, vec2u(at.xy), 2);
         }",
        "Texture2DMS<float4> image : register(t1);
         float4 main(float4 at : SV_Position) : SV_Target { return image.Load(int2(at.xy), 2); }",
    );
    read(scene, &view, ps, |_, _| 0xff99_6633);
}

fn textures_1d_and_3d(scene: &mut Scene<'_>) {
    let device = scene.device();
    let texels: Vec<u32> = (0..8).map(|n| 0xff00_0000 + n * 16).collect();
    let line = device.create_texture_1d_with(Format::R8G8B8A8_UNORM, 8, &texels).unwrap();
    let view = device.create_shader_resource_view(&line, None).unwrap();
    let ps = (
        "@group(1) @binding(1) var image: texture_1d<f32>;
         @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
             return textureLoad(image, u32(at.x) + 2u, 0);
         }",
        "Texture1D image : register(t1);
         float4 main(float4 at : SV_Position) : SV_Target { return image.Load(int2(at.x + 2, 0)); }",
    );
    read(scene, &view, ps, |x, _| 0xff00_0000 + (x + 2) * 16);
    let volume = device.create_texture_3d_with(Format::R8G8B8A8_UNORM, 2, 2, 2, &texels).unwrap();
    let view = device.create_shader_resource_view(&volume, None).unwrap();
    let ps = (
        "@group(1) @binding(1) var image: texture_3d<f32>;
         @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
             return textureLoad(image, vec3u(vec2u(at.xy) / 2u, 1u), 0);
         }",
        "Texture3D image : register(t1);
         float4 main(float4 at : SV_Position) : SV_Target { return image.Load(int4(at.xy / 2, 1, 0)); }",
    );
    read(scene, &view, ps, |x, y| 0xff00_0000 + (4 + y / 2 * 2 + x / 2) * 16);
}

fn typed_buffers(scene: &mut Scene<'_>) {
    let device = scene.device();
    let texels: Vec<u32> = (0..8).map(|n| 0xff00_0000 + n * 16).collect();
    let buffer = device.create_buffer_with(BindFlags::SHADER_RESOURCE, &texels).unwrap();
    let desc = ShaderResourceViewDesc::typed_buffer(Format::R8G8B8A8_UNORM, 1, 7);
    let view = device.create_shader_resource_view(&buffer, Some(&desc)).unwrap();
    let ps = (
        "@group(1) @binding(1) var items: texture_1d<f32>;
         @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
             return textureLoad(items, u32(at.x), 0);
         }",
        "Buffer<float4> items : register(t1);
         float4 main(float4 at : SV_Position) : SV_Target { return items[at.x]; }",
    );
    read(scene, &view, ps, |x, _| 0xff00_0000 + (x + 1) * 16);
}

fn raw_buffers(scene: &mut Scene<'_>) {
    let device = scene.device();
    let contents = bytemuck::cast_slice(&[7_u32, 51, 102, 153]);
    let buffer =
        device.create_buffer(&BufferDesc::raw(16, BindFlags::SHADER_RESOURCE), Some(contents)).unwrap();
    let desc = ShaderResourceViewDesc::raw_buffer(0, 4);
    let view = device.create_shader_resource_view(&buffer, Some(&desc)).unwrap();
    let ps = (
        "@group(1) @binding(1) var<storage> words: array<u32>;
         @fragment fn main() -> @location(0) vec4f {
             return vec4f(vec3f(vec3u(words[1], words[2], words[3])) / 255.0, 1.0);
         }",
        "ByteAddressBuffer words : register(t1);
         float4 main() : SV_Target { return float4(words.Load3(4) / 255.0, 1); }",
    );
    read(scene, &view, ps, |_, _| 0xff99_6633);
}

fn structured_buffers(scene: &mut Scene<'_>) {
    let device = scene.device();
    let items = [[0.0_f32, 1.0, 1.0, 9.0], [0.2, 0.4, 0.6, 9.0]];
    let desc = BufferDesc::structured(16, 2, BindFlags::SHADER_RESOURCE);
    let buffer = device.create_buffer(&desc, Some(bytemuck::cast_slice(&items))).unwrap();
    let view = device.create_shader_resource_view(&buffer, None).unwrap();
    let ps = (
        "struct Item { color: vec3f, other: f32 }
         @group(1) @binding(1) var<storage> items: array<Item>;
         @fragment fn main() -> @location(0) vec4f { return vec4f(items[1].color, 1.0); }",
        "struct Item { float3 color; float other; };
         StructuredBuffer<Item> items : register(t1);
         float4 main() : SV_Target { return float4(items[1].color, 1); }",
    );
    read(scene, &view, ps, |_, _| 0xff99_6633);
}

fn words(scene: &Scene<'_>, count: u32) -> (Buffer, UnorderedAccessView) {
    let desc = BufferDesc::structured(4, count, BindFlags::UNORDERED_ACCESS);
    let buffer = scene.device().create_buffer(&desc, Some(&vec![0; 4 * count as usize])).unwrap();
    let view = scene.device().create_unordered_access_view(&buffer, None).unwrap();
    (buffer, view)
}

fn counters(scene: &mut Scene<'_>) {
    let device = scene.device();
    let desc = BufferDesc::structured(4, SIZE * SIZE, BindFlags::UNORDERED_ACCESS);
    let buffer = device.create_buffer(&desc, None).unwrap();
    let desc = UnorderedAccessViewDesc::counted_buffer(0, u32::MAX);
    let view = device.create_unordered_access_view(&buffer, Some(&desc)).unwrap();
    let ps = (
        "@group(3) @binding(1) var<storage, read_write> items: array<u32>;
         @group(4) @binding(1) var<storage, read_write> count: atomic<u32>;
         @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
             items[atomicAdd(&count, 1u)] = u32(at.x) + 4u * u32(at.y);
             return vec4f(1.0, 0.0, 0.0, 1.0);
         }",
        "AppendStructuredBuffer<uint> items : register(u1);
         float4 main(float4 at : SV_Position) : SV_Target {
             items.Append(uint(at.x) + 4 * uint(at.y));
             return float4(1, 0, 0, 1);
         }",
    );
    scene.draw(ps, |cx, target| {
        cx.om_set_render_targets_and_unordered_access_views(&target.view, None, 1, &view, &[0]);
    });
    let copy = device.create_buffer(&BufferDesc::new(4, BindFlags::VERTEX_BUFFER), None).unwrap();
    scene.h.immediate.copy_structure_count(&copy, 0, &view);
    let count: Vec<u32> = scene.h.immediate.read_buffer(&copy).unwrap();
    let mut items: Vec<u32> = scene.h.immediate.read_buffer(&buffer).unwrap();
    items.sort_unstable();
    assert_eq!((count, items), (vec![16], (0..16).collect()));
    scene.expect(|_, _| 0xff00_00ff);
}

fn unordered_access(scene: &mut Scene<'_>) {
    let device = scene.device();
    let desc = Texture2dDesc {
        mip_levels: 1,
        bind_flags: BindFlags::UNORDERED_ACCESS,
        ..Texture2dDesc::new(Format::R32_UINT, SIZE, SIZE)
    };
    let texture = device.create_texture_2d(&desc, None).unwrap();
    let view = device.create_unordered_access_view(&texture, None).unwrap();
    let ps = (
        "@group(3) @binding(1) var image: texture_storage_2d<r32uint, write>;
         @fragment fn main(@builtin(position) at: vec4f) {
             textureStore(image, vec2u(at.xy), vec4u(u32(at.x) * 10u + u32(at.y)));
         }",
        "RWTexture2D<uint> image : register(u1);
         void main(float4 at : SV_Position) { image[at.xy] = uint(at.x) * 10 + uint(at.y); }",
    );
    scene.draw(ps, |cx, _| cx.om_set_unordered_access_views(1, &view));
    let texels = scene.h.read_u32(&texture, 0);
    assert_eq!(texels, (0..16).map(|n| n % 4 * 10 + n / 4).collect::<Vec<_>>());
}

fn early_depth_tests(scene: &mut Scene<'_>) {
    let depth = scene.device().create_depth_target(Format::D32_FLOAT, SIZE, SIZE).unwrap();
    for (cleared, expected) in [(1.0, 16), (0.25, 0)] {
        let (buffer, view) = words(scene, 1);
        let ps = (
            "@group(3) @binding(1) var<storage, read_write> count: atomic<u32>;
             @early_depth_test(force) @fragment fn main() { atomicAdd(&count, 1u); }",
            "RWStructuredBuffer<uint> count : register(u1);
             [earlydepthstencil] void main() { InterlockedAdd(count[0], 1); }",
        );
        scene.draw(ps, |cx, _| {
            cx.clear_depth_stencil_view(&depth.depth_stencil_view, ClearFlags::DEPTH, cleared, 0);
            let dsv = &depth.depth_stencil_view;
            cx.om_set_render_targets_and_unordered_access_views(None, dsv, 1, &view, &[]);
        });
        let count: Vec<u32> = scene.h.immediate.read_buffer(&buffer).unwrap();
        assert_eq!(count, [expected], "depth {cleared}");
    }
}

fn compute(scene: &mut Scene<'_>) {
    let (buffer, view) = words(scene, 8);
    let cs = (
        "@group(3) @binding(1) var<storage, read_write> items: array<u32>;
         var<workgroup> shared_items: array<u32, 4>;
         @compute @workgroup_size(4)
         fn main(@builtin(local_invocation_index) n: u32, @builtin(workgroup_id) group: vec3u) {
             shared_items[n] = n * n;
             workgroupBarrier();
             items[4u * group.x + n] = shared_items[3u - n] + group.x;
         }",
        "RWStructuredBuffer<uint> items : register(u1);
         groupshared uint shared_items[4];
         [numthreads(4, 1, 1)] void main(uint n : SV_GroupIndex, uint3 group : SV_GroupID) {
             shared_items[n] = n * n;
             GroupMemoryBarrierWithGroupSync();
             items[4 * group.x + n] = shared_items[3 - n] + group.x;
         }",
    );
    let cs = scene.device().create_compute_shader(source(scene.language, cs)).unwrap();
    let cx = &mut scene.h.immediate;
    cx.cs_set_shader(&cs);
    cx.cs_set_unordered_access_views(1, &view);
    cx.dispatch(2, 1, 1);
    cx.clear_state();
    let items: Vec<u32> = cx.read_buffer(&buffer).unwrap();
    assert_eq!(items, [9, 4, 1, 0, 10, 5, 2, 1]);
}

/// Draws a point with a geometry shader that turns it into two squares. `texts` contains the shader in WGSL and HLSL.
fn draw_squares(scene: &mut Scene<'_>, texts: (&str, &str), bind: impl FnOnce(&mut DeviceContext)) {
    let desc = GeometryShaderDesc::new(InputPrimitive::Point, 8, &[StreamTopology::TriangleStrips]);
    let gs = match scene.language {
        Language::Wgsl => ShaderSource::wgsl_geometry(texts.0, "main", &desc),
        Language::Hlsl => ShaderSource::hlsl(texts.1, "main"),
    };
    let gs = scene.device().create_geometry_shader(gs).unwrap();
    scene.vs((
        "struct V { @builtin(position) at: vec4f, @location(0) @interpolate(flat) color: u32 }
         @vertex fn main() -> V { return V(vec4f(), 0xff00ff00u); }",
        "struct V { nointerpolation uint color : COLOR; }; V main() { V v; v.color = 0xff00ff00; return v; }",
    ));
    let ps = (
        "@fragment fn main(@location(0) @interpolate(flat) color: u32) -> @location(0) vec4f {
             return unpack4x8unorm(color);
         }",
        "float4 main(nointerpolation uint color : COLOR) : SV_Target {
             return float4(color & 255, color >> 8 & 255, color >> 16 & 255, color >> 24) / 255;
         }",
    );
    scene.draw(ps, |cx, _| {
        cx.gs_set_shader(&gs);
        cx.ia_set_primitive_topology(PrimitiveTopology::PointList);
        bind(cx);
    });
}

fn geometry_shaders(scene: &mut Scene<'_>) {
    let texts = (
        "struct V { @location(0) @interpolate(flat) color: u32 }
         struct O { @location(0) @interpolate(flat) color: u32, @builtin(position) at: vec4f }
         fn append0(vertex: O) {}
         fn restart0() {}
         fn main(v: array<V, 1>) {
             for (var k = 0u; k < 8u; k++) {
                 if k == 4u { restart0(); }
                 let at = vec2f(f32(k & 1u), f32(k >> 1u & 1u)) - f32(k < 4u);
                 append0(O(select(0xff0000ffu, v[0].color, k < 4u), vec4f(at, 0.5, 1.0)));
             }
         }",
        "struct V { nointerpolation uint color : COLOR; };
         struct O { nointerpolation uint color : COLOR; float4 at : SV_Position; };
         [maxvertexcount(8)] void main(point V v[1], inout TriangleStream<O> to) {
             for (uint k = 0; k < 8; k++) {
                 if (k == 4) to.RestartStrip();
                 O o = { k < 4 ? v[0].color : 0xff0000ff, float2(k & 1, k >> 1 & 1) - (k < 4), 0.5, 1 };
                 to.Append(o);
             }
         }",
    );
    // The strips are counter-clockwise.
    let both = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
    let both = scene.device().create_rasterizer_state(&both).unwrap();
    draw_squares(scene, texts, |cx| cx.rs_set_state(&both));
    scene.expect(|x, y| match (x < 2, y < 2) {
        (true, false) => 0xff00_ff00,
        (false, true) => 0xff00_00ff,
        _ => 0xff00_0000,
    });
}

/// Each patch is a triangle in the upper left half of the target, whose colour comes from the domain location.
fn tessellation(scene: &mut Scene<'_>) {
    let texts = (
        "struct P { @location(0) scale: f32 }
         struct C { tess_factor: array<f32, 3>, inside_tess_factor: f32, @location(0) blue: f32 }
         struct O { @builtin(position) at: vec4f, @location(0) @interpolate(flat) color: vec3f }
         fn constants(points: array<P, 1>) -> C { return C(array(1.0, 1.0, 1.0), 1.0, 1.0); }
         fn main(c: C, points: array<P, 1>, uvw: vec3f) -> O {
             let at = vec2f(-1.0, 1.0) + vec2f(uvw.x, -uvw.y) * points[0].scale;
             return O(vec4f(at, 0.5, 1.0), vec3f(1.0, 0.0, c.blue));
         }",
        "struct P { float scale : SCALE; };
         struct C { float edges[3] : SV_TessFactor; float inside : SV_InsideTessFactor; float blue : BLUE; };
         struct O { nointerpolation float3 color : COLOR; float4 at : SV_Position; };
         C constants(InputPatch<P, 1> points) { C c = { { 1, 1, 1 }, 1, 1 }; return c; }
         [domain(\"tri\")] [partitioning(\"integer\")] [outputtopology(\"triangle_cw\")] [outputcontrolpoints(1)]
         [patchconstantfunc(\"constants\")]
         P hull(InputPatch<P, 1> points) { return points[0]; }
         [domain(\"tri\")] O main(C c, float3 uvw : SV_DomainLocation, OutputPatch<P, 1> points) {
             O o = { 1, 0, c.blue, float2(-1, 1) + float2(uvw.x, -uvw.y) * points[0].scale, 0.5, 1 };
             return o;
         }",
    );
    let desc = HullShaderDesc::new(TessellatorDomain::Triangle, 1);
    let (hs, ds) = match scene.language {
        Language::Wgsl => (
            ShaderSource::wgsl_hull(texts.0, "constants", &desc),
            ShaderSource::wgsl_domain(texts.0, "main", desc.domain),
        ),
        Language::Hlsl => (ShaderSource::hlsl(texts.1, "hull"), ShaderSource::hlsl(texts.1, "main")),
    };
    let hs = scene.device().create_hull_shader(hs).unwrap();
    let ds = scene.device().create_domain_shader(ds).unwrap();
    let both = RasterizerDesc { cull_mode: CullMode::None, ..RasterizerDesc::default() };
    let both = scene.device().create_rasterizer_state(&both).unwrap();
    scene.vs((
        "struct V { @builtin(position) at: vec4f, @location(0) scale: f32 }
         @vertex fn main() -> V { return V(vec4f(), 1.75); }",
        "struct V { float scale : SCALE; }; V main() { V v; v.scale = 1.75; return v; }",
    ));
    let ps = (
        "@fragment fn main(@location(0) @interpolate(flat) color: vec3f) -> @location(0) vec4f {
             return vec4f(color, 1.0);
         }",
        "float4 main(nointerpolation float3 color : COLOR) : SV_Target { return float4(color, 1); }",
    );
    scene.draw(ps, |cx, _| {
        cx.hs_set_shader(&hs);
        cx.ds_set_shader(&ds);
        cx.ia_set_primitive_topology(PrimitiveTopology::PatchList1);
        cx.rs_set_state(&both);
    });
    // The triangle ends before the centres of the diagonal.
    scene.expect(|x, y| if x + y < SIZE - 1 { 0xffff_00ff } else { 0xff00_0000 });
}

fn multiple_viewports(scene: &mut Scene<'_>) {
    let texts = (
        "struct V { @location(0) @interpolate(flat) color: u32 }
         struct O {
             @location(0) @interpolate(flat) color: u32,
             @location(1) @interpolate(flat) viewport: u32,
             @builtin(position) at: vec4f,
         }
         fn append0(vertex: O) {}
         fn restart0() {}
         fn main(v: array<V, 1>) {
             for (var k = 0u; k < 6u; k++) {
                 if k == 3u { restart0(); }
                 let at = vec2f(f32(k % 3u == 1u), -f32(k % 3u == 2u)) * 4.0 + vec2f(-1.0, 1.0);
                 append0(O(select(0xff0000ffu, v[0].color, k < 3u), 1u + k / 3u, vec4f(at, 0.5, 1.0)));
             }
         }",
        "struct V { nointerpolation uint color : COLOR; };
         struct O { nointerpolation uint color : COLOR; uint viewport : SV_ViewportArrayIndex; float4 at : SV_Position; };
         [maxvertexcount(6)] void main(point V v[1], inout TriangleStream<O> to) {
             for (uint k = 0; k < 6; k++) {
                 if (k == 3) to.RestartStrip();
                 float2 at = float2(k % 3 == 1, -float(k % 3 == 2)) * 4 + float2(-1, 1);
                 O o = { k < 3 ? v[0].color : 0xff0000ff, 1 + k / 3, at, 0.5, 1 };
                 to.Append(o);
             }
         }",
    );
    let viewports = [0.0, 2.0, 3.0].map(|x| Viewport { top_left_x: x, ..Viewport::sized(1.0, 4.0) });
    draw_squares(scene, texts, |cx| cx.rs_set_viewports(&viewports[..]));
    scene.expect(|x, _| [0xff00_0000, 0xff00_0000, 0xff00_ff00, 0xff00_00ff][x as usize]);
}

/// A declaration names the outputs of both languages in the same way.
fn stream_output(scene: &mut Scene<'_>) {
    scene.vs((
        "struct V { @builtin(position) at: vec4f, @location(0) @interpolate(flat) color: vec2u }
         @vertex fn main(@builtin(vertex_index) n: u32) -> V { return V(vec4f(f32(n)), vec2u(n + 5u, n + 7u)); }",
        "struct V { float4 at : SV_Position; nointerpolation uint2 color : COLOR; };
         V main(uint n : SV_VertexID) { V v = { n.xxxx, n + 5, n + 7 }; return v; }",
    ));
    let device = scene.device();
    let entries = [
        SoDeclarationEntry::new("COLOR", 0, 1).start_component(1),
        SoDeclarationEntry::gap(1),
        SoDeclarationEntry::new("SV_Position", 0, 1),
    ];
    let so = device.create_geometry_shader_with_stream_output(&scene.vs, &entries, &[], Some(0)).unwrap();
    let written = device.create_buffer_with(BindFlags::STREAM_OUTPUT, &[9_u32; 9]).unwrap();
    scene.draw(RED, |cx, _| {
        cx.gs_set_shader(&so);
        cx.so_set_targets(StreamOutputBinding::new(&written, 0));
    });
    scene.h.immediate.clear_state();
    let found: Vec<u32> = scene.h.immediate.read_buffer(&written).unwrap();
    let [one, two] = [1.0_f32, 2.0].map(f32::to_bits);
    assert_eq!(found, [7, 9, 0, 8, 9, one, 9, 9, two]);
}

/// Counting adds an output to the shader that the shader itself does not declare.
fn occlusion_counts(scene: &mut Scene<'_>) {
    let query = scene.device().create_query(QueryType::Occlusion).unwrap();
    let ps = (
        "@fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {
             if at.x < 1.0 { discard; }
             return vec4f(1.0, 0.0, 0.0, 1.0);
         }",
        "float4 main(float4 at : SV_Position) : SV_Target { clip(at.x - 1); return float4(1, 0, 0, 1); }",
    );
    scene.draw(ps, |cx, _| cx.begin(&query));
    scene.h.immediate.end(&query);
    scene.expect(|x, _| if x == 0 { 0xff00_0000 } else { 0xff00_00ff });
    let answer =
        onze_tests::wait_for("there is an answer", || scene.h.immediate.get_data(&query, false).unwrap());
    assert_eq!(answer, QueryData::Occlusion(12));
}

/// `SV_VertexID` starts at 0 even if an indirect draw starts at another vertex.
fn indirect_draws(scene: &mut Scene<'_>) {
    let device = scene.device();
    let arguments: Vec<u8> = [3_u32, 1, 6, 0].iter().flat_map(|word| word.to_le_bytes()).collect();
    let desc = BufferDesc::indirect(16, BindFlags::empty());
    let buffer = device.create_buffer(&desc, Some(&arguments)).unwrap();
    scene.draw(RED, |cx, target| {
        cx.draw_instanced_indirect(&buffer, 0);
        let _ = target;
        cx.rs_set_viewports(Viewport::sized(0.0, 0.0));
    });
    scene.expect(|_, _| 0xff00_00ff);
}
