// The memory of the tessellator's dispatches, which follow those that store control points and patch constants. Each
// dispatch has its own text, which follows this one.

struct Params {
    // Number of draws.
    draws: u32,
    // Positions of the parts, in words from the header, and that of the header in the buffer.
    points: u32,
    constants: u32,
    divisions: u32,
    indices: u32,
    header: u32,
    // Number of words of the patch constants.
    constant_words: u32,
    // Number of indices for which there is room.
    room: u32,
    // The bits of the maximum factor.
    most: u32,
    // The segment of queries that receives the numbers of patches and domain points, or NONE.
    segment: u32,
    // Number of factors of a patch.
    factors: u32,
}

// A draw, whose patches follow those of the draw before it. The last one is not drawn, and begins after all patches.
struct Draw {
    // Number of its first patch, of all that are stored.
    first: u32,
    // Number of that patch in the draw, which is drawn in parts if it is large.
    first_of_draw: u32,
    // Number of patches in each instance, or 0 if only the GPU knows it.
    of_instance: u32,
    unused: u32,
}

const NONE = 0xffffffffu;

@group(0) @binding(0) var<uniform> params: Params;
// The numbers of the dispatch that has stored the patch constants, one patch in each invocation.
@group(0) @binding(1) var<storage, read> numbers: Numbers;
@group(0) @binding(2) var<storage, read_write> patches: array<u32>;
@group(0) @binding(3) var<storage, read_write> segments: array<u32>;
@group(0) @binding(4) var<storage> draws: array<Draw>;

// A division: the factors, the number of corners, and the number of the patch in the instance of its draw. The first
// dispatch stores the number of corners in the low bits and the number of points in the high bits. The second dispatch
// turns them into the number of corners of all patches before it. A division without a patch follows the last one.
const DIVISION = 8u;
const CORNERS = 6u;

fn division(number: u32) -> u32 {
    return params.divisions + number * DIVISION;
}
