// The domain of lines. `edges.x` is the edge across the lines, and `edges.y` the edge along each line.

fn process_factors(edges: vec4<f32>, inside: vec2<f32>) -> Factors {
    if culls(edges.x) || culls(edges.y) {
        return Factors();
    }
    // The number of lines is an integer in all modes, from 1 to 64.
    let density = rounded_factor(edges.x, 0x3f800000u, 0x42800000u, true);
    let lines = edge_word(density, (density & ONE) != 0u);
    return Factors(vec4(lines, outside_word(processed_factor(edges.y)), 0u, 0u), vec2(0u));
}

fn point_count(factors: Factors) -> u32 {
    return segments_of(factors.edges.x) * (segments_of(factors.edges.y) + 1u);
}

fn point(factors: Factors, number: u32) -> vec2<u32> {
    let points = segments_of(factors.edges.y) + 1u;
    let line = quotient(number, points);
    return vec2(place(factors.edges.y, number - line * points), place(factors.edges.x, line));
}
