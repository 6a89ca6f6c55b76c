// The square domain.
//
// The points form rings from the edges of the patch to its centre. Ring 0 has the points of the patch's edges. An edge
// of ring k has 2k segments less than the inside has along that axis. If that leaves none for the shorter axis, the
// ring is a row of points. Edges 0 to 3 are u = 0, v = 0, u = 1 and v = 1. The order of points is clockwise from the
// corner of u = 0 and v = 1.

fn outside_segments(factors: Factors) -> vec4<u32> {
    return (factors.edges >> vec4(16u)) & vec4(127u);
}

fn inside_segments(factors: Factors) -> vec2<u32> {
    return (factors.inside >> vec2(16u)) & vec2(127u);
}

// Returns the number of points outside of ring `ring`, without those of ring 0. `inside` is the sum of both axes.
fn points_before(inside: u32, ring: u32) -> u32 {
    return 2u * (ring - 1u) * (inside - 2u * ring);
}

fn point_count(factors: Factors) -> u32 {
    let outside = outside_segments(factors);
    let inside = inside_segments(factors) - vec2(1u);
    return outside.x + outside.y + outside.z + outside.w + select(inside.x * inside.y, 0u, factors.edges.x == 0u);
}

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
