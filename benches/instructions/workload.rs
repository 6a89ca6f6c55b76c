//! What a frame records: the same draw over and over, with more or less changed between two of them.

use onze::prelude::*;

/// Draws of a frame.
pub(crate) const DRAWS: u32 = 4000;

/// Bytes of a constant buffer, and of what each draw has of the large one.
const CONSTANTS: u32 = 256;

const TEXTURES: usize = 64;

const SHADER: &str = r"
struct Object { offset: vec4<f32>, color: vec4<f32>, rest: array<vec4<f32>, 2> }
@group(0) @binding(0) var<uniform> object: Object;
@group(1) @binding(0) var image: texture_2d<f32>;
@group(2) @binding(0) var linear: sampler;
@vertex fn vs_main(@location(0) position: vec3<f32>) -> @builtin(position) vec4<f32> {
    return vec4(position, 1.0) + object.offset;
}
@fragment fn ps_main(@builtin(position) position: vec4<f32>) -> @location(0) vec4<f32> {
    return object.color * textureSample(image, linear, position.xy);
}
";

/// What changes between two draws.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// Nothing.
    Same,
    /// A dynamic constant buffer is mapped with `WriteDiscard`, 64 bytes are written.
    Map,
    /// That, and one of 64 textures.
    Textures,
    /// That, and one of 16 combinations of shaders and state objects.
    States,
    /// Another part of a large constant buffer, which is mapped once.
    Offsets,
    /// A constant buffer of default usage is updated.
    Update,
}

impl Variant {
    pub(crate) const ALL: [Self; 6] =
        [Self::Same, Self::Map, Self::Textures, Self::States, Self::Offsets, Self::Update];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Same => "v0",
            Self::Map => "v1",
            Self::Textures => "v2",
            Self::States => "v3",
            Self::Offsets => "v4",
            Self::Update => "v5",
        }
    }
}

/// The objects of a frame.
#[derive(Debug)]
pub(crate) struct Workload {
    target: RenderTargetView,
    layout: InputLayout,
    vertices: Buffer,
    indices: Buffer,
    vs: [VertexShader; 2],
    ps: [PixelShader; 2],
    blend: [BlendState; 2],
    rasterizer: [RasterizerState; 2],
    textures: Vec<ShaderResourceView>,
    sampler: SamplerState,
    mapped: Buffer,
    large: Buffer,
    updated: Buffer,
}

