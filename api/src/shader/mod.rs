//! Shaders: from source text to what the driver interface carries.
//!
//! The runtime does here what a Direct3D 11 application leaves to `fxc`: it parses the source,
//! cuts the module down to one entry point, validates it, and reflects what the entry point binds,
//! reads and writes. So every driver gets a module that is known to be good, and the rest of the
//! runtime asks the reflection, never the module.
//!
//! The binding convention of WGSL: `@group(0)` is the `b` registers, `@group(1)` the `t` registers,
//! `@group(2)` the `s` registers, `@group(3)` the `u` registers, and `@binding(n)` is the slot. Two
//! stages that share a module have slots of their own, since only what an entry point uses counts.

mod constants;
mod diagnosis;
mod doubles;
mod error;
mod error_terms;
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
mod terms;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use naga::Module;
use naga::compact::{KeepUnused, compact};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use onze_ddi::{ShaderCode, ShaderStage};

#[cfg(feature = "hlsl")]
pub(crate) use constants::of_hlsl;
pub use constants::{ConstantField, ConstantFields};
pub(crate) use constants::{DeclaredConstant, constant_mismatches, declared_constants};
pub use error::ShaderError;
pub use linkage::LinkageError;
pub(crate) use linkage::check_linkage;
pub(crate) use linkage_terms::linkage_message;
#[cfg(feature = "naga_oil")]
pub use modules::{ComposedShader, ShaderDefinition, ShaderModules};
pub(crate) use semantic::find_input;
pub(crate) use terms::{Language, Terms};

/// The source of a shader: a program and the name of its entry point.
///
/// D3D11: `pShaderBytecode` of the `Create*Shader` calls, one step earlier. Make a source with [`wgsl`](Self::wgsl) or
/// [`naga`](Self::naga); with the features `hlsl`, `spirv` and `glsl` of texts and words in these languages; with the
/// feature `hlsl-compiled` of shaders that were compiled before, with `compiled`.
#[doc(alias = "pShaderBytecode")]
#[non_exhaustive]
#[derive(Copy, Clone, Debug)]
pub enum ShaderSource<'a> {
    /// A program in WGSL.
    #[non_exhaustive]
    Wgsl {
        /// The text.
        text: &'a str,
        /// The name of the entry point.
        entry_point: &'a str,
    },
    /// A program that is already parsed, by any front end of `naga`.
    #[non_exhaustive]
    Naga {
        /// The module. It need not be validated or compacted.
        module: &'a Module,
        /// The name of the entry point.
        entry_point: &'a str,
    },
    /// A program in HLSL.
    #[cfg(feature = "hlsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl")))]
    #[non_exhaustive]
    Hlsl {
        /// The text.
        text: &'a str,
        /// The name of the entry point.
        entry_point: &'a str,
        /// Macros, include files, how matrices are packed.
        options: Option<&'a onze_hlsl::CompileOptions<'a>>,
    },
    /// A file with a program in HLSL.
    #[cfg(feature = "hlsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl")))]
    #[non_exhaustive]
    HlslFile {
        /// Where the file is.
        path: &'a std::path::Path,
        /// The name of the entry point.
        entry_point: &'a str,
        /// Macros, include files, how matrices are packed.
        options: Option<&'a onze_hlsl::CompileOptions<'a>>,
    },
    /// A program in HLSL that was compiled before.
    #[cfg(feature = "hlsl-compiled")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl-compiled")))]
    #[non_exhaustive]
    Compiled {
        /// What the compiler stored.
        bytes: &'a [u8],
    },
    /// A program in SPIR-V.
    #[cfg(feature = "spirv")]
    #[cfg_attr(docsrs, doc(cfg(feature = "spirv")))]
    #[non_exhaustive]
    Spirv {
        /// The words of the module, at any alignment.
        bytes: &'a [u8],
        /// The name of the entry point.
        entry_point: &'a str,
    },
    /// A program in GLSL. Its entry point is `main`.
    #[cfg(feature = "glsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "glsl")))]
    #[non_exhaustive]
    Glsl {
        /// The text.
        text: &'a str,
    },
}

impl<'a> ShaderSource<'a> {
    /// A program in WGSL and the name of the function to run.
    pub const fn wgsl(text: &'a str, entry_point: &'a str) -> Self {
        Self::Wgsl { text, entry_point }
    }

    /// A parsed program and the name of the function to run.
    ///
    /// The module comes from any front end of `naga` and keeps the same binding convention as WGSL;
    /// it is validated like any other source.
    pub const fn naga(module: &'a Module, entry_point: &'a str) -> Self {
        Self::Naga { module, entry_point }
    }

