//! Shader modules with imports and definitions, which the crate `naga_oil` resolves.

use std::collections::HashMap;

use naga::{Module, valid::Capabilities};
use naga_oil::compose::{
    ComposableModuleDescriptor, Composer, ComposerError, NagaModuleDescriptor, ShaderDefValue,
};

use super::{
    ShaderError, ShaderSource,
    language::{ProgramKind, foreign},
};
use crate::report::Error;

/// WGSL modules that shaders can import, the counterparts of `ID3DInclude` and `D3D_SHADER_MACRO` in the
/// D3D11 compiler.
///
/// A module begins with `#define_import_path` and a name. A shader imports the module with `#import`, and
/// uses definitions with `#ifdef` and `#{NAME}`, which is the syntax of the crate `naga_oil`:
///
/// ```
/// use onze::{ShaderModules, prelude::*};
///
/// # fn main() -> Result<(), onze::Error> {
/// # let (device, _context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
/// let mut modules = ShaderModules::new();
/// modules.add("#define_import_path light
///     fn lambert(normal: vec3f, to_light: vec3f) -> f32 { return max(dot(normal, to_light), 0.0); }")?;
/// let scene = modules.compose("#import light::lambert
///     @fragment fn ps_main(@location(0) normal: vec3f) -> @location(0) vec4f {
///     #ifdef LIT
///         return vec4f(lambert(normal, vec3f(0.0, 1.0, 0.0)));
///     #else
///         return vec4f(1.0);
///     #endif
///     }", [("LIT", true.into())])?;
/// let ps = device.create_pixel_shader(scene.source("ps_main"))?;
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
pub struct ShaderModules {
    composer: Composer,
}

/// The value of a definition, which `bool`, `i32` and `u32` convert to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ShaderDefinition {
    /// A boolean, for conditions such as `#if NAME == true`.
    Bool(bool),
    /// A signed integer, for conditions such as `#if NAME > -2` and for substitution with `#{NAME}`.
    Int(i32),
    /// An unsigned integer, for conditions such as `#if NAME > 2` and for substitution with `#{NAME}`.
    Uint(u32),
}

impl From<bool> for ShaderDefinition {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i32> for ShaderDefinition {
    fn from(value: i32) -> Self {
        Self::Int(value)
    }
}

impl From<u32> for ShaderDefinition {
    fn from(value: u32) -> Self {
        Self::Uint(value)
    }
}

/// A program whose imports and definitions are resolved, created by [`ShaderModules::compose`].
#[derive(Clone, Debug)]
pub struct ComposedShader {
    module: Module,
}

impl ComposedShader {
    /// Creates a source from this program and the name of its entry point.
    pub const fn source<'a>(&'a self, entry_point: &'a str) -> ShaderSource<'a> {
        ShaderSource::naga(&self.module, entry_point)
    }
}

impl std::fmt::Debug for ShaderModules {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ShaderModules").finish_non_exhaustive()
    }
}

impl ShaderModules {
    /// Creates an empty collection, for modules that [`add`](Self::add) adds.
    pub fn new() -> Self {
        // The device's capabilities are checked when a shader is created.
        Self { composer: Composer::default().with_capabilities(Capabilities::all()) }
    }

    /// Adds a module, or replaces the module of the same name, and requires that the modules it imports were
    /// added before.
    ///
    /// # Errors
    /// Fails with [`Error::InvalidArg`] and the compiler's message if the text has no `#define_import_path`,
    /// imports a module that was not added, or does not compile.
    pub fn add(&mut self, text: &str) -> Result<(), Error> {
        let desc = ComposableModuleDescriptor { source: text, file_path: "module", ..Default::default() };
        match self.composer.add_composable_module(desc) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.refusal(&error, text)),
        }
    }

    /// Composes a program from its source, the modules that it imports, and definitions.
    ///
    /// # Errors
    /// Fails with [`Error::InvalidArg`] and the compiler's message if the text or its imports cannot be resolved.
    pub fn compose<'a>(
        &mut self,
        text: &str,
        definitions: impl IntoIterator<Item = (&'a str, ShaderDefinition)>,
    ) -> Result<ComposedShader, Error> {
        let definitions = definitions.into_iter().map(|(name, value)| (name.to_owned(), value.into()));
        let desc = NagaModuleDescriptor {
            source: text,
            file_path: "shader",
            shader_defs: definitions.collect::<HashMap<_, _>>(),
            ..Default::default()
        };
        match self.composer.make_naga_module(desc) {
            Ok(module) => Ok(ComposedShader { module }),
            Err(error) => Err(self.refusal(&error, text)),
        }
    }

    fn refusal(&self, error: &ComposerError, text: &str) -> Error {
        if let Some(foreign) = foreign(text.as_bytes(), ProgramKind::Wgsl, "ShaderModules") {
            return foreign.into();
        }
        let message = error.emit_to_string(&self.composer);
        ShaderError::Parse { line: 0, column: 0, message }.into()
    }
}

impl From<ShaderDefinition> for ShaderDefValue {
    fn from(value: ShaderDefinition) -> Self {
        match value {
            ShaderDefinition::Bool(value) => Self::Bool(value),
            ShaderDefinition::Int(value) => Self::Int(value),
            ShaderDefinition::Uint(value) => Self::UInt(value),
        }
    }
}
