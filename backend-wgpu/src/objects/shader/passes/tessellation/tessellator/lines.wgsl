// Lines as primitives.

fn corner(factors: Factors, n: u32) -> u32 {
    // Each line has a point more than segments.
    let segment = n >> 1u;
    return segment + quotient(segment, segments_of(factors.edges.y)) + (n & 1u);
}

fn write_corners(factors: Factors, thread: u32, threads: u32) {
    let count = corner_count(factors);
    for (var n = thread; n < count; n += threads) {
        store_corner(n, corner(factors, n));
    }
}