impl Workload {
    pub(crate) fn new(device: &Device) -> Result<Self, Error> {
        let target = Texture2dDesc::render_target(Format::R8G8B8A8_UNORM, 256, 256);
        let target = device.create_texture_2d(&target, None)?;
        let vertex_shader = || device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"));
        let pixel_shader = || device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"));
        let vs = [vertex_shader()?, vertex_shader()?];
        let texture = |_| {
            let desc = Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4);
            device.create_shader_resource_view(&device.create_texture_2d(&desc, None)?, None)
        };
        let constants = |size| BufferDesc::dynamic(size, BindFlags::CONSTANT_BUFFER);
        let mut blended = BlendDesc::default();
        blended.render_target[0].blend_enable = true;
        let culled = RasterizerDesc { cull_mode: CullMode::None, ..Default::default() };
        // Behind the far plane: every stage but the rasterizer has work.
        let triangle: [[f32; 3]; 3] = [[0.0, 0.0, 2.0], [0.1, 0.0, 2.0], [0.0, 0.1, 2.0]];
        Ok(Self {
            target: device.create_render_target_view(&target, None)?,
            layout: device.create_input_layout(
                &[InputElementDesc::new("POSITION", 0, Format::R32G32B32_FLOAT)],
                &vs[0],
            )?,
            vertices: device.create_buffer_with(BindFlags::VERTEX_BUFFER, &triangle)?,
            indices: device.create_buffer_with(BindFlags::INDEX_BUFFER, &[0_u16, 1, 2, 0])?,
            vs,
            ps: [pixel_shader()?, pixel_shader()?],
            blend: [device.create_blend_state(&BlendDesc::default())?, device.create_blend_state(&blended)?],
            rasterizer: [
                device.create_rasterizer_state(&RasterizerDesc::default())?,
                device.create_rasterizer_state(&culled)?,
            ],
            textures: (0..TEXTURES).map(texture).collect::<Result<_, _>>()?,
            sampler: device.create_sampler_state(&SamplerDesc::default())?,
            mapped: device.create_buffer(&constants(CONSTANTS), None)?,
            large: device.create_buffer(&constants(CONSTANTS * DRAWS), None)?,
            updated: device.create_buffer(&BufferDesc::new(CONSTANTS, BindFlags::CONSTANT_BUFFER), None)?,
        })
    }

    /// Binds everything that all draws have in common.
    pub(crate) fn begin(&self, ctx: &mut DeviceContext, variant: Variant) {
        ctx.om_set_render_targets(&self.target, None);
        ctx.rs_set_viewports(Viewport::sized(256.0, 256.0));
        ctx.ia_set_input_layout(&self.layout);
        ctx.ia_set_vertex_buffers(0, VertexBuffer::new(&self.vertices, 12));
        ctx.ia_set_index_buffer(&self.indices, Format::R16_UINT, 0);
        ctx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        ctx.vs_set_shader(&self.vs[0]);
        ctx.ps_set_shader(&self.ps[0]);
        ctx.ps_set_shader_resources(0, &self.textures[0]);
        ctx.ps_set_samplers(0, &self.sampler);
        let constants = match variant {
            Variant::Offsets => &self.large,
            Variant::Update => &self.updated,
            _ => &self.mapped,
        };
        ctx.vs_set_constant_buffers(0, constants);
        ctx.ps_set_constant_buffers(0, constants);
    }

    /// The draws of a frame that counts: callgrind looks for the name.
    #[inline(never)]
    pub(crate) fn record_counted_draws(
        &self,
        ctx: &mut DeviceContext,
        variant: Variant,
    ) -> Result<(), Error> {
        self.record_draws(ctx, variant)
    }

    /// The draws of a frame.
    #[inline(never)]
    pub(crate) fn record_draws(&self, ctx: &mut DeviceContext, variant: Variant) -> Result<(), Error> {
        if variant == Variant::Offsets {
            ctx.map(&self.large, 0, MapType::WriteDiscard)?.write(0, &[1.0_f32; 16]);
        }
        for draw in 0..DRAWS {
            self.change(ctx, variant, draw)?;
            ctx.draw_indexed(3, 0, 0);
        }
        Ok(())
    }

    fn change(&self, ctx: &mut DeviceContext, variant: Variant, draw: u32) -> Result<(), Error> {
        let index = draw as usize;
        match variant {
            Variant::Same => {}
            Variant::Map => self.map(ctx, draw)?,
            Variant::Textures => {
                self.map(ctx, draw)?;
                ctx.ps_set_shader_resources(0, &self.textures[index % TEXTURES]);
            }
            Variant::States => {
                self.map(ctx, draw)?;
                ctx.ps_set_shader_resources(0, &self.textures[index % TEXTURES]);
                ctx.vs_set_shader(&self.vs[index & 1]);
                ctx.ps_set_shader(&self.ps[index >> 1 & 1]);
                ctx.om_set_blend_state(&self.blend[index >> 2 & 1], [1.0; 4], u32::MAX);
                ctx.rs_set_state(&self.rasterizer[index >> 3 & 1]);
            }
            Variant::Offsets => {
                let range = ConstantRange::bytes(draw * CONSTANTS, CONSTANTS);
                ctx.vs_set_constant_buffers1(0, &self.large, &[range]);
            }
            Variant::Update => {
                ctx.update_subresource(&self.updated, 0, None, &[draw as f32; 64], 0, 0);
                ctx.vs_set_constant_buffers(0, &self.updated);
            }
        }
        Ok(())
    }

    fn map(&self, ctx: &mut DeviceContext, draw: u32) -> Result<(), Error> {
        ctx.map(&self.mapped, 0, MapType::WriteDiscard)?.write(0, &[draw as f32; 16]);
        ctx.vs_set_constant_buffers(0, &self.mapped);
        Ok(())
    }
}
