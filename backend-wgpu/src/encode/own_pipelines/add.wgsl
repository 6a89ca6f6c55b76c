// The dispatch of one workgroup that adds the numbers of corners of all patches, and writes the header.
//
// The code has few branches and one store for each part of the header. On llvmpipe, this halves the time of compilation.

// The arguments of the first draw in the header, and their number of words.
const ARGUMENTS = 8u;
const ARGUMENT_WORDS = 16u;
// Number of words of a segment of queries.
const SEGMENT_WORDS = 16u;
const PARTS = 256u;

var<workgroup> corners: array<u32, PARTS>;
// The number of all points.
var<workgroup> points: atomic<u32>;
// The number of patches for whose indices there is room, and the number of their corners.
var<workgroup> fitting: atomic<u32>;
var<workgroup> fitting_corners: atomic<u32>;

// Returns the number of the corners of all patches before a draw.
fn corners_before(draw: u32) -> u32 {
    return patches[division(min(draws[draw].first, numbers.stream.invocations)) + CORNERS];
}

// Returns a word of the arguments of a draw.
fn argument(draw: u32, word: u32) -> u32 {
    let begin = corners_before(draw);
    let end = corners_before(draw + 1u);
    let fit = atomicLoad(&fitting_corners);
    let first = min(begin, fit);
    let tail = max(begin, fit);
    // Indexed draw: indices, instances, first index, base vertex, first instance.
    var value = select(0u, min(end, fit) - first, word == 0u);
    value = select(value, 1u, word == 1u);
    value = select(value, params.header + params.indices + first, word == 2u);
    // Draw of the tail: vertices, instances, first vertex, first instance.
    value = select(value, max(end, fit) - tail, word == 8u);
    value = select(value, 1u, word == 9u);
    value = select(value, tail, word == 10u);
    // Draw of all corners.
    value = select(value, end - begin, word == 12u);
    value = select(value, 1u, word == 13u);
    return select(value, begin, word == 14u);
}

// Returns a word at the start of the header.
fn header_word(word: u32) -> u32 {
    var value = select(0u, numbers.stream.invocations, word == 0u);
    value = select(value, params.points, word == 1u);
    value = select(value, params.constants, word == 2u);
    value = select(value, params.divisions, word == 3u);
    return select(value, atomicLoad(&fitting), word == 4u);
}

// Returns a word of the segment of queries. The numbers of invocations, patches and points are in the high words.
fn measured(word: u32) -> u32 {
    var value = select(0u, numbers.groups.w, word == 1u);
    value = select(value, numbers.stream.written.y, word == 3u);
    value = select(value, numbers.stream.invocations, word == 7u);
    return select(value, atomicLoad(&points), word == 9u);
}

@compute @workgroup_size(PARTS)
fn add(@builtin(local_invocation_index) part: u32) {
    let of_part = (numbers.stream.invocations + PARTS - 1u) / PARTS;
    let begin = min(part * of_part, numbers.stream.invocations);
    let end = min(begin + of_part, numbers.stream.invocations);
    var own_corners = 0u;
    var own_points = 0u;
    for (var number = begin; number < end; number += 1u) {
        let counts = patches[division(number) + CORNERS];
        own_corners += counts & 0xffffu;
        own_points += counts >> 16u;
    }
    corners[part] = own_corners;
    atomicAdd(&points, own_points);
    workgroupBarrier();
    var before = 0u;
    for (var other = 0u; other < part; other += 1u) { before += corners[other]; }
    var fit = 0u;
    var fit_corners = 0u;
    for (var number = begin; number < end; number += 1u) {
        let at = division(number) + CORNERS;
        let after = before + (patches[at] & 0xffffu);
        patches[at] = before;
        before = after;
        let fits = before <= params.room;
        fit = select(fit, number + 1u, fits);
        fit_corners = select(fit_corners, before, fits);
    }
    if part == PARTS - 1u { patches[division(numbers.stream.invocations) + CORNERS] = before; }
    atomicMax(&fitting, fit);
    atomicMax(&fitting_corners, fit_corners);
    workgroupBarrier();
    storageBarrier();
    for (var word = part; word < params.draws * ARGUMENT_WORDS; word += PARTS) {
        patches[ARGUMENTS + word] = argument(word / ARGUMENT_WORDS, word % ARGUMENT_WORDS);
    }
    if part < ARGUMENTS { patches[part] = header_word(part); }
    if params.segment != NONE && part < SEGMENT_WORDS {
        segments[SEGMENT_WORDS * params.segment + part] = measured(part);
    }
}
