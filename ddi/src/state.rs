//! Blend, depth-stencil and rasterizer states, and the input layout. Descriptors equal D3D11's, with its defaults.
//!
//! ```
//! use onze_ddi::{BlendDesc, CullMode, DepthStencilDesc, RasterizerDesc, RenderTargetBlendDesc};
//!
//! // The defaults are D3D11's: clockwise triangles are front faces, back faces are culled, depth is tested.
//! assert_eq!(RasterizerDesc::default().cull_mode, CullMode::Back);
//! assert!(RasterizerDesc::counter_clockwise().front_counter_clockwise);
//! assert!(DepthStencilDesc::default().depth_enable);
//! let blend = BlendDesc::all(RenderTargetBlendDesc::additive());
//! assert!(blend.render_target[7].blend_enable);
//! ```

use std::borrow::Cow;

use crate::Format;

/// A factor of a blend. D3D11: `D3D11_BLEND`.
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
    /// Whether the factor is a colour: forbidden in alpha equations.
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

    /// Whether the factor reads the second output of the pixel shader.
    pub const fn is_dual_source(self) -> bool {
        matches!(self, Self::Src1Color | Self::InvSrc1Color | Self::Src1Alpha | Self::InvSrc1Alpha)
    }
}

/// How the two products of a blend are joined. D3D11: `D3D11_BLEND_OP`.
#[doc(alias = "D3D11_BLEND_OP")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum BlendOp {
    /// Source plus destination.
    Add,
    /// Source minus destination.
    Subtract,
    /// Destination minus source.
    RevSubtract,
    /// The smaller; factors are ignored.
    Min,
    /// The larger; factors are ignored.
    Max,
}

bitflags::bitflags! {
    /// The channels that are written. D3D11: `D3D11_COLOR_WRITE_ENABLE`, with its values.
    #[doc(alias = "D3D11_COLOR_WRITE_ENABLE")]
    #[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
    pub struct ColorWrite: u8 {
        /// Red.
        const RED = 1;
        /// Green.
        const GREEN = 2;
        /// Blue.
        const BLUE = 4;
        /// Alpha.
        const ALPHA = 8;
        /// All four.
        const ALL = 15;
    }
}

/// How the bits of a target's texel and of the pixel shader's output are joined. D3D11.1: `D3D11_LOGIC_OP`.
///
/// The formulas are bitwise, with `s` the shader's output and `d` the texel.
#[doc(alias = "D3D11_LOGIC_OP")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum LogicOp {
    /// `0`.
    Clear,
    /// All ones.
    Set,
    /// `s`.
    Copy,
    /// `~s`.
    CopyInverted,
    /// `d`.
    Noop,
    /// `~d`.
    Invert,
    /// `s & d`.
    And,
    /// `~(s & d)`.
    Nand,
    /// `s | d`.
    Or,
    /// `~(s | d)`.
    Nor,
    /// `s ^ d`.
    Xor,
    /// `~(s ^ d)`.
    Equiv,
    /// `s & ~d`.
    AndReverse,
    /// `~s & d`.
    AndInverted,
    /// `s | ~d`.
    OrReverse,
    /// `~s | d`.
    OrInverted,
}

/// The blend of one render target. D3D11: `D3D11_RENDER_TARGET_BLEND_DESC`, `D3D11_RENDER_TARGET_BLEND_DESC1`.
#[doc(alias = "D3D11_RENDER_TARGET_BLEND_DESC")]
#[doc(alias = "D3D11_RENDER_TARGET_BLEND_DESC1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct RenderTargetBlendDesc {
    /// Whether to blend at all.
    pub blend_enable: bool,
    /// Factor of the source's colour.
    pub src_blend: Blend,
    /// Factor of the destination's colour.
    pub dest_blend: Blend,
    /// How the colours are joined.
    pub blend_op: BlendOp,
    /// Factor of the source's alpha.
    pub src_blend_alpha: Blend,
    /// Factor of the destination's alpha.
    pub dest_blend_alpha: Blend,
    /// How the alphas are joined.
    pub blend_op_alpha: BlendOp,
    /// Whether a logic operation takes the place of blending. Then `blend_enable` and `independent_blend_enable` are
    /// false. Needs [`Features::LOGIC_OPS`](crate::Features::LOGIC_OPS), which no driver has today.
    pub logic_op_enable: bool,
    /// The logic operation, of all targets.
    pub logic_op: LogicOp,
    /// The channels that are written.
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
    /// The usual transparency: source times its alpha over destination.
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

    /// Transparency of colours that are multiplied by their alpha already: source over destination. An alpha of 0 adds.
    pub fn premultiplied_alpha() -> Self {
        Self { src_blend: Blend::One, ..Self::alpha() }
    }

    /// Source plus destination.
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

