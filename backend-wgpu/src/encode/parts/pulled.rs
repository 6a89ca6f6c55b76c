//! Vertex pulling: the bind group layout of the vertex buffers that the vertex shader reads itself, and the
//! plan of a pipeline.

use std::sync::Arc;

use onze_ddi::ShaderStage;

use crate::{
    encode::parts::{
        hash::Slab,
        layouts::{GroupLayout, SharedStore},
        pipeline_plan::PipelinePlan,
        ranges::VERTEX_SLOTS,
        state::DrawState,
    },
    objects::{
        shader::{
            Expansion, PullConstants, PullSpace, PulledElement, PulledIndices, PulledSlot, Shader,
            StageBindingCounts, VertexPull, buffer_count,
        },
        state::StepRate,
    },
    record::page::InstancedDraw,
    services::gpu::Gpu,
};

/// The index of each slot's storage buffer, with [`ALIGNED`] if the vertices begin at multiples of 4 bytes, or
/// [`NO_BUFFER`] for slots that are empty or not used.
pub(crate) type PulledBuffers = [u8; VERTEX_SLOTS];

/// The bind groups of pulled vertex buffers in a run.
pub(crate) type PulledGroups = Slab<Box<[u64]>, wgpu::BindGroup>;

/// The source of a pulled slot.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum PulledSource {
    /// A vertex-buffer slot of Direct3D 11.
    Vertices(usize),
    /// The indices of a draw with a geometry shader.
    Indices,
    /// The stored vertices of a draw with a geometry shader, or the stored patches of a tessellated draw.
    Stored,
}

/// The origin of the vertices of a draw with a geometry shader.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum GeometryInput {
    /// The draw has no indices.
    Vertices,
    /// The bound index buffer.
    Indices {
        /// Whether indices have 32 bits instead of 16.
        wide: bool,
    },
    /// A list that was gathered from the indices of a strip.
    Gathered,
    /// The corners of stored patches.
    Corners,
}

impl GeometryInput {
    /// Returns the numbers of a draw that begins at the first expanded vertex.
    pub(crate) const fn whole(self, args: &InstancedDraw, primitives: u32) -> PulledDraw {
        let (start, first_index) = match self {
            Self::Vertices | Self::Corners => (args.start, 0),
            Self::Indices { .. } => (args.base_vertex as u32, args.start),
            // The gathered list begins with the first index of the draw.
            Self::Gathered => (args.base_vertex as u32, 0),
        };
        PulledDraw { starts: [start, args.start_instance], primitives: [primitives, 0], first_index }
    }
}

/// The properties of a pipeline with a geometry shader, besides its shaders.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct GeometrySetting {
    pub(crate) input: GeometryInput,
    /// The arguments of the draw are in a buffer.
    pub(crate) is_indirect: bool,
    pub(crate) expansion: Expansion,
}

impl GeometrySetting {
    /// Returns the properties of a pipeline that draws stored vertices.
    pub(crate) const fn of_stored(expansion: Expansion) -> Self {
        Self { input: GeometryInput::Vertices, is_indirect: false, expansion }
    }
}

/// The numbers of a draw that the vertex stage reads if it pulls its vertices.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PulledDraw {
    /// The numbers of the first vertex and of the first instance.
    pub(crate) starts: [u32; 2],
    /// For a draw with a geometry shader, the number of input primitives and the number of the first one.
    pub(crate) primitives: [u32; 2],
    /// For a draw with a geometry shader and indices, the number of the first index.
    pub(crate) first_index: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct PulledFetch {
    pub(crate) layout: GroupLayout,
    /// The slots, in the order of the constants, and the storage buffer of each.
    pub(crate) slots: Arc<[(PulledSource, Option<u32>)]>,
    /// An element has a step rate, so the vertex shader needs the draw's start instance.
    pub(crate) has_step_rates: bool,
    pub(crate) reads_by_instance: bool,
}

impl PulledFetch {
    pub(crate) const fn layout(&self) -> &GroupLayout {
        &self.layout
    }

    pub(crate) fn buffers(&self) -> u32 {
        buffer_count(self.slots.iter().map(|(_, buffer)| *buffer))
    }
}

pub(crate) const NO_BUFFER: u8 = u8::MAX;

/// A bit in [`PulledBuffers`], which the index of a buffer does not reach.
pub(crate) const ALIGNED: u8 = 0x40;

/// The plan of a pipeline that pulls its vertices.
pub(crate) struct PullPlan {
    /// The changes of the vertex shader.
    pub(crate) code: VertexPull,
    /// The bind group.
    pub(crate) fetch: PulledFetch,
    /// The indices of a draw with a geometry shader.
    pub(crate) indices: Option<PulledIndices>,
}

