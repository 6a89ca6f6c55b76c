// Triangles as primitives, in rows between two lines of points: the outer and the inner side of the row.

// Corners of a triangle, two bits each: bit 1 is set for a point on the inner side, and bit 0 for the second of the two
// points of the triangle's position. All triangles are clockwise.
const OUTER_OUTER_INNER = 0x24u;
const INNER_OUTER_OUTER = 0x12u;
const INNER_OUTER_INNER = 0x32u;
const INNER_OUTER1_INNER1 = 0x36u;
const OUTER_INNER1_INNER = 0x2cu;
const OUTER_OUTER1_INNER1 = 0x34u;
const INNER1_OUTER_OUTER1 = 0x13u;
const OUTER1_INNER1_INNER = 0x2du;

// A triangle of a row: its position on both sides, and its corners.
struct RowTriangle {
    outer: u32,
    inner: u32,
    corners: u32,
}

// A side of a row: an edge of a ring.
struct RingSide {
    // The ring's first point.
    first: u32,
    // The position in the ring where the edge begins.
    start: u32,
    // Number of segments of the ring.
    size: u32,
    // The last position before the points repeat in reverse order. For a ring only the first point repeats, at the
    // position `size`. For a row of points, which the ring follows in both directions, it is the last point.
    turn: u32,
}

// Returns the ends of a segment of a side.
fn ring_points(side: RingSide, number: u32) -> vec2<u32> {
    let position = vec2(side.start + number) + vec2(0u, 1u);
    return vec2(side.first) + select(position, vec2(side.size) - position, position > vec2(side.turn));
}

// Returns three points in the order of a triangle's corners.
fn ordered(outer: vec2<u32>, inner: vec2<u32>, corners: u32) -> vec3<u32> {
    let bits = (vec3(corners) >> vec3(0u, 2u, 4u)) & vec3(3u);
    let is_second = (bits & vec3(1u)) != vec3(0u);
    let of_outer = select(outer.xxx, outer.yyy, is_second);
    let of_inner = select(inner.xxx, inner.yyy, is_second);
    let clockwise = select(of_outer, of_inner, bits >= vec3(2u));
    return select(clockwise, clockwise.xzy, IS_COUNTERCLOCKWISE);
}

// Returns a triangle of a row between two rings of the inside. The inner side has `segments`, the outer two more.
fn ring_triangle(number: u32, segments: u32) -> RowTriangle {
    // Two triangles for each segment of the inner side, between a triangle at each end of the row.
    let outer = (number + 1u) >> 1u;
    let is_end = (number == 0u) | (number == 2u * segments + 1u);
    let is_second = (number & 1u) == 0u;
    // The diagonals of the second half mirror those of the first.
    let is_mirrored = outer > (segments + 1u) / 2u;
    let first = select(OUTER_INNER1_INNER, INNER_OUTER_OUTER, is_mirrored);
    let second = select(OUTER_OUTER1_INNER1, INNER_OUTER1_INNER1, is_mirrored);
    let corners = select(select(first, second, is_second), OUTER_OUTER_INNER, is_end);
    return RowTriangle(outer, max(outer, 1u) - 1u, corners);
}

// The points of half an edge in the order of the ruler function: at each of 32 positions there is a point or none.
// Points are `fine` apart before position `end`, and twice as far after it.
struct Ruler {
    // The distance of points as a power of two.
    fine: u32,
    end: u32,
}

// Returns the ruler of an edge with `count` points in its first half, at least 1.
fn ruler(count: u32) -> Ruler {
    let level = min(firstLeadingBit(count), 4u);
    return Ruler(4u - level, (count - (1u << level)) << (5u - level));
}

// Returns the number of points before a position, with the one at position 0.
fn points_until(edge: Ruler, position: u32) -> u32 {
    let near = min(position, edge.end);
    let far = position - near;
    return ((near + (1u << edge.fine) - 1u) >> edge.fine) + ((far + (2u << edge.fine) - 1u) >> (edge.fine + 1u));
}

// Returns triangle `number` of the first half of the row between an edge of the patch and ring 1. `outer` and `inner`
// are the numbers of points of their halves. The inner side has no point at position 0.
//
// Each point adds a triangle, in the order of positions. At the same position, the inner point comes first.
fn half_transition_triangle(number: u32, outer: u32, inner: u32) -> RowTriangle {
    let outer_ruler = ruler(max(outer, 1u));
    let inner_ruler = ruler(inner);
    let has_outer = min(outer, 1u);
    // The last position that has at most `number` triangles before it.
    var position = 0u;
    for (var step = 16u; step != 0u; step >>= 1u) {
        let next = position + step;
        let before = points_until(outer_ruler, next) * has_outer + points_until(inner_ruler, next) - 1u;
        position = select(position, next, before <= number);
    }
    let outer_before = points_until(outer_ruler, position) * has_outer;
    let inner_before = max(points_until(inner_ruler, position), 1u) - 1u;
    let inner_until = points_until(inner_ruler, position + 1u) - 1u;
    let rest = number - outer_before - inner_before;
    let is_inner = rest < inner_until - inner_before;
    return RowTriangle(
        outer_before,
        select(inner_until, inner_before, is_inner),
        select(OUTER_OUTER_INNER, INNER_OUTER_INNER, is_inner),
    );
}

// Returns a triangle of the row between an edge of the patch and ring 1. `inside` is the number of segments of the
// edge of which ring 1 has two less.
fn transition_triangle(number: u32, outside: u32, inside: u32) -> RowTriangle {
    let outer = outside >> 1u;
    let inner = inside >> 1u;
    let half = outer + inner - 1u;
    let odd = vec2(outside & 1u, inside & 1u);
    let is_mirrored = number >= half;
    let last = outside + inside - 3u;
    let found = half_transition_triangle(select(number, last - number, is_mirrored), outer, inner);
    let is_inner = found.corners == INNER_OUTER_INNER;
    let mirrored_outer = outside - found.outer - select(1u, 0u, is_inner);
    let mirrored_inner = inside - 2u - found.inner - select(0u, 1u, is_inner);
    // The middle: a triangle for each edge that has a segment there, the inner one first.
    let after = number - half;
    let is_middle = is_mirrored & (after < odd.x + odd.y);
    let first = select(INNER_OUTER_OUTER, INNER_OUTER_INNER, odd.y == 1u);
    let middle = select(first, INNER1_OUTER_OUTER1, after == 1u);
    return RowTriangle(
        select(select(found.outer, mirrored_outer, is_mirrored), outer, is_middle),
        select(select(found.inner, mirrored_inner, is_mirrored), inner - 1u, is_middle),
        select(found.corners, middle, is_middle),
    );
}

fn corner(factors: Factors, n: u32) -> u32 {
    let number = n / 3u;
    let points = triangle(factors, number);
    let of_triangle = n - 3u * number;
    return select(select(points.z, points.y, of_triangle == 1u), points.x, of_triangle == 0u);
}

fn write_corners(factors: Factors, thread: u32, threads: u32) {
    let count = triangle_count(factors);
    for (var number = thread; number < count; number += threads) {
        let points = triangle(factors, number);
        store_corner(3u * number, points.x);
        store_corner(3u * number + 1u, points.y);
        store_corner(3u * number + 2u, points.z);
    }
}
