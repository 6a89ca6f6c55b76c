//! Blend, depth-stencil and rasterizer states, and the input layout, with the descriptors and defaults of D3D11.
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

/// A factor of a blend (D3D11: `D3D11_BLEND`).
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
    /// Whether the factor is a colour, which alpha equations do not allow.
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

/// How a blend combines its two products (D3D11: `D3D11_BLEND_OP`).
#[doc(alias = "D3D11_BLEND_OP")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum BlendOp {
    /// Source plus destination.
    Add,
    /// Source minus destination.
    Subtract,
    /// Destination minus source.
    RevSubtract,
    /// The smaller value, without applying the factors.
    Min,
    /// The larger value, without applying the factors.
    Max,
}

bitflags::bitflags! {
    /// The channels to write (D3D11: `D3D11_COLOR_WRITE_ENABLE`, with its values).
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

/// How the bits of a target's texel and of the pixel shader's output are combined (D3D11.1:
/// `D3D11_LOGIC_OP`).
///
/// The formulas are bitwise, where `s` is the shader's output and `d` the texel.
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

/// The blend of one render target (D3D11: `D3D11_RENDER_TARGET_BLEND_DESC`,
/// `D3D11_RENDER_TARGET_BLEND_DESC1`).
#[doc(alias = "D3D11_RENDER_TARGET_BLEND_DESC")]
#[doc(alias = "D3D11_RENDER_TARGET_BLEND_DESC1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct RenderTargetBlendDesc {
    /// Whether blending is enabled.
    pub blend_enable: bool,
    /// Factor of the source's colour.
    pub src_blend: Blend,
    /// Factor of the destination's colour.
    pub dest_blend: Blend,
    /// How the colours are combined.
    pub blend_op: BlendOp,
    /// Factor of the source's alpha.
    pub src_blend_alpha: Blend,
    /// Factor of the destination's alpha.
    pub dest_blend_alpha: Blend,
    /// How the alphas are combined.
    pub blend_op_alpha: BlendOp,
    /// Whether a logic operation replaces blending, which requires `blend_enable` and `independent_blend_enable` to be
    /// false. Needs [`Features::LOGIC_OPS`](crate::Features::LOGIC_OPS), which no driver supports yet.
    pub logic_op_enable: bool,
    /// The logic operation, the same for all targets.
    pub logic_op: LogicOp,
    /// The channels to write.
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

    /// Transparency of colours that are already multiplied by their alpha: source over destination, which becomes
    /// additive for an alpha of 0.
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

/// The description of a blend state (D3D11: `D3D11_BLEND_DESC`, `D3D11_BLEND_DESC1`).
#[doc(alias = "D3D11_BLEND_DESC")]
#[doc(alias = "D3D11_BLEND_DESC1")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct BlendDesc {
    /// Whether alpha determines the samples to write.
    pub alpha_to_coverage_enable: bool,
    /// Whether each target has its own blend instead of that of target 0.
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

/// How primitives are filled (D3D11: `D3D11_FILL_MODE`).
#[doc(alias = "D3D11_FILL_MODE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FillMode {
    /// Only the edges of triangles.
    Wireframe,
    /// Whole triangles.
    Solid,
}

/// The triangles that are not drawn (D3D11: `D3D11_CULL_MODE`).
#[doc(alias = "D3D11_CULL_MODE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum CullMode {
    /// All triangles are drawn.
    None,
    /// Triangles that face the viewer are not drawn.
    Front,
    /// Triangles that face away are not drawn.
    Back,
}

/// The pixels that a triangle covers (D3D11.3: `D3D11_CONSERVATIVE_RASTERIZATION_MODE`).
#[doc(alias = "D3D11_CONSERVATIVE_RASTERIZATION_MODE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum ConservativeRasterizationMode {
    /// Pixels with at least one covered sample.
    #[default]
    Off,
    /// All pixels that the triangle touches, with all their samples.
    On,
}

