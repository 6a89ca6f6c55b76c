// The rows of triangles of the square domain.

// Returns the number of triangles between rings 1 and `ring`. `inside` is the sum of both axes.
fn triangles_between_rings(inside: u32, ring: u32) -> u32 {
    return 4u * (ring - 1u) * (inside - 2u - 2u * ring);
}

fn triangle_count(factors: Factors) -> u32 {
    let outside = outside_segments(factors);
    let inside = inside_segments(factors);
    let both = inside.x + inside.y;
    let shorter = min(inside.x, inside.y);
    let of_edges = outside.x + outside.y + outside.z + outside.w + 2u * (both - 4u);
    // An odd number of segments leaves a strip in the centre.
    let of_centre = (shorter & 1u) * 2u * (max(inside.x, inside.y) - shorter + 1u);
    let count = of_edges + triangles_between_rings(both, shorter / 2u) + of_centre;
    return select(count, 2u * min(shorter, 1u), shorter < 2u);
}

// Returns a triangle of the strip in the centre.
fn strip_triangle(first: u32, side: vec2<u32>, number: u32) -> vec3<u32> {
    let segment = number >> 1u;
    let is_second = (number & 1u) != 0u;
    var corners = select(INNER_OUTER_OUTER, INNER_OUTER1_INNER1, is_second);
    // The strip along v begins with edge 0, that along u with edge 1. The inner side goes in the other direction.
    let is_along_u = side.x > side.y;
    if !is_along_u && (side.y & 1u) != 0u {
        // The diagonal in the middle differs.
        let is_middle = 2u * segment + 1u == side.y;
        let of_middle = select(OUTER_INNER1_INNER, OUTER_OUTER1_INNER1, is_second);
        let of_others = select(OUTER_OUTER_INNER, INNER_OUTER1_INNER1, is_second);
        corners = select(of_others, of_middle, is_middle);
    }
    let size = 2u * (side.x + side.y);
    let outer = segment + select(0u, 1u, is_along_u);
    let inner = size - select(1u, 0u, is_along_u) - segment;
    return ordered(
        vec2(first + outer, first + outer + 1u),
        vec2(first + select(inner, 0u, inner == size), first + inner - 1u),
        corners,
    );
}

// Returns the points of a triangle.
fn triangle(factors: Factors, number: u32) -> vec3<u32> {
    let outside = outside_segments(factors);
    let inside = inside_segments(factors);
    let of_outside = outside.x + outside.y + outside.z + outside.w;
    if inside.x == 1u {
        return ordered(vec2(number, number + 1u), vec2(3u), OUTER_OUTER_INNER);
    }
    let both = inside.x + inside.y;
    let rings = min(inside.x, inside.y) / 2u;
    let of_edges = of_outside + 2u * (both - 4u);
    if number < of_edges {
        let inner_sides = inside.yxyx - vec4(2u);
        let counts = outside + inner_sides;
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
                if along >= counts.z {
                    along -= counts.z;
                    edge = 3u;
                    start += outside.z;
                    side = outside.w;
                }
            }
        }
        let found = transition_triangle(along, side, select(inside.y, inside.x, (edge & 1u) != 0u));
        let outer = RingSide(0u, start, of_outside, of_outside - 1u);
        return row_points(outer, ring_side(of_outside, inner_sides.yx, edge), found);
    }
    let after = number - of_edges;
    let between = triangles_between_rings(both, rings);
    if after >= between {
        let first = of_outside + points_before(both, rings);
        return strip_triangle(first, inside - vec2(2u * rings), after - between);
    }
    // The ring is the largest whose first triangle is not after the triangle, as in `point`.
    let width = f32(both - 4u);
    let root = sqrt(width * width - (f32(after) + 0.5) * 2.0);
    let ring = u32((width - root) * 0.25) + 2u;
    let side = inside - vec2(2u * ring);
    let counts = 2u * side.yxy + vec3(2u);
    var along = after - triangles_between_rings(both, ring - 1u);
    var edge = 0u;
    if along >= counts.x {
        along -= counts.x;
        edge = 1u;
        if along >= counts.y {
            along -= counts.y;
            edge = 2u;
            if along >= counts.z {
                along -= counts.z;
                edge = 3u;
            }
        }
    }
    let outer = ring_side(of_outside + points_before(both, ring - 1u), side + vec2(2u), edge);
    let inner = ring_side(of_outside + points_before(both, ring), side, edge);
    let found = ring_triangle(along, select(side.y, side.x, (edge & 1u) != 0u));
    return row_points(outer, inner, found);
}

// Returns an edge of a ring inside, given the segments along both axes.
fn ring_side(first: u32, side: vec2<u32>, edge: u32) -> RingSide {
    let start = ((edge + 1u) >> 1u) * side.y + (edge >> 1u) * side.x;
    let size = 2u * (side.x + side.y);
    // Ring without segments along one axis: a row of points.
    let is_row = min(side.x, side.y) == 0u;
    return RingSide(first, start, size, select(size - 1u, size >> 1u, is_row));
}
