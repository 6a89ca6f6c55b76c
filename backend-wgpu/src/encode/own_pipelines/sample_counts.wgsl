// Sums the counts in a sample counter.

struct Parameters {
    size: vec2u,
    samples: u32,
    segment: u32,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;
@group(0) @binding(1) var counted: TEXTURE;
// Two words for each segment, the low word first.
@group(0) @binding(2) var<storage, read_write> segments: array<array<atomic<u32>, 2>>;

var<workgroup> total: atomic<u32>;

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) at: vec3u, @builtin(local_invocation_index) thread: u32) {
    if all(at.xy < parameters.size) {
        for (var sample = 0u; sample < parameters.samples; sample++) {
            // For a counter with one sample, this argument is the mip level, which is also 0.
            atomicAdd(&total, u32(textureLoad(counted, at.xy, sample).x));
        }
    }
    workgroupBarrier();
    if thread == 0u {
        let more = atomicLoad(&total);
        let before = atomicAdd(&segments[parameters.segment][0], more);
        if before > 0xffffffffu - more {
            atomicAdd(&segments[parameters.segment][1], 1u);
        }
    }
}
