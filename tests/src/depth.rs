//! Depth-stencil targets, and functions that read depth and stencil contents on every driver.

use onze::{
    BlendDesc, ClearFlags, ComparisonFunc, DepthStencilDesc, DepthStencilOpDesc, DepthStencilState,
    DepthStencilView, DeviceContext, Format, FormatSupport, RenderTargetBlendDesc, StencilOp, Texture2d,
    Texture2dDesc, Viewport,
};

use crate::{CommandPath, Harness, Quad, Target};

/// The depths that a [`DepthScene`] with a stencil plane can distinguish.
pub const DEPTHS: [f32; 4] = [0.25, 0.5, 0.75, 1.0];

/// A colour and a depth target of the same size, with quads that draw into cells of one texel.
#[derive(Clone, Debug)]
pub struct DepthScene {
    /// The colour target, which [`DepthScene::read`] overwrites if the depth format has a stencil plane.
    pub target: Target,
    /// The depth texture, as large as the colour target.
    pub texture: Texture2d,
    /// A view of the whole depth texture for binding it as a target.
    pub depth: DepthStencilView,
    /// Draws the rectangles that cover the cells, at any depth and in any colour.
    pub quad: Quad,
    /// State that replaces the stencil value with the reference, without testing or writing depth.
    pub stencil_setter: DepthStencilState,
    /// State that writes the new depth without testing it against the old depth.
    pub depth_setter: DepthStencilState,
}

impl DepthScene {
    /// Creates a scene with the given depth format, and with targets of the given size in texels.
    pub fn new(h: &Harness, format: Format, width: u32, height: u32) -> Self {
        let d = &h.device;
        let texture =
            d.create_texture_2d(&Texture2dDesc::depth_stencil(format, width, height), None).unwrap();
        let replace = DepthStencilOpDesc { stencil_pass_op: StencilOp::Replace, ..Default::default() };
        let stencil_setter = DepthStencilDesc {
            depth_enable: false,
            stencil_enable: true,
            front_face: replace,
            back_face: replace,
            ..Default::default()
        };
        let depth_setter = DepthStencilDesc { depth_func: ComparisonFunc::Always, ..Default::default() };
        Self {
            target: Target::new(d, width, height),
            depth: d.create_depth_stencil_view(&texture, None).unwrap(),
            texture,
            quad: Quad::new(d),
            stencil_setter: d.create_depth_stencil_state(&stencil_setter).unwrap(),
            depth_setter: d.create_depth_stencil_state(&depth_setter).unwrap(),
        }
    }

    /// Creates a scene with the first supported depth format that has a stencil plane.
    pub fn with_stencil(h: &Harness, width: u32, height: u32) -> Self {
        let formats = [Format::D24_UNORM_S8_UINT, Format::D32_FLOAT_S8X24_UINT];
        let format = formats.into_iter().find(|f| h.has_format(*f, FormatSupport::DEPTH_STENCIL)).unwrap();
        Self::new(h, format, width, height)
    }

    /// Clears both targets, then binds them with a viewport of their size.
    pub fn begin(&self, cx: &mut DeviceContext, depth: f32, stencil: u8) {
        let both = ClearFlags::DEPTH | ClearFlags::STENCIL;
        let flags = if self.texture.desc().format.has_stencil() { both } else { ClearFlags::DEPTH };
        cx.clear_render_target_view(&self.target.view, [0.0, 0.0, 0.0, 1.0]);
        cx.clear_depth_stencil_view(&self.depth, flags, depth, stencil);
        self.target.bind(cx);
        cx.om_set_render_targets(&self.target.view, &self.depth);
    }

    /// Draws only into texel `n`, counted row by row.
    pub fn cell(&self, cx: &mut DeviceContext, n: u32, depth: f32, color: [f32; 4]) {
        let (x, y) = (n % self.target.width, n / self.target.width);
        cx.rs_set_viewports(Viewport {
            top_left_x: x as f32,
            top_left_y: y as f32,
            ..Viewport::sized(1.0, 1.0)
        });
        self.quad.draw_at(cx, color, Quad::ALL, depth);
    }

    /// Returns the depth and stencil of each texel. Because the CPU cannot map formats with a stencil plane,
    /// the texels of these formats are probed with draws that overwrite the colour target.
    pub fn read(&self, h: &mut Harness) -> Vec<(f32, u8)> {
        let format = self.texture.desc().format;
        if format.has_stencil() {
            return self.probe(h);
        }
        let bytes = h.read(&self.texture, 0);
        match format {
            Format::D16_UNORM => bytemuck::pod_collect_to_vec::<u8, u16>(&bytes)
                .iter()
                .map(|texel| (f32::from(*texel) / 65_535.0, 0))
                .collect(),
            _ => bytemuck::pod_collect_to_vec::<u8, f32>(&bytes).iter().map(|f| (*f, 0)).collect(),
        }
    }

    /// Probes each texel with draws that pass only for one stencil bit or one depth, so that red accumulates
    /// the stencil bits, and green receives the position in [`DEPTHS`], counted from 1.
    fn probe(&self, h: &mut Harness) -> Vec<(f32, u8)> {
        let add = BlendDesc::all(RenderTargetBlendDesc::additive());
        let add = h.device.create_blend_state(&add).unwrap();
        let equal = DepthStencilOpDesc { stencil_func: ComparisonFunc::Equal, ..Default::default() };
        let bits: Vec<_> = (0..8)
            .map(|bit| DepthStencilDesc {
                depth_enable: false,
                stencil_enable: true,
                stencil_read_mask: 1 << bit,
                front_face: equal,
                back_face: equal,
                ..Default::default()
            })
            .map(|desc| h.device.create_depth_stencil_state(&desc).unwrap())
            .collect();
        let same =
            DepthStencilDesc { depth_write: false, depth_func: ComparisonFunc::Equal, ..Default::default() };
        let same = h.device.create_depth_stencil_state(&same).unwrap();
        h.record(CommandPath::Immediate, |cx| {
            cx.clear_render_target_view(&self.target.view, [0.0; 4]);
            self.target.bind(cx);
            cx.om_set_render_targets(&self.target.view, &self.depth);
            cx.om_set_blend_state(&add, [1.0; 4], u32::MAX);
            for (bit, state) in bits.iter().enumerate() {
                cx.om_set_depth_stencil_state(state, 0xff);
                self.quad.draw(cx, [(1 << bit) as f32 / 255.0, 0.0, 0.0, 0.0]);
            }
            cx.om_set_depth_stencil_state(&same, 0);
            for (n, depth) in DEPTHS.iter().enumerate() {
                self.quad.draw_at(cx, [0.0, (n + 1) as f32 / 255.0, 0.0, 0.0], Quad::ALL, *depth);
            }
        });
        let depth = |n: u8| DEPTHS.get(usize::from(n).wrapping_sub(1)).copied().unwrap_or(f32::NAN);
        self.target
            .read(h)
            .iter()
            .map(|texel| texel.to_le_bytes())
            .map(|[stencil, n, ..]| (depth(n), stencil))
            .collect()
    }
}
