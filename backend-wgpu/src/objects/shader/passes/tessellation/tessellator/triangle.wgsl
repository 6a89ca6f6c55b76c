// The triangular domain.
//
// The points form rings from the edges of the patch to its centre. Ring 0 has the points of the patch's edges. An edge
// of ring k has 2k segments less than the inside. Edge 0 is u = 0, edge 1 is v = 0, and edge 2 is w = 0. The order of
// points is clockwise from v = 1.

fn outside_segments(factors: Factors) -> vec3<u32> {
    return (factors.edges.xyz >> vec3(16u)) & vec3(127u);
}

// Returns the number of points outside of ring `ring`, without those of ring 0.
fn points_before(inside: u32, ring: u32) -> u32 {
    return 3u * (ring - 1u) * (inside - ring);
}

fn point_count(factors: Factors) -> u32 {
    let outside = outside_segments(factors);
    let inside = segments_of(factors.inside.x);
    let rings = inside / 2u;
    // An even number of segments leaves one point in the centre. Without rings there is no point inside.
    let innermost = select((inside & 1u) * 3u, 1u, (inside & 1u) == 0u);
    let of_inside = select(points_before(inside, rings) + innermost, 0u, rings == 0u);
    return outside.x + outside.y + outside.z + of_inside;
}

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
