// The rows of triangles of the triangular domain.

// Returns the points of a triangle.
fn triangle(factors: Factors, number: u32) -> vec3<u32> {
    let outside = outside_segments(factors);
    let inside = segments_of(factors.inside.x);
    let rings = inside / 2u;
    let of_outside = outside.x + outside.y + outside.z;
    let of_edges = of_outside + 3u * (inside - 2u);
    let is_edge = number < of_edges;
    let after = number - of_edges;
    // The ring is the largest whose first triangle is not after the triangle, as in `point`.
    let width = f32(inside - 2u);
    let root = sqrt(width * width - (f32(after) + 0.5) * (2.0 / 3.0));
    let ring = select(u32((width - root) * 0.5) + 2u, 1u, is_edge);
    // The segments of the edges of both rings, and the number of triangles between them.
    let side = inside - 2u * ring;
    let sides = select(vec3(side + 2u), outside, vec3(is_edge));
    let counts = sides + vec3(side);
    var along = select(after - triangles_between_rings(inside, ring - 1u), number, is_edge);
    var edge = 0u;
    var start = 0u;
    var segments = sides.x;
    if along >= counts.x {
        along -= counts.x;
        edge = 1u;
        start = sides.x;
        segments = sides.y;
        if along >= counts.y {
            along -= counts.y;
            edge = 2u;
            start += sides.y;
            segments = sides.z;
        }
    }
    var found = ring_triangle(along, side);
    if is_edge {
        found = transition_triangle(along, segments, side + 2u);
    }
    let size = sides.x + sides.y + sides.z;
    let first = select(of_outside + points_before(inside, ring - 1u), 0u, is_edge);
    let inner_ring = RingSide(of_outside + points_before(inside, ring), edge * side, 3u * side, 3u * side - 1u);
    let points = ordered(
        ring_points(RingSide(first, start, size, size - 1u), found.outer),
        ring_points(inner_ring, found.inner),
        found.corners,
    );
    // The centre of an odd number of segments, or the only triangle.
    let is_centre = !is_edge & (after >= triangles_between_rings(inside, rings));
    let innermost = of_outside + points_before(inside, rings);
    let centre = ordered(vec2(innermost, innermost + 1u), vec2(innermost + 2u), OUTER_OUTER_INNER);
    return select(points, centre, is_centre);
}
