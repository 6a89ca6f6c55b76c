// The conversion of tessellation factors to the words of edges. The user of the text declares the functions that access
// factors and words.

const NO_SPLIT = 63u;
const INFINITY = 0x7f800000u;

// Returns whether a factor of the outside culls the patch: not a number, negative or zero.
fn culls(factor: f32) -> bool {
    let bits = bitcast<u32>(factor);
    return (bits == 0u) | (bits > INFINITY);
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
    // An integer is rounded up. Other factors are rounded to the nearest number, and to an even one if two are equally
    // near.
    let shift = select(7u, 23u, is_integer) - exponent;
    let up = (1u << shift) - 1u;
    let nearest = (1u << (shift - 1u)) - 1u + ((mantissa >> shift) & 1u);
    return ((mantissa + select(nearest, up, is_integer)) >> shift) << select(0u, 16u, is_integer);
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
    // The point that the edge has gained since the last whole number, counted in the order of insertion.
    let inserted = half_points - 1u - odd;
    let top = 1u << firstLeadingBit(max(inserted, 1u));
    let gained = select(2u * (inserted - top) + 1u, 0u, inserted == 0u);
    let split = select(NO_SPLIT, gained, fraction != 0u);
    return fraction | (segments << 16u) | (split << 23u);
}
