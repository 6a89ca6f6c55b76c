// Copies bytes between the words of two buffers. wgpu itself copies only whole words.

struct Params {
    // Offset of the first byte in `source`, less than 4.
    from_shift: u32,
    // Offset of the first byte in `destination`, less than 4.
    to_shift: u32,
    bytes: u32,
    // Number of words in `destination`.
    words: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read_write> destination: array<u32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    for (var at = id.x; at < params.words; at += groups.x * 64u) {
        var word = destination[at];
        for (var lane = 0u; lane < 4u; lane++) {
            let place = at * 4u + lane;
            if place >= params.to_shift && place - params.to_shift < params.bytes {
                let start = place - params.to_shift + params.from_shift;
                let byte = (source[start / 4u] >> (start % 4u * 8u)) & 0xffu;
                word = (word & ~(0xffu << (lane * 8u))) | (byte << (lane * 8u));
            }
        }
        destination[at] = word;
    }
}
