// The dispatches of the tessellator, after those that store control points and patch constants. The functions of the
// tessellator itself precede this text.

// The numbers of the dispatch that has stored the patch constants, one patch in each invocation.
struct Stream {
    primitives: u32,
    invocations: u32,
    of_thread: u32,
    threads: u32,
    bases: vec4<u32>,
    written: vec4<u32>,
    // The last number is that of the vertices of an indirect draw.
    groups: vec4<u32>,
}

struct Params {
    // Number of the first patch, of all in the draw.
    first: u32,
    // Positions of the parts, in words from the header, and that of the header in the buffer.
    points: u32,
    constants: u32,
    divisions: u32,
    indices: u32,
    header: u32,
    // Number of words of the patch constants.
    constant_words: u32,
    // Number of indices for which there is room.
    room: u32,
    // The bits of the maximum factor.
    most: u32,
    // The segment of queries that receives the numbers of patches and domain points, or NONE.
    segment: u32,
}

const NONE = 0xffffffffu;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> stream: Stream;
@group(0) @binding(2) var<storage, read_write> patches: array<u32>;
@group(0) @binding(3) var<storage, read_write> segments: array<u32>;

const DIVISION = 8u;
const NUMBERS_OF_PATCH = 8192u;

// The patch whose corners are written, and the position of its first index.
var<private> written_patch: u32;
var<private> first_index: u32;

fn store_corner(n: u32, point: u32) {
    patches[first_index + n] = written_patch * NUMBERS_OF_PATCH + point;
}

// Limits a factor to the maximum and returns it. The domain shader reads the limited factor, because the limit is part of
// the hull shader (Direct3D 11.3 functional specification, 10.13). Factors that are negative or no numbers stay as they
// are.
fn limited(at: u32) -> f32 {
    let bits = patches[at];
    let is_above = bits > params.most && bits <= 0x7f800000u;
    if is_above { patches[at] = params.most; }
    return bitcast<f32>(patches[at]);
}

fn factors_of(number: u32) -> Factors {
    let at = params.divisions + number * DIVISION;
    return Factors(
        vec4(patches[at], patches[at + 1u], patches[at + 2u], patches[at + 3u]),
        vec2(patches[at + 4u], patches[at + 5u])
    );
}

// Divides each patch, and counts its corners and points.
@compute @workgroup_size(64)
fn divide(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= stream.invocations { return; }
    let from_word = params.constants + id.x * params.constant_words;
    var edges = vec4<f32>();
    var inside = vec2<f32>();
    for (var at = 0u; at < EDGES; at += 1u) { edges[at] = limited(from_word + at); }
    for (var at = 0u; at < INSIDE; at += 1u) { inside[at] = limited(from_word + EDGES + at); }
    let factors = process_factors(edges, inside);
    let at = params.divisions + id.x * DIVISION;
    for (var edge = 0u; edge < 4u; edge += 1u) { patches[at + edge] = factors.edges[edge]; }
    patches[at + 4u] = factors.inside.x;
    patches[at + 5u] = factors.inside.y;
    patches[at + 6u] = corner_count(factors);
    patches[at + 7u] = point_count(factors);
}

const PARTS = 256u;
var<workgroup> corners: array<u32, PARTS>;
var<workgroup> points: array<u32, PARTS>;
var<workgroup> fitting: array<u32, PARTS>;
var<workgroup> fitting_corners: array<u32, PARTS>;

// Turns the number of corners of each patch into that of all patches before it, and writes the header.
@compute @workgroup_size(PARTS)
fn add(@builtin(local_invocation_index) part: u32) {
    let of_part = (stream.invocations + PARTS - 1u) / PARTS;
    let begin = min(part * of_part, stream.invocations);
    let end = min((part + 1u) * of_part, stream.invocations);
    var own_corners = 0u;
    var own_points = 0u;
    for (var number = begin; number < end; number += 1u) {
        let at = params.divisions + number * DIVISION;
        own_corners += patches[at + 6u];
        own_points += patches[at + 7u];
    }
    corners[part] = own_corners;
    points[part] = own_points;
    workgroupBarrier();
    var before = 0u;
    for (var other = 0u; other < part; other += 1u) { before += corners[other]; }
    var fit = 0u;
    for (var number = begin; number < end; number += 1u) {
        let at = params.divisions + number * DIVISION;
        let count = patches[at + 6u];
        patches[at + 6u] = before;
        before += count;
        if before <= params.room {
            fit += 1u;
            own_corners = before;
        }
    }
    fitting[part] = fit;
    fitting_corners[part] = select(0u, own_corners, fit > 0u);
    workgroupBarrier();
    if part != 0u { return; }
    var all_corners = 0u;
    var all_points = 0u;
    fit = 0u;
    var fit_corners = 0u;
    for (var other = 0u; other < PARTS; other += 1u) {
        all_corners += corners[other];
        all_points += points[other];
        fit += fitting[other];
        fit_corners = max(fit_corners, fitting_corners[other]);
    }
    patches[0] = stream.invocations;
    patches[1] = max(stream.primitives, 1u);
    patches[2] = params.first;
    patches[3] = params.points;
    patches[4] = params.constants;
    patches[5] = params.divisions;
    patches[6] = all_points;
    patches[7] = fit;
    // Indexed draw: indices, instances, first index, base vertex, first instance.
    patches[8] = fit_corners;
    patches[9] = 1u;
    patches[10] = params.header + params.indices;
    patches[11] = 0u;
    patches[12] = 0u;
    // Draws: vertices, instances, first vertex, first instance.
    patches[16] = all_corners - fit_corners;
    patches[17] = 1u;
    patches[18] = fit_corners;
    patches[19] = 0u;
    patches[20] = all_corners;
    patches[21] = 1u;
    patches[22] = 0u;
    patches[23] = 0u;
    if params.segment == NONE { return; }
    // The numbers are in the high words.
    let segment = 16u * params.segment;
    for (var word = 0u; word < 16u; word += 1u) { segments[segment + word] = 0u; }
    if stream.groups.w != 0u {
        segments[segment + 1u] = stream.groups.w;
        segments[segment + 3u] = stream.invocations;
    }
    segments[segment + 7u] = stream.invocations;
    segments[segment + 9u] = all_points;
}

// Writes the indices of all patches for which there is room. A workgroup writes one patch after the other.
@compute @workgroup_size(64)
fn write(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    for (var number = group.x; number < patches[7]; number += groups.x) {
        written_patch = number;
        first_index = params.indices + patches[params.divisions + number * DIVISION + 6u];
        write_corners(factors_of(number), thread, 64u);
    }
}
