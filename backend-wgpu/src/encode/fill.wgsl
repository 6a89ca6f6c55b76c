// Writes one value into consecutive words of a buffer.

struct Params {
    // First word in `destination`.
    first: u32,
    words: u32,
    value: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> destination: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var at = id.x; at < params.words; at += groups.x * 64u) {
        destination[params.first + at] = params.value;
    }
}
