//! The state objects of the passes. Direct3D 11 groups render state into immutable objects, which are created
//! once and then only bound by recording.

use onze::prelude::*;

/// All state objects of the scene, except D3D11's default states, which are bound as `None`.
#[derive(Debug)]
pub(crate) struct States {
    /// Rasterizer states, indexed by whether front faces are clockwise, and then by whether both sides are
    /// drawn.
    rasterizer: [[RasterizerState; 2]; 2],
    /// The same states with a depth bias, which prevents surfaces from casting shadows on themselves.
    shadow_rasterizer: [[RasterizerState; 2]; 2],
    /// Tests depth without writing it, for blended objects, because they must not hide each other.
    pub(crate) depth_read: DepthStencilState,
    /// Tests depth with less-or-equal without writing it, for the sky at the far plane.
    pub(crate) depth_sky: DepthStencilState,
    /// Replaces the stencil by the reference value and writes no depth, for marking the water.
    pub(crate) mark: DepthStencilState,
    /// The default state, limited to pixels whose stencil equals the reference value.
    pub(crate) mirrored: DepthStencilState,
    /// `depth_read`, limited to pixels whose stencil equals the reference value.
    pub(crate) mirrored_read: DepthStencilState,
    /// `depth_sky`, limited to pixels whose stencil equals the reference value.
    pub(crate) mirrored_sky: DepthStencilState,
    /// Blends the source over the destination by the source's alpha, for glass and blended materials.
    pub(crate) blend: BlendState,
    /// Blends a source that is already multiplied by its alpha over the destination.
    pub(crate) blend_premultiplied: BlendState,
}

impl States {
    /// Creates all state objects at startup, so that recording only has to bind them.
    pub(crate) fn new(device: &Device) -> Result<Self, onze::Error> {
        let plain = DepthStencilDesc::default();
        let read = DepthStencilDesc { depth_write: false, ..plain };
        let sky = DepthStencilDesc { depth_func: ComparisonFunc::LessEqual, ..read };
        let mark = DepthStencilOpDesc { stencil_pass_op: StencilOp::Replace, ..Default::default() };
        let equal = DepthStencilOpDesc { stencil_func: ComparisonFunc::Equal, ..Default::default() };
        let with_stencil = |desc: DepthStencilDesc, op: DepthStencilOpDesc| {
            let desc = DepthStencilDesc { stencil_enable: true, front_face: op, back_face: op, ..desc };
            device.create_depth_stencil_state(&desc)
        };
        let premultiplied = RenderTargetBlendDesc::premultiplied_alpha();
        Ok(Self {
            rasterizer: rasterizers(device, RasterizerDesc::default())?,
            shadow_rasterizer: rasterizers(
                device,
                RasterizerDesc { slope_scaled_depth_bias: 1.5, ..RasterizerDesc::default() },
            )?,
            depth_read: device.create_depth_stencil_state(&read)?,
            depth_sky: device.create_depth_stencil_state(&sky)?,
            mark: with_stencil(read, mark)?,
            mirrored: with_stencil(plain, equal)?,
            mirrored_read: with_stencil(read, equal)?,
            mirrored_sky: with_stencil(sky, equal)?,
            blend: device.create_blend_state(&BlendDesc::all(RenderTargetBlendDesc::alpha()))?,
            blend_premultiplied: device.create_blend_state(&BlendDesc::all(premultiplied))?,
        })
    }

    /// Returns a rasterizer state. Front faces are clockwise if `clockwise` is true, and the state has a
    /// depth bias if `shadow` is true.
    pub(crate) fn rasterizer(&self, shadow: bool, clockwise: bool, both_sides: bool) -> &RasterizerState {
        let states = if shadow { &self.shadow_rasterizer } else { &self.rasterizer };
        &states[usize::from(clockwise)][usize::from(both_sides)]
    }
}

fn rasterizers(device: &Device, desc: RasterizerDesc) -> Result<[[RasterizerState; 2]; 2], onze::Error> {
    let make = |clockwise: bool, both_sides: bool| {
        device.create_rasterizer_state(&RasterizerDesc {
            front_counter_clockwise: !clockwise,
            cull_mode: if both_sides { CullMode::None } else { CullMode::Back },
            ..desc
        })
    };
    Ok([[make(false, false)?, make(false, true)?], [make(true, false)?, make(true, true)?]])
}
