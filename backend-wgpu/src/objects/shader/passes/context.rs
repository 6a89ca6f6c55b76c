//! The interface of a pass, and the state that passes share while one module is specialised.

use naga::Module;
use onze_ddi::{ShaderCode, ShaderStage};

use crate::objects::{shader::specialization::Specialization, stage::lane_of_shader};

/// A pass of the specialiser.
#[derive(Debug)]
pub(crate) struct ModulePass {
    /// Name of the pass in traces and tests, which is also the name of its file.
    pub(crate) name: &'static str,
    /// Returns whether the key, the shader or the backend requires the pass.
    pub(crate) applies: fn(&PassContext<'_>) -> bool,
    /// Rewrites [`PassContext::module`].
    pub(crate) run: fn(&mut PassContext<'_>),
}

/// The inputs of all passes, and the module that the passes rewrite.
#[derive(Debug)]
pub(crate) struct PassContext<'a> {
    /// The runtime's shader, with the bindings of the runtime's convention.
    pub(crate) code: &'a ShaderCode,
    pub(crate) key: &'a Specialization,
    pub(crate) backend: wgpu::Backend,
    pub(crate) lane: usize,
    pub(crate) module: Module,
}

impl<'a> PassContext<'a> {
    pub(crate) fn new(code: &'a ShaderCode, key: &'a Specialization, backend: wgpu::Backend) -> Self {
        let lane = lane_of_shader(code.reflection.stage);
        Self { code, key, backend, lane, module: code.module.clone() }
    }

    pub(crate) const fn stage(&self) -> ShaderStage {
        self.code.reflection.stage
    }
}