/// D3D11: `D3D11_BLEND_DESC`, `D3D11_BLEND_DESC1`.
#[doc(alias = "D3D11_BLEND_DESC")]
#[doc(alias = "D3D11_BLEND_DESC1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct BlendDesc {
    /// Whether alpha chooses the samples that are written.
    pub alpha_to_coverage_enable: bool,
    /// Whether each target has its own blend; when false, all use that of target 0.
    pub independent_blend_enable: bool,
    /// The blend of each target.
    pub render_target: [RenderTargetBlendDesc; 8],
}

impl BlendDesc {
    /// The same blend for all targets.
    pub fn all(target: RenderTargetBlendDesc) -> Self {
        Self { render_target: [target; 8], ..Self::default() }
    }
}

/// How primitives are filled. D3D11: `D3D11_FILL_MODE`.
#[doc(alias = "D3D11_FILL_MODE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FillMode {
    /// Only the edges of triangles.
    Wireframe,
    /// Whole triangles.
    Solid,
}

/// Which triangles are not drawn. D3D11: `D3D11_CULL_MODE`.
#[doc(alias = "D3D11_CULL_MODE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum CullMode {
    /// All are drawn.
    None,
    /// Those that face the viewer are not.
    Front,
    /// Those that face away are not.
    Back,
}

/// Which pixels a triangle covers. D3D11.3: `D3D11_CONSERVATIVE_RASTERIZATION_MODE`.
#[doc(alias = "D3D11_CONSERVATIVE_RASTERIZATION_MODE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum ConservativeRasterizationMode {
    /// Those of which it covers a sample.
    #[default]
    Off,
    /// All that it touches, each with all its samples.
    On,
}

/// D3D11: `D3D11_RASTERIZER_DESC`, `D3D11_RASTERIZER_DESC1`, `D3D11_RASTERIZER_DESC2`.
#[doc(alias = "D3D11_RASTERIZER_DESC")]
#[doc(alias = "D3D11_RASTERIZER_DESC1")]
#[doc(alias = "D3D11_RASTERIZER_DESC2")]
#[derive(Copy, Clone, Debug)]
pub struct RasterizerDesc {
    /// How primitives are filled.
    pub fill_mode: FillMode,
    /// Which triangles are not drawn.
    pub cull_mode: CullMode,
    /// Whether counter-clockwise triangles face the viewer.
    pub front_counter_clockwise: bool,
    /// Added to depth, in units of the depth format's resolution.
    pub depth_bias: i32,
    /// Largest (or smallest, when negative) bias; 0 for none.
    pub depth_bias_clamp: f32,
    /// Added to depth, times the slope.
    pub slope_scaled_depth_bias: f32,
    /// Whether what lies before the near or behind the far plane is cut off.
    pub depth_clip_enable: bool,
    /// Whether scissor rectangles cut.
    pub scissor_enable: bool,
    /// Whether lines are quadrilaterals. It never counts for points and triangles, and switches no samples on or off.
    ///
    /// Lines look the same with `true` and `false`, unlike in D3D11: on targets of one sample they are aliased, on
    /// targets of several they are quadrilaterals. With `true`, `antialiased_line_enable` has no effect.
    pub multisample_enable: bool,
    /// Whether lines that are no quadrilaterals are anti-aliased by their alpha.
    ///
    /// With `multisample_enable` false it needs [`Features::ANTIALIASED_LINES`](crate::Features::ANTIALIASED_LINES),
    /// which no driver has today. With `multisample_enable` true it is accepted and has no effect, as in D3D11.
    pub antialiased_line_enable: bool,
    /// The samples of a pixel that primitives are tested against, whatever the targets have: 1, 2, 4, 8 or 16; 0 for as
    /// many as the targets have.
    ///
    /// Other values than 0 need [`Features::FORCED_SAMPLE_COUNT`](crate::Features::FORCED_SAMPLE_COUNT), which no driver
    /// has today. With them D3D11 allows draws without a depth-stencil view and depth test only, and with more than 1
    /// only targets of one sample.
    pub forced_sample_count: u32,
    /// Whether triangles cover all pixels that they touch. With `On`, `fill_mode` is `Solid`. Points and lines, which
    /// D3D11 leaves undefined, are drawn as with `Off`.
    ///
    /// `On` needs [`Features::CONSERVATIVE_RASTERIZATION`](crate::Features::CONSERVATIVE_RASTERIZATION).
    pub conservative_raster: ConservativeRasterizationMode,
}