/// The description of a rasterizer state (D3D11: `D3D11_RASTERIZER_DESC`, `D3D11_RASTERIZER_DESC1`,
/// `D3D11_RASTERIZER_DESC2`).
#[doc(alias = "D3D11_RASTERIZER_DESC")]
#[doc(alias = "D3D11_RASTERIZER_DESC1")]
#[doc(alias = "D3D11_RASTERIZER_DESC2")]
#[derive(Copy, Clone, Debug)]
pub struct RasterizerDesc {
    /// How primitives are filled.
    pub fill_mode: FillMode,
    /// The triangles that are not drawn.
    pub cull_mode: CullMode,
    /// Whether counter-clockwise triangles face the viewer.
    pub front_counter_clockwise: bool,
    /// Value added to depth, in units of the depth format's resolution.
    pub depth_bias: i32,
    /// Maximum bias, or minimum if negative; 0 for no limit.
    pub depth_bias_clamp: f32,
    /// Factor of the depth slope that is added to depth.
    pub slope_scaled_depth_bias: f32,
    /// Whether primitives are clipped at the near and far planes.
    pub depth_clip_enable: bool,
    /// Whether drawing is limited to the scissor rectangles.
    pub scissor_enable: bool,
    /// Whether lines are drawn as quadrilaterals. It has no effect on points and triangles, and it does not switch
    /// multisampling on or off.
    ///
    /// Unlike in D3D11, lines look the same with `true` and `false`, because they are aliased on targets with one
    /// sample and quadrilaterals on multisampled targets. With `true`, `antialiased_line_enable` has no effect.
    pub multisample_enable: bool,
    /// Whether lines that are not quadrilaterals are anti-aliased through their alpha.
    ///
    /// With `multisample_enable` false, this needs [`Features::ANTIALIASED_LINES`](crate::Features::ANTIALIASED_LINES),
    /// which no driver supports yet. With `multisample_enable` true, it is accepted and has no effect, as in D3D11.
    pub antialiased_line_enable: bool,
    /// The number of samples per pixel that primitives are tested against, regardless of the targets: 1, 2, 4, 8 or 16.
    /// 0 uses the sample count of the targets.
    ///
    /// Values other than 0 need [`Features::FORCED_SAMPLE_COUNT`](crate::Features::FORCED_SAMPLE_COUNT), which no
    /// driver supports yet. With them D3D11 allows only draws without a depth-stencil view and depth test. With more
    /// than 1 sample, it allows only targets with one sample.
    pub forced_sample_count: u32,
    /// Whether triangles cover all pixels that they touch. `On` requires a `fill_mode` of `Solid`. Points and lines,
    /// which D3D11 leaves undefined, are drawn as with `Off`.
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
    /// The defaults, except that counter-clockwise triangles face the viewer, as in glTF, OpenGL and Blender.
    pub fn counter_clockwise() -> Self {
        Self { front_counter_clockwise: true, ..Self::default() }
    }
}

/// A comparison (D3D11: `D3D11_COMPARISON_FUNC`).
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

/// The change of a stencil value (D3D11: `D3D11_STENCIL_OP`).
#[doc(alias = "D3D11_STENCIL_OP")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum StencilOp {
    /// Keeps the value.
    Keep,
    /// Sets the value to 0.
    Zero,
    /// Sets the reference value.
    Replace,
    /// Adds 1, up to 255.
    IncrSat,
    /// Subtracts 1, down to 0.
    DecrSat,
    /// Inverts all bits.
    Invert,
    /// Adds 1 and wraps from 255 to 0.
    Incr,
    /// Subtracts 1 and wraps from 0 to 255.
    Decr,
}

/// The stencil test for one side of triangles (D3D11: `D3D11_DEPTH_STENCILOP_DESC`).
#[doc(alias = "D3D11_DEPTH_STENCILOP_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilOpDesc {
    /// Operation if the stencil test fails.
    pub stencil_fail_op: StencilOp,
    /// Operation if the stencil test passes and the depth test fails.
    pub stencil_depth_fail_op: StencilOp,
    /// Operation if both tests pass.
    pub stencil_pass_op: StencilOp,
    /// The stencil test, which compares the reference with the value.
    pub stencil_func: ComparisonFunc,
}

