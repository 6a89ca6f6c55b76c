//! Blend states: the blend and the write mask of each render target, and logic operations.

/// A factor of the source or the destination in a blend (D3D11: `D3D11_BLEND`).
#[doc(alias = "D3D11_BLEND")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the formulas")]
pub enum Blend {
    Zero,
    One,
    SrcColor,
    InvSrcColor,
    SrcAlpha,
    InvSrcAlpha,
    DestAlpha,
    InvDestAlpha,
    DestColor,
    InvDestColor,
    SrcAlphaSat,
    BlendFactor,
    InvBlendFactor,
    Src1Color,
    InvSrc1Color,
    Src1Alpha,
    InvSrc1Alpha,
}

impl Blend {
    /// Whether the factor is a colour, such as `SrcColor`, which is not allowed for the alpha channel.
    pub const fn is_color(self) -> bool {
        matches!(
            self,
            Self::SrcColor
                | Self::InvSrcColor
                | Self::DestColor
                | Self::InvDestColor
                | Self::Src1Color
                | Self::InvSrc1Color
        )
    }

    /// Whether the factor reads the second output of the pixel shader, which needs
    /// [`Features::DUAL_SOURCE_BLEND`](crate::Features::DUAL_SOURCE_BLEND).
    pub const fn is_dual_source(self) -> bool {
        matches!(self, Self::Src1Color | Self::InvSrc1Color | Self::Src1Alpha | Self::InvSrc1Alpha)
    }
}

/// How a blend combines source and destination, in most cases after multiplying them by their factors (D3D11:
/// `D3D11_BLEND_OP`).
#[doc(alias = "D3D11_BLEND_OP")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum BlendOp {
    /// Source times its factor plus destination times its factor (default).
    Add,
    /// Source times its factor minus destination times its factor.
    Subtract,
    /// Destination times its factor minus source times its factor.
    RevSubtract,
    /// The smaller of source and destination per component, without applying the factors.
    Min,
    /// The larger of source and destination per component, without applying the factors.
    Max,
}

bitflags::bitflags! {
    /// The colour channels that a draw writes to a target (D3D11: `D3D11_COLOR_WRITE_ENABLE`, with its
    /// values).
    #[doc(alias = "D3D11_COLOR_WRITE_ENABLE")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct ColorWrite: u8 {
        /// The red channel of a target, bit 0 of the mask.
        const RED = 1;
        /// The green channel of a target, bit 1 of the mask.
        const GREEN = 2;
        /// The blue channel of a target, bit 2 of the mask.
        const BLUE = 4;
        /// The alpha channel of a target, bit 3 of the mask.
        const ALPHA = 8;
        /// All four channels, which is the default.
        const ALL = 15;
    }
}

/// How each bit of the target's texel, `d`, is combined with the same bit of the pixel shader's output, `s`
/// (D3D11.1: `D3D11_LOGIC_OP`).
#[doc(alias = "D3D11_LOGIC_OP")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum LogicOp {
    /// `0` in all bits.
    Clear,
    /// `1` in all bits.
    Set,
    /// `s`, the unchanged output of the shader.
    Copy,
    /// `~s`, the output of the shader with all bits inverted.
    CopyInverted,
    /// `d`, the unchanged texel of the target (default).
    Noop,
    /// `~d`, the target's texel with all bits inverted.
    Invert,
    /// `s & d`, the bits that are set in both values.
    And,
    /// `~(s & d)`, all bits except those that are set in both values.
    Nand,
    /// `s | d`, the bits that are set in at least one of the values.
    Or,
    /// `~(s | d)`, the bits that are set in neither value.
    Nor,
    /// `s ^ d`, the bits that differ.
    Xor,
    /// `~(s ^ d)`, the bits that are equal.
    Equiv,
    /// `s & ~d`, the bits that are set only in the shader's output.
    AndReverse,
    /// `~s & d`, the bits that are set only in the texel.
    AndInverted,
    /// `s | ~d`, all bits except those that are set only in the texel.
    OrReverse,
    /// `~s | d`, all bits except those that are set only in the shader's output.
    OrInverted,
}