impl Default for RasterizerDesc {
    fn default() -> Self {
        Self {
            fill_mode: FillMode::Solid,
            cull_mode: CullMode::Back,
            front_counter_clockwise: false,
            depth_bias: 0,
            depth_bias_clamp: 0.0,
            slope_scaled_depth_bias: 0.0,
            depth_clip_enable: true,
            scissor_enable: false,
            multisample_enable: false,
            antialiased_line_enable: false,
            forced_sample_count: 0,
            conservative_raster: ConservativeRasterizationMode::Off,
        }
    }
}

impl RasterizerDesc {
    /// The defaults, with counter-clockwise triangles facing the viewer: as glTF, OpenGL and Blender have them.
    pub fn counter_clockwise() -> Self {
        Self { front_counter_clockwise: true, ..Self::default() }
    }
}

/// A comparison. D3D11: `D3D11_COMPARISON_FUNC`.
#[doc(alias = "D3D11_COMPARISON_FUNC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the comparisons")]
pub enum ComparisonFunc {
    Never,
    Less,
    Equal,
    LessEqual,
    Greater,
    NotEqual,
    GreaterEqual,
    Always,
}

/// What becomes of a stencil value. D3D11: `D3D11_STENCIL_OP`.
#[doc(alias = "D3D11_STENCIL_OP")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum StencilOp {
    /// It stays.
    Keep,
    /// 0.
    Zero,
    /// The reference value.
    Replace,
    /// One more, at most 255.
    IncrSat,
    /// One less, at least 0.
    DecrSat,
    /// All bits inverted.
    Invert,
    /// One more, 0 after 255.
    Incr,
    /// One less, 255 after 0.
    Decr,
}

/// The stencil test of one side of triangles. D3D11: `D3D11_DEPTH_STENCILOP_DESC`.
#[doc(alias = "D3D11_DEPTH_STENCILOP_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilOpDesc {
    /// When the stencil test fails.
    pub stencil_fail_op: StencilOp,
    /// When it passes and depth fails.
    pub stencil_depth_fail_op: StencilOp,
    /// When both pass.
    pub stencil_pass_op: StencilOp,
    /// The test: reference against value.
    pub stencil_func: ComparisonFunc,
}

impl Default for DepthStencilOpDesc {
    fn default() -> Self {
        Self::test(ComparisonFunc::Always)
    }
}

/// D3D11: `D3D11_DEPTH_STENCIL_DESC`.
#[doc(alias = "D3D11_DEPTH_STENCIL_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilDesc {
    /// Whether to test depth; when false, depth is not written either.
    pub depth_enable: bool,
    /// Whether depth is written. D3D11: `D3D11_DEPTH_WRITE_MASK`.
    #[doc(alias = "D3D11_DEPTH_WRITE_MASK")]
    pub depth_write: bool,
    /// The test: new depth against old.
    pub depth_func: ComparisonFunc,
    /// Whether to test stencil.
    pub stencil_enable: bool,
    /// Bits that are compared.
    pub stencil_read_mask: u8,
    /// Bits that are written.
    pub stencil_write_mask: u8,
    /// Triangles that face the viewer, points and lines.
    pub front_face: DepthStencilOpDesc,
    /// Triangles that face away.
    pub back_face: DepthStencilOpDesc,
}

impl DepthStencilOpDesc {
    /// The test alone: passes where `func` holds between reference and value, and changes nothing.
    pub const fn test(func: ComparisonFunc) -> Self {
        Self {
            stencil_fail_op: StencilOp::Keep,
            stencil_depth_fail_op: StencilOp::Keep,
            stencil_pass_op: StencilOp::Keep,
            stencil_func: func,
        }
    }

    /// The same test with an operation where stencil and depth pass.
    pub const fn on_pass(self, op: StencilOp) -> Self {
        Self { stencil_pass_op: op, ..self }
    }

