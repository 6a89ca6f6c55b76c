//! The source of a shader in any language.

use naga::Module;
use onze_ddi::{ShaderStage, TessellatorDomain};

#[cfg(doc)]
use super::ShaderError;
use super::{GeometryShaderDesc, HullShaderDesc, SourceLanguage};

/// The source of a shader: a program and the name of its entry point.
///
/// D3D11: `pShaderBytecode` of the `Create*Shader` calls, before compilation. Create a source with
/// [`wgsl`](Self::wgsl) or [`naga`](Self::naga). The crate features `hlsl`, `spirv` and `glsl` add
/// constructors for these languages, and the feature `hlsl-compiled` adds the constructor `compiled` for
/// precompiled HLSL.
#[doc(alias = "pShaderBytecode")]
#[non_exhaustive]
#[derive(Copy, Clone, Debug)]
pub enum ShaderSource<'a> {
    /// A program in WGSL, which every build of the crate supports.
    #[non_exhaustive]
    Wgsl {
        /// The text of the program.
        text: &'a str,
        /// The name of the entry point, a function with the attribute of the stage.
        entry_point: &'a str,
    },
    /// A geometry shader in WGSL, which has no such stage.
    #[non_exhaustive]
    WgslGeometry {
        /// The text of the program.
        text: &'a str,
        /// The name of the function that is the shader.
        function: &'a str,
        /// The primitives of the shader.
        desc: &'a GeometryShaderDesc<'a>,
    },
    /// A hull shader in WGSL, which has no such stage.
    #[non_exhaustive]
    WgslHull {
        /// The text of the program.
        text: &'a str,
        /// The name of the function that returns the patch constants.
        function: &'a str,
        /// The patches of the shader and the settings of the tessellator.
        desc: &'a HullShaderDesc<'a>,
    },
    /// A domain shader in WGSL, which has no such stage.
    #[non_exhaustive]
    WgslDomain {
        /// The text of the program.
        text: &'a str,
        /// The name of the function that is the shader.
        function: &'a str,
        /// The shape that the tessellator divides.
        domain: TessellatorDomain,
    },
    /// A program that a front end of `naga` has parsed.
    #[non_exhaustive]
    Naga {
        /// The module, which need not be validated or compacted.
        module: &'a Module,
        /// The name of the entry point, because the module may have several.
        entry_point: &'a str,
    },
    /// A program in HLSL, which the crate's own compiler translates.
    #[cfg(feature = "hlsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl")))]
    #[non_exhaustive]
    Hlsl {
        /// The text of the program, before preprocessing.
        text: &'a str,
        /// The name of the function that is the entry point.
        entry_point: &'a str,
        /// Options for macros, include files and matrix packing, or `None` for the compiler's defaults.
        options: Option<&'a onze_hlsl::CompileOptions<'a>>,
    },
    /// A file with a program in HLSL, which is read when the shader is created.
    #[cfg(feature = "hlsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl")))]
    #[non_exhaustive]
    HlslFile {
        /// The path of the file, relative to the current directory or absolute.
        path: &'a std::path::Path,
        /// The name of the function that is the entry point.
        entry_point: &'a str,
        /// Options for macros, include files and matrix packing, or `None` for the compiler's defaults.
        options: Option<&'a onze_hlsl::CompileOptions<'a>>,
    },
    /// A program in HLSL that was compiled in advance.
    #[cfg(feature = "hlsl-compiled")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl-compiled")))]
    #[non_exhaustive]
    Compiled {
        /// The bytes that the compiler has produced, including the name of the entry point.
        bytes: &'a [u8],
    },
    /// A program in SPIR-V, the output of compilers for GLSL, HLSL and other languages.
    #[cfg(feature = "spirv")]
    #[cfg_attr(docsrs, doc(cfg(feature = "spirv")))]
    #[non_exhaustive]
    Spirv {
        /// The words of the module as bytes, at any alignment.
        bytes: &'a [u8],
        /// The name of the entry point, because the module may have several.
        entry_point: &'a str,
    },
    /// A program in GLSL, whose entry point is `main`.
    #[cfg(feature = "glsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "glsl")))]
    #[non_exhaustive]
    Glsl {
        /// The text of the program.
        text: &'a str,
    },
}