/// How the shader's output is combined with one render target (D3D11: `D3D11_RENDER_TARGET_BLEND_DESC`,
/// `D3D11_RENDER_TARGET_BLEND_DESC1`). By default the output replaces the target's colour.
#[doc(alias = "D3D11_RENDER_TARGET_BLEND_DESC")]
#[doc(alias = "D3D11_RENDER_TARGET_BLEND_DESC1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct RenderTargetBlendDesc {
    /// Whether the shader's output is blended with the target instead of replacing it.
    pub blend_enable: bool,
    /// Factor for the source's red, green and blue (default: one).
    pub src_blend: Blend,
    /// Factor for the destination's red, green and blue (default: zero).
    pub dest_blend: Blend,
    /// How the two colour products are combined (default: addition).
    pub blend_op: BlendOp,
    /// Factor for the source's alpha, which must not be a colour (default: one).
    pub src_blend_alpha: Blend,
    /// Factor for the destination's alpha, which must not be a colour (default: zero).
    pub dest_blend_alpha: Blend,
    /// How the two alpha products are combined (default: addition).
    pub blend_op_alpha: BlendOp,
    /// Whether a logic operation replaces blending, in which case `blend_enable` and
    /// `independent_blend_enable` must be false. This needs
    /// [`Features::LOGIC_OPS`](crate::Features::LOGIC_OPS), which no driver supports yet.
    pub logic_op_enable: bool,
    /// The logic operation, which must be the same for all targets.
    pub logic_op: LogicOp,
    /// The channels of the target that a draw writes (default: all four).
    pub render_target_write_mask: ColorWrite,
}

impl Default for RenderTargetBlendDesc {
    fn default() -> Self {
        Self {
            blend_enable: false,
            src_blend: Blend::One,
            dest_blend: Blend::Zero,
            blend_op: BlendOp::Add,
            src_blend_alpha: Blend::One,
            dest_blend_alpha: Blend::Zero,
            blend_op_alpha: BlendOp::Add,
            logic_op_enable: false,
            logic_op: LogicOp::Noop,
            render_target_write_mask: ColorWrite::ALL,
        }
    }
}

impl RenderTargetBlendDesc {
    /// Usual transparency: the source times its alpha, plus the destination times one minus that alpha.
    pub fn alpha() -> Self {
        Self {
            blend_enable: true,
            src_blend: Blend::SrcAlpha,
            dest_blend: Blend::InvSrcAlpha,
            src_blend_alpha: Blend::One,
            dest_blend_alpha: Blend::InvSrcAlpha,
            ..Self::default()
        }
    }

    /// Transparency for colours that are already multiplied by their alpha, so that colours with an alpha of
    /// 0 are added to the destination.
    pub fn premultiplied_alpha() -> Self {
        Self { src_blend: Blend::One, ..Self::alpha() }
    }

    /// Source plus destination, for light that adds up, such as fire or glow.
    pub fn additive() -> Self {
        Self {
            blend_enable: true,
            src_blend: Blend::One,
            dest_blend: Blend::One,
            src_blend_alpha: Blend::One,
            dest_blend_alpha: Blend::One,
            ..Self::default()
        }
    }
}

/// The description of a blend state (D3D11: `D3D11_BLEND_DESC`, `D3D11_BLEND_DESC1`).
#[doc(alias = "D3D11_BLEND_DESC")]
#[doc(alias = "D3D11_BLEND_DESC1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct BlendDesc {
    /// Whether the pixel shader's alpha determines how many samples of a multisampled target are written
    /// (default: false).
    pub alpha_to_coverage_enable: bool,
    /// Whether each target has its own description, or false if the description of target 0 applies to all
    /// targets (default: false).
    pub independent_blend_enable: bool,
    /// The description of each target, with only the first used unless `independent_blend_enable` is true.
    pub render_target: [RenderTargetBlendDesc; 8],
}

impl BlendDesc {
    /// Returns a blend state that describes all targets in the same way.
    pub fn all(target: RenderTargetBlendDesc) -> Self {
        Self { render_target: [target; 8], ..Self::default() }
    }
}
