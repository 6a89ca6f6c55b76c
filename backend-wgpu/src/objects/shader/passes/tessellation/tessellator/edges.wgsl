// The edges of patches.
//
// Coordinates and factors have 16 bits after the binary point. All arithmetic is that of 32-bit integers, except two
// quotients and a square root whose errors cannot change the integers that are derived from them.

// The edges of a patch, one word each. `edges.x` is 0 if the patch is culled.
//
// | bits | field |
// | --- | --- |
// | 0 to 15 | fraction of half the factor |
// | 16 to 22 | number of segments |
// | 23 to 28 | split: number of the last point that has the same number with two segments less |
//
// An edge with a fraction is between two states: the points move from their places in the state with two segments less
// to those in the state with all segments. If all factors are 1, the inside has 1 segment, otherwise at least 2.
struct Factors {
    edges: vec4<u32>,
    inside: vec2<u32>,
}

const ONE = 65536u;

fn segments_of(word: u32) -> u32 {
    return (word >> 16u) & 127u;
}
