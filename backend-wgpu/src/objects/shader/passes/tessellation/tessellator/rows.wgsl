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

fn ring_point(side: RingSide, number: u32) -> u32 {
    let position = side.start + number;
    return side.first + select(position, side.size - position, position > side.turn);
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

fn row_points(outer: RingSide, inner: RingSide, found: RowTriangle) -> vec3<u32> {
    return ordered(
        vec2(ring_point(outer, found.outer), ring_point(outer, found.outer + 1u)),
        vec2(ring_point(inner, found.inner), ring_point(inner, found.inner + 1u)),
        found.corners,
    );
}

// Returns a triangle of a row between two rings of the inside. The inner side has `segments`, the outer two more.
fn ring_triangle(number: u32, segments: u32) -> RowTriangle {
    let last = 2u * segments + 1u;
    if number == 0u || number == last {
        return RowTriangle(select(0u, segments + 1u, number != 0u), select(0u, segments, number != 0u), OUTER_OUTER_INNER);
    }
    // Two triangles for each segment. The diagonals of the second half mirror those of the first.
    let segment = (number - 1u) >> 1u;
    let is_second = (number & 1u) == 0u;
    let is_mirrored = segment >= (segments + 1u) / 2u;
    let first = select(OUTER_INNER1_INNER, INNER_OUTER_OUTER, is_mirrored);
    let second = select(OUTER_OUTER1_INNER1, INNER_OUTER1_INNER1, is_mirrored);
    return RowTriangle(segment + 1u, segment, select(first, second, is_second));
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
    if rest < inner_until - inner_before {
        return RowTriangle(outer_before, inner_before, INNER_OUTER_INNER);
    }
    return RowTriangle(outer_before, inner_until, OUTER_OUTER_INNER);
}

// Returns a triangle of the row between an edge of the patch and ring 1. `inside` is the number of segments of the
// edge of which ring 1 has two less.
fn transition_triangle(number: u32, outside: u32, inside: u32) -> RowTriangle {
    let outer = outside >> 1u;
    let inner = inside >> 1u;
    let half = outer + inner - 1u;
    let odd = vec2(outside & 1u, inside & 1u);
    let after = number - half;
    if number >= half && after < odd.x + odd.y {
        // The middle: a triangle for each edge that has a segment there, the inner one first.
        if after == 1u {
            return RowTriangle(outer, inner - 1u, INNER1_OUTER_OUTER1);
        }
        return RowTriangle(outer, inner - 1u, select(INNER_OUTER_OUTER, INNER_OUTER_INNER, odd.y == 1u));
    }
    let is_mirrored = number >= half;
    let last = outside + inside - 3u;
    var triangle = half_transition_triangle(select(number, last - number, is_mirrored), outer, inner);
    if is_mirrored {
        let is_inner = triangle.corners == INNER_OUTER_INNER;
        triangle.outer = outside - triangle.outer - select(1u, 0u, is_inner);
        triangle.inner = inside - 2u - triangle.inner - select(0u, 1u, is_inner);
    }
    return triangle;
}

fn corner_count(factors: Factors) -> u32 {
    return 3u * triangle_count(factors);
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
