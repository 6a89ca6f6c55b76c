// Gathers the primitives of an indexed strip into a list, for a geometry shader. Cuts and incomplete primitives
// are left out, so the position of a primitive in the list is its number.

struct Params {
    // 0 for lines, 1 for triangles, and 2 more with adjacent vertices.
    kind: u32,
    // Not 0 if the list does not contain the adjacent vertices.
    is_plain: u32,
    // Not 0 if indices have 32 bits instead of 16.
    wide: u32,
    // Number of indices in `indices`. Indices beyond are 0.
    capacity: u32,
    // Maximum number of indices of a draw, counted from its first index.
    most: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// The arguments of an indexed indirect draw.
@group(0) @binding(1) var<storage, read> arguments: array<u32, 5>;
@group(0) @binding(2) var<storage, read> indices: array<u32>;
@group(0) @binding(3) var<storage, read_write> list: array<u32>;

const CUT = 0xffffffffu;
const TRIANGLES = 1u;
const LINES_ADJ = 2u;
const TRIANGLES_ADJ = 3u;

// Returns an index of the draw, or a cut.
fn index_at(n: u32) -> u32 {
    let at = arguments[2] + n;
    if at < n || at >= params.capacity { return 0u; }
    if params.wide != 0u { return indices[at]; }
    let index = (indices[at / 2u] >> (at % 2u * 16u)) & 0xffffu;
    return select(index, CUT, index == 0xffffu);
}

// Returns whether `count` indices exist from `n` on, without a cut.
fn has_piece(n: u32, count: u32, all: u32) -> bool {
    if n + count > all { return false; }
    for (var at = n; at < n + count; at += 1u) {
        if index_at(at) == CUT { return false; }
    }
    return true;
}

// Returns whether a primitive begins at index `n` of a piece that begins at `start`.
fn begins(n: u32, start: u32, all: u32) -> bool {
    switch params.kind {
        case TRIANGLES: { return has_piece(n, 3u, all); }
        case LINES_ADJ: { return has_piece(n, 4u, all); }
        case TRIANGLES_ADJ: { return (n - start) % 2u == 0u && has_piece(n, 6u, all); }
        default: { return has_piece(n, 2u, all); }
    }
}

// Returns the positions of the vertices of the primitive that begins at index `n`.
fn primitive_at(n: u32, start: u32, all: u32) -> array<u32, 6> {
    let number = n - start;
    switch params.kind {
        case TRIANGLES: {
            if number % 2u == 0u { return array<u32, 6>(n, n + 1u, n + 2u, 0u, 0u, 0u); }
            return array<u32, 6>(n, n + 2u, n + 1u, 0u, 0u, 0u);
        }
        case LINES_ADJ: {
            if params.is_plain != 0u { return array<u32, 6>(n + 1u, n + 2u, 0u, 0u, 0u, 0u); }
            return array<u32, 6>(n, n + 1u, n + 2u, n + 3u, 0u, 0u);
        }
        case TRIANGLES_ADJ: {
            let is_odd = number % 4u == 2u;
            let corners = select(vec3(n, n + 2u, n + 4u), vec3(n, n + 4u, n + 2u), is_odd);
            if params.is_plain != 0u { return array<u32, 6>(corners.x, corners.y, corners.z, 0u, 0u, 0u); }
            let before = select(n - 2u, n + 1u, number == 0u);
            // The last triangle of a piece has no vertices of a next triangle.
            let after = select(n + 5u, n + 6u, has_piece(n + 6u, 2u, all));
            if is_odd { return array<u32, 6>(corners.x, n + 3u, corners.y, after, corners.z, before); }
            return array<u32, 6>(corners.x, before, corners.y, after, corners.z, n + 3u);
        }
        default: { return array<u32, 6>(n, n + 1u, 0u, 0u, 0u, 0u); }
    }
}

fn list_vertices() -> u32 {
    let own = 2u + params.kind % 2u;
    return select(own, 2u * own, params.kind >= LINES_ADJ && params.is_plain == 0u);
}

const THREADS = 256u;

// For each thread, the position after the last cut in its part, or 0, and the number of primitives in it.
var<workgroup> starts: array<u32, THREADS>;
var<workgroup> counts: array<u32, THREADS>;
// The number of all primitives.
var<workgroup> total: u32;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) id: u32) {
    let all = min(arguments[0], params.most);
    let part = all / THREADS + 1u;
    let first = min(id * part, all);
    let end = min(first + part, all);
    var start = 0u;
    for (var n = first; n < end; n += 1u) {
        if index_at(n) == CUT { start = n + 1u; }
    }
    starts[id] = start;
    workgroupBarrier();
    start = 0u;
    for (var before = 0u; before < id; before += 1u) {
        start = max(start, starts[before]);
    }
    let first_start = start;
    var count = 0u;
    for (var n = first; n < end; n += 1u) {
        if index_at(n) == CUT { start = n + 1u; }
        if begins(n, start, all) { count += 1u; }
    }
    counts[id] = count;
    workgroupBarrier();
    var place = 0u;
    for (var before = 0u; before < id; before += 1u) {
        place += counts[before];
    }
    let vertices = list_vertices();
    start = first_start;
    for (var n = first; n < end; n += 1u) {
        if index_at(n) == CUT { start = n + 1u; }
        if begins(n, start, all) {
            var primitive = primitive_at(n, start, all);
            for (var at = 0u; at < vertices; at += 1u) {
                list[place * vertices + at] = index_at(primitive[at]);
            }
            place += 1u;
        }
    }
    // All other primitives begin with a cut.
    if id == THREADS - 1u { total = place; }
    workgroupBarrier();
    for (var other = total + id; other < params.most; other += THREADS) {
        list[other * vertices] = CUT;
    }
}
