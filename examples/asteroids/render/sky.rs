//! The background: a sky with a nebula and stars, and the grid below the arena.

use onze::prelude::*;

use super::{Pass, Picture, Scene};

const SHADER: &str = concat!(include_str!("scene.wgsl"), include_str!("sky.wgsl"));

const TEXELS: u32 = 1024;

pub(super) struct SkyPass {
    scene: ConstantBuffer<Scene>,
    sky_vs: VertexShader,
    sky_ps: PixelShader,
    floor_vs: VertexShader,
    floor_ps: PixelShader,
    nebula: ShaderResourceView,
    sampler: SamplerState,
    no_depth: DepthStencilState,
    adds: BlendState,
    both_sides: RasterizerState,
}

impl SkyPass {
    /// Creates the pass, and draws the nebula into a texture once because drawing it in every frame would be
    /// too expensive.
    pub(super) fn new(
        device: &Device,
        context: &mut ImmediateContext,
        scene: &ConstantBuffer<Scene>,
    ) -> Result<Self, onze::Error> {
        let vertex = |name| device.create_vertex_shader(ShaderSource::wgsl(SHADER, name));
        let pixel = |name| device.create_pixel_shader(ShaderSource::wgsl(SHADER, name));
        let sky_vs = vertex("sky_vs")?;
        let target = device.create_render_target(Format::R8G8B8A8_UNORM_SRGB, TEXELS, TEXELS)?;
        let both_sides = RasterizerDesc { cull_mode: CullMode::None, ..Default::default() };
        let both_sides = device.create_rasterizer_state(&both_sides)?;
        context.om_set_render_targets(&target.render_target_view, None);
        context.rs_set_viewports(Viewport::sized(TEXELS as f32, TEXELS as f32));
        context.rs_set_state(&both_sides);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.vs_set_shader(&sky_vs);
        context.ps_set_shader(&pixel("nebula_ps")?);
        context.draw(3, 0);
        context.clear_state();
        let mirror = TextureAddressMode::Mirror;
        let sampler = SamplerDesc { address_u: mirror, address_v: mirror, ..Default::default() };
        let no_depth = DepthStencilDesc { depth_enable: false, ..Default::default() };
        Ok(Self {
            scene: scene.clone(),
            sky_vs,
            sky_ps: pixel("sky_ps")?,
            floor_vs: vertex("floor_vs")?,
            floor_ps: pixel("floor_ps")?,
            nebula: target.shader_resource_view,
            sampler: device.create_sampler_state(&sampler)?,
            no_depth: device.create_depth_stencil_state(&no_depth)?,
            adds: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::additive()))?,
            both_sides,
        })
    }
}

impl Pass for SkyPass {
    fn record(&mut self, context: &mut DeviceContext, picture: &Picture<'_>) -> Result<(), onze::Error> {
        context.clear_render_target_view(picture.target, [0.0, 0.0, 0.0, 1.0]);
        if let Some(depth) = picture.depth {
            context.clear_depth_stencil(depth);
        }
        context.om_set_depth_stencil(&self.no_depth);
        context.rs_set_state(&self.both_sides);
        context.vs_set_constant_buffers(0, &self.scene);
        context.ps_set_constant_buffers(0, &self.scene);
        context.ps_set_shader_resources(0, &self.nebula);
        context.ps_set_samplers(0, &self.sampler);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.vs_set_shader(&self.sky_vs);
        context.ps_set_shader(&self.sky_ps);
        context.draw(3, 0);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        context.om_set_blend(&self.adds);
        context.vs_set_shader(&self.floor_vs);
        context.ps_set_shader(&self.floor_ps);
        context.draw(4, 0);
        Ok(())
    }
}