    /// A program in HLSL, Direct3D's shading language, and the name of the function to run.
    ///
    /// Registers, semantics and the layout of constant buffers are Direct3D 11's: what nothing names has the registers
    /// that FXC gives, and an input layout finds the vertex shader's inputs by their semantics. The program is compiled for
    /// Shader Model 5. Warnings are messages of the debug layer. [`hlsl_with`](Self::hlsl_with) has options.
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

    /// A program in HLSL with options: macros, include files, how matrices are packed.
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

    /// A file with a program in HLSL, and the name of the function to run.
    ///
    /// The file is read when the shader is created. `#include` finds files beside it, unless the options say otherwise.
    #[doc(alias = "D3DCompileFromFile")]
    #[cfg(feature = "hlsl")]
    #[cfg_attr(docsrs, doc(cfg(feature = "hlsl")))]
    pub const fn hlsl_file(path: &'a std::path::Path, entry_point: &'a str) -> Self {
        Self::HlslFile { path, entry_point, options: None }
    }

    /// A file with a program in HLSL with options.
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

    /// A program in HLSL that was compiled before, for one stage: the bytes of
    /// [`Compiled::to_bytes`](onze_hlsl::Compiled::to_bytes), as the files that
    /// [`Shaders`](onze_hlsl::build::Shaders) makes in a build script.
    ///
    /// They have the name of the entry point. Bytes of another version of the compiler are refused, and so are damaged
    /// ones.
    ///
    /// D3D11: `pShaderBytecode` of the `Create*Shader` calls; the bytes are no DXBC.
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

    /// A module of SPIR-V, of version 1.0 to 1.6, and the name of the function to run.
    ///
    /// Descriptor sets are the kinds of registers, and bindings are slots, as groups and bindings in WGSL: set 0 is the
    /// `b` registers, 1 `t`, 2 `s`, 3 `u`. DXC makes such modules of HLSL with `-spirv` when the registers are in the
    /// spaces of that number: `register(b0)`, `register(t0, space1)`, `register(s0, space2)`, `register(u0, space3)`.
    ///
    /// * Clip space is Direct3D's, with y up. A module that was written for Vulkan draws upside down.
    /// * A vertex input's name is its semantic; DXC's prefix `in.var.` is left out. Modules without names need
    ///   [`InputElementDesc::at_location`](onze_ddi::InputElementDesc::at_location).
    /// * Textures and samplers are separate variables.
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

    /// A program in GLSL for Vulkan, `#version 440` to `460`, for the stage that is created from it. Its entry point is
    /// `main`.
    ///
    /// Sets are the kinds of registers, and bindings are slots, as groups and bindings in WGSL:
    ///
    /// | register | GLSL |
    /// | --- | --- |
    /// | `b2` | `layout(set = 0, binding = 2) uniform Camera { mat4 view; } camera;` |
    /// | `t0` | `layout(set = 1, binding = 0) uniform texture2D albedo;` |
    /// | `s1` | `layout(set = 2, binding = 1) uniform sampler linear;` |
    /// | `u0` | `layout(set = 3, binding = 0) buffer Particles { vec4 particles[]; };` |
    ///
    /// * Textures and samplers are separate: `texture(sampler2D(albedo, linear), uv)`.
    /// * Clip space is Direct3D's: y up, depth 0 to 1.
    /// * A vertex input's name is its semantic; each needs a `location`.
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