impl<'a> ShaderSource<'a> {
    /// Creates a source from a program in WGSL and the name of its entry point.
    pub const fn wgsl(text: &'a str, entry_point: &'a str) -> Self {
        Self::Wgsl { text, entry_point }
    }

    /// Creates a source from a geometry shader in WGSL, the name of its function, and its primitives.
    ///
    /// WGSL has no geometry stage, so the shader is an ordinary function. Its first argument is the array of the
    /// primitive's vertices. Two further arguments of type `u32` may follow: the number of the primitive
    /// (`SV_PrimitiveID`) and the number of the invocation for the primitive (`SV_GSInstanceID`). Two functions with an
    /// empty body represent the first stream: `append0`, whose argument is a vertex, and `restart0`, which ends a strip.
    /// Further streams have functions with other numbers. The driver replaces the bodies.
    ///
    /// Vertices are structures of at most 32 members. Each member is a scalar or a vector of `f32`, `i32` or `u32`. It has
    /// a `@location` below 32, which connects the stages, or is `@builtin(position)`, a `vec4f`. Members of appended
    /// vertices with these names are system values:
    ///
    /// | member | type | HLSL |
    /// | --- | --- | --- |
    /// | `clip_distances` | `f32` or a vector of `f32` | `SV_ClipDistance` |
    /// | `cull_distances` | `f32` or a vector of `f32` | `SV_CullDistance` |
    /// | `layer` | `u32` | `SV_RenderTargetArrayIndex` |
    /// | `viewport` | `u32` | `SV_ViewportArrayIndex` |
    /// | `primitive_id` | `u32` | `SV_PrimitiveID`, in WGSL `@builtin(primitive_index)` |
    ///
    /// Creating the shader fails with [`ShaderError::Geometry`] if the source breaks one of these rules, or if it has
    /// `append` or `restart` functions for streams that the description does not have.
    ///
    /// ```no_run
    /// # fn f(device: &onze::Device) -> Result<(), onze::Error> {
    /// use onze::prelude::*;
    ///
    /// let text = "
    ///     struct Center { @location(0) at: vec4f }
    ///     struct Corner { @builtin(position) at: vec4f, @location(0) uv: vec2f }
    ///     fn append0(vertex: Corner) {}
    ///     fn main(point: array<Center, 1>) {
    ///         for (var k = 0u; k < 4u; k++) {
    ///             let uv = vec2f(f32(k & 1u), f32(k >> 1u));
    ///             append0(Corner(point[0].at + vec4f(uv * 0.1, 0.0, 0.0), uv));
    ///         }
    ///     }";
    /// let desc = GeometryShaderDesc::new(InputPrimitive::Point, 4, &[StreamTopology::TriangleStrips]);
    /// let gs = device.create_geometry_shader(ShaderSource::wgsl_geometry(text, "main", &desc))?;
    /// # Ok(())
    /// # }
    /// ```
    pub const fn wgsl_geometry(text: &'a str, function: &'a str, desc: &'a GeometryShaderDesc<'a>) -> Self {
        Self::WgslGeometry { text, function, desc }
    }

