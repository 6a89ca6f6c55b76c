//! The wgpu modules of a shader: one without bound state, and one for each [`Specialization`] that a pipeline
//! needed.
//!
//! Specialised modules are created with the pipelines that use them, on the compiler threads.

use std::{
    borrow::Cow,
    sync::{Arc, Mutex},
};

use onze_ddi::{CreateError, ShaderCode, ShaderProgram};

use crate::services::{cache_invalidation::CacheInvalidation, gpu::Gpu, sync::lock};

#[cfg(target_arch = "wasm32")]
use super::browser;
use super::{passes::specialize, specialization::Specialization};

/// The wgpu modules of a shader.
#[derive(Debug)]
pub(crate) struct ShaderModules {
    /// The runtime's module and reflection, which keep the slots of Direct3D 11.
    code: Arc<ShaderCode>,
    /// The name of the entry point, which is the same in every module.
    entry_point: String,
    /// The module for an empty key, which most pipelines use. Only the passes that always apply have
    /// rewritten it.
    plain: wgpu::ShaderModule,
    specialized: Mutex<SpecializedModules<wgpu::ShaderModule>>,
}

/// The modules for all keys that are not empty.
#[derive(Debug)]
struct SpecializedModules<M> {
    modules: Vec<(Specialization, M)>,
    /// Number of entries of [`CacheInvalidation`] that were read.
    seen_invalid: u64,
}

impl<M> Default for SpecializedModules<M> {
    fn default() -> Self {
        Self { modules: Vec::new(), seen_invalid: 0 }
    }
}

impl<M: Clone> SpecializedModules<M> {
    fn find(&self, specialization: &Specialization) -> Option<M> {
        self.modules.iter().find(|(of, _)| of == specialization).map(|(_, module)| module.clone())
    }

    /// Adds a module, and drops those of destroyed shaders.
    fn add(&mut self, specialization: &Specialization, module: M, invalidation: &CacheInvalidation) {
        if let Some(destroyed) = invalidation.take_since(&mut self.seen_invalid) {
            self.modules.retain(|(of, _)| {
                !of.geometry.as_ref().is_some_and(|stage| destroyed.has(stage.id))
                    && !of.streams.as_ref().is_some_and(|stage| destroyed.has(stage.id))
                    && !of.tessellation.as_ref().is_some_and(|stage| destroyed.has(stage.hull))
            });
        }
        self.modules.push((specialization.clone(), module));
    }
}

impl ShaderModules {
    /// Creates the plain module. The caller catches wgpu's errors.
    pub(crate) fn new(gpu: &Gpu, code: &Arc<ShaderCode>, entry_point: &str, label: &str) -> Self {
        let plain = make(gpu, code, &Specialization::default(), label);
        let entry_point = entry_point.to_owned();
        Self { code: code.clone(), entry_point, plain, specialized: Mutex::default() }
    }

    /// The name of the entry point, for pipelines.
    pub(crate) fn entry_point(&self) -> &str {
        &self.entry_point
    }

    /// Returns the module for a key, and creates it on first use. The caller catches wgpu's errors.
    pub(crate) fn get(&self, gpu: &Gpu, specialization: &Specialization) -> wgpu::ShaderModule {
        if *specialization == Specialization::default() {
            return self.plain.clone();
        }
        let mut specialized = lock(&self.specialized);
        if let Some(module) = specialized.find(specialization) {
            return module;
        }
        let module = make(gpu, &self.code, specialization, "specialized");
        specialized.add(specialization, module.clone(), &gpu.invalidation);
        module
    }

    /// Returns the number of specialised modules.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        lock(&self.specialized).modules.len()
    }

    /// Holds the lock of the modules, for tests that detect blocked threads.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        lock(&self.specialized)
    }
}

/// Returns the name of the entry point of a shader's modules, or an error if wgpu lacks the shader's stage. The
/// entry point of a hull, domain or geometry shader is a compute shader that never runs. It lets wgpu validate the module.
pub(super) fn entry_point(code: &ShaderCode) -> Result<&str, CreateError> {
    let stage = code.reflection.stage;
    match &code.program {
        ShaderProgram::EntryPoint(name) if stage.to_naga().is_some() => Ok(name),
        ShaderProgram::Geometry(_) | ShaderProgram::Hull(_) | ShaderProgram::Domain(_) => {
            Ok(code.module.entry_points.first().map_or("", |entry_point| &entry_point.name))
        }
        ShaderProgram::EntryPoint(_) => {
            let name = stage.name();
            let reason = format!("{name} shaders cannot run, because wgpu has no {name} stage");
            Err(CreateError::Application(reason.into()))
        }
    }
}

fn make(gpu: &Gpu, code: &ShaderCode, specialization: &Specialization, label: &str) -> wgpu::ShaderModule {
    let module = specialize(code, specialization, gpu.info.backend);
    let source = shader_source(gpu, module);
    gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
}

/// Returns a module in the form that wgpu accepts on the adapter.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) const fn shader_source(_gpu: &Gpu, module: naga::Module) -> wgpu::ShaderSource<'static> {
    wgpu::ShaderSource::Naga(Cow::Owned(module))
}

/// Returns a module in the form that wgpu accepts on the adapter.
#[cfg(target_arch = "wasm32")]
pub(crate) fn shader_source(gpu: &Gpu, module: naga::Module) -> wgpu::ShaderSource<'static> {
    match (gpu.info.backend == wgpu::Backend::BrowserWebGpu).then(|| browser::text(&module)).flatten() {
        Some(text) => wgpu::ShaderSource::Wgsl(Cow::Owned(text)),
        None => wgpu::ShaderSource::Naga(Cow::Owned(module)),
    }
}

#[cfg(test)]
mod tests {
    use onze_ddi::{PrimitiveTopology, ShaderStage};

    use super::*;
    use crate::{
        objects::shader::specialization::geometry::{Assembly, Expansion, ExpansionForm, GeometryStage},
        testing::shader_code,
    };

    #[test]
    fn modules_of_destroyed_geometry_shaders_are_dropped() {
        let invalidation = Arc::new(CacheInvalidation::default());
        let text = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }";
        let code = shader_code(ShaderStage::Vertex, text, Vec::new());
        let with = |id| {
            let stage = GeometryStage {
                id,
                code: code.clone(),
                key: Specialization::default(),
                assembly: Assembly {
                    topology: PrimitiveTopology::PointList,
                    indices: None,
                    is_tessellated: false,
                },
                primitive_location: None,
                expansion: Expansion {
                    form: ExpansionForm::List,
                    corners: 1,
                    primitives: 1,
                    instances: 1,
                    is_stored: false,
                },
            };
            Specialization { geometry: Some(Arc::new(stage)), ..Specialization::default() }
        };
        let counts =
            |location| Specialization { count_location: Some(location), ..Specialization::default() };
        let [kept, destroyed] = [0; 2].map(|_| invalidation.new_id());
        let keys = [with(kept.get()), with(destroyed.get()), counts(1)];
        let mut modules = SpecializedModules::default();
        for (key, module) in keys.iter().zip(0..) {
            modules.add(key, module, &invalidation);
        }
        assert_eq!(keys.each_ref().map(|key| modules.find(key)), [Some(0), Some(1), Some(2)]);
        drop(destroyed);
        modules.add(&counts(2), 3, &invalidation);
        assert_eq!(keys.each_ref().map(|key| modules.find(key)), [Some(0), None, Some(2)]);
        assert_eq!(modules.find(&counts(2)), Some(3));
    }
}
