// The domain of lines. `edges.x` is the edge across the lines, and `edges.y` the edge along each line.

// Returns a / b, rounded down, if a is below 2^16 and b below 2^8, so that the error is less than half of 1 / b.
fn quotient(a: u32, b: u32) -> u32 {
    return u32((f32(a) + 0.5) / f32(b));
}

fn point_count(factors: Factors) -> u32 {
    return segments_of(factors.edges.x) * (segments_of(factors.edges.y) + 1u);
}
