//! Shaders, from the source to the [`ShaderCode`] that drivers receive.
//!
//! The runtime does the work that Direct3D 11 applications leave to `fxc`. It parses the source, reduces the
//! module to one entry point, validates it, and reflects the entry point's bindings, inputs and outputs.
//! Drivers therefore receive only valid modules. Most of the runtime reads the reflection instead of the
//! module.
//!
//! In WGSL, `@group(0)` contains the `b` registers, `@group(1)` the `t` registers, `@group(2)` the `s`
//! registers and `@group(3)` the `u` registers, and `@binding(n)` is the slot. Two stages in one module may
//! use the same slot for different variables, because only variables that the entry point uses are bound.

mod constants;
mod diagnosis;
mod doubles;
mod error;
mod error_terms;
mod geometry;
#[cfg(feature = "glsl")]
mod glsl;
mod group;
#[cfg(feature = "hlsl")]
mod hlsl;
#[cfg(feature = "hlsl")]
mod hlsl_terms;
mod language;
mod linkage;
mod linkage_terms;
#[cfg(feature = "naga_oil")]
mod modules;
mod reflect;
mod registers;
mod semantic;
#[cfg(feature = "hlsl")]
mod signatures;
#[cfg(feature = "spirv")]
mod spirv;
mod stream_elements;
mod terms;
mod tessellation;
#[cfg(test)]
mod tests;
mod wgsl_geometry;
mod wgsl_stage;
mod wgsl_tessellation;

use std::sync::Arc;

use naga::Module;
use naga::compact::{KeepUnused, compact};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use onze_ddi::{ShaderCode, ShaderProgram, ShaderStage, StreamOutputDesc, SystemOutput, TessellatorDomain};

#[cfg(feature = "hlsl")]
pub(crate) use constants::of_hlsl;
pub use constants::{ConstantField, ConstantFields};
pub(crate) use constants::{DeclaredConstant, constant_mismatches, declared_constants};
pub use error::ShaderError;
use geometry::GeometryStage;
pub use linkage::LinkageError;
pub(crate) use linkage::{BrokenLink, check_chain, links};
pub(crate) use linkage_terms::linkage_message;
#[cfg(feature = "naga_oil")]
pub use modules::{ComposedShader, ShaderDefinition, ShaderModules};
pub(crate) use semantic::find_input;
pub(crate) use stream_elements::StreamElement;
pub(crate) use terms::{ShaderTerms, SourceLanguage};
use tessellation::{DomainStage, HullStage};
pub use wgsl_geometry::GeometryShaderDesc;
pub use wgsl_tessellation::HullShaderDesc;

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
    /// then has the meaning of the first number. Without the second function, the input control points are the output,
    /// and `function` must have them as its first argument.
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
    const fn entry_point(self) -> &'a str {
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
    const fn text(self) -> Option<&'a str> {
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
    /// Returns the stages that stream output can capture and to which the program may belong, in the order in which they
    /// are tried.
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

/// Capabilities that shaders may use on any Direct3D 11 hardware.
pub(crate) const BASE_CAPABILITIES: Capabilities = Capabilities::MULTISAMPLED_SHADING
    .union(Capabilities::CUBE_ARRAY_TEXTURES)
    .union(Capabilities::SHADER_FLOAT16_IN_FLOAT32);

/// Compiles a shader for a stage with [`BASE_CAPABILITIES`] and ignores warnings, for tests.
#[cfg(test)]
pub(crate) fn compile(source: ShaderSource<'_>, stage: ShaderStage) -> Result<ShaderCode, ShaderError> {
    let shader = compile_with(source, stage, BASE_CAPABILITIES, &mut |_| {})?;
    Ok(Arc::into_inner(shader.code).expect("the only reference"))
}

/// A compiled shader, with the information that is needed for messages about it.
#[derive(Clone, Debug)]
pub(crate) struct Shader {
    /// The code that drivers receive when the object is created.
    pub(crate) code: Arc<ShaderCode>,
    /// The language of the source, whose terms are used by messages about the shader.
    pub(crate) language: SourceLanguage,
    /// The vertices that the shader writes to buffers, if it does. The code is then a geometry, vertex or domain
    /// shader.
    pub(crate) stream_output: Option<Arc<StreamOutputDesc>>,
    /// The HLSL compiler's reflection, or `None` for shaders in other languages.
    #[cfg(feature = "hlsl")]
    pub(crate) hlsl: Option<Arc<onze_hlsl::reflection::Reflection>>,
}

