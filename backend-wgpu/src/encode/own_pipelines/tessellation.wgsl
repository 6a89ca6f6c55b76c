// The dispatches of the tessellator, after those that store control points and patch constants. The functions of the
// tessellator itself precede this text.

// The numbers of the dispatch that has stored the patch constants, one patch in each invocation.
struct Stream {
    primitives: u32,
    invocations: u32,
    of_thread: u32,
    threads: u32,
    bases: vec4<u32>,
    // The number of the first invocation, and that of all patches of an indirect draw.
    written: vec4<u32>,
    // The last number is that of the vertices of an indirect draw.
    groups: vec4<u32>,
}

struct Params {
    // Number of draws.
    draws: u32,
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

// A draw, whose patches follow those of the draw before it.
struct Draw {
    // Number of its first patch, of all that are stored.
    first: u32,
    // Number of that patch in the draw, which is drawn in parts if it is large.
    first_of_draw: u32,
    // Number of patches in each instance, or 0 if only the GPU knows it.
    of_instance: u32,
    unused: u32,
}

const NONE = 0xffffffffu;

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> stream: Stream;
@group(0) @binding(2) var<storage, read_write> patches: array<u32>;
@group(0) @binding(3) var<storage, read_write> segments: array<u32>;
@group(0) @binding(4) var<storage> draws: array<Draw>;

const DIVISION = 8u;
// The arguments of the first draw in the header, and their number of words.
const ARGUMENTS = 8u;
const ARGUMENT_WORDS = 16u;
// Number of words of a segment of queries.
const SEGMENT_WORDS = 16u;
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
    let factor = select(bits, params.most, is_above);
    patches[at] = factor;
    return bitcast<f32>(factor);
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
    let from_inside = from_word + EDGES;
    // Without loops, which compilers unroll, and variable components of vectors, compilation takes half the time.
    var edges = vec4(limited(from_word), limited(from_word + 1u), 0.0, 0.0);
    var inside = vec2<f32>();
    if EDGES > 2u { edges.z = limited(from_word + 2u); }
    if EDGES > 3u { edges.w = limited(from_word + 3u); }
    if INSIDE > 0u { inside.x = limited(from_inside); }
    if INSIDE > 1u { inside.y = limited(from_inside + 1u); }
    let factors = process_factors(edges, inside);
    let at = params.divisions + id.x * DIVISION;
    patches[at] = factors.edges.x;
    patches[at + 1u] = factors.edges.y;
    patches[at + 2u] = factors.edges.z;
    patches[at + 3u] = factors.edges.w;
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
var<workgroup> all_corners: u32;
var<workgroup> all_fitting: u32;
var<workgroup> all_points: u32;

// Finds the draw of a patch: the last one that does not begin after it.
fn find_draw(patch_number: u32) -> u32 {
    var first = 0u;
    var end = params.draws;
    loop {
        if end - first <= 1u { break; }
        let middle = (first + end) / 2u;
        if draws[middle].first <= patch_number { first = middle; } else { end = middle; }
    }
    return first;
}

// Returns the number of the corners of all patches before one.
fn corners_before(number: u32) -> u32 {
    if number >= stream.invocations { return all_corners; }
    return patches[params.divisions + number * DIVISION + 6u];
}

fn write_arguments(draw: u32) {
    let begin = corners_before(draws[draw].first);
    var end = all_corners;
    if draw + 1u < params.draws { end = corners_before(draws[draw + 1u].first); }
    let first = min(begin, all_fitting);
    let indices = min(end, all_fitting) - first;
    let at = ARGUMENTS + draw * ARGUMENT_WORDS;
    // Indexed draw: indices, instances, first index, base vertex, first instance.
    patches[at] = indices;
    patches[at + 1u] = 1u;
    patches[at + 2u] = params.header + params.indices + first;
    patches[at + 3u] = 0u;
    patches[at + 4u] = 0u;
    // Draws: vertices, instances, first vertex, first instance.
    patches[at + 8u] = end - begin - indices;
    patches[at + 9u] = 1u;
    patches[at + 10u] = begin + indices;
    patches[at + 11u] = 0u;
    patches[at + 12u] = end - begin;
    patches[at + 13u] = 1u;
    patches[at + 14u] = begin;
    patches[at + 15u] = 0u;
}

// Turns the number of corners of each patch into that of all patches before it, and the number of its points into its
// number in the instance of its draw. Then writes the header.
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
    var draw = find_draw(begin);
    for (var number = begin; number < end; number += 1u) {
        loop {
            if draw + 1u >= params.draws || draws[draw + 1u].first > number { break; }
            draw += 1u;
        }
        var of_instance = draws[draw].of_instance;
        if of_instance == 0u { of_instance = max(stream.primitives, 1u); }
        let at = params.divisions + number * DIVISION;
        let count = patches[at + 6u];
        patches[at + 6u] = before;
        patches[at + 7u] = (draws[draw].first_of_draw + number - draws[draw].first) % of_instance;
        before += count;
        if before <= params.room {
            fit += 1u;
            own_corners = before;
        }
    }
    fitting[part] = fit;
    fitting_corners[part] = select(0u, own_corners, fit > 0u);
    if part == PARTS - 1u { all_corners = before; }
    workgroupBarrier();
    if part == 0u { write_header(); }
    workgroupBarrier();
    storageBarrier();
    for (draw = part; draw < params.draws; draw += PARTS) { write_arguments(draw); }
    if params.segment != NONE && part < SEGMENT_WORDS {
        segments[SEGMENT_WORDS * params.segment + part] = measured(part);
    }
}

fn write_header() {
    var point_sum = 0u;
    var fit = 0u;
    var fit_corners = 0u;
    for (var other = 0u; other < PARTS; other += 1u) {
        point_sum += points[other];
        fit += fitting[other];
        fit_corners = max(fit_corners, fitting_corners[other]);
    }
    all_fitting = fit_corners;
    all_points = point_sum;
    patches[0] = stream.invocations;
    patches[1] = params.points;
    patches[2] = params.constants;
    patches[3] = params.divisions;
    patches[4] = fit;
}

// Returns a word of the segment of queries. The numbers of invocations, patches and points are in the high words.
fn measured(word: u32) -> u32 {
    let of_input = select(stream.written.y, stream.groups.w, word == 1u);
    let of_patches = select(stream.invocations, all_points, word == 9u);
    let is_patches = word == 7u || word == 9u;
    return select(select(0u, of_input, word == 1u || word == 3u), of_patches, is_patches);
}

// Writes the indices of all patches for which there is room. A workgroup writes one patch after the other.
@compute @workgroup_size(64)
fn write(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    for (var number = group.x; number < patches[4]; number += groups.x) {
        written_patch = number;
        first_index = params.indices + patches[params.divisions + number * DIVISION + 6u];
        write_corners(factors_of(number), thread, 64u);
    }
}