impl Default for DepthStencilOpDesc {
    fn default() -> Self {
        Self::test(ComparisonFunc::Always)
    }
}

/// The description of a depth-stencil state (D3D11: `D3D11_DEPTH_STENCIL_DESC`).
#[doc(alias = "D3D11_DEPTH_STENCIL_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilDesc {
    /// Whether depth is tested. Without the test, depth is not written either.
    pub depth_enable: bool,
    /// Whether depth is written (D3D11: `D3D11_DEPTH_WRITE_MASK`).
    #[doc(alias = "D3D11_DEPTH_WRITE_MASK")]
    pub depth_write: bool,
    /// The depth test, which compares the new depth with the old.
    pub depth_func: ComparisonFunc,
    /// Whether stencil is tested.
    pub stencil_enable: bool,
    /// The bits to compare.
    pub stencil_read_mask: u8,
    /// The bits to write.
    pub stencil_write_mask: u8,
    /// The test for triangles that face the viewer, points and lines.
    pub front_face: DepthStencilOpDesc,
    /// The test for triangles that face away.
    pub back_face: DepthStencilOpDesc,
}

impl DepthStencilOpDesc {
    /// A test without operations, which passes if `func` holds between reference and value.
    pub const fn test(func: ComparisonFunc) -> Self {
        Self {
            stencil_fail_op: StencilOp::Keep,
            stencil_depth_fail_op: StencilOp::Keep,
            stencil_pass_op: StencilOp::Keep,
            stencil_func: func,
        }
    }

    /// Sets the operation for when both stencil and depth pass.
    pub const fn on_pass(self, op: StencilOp) -> Self {
        Self { stencil_pass_op: op, ..self }
    }

    /// Sets the operation for when stencil fails.
    pub const fn on_fail(self, op: StencilOp) -> Self {
        Self { stencil_fail_op: op, ..self }
    }

    /// Sets the operation for when stencil passes and depth fails.
    pub const fn on_depth_fail(self, op: StencilOp) -> Self {
        Self { stencil_depth_fail_op: op, ..self }
    }
}

impl DepthStencilDesc {
    /// The default depth test with a stencil test, the same for both faces and with all bits.
    ///
    /// The reference value is bound with the state, by `om_set_depth_stencil_state`. An outline, for example, marks an
    /// object in a first pass and draws a larger copy over the unmarked pixels in a second pass:
    ///
    /// ```
    /// use onze_ddi::{ComparisonFunc, DepthStencilDesc, DepthStencilOpDesc, StencilOp};
    ///
    /// // With a reference of 1, each visible pixel of the object becomes 1.
    /// let mark = DepthStencilOpDesc::test(ComparisonFunc::Always).on_pass(StencilOp::Replace);
    /// let mark = DepthStencilDesc::stencil(mark);
    /// assert!(mark.stencil_enable && mark.depth_enable);
    ///
    /// // With the same reference, this draws only pixels that are not 1, whatever their depth.
    /// let outline = DepthStencilDesc::stencil(DepthStencilOpDesc::test(ComparisonFunc::NotEqual)).without_depth();
    /// assert_eq!(outline.front_face.stencil_func, ComparisonFunc::NotEqual);
    ///
    /// // A shadow volume counts its hidden back faces up and its hidden front faces down.
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

    /// Sets another stencil test for triangles that face away.
    pub const fn back_stencil(self, back_face: DepthStencilOpDesc) -> Self {
        Self { back_face, ..self }
    }

    /// Sets the masks of the stencil bits to compare and to write.
    pub const fn stencil_masks(self, read: u8, write: u8) -> Self {
        Self { stencil_read_mask: read, stencil_write_mask: write, ..self }
    }