impl Shader {
    /// Returns names for the shader's variables, inputs and outputs in the terms of its language.
    pub(crate) fn terms(&self) -> ShaderTerms<'_> {
        ShaderTerms {
            language: self.language,
            code: &self.code.reflection,
            #[cfg(feature = "hlsl")]
            hlsl: self.hlsl.as_deref(),
        }
    }

    /// Whether inputs are matched by semantic, which is true for shaders in HLSL.
    pub(crate) const fn has_semantics(&self) -> bool {
        #[cfg(feature = "hlsl")]
        return self.hlsl.is_some();
        #[cfg(not(feature = "hlsl"))]
        false
    }

    /// Whether the shader is at the geometry stage but has the code of a vertex or domain shader, whose outputs it writes
    /// to buffers as they are.
    pub(crate) fn is_pass_through(&self) -> bool {
        self.stream_output.is_some()
            && matches!(self.code.reflection.stage, ShaderStage::Vertex | ShaderStage::Domain)
    }

    /// Whether the vertices or control points that the shader outputs have a position. Those of a vertex shader always
    /// do, and a hull shader without a function of control points passes them through.
    pub(crate) fn has_position(&self) -> bool {
        match &self.code.program {
            ShaderProgram::EntryPoint(_) => true,
            ShaderProgram::Geometry(program) => {
                program.streams.first().is_some_and(|stream| stream.has_position)
            }
            ShaderProgram::Hull(program) => program.control_point.is_none_or(|function| {
                let point = tessellation::result_of(&self.code.module, Some(function));
                point.is_some_and(|point| geometry::has_position(&self.code.module, point))
            }),
            ShaderProgram::Domain(program) => program.has_position,
        }
    }

    /// Returns the stream whose primitives are rasterized, or `None` if nothing is rasterized.
    pub(crate) fn rasterized_stream(&self) -> Option<u32> {
        self.stream_output.as_ref().map_or(Some(0), |desc| desc.rasterized_stream)
    }

    /// Describes each input of the next stage that differs from this shader's outputs in semantic, register
    /// or type, or returns an empty list unless both shaders are in HLSL.
    #[cfg_attr(not(feature = "hlsl"), expect(unused_variables, reason = "other languages have no semantics"))]
    pub(crate) fn signature_mismatches(&self, next: &Self) -> Vec<String> {
        #[cfg(feature = "hlsl")]
        if let (Some(own), Some(other)) = (&self.hlsl, &next.hlsl) {
            return signatures::mismatches(own, self.rasterized_stream().unwrap_or_default(), other);
        }
        Vec::new()
    }
}

/// The properties of a shader whose stage naga lacks. Its entry point is a compute shader.
#[derive(Clone, Debug)]
enum EmulatedStage {
    Geometry(GeometryStage),
    Hull(HullStage),
    Domain(DomainStage),
}

impl EmulatedStage {
    const fn stage(&self) -> ShaderStage {
        match self {
            Self::Geometry(_) => ShaderStage::Geometry,
            Self::Hull(_) => ShaderStage::Hull,
            Self::Domain(_) => ShaderStage::Domain,
        }
    }

    /// Returns the program of the shader, or `None` if the module lacks its functions.
    fn program(&self, module: &Module, name: &str) -> Option<ShaderProgram> {
        Some(match self {
            Self::Geometry(stage) => ShaderProgram::Geometry(geometry::program(module, name, stage)?),
            Self::Hull(stage) => ShaderProgram::Hull(tessellation::hull_program(module, name, stage)?),
            Self::Domain(stage) => ShaderProgram::Domain(tessellation::domain_program(module, name, stage)?),
        })
    }
}

/// A parsed shader that has not been validated.
struct ParsedShader {
    module: Module,
    entry_point: String,
    /// The properties of a geometry, hull or domain shader.
    emulated: Option<EmulatedStage>,
    /// The system values among the outputs.
    system_outputs: Vec<SystemOutput>,
    #[cfg(feature = "hlsl")]
    hlsl: Option<Arc<onze_hlsl::reflection::Reflection>>,
}

impl ParsedShader {
    /// Wraps a module that was parsed from a language other than HLSL.
    fn new(module: Module, source: ShaderSource<'_>) -> Self {
        Self {
            module,
            entry_point: source.entry_point().to_owned(),
            emulated: None,
            system_outputs: Vec::new(),
            #[cfg(feature = "hlsl")]
            hlsl: None,
        }
    }

