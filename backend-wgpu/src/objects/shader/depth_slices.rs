//! The functions of a 3D texture that is written through a view of some of its depth slices. wgpu binds all of them, so
//! the functions add the first one to each place, and reach none beyond the last. The [driver
//! constants](super::driver_constants) have both.

use naga::StorageAccess;
use onze_ddi::ScalarKind;

use super::{
    driver_constants::{COUNT_VECTORS, CountSlot},
    rows::{accesses, storage_variable},
};

/// The functions, for the declared kind and that of the view. The format is declared by the caller.
pub(super) fn text(kinds: (ScalarKind, ScalarKind), access: StorageAccess, count: CountSlot) -> String {
    let first = count.first_byte();
    let variable = storage_variable("3d", kinds.1, access);
    let accesses = accesses("at + vec3<u32>(0u, 0u, first())", kinds, access);
    format!(
        "
        struct DriverConstants {{ counts: array<vec4<u32>, {COUNT_VECTORS}> }}
        @group(0) @binding(0) var<uniform> driver_constants: DriverConstants;
        {variable}
        fn slices() -> u32 {{ return driver_constants.counts[{}][{}]; }}
        fn first() -> u32 {{ return driver_constants.counts[{}][{}]; }}
        fn elements() -> vec3<u32> {{ return vec3<u32>(textureDimensions(words).xy, slices()); }}
        fn is_there(at: vec3<u32>) -> bool {{ return at.z < slices(); }}
        {}",
        count.vector(),
        count.component(),
        first.vector(),
        first.component(),
        accesses.replace("PLACE", "vec3<u32>")
    )
}
