//! The pipelines of the tessellator, which run no shader of the application.

use std::sync::Arc;

use onze_ddi::HullProgram;

use crate::{
    encode::parts::stored_pipelines::{PipelineRefusal, StoredPipeline},
    objects::shader::{STREAM, TessellatorPart, shader_source, tessellator_text},
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

    /// Returns the source of a dispatch.
    pub(super) fn source(self, dispatch: TessellatorDispatch) -> String {
        let functions = |part| tessellator_text(self.domain, self.partitioning, self.output, &[part]);
        let memory = [STREAM, include_str!("stream_numbers.wgsl"), include_str!("patches.wgsl")].concat();
        match dispatch {
            TessellatorDispatch::Divide => {
                functions(TessellatorPart::Factors) + &memory + include_str!("divide.wgsl")
            }
            TessellatorDispatch::Add => memory + include_str!("add.wgsl"),
            TessellatorDispatch::Write => {
                functions(TessellatorPart::Corners) + &memory + include_str!("write.wgsl")
            }
        }
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

    pub(super) const fn entry_point(self) -> &'static str {
        match self {
            Self::Divide => "divide",
            Self::Add => "add",
            Self::Write => "write_indices",
        }
    }
}

/// The pipelines of a tessellator, some of them perhaps still compiling.
#[derive(Debug)]
pub(crate) struct StoredTessellator {
    key: TessellatorKey,
    pipelines: [Arc<StoredPipeline<wgpu::ComputePipeline>>; TessellatorDispatch::ALL.len()],
}

impl StoredTessellator {
    pub(super) fn new(key: TessellatorKey) -> Self {
        let pipelines = TessellatorDispatch::ALL.map(|_| Arc::new(StoredPipeline::new(true)));
        Self { key, pipelines }
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
        let parsed = naga::front::wgsl::parse_str(&self.key.source(dispatch));
        debug_assert!(parsed.is_ok(), "{parsed:?}");
        let mut module = parsed.map_err(|_| refusal())?;
        // Compilers translate all functions of a module before they drop the unused ones.
        naga::compact::compact(&mut module, naga::compact::KeepUnused::No);
        let entry_point = dispatch.entry_point();
        let make = move || {
            let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(entry_point),
                source: shader_source(gpu, module),
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

/// The compiled pipelines of a tessellator, in the order of their dispatches.
#[derive(Clone, Debug)]
pub(crate) struct TessellatorPipelines {
    pub(crate) divide: wgpu::ComputePipeline,
    pub(crate) add: wgpu::ComputePipeline,
    pub(crate) write: wgpu::ComputePipeline,
}
