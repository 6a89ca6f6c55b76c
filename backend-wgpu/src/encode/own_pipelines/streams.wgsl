// The dispatches of stream output that run no shader of the application.

const NONE = 0xffffffffu;

struct Slot {
    // The place of the stream that is written to the slot, or NONE.
    place: u32,
    // Size in bytes of a primitive, and of the buffer.
    primitive: u32,
    size: u32,
    unused: u32,
}

struct AssignParams {
    slots: array<Slot, 4>,
    // For each place, the number of the stream in the shader, and its number in queries.
    streams: vec4<u32>,
    numbers: vec4<u32>,
    // The number of places.
    places: u32,
    // Not 0 if a dispatch has counted the primitives. Otherwise each invocation writes one.
    is_counted: u32,
    // The segment of queries that receives the numbers of primitives, or NONE.
    segment: u32,
    // For an indirect draw, the number of invocations for a primitive, so that the segment also receives the numbers of
    // vertices, primitives and invocations. Otherwise 0.
    of_primitive: u32,
}

@group(0) @binding(0) var<uniform> assign_params: AssignParams;
@group(0) @binding(1) var<storage, read_write> numbers: Numbers;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;
@group(0) @binding(3) var<storage, read_write> filled0: array<u32>;
@group(0) @binding(4) var<storage, read_write> filled1: array<u32>;
@group(0) @binding(5) var<storage, read_write> filled2: array<u32>;
@group(0) @binding(6) var<storage, read_write> filled3: array<u32>;
@group(0) @binding(7) var<storage, read_write> segments: array<u32>;

const PARTS = 256u;
var<workgroup> sums: array<u32, PARTS>;

fn filled(slot: u32) -> u32 {
    switch slot {
        case 0u: { return filled0[0]; }
        case 1u: { return filled1[0]; }
        case 2u: { return filled2[0]; }
        default: { return filled3[0]; }
    }
}

fn add_to_filled(slot: u32, bytes: u32) {
    switch slot {
        case 0u: { filled0[0] += bytes; }
        case 1u: { filled1[0] += bytes; }
        case 2u: { filled2[0] += bytes; }
        default: { filled3[0] += bytes; }
    }
}

// Limits the primitives of the stream at a place to the room in its buffers.
fn assign_room(place: u32, needed: u32) {
    var room = needed;
    for (var slot = 0u; slot < 4u; slot += 1u) {
        let of_slot = assign_params.slots[slot];
        if of_slot.place != place { continue; }
        let position = filled(slot);
        let rest = of_slot.size - min(position, of_slot.size);
        room = min(room, rest / of_slot.primitive);
    }
    for (var slot = 0u; slot < 4u; slot += 1u) {
        let of_slot = assign_params.slots[slot];
        if of_slot.place != place { continue; }
        numbers.stream.bases[slot] = filled(slot);
        add_to_filled(slot, room * of_slot.primitive);
    }
    numbers.stream.written[assign_params.streams[place]] = room;
    if assign_params.segment != NONE {
        let first = 16u * assign_params.segment + 4u * assign_params.numbers[place];
        segments[first] = room;
        segments[first + 2u] = needed;
    }
}

// Turns the count of each thread into the number of primitives before those of the thread, and assigns the room.
@compute @workgroup_size(PARTS)
fn assign(@builtin(local_invocation_index) part: u32) {
    if part < 16u && assign_params.segment != NONE {
        segments[16u * assign_params.segment + part] = 0u;
    }
    storageBarrier();
    for (var place = 0u; place < assign_params.places; place += 1u) {
        let threads = select(0u, numbers.stream.threads, assign_params.is_counted != 0u);
        let of_part = (threads + PARTS - 1u) / PARTS;
        let first = place * threads;
        let begin = first + min(part * of_part, threads);
        let end = first + min((part + 1u) * of_part, threads);
        var sum = 0u;
        for (var at = begin; at < end; at += 1u) { sum += counts[at]; }
        sums[part] = sum;
        workgroupBarrier();
        if part == 0u {
            var before = 0u;
            for (var other = 0u; other < PARTS; other += 1u) {
                let count = sums[other];
                sums[other] = before;
                before += count;
            }
            assign_room(place, select(numbers.stream.invocations, before, assign_params.is_counted != 0u));
        }
        workgroupBarrier();
        var before = sums[part];
        for (var at = begin; at < end; at += 1u) {
            let count = counts[at];
            counts[at] = before;
            before += count;
        }
        workgroupBarrier();
    }
    // The numbers of the input are in the high words.
    if part == 0u && assign_params.segment != NONE && assign_params.of_primitive != 0u {
        let first = 16u * assign_params.segment;
        if numbers.groups.w != 0u {
            segments[first + 1u] = numbers.groups.w;
            segments[first + 3u] = numbers.stream.invocations / assign_params.of_primitive;
        }
        segments[first + 5u] = numbers.stream.invocations;
    }
}

