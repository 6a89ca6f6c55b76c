// The triangular domain: its factors and points.
//
// The points form rings from the edges of the patch to its centre. Ring 0 has the points of the patch's edges. An edge
// of ring k has 2k segments less than the inside. Edge 0 is u = 0, edge 1 is v = 0, and edge 2 is w = 0. The order of
// points is clockwise from v = 1.

fn process_factors(edges: vec4<f32>, inside: vec2<f32>) -> Factors {
    if culls(edges.x) || culls(edges.y) || culls(edges.z) {
        return Factors();
    }
    let u = processed_factor(edges.x);
    let v = processed_factor(edges.y);
    let w = processed_factor(edges.z);
    var centre = processed_factor(inside.x);
    let highest = max(max(u, v), max(w, centre));
    if IS_ODD && highest > ONE {
        centre = max(centre, ONE + 1u);
    }
    let inside_edge = select(inside_word(centre), ONE, highest == ONE);
    return Factors(vec4(outside_word(u), outside_word(v), outside_word(w), 0u), vec2(inside_edge, 0u));
}

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

fn point(factors: Factors, number: u32) -> vec2<u32> {
    let outside = outside_segments(factors);
    let inside = segments_of(factors.inside.x);
    let of_outside = outside.x + outside.y + outside.z;
    var ring = 0u;
    var sides = outside;
    var words = factors.edges.xyz;
    var along = number;
    if number >= of_outside {
        let after = number - of_outside;
        // The ring is the largest whose first point is not after the point. With half a point added, the root is far
        // enough from an integer for any error of the square root.
        let width = f32(inside - 1u);
        let root = sqrt(width * width - (f32(after) + 0.5) * (4.0 / 3.0));
        ring = u32((width - root) * 0.5) + 1u;
        let side = inside - 2u * ring;
        if side == 0u {
            return vec2(0x5555u);
        }
        sides = vec3(side);
        words = vec3(factors.inside.x);
        along = after - points_before(inside, ring);
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
        }
    }
    // The distance of the ring from the edge, in barycentric coordinates.
    let distance = (place(factors.inside.x, ring) * 0xaaaau + 0x8000u) >> 16u;
    let position = place(word, ring + select(side - along, along, edge == 1u)) - ((distance + 1u) >> 1u);
    switch edge {
        case 0u: { return vec2(distance, position); }
        case 1u: { return vec2(position, distance); }
        default: { return vec2(position, ONE - position - distance); }
    }
}