    /// Creates a source from a hull shader in WGSL, the name of its patch-constant function, and its patches.
    ///
    /// WGSL has no hull stage, so the shader consists of ordinary functions. `function` returns the constants of a patch.
    /// Its arguments are the input control points, the output control points, and the number of the patch in the
    /// instance of the draw (`SV_PrimitiveID`). [`HullShaderDesc::control_point_function`] names the function that
    /// returns one output control point. Its arguments are the input control points, the number of the output control
    /// point (`SV_OutputControlPointID`) and the number of the patch. Each argument may be absent, but a number after it
    /// then has the meaning of the first number. A single array in `function` has the output control points if its type is
    /// that of the second function's result and not that of its input, and the input control points otherwise. Without
    /// the second function, the input control points are the output, and `function` must have them as its first argument.
    ///
    /// Control points are structures with the same rules as the vertices of [`wgsl_geometry`](Self::wgsl_geometry). The
    /// structure of the constants has the members of this table and any members with a `@location` below 32, each a
    /// scalar or a vector of `f32`, `i32` or `u32`. Every factor takes one of the 32 locations.
    ///
    /// | domain | `tess_factor` (`SV_TessFactor`) | `inside_tess_factor` (`SV_InsideTessFactor`) |
    /// | --- | --- | --- |
    /// | `Isoline` | `array<f32, 2>`: number of lines, segments of a line | absent |
    /// | `Triangle` | `array<f32, 3>`: the edges u = 0, v = 0, w = 0 | `f32` |
    /// | `Quad` | `array<f32, 4>`: the edges u = 0, v = 0, u = 1, v = 1 | `array<f32, 2>`: along u, along v |
    ///
    /// Creating the shader fails with [`ShaderError::Hull`] if the source breaks one of these rules.
    ///
    /// ```no_run
    /// # fn f(device: &onze::Device) -> Result<(), onze::Error> {
    /// use onze::prelude::*;
    ///
    /// let text = "
    ///     struct Vertex { @location(0) at: vec3f }
    ///     struct Point { @location(0) at: vec3f }
    ///     struct Constants { tess_factor: array<f32, 4>, inside_tess_factor: array<f32, 2>, @location(0) color: vec4f }
    ///     fn points(v: array<Vertex, 4>, point: u32) -> Point { return Point(v[point].at * 2.0); }
    ///     fn constants(v: array<Vertex, 4>, points: array<Point, 4>, patch_id: u32) -> Constants {
    ///         let size = distance(points[0].at, points[3].at);
    ///         return Constants(array(size, size, size, size), array(size, size), vec4f(f32(patch_id)));
    ///     }";
    /// let desc = HullShaderDesc::new(TessellatorDomain::Quad, 4).with_control_points("points", 4);
    /// let hs = device.create_hull_shader(ShaderSource::wgsl_hull(text, "constants", &desc))?;
    /// # Ok(())
    /// # }
    /// ```
    pub const fn wgsl_hull(text: &'a str, function: &'a str, desc: &'a HullShaderDesc<'a>) -> Self {
        Self::WgslHull { text, function, desc }
    }

    /// Creates a source from a domain shader in WGSL, the name of its function, and the shape that the tessellator
    /// divides.
    ///
    /// WGSL has no domain stage, so the shader is an ordinary function. Its arguments are the constants of the patch, a
    /// structure as that of [`wgsl_hull`](Self::wgsl_hull) in which factors may be absent; the array of the control
    /// points; the location in the domain (`SV_DomainLocation`), a `vec3f` whose last component is 0 unless the domain is
    /// a triangle; and the number of the patch in the instance of the draw (`SV_PrimitiveID`), a `u32`. Each argument may
    /// be absent. A shader without control points accepts patches of any number of control points.
    ///
    /// The result is a structure with the rules of the vertices of [`wgsl_geometry`](Self::wgsl_geometry), whose members
    /// `cull_distances`, `layer` and `viewport` are system values. Clip distances are `@builtin(clip_distances)`, as in a
    /// vertex shader.
    ///
    /// Creating the shader fails with [`ShaderError::Domain`] if the source breaks one of these rules.
    ///
    /// ```no_run
    /// # fn f(device: &onze::Device) -> Result<(), onze::Error> {
    /// use onze::prelude::*;
    ///
    /// let text = "
    ///     struct Constants { @location(0) color: vec4f }
    ///     struct Point { @location(0) at: vec3f }
    ///     struct Vertex { @builtin(position) at: vec4f, @location(0) color: vec4f }
    ///     fn main(constants: Constants, points: array<Point, 4>, uv: vec3f) -> Vertex {
    ///         let low = mix(points[0].at, points[1].at, uv.x);
    ///         let high = mix(points[2].at, points[3].at, uv.x);
    ///         return Vertex(vec4f(mix(low, high, uv.y), 1.0), constants.color);
    ///     }";
    /// let source = ShaderSource::wgsl_domain(text, "main", TessellatorDomain::Quad);
    /// let ds = device.create_domain_shader(source)?;
    /// # Ok(())
    /// # }
    /// ```
    pub const fn wgsl_domain(text: &'a str, function: &'a str, domain: TessellatorDomain) -> Self {
        Self::WgslDomain { text, function, domain }
    }

