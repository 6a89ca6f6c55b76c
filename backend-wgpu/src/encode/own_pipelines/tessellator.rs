//! The pipelines of the tessellator, which run no shader of the application.

use std::sync::{Arc, OnceLock};

use onze_ddi::HullProgram;

use crate::{
    encode::parts::stored_pipelines::{PipelineRefusal, StoredPipeline},
    objects::shader::{shader_source, tessellator_text},
    services::{error_scope::scoped, gpu::Gpu},
};

/// The properties of a hull shader that determine the code of the tessellator.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TessellatorKey {
    pub(crate) domain: onze_ddi::TessellatorDomain,
    pub(crate) partitioning: onze_ddi::TessellatorPartitioning,
    pub(crate) output: onze_ddi::TessellatorOutput,
}

impl TessellatorKey {
    pub(crate) const fn new(program: &HullProgram) -> Self {
        Self { domain: program.domain, partitioning: program.partitioning, output: program.output }
    }

    fn module(self) -> Option<naga::Module> {
        let text = format!(
            "const EDGES = {}u;\nconst INSIDE = {}u;\n{}{}",
            self.domain.edge_factors(),
            self.domain.inside_factors(),
            tessellator_text(self.domain, self.partitioning, self.output),
            include_str!("tessellation.wgsl")
        );
        let parsed = naga::front::wgsl::parse_str(&text);
        debug_assert!(parsed.is_ok(), "{parsed:?}");
        parsed.ok()
    }
}

/// A dispatch of the tessellator.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum TessellatorDispatch {
    /// Divides each patch.
    Divide,
    /// Adds the numbers of corners, and writes the header.
    Add,
    /// Writes the indices.
    Write,
}

impl TessellatorDispatch {
    /// All dispatches, in their order.
    pub(crate) const ALL: [Self; 3] = [Self::Divide, Self::Add, Self::Write];

    const fn entry_point(self) -> &'static str {
        match self {
            Self::Divide => "divide",
            Self::Add => "add",
            Self::Write => "write",
        }
    }
}

/// The pipelines of a tessellator, some of them perhaps still compiling.
#[derive(Debug)]
pub(crate) struct StoredTessellator {
    key: TessellatorKey,
    /// The code of all dispatches, which the first job parses.
    module: OnceLock<Option<naga::Module>>,
    pipelines: [Arc<StoredPipeline<wgpu::ComputePipeline>>; TessellatorDispatch::ALL.len()],
}

impl StoredTessellator {
    pub(super) fn new(key: TessellatorKey) -> Self {
        let pipelines = TessellatorDispatch::ALL.map(|_| Arc::new(StoredPipeline::new(true)));
        Self { key, module: OnceLock::new(), pipelines }
    }

    pub(crate) fn pipeline(&self, of: TessellatorDispatch) -> &Arc<StoredPipeline<wgpu::ComputePipeline>> {
        let [divide, add, write] = &self.pipelines;
        match of {
            TessellatorDispatch::Divide => divide,
            TessellatorDispatch::Add => add,
            TessellatorDispatch::Write => write,
        }
    }

    pub(crate) fn compile(
        &self,
        gpu: &Gpu,
        dispatch: TessellatorDispatch,
    ) -> Result<wgpu::ComputePipeline, PipelineRefusal> {
        let refusal = || PipelineRefusal::Limit(REFUSED.into());
        let _span = tracing::trace_span!("compile").entered();
        let module = self.module.get_or_init(|| self.key.module()).as_ref().ok_or_else(refusal)?;
        let entry_point = dispatch.entry_point();
        let make = || {
            let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(entry_point),
                source: shader_source(gpu, with_entry_point(module, entry_point)),
            });
            gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: None,
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: gpu.pipeline_cache.load().as_deref(),
            })
        };
        scoped(&gpu.device, make).map_err(|_| refusal())
    }
}

const REFUSED: &str = "draws of patches are skipped: the adapter cannot run the tessellator";

/// Returns a module with one entry point and the functions that it calls, because compilers translate all functions of a
/// module before they drop the unused ones.
fn with_entry_point(module: &naga::Module, name: &str) -> naga::Module {
    let mut module = module.clone();
    module.entry_points.retain(|entry_point| entry_point.name == name);
    naga::compact::compact(&mut module, naga::compact::KeepUnused::No);
    module
}

/// The compiled pipelines of a tessellator, in the order of their dispatches.
#[derive(Clone, Debug)]
pub(crate) struct TessellatorPipelines {
    pub(crate) divide: wgpu::ComputePipeline,
    pub(crate) add: wgpu::ComputePipeline,
    pub(crate) write: wgpu::ComputePipeline,
}
