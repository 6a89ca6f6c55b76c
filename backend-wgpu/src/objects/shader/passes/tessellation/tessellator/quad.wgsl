// The square domain: its factors and points.
//
// The points form rings from the edges of the patch to its centre. Ring 0 has the points of the patch's edges. An edge
// of ring k has 2k segments less than the inside has along that axis. If that leaves none for the shorter axis, the
// ring is a row of points. Edges 0 to 3 are u = 0, v = 0, u = 1 and v = 1. The order of points is clockwise from the
// corner of u = 0 and v = 1.

fn process_factors(edges: vec4<f32>, inside: vec2<f32>) -> Factors {
    if culls(edges.x) || culls(edges.y) || culls(edges.z) || culls(edges.w) {
        return Factors();
    }
    let outside = vec4(
        processed_factor(edges.x),
        processed_factor(edges.y),
        processed_factor(edges.z),
        processed_factor(edges.w),
    );
    var centre = vec2(processed_factor(inside.x), processed_factor(inside.y));
    let pair = max(max(outside.xy, outside.zw), centre);
    let highest = max(pair.x, pair.y);
    if IS_ODD && highest > ONE {
        centre = max(centre, vec2(ONE + 1u));
    }
    var inside_edges = vec2(inside_word(centre.x), inside_word(centre.y));
    if highest == ONE {
        inside_edges = vec2(ONE);
    }
    return Factors(
        vec4(
            outside_word(outside.x),
            outside_word(outside.y),
            outside_word(outside.z),
            outside_word(outside.w),
        ),
        inside_edges,
    );
}

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

fn point(factors: Factors, number: u32) -> vec2<u32> {
    let outside = outside_segments(factors);
    let inside = inside_segments(factors);
    let of_outside = outside.x + outside.y + outside.z + outside.w;
    var ring = 0u;
    var sides = outside;
    var words = factors.edges;
    var along = number;
    if number >= of_outside {
        let after = number - of_outside;
        // The ring is the largest whose first point is not after the point. With half a point added, the root is far
        // enough from an integer for any error of the square root.
        let width = f32(inside.x + inside.y - 2u);
        let root = sqrt(width * width - (f32(after) + 0.5) * 4.0);
        ring = u32((width - root) * 0.25) + 1u;
        let side = inside - vec2(2u * ring);
        sides = side.yxyx;
        words = factors.inside.yxyx;
        along = after - points_before(inside.x + inside.y, ring);
    } else if inside.x == 1u {
        // The patch of two triangles begins with the corner of u = 0 and v = 0.
        along = (number + 1u) & 3u;
    }
    var edge = 0u;
    var word = words.x;
    var side = sides.x;
    if along >= side {
        along -= side;
        edge = 1u;
        word = words.y;
        side = sides.y;
        if along >= side {
            along -= side;
            edge = 2u;
            word = words.z;
            side = sides.z;
            if along >= side {
                along -= side;
                edge = 3u;
                word = words.w;
                side = sides.w;
            }
        }
    }
    let is_v_edge = (edge & 1u) != 0u;
    let across = select(inside.x, inside.y, is_v_edge);
    let across_word = select(factors.inside.x, factors.inside.y, is_v_edge);
    let distance = place(across_word, select(ring, across - ring, edge >= 2u));
    let position = place(word, ring + select(side - along, along, edge == 1u || edge == 2u));
    return select(vec2(distance, position), vec2(position, distance), is_v_edge);
}