    /// Creates a source from a parsed program and the name of its entry point.
    ///
    /// The module may come from any front end of `naga`. Its groups and bindings have the same meaning as in WGSL, and
    /// it is validated like any other source.
    pub const fn naga(module: &'a Module, entry_point: &'a str) -> Self {
        Self::Naga { module, entry_point }
    }

    /// Creates a source from a program in HLSL, Direct3D's shading language, and the name of its entry point.
    ///
    /// Registers, semantics and the layout of constant buffers are the same as in Direct3D 11, and a resource
    /// without `register` gets the register that FXC would assign. Input layouts match the vertex shader's
    /// inputs by semantic. The program is compiled for Shader Model 5.0, and the debug layer reports the
    /// compiler's warnings. Use [`hlsl_with`](Self::hlsl_with) to set options.
    ///
    /// ```no_run
    /// # fn f(device: &onze::Device) -> Result<(), onze::Error> {
    /// use onze::prelude::*;
    ///
    /// let ps = device.create_pixel_shader(ShaderSource::hlsl(
    ///     "cbuffer Frame : register(b0) { float4 tint; };
    ///     float4 main() : SV_Target { return tint; }",
    ///     "main",
    /// ))?;
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "D3DCompile")]
    #[cfg(feature = "hlsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl")))]
    pub const fn hlsl(text: &'a str, entry_point: &'a str) -> Self {
        Self::Hlsl { text, entry_point, options: None }
    }

    /// Like [`hlsl`](Self::hlsl), with options for macros, include files and matrix packing.
    #[doc(alias = "D3DCompile2")]
    #[cfg(feature = "hlsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl")))]
    pub const fn hlsl_with(
        text: &'a str,
        entry_point: &'a str,
        options: &'a onze_hlsl::CompileOptions<'a>,
    ) -> Self {
        Self::Hlsl { text, entry_point, options: Some(options) }
    }

    /// Creates a source from a file with a program in HLSL, and the name of its entry point.
    ///
    /// The file is read when the shader is created, and `#include` looks for files in the same folder unless
    /// the options specify another include handler.
    #[doc(alias = "D3DCompileFromFile")]
    #[cfg(feature = "hlsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl")))]
    pub const fn hlsl_file(path: &'a std::path::Path, entry_point: &'a str) -> Self {
        Self::HlslFile { path, entry_point, options: None }
    }

    /// Like [`hlsl_file`](Self::hlsl_file), with options for macros, include files and matrix packing.
    #[doc(alias = "D3DCompileFromFile")]
    #[cfg(feature = "hlsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl")))]
    pub const fn hlsl_file_with(
        path: &'a std::path::Path,
        entry_point: &'a str,
        options: &'a onze_hlsl::CompileOptions<'a>,
    ) -> Self {
        Self::HlslFile { path, entry_point, options: Some(options) }
    }

    /// Creates a source from HLSL that was compiled in advance for one stage.
    ///
    /// The bytes come from [`Compiled::to_bytes`](onze_hlsl::Compiled::to_bytes), or from a file that
    /// [`Shaders`](onze_hlsl::build::Shaders) has written in a build script. They include the name of the
    /// entry point. Creating a shader fails if the bytes are damaged or come from another version of the
    /// compiler.
    ///
    /// D3D11: `pShaderBytecode` of the `Create*Shader` calls, although the bytes are not DXBC.
    ///
    /// ```ignore
    /// let vs = include_bytes!(concat!(env!("OUT_DIR"), "/waves.VS.shader"));
    /// let vs = device.create_vertex_shader(ShaderSource::compiled(vs))?;
    /// ```
    #[doc(alias = "pShaderBytecode")]
    #[cfg(feature = "hlsl-compiled")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl-compiled")))]
    pub const fn compiled(bytes: &'a [u8]) -> Self {
        Self::Compiled { bytes }
    }

    /// Creates a source from a SPIR-V module, of version 1.0 to 1.6, and the name of its entry point.
    ///
    /// Descriptor sets and bindings correspond to groups and bindings in WGSL: set 0 contains the `b`
    /// registers, 1 the `t` registers, 2 the `s` registers and 3 the `u` registers, and the binding is the
    /// slot. DXC with `-spirv` compiles HLSL to such modules if the register spaces have the numbers of these
    /// sets: `register(b0)`, `register(t0, space1)`, `register(s0, space2)`, `register(u0, space3)`.
    ///
    /// * Clip space is the same as in Direct3D, with y up, so a module that was written for Vulkan renders
    ///   upside down.
    /// * A vertex input's name, without DXC's prefix `in.var.`, is used as its semantic, so modules without
    ///   names need [`InputElementDesc::at_location`](onze_ddi::InputElementDesc::at_location).
    /// * Textures and samplers are separate variables, because Direct3D 11 binds them to separate slots.
    ///
    /// ```no_run
    /// # fn f(device: &onze::Device) -> Result<(), Box<dyn std::error::Error>> {
    /// use onze::prelude::*;
    ///
    /// let module = std::fs::read("shaders/scene.vs.spv")?;
    /// let vs = device.create_vertex_shader(ShaderSource::spirv(&module, "vs_main"))?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "spirv")]
    #[cfg_attr(docsrs, doc(cfg(feature = "spirv")))]
    pub const fn spirv(bytes: &'a [u8], entry_point: &'a str) -> Self {
        Self::Spirv { bytes, entry_point }
    }

    /// Creates a source from a program in GLSL for Vulkan, `#version 440` to `460`.
    ///
    /// The program is parsed for the stage of the shader that is created from it, and its entry point is
    /// `main`. As with groups and bindings in WGSL, the set selects the register class, and the binding is
    /// the slot:
    ///
    /// | register | GLSL |
    /// | --- | --- |
    /// | `b2` | `layout(set = 0, binding = 2) uniform Camera { mat4 view; } camera;` |
    /// | `t0` | `layout(set = 1, binding = 0) uniform texture2D albedo;` |
    /// | `s1` | `layout(set = 2, binding = 1) uniform sampler linear;` |
    /// | `u0` | `layout(set = 3, binding = 0) buffer Particles { vec4 particles[]; };` |
    ///
    /// * Textures and samplers are separate, and are combined where they are used:
    ///   `texture(sampler2D(albedo, linear), uv)`.
    /// * Clip space is the same as in Direct3D, with y up and depth from 0 to 1.
    /// * A vertex input needs a `location`, and its name is used as its semantic.
    ///
    /// ```no_run
    /// # fn f(device: &onze::Device) -> Result<(), onze::Error> {
    /// use onze::prelude::*;
    ///
    /// let ps = device.create_pixel_shader(ShaderSource::glsl(
    ///     "#version 450
    ///     layout(set = 0, binding = 0) uniform Tint { vec4 tint; };
    ///     layout(location = 0) out vec4 color;
    ///     void main() { color = tint; }",
    /// ))?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "glsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "glsl")))]
    pub const fn glsl(text: &'a str) -> Self {
        Self::Glsl { text }
    }

    /// Returns the name of the entry point, which is empty for compiled shaders, because their bytes contain
    /// the name.
    pub(super) const fn entry_point(self) -> &'a str {
        match self {
            Self::Wgsl { entry_point, .. }
            | Self::WgslGeometry { function: entry_point, .. }
            | Self::WgslHull { function: entry_point, .. }
            | Self::WgslDomain { function: entry_point, .. }
            | Self::Naga { entry_point, .. } => entry_point,
            #[cfg(feature = "hlsl")]
            Self::Hlsl { entry_point, .. } | Self::HlslFile { entry_point, .. } => entry_point,
            #[cfg(feature = "hlsl-compiled")]
            Self::Compiled { .. } => "",
            #[cfg(feature = "spirv")]
            Self::Spirv { entry_point, .. } => entry_point,
            #[cfg(feature = "glsl")]
            Self::Glsl { .. } => "main",
        }
    }

    /// Returns the text that the spans of the parsed module refer to, or `None` if there is none.
    pub(super) const fn text(self) -> Option<&'a str> {
        match self {
            Self::Wgsl { text, .. }
            | Self::WgslGeometry { text, .. }
            | Self::WgslHull { text, .. }
            | Self::WgslDomain { text, .. } => Some(text),
            Self::Naga { .. } => None,
            #[cfg(feature = "hlsl")]
            Self::Hlsl { .. } | Self::HlslFile { .. } => None,
            #[cfg(feature = "hlsl-compiled")]
            Self::Compiled { .. } => None,
            #[cfg(feature = "spirv")]
            Self::Spirv { .. } => None,
            #[cfg(feature = "glsl")]
            Self::Glsl { text } => Some(text),
        }
    }
}