    /// Returns naga's stage of the entry point for a stage. Stages that naga lacks have a compute entry point.
    fn naga_stage(
        &self,
        source: ShaderSource<'_>,
        stage: ShaderStage,
    ) -> Result<naga::ShaderStage, ShaderError> {
        let wrong = |found| ShaderError::WrongStage {
            entry_point: self.entry_point.clone(),
            expected: stage.name(),
            found,
        };
        let none = ShaderError::NoSuchStage { stage: stage.name() };
        match (&self.emulated, stage.to_naga(), source) {
            (Some(own), _, _) if own.stage() == stage => Ok(naga::ShaderStage::Compute),
            (Some(own), _, _) => Err(wrong(own.stage().name())),
            (None, Some(stage), _) => Ok(stage),
            (None, None, ShaderSource::Wgsl { .. }) => {
                let name = stage.name();
                let reason = format!(
                    "use `ShaderSource::wgsl_{name}`, because `ShaderSource::wgsl` has no {name} stage"
                );
                Err(ShaderError::of_stage(stage, reason))
            }
            #[cfg(feature = "hlsl-compiled")]
            (None, None, ShaderSource::Compiled { .. }) => {
                let point = self.module.entry_points.first();
                Err(point.map_or(none, |point| wrong(reflect::stage_name(point.stage))))
            }
            (None, None, _) => Err(none),
        }
    }

    /// Parses a shader for a stage, and passes the compiler's warnings to `warn`.
    #[cfg_attr(not(feature = "hlsl"), expect(unused_variables, reason = "other languages have no warnings"))]
    fn parse(
        source: ShaderSource<'_>,
        stage: ShaderStage,
        warn: &mut dyn FnMut(String),
    ) -> Result<Self, ShaderError> {
        let module = match source {
            ShaderSource::Wgsl { text, .. } => parse_wgsl(text)?,
            ShaderSource::WgslGeometry { text, function, desc } => {
                let mut module = parse_wgsl(text)?;
                let (stage, system_outputs) = wgsl_geometry::convert(&mut module, function, desc)
                    .map_err(|reason| ShaderError::Geometry { reason })?;
                let emulated = Some(EmulatedStage::Geometry(stage));
                return Ok(Self { emulated, system_outputs, ..Self::new(module, source) });
            }
            ShaderSource::WgslHull { text, function, desc } => {
                let mut module = parse_wgsl(text)?;
                let stage = wgsl_tessellation::convert_hull(&mut module, function, desc)
                    .map_err(|reason| ShaderError::Hull { reason })?;
                let emulated = Some(EmulatedStage::Hull(stage));
                return Ok(Self { emulated, ..Self::new(module, source) });
            }
            ShaderSource::WgslDomain { text, function, domain } => {
                let mut module = parse_wgsl(text)?;
                let (stage, system_outputs) =
                    wgsl_tessellation::convert_domain(&mut module, function, domain)
                        .map_err(|reason| ShaderError::Domain { reason })?;
                let emulated = Some(EmulatedStage::Domain(stage));
                return Ok(Self { emulated, system_outputs, ..Self::new(module, source) });
            }
            ShaderSource::Naga { module, .. } => module.clone(),
            #[cfg(feature = "hlsl")]
            ShaderSource::Hlsl { text, entry_point, options } => {
                return hlsl::parse(text, entry_point, options, stage, warn);
            }
            #[cfg(feature = "hlsl")]
            ShaderSource::HlslFile { path, entry_point, options } => {
                return hlsl::parse_file(path, entry_point, options, stage, warn);
            }
            #[cfg(feature = "hlsl-compiled")]
            ShaderSource::Compiled { bytes } => return hlsl::load(bytes),
            #[cfg(feature = "spirv")]
            ShaderSource::Spirv { bytes, .. } => spirv::parse(bytes)?,
            #[cfg(feature = "glsl")]
            ShaderSource::Glsl { text } => glsl::parse(text, stage)?,
        };
        Ok(Self::new(module, source))
    }
}

