// Indices of a topology with adjacency, without those of the vertices beside the primitives.

struct Params {
    // 0 for lines, 1 for a strip of lines, 2 for triangles; a strip of triangles has an entry point of its own.
    kind: u32,
    // Indices have 32 bits, else 16.
    wide: u32,
    // Indices in `indices`. Those beyond are 0.
    capacity: u32,
    // Most indices of a draw that are looked at.
    most: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
// As of an indirect draw with indices.
@group(0) @binding(1) var<storage, read> arguments: array<u32, 5>;
@group(0) @binding(2) var<storage, read> indices: array<u32>;
@group(0) @binding(3) var<storage, read_write> primitives: array<u32>;
// Of the draw that is made instead.
@group(0) @binding(4) var<storage, read_write> new_arguments: array<u32, 5>;

const CUT = 0xffffffffu;
const LINES = 0u;
const LINE_STRIP = 1u;

fn index_count() -> u32 {
    let rest = params.most - min(arguments[2], params.most);
    return min(arguments[0], rest);
}

// An index of the draw.
fn index_at(n: u32) -> u32 {
    let at = arguments[2] + n;
    if at < n || at >= params.capacity { return 0u; }
    if params.wide != 0u { return indices[at]; }
    return indices[at / 2u] >> (at % 2u * 16u) & 0xffffu;
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
            // The first and the last of a strip are beside it.
            var is_beside = n == 0u || n + 1u == count;
            if !is_beside { is_beside = is_cut(n - 1u) || is_cut(n + 1u); }
            primitives[n] = select(strip_index_at(n), CUT, is_beside);
        } else {
            primitives[n] = index_at(n / 3u * 6u + n % 3u * 2u);
        }
    }
}

const THREADS = 256u;

// Behind the last cut in the part of each thread, or 0.
var<workgroup> starts: array<u32, THREADS>;

// Each triangle becomes a strip of its own, in the place of four indices that belongs to each two of the source: triangles
// of one strip begin at least two indices apart, and those of two strips at least seven.
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
                    // Each second triangle of a strip turns the other way.
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
