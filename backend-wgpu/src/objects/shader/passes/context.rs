//! The interface of a pass, and the state that passes share while one module is specialised.

use naga::Module;
use onze_ddi::{ShaderCode, ShaderStage};

use crate::objects::shader::specialization::Specialization;

/// The modules that a pass rewrites, if a geometry shader runs in the vertex stage.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(super) enum PassScope {
    /// The module of each shader, before the modules are merged.
    Shader,
    /// The merged module, whose entry point has the outputs of the geometry shader.
    Outputs,
}

/// A pass of the specialiser.
#[derive(Debug)]
pub(super) struct ModulePass {
    /// Name of the pass in traces and tests, which is also the name of its file.
    pub(super) name: &'static str,
    pub(super) scope: PassScope,
    /// Returns whether the key, the shader or the backend requires the pass.
    pub(super) applies: fn(&PassContext<'_>) -> bool,
    /// Rewrites [`PassContext::module`].
    pub(super) run: fn(&mut PassContext<'_>),
}

/// The inputs of all passes, and the module that the passes rewrite.
#[derive(Debug)]
pub(super) struct PassContext<'a> {
    /// The runtime's shader, with the bindings of the runtime's convention.
    pub(super) code: &'a ShaderCode,
    pub(super) key: &'a Specialization,
    pub(super) backend: wgpu::Backend,
    pub(super) stage: ShaderStage,
    pub(super) module: Module,
}

impl<'a> PassContext<'a> {
    pub(super) fn new(code: &'a ShaderCode, key: &'a Specialization, backend: wgpu::Backend) -> Self {
        Self { code, key, backend, stage: code.reflection.stage, module: code.module.clone() }
    }
}
