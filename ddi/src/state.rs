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

/// How the triangles of a draw are filled (D3D11: `D3D11_FILL_MODE`).
#[doc(alias = "D3D11_FILL_MODE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum FillMode {
    /// Draws only the edges of triangles, which needs [`Features::WIREFRAME`](crate::Features::WIREFRAME).
    Wireframe,
    /// Draws the whole area of triangles (default).
    Solid,
}

/// The triangles that are not drawn, depending on the side that faces the viewer (D3D11: `D3D11_CULL_MODE`).
#[doc(alias = "D3D11_CULL_MODE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum CullMode {
    /// All triangles are drawn, whichever side faces the viewer.
    None,
    /// Triangles whose front faces the viewer are not drawn.
    Front,
    /// Triangles whose front faces away from the viewer are not drawn (default).
    Back,
}

/// The pixels that a triangle covers at its edges (D3D11.3: `D3D11_CONSERVATIVE_RASTERIZATION_MODE`).
#[doc(alias = "D3D11_CONSERVATIVE_RASTERIZATION_MODE")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum ConservativeRasterizationMode {
    /// Pixels with at least one covered sample (default).
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
    /// How triangles are filled (default: solid).
    pub fill_mode: FillMode,
    /// The triangles that are not drawn (default: triangles that face away from the viewer).
    pub cull_mode: CullMode,
    /// Whether counter-clockwise triangles face the viewer (default: false).
    pub front_counter_clockwise: bool,
    /// Value added to depth, in units of the smallest step of the depth format (default: 0).
    pub depth_bias: i32,
    /// Maximum total bias, or minimum total bias if negative, or 0 for an unlimited bias (default: 0).
    pub depth_bias_clamp: f32,
    /// Factor by which the depth slope is multiplied before it is added to depth (default: 0).
    pub slope_scaled_depth_bias: f32,
    /// Whether primitives are clipped at the near and far planes (default: true). False needs
    /// [`Features::DEPTH_CLIP_DISABLE`](crate::Features::DEPTH_CLIP_DISABLE).
    pub depth_clip_enable: bool,
    /// Whether drawing is limited to the scissor rectangles (default: false).
    pub scissor_enable: bool,
    /// Whether lines are drawn as quadrilaterals in D3D11. The flag affects neither points nor triangles, and
    /// it does not switch multisampling on or off.
    ///
    /// Here, unlike in D3D11, the flag does not change how lines look: they are always aliased on targets
    /// with one sample and quadrilaterals on multisampled targets. If the flag is true,
    /// `antialiased_line_enable` has no effect.
    pub multisample_enable: bool,
    /// Whether lines that are not drawn as quadrilaterals are anti-aliased with alpha.
    ///
    /// If `multisample_enable` is false, this needs
    /// [`Features::ANTIALIASED_LINES`](crate::Features::ANTIALIASED_LINES), which no driver supports yet. If
    /// `multisample_enable` is true, this flag is accepted and has no effect, as in D3D11.
    pub antialiased_line_enable: bool,
    /// Number of samples per pixel for rasterization, regardless of the targets: 1, 2, 4, 8 or 16, or 0 for
    /// the sample count of the targets.
    ///
    /// Values other than 0 need [`Features::FORCED_SAMPLE_COUNT`](crate::Features::FORCED_SAMPLE_COUNT),
    /// which no driver supports yet. For such values, D3D11 requires that draws have neither a depth-stencil
    /// view nor a depth test, and for values greater than 1 it also requires targets with one sample.
    pub forced_sample_count: u32,
    /// Whether triangles cover all pixels that they touch. `On` requires a `fill_mode` of `Solid` and
    /// [`Features::CONSERVATIVE_RASTERIZATION`](crate::Features::CONSERVATIVE_RASTERIZATION). Points and
    /// lines are drawn as with `Off`, because D3D11 does not define their conservative rasterization.
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

/// A comparison of a new value or a reference value with a stored value (D3D11: `D3D11_COMPARISON_FUNC`).
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

/// The change of a stencil value after the stencil and depth tests (D3D11: `D3D11_STENCIL_OP`).
#[doc(alias = "D3D11_STENCIL_OP")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum StencilOp {
    /// Keeps the stencil value unchanged (default).
    Keep,
    /// Sets the stencil value to 0.
    Zero,
    /// Sets the stencil value to the reference value that is bound with the state.
    Replace,
    /// Adds 1 to the value, except that 255 stays 255.
    IncrSat,
    /// Subtracts 1 from the value, except that 0 stays 0.
    DecrSat,
    /// Inverts all eight bits of the value.
    Invert,
    /// Adds 1 to the value and wraps from 255 to 0.
    Incr,
    /// Subtracts 1 from the value and wraps from 0 to 255.
    Decr,
}