struct ArgumentParams {
    // Not 0 if the draw has indices.
    indexed: u32,
    // Number of vertices of the first primitive, and of further vertices of each other primitive.
    first: u32,
    step: u32,
    // Maximum number of primitives.
    most: u32,
    // Number of invocations for a primitive.
    instances: u32,
    // Position in `constants` of the draw's first index, or 0 if the shader does not read it.
    index_place: u32,
    // Maximum number of threads, and number of threads of a workgroup.
    most_threads: u32,
    of_group: u32,
    // The first invocation of a part of the draw, and the maximum number of invocations.
    first_invocation: u32,
    most_invocations: u32,
    // 1 if the vertices of the draw are counted, and 0 if they are those of tessellated patches or if another part of the
    // draw counts them.
    counted: u32,
    // The segment that receives the number of invocations beyond the last part of the draw, or NONE.
    segment: u32,
}

@group(0) @binding(0) var<uniform> params: ArgumentParams;
@group(0) @binding(1) var<storage, read> arguments: array<u32, 5>;
// The constants of pulled vertices.
@group(0) @binding(2) var<storage, read_write> constants: array<u32>;
@group(0) @binding(3) var<storage, read_write> new_numbers: Numbers;
@group(0) @binding(4) var<storage, read_write> lost: array<vec2<u32>>;

// Returns the quotient of two numbers, rounded up.
fn quotient(number: u32, divisor: u32) -> u32 {
    return number / divisor + select(0u, 1u, number % divisor != 0u);
}

// Finds the numbers of an indirect draw.
@compute @workgroup_size(1)
fn find_numbers() {
    var primitives = 0u;
    if arguments[0] >= params.first {
        primitives = min((arguments[0] - params.first) / params.step + 1u, params.most);
    }
    // A draw with too many invocations writes nothing.
    let instances = arguments[1];
    let of_primitive = params.instances;
    if instances > 0u && primitives > NONE / of_primitive / instances { primitives = 0u; }
    let is_indexed = params.indexed != 0u;
    constants[0] = select(arguments[2], arguments[3], is_indexed);
    constants[1] = select(arguments[3], arguments[4], is_indexed);
    constants[2] = primitives;
    if params.index_place != 0u { constants[params.index_place] = arguments[2]; }
    let all = primitives * of_primitive * instances;
    let first = min(params.first_invocation, all);
    let invocations = min(all - first, params.most_invocations);
    if params.segment != NONE { lost[params.segment] = vec2(all - first - invocations, 0u); }
    let of_thread = max(quotient(invocations, params.most_threads), 1u);
    let threads = quotient(invocations, of_thread);
    let groups = quotient(threads, params.of_group);
    new_numbers.stream.primitives = primitives;
    new_numbers.stream.invocations = invocations;
    new_numbers.stream.of_thread = of_thread;
    new_numbers.stream.threads = threads;
    // Where no streams are written, the numbers of written primitives are not used otherwise.
    new_numbers.stream.written = vec4(first, params.counted * all, 0u, 0u);
    new_numbers.groups = vec4(groups, 1u, 1u, params.counted * arguments[0] * instances);
}

// The offset and the stride of the binding as a vertex buffer.
@group(0) @binding(0) var<uniform> binding: vec4<u32>;
// The filled size of a buffer, and from word 4 on the arguments of the draw.
@group(0) @binding(1) var<storage, read_write> filled_size: array<u32, 8>;

// Finds the number of vertices of an automatic draw.
@compute @workgroup_size(1)
fn draw_auto() {
    let bytes = filled_size[0] - min(filled_size[0], binding.x);
    filled_size[4] = bytes / binding.y;
    filled_size[5] = 1u;
    filled_size[6] = 0u;
    filled_size[7] = 0u;
}
