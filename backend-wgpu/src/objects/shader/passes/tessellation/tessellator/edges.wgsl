// Tessellation factors, and the points of an edge that has a factor.
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
const NO_SPLIT = 63u;
const INFINITY = 0x7f800000u;

// Returns whether a factor of the outside culls the patch: not a number, negative or zero.
fn culls(factor: f32) -> bool {
    let bits = bitcast<u32>(factor);
    return bits == 0u || bits > INFINITY;
}

// Limits a factor to two floats, given by their bits, and rounds it. A factor that is not a number becomes `low`.
//
// Positive floats have the order of their bits. Negative floats and those that are not numbers have larger bits.
fn rounded_factor(factor: f32, low: u32, high: u32, is_integer: bool) -> u32 {
    let bits = bitcast<u32>(factor);
    let limited = select(clamp(bits, low, high), low, bits > INFINITY);
    // From 0 to 6.
    let exponent = (limited >> 23u) - 127u;
    let mantissa = (limited & 0x7fffffu) | 0x800000u;
    if is_integer {
        let unit = 23u - exponent;
        return ((mantissa + (1u << unit) - 1u) >> unit) << 16u;
    }
    // To the nearest, and to an even number if two are equally near.
    let shift = 7u - exponent;
    return (mantissa + (1u << (shift - 1u)) - 1u + ((mantissa >> shift) & 1u)) >> shift;
}

fn processed_factor(factor: f32) -> u32 {
    return rounded_factor(factor, LOWEST_FACTOR, HIGHEST_FACTOR, IS_INTEGER);
}

// Returns the word of an edge with a factor in fixed point.
fn edge_word(factor: u32, is_odd: bool) -> u32 {
    let odd = select(0u, 1u, is_odd);
    var half = ((factor + 1u) >> 1u) + odd * 0x8000u;
    // An even edge has at least two segments.
    half = max(half, ONE);
    let fraction = half & 0xffffu;
    let half_points = (half + 0xffffu) >> 16u;
    let segments = 2u * half_points - odd;
    var split = NO_SPLIT;
    if fraction != 0u {
        // The point that the edge has gained since the last whole number, counted in the order of insertion.
        let inserted = half_points - 1u - odd;
        let top = 1u << firstLeadingBit(max(inserted, 1u));
        split = select(2u * (inserted - top) + 1u, 0u, inserted == 0u);
    }
    return fraction | (segments << 16u) | (split << 23u);
}

fn outside_word(factor: u32) -> u32 {
    return edge_word(factor, select(IS_ODD, (factor & ONE) != 0u, IS_INTEGER));
}

fn inside_word(factor: u32) -> u32 {
    return edge_word(factor, select(IS_ODD, (factor & ONE) != 0u && factor != ONE, IS_INTEGER));
}

fn segments_of(word: u32) -> u32 {
    return (word >> 16u) & 127u;
}

// Returns 65536 / n, rounded, if n is from 1 to 64. The quotient is at least 1 / (2n) from the middle of two integers,
// which is more than the error of the division.
fn reciprocal(n: u32) -> u32 {
    return u32(65536.0 / f32(n) + 0.5);
}

// Returns the coordinate of a point on its edge.
fn place(word: u32, number: u32) -> u32 {
    let segments = segments_of(word);
    let fraction = word & 0xffffu;
    let split = word >> 23u;
    let fewer = segments - select(0u, 2u, fraction != 0u);
    // The second half of the edge mirrors the first.
    let from_end = min(number, segments - number);
    let before = from_end - select(0u, 1u, from_end > split);
    let start = before * reciprocal(fewer) * (ONE - fraction);
    let end = from_end * reciprocal(segments) * fraction;
    let near = (start + end + 0x8000u) >> 16u;
    let is_middle = 2u * number == segments;
    return select(select(near, ONE - near, 2u * number > segments), 0x8000u, is_middle);
}

// Returns a / b, rounded down, if a is below 2^16 and b below 2^8, so that the error is less than half of 1 / b.
fn quotient(a: u32, b: u32) -> u32 {
    return u32((f32(a) + 0.5) / f32(b));
}
