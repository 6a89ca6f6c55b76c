//! The part of a recipe that describes a geometry shader, which runs in the vertex stage.

use std::sync::Arc;

use onze_ddi::{GeometryProgram, OutputValue, PrimitiveTopology, ShaderStage};

use crate::{
    encode::parts::{
        bindings::Bindings,
        pipelines::PipelineKey,
        pulled::{GeometryInput, GeometrySetting, PullPlan},
        vertex_end::VertexEnd,
    },
    objects::shader::{
        Assembly, GeometryStage, PrimitiveNumber, PullSpace, PulledIndices, Shader, Specialization,
        StageBindingCounts, free_register, gathered_topology, geometry_program, list_topology,
        reads_primitive,
    },
};

/// The geometry shader of a pipeline.
#[derive(Copy, Clone)]
pub(super) struct PipelineGeometry<'a> {
    pub(super) shader: &'a Shader,
    program: &'a GeometryProgram,
    setting: GeometrySetting,
}

impl<'a> PipelineGeometry<'a> {
    /// Returns the geometry shader of a key, if it has one.
    pub(super) fn new(key: &PipelineKey, bindings: &Bindings<'a>) -> Option<Self> {
        let (setting, shader) = key.setting.geometry.zip(bindings.shader(ShaderStage::Geometry))?;
        Some(Self { shader, program: geometry_program(&shader.code)?, setting })
    }

    /// Returns the topology in which wgpu draws.
    pub(super) fn topology(&self) -> PrimitiveTopology {
        list_topology(self.program)
    }

    pub(super) const fn input(&self) -> GeometryInput {
        self.setting.input
    }

    /// Returns whether the vertex stage loads stored vertices.
    pub(super) const fn is_stored(&self) -> bool {
        self.setting.expansion.is_stored
    }

    /// Returns the numbers of bindings of both shaders, and of the driver's constants other than those of pulled
    /// vertices. `driver_blocks` is the number of blocks of driver constants.
    fn bindings(&self, vertex: &Shader, driver_blocks: u32, end: VertexEnd) -> StageBindingCounts {
        let own = vertex.bindings().plus(&self.shader.bindings());
        let driver = u32::from(end.is_fitted) + u32::from(end.selects) + driver_blocks;
        StageBindingCounts { constants: own.constants + driver, driver_constants: 0, ..own }
    }

    /// Returns the address space of the constants of pulled vertices.
    pub(super) fn pull_space(&self, vertex: &Shader, driver_blocks: u32, end: VertexEnd) -> PullSpace {
        PullSpace::of_draw(!self.setting.is_indirect, self.bindings(vertex, driver_blocks, end).constants)
    }

    /// Checks that the vertex stage has room for the bindings of both shaders and of the driver.
    /// `driver_blocks` is the number of blocks of driver constants.
    pub(super) fn check(
        &self,
        limits: &wgpu::Limits,
        vertex: &Shader,
        plan: &PullPlan,
        driver_blocks: u32,
        end: VertexEnd,
    ) -> Result<(), String> {
        let own = self.bindings(vertex, driver_blocks, end);
        let all = StageBindingCounts { buffers: own.buffers + plan.fetch.buffers(), ..own };
        all.plus(&plan.code.space.bindings()).check(
            "the vertex shader and the geometry shader, which share a stage of the GPU, together use with the vertex and \
             index buffers",
            limits,
        )
    }

    /// Returns the source of `SV_PrimitiveID` in the pixel shader, or an error message if it needs a register
    /// and none is left.
    pub(super) fn primitive_number(
        &self,
        limits: &wgpu::Limits,
        pixel: &Shader,
    ) -> Result<PrimitiveNumber, &'static str> {
        let own = &self.shader.code.reflection;
        if !reads_primitive(&pixel.code.module) {
            return Ok(PrimitiveNumber::OfRasterizer);
        }
        if !OutputValue::PrimitiveId.is_in(own) {
            return Ok(PrimitiveNumber::Zero);
        }
        free_register(limits, own, &pixel.code.reflection).map(PrimitiveNumber::At).ok_or(
            "the pixel shader reads SV_PrimitiveID, for which the driver needs a register between the geometry shader and \
             the pixel shader, and the shaders use all of them; pack what the geometry shader gives",
        )
    }

    /// Returns the part of the vertex shader's key. `key` is that of the geometry shader itself.
    pub(super) fn stage(
        &self,
        topology: PrimitiveTopology,
        indices: Option<PulledIndices>,
        primitive: PrimitiveNumber,
        key: Specialization,
    ) -> Arc<GeometryStage> {
        let topology = match self.setting.input {
            GeometryInput::Gathered => gathered_topology(self.program.input),
            GeometryInput::Vertices | GeometryInput::Indices { .. } | GeometryInput::Corners => topology,
        };
        Arc::new(GeometryStage {
            id: self.shader.id.get(),
            code: self.shader.code.clone(),
            key,
            assembly: Assembly {
                topology,
                indices,
                is_tessellated: self.setting.input == GeometryInput::Corners,
            },
            primitive_location: primitive.location(),
            expansion: self.setting.expansion,
        })
    }
}