/// The stencil test and its operations for front or back faces (D3D11: `D3D11_DEPTH_STENCILOP_DESC`).
#[doc(alias = "D3D11_DEPTH_STENCILOP_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilOpDesc {
    /// Operation on the stencil value if the stencil test fails (default: `Keep`).
    pub stencil_fail_op: StencilOp,
    /// Operation on the stencil value if the stencil test passes and the depth test fails (default: `Keep`).
    pub stencil_depth_fail_op: StencilOp,
    /// Operation on the stencil value if both tests pass (default: `Keep`).
    pub stencil_pass_op: StencilOp,
    /// The stencil test, which compares the reference value with the stencil value (default: `Always`).
    pub stencil_func: ComparisonFunc,
}

impl Default for DepthStencilOpDesc {
    fn default() -> Self {
        Self::test(ComparisonFunc::Always)
    }
}

/// The description of a depth-stencil state: the depth test and the stencil tests (D3D11:
/// `D3D11_DEPTH_STENCIL_DESC`).
#[doc(alias = "D3D11_DEPTH_STENCIL_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct DepthStencilDesc {
    /// Whether depth is tested (default: true), or false if depth is neither tested nor written.
    pub depth_enable: bool,
    /// Whether depth is written (default: true, D3D11: `D3D11_DEPTH_WRITE_MASK`).
    #[doc(alias = "D3D11_DEPTH_WRITE_MASK")]
    pub depth_write: bool,
    /// The depth test, which compares the new depth with the stored depth (default: `Less`).
    pub depth_func: ComparisonFunc,
    /// Whether stencil is tested and written (default: false).
    pub stencil_enable: bool,
    /// The bits that the stencil test compares (default: all eight).
    pub stencil_read_mask: u8,
    /// The bits of the stencil value that operations may write (default: all eight).
    pub stencil_write_mask: u8,
    /// The stencil test for triangles that face the viewer, and for points and lines.
    pub front_face: DepthStencilOpDesc,
    /// The stencil test for triangles that face away from the viewer.
    pub back_face: DepthStencilOpDesc,
}

impl DepthStencilOpDesc {
    /// Describes a test without operations, which passes if `func` is true for the reference value and the
    /// stencil value.
    pub const fn test(func: ComparisonFunc) -> Self {
        Self {
            stencil_fail_op: StencilOp::Keep,
            stencil_depth_fail_op: StencilOp::Keep,
            stencil_pass_op: StencilOp::Keep,
            stencil_func: func,
        }
    }

    /// Sets the operation for pixels where both the stencil test and the depth test pass.
    pub const fn on_pass(self, op: StencilOp) -> Self {
        Self { stencil_pass_op: op, ..self }
    }

    /// Sets the operation for pixels where the stencil test fails.
    pub const fn on_fail(self, op: StencilOp) -> Self {
        Self { stencil_fail_op: op, ..self }
    }

    /// Sets the operation for pixels where the stencil test passes and the depth test fails.
    pub const fn on_depth_fail(self, op: StencilOp) -> Self {
        Self { stencil_depth_fail_op: op, ..self }
    }
}

impl DepthStencilDesc {
    /// Describes the default depth test with a stencil test that applies to both faces and compares all bits.
    ///
    /// `om_set_depth_stencil_state` binds the reference value with the state. To draw an outline, for
    /// example, a first pass marks the object's pixels, and a second pass draws a larger copy of the object
    /// over the unmarked pixels:
    ///
    /// ```
    /// use onze_ddi::{ComparisonFunc, DepthStencilDesc, DepthStencilOpDesc, StencilOp};
    ///
    /// // With a reference of 1, the stencil value of each visible pixel of the object becomes 1.
    /// let mark = DepthStencilOpDesc::test(ComparisonFunc::Always).on_pass(StencilOp::Replace);
    /// let mark = DepthStencilDesc::stencil(mark);
    /// assert!(mark.stencil_enable && mark.depth_enable);
    ///
    /// // With the same reference, this draws only pixels whose stencil value is not 1, whatever their depth.
    /// let outline = DepthStencilDesc::stencil(DepthStencilOpDesc::test(ComparisonFunc::NotEqual)).without_depth();
    /// assert_eq!(outline.front_face.stencil_func, ComparisonFunc::NotEqual);
    ///
    /// // A shadow volume increments the stencil value for hidden back faces and decrements it for hidden
    /// // front faces.
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

    /// Sets a separate stencil test for triangles that face away from the viewer, while the test for front
    /// faces stays the same.
    pub const fn back_stencil(self, back_face: DepthStencilOpDesc) -> Self {
        Self { back_face, ..self }
    }

    /// Sets the masks of the stencil bits to compare and to write.
    pub const fn stencil_masks(self, read: u8, write: u8) -> Self {
        Self { stencil_read_mask: read, stencil_write_mask: write, ..self }
    }

    /// Keeps the depth test but disables depth writes, for example for transparent objects.
    pub const fn read_only_depth(self) -> Self {
        Self { depth_write: false, ..self }
    }