    /// Keeps the depth test but disables depth writes.
    pub const fn read_only_depth(self) -> Self {
        Self { depth_write: false, ..self }
    }

    /// Disables the depth test, and with it depth writes.
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

/// Compares and hashes floats by their bits, so that descriptors can be keys.
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

/// Whether an element advances per vertex or per instance (D3D11: `D3D11_INPUT_CLASSIFICATION`).
#[doc(alias = "D3D11_INPUT_CLASSIFICATION")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum InputClassification {
    /// Advances per vertex.
    #[default]
    PerVertexData,
    /// Advances per instance.
    PerInstanceData,
}

/// One element of an input layout, as the application describes it (D3D11: `D3D11_INPUT_ELEMENT_DESC`).
#[doc(alias = "D3D11_INPUT_ELEMENT_DESC")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputElementDesc {
    /// The semantic's name, which is case-insensitive.
    pub semantic_name: Cow<'static, str>,
    /// The semantic's index.
    pub semantic_index: u32,
    /// The format in the vertex buffer.
    pub format: Format,
    /// The vertex buffer's slot.
    pub input_slot: u32,
    /// Bytes from the start of a vertex, or [`InputElementDesc::APPEND_ALIGNED_ELEMENT`].
    pub aligned_byte_offset: u32,
    /// Whether the element advances per vertex or per instance.
    pub input_slot_class: InputClassification,
    /// Instances per step: with `n` the element advances every `n` instances, and with 0 it never advances. All
    /// elements of a slot have the same rate, which is 0 for per-vertex data.
    pub instance_data_step_rate: u32,
    /// If given, matches an input by its location instead of its semantic: `@location` in WGSL, `layout(location)` in
    /// GLSL. HLSL inputs have semantics, so leave it out for HLSL.
    pub location: Option<u32>,
}

impl InputElementDesc {
    /// Places the element after the previous one of the same slot, aligned (D3D11:
    /// `D3D11_APPEND_ALIGNED_ELEMENT`).
    #[doc(alias = "D3D11_APPEND_ALIGNED_ELEMENT")]
    pub const APPEND_ALIGNED_ELEMENT: u32 = u32::MAX;

    /// A per-vertex element in slot 0, after the previous one.
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

    /// Moves the element to another slot.
    pub fn slot(mut self, input_slot: u32) -> Self {
        self.input_slot = input_slot;
        self
    }

    /// Sets the byte offset from the start of a vertex.
    pub fn offset(mut self, aligned_byte_offset: u32) -> Self {
        self.aligned_byte_offset = aligned_byte_offset;
        self
    }

    /// Makes the element advance with each instance.
    pub fn per_instance(mut self) -> Self {
        self.input_slot_class = InputClassification::PerInstanceData;
        self.instance_data_step_rate = 1;
        self
    }

    /// Makes the element advance every `rate` instances, or never for 0, so that all instances read the same element.
    ///
    /// Rates other than 1 need [`Features::INSTANCE_STEP_RATE`](crate::Features::INSTANCE_STEP_RATE).
    pub fn step_rate(mut self, rate: u32) -> Self {
        self.input_slot_class = InputClassification::PerInstanceData;
        self.instance_data_step_rate = rate;
        self
    }

    /// Matches the input at a location, whatever its name: `@location(location)` in WGSL.
    pub fn at_location(mut self, location: u32) -> Self {
        self.location = Some(location);
        self
    }
}

/// One element of an input layout as the driver receives it, with its location and offset resolved.
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
    /// Whether the element advances per vertex or per instance.
    pub class: InputClassification,
    /// Instances per step, counted from the start instance, where 0 makes all instances read the same element. All
    /// elements of a slot have the same rate, which is 0 for per-vertex data. Rates other than 1 need
    /// [`Features::INSTANCE_STEP_RATE`](crate::Features::INSTANCE_STEP_RATE).
    pub step_rate: u32,
}
