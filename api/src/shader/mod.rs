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

mod diagnosis;
mod error;
mod language;
mod linkage;
mod reflect;
mod semantic;
#[cfg(test)]
mod tests;

use naga::Module;
use naga::compact::{KeepUnused, compact};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use onze_ddi::{ShaderCode, ShaderStage};

pub use error::ShaderError;
pub use linkage::LinkageError;
pub(crate) use linkage::{check_linkage, type_name};
pub(crate) use semantic::find_input;

/// The source of a shader: a program and the name of its entry point.
///
/// D3D11: `pShaderBytecode` of the `Create*Shader` calls, one step earlier. More languages may
/// follow; make a source with [`wgsl`](Self::wgsl) or [`naga`](Self::naga).
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

    /// The name of the entry point.
    pub(crate) const fn entry_point(self) -> &'a str {
        match self {
            Self::Wgsl { entry_point, .. } | Self::Naga { entry_point, .. } => entry_point,
        }
    }

    /// The text that spans of the module point into, if there is one.
    const fn text(self) -> Option<&'a str> {
        match self {
            Self::Wgsl { text, .. } => Some(text),
            Self::Naga { .. } => None,
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
    compile_with(source, stage, BASE_CAPABILITIES)
}

/// Compiles a shader for a stage: parses, selects the entry point, compacts, validates, reflects.
///
/// `capabilities` is what the device lets a shader use; a shader that needs more is refused by
/// name of the capability.
pub(crate) fn compile_with(
    source: ShaderSource<'_>,
    stage: ShaderStage,
    capabilities: Capabilities,
) -> Result<ShaderCode, ShaderError> {
    let mut module = match source {
        ShaderSource::Wgsl { text, .. } => parse_wgsl(text)?,
        ShaderSource::Naga { module, .. } => module.clone(),
    };
    let entry_point = select_entry_point(&mut module, source.entry_point(), stage)?;
    // Compaction may panic on an invalid module, so the first validation is for its sake. It lets
    // pass what only the whole program uses, and leaves collisions of slots to the reflection,
    // which can name the variables.
    let lenient = ValidationFlags::all().difference(ValidationFlags::BINDINGS);
    validate(&module, lenient, Capabilities::all(), source)?;
    compact(&mut module, KeepUnused::No);
    if let Some((_, constant)) = module.overrides.iter().next() {
        return Err(ShaderError::Override { name: constant.name.clone().unwrap_or_default() });
    }
    let bindings = reflect::Bindings::of(&module, stage)?;
    let info = validate(&module, ValidationFlags::all(), capabilities, source)?;
    let reflection = bindings.into_reflection(&module, &info, stage)?;
    Ok(ShaderCode { module, info, entry_point, reflection })
}

fn parse_wgsl(text: &str) -> Result<Module, ShaderError> {
    naga::front::wgsl::parse_str(text).map_err(|error| {
        if let Some((language, sign)) = language::foreign(text) {
            return ShaderError::ForeignLanguage { language, sign: sign.to_owned() };
        }
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
        message: diagnosis::of_validation(&error, module, source.text()),
    })
}
