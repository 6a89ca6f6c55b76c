// Writes one value into consecutive elements of a buffer.

struct Params {
    // Index of the first word in `destination`.
    first: u32,
    words: u32,
    // Number of words in the value.
    period: u32,
    unused: u32,
    // The bits that are written in the first and in the last word.
    first_mask: u32,
    last_mask: u32,
    value: vec4u,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> destination: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var at = id.x; at < params.words; at += groups.x * 64u) {
        let word = params.value[at % params.period];
        var mask = 0xffffffffu;
        if at == 0u { mask &= params.first_mask; }
        if at + 1u == params.words { mask &= params.last_mask; }
        if mask == 0xffffffffu {
            destination[params.first + at] = word;
        } else {
            let kept = destination[params.first + at] & ~mask;
            destination[params.first + at] = kept | (word & mask);
        }
    }
}
