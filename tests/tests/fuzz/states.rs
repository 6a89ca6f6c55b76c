//! State objects with random values for every setting.

use onze::*;
use onze_tests::Random;

use crate::world::{World, keep, number, odd};

impl World {
    pub(crate) fn create_state(&mut self, r: &mut Random) {
        let device = self.maker(r);
        let sampler = sampler_desc(r);
        let blend = blend_desc(r);
        let depth = depth_desc(r);
        let rasterizer = RasterizerDesc {
            fill_mode: if r.one_in(8) { FillMode::Wireframe } else { FillMode::Solid },
            cull_mode: *r.pick(&[CullMode::None, CullMode::None, CullMode::Front, CullMode::Back]),
            front_counter_clockwise: r.one_in(2),
            depth_bias: if r.one_in(4) { odd(r, 100) as i32 } else { 0 },
            depth_bias_clamp: if r.one_in(4) { number(r) } else { 0.0 },
            slope_scaled_depth_bias: if r.one_in(4) { number(r) } else { 0.0 },
            depth_clip_enable: !r.one_in(4),
            scissor_enable: r.one_in(4),
            multisample_enable: r.one_in(4),
            antialiased_line_enable: r.one_in(20),
            forced_sample_count: if r.one_in(20) { *r.pick(&[1, 2, 3, 4, 8, 16]) } else { 0 },
            conservative_raster: if r.one_in(8) {
                ConservativeRasterizationMode::On
            } else {
                ConservativeRasterizationMode::Off
            },
        };
        self.say(format_args!("states {sampler:?} {blend:?} {depth:?} {rasterizer:?}"));
        keep(r, &mut self.samplers, device.create_sampler_state(&sampler).ok());
        keep(r, &mut self.blends, device.create_blend_state(&blend).ok());
        keep(r, &mut self.depth_states, device.create_depth_stencil_state(&depth).ok());
        keep(r, &mut self.rasterizers, device.create_rasterizer_state(&rasterizer).ok());
    }
}

fn comparison(r: &mut Random) -> ComparisonFunc {
    use ComparisonFunc as C;
    *r.pick(&[
        C::Never,
        C::Less,
        C::Equal,
        C::LessEqual,
        C::Greater,
        C::NotEqual,
        C::GreaterEqual,
        C::Always,
        C::Always,
    ])
}

fn sampler_desc(r: &mut Random) -> SamplerDesc {
    use TextureAddressMode as A;
    let address = [A::Wrap, A::Mirror, A::Clamp, A::Border, A::MirrorOnce];
    SamplerDesc {
        filter: Filter {
            min_linear: r.one_in(2),
            mag_linear: r.one_in(2),
            mip_linear: r.one_in(2),
            anisotropic: r.one_in(6),
            reduction: match r.below(12) {
                0..4 => FilterReduction::Comparison,
                4 => FilterReduction::Minimum,
                5 => FilterReduction::Maximum,
                _ => FilterReduction::Standard,
            },
        },
        address_u: if r.one_in(4) { *r.pick(&address) } else { address[r.below(3) as usize] },
        address_v: if r.one_in(4) { *r.pick(&address) } else { address[r.below(3) as usize] },
        address_w: if r.one_in(10) { *r.pick(&address) } else { A::Wrap },
        mip_lod_bias: if r.one_in(4) { number(r) } else { 0.0 },
        max_anisotropy: odd(r, 17),
        comparison_func: comparison(r),
        border_color: match r.below(4) {
            0 => [1.0; 4],
            1 => [0.25, 2.0, -1.0, 0.5],
            _ => [0.0, 0.0, 0.0, r.below(2) as f32],
        },
        min_lod: if r.one_in(3) { number(r) } else { f32::MIN },
        max_lod: if r.one_in(3) { number(r) } else { f32::MAX },
    }
}

fn blend_desc(r: &mut Random) -> BlendDesc {
    use Blend as B;
    let colors = [
        B::Zero,
        B::One,
        B::SrcColor,
        B::InvSrcColor,
        B::SrcAlpha,
        B::InvSrcAlpha,
        B::DestAlpha,
        B::DestColor,
        B::SrcAlphaSat,
        B::BlendFactor,
        B::InvBlendFactor,
        B::Src1Color,
    ];
    let alphas = [B::Zero, B::One, B::SrcAlpha, B::InvDestAlpha, B::BlendFactor, B::SrcAlphaSat];
    let ops = [BlendOp::Add, BlendOp::Subtract, BlendOp::RevSubtract, BlendOp::Min, BlendOp::Max];
    let mut desc = BlendDesc {
        alpha_to_coverage_enable: r.one_in(5),
        independent_blend_enable: r.one_in(3),
        ..BlendDesc::default()
    };
    for target in &mut desc.render_target {
        let end = if r.one_in(8) { colors.len() } else { colors.len() - 1 };
        *target = RenderTargetBlendDesc {
            blend_enable: r.one_in(2),
            src_blend: *r.pick(&colors[..end]),
            dest_blend: *r.pick(&colors[..end]),
            blend_op: *r.pick(&ops),
            src_blend_alpha: *r.pick(&alphas),
            dest_blend_alpha: *r.pick(&alphas),
            blend_op_alpha: *r.pick(&ops),
            logic_op_enable: r.one_in(40),
            logic_op: LogicOp::from_u32(r.below(16)).unwrap_or(LogicOp::Noop),
            render_target_write_mask: if r.one_in(3) {
                ColorWrite::from_bits_truncate(r.bits() as u8)
            } else {
                ColorWrite::ALL
            },
        };
    }
    desc
}

fn depth_desc(r: &mut Random) -> DepthStencilDesc {
    use StencilOp as S;
    let ops = [S::Keep, S::Zero, S::Replace, S::IncrSat, S::DecrSat, S::Invert, S::Incr, S::Decr];
    let face = |r: &mut Random| DepthStencilOpDesc {
        stencil_fail_op: *r.pick(&ops),
        stencil_depth_fail_op: *r.pick(&ops),
        stencil_pass_op: *r.pick(&ops),
        stencil_func: comparison(r),
    };
    DepthStencilDesc {
        depth_enable: !r.one_in(4),
        depth_write: !r.one_in(4),
        depth_func: comparison(r),
        stencil_enable: r.one_in(2),
        stencil_read_mask: r.bits() as u8,
        stencil_write_mask: r.bits() as u8,
        front_face: face(r),
        back_face: face(r),
    }
}
