// The dispatch that writes the indices of patches. The functions of the tessellator precede this text.

const NUMBERS_OF_PATCH = 8192u;

// The patch whose corners are written, and the position of its first index.
var<private> written_patch: u32;
var<private> first_index: u32;

fn store_corner(n: u32, point: u32) {
    patches[first_index + n] = written_patch * NUMBERS_OF_PATCH + point;
}

fn factors_of(number: u32) -> Factors {
    let at = division(number);
    return Factors(
        vec4(patches[at], patches[at + 1u], patches[at + 2u], patches[at + 3u]),
        vec2(patches[at + 4u], patches[at + 5u])
    );
}

// Writes the indices of all patches for which there is room. A workgroup writes one patch after the other.
@compute @workgroup_size(64)
fn write_indices(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    for (var number = group.x; number < patches[4]; number += groups.x) {
        written_patch = number;
        first_index = params.indices + patches[division(number) + CORNERS];
        write_corners(factors_of(number), thread, 64u);
    }
}
