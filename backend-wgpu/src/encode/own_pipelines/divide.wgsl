// The dispatch that divides patches, one in each thread. The functions of the tessellator precede this text.

// The positions of the patch's constants and of its division.
var<private> constants_at: u32;
var<private> division_at: u32;

// Limits a factor to the maximum and returns it. The domain shader reads the limited factor, because the limit is part of
// the hull shader (Direct3D 11.3 functional specification, 10.13). Factors that are negative or no numbers stay as they
// are.
fn raw_factor(number: u32) -> f32 {
    let at = constants_at + number;
    let bits = patches[at];
    let is_above = (bits > params.most) & (bits <= 0x7f800000u);
    let factor = select(bits, params.most, is_above);
    patches[at] = factor;
    return bitcast<f32>(factor);
}

fn word(number: u32) -> u32 {
    return patches[division_at + number];
}

fn set_word(number: u32, word: u32) {
    patches[division_at + number] = word;
}

// Returns the number of a patch in the instance of its draw: the last draw that does not begin after the patch.
fn number_in_instance(number: u32) -> u32 {
    var first = 0u;
    var end = params.draws;
    loop {
        if end - first <= 1u { break; }
        let middle = (first + end) / 2u;
        let is_before = draws[middle].first <= number;
        first = select(first, middle, is_before);
        end = select(middle, end, is_before);
    }
    let draw = draws[first];
    let of_instance = select(draw.of_instance, max(numbers.stream.primitives, 1u), draw.of_instance == 0u);
    return (draw.first_of_draw + number - draw.first) % of_instance;
}

@compute @workgroup_size(64)
fn divide(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= numbers.stream.invocations { return; }
    constants_at = params.constants + id.x * params.constant_words;
    division_at = division(id.x);
    process_factors(params.factors);
    let factors = Factors(vec4(word(0u), word(1u), word(2u), word(3u)), vec2(word(4u), word(5u)));
    set_word(CORNERS, corner_count(factors) | (point_count(factors) << 16u));
    set_word(CORNERS + 1u, number_in_instance(id.x));
}