    /// The name of the entry point. Compiled shaders have it in their bytes.
    const fn entry_point(self) -> &'a str {
        match self {
            Self::Wgsl { entry_point, .. } | Self::Naga { entry_point, .. } => entry_point,
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

    /// The text that spans of the module point into, if there is one.
    const fn text(self) -> Option<&'a str> {
        match self {
            Self::Wgsl { text, .. } => Some(text),
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
    /// The language of the program.
    pub(crate) const fn language(self) -> Language {
        match self {
            Self::Wgsl { .. } | Self::Naga { .. } => Language::Wgsl,
            #[cfg(feature = "hlsl")]
            Self::Hlsl { .. } | Self::HlslFile { .. } => Language::Hlsl,
            #[cfg(feature = "hlsl-compiled")]
            Self::Compiled { .. } => Language::Hlsl,
            #[cfg(feature = "spirv")]
            Self::Spirv { .. } => Language::Spirv,
            #[cfg(feature = "glsl")]
            Self::Glsl { .. } => Language::Glsl,
        }
    }
}

/// What every shader may use, on hardware of Direct3D 11's level.
pub(crate) const BASE_CAPABILITIES: Capabilities = Capabilities::MULTISAMPLED_SHADING
    .union(Capabilities::CUBE_ARRAY_TEXTURES)
    .union(Capabilities::SHADER_FLOAT16_IN_FLOAT32);

/// Compiles a shader for a stage with [`BASE_CAPABILITIES`].
#[cfg(test)]
pub(crate) fn compile(source: ShaderSource<'_>, stage: ShaderStage) -> Result<ShaderCode, ShaderError> {
    let shader = compile_with(source, stage, BASE_CAPABILITIES, &mut |_| {})?;
    Ok(Arc::into_inner(shader.code).expect("nothing else has it"))
}

/// A shader that was compiled.
#[derive(Clone, Debug)]
pub(crate) struct Shader {
    /// What the driver gets.
    pub(crate) code: Arc<ShaderCode>,
    /// The language of the source, for messages.
    pub(crate) language: Language,
    /// What the compiler of HLSL says of its programs.
    #[cfg(feature = "hlsl")]
    pub(crate) hlsl: Option<Arc<onze_hlsl::reflection::Reflection>>,
}

impl Shader {
    /// The shader's items in the terms of its language.
    pub(crate) fn terms(&self) -> Terms<'_> {
        Terms {
            language: self.language,
            code: &self.code.reflection,
            #[cfg(feature = "hlsl")]
            hlsl: self.hlsl.as_deref(),
        }
    }

    /// Whether stages and input layouts find the shader's inputs by semantics: whether it is in HLSL.
    pub(crate) const fn has_semantics(&self) -> bool {
        #[cfg(feature = "hlsl")]
        return self.hlsl.is_some();
        #[cfg(not(feature = "hlsl"))]
        false
    }

    /// A clause for each input of the next stage that differs from this shader's outputs in semantic, register or type.
    /// Empty unless both shaders are in HLSL.
    #[cfg_attr(not(feature = "hlsl"), expect(unused_variables, reason = "other languages have no semantics"))]
    pub(crate) fn signature_mismatches(&self, next: &Self) -> Vec<String> {
        #[cfg(feature = "hlsl")]
        if let (Some(own), Some(other)) = (&self.hlsl, &next.hlsl) {
            return signatures::mismatches(own, other);
        }
        Vec::new()
    }
}

/// A shader that was parsed.
struct Parsed {
    module: Module,
    entry_point: String,
    #[cfg(feature = "hlsl")]
    hlsl: Option<Arc<onze_hlsl::reflection::Reflection>>,
}

impl Parsed {
    /// A module of a language other than HLSL.
    fn new(module: Module, source: ShaderSource<'_>) -> Self {
        Self {
            module,
            entry_point: source.entry_point().to_owned(),
            #[cfg(feature = "hlsl")]
            hlsl: None,
        }
    }

    /// Parses a shader for a stage. `warn` gets the compiler's warnings.
    #[cfg_attr(not(feature = "hlsl"), expect(unused_variables, reason = "other languages have no warnings"))]
    fn parse(
        source: ShaderSource<'_>,
        stage: ShaderStage,
        warn: &mut dyn FnMut(String),
    ) -> Result<Self, ShaderError> {
        let module = match source {
            ShaderSource::Wgsl { text, .. } => parse_wgsl(text)?,
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

/// Compiles a shader for a stage: parses, selects the entry point, compacts, validates, reflects.
///
/// `capabilities` is what the device lets a shader use; a shader that needs more is refused by
/// name of the capability. `warn` gets the compiler's warnings.
pub(crate) fn compile_with(
    source: ShaderSource<'_>,
    stage: ShaderStage,
    capabilities: Capabilities,
    warn: &mut dyn FnMut(String),
) -> Result<Shader, ShaderError> {
    let parsed = Parsed::parse(source, stage, warn).map_err(|error| match error {
        // A compiler says of a program of another language only where its parser stopped.
        ShaderError::Parse { .. } => source.foreign_language().unwrap_or(error),
        other => other,
    })?;
    let mut module = parsed.module;
    let entry_point = select_entry_point(&mut module, &parsed.entry_point, stage)?;
    // Compaction may panic on an invalid module, so the first validation is for its sake. It lets
    // pass what only the whole program uses, and leaves collisions of slots to the reflection,
    // which can name the variables.
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
    let bindings = reflect::Bindings::of(&module, stage)?;
    let info = validate(&module, ValidationFlags::all(), capabilities, source)?;
    let reflection = bindings.into_reflection(&module, &info, stage)?;
    let code = ShaderCode { module, info, entry_point, reflection };
    group::check_group(&code)?;
    registers::check_registers(&code.reflection)?;
    Ok(Shader {
        code: Arc::new(code),
        language: source.language(),
        #[cfg(feature = "hlsl")]
        hlsl: parsed.hlsl,
    })
}

/// Whether drivers give a pipeline constant its value.
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
        // A word of another language in a program that is being ported.
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

/// Drops every entry point but one, and returns its name.
fn select_entry_point(module: &mut Module, name: &str, stage: ShaderStage) -> Result<String, ShaderError> {
    let Some(wanted) = stage.to_naga() else {
        return Err(ShaderError::NoSuchStage { stage: stage.name() });
    };
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
