// The rows of triangles of the triangular domain.

// Returns the number of triangles between rings 1 and `ring`.
fn triangles_between_rings(inside: u32, ring: u32) -> u32 {
    return 6u * (ring - 1u) * (inside - 1u - ring);
}

fn triangle_count(factors: Factors) -> u32 {
    let outside = outside_segments(factors);
    let inside = segments_of(factors.inside.x);
    let of_edges = outside.x + outside.y + outside.z + 3u * (inside - 2u);
    let count = of_edges + triangles_between_rings(inside, inside / 2u) + (inside & 1u);
    return select(count, min(inside, 1u), inside < 2u);
}

// Returns the points of a triangle.
fn triangle(factors: Factors, number: u32) -> vec3<u32> {
    let outside = outside_segments(factors);
    let inside = segments_of(factors.inside.x);
    let of_outside = outside.x + outside.y + outside.z;
    if inside == 1u {
        return ordered(vec2(0u, 1u), vec2(2u), OUTER_OUTER_INNER);
    }
    let rings = inside / 2u;
    let of_edges = of_outside + 3u * (inside - 2u);
    if number < of_edges {
        let counts = outside + vec3(inside - 2u);
        var along = number;
        var edge = 0u;
        var start = 0u;
        var side = outside.x;
        if along >= counts.x {
            along -= counts.x;
            edge = 1u;
            start = outside.x;
            side = outside.y;
            if along >= counts.y {
                along -= counts.y;
                edge = 2u;
                start += outside.y;
                side = outside.z;
            }
        }
        let found = transition_triangle(along, side, inside);
        let outer = RingSide(0u, start, of_outside, of_outside - 1u);
        let inner = ring_side(of_outside, inside - 2u, edge);
        return row_points(outer, inner, found);
    }
    let after = number - of_edges;
    let between = triangles_between_rings(inside, rings);
    if after >= between {
        // The centre of an odd number of segments.
        let first = of_outside + points_before(inside, rings);
        return ordered(vec2(first, first + 1u), vec2(first + 2u), OUTER_OUTER_INNER);
    }
    // The ring is the largest whose first triangle is not after the triangle, as in `point`.
    let width = f32(inside - 2u);
    let root = sqrt(width * width - (f32(after) + 0.5) * (2.0 / 3.0));
    let ring = u32((width - root) * 0.5) + 2u;
    let side = inside - 2u * ring;
    var along = after - triangles_between_rings(inside, ring - 1u);
    let count = 2u * (side + 1u);
    var edge = 0u;
    if along >= count {
        along -= count;
        edge = 1u;
        if along >= count {
            along -= count;
            edge = 2u;
        }
    }
    let outer = ring_side(of_outside + points_before(inside, ring - 1u), side + 2u, edge);
    let inner = ring_side(of_outside + points_before(inside, ring), side, edge);
    return row_points(outer, inner, ring_triangle(along, side));
}

// Returns an edge of a ring inside, given the segments of each edge.
fn ring_side(first: u32, side: u32, edge: u32) -> RingSide {
    return RingSide(first, edge * side, 3u * side, 3u * side - 1u);
}