    /// The same test with an operation where stencil fails.
    pub const fn on_fail(self, op: StencilOp) -> Self {
        Self { stencil_fail_op: op, ..self }
    }

    /// The same test with an operation where stencil passes and depth fails.
    pub const fn on_depth_fail(self, op: StencilOp) -> Self {
        Self { stencil_depth_fail_op: op, ..self }
    }
}

impl DepthStencilDesc {
    /// The default depth test with a stencil test, the same for both faces and with all bits.
    ///
    /// The reference value is bound with the state, by `om_set_depth_stencil_state`. An outline marks an object in a first
    /// pass, and draws a larger copy where there is no mark in a second one:
    ///
    /// ```
    /// use onze_ddi::{ComparisonFunc, DepthStencilDesc, DepthStencilOpDesc, StencilOp};
    ///
    /// // With a reference of 1: each visible pixel of the object becomes 1.
    /// let mark = DepthStencilOpDesc::test(ComparisonFunc::Always).on_pass(StencilOp::Replace);
    /// let mark = DepthStencilDesc::stencil(mark);
    /// assert!(mark.stencil_enable && mark.depth_enable);
    ///
    /// // With the same reference: only pixels that are not 1, whatever their depth.
    /// let outline = DepthStencilDesc::stencil(DepthStencilOpDesc::test(ComparisonFunc::NotEqual)).without_depth();
    /// assert_eq!(outline.front_face.stencil_func, ComparisonFunc::NotEqual);
    ///
    /// // A shadow volume counts its back faces up and its front faces down where they are hidden.
    /// let volume = DepthStencilOpDesc::test(ComparisonFunc::Always);
    /// let volume = DepthStencilDesc::stencil(volume.on_depth_fail(StencilOp::Decr))
    ///     .back_stencil(volume.on_depth_fail(StencilOp::Incr))
    ///     .read_only_depth();
    /// assert!(volume.depth_enable && !volume.depth_write);
    /// ```
    pub const fn stencil(faces: DepthStencilOpDesc) -> Self {
        Self {
            depth_enable: true,
            depth_write: true,
            depth_func: ComparisonFunc::Less,
            stencil_enable: true,
            stencil_read_mask: 0xff,
            stencil_write_mask: 0xff,
            front_face: faces,
            back_face: faces,
        }
    }

    /// The same with another stencil test for triangles that face away.
    pub const fn back_stencil(self, back_face: DepthStencilOpDesc) -> Self {
        Self { back_face, ..self }
    }

    /// The same with masks: the stencil bits that are compared, and those that are written.
    pub const fn stencil_masks(self, read: u8, write: u8) -> Self {
        Self { stencil_read_mask: read, stencil_write_mask: write, ..self }
    }

    /// The same with a depth test that writes no depth.
    pub const fn read_only_depth(self) -> Self {
        Self { depth_write: false, ..self }
    }

    /// The same without a depth test, so that depth is not written either.
    pub const fn without_depth(self) -> Self {
        Self { depth_enable: false, ..self }
    }
}

impl Default for DepthStencilDesc {
    fn default() -> Self {
        Self {
            depth_enable: true,
            depth_write: true,
            depth_func: ComparisonFunc::Less,
            stencil_enable: false,
            stencil_read_mask: 0xff,
            stencil_write_mask: 0xff,
            front_face: DepthStencilOpDesc::default(),
            back_face: DepthStencilOpDesc::default(),
        }
    }
}

/// Floats by their bits, so that descriptors can be keys: two are equal when every bit is.
macro_rules! bitwise_eq {
    ($type:ty, |$d:ident| $bits:expr) => {
        impl $type {
            fn bits(&self) -> impl Eq + std::hash::Hash + use<> {
                let $d = self;
                $bits
            }
        }
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.bits() == other.bits()
            }
        }
        impl Eq for $type {}
        impl std::hash::Hash for $type {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.bits().hash(state);
            }
        }
    };
}

pub(crate) use bitwise_eq;

bitwise_eq!(RasterizerDesc, |d| (
    d.fill_mode,
    d.cull_mode,
    d.front_counter_clockwise,
    d.depth_bias,
    d.depth_bias_clamp.to_bits(),
    d.slope_scaled_depth_bias.to_bits(),
    [d.depth_clip_enable, d.scissor_enable, d.multisample_enable, d.antialiased_line_enable],
    d.forced_sample_count,
    d.conservative_raster,
));