/// Compiles a shader for a stage: parses, selects the entry point, compacts, validates and reflects.
///
/// `capabilities` are the device's capabilities, and a shader that needs any other is rejected with an error
/// that names it. `warn` receives the compiler's warnings.
pub(crate) fn compile_with(
    source: ShaderSource<'_>,
    stage: ShaderStage,
    capabilities: Capabilities,
    warn: &mut dyn FnMut(String),
) -> Result<Shader, ShaderError> {
    let parsed = ParsedShader::parse(source, stage, warn).map_err(|error| match error {
        // For a program in another language, the parser's error only says where the parser stopped.
        ShaderError::Parse { .. } => source.foreign_language().unwrap_or(error),
        other => other,
    })?;
    let wanted = parsed.naga_stage(source, stage)?;
    let mut module = parsed.module;
    let entry_point = select_entry_point(&mut module, &parsed.entry_point, wanted)?;
    // The first validation is needed because compaction may panic on an invalid module, and allows all
    // capabilities because unused parts of the program may need them. Slot collisions are left to the
    // reflection, whose errors name the variables.
    let lenient = ValidationFlags::all().difference(ValidationFlags::BINDINGS);
    validate(&module, lenient, Capabilities::all(), source)?;
    compact(&mut module, KeepUnused::No);
    if let Some((_, constant)) =
        module.overrides.iter().find(|(_, constant)| !is_set(&module, constant, stage))
    {
        return Err(ShaderError::Override { name: constant.name.clone().unwrap_or_default() });
    }
    if !capabilities.contains(Capabilities::FLOAT64) && doubles::are_in(&module) {
        return Err(ShaderError::Doubles);
    }
    let bindings = reflect::EntryBindings::of(&module, stage)?;
    let info = validate(&module, ValidationFlags::all(), capabilities, source)?;
    let program = match &parsed.emulated {
        Some(own) => {
            own.program(&module, &entry_point).ok_or(ShaderError::NoSuchStage { stage: stage.name() })?
        }
        None => ShaderProgram::EntryPoint(entry_point),
    };
    let mut reflection = bindings.into_reflection(&module, &info, stage, &program)?;
    reflection.system_outputs = parsed.system_outputs;
    #[cfg(feature = "hlsl")]
    if let (ShaderProgram::Hull(program), Some(hlsl)) = (&program, &parsed.hlsl) {
        hlsl::add_passed_points(hlsl, program, &mut reflection);
    }
    let code = ShaderCode { module, info, program, reflection };
    group::check_group(&code)?;
    geometry::check_abilities(&code)?;
    registers::check_registers(&code.reflection)?;
    Ok(Shader {
        code: Arc::new(code),
        language: source.language(),
        stream_output: None,
        #[cfg(feature = "hlsl")]
        hlsl: parsed.hlsl,
    })
}

/// Whether a pipeline-overridable constant is the one that drivers set.
fn is_set(module: &Module, constant: &naga::Override, stage: ShaderStage) -> bool {
    stage == ShaderStage::Pixel
        && constant.name.as_deref() == Some(onze_ddi::RENDER_TARGET_SAMPLE_COUNT)
        && constant.id.is_none()
        && constant.init.is_some()
        && module.types[constant.ty].inner == naga::TypeInner::Scalar(naga::Scalar::U32)
}

fn parse_wgsl(text: &str) -> Result<Module, ShaderError> {
    naga::front::wgsl::parse_str(text).map_err(|error| {
        let (line, column) = error.location(text).map_or((0, 0), |at| (at.line_number, at.line_position));
        let mut message = error.emit_to_string(text).trim_end().trim_start_matches("error: ").to_owned();
        // A program that was ported from another language may still contain the other language's type names.
        let word = error.location(text).and_then(|at| {
            let start = at.offset as usize;
            text.get(start..start + at.length as usize)
        });
        if let Some((word, wgsl)) = word.and_then(|word| Some((word, language::wgsl_type(word)?))) {
            message.push_str(&format!("\n`{word}` is `{wgsl}` in WGSL"));
        }
        ShaderError::Parse { line, column, message }
    })
}

/// Removes all entry points except the selected one, and returns its name.
fn select_entry_point(
    module: &mut Module,
    name: &str,
    wanted: naga::ShaderStage,
) -> Result<String, ShaderError> {
    let describe = |point: &naga::EntryPoint| (point.name.clone(), reflect::stage_name(point.stage));
    let mut of_that_name = module.entry_points.iter().filter(|p| p.name == name);
    if !of_that_name.clone().any(|point| point.stage == wanted) {
        return Err(match of_that_name.next() {
            Some(other) => ShaderError::WrongStage {
                entry_point: name.to_owned(),
                expected: reflect::stage_name(wanted),
                found: reflect::stage_name(other.stage),
            },
            None => ShaderError::EntryPointNotFound {
                entry_point: name.to_owned(),
                available: module.entry_points.iter().map(describe).collect(),
            },
        });
    }
    module.entry_points.retain(|point| point.name == name && point.stage == wanted);
    Ok(name.to_owned())
}

fn validate(
    module: &Module,
    flags: ValidationFlags,
    capabilities: Capabilities,
    source: ShaderSource<'_>,
) -> Result<ModuleInfo, ShaderError> {
    Validator::new(flags, capabilities).validate(module).map_err(|error| ShaderError::Invalid {
        message: diagnosis::of_validation(&error, module, source.text(), source.language()),
    })
}
