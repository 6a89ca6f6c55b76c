// The points of the square domain.

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