/// Plans how a pipeline pulls the elements of the bound layout, or returns an error message if the adapter has
/// too few buffer bindings. With a geometry shader, the caller checks that.
pub(crate) fn plan_pull(
    gpu: &Gpu,
    shared: &SharedStore,
    state: &DrawState<'_>,
    vertex: &Shader,
    buffers: &PulledBuffers,
    geometry: Option<GeometryInput>,
    space: PullSpace,
    plan: PipelinePlan,
) -> Result<PullPlan, String> {
    let inputs = &vertex.code.reflection;
    let layout_slots = state.layout.iter().flat_map(|layout| &layout.slots);
    let (mut pull, mut slots) = (VertexPull { slots: Vec::new(), space }, Vec::new());
    for slot in layout_slots {
        let read = slot.elements.iter().filter(|element| inputs.input(element.location).is_some());
        let elements: Vec<_> = read
            .map(|element| PulledElement {
                location: element.location,
                format: element.format,
                offset: element.offset,
            })
            .collect();
        let at = slot.slot as usize;
        let buffer = buffers.get(at).copied().filter(|buffer| *buffer != NO_BUFFER);
        let is_aligned = buffer.is_some_and(|buffer| buffer & ALIGNED != 0);
        let buffer = buffer.map(|buffer| u32::from(buffer & !ALIGNED));
        slots.push((PulledSource::Vertices(at), buffer));
        pull.slots.push(PulledSlot { buffer, is_aligned, step: slot.step, elements });
    }
    let wide = match geometry {
        None | Some(GeometryInput::Vertices | GeometryInput::Corners) => None,
        Some(GeometryInput::Indices { wide }) => Some(wide),
        Some(GeometryInput::Gathered) => Some(true),
    };
    let are_gathered = geometry == Some(GeometryInput::Gathered);
    let indices = wide.map(|wide| {
        let buffer = pull.buffers();
        PulledIndices { slot: slots.len() as u32, buffer, wide, are_gathered }
    });
    if let Some(PulledIndices { buffer, .. }) = indices {
        slots.push((PulledSource::Indices, Some(buffer)));
        let (buffer, step, elements) = (Some(buffer), StepRate::Vertex, Vec::new());
        pull.slots.push(PulledSlot { buffer, is_aligned: true, step, elements });
    }
    let count = pull.buffers();
    if geometry.is_none() {
        check_pull(&gpu.limits, &vertex.bindings(), count)?;
    }
    let fetch = PulledFetch {
        layout: shared.pulled_layout(gpu, count, slots.len(), space, plan.visibility(ShaderStage::Vertex)),
        slots: slots.into(),
        has_step_rates: state.layout.is_some_and(|layout| layout.has_step_rates),
        reads_by_instance: state.layout.is_some_and(|layout| layout.reads_by_instance),
    };
    Ok(PullPlan { code: pull, fetch, indices })
}

/// Plans how a pipeline reads stored vertices or patches instead of the elements of a layout.
pub(crate) fn plan_stored(
    gpu: &Gpu,
    shared: &SharedStore,
    space: PullSpace,
    visibility: wgpu::ShaderStages,
) -> PullPlan {
    let (buffer, step, elements) = (Some(0), StepRate::Vertex, Vec::new());
    let slots = vec![PulledSlot { buffer, is_aligned: true, step, elements }];
    let fetch = PulledFetch {
        layout: shared.pulled_layout(gpu, 1, 1, space, visibility),
        slots: [(PulledSource::Stored, buffer)].into(),
        has_step_rates: false,
        reads_by_instance: false,
    };
    PullPlan { code: VertexPull { slots, space }, fetch, indices: None }
}

/// Checks that the adapter has enough buffer bindings for the pulled buffers and those of the shader.
pub(crate) fn check_pull(limits: &wgpu::Limits, own: &StageBindingCounts, pulled: u32) -> Result<(), String> {
    // The constants of the bind group are in a storage buffer as well.
    let needed = pulled + 1;
    let all = own.constants + own.driver_constants + own.buffers;
    for (own, most) in [
        (own.buffers, limits.max_storage_buffers_per_shader_stage),
        (all, limits.max_buffers_and_acceleration_structures_per_shader_stage),
    ] {
        if own + needed > most {
            return Err(format!(
                "the vertex shader has to read {pulled} vertex buffers as storage buffers, for which it needs one more, \
                 beside {own} of its own, and the adapter has {most}; use strides and offsets that are multiples of 4, \
                 formats and step rates that wgpu has, fewer vertex buffers, or one buffer for several slots"
            ));
        }
    }
    Ok(())
}

impl SharedStore {
    fn pulled_layout(
        &self,
        gpu: &Gpu,
        buffers: u32,
        slots: usize,
        space: PullSpace,
        visibility: wgpu::ShaderStages,
    ) -> GroupLayout {
        let entry = |binding, ty, bytes: usize| wgpu::BindGroupLayoutEntry {
            binding,
            visibility,
            ty: wgpu::BindingType::Buffer {
                ty,
                has_dynamic_offset: false,
                min_binding_size: std::num::NonZeroU64::new(bytes as u64),
            },
            count: None,
        };
        let words = wgpu::BufferBindingType::Storage { read_only: true };
        // Records contain the constants of their draws.
        let has_constants = space != PullSpace::Record;
        let constants = has_constants.then(|| entry(0, space.binding(), PullConstants::bytes(slots)));
        let buffers = (1..=buffers).map(|binding| entry(binding, words, size_of::<u32>()));
        let entries = constants.into_iter().chain(buffers).collect();
        self.group(gpu, entries, Default::default(), None)
    }
}
