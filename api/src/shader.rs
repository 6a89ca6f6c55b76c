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
mod hlsl_registers;
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
mod source;
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
use onze_ddi::{ShaderCode, ShaderProgram, ShaderStage, StreamOutputDesc, SystemOutput};

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
pub use source::ShaderSource;
pub(crate) use stream_elements::StreamElement;
pub(crate) use terms::{ShaderTerms, SourceLanguage};
use tessellation::{DomainStage, HullStage};
pub use wgsl_geometry::GeometryShaderDesc;
pub use wgsl_tessellation::HullShaderDesc;

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
    let code = ShaderCode { module, info, program, reflection };
    #[cfg(feature = "hlsl")]
    let code = match &parsed.hlsl {
        Some(hlsl) => hlsl_registers::with_signature(code, hlsl),
        None => code,
    };
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
