// The points of lines.

fn point(factors: Factors, number: u32) -> vec2<u32> {
    let points = segments_of(factors.edges.y) + 1u;
    let line = quotient(number, points);
    return vec2(place(factors.edges.y, number - line * points), place(factors.edges.x, line));
}
