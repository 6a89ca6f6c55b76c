// Points as primitives.

fn corner(factors: Factors, n: u32) -> u32 {
    return n;
}

fn write_corners(factors: Factors, thread: u32, threads: u32) {
    let count = point_count(factors);
    for (var n = thread; n < count; n += threads) {
        store_corner(n, n);
    }
}