/// Whether an element advances by vertex or by instance. D3D11: `D3D11_INPUT_CLASSIFICATION`.
#[doc(alias = "D3D11_INPUT_CLASSIFICATION")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum InputClassification {
    /// By vertex.
    #[default]
    PerVertexData,
    /// By instance.
    PerInstanceData,
}

/// One element of an input layout, as the application describes it. D3D11: `D3D11_INPUT_ELEMENT_DESC`.
#[doc(alias = "D3D11_INPUT_ELEMENT_DESC")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputElementDesc {
    /// The semantic's name; case does not matter.
    pub semantic_name: Cow<'static, str>,
    /// The semantic's index.
    pub semantic_index: u32,
    /// The format in the vertex buffer.
    pub format: Format,
    /// The vertex buffer's slot.
    pub input_slot: u32,
    /// Bytes from the start of a vertex, or [`InputElementDesc::APPEND_ALIGNED_ELEMENT`].
    pub aligned_byte_offset: u32,
    /// By vertex or by instance.
    pub input_slot_class: InputClassification,
    /// Instances per step: 1 for the next element with each instance, `n` with each `n`th, 0 for the same element in all.
    /// The same for all elements of a slot; 0 for data by vertex.
    pub instance_data_step_rate: u32,
    /// Matches an input by its location instead of its semantic, when given: `@location` in WGSL, `layout(location)` in
    /// GLSL. In HLSL inputs have semantics, so leave it out.
    pub location: Option<u32>,
}

impl InputElementDesc {
    /// After the previous element of the same slot, aligned. D3D11: `D3D11_APPEND_ALIGNED_ELEMENT`.
    #[doc(alias = "D3D11_APPEND_ALIGNED_ELEMENT")]
    pub const APPEND_ALIGNED_ELEMENT: u32 = u32::MAX;

    /// An element by vertex in slot 0, after the previous one.
    pub fn new(semantic_name: impl Into<Cow<'static, str>>, semantic_index: u32, format: Format) -> Self {
        Self {
            semantic_name: semantic_name.into(),
            semantic_index,
            format,
            input_slot: 0,
            aligned_byte_offset: Self::APPEND_ALIGNED_ELEMENT,
            input_slot_class: InputClassification::PerVertexData,
            instance_data_step_rate: 0,
            location: None,
        }
    }

    /// In another slot.
    pub fn slot(mut self, input_slot: u32) -> Self {
        self.input_slot = input_slot;
        self
    }

    /// At a byte offset from the start of a vertex.
    pub fn offset(mut self, aligned_byte_offset: u32) -> Self {
        self.aligned_byte_offset = aligned_byte_offset;
        self
    }

    /// By instance, one step per instance.
    pub fn per_instance(mut self) -> Self {
        self.input_slot_class = InputClassification::PerInstanceData;
        self.instance_data_step_rate = 1;
        self
    }

    /// By instance, one step per `rate` instances; with 0 all instances read the same element.
    ///
    /// Other rates than 1 need [`Features::INSTANCE_STEP_RATE`](crate::Features::INSTANCE_STEP_RATE).
    pub fn step_rate(mut self, rate: u32) -> Self {
        self.input_slot_class = InputClassification::PerInstanceData;
        self.instance_data_step_rate = rate;
        self
    }

    /// Matches the input at a location, whatever its name is: `@location(location)` in WGSL.
    pub fn at_location(mut self, location: u32) -> Self {
        self.location = Some(location);
        self
    }
}

/// One element as the driver gets it: matched to the shader's location, offset resolved.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct ElementDesc {
    /// The location of the shader's input: `@location` in WGSL.
    pub location: u32,
    /// The format in the vertex buffer.
    pub format: Format,
    /// The vertex buffer's slot.
    pub input_slot: u32,
    /// Bytes from the start of a vertex.
    pub offset: u32,
    /// By vertex or by instance.
    pub class: InputClassification,
    /// Instances per step: each so many instances the next element is read, from the start instance on. With 0 it is
    /// the same for all. The same for all elements of a slot; 0 for data by vertex. Other numbers than 1 need
    /// [`Features::INSTANCE_STEP_RATE`](crate::Features::INSTANCE_STEP_RATE).
    pub step_rate: u32,
}
