// The rows of triangles of the square domain.

// Returns the points of a triangle.
fn triangle(factors: Factors, number: u32) -> vec3<u32> {
    let outside = outside_segments(factors);
    let inside = inside_segments(factors);
    let both = inside.x + inside.y;
    let rings = min(inside.x, inside.y) / 2u;
    let of_outside = outside.x + outside.y + outside.z + outside.w;
    let of_edges = of_outside + 2u * (both - 4u);
    let is_edge = number < of_edges;
    let after = number - of_edges;
    // The ring is the largest whose first triangle is not after the triangle, as in `point`.
    let width = f32(both - 4u);
    let root = sqrt(width * width - (f32(after) + 0.5) * 2.0);
    let ring = select(u32((width - root) * 0.25) + 2u, 1u, is_edge);
    // The segments of the edges of both rings, and the number of triangles between them.
    let side = inside - vec2(2u * ring);
    let sides = select(side.yxyx + vec4(2u), outside, vec4(is_edge));
    let counts = sides + side.yxyx;
    var along = select(after - triangles_between_rings(both, ring - 1u), number, is_edge);
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
            if along >= counts.z {
                along -= counts.z;
                edge = 3u;
                start += sides.z;
                segments = sides.w;
            }
        }
    }
    let of_inner = select(side.y, side.x, (edge & 1u) != 0u);
    var found = ring_triangle(along, of_inner);
    if is_edge {
        found = transition_triangle(along, segments, of_inner + 2u);
    }
    let size = sides.x + sides.y + sides.z + sides.w;
    let first = select(of_outside + points_before(both, ring - 1u), 0u, is_edge);
    var outer = ring_points(RingSide(first, start, size, size - 1u), found.outer);
    var inner = ring_points(ring_side(of_outside + points_before(both, ring), side, edge), found.inner);
    let between = triangles_between_rings(both, rings);
    if !is_edge & (after >= between) {
        // The strip in the centre. The inner side goes in the other direction.
        let strip = inside - vec2(2u * rings);
        let segment = (after - between) >> 1u;
        let is_second = ((after - between) & 1u) != 0u;
        // The strip along v begins with edge 0, that along u with edge 1.
        let is_along_u = strip.x > strip.y;
        // The diagonal in the middle of an odd strip differs.
        let is_odd = !is_along_u & ((strip.y & 1u) != 0u);
        let is_middle = 2u * segment + 1u == strip.y;
        let of_middle = select(OUTER_INNER1_INNER, OUTER_OUTER1_INNER1, is_second);
        let of_others = select(select(INNER_OUTER_OUTER, OUTER_OUTER_INNER, is_odd), INNER_OUTER1_INNER1, is_second);
        found.corners = select(of_others, of_middle, is_odd & is_middle);
        if both == 2u {
            // The patch consists of two triangles.
            found.corners = select(OUTER_OUTER_INNER, OUTER1_INNER1_INNER, is_second);
        }
        let strip_size = 2u * (strip.x + strip.y);
        let position = segment + select(0u, 1u, is_along_u);
        let opposite = strip_size - select(1u, 0u, is_along_u) - segment;
        let first = of_outside + points_before(both, rings);
        outer = vec2(first + position) + vec2(0u, 1u);
        inner = vec2(first) + vec2(select(opposite, 0u, opposite == strip_size), opposite - 1u);
    }
    return ordered(outer, inner, found.corners);
}

// Returns an edge of a ring inside, given the segments along both axes.
fn ring_side(first: u32, side: vec2<u32>, edge: u32) -> RingSide {
    let start = ((edge + 1u) >> 1u) * side.y + (edge >> 1u) * side.x;
    let size = 2u * (side.x + side.y);
    // Ring without segments along one axis: a row of points.
    let is_row = min(side.x, side.y) == 0u;
    return RingSide(first, start, size, select(size - 1u, size >> 1u, is_row));
}