    /// Disables the depth test, without which depth is not written either.
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

/// Implements comparison and hashing of a descriptor with floats by their bits, so that it can be a map key.
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

/// Whether an element of an input layout advances per vertex or per instance (D3D11:
/// `D3D11_INPUT_CLASSIFICATION`).
#[doc(alias = "D3D11_INPUT_CLASSIFICATION")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Default)]
pub enum InputClassification {
    /// The element advances with each vertex, so all instances read the same data.
    #[default]
    PerVertexData,
    /// The element advances every n instances, for a step rate of n.
    PerInstanceData,
}

/// One element of an input layout, as the application describes it (D3D11: `D3D11_INPUT_ELEMENT_DESC`).
#[doc(alias = "D3D11_INPUT_ELEMENT_DESC")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InputElementDesc {
    /// The case-insensitive name of the semantic in the shader's input.
    pub semantic_name: Cow<'static, str>,
    /// The index of the semantic, which distinguishes inputs with the same name.
    pub semantic_index: u32,
    /// The format of the element in the vertex buffer.
    pub format: Format,
    /// The slot of the vertex buffer that contains the element.
    pub input_slot: u32,
    /// Bytes from the start of a vertex to the element, or [`InputElementDesc::APPEND_ALIGNED_ELEMENT`].
    pub aligned_byte_offset: u32,
    /// Whether the element advances per vertex or per instance.
    pub input_slot_class: InputClassification,
    /// Step rate in instances. With a rate of `n`, the element advances every `n` instances, and with 0, it
    /// does not advance. All elements of a slot have the same rate, which is 0 for per-vertex data.
    pub instance_data_step_rate: u32,
    /// If given, matches an input by its location instead of its semantic: `@location` in WGSL, or
    /// `layout(location)` in GLSL, but not in HLSL, whose inputs have only semantics.
    pub location: Option<u32>,
}

impl InputElementDesc {
    /// Places the element after the previous element of the same slot, with the alignment of its format
    /// (D3D11: `D3D11_APPEND_ALIGNED_ELEMENT`).
    #[doc(alias = "D3D11_APPEND_ALIGNED_ELEMENT")]
    pub const APPEND_ALIGNED_ELEMENT: u32 = u32::MAX;

    /// Describes a per-vertex element in slot 0, after the previous element.
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

    /// Sets the slot of the vertex buffer that contains the element.
    pub fn slot(mut self, input_slot: u32) -> Self {
        self.input_slot = input_slot;
        self
    }

    /// Sets the byte offset of the element from the start of a vertex.
    pub fn offset(mut self, aligned_byte_offset: u32) -> Self {
        self.aligned_byte_offset = aligned_byte_offset;
        self
    }

    /// Makes the element advance by one with each instance.
    pub fn per_instance(mut self) -> Self {
        self.input_slot_class = InputClassification::PerInstanceData;
        self.instance_data_step_rate = 1;
        self
    }

    /// Makes the element advance every `rate` instances. With a rate of 0, the element does not advance, so
    /// all instances read the same data. Rates other than 1 need
    /// [`Features::INSTANCE_STEP_RATE`](crate::Features::INSTANCE_STEP_RATE).
    pub fn step_rate(mut self, rate: u32) -> Self {
        self.input_slot_class = InputClassification::PerInstanceData;
        self.instance_data_step_rate = rate;
        self
    }

    /// Matches the input at the given location, whatever its name: `@location(location)` in WGSL.
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
    /// The format of the element in the vertex buffer.
    pub format: Format,
    /// The slot of the vertex buffer that contains the element.
    pub input_slot: u32,
    /// Bytes from the start of a vertex to the element.
    pub offset: u32,
    /// Whether the element advances per vertex or per instance.
    pub class: InputClassification,
    /// Step rate in instances, counted from the start instance, or 0 if all instances read the same data.
    /// Rates other than 1 need [`Features::INSTANCE_STEP_RATE`](crate::Features::INSTANCE_STEP_RATE). All
    /// elements of a slot have the same rate, which is 0 for per-vertex data.
    pub step_rate: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stencil_adds_a_test_to_the_default_state() {
        let test = DepthStencilOpDesc {
            stencil_fail_op: StencilOp::Zero,
            stencil_depth_fail_op: StencilOp::Incr,
            stencil_pass_op: StencilOp::Replace,
            stencil_func: ComparisonFunc::Equal,
        };
        let expected = DepthStencilDesc {
            stencil_enable: true,
            front_face: test,
            back_face: test,
            ..DepthStencilDesc::default()
        };
        let built = DepthStencilOpDesc::test(ComparisonFunc::Equal)
            .on_fail(StencilOp::Zero)
            .on_depth_fail(StencilOp::Incr)
            .on_pass(StencilOp::Replace);
        assert_eq!(built, test);
        assert_eq!(DepthStencilDesc::stencil(test), expected);
        let back = DepthStencilOpDesc::test(ComparisonFunc::Never);
        let changed = DepthStencilDesc::stencil(test).back_stencil(back).stencil_masks(3, 5);
        let masks = DepthStencilDesc { stencil_read_mask: 3, stencil_write_mask: 5, ..expected };
        assert_eq!(changed, DepthStencilDesc { back_face: back, ..masks });
        assert_eq!(
            DepthStencilDesc::stencil(test).read_only_depth(),
            DepthStencilDesc { depth_write: false, ..expected }
        );
        assert_eq!(
            DepthStencilDesc::stencil(test).without_depth(),
            DepthStencilDesc { depth_enable: false, ..expected }
        );
    }
}
