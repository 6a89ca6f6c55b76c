//! The pipelines of the tessellator, which run no shader of the application.

use onze_ddi::HullProgram;

use crate::{
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

    pub(super) fn compile(self, gpu: &Gpu) -> Option<TessellatorPipelines> {
        let text = format!(
            "const EDGES = {}u;\nconst INSIDE = {}u;\n{}{}",
            self.domain.edge_factors(),
            self.domain.inside_factors(),
            tessellator_text(self.domain, self.partitioning, self.output),
            include_str!("tessellation.wgsl")
        );
        let parsed = naga::front::wgsl::parse_str(&text);
        debug_assert!(parsed.is_ok(), "{parsed:?}");
        let parsed = parsed.ok()?;
        let pipeline = |entry_point| {
            let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(entry_point),
                source: shader_source(gpu, with_entry_point(&parsed, entry_point)),
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
        let make = || TessellatorPipelines {
            divide: pipeline("divide"),
            add: pipeline("add"),
            write: pipeline("write"),
        };
        scoped(&gpu.device, make).ok()
    }
}

/// Returns a module with one entry point and the functions that it calls, because compilers translate all functions of a
/// module before they drop the unused ones.
fn with_entry_point(module: &naga::Module, name: &str) -> naga::Module {
    let mut module = module.clone();
    module.entry_points.retain(|entry_point| entry_point.name == name);
    naga::compact::compact(&mut module, naga::compact::KeepUnused::No);
    module
}

/// The dispatches of the tessellator, in their order.
#[derive(Clone, Debug)]
pub(crate) struct TessellatorPipelines {
    /// Divides each patch.
    pub(crate) divide: wgpu::ComputePipeline,
    /// Adds the numbers of corners, and writes the header.
    pub(crate) add: wgpu::ComputePipeline,
    /// Writes the indices.
    pub(crate) write: wgpu::ComputePipeline,
}
