// The points of the triangular domain.

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
