//! The primitives that geometry shaders and stream output read: their origin, and those of strips and of indirect
//! draws, which dispatches find before the draw.

use onze_ddi::{InputPrimitive, PrimitiveTopology};

use crate::encode::{
    emulate::gather::{Gathering, IndexSource},
    emulate_hooks::ByteCopies,
    encoder::Encoder,
    own_pipelines::OwnCompute,
    parts::{accesses::AccessRange, pulled::GeometryInput, ranges::BufferRange},
};

impl Encoder<'_> {
    /// Returns the origin of the vertices of the next draw.
    pub(super) fn geometry_input(&self, indexed: bool) -> GeometryInput {
        match indexed {
            _ if self.patches.is_some() => GeometryInput::Corners,
            true if self.state.topology.is_strip() => GeometryInput::Gathered,
            true => GeometryInput::Indices { wide: self.state.index.wide },
            false => GeometryInput::Vertices,
        }
    }

    /// Returns whether the next draw has indices of a strip, which are gathered into a list.
    pub(super) fn gathers(&self) -> bool {
        self.state.geometry.is_some_and(|setting| setting.input == GeometryInput::Gathered)
    }

    /// Gathers the primitives of an indexed strip into a list of indices.
    pub(super) fn gather_strips(
        &mut self,
        source: &IndexSource<'_>,
        input: InputPrimitive,
    ) -> Option<wgpu::Buffer> {
        let topology = self.state.topology;
        let is_triangles = matches!(input, InputPrimitive::Triangle | InputPrimitive::TriangleAdjacency);
        let is_plain = matches!(input, InputPrimitive::Line | InputPrimitive::Triangle);
        let kind = u32::from(is_triangles) + if topology.has_adjacency() { 2 } else { 0 };
        self.gather(source, &Gathering {
            shader: OwnCompute::GatherStrips,
            params: &[kind, is_plain.into()],
            groups: 1,
            words: source.most * u64::from(input.vertex_count()),
            also_writes: None,
            lost: "draws of strips with indices and a geometry shader are skipped: the adapter has no compute shaders; \
                   draw without indices, or draw lists",
            too_many: "a draw is skipped: its strips have too many indices for a geometry shader; draw them in parts, from \
                       a smaller index buffer",
        })
    }

    /// Expands the arguments of an indirect draw in the prologue, or ends the pass. Also writes them into the
    /// constants of pulled vertices.
    pub(super) fn expand_arguments(
        &mut self,
        arguments: BufferRange<'_>,
        constants: &wgpu::Buffer,
        mut parameters: [u32; 6],
    ) -> Option<wgpu::Buffer> {
        let pipeline = self.own_compute(
            OwnCompute::ExpandArguments,
            "indirect draws with a geometry shader are skipped: the adapter has no compute shaders; draw without a buffer \
             of arguments",
        )?;
        [parameters[1], parameters[2]] = assembly_steps(self.state.topology);
        let BufferRange { buffer, id, offset, size } = arguments;
        let place = self.place(&[AccessRange::bytes(id, offset, size)], &[]);
        let read = self.temporary(size_of::<[u32; 5]>() as u64, wgpu::BufferUsages::STORAGE);
        self.copy_bytes(place, (buffer, offset), (&read, 0), size);
        let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::INDIRECT;
        let expanded = self.temporary(size_of::<[u32; 4]>() as u64, usage);
        let parameters = self.parameters(&parameters);
        let bindings = [&parameters, &read, constants, &expanded].map(|buffer| buffer.as_entire_binding());
        self.run_own_groups(place, pipeline, &bindings, [1, 1]);
        Some(expanded)
    }
}

/// Returns the number of vertices of the first primitive of a topology, and the number of further vertices of
/// each other primitive.
pub(super) const fn assembly_steps(topology: PrimitiveTopology) -> [u32; 2] {
    let mut first = 1;
    while topology.primitive_count(first) == 0 && first < 64 {
        first += 1;
    }
    let mut step = 1;
    while topology.primitive_count(first + step) == 1 && step < 64 {
        step += 1;
    }
    [first, step]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_topology_has_its_steps() {
        use PrimitiveTopology as T;
        for topology in (1..=64).filter_map(T::from_u32) {
            let [first, step] = assembly_steps(topology);
            for vertices in 0..100 {
                let count = if vertices < first { 0 } else { (vertices - first) / step + 1 };
                assert_eq!(topology.primitive_count(vertices), count, "{topology:?}, {vertices} vertices");
            }
        }
    }
}
