//! The arguments of indirect draws and dispatches, with the memory layout that the GPU reads from a buffer.
//!
//! ```
//! use onze_ddi::DrawInstancedIndirectArgs;
//!
//! let args = DrawInstancedIndirectArgs {
//!     vertex_count_per_instance: 6,
//!     instance_count: 1000,
//!     ..Default::default()
//! };
//! let words: [u32; 4] = bytemuck::cast(args);
//! assert_eq!(words, [6, 1000, 0, 0]);
//! ```

use bytemuck::{Pod, Zeroable};

/// Arguments of `draw_instanced_indirect` (D3D11: `D3D11_DRAW_INSTANCED_INDIRECT_ARGS`).
#[doc(alias = "D3D11_DRAW_INSTANCED_INDIRECT_ARGS")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct DrawInstancedIndirectArgs {
    /// Number of vertices to draw for each instance, possibly 0.
    pub vertex_count_per_instance: u32,
    /// Number of instances to draw, possibly 0.
    pub instance_count: u32,
    /// Index of the first vertex, although `SV_VertexID` counts from 0.
    pub start_vertex_location: u32,
    /// First instance for per-instance elements, but `SV_InstanceID` counts from 0.
    pub start_instance_location: u32,
}

/// Arguments of `draw_indexed_instanced_indirect` (D3D11: `D3D11_DRAW_INDEXED_INSTANCED_INDIRECT_ARGS`).
#[doc(alias = "D3D11_DRAW_INDEXED_INSTANCED_INDIRECT_ARGS")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct DrawIndexedInstancedIndirectArgs {
    /// Number of indices to draw for each instance, possibly 0.
    pub index_count_per_instance: u32,
    /// Number of instances to draw, possibly 0.
    pub instance_count: u32,
    /// First index, counted from the offset of the bound index buffer.
    pub start_index_location: u32,
    /// Value added to each index, but not to `SV_VertexID`.
    pub base_vertex_location: i32,
    /// First instance for per-instance elements, but `SV_InstanceID` counts from 0.
    pub start_instance_location: u32,
}

/// Arguments of `dispatch_indirect`: the number of thread groups in each dimension, a structure without a
/// name in Direct3D 11.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct DispatchIndirectArgs {
    /// Number of thread groups in x, at most 65,535.
    pub x: u32,
    /// Number of thread groups in y, at most 65,535.
    pub y: u32,
    /// Number of thread groups in z, at most 65,535.
    pub z: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D3D11 defines the offsets at which GPUs read the arguments.
    #[test]
    fn arguments_have_the_layout_of_direct3d() {
        let draw = DrawInstancedIndirectArgs {
            vertex_count_per_instance: 1,
            instance_count: 2,
            start_vertex_location: 3,
            start_instance_location: 4,
        };
        assert_eq!(bytemuck::cast::<_, [u32; 4]>(draw), [1, 2, 3, 4]);
        let indexed = DrawIndexedInstancedIndirectArgs {
            index_count_per_instance: 1,
            instance_count: 2,
            start_index_location: 3,
            base_vertex_location: -4,
            start_instance_location: 5,
        };
        assert_eq!(bytemuck::cast::<_, [i32; 5]>(indexed), [1, 2, 3, -4, 5]);
        assert_eq!(bytemuck::cast::<_, [u32; 3]>(DispatchIndirectArgs { x: 1, y: 2, z: 3 }), [1, 2, 3]);
    }
}
