// Bitonic sort. Level n merges sorted runs of 2^(n-1) numbers into runs of 2^n numbers. Every second run is descending.
// The merge has n steps. The first step compares numbers that are 2^(n-1) apart and swaps pairs that are in the wrong
// order. Each further step halves the distance, until the last step compares neighbours.
//
// A group of 256 threads runs steps in its shared memory, so it can only compare numbers within the same block of 512.
// The positions in a block differ only in the lowest 9 bits. For steps between numbers that are farther apart,
// `transpose_main` rotates the bits of all positions by 9. In a matrix of 512 columns, numbers that were 512 apart
// thereby become neighbours.

const BITS: u32 = 9; // bits of the positions within a group
const GROUP: u32 = 512; // numbers per group: 2^BITS
const TILE: u32 = 16; // width and height of the tile that a group transposes

struct Sort {
    bits: u32, // there are 2^bits numbers
    rotation: u32, // number of bits by which the positions are rotated to the right
    first_level: u32,
    last_level: u32,
}

struct Matrix {
    width: u32,
    height: u32,
}

@group(0) @binding(0) var<uniform> sort: Sort; // register b0
@group(0) @binding(1) var<uniform> matrix: Matrix; // register b1
@group(1) @binding(0) var<storage> input: array<u32>; // register t0
@group(3) @binding(0) var<storage, read_write> numbers: array<u32>; // register u0

var<workgroup> group: array<u32, GROUP>;

// Runs the steps of the levels in shared memory, but at most `limit` steps. `start` is the group's first position.
fn sort_group(thread: u32, start: u32, limit: u32) {
    var steps = 0u;
    for (var level = sort.first_level; level <= sort.last_level; level++) {
        // The distance is 2^(bit - 1). Steps with larger distances ran while the positions were rotated further.
        for (var bit = min(level - sort.rotation, BITS); bit > 0; bit--) {
            if steps == limit {
                return;
            }
            steps++;
            let distance = 1u << (bit - 1);
            // Insert a zero bit where the two positions of a pair differ, so that each thread handles a different pair.
            let low = thread / distance * distance * 2 + thread % distance;
            let high = low + distance;
            // The pair's position before all rotations determines whether it is in a descending run.
            let rotated = start + low;
            let place = (rotated << sort.rotation) | (rotated >> (sort.bits - sort.rotation));
            let descends = level < sort.bits && ((place >> level) & 1) == 1;
            let a = group[low];
            let b = group[high];
            if (a > b) != descends {
                group[low] = b;
                group[high] = a;
            }
            workgroupBarrier();
        }
    }
}

// Sorts each block of 512 numbers in place.
@compute @workgroup_size(256)
fn sort_main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) id: vec3u) {
    let start = id.x * GROUP;
    group[thread] = numbers[start + thread];
    group[thread + 256] = numbers[start + thread + 256];
    workgroupBarrier();
    sort_group(thread, start, 0xffffffff);
    numbers[start + thread] = group[thread];
    numbers[start + thread + 256] = group[thread + 256];
}

var<workgroup> tile: array<array<u32, TILE>, TILE>;

// Transposes a matrix in tiles, so that neighbouring threads read and write neighbouring elements.
@compute @workgroup_size(TILE, TILE)
fn transpose_main(@builtin(local_invocation_id) thread: vec3u, @builtin(workgroup_id) id: vec3u) {
    let place = id.xy * TILE + thread.xy;
    if place.x < matrix.width && place.y < matrix.height {
        tile[thread.y][thread.x] = input[place.y * matrix.width + place.x];
    }
    workgroupBarrier();
    let other = id.yx * TILE + thread.xy;
    if other.x < matrix.height && other.y < matrix.width {
        numbers[other.y * matrix.height + other.x] = tile[thread.x][thread.y];
    }
}

// For the picture: group n writes the 512 numbers in their order after n steps.
@compute @workgroup_size(256)
fn trace_main(@builtin(local_invocation_index) thread: u32, @builtin(workgroup_id) id: vec3u) {
    group[thread] = input[thread];
    group[thread + 256] = input[thread + 256];
    workgroupBarrier();
    sort_group(thread, 0, id.x);
    numbers[id.x * GROUP + thread] = group[thread];
    numbers[id.x * GROUP + thread + 256] = group[thread + 256];
}

// The picture: bars of the unsorted numbers, a line of colours for each step, and bars of the sorted numbers.

struct Picture {
    lines: u32, // number of lines
    shown: u32, // number of lines to show
}

@group(0) @binding(0) var<uniform> picture: Picture; // register b0

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) place: vec2f, // from (0, 0) at the top left to (1, 1)
}

@vertex
fn vs_main(@builtin(vertex_index) index: u32) -> Corner {
    let place = vec2f(f32(index & 1), f32(index >> 1)) * 2.0;
    return Corner(vec4f(place * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0), 0.0, 1.0), place);
}

const BACKGROUND = vec3f(0.008, 0.01, 0.018);

// Returns a colour from blue (smallest number) through green to red (largest number).
fn color(number: f32) -> vec3f {
    let hue = 0.68 * (1.0 - number);
    let rainbow = clamp(abs(fract(hue + vec3f(0.0, 2.0, 1.0) / 3.0) * 6.0 - 3.0) - 1.0, vec3f(0.0), vec3f(1.0));
    return mix(vec3f(0.03), vec3f(0.9), rainbow * rainbow);
}

// Returns the colour at a height from 0 to 1 of the bar for one number of a line.
fn bar(line: u32, column: u32, height: f32) -> vec3f {
    let number = f32(input[line * GROUP + column]) / 4294967296.0;
    return select(BACKGROUND, color(number), height < number);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    let column = min(u32(corner.place.x * f32(GROUP)), GROUP - 1);
    let y = corner.place.y;
    let last = picture.shown - 1;
    if y < 0.2 {
        return vec4f(bar(0, column, 1.0 - y / 0.2), 1.0);
    } else if y > 0.8 {
        return vec4f(bar(last, column, (1.0 - y) / 0.2), 1.0);
    }
    let at = (y - 0.22) / 0.56 * f32(picture.lines);
    let line = u32(max(at, 0.0));
    // Leave a gap after each level: after 1, 1 + 2, 1 + 2 + 3 steps and so on.
    let level = u32((sqrt(8.0 * f32(line) + 1.0) - 1.0) / 2.0);
    let ends_level = level * (level + 1) / 2 == line;
    if at < 0.0 || line > last || (ends_level && fract(at) > 0.75) {
        return vec4f(BACKGROUND, 1.0);
    }
    return vec4f(color(f32(input[line * GROUP + column]) / 4294967296.0), 1.0);
}
