//! Rasterizer states: filling, culling, depth bias, clipping and the scissor test.

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