impl ShaderSource<'_> {
    /// Returns the possible stages of the program that stream output can capture, in the order of the attempts to compile
    /// it.
    pub(crate) const fn captured_stages(self) -> &'static [ShaderStage] {
        #[cfg(feature = "hlsl")]
        const UNKNOWN: &[ShaderStage] = &[ShaderStage::Geometry, ShaderStage::Vertex, ShaderStage::Domain];
        match self {
            Self::WgslGeometry { .. } | Self::WgslHull { .. } => &[ShaderStage::Geometry],
            Self::WgslDomain { .. } => &[ShaderStage::Domain],
            Self::Wgsl { .. } | Self::Naga { .. } => &[ShaderStage::Vertex],
            #[cfg(feature = "hlsl")]
            Self::Hlsl { .. } | Self::HlslFile { .. } => UNKNOWN,
            #[cfg(feature = "hlsl-compiled")]
            Self::Compiled { .. } => UNKNOWN,
            #[cfg(feature = "spirv")]
            Self::Spirv { .. } => &[ShaderStage::Vertex],
            #[cfg(feature = "glsl")]
            Self::Glsl { .. } => &[ShaderStage::Vertex],
        }
    }

    /// Returns the language of the program, which determines the terms used in messages.
    pub(crate) const fn language(self) -> SourceLanguage {
        match self {
            Self::Wgsl { .. }
            | Self::WgslGeometry { .. }
            | Self::WgslHull { .. }
            | Self::WgslDomain { .. }
            | Self::Naga { .. } => SourceLanguage::Wgsl,
            #[cfg(feature = "hlsl")]
            Self::Hlsl { .. } | Self::HlslFile { .. } => SourceLanguage::Hlsl,
            #[cfg(feature = "hlsl-compiled")]
            Self::Compiled { .. } => SourceLanguage::Hlsl,
            #[cfg(feature = "spirv")]
            Self::Spirv { .. } => SourceLanguage::Spirv,
            #[cfg(feature = "glsl")]
            Self::Glsl { .. } => SourceLanguage::Glsl,
        }
    }
}
