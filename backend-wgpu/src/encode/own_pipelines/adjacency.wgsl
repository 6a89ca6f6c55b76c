// Gathers the indices of a topology with adjacency, without those of the adjacent vertices.

struct Params {
    // 0 for a line list, 1 for a line strip, 2 for a triangle list. Triangle strips have a separate entry
    // point.
    kind: u32,
    // Not 0 if indices have 32 bits instead of 16.
    wide: u32,
    // Number of indices in `indices`. Indices beyond are 0.
    capacity: u32,
    // Maximum number of indices of a draw, counted from the start of `indices`.
    most: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// The arguments of an indexed indirect draw.
@group(0) @binding(1) var<storage, read> arguments: array<u32, 5>;
@group(0) @binding(2) var<storage, read> indices: array<u32>;
@group(0) @binding(3) var<storage, read_write> primitives: array<u32>;
// The arguments of the replacement draw.
@group(0) @binding(4) var<storage, read_write> new_arguments: array<u32, 5>;

const CUT = 0xffffffffu;
const LINES = 0u;
const LINE_STRIP = 1u;

fn index_count() -> u32 {
    let rest = params.most - min(arguments[2], params.most);
    return min(arguments[0], rest);
}

// Returns an index of the draw.
fn index_at(n: u32) -> u32 {
    let at = arguments[2] + n;
    if at < n || at >= params.capacity { return 0u; }
    if params.wide != 0u { return indices[at]; }
    return (indices[at / 2u] >> (at % 2u * 16u)) & 0xffffu;
}

fn strip_index_at(n: u32) -> u32 {
    let index = index_at(n);
    return select(index, CUT, params.wide == 0u && index == 0xffffu);
}

fn is_cut(n: u32) -> bool {
    return strip_index_at(n) == CUT;
}

fn write_arguments(id: u32, count: u32) {
    if id == 0u {
        new_arguments = array(count, arguments[1], 0u, arguments[3], arguments[4]);
    }
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let all = index_count();
    var count = all / 6u * 3u;
    if params.kind == LINES { count = all / 4u * 2u; }
    if params.kind == LINE_STRIP { count = all; }
    write_arguments(id.x, count);
    for (var n = id.x; n < count; n += groups.x * 64u) {
        if params.kind == LINES {
            primitives[n] = index_at(n / 2u * 4u + 1u + n % 2u);
        } else if params.kind == LINE_STRIP {
            // The first and the last index of a strip are adjacent vertices.
            var is_beside = n == 0u || n + 1u == count;
            if !is_beside { is_beside = is_cut(n - 1u) || is_cut(n + 1u); }
            primitives[n] = select(strip_index_at(n), CUT, is_beside);
        } else {
            primitives[n] = index_at(n / 3u * 6u + n % 3u * 2u);
        }
    }
}

const THREADS = 256u;

// For each thread, the position after the last cut in its part, or 0.
var<workgroup> starts: array<u32, THREADS>;

// Each triangle becomes a separate strip of four indices, including a cut. There is room for one strip per
// two source indices, because triangles of one strip begin at least two indices apart, and those of different
// strips at least seven.
@compute @workgroup_size(THREADS)
fn triangle_strip(@builtin(local_invocation_index) id: u32) {
    let all = index_count();
    let part = (all / THREADS + 2u) & ~1u;
    let first = min(id * part, all);
    let end = min(first + part, all);
    write_arguments(id, (all + 1u) / 2u * 4u);
    var start = 0u;
    for (var n = first; n < end; n += 1u) {
        if is_cut(n) { start = n + 1u; }
    }
    starts[id] = start;
    workgroupBarrier();
    start = 0u;
    for (var before = 0u; before < id; before += 1u) {
        start = max(start, starts[before]);
    }
    for (var pair = first; pair < end; pair += 2u) {
        let place = pair * 2u;
        var strip = vec3u(CUT);
        for (var n = pair; n < min(pair + 2u, end); n += 1u) {
            if is_cut(n) {
                start = n + 1u;
            } else if (n - start) % 2u == 0u && n + 6u <= all {
                var is_whole = true;
                for (var at = n + 1u; at < n + 6u; at += 1u) { is_whole &= !is_cut(at); }
                if is_whole {
                    let second = strip_index_at(n + 2u);
                    let third = strip_index_at(n + 4u);
                    // Every second triangle of a strip has the opposite winding.
                    strip = vec3(strip_index_at(n), second, third);
                    if (n - start) % 4u == 2u { strip = strip.xzy; }
                }
            }
        }
        primitives[place] = strip.x;
        primitives[place + 1u] = strip.y;
        primitives[place + 2u] = strip.z;
        primitives[place + 3u] = CUT;
    }
}
