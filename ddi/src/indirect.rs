//! The arguments of indirect draws and dispatches, as they lie in a buffer.
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

/// Arguments of `draw_instanced_indirect`. D3D11: `D3D11_DRAW_INSTANCED_INDIRECT_ARGS`.
#[doc(alias = "D3D11_DRAW_INSTANCED_INDIRECT_ARGS")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct DrawInstancedIndirectArgs {
    /// Vertices of an instance.
    pub vertex_count_per_instance: u32,
    /// Instances.
    pub instance_count: u32,
    /// First vertex. `SV_VertexID` does not include it.
    pub start_vertex_location: u32,
    /// First instance of what is read by instance. `SV_InstanceID` does not include it.
    pub start_instance_location: u32,
}

/// Arguments of `draw_indexed_instanced_indirect`. D3D11: `D3D11_DRAW_INDEXED_INSTANCED_INDIRECT_ARGS`.
#[doc(alias = "D3D11_DRAW_INDEXED_INSTANCED_INDIRECT_ARGS")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct DrawIndexedInstancedIndirectArgs {
    /// Indices of an instance.
    pub index_count_per_instance: u32,
    /// Instances.
    pub instance_count: u32,
    /// First index.
    pub start_index_location: u32,
    /// Added to each index. `SV_VertexID` does not include it.
    pub base_vertex_location: i32,
    /// First instance of what is read by instance. `SV_InstanceID` does not include it.
    pub start_instance_location: u32,
}

/// Arguments of `dispatch_indirect`: groups of threads in each dimension, at most 65,535. Direct3D 11 has no name for
/// them.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct DispatchIndirectArgs {
    /// Groups in x.
    pub x: u32,
    /// Groups in y.
    pub y: u32,
    /// Groups in z.
    pub z: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// GPUs read them in these places.
    #[test]
    fn arguments_lie_as_direct3d_has_them() {
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
