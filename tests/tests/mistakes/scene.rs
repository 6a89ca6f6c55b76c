//! The correct program, which draws a textured triangle with constants and depth.

use onze::prelude::*;
use onze_tests::{Harness, Watch, watched_device};

pub(crate) const EXTENT: u32 = 16;

pub(crate) const STRIDE: u32 = 20;

pub(crate) const SHADER: &str = "
struct Camera { matrix: mat4x4f }
@group(0) @binding(0) var<uniform> camera: Camera;
@group(1) @binding(0) var albedo: texture_2d<f32>;
@group(2) @binding(0) var smooth_sampler: sampler;

struct Varyings { @builtin(position) position: vec4f, @location(0) uv: vec2f }

@vertex fn vs_main(@location(0) position: vec3f, @location(1) texcoord: vec2f) -> Varyings {
    return Varyings(camera.matrix * vec4f(position, 1.0), texcoord);
}

@fragment fn ps_main(in: Varyings) -> @location(0) vec4f {
    return textureSample(albedo, smooth_sampler, in.uv);
}

@fragment fn ps_integers(in: Varyings) -> @location(0) vec4u { return vec4u(1); }
@fragment fn ps_elsewhere(in: Varyings) -> @location(1) vec4f { return vec4f(1.0); }
struct Two { @location(0) color: vec4f, @location(1) normal: vec4f }
@fragment fn ps_two(in: Varyings) -> Two { return Two(vec4f(), vec4f()); }
@fragment fn ps_integers_elsewhere(in: Varyings) -> Mixed { return Mixed(vec4f(), vec4u()); }
struct Mixed { @location(0) color: vec4f, @location(1) id: vec4u }
@fragment fn ps_normals(@location(3) normal: vec3f) -> @location(0) vec4f { return vec4f(normal, 1.0); }
@vertex fn vs_plain(@builtin(vertex_index) i: u32) -> Varyings { return Varyings(vec4f(f32(i)), vec2f()); }

@group(3) @binding(0) var<storage, read_write> counts: array<u32>;
@compute @workgroup_size(1) fn cs_main(@builtin(global_invocation_id) id: vec3u) { counts[id.x] = 1; }
";

pub(crate) struct Scene {
    pub(crate) device: Device,
    pub(crate) context: ImmediateContext,
    pub(crate) vs: VertexShader,
    pub(crate) ps: PixelShader,
    pub(crate) layout: InputLayout,
    pub(crate) vertices: Buffer,
    pub(crate) indices: Buffer,
    pub(crate) camera: Buffer,
    pub(crate) albedo: Texture2d,
    pub(crate) albedo_view: ShaderResourceView,
    pub(crate) sampler: SamplerState,
    pub(crate) picture: Texture2d,
    pub(crate) target: RenderTargetView,
    pub(crate) depth: DepthStencilView,
}

impl Scene {
    pub(crate) fn new(harness: Harness) -> Self {
        let Harness { device, immediate: context, watch, .. } = harness;
        // The tables compare the messages, so the watch must allow all of them.
        watch.allow_all();
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main")).unwrap();
        let buffer = |label: &'static str, bytes: &[u8], bind_flags| {
            let desc = BufferDesc::immutable(bytes.len() as u32, bind_flags).label(label);
            device.create_buffer(&desc, Some(bytes)).unwrap()
        };
        let color = |label: &'static str| {
            let desc = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, EXTENT, EXTENT).label(label);
            device.create_texture_2d(&desc, None).unwrap()
        };
        let (picture, albedo) = (color("picture"), color("albedo"));
        let depth = Texture2dDesc::depth_stencil(Format::D32_FLOAT, EXTENT, EXTENT).label("depth");
        let depth = device.create_texture_2d(&depth, None).unwrap();
        let camera = BufferDesc::dynamic(64, BindFlags::CONSTANT_BUFFER).label("camera");
        let elements = [
            InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT),
            InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT),
        ];
        let sampler = SamplerDesc::new(Filter::MIN_MAG_MIP_LINEAR, TextureAddressMode::Wrap);
        Self {
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main")).unwrap(),
            layout: device.create_input_layout(&elements, &vs).unwrap(),
            vertices: buffer("vertices", &[0; 3 * STRIDE as usize], BindFlags::VERTEX_BUFFER),
            indices: buffer("indices", bytemuck::bytes_of(&[0_u16, 1, 2, 0]), BindFlags::INDEX_BUFFER),
            camera: device.create_buffer(&camera, None).unwrap(),
            albedo_view: device.create_shader_resource_view(&albedo, None).unwrap(),
            sampler: device.create_sampler_state(&sampler).unwrap(),
            target: device.create_render_target_view(&picture, None).unwrap(),
            depth: device.create_depth_stencil_view(&depth, None).unwrap(),
            device,
            context,
            vs,
            albedo,
            picture,
        }
    }

    pub(crate) fn bind(&mut self) {
        self.bind_all_but_the_pixel_shader();
        self.context.ps_set_shader(&self.ps);
    }

    pub(crate) fn bind_all_but_the_pixel_shader(&mut self) {
        let context = &mut self.context;
        context.clear_render_target_view(&self.target, [0.0; 4]);
        context.clear_depth_stencil_view(&self.depth, ClearFlags::DEPTH, 1.0, 0);
        context.om_set_render_targets(&self.target, &self.depth);
        context.rs_set_viewports(Viewport::sized(EXTENT as f32, EXTENT as f32));
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, VertexBufferBinding::new(&self.vertices, STRIDE));
        context.ia_set_index_buffer(&self.indices, Format::R16_UINT, 0);
        context.vs_set_shader(&self.vs);
        context.vs_set_constant_buffers(0, &self.camera);
        context.ps_set_shader_resources(0, &self.albedo_view);
        context.ps_set_samplers(0, &self.sampler);
        context.map(&self.camera, 0, MapType::WriteDiscard).unwrap().write(0, &[1.0_f32; 16]);
    }

    pub(crate) fn pixel_shader(&self, entry_point: &str) -> PixelShader {
        self.device.create_pixel_shader(ShaderSource::wgsl(SHADER, entry_point)).unwrap()
    }

    pub(crate) fn other_device(&self) -> (Watch, Device, ImmediateContext) {
        let desc = DeviceDesc { driver_type: DriverType::Null, ..DeviceDesc::default() };
        let (watch, device, context) = watched_device(&desc).unwrap();
        // The caller compares the messages, so the watch must allow all of them.
        watch.allow_all();
        (watch, device, context)
    }

    pub(crate) fn buffer(&self, desc: BufferDesc, label: &'static str) -> Buffer {
        self.device.create_buffer(&desc.label(label), None).unwrap()
    }

    pub(crate) fn take_messages(&self) -> Vec<String> {
        self.device.info_queue().take().into_iter().map(|message| message.to_string()).collect()
    }

    /// Waits until the GPU has completed all commands.
    pub(crate) fn finish(&mut self) {
        let query = self.device.create_query(QueryType::Event).unwrap();
        self.context.end(&query);
        onze_tests::wait_until("the GPU is done", || self.context.get_data(&query, false).unwrap().is_some());
    }
}
