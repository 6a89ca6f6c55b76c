// The points of an edge.

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
