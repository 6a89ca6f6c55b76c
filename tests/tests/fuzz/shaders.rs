//! The shaders of random programs, each with different inputs and resources.

pub(crate) const VERTEX: &[&str] = &[
    "@vertex fn main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4<f32> {
        let x = f32(i % 3u) - 1.0;
        let y = f32((i / 2u) % 3u) - 1.0;
        return vec4<f32>(x, y, 0.25, 1.0);
    }",
    "@vertex fn main(@location(0) position: vec4<f32>) -> @builtin(position) vec4<f32> { return position; }",
    "struct Out { @builtin(position) at: vec4<f32>, @location(0) color: vec4<f32>, @location(1) uv: vec2<f32> }
    @vertex fn main(@location(0) position: vec2<f32>, @location(1) color: vec4<f32>,
        @location(2) offset: vec2<f32>) -> Out {
        return Out(vec4<f32>(position + offset, 0.5, 1.0), color, position);
    }",
    "struct Big { rows: array<vec4<f32>, 24> }
    struct Small { tint: vec4<f32>, scale: f32 }
    @group(0) @binding(0) var<uniform> big: Big;
    @group(0) @binding(3) var<uniform> small: Small;
    struct Out { @builtin(position) at: vec4<f32>, @location(0) color: vec4<f32> }
    @vertex fn main(@location(0) position: vec3<f32>, @builtin(vertex_index) v: u32,
        @builtin(instance_index) n: u32) -> Out {
        let row = big.rows[(v + n) % 24u];
        return Out(vec4<f32>(position + row.xyz + f32(n) * 0.1, 1.0), small.tint * small.scale);
    }",
    "@group(1) @binding(0) var image: texture_2d<f32>;
    @group(1) @binding(5) var depth: texture_depth_2d;
    @vertex fn main(@builtin(vertex_index) i: u32, @location(3) texcoord: vec2<f32>)
        -> @builtin(position) vec4<f32> {
        let texel = textureLoad(image, vec2<i32>(i32(i), 0), 0) + textureLoad(depth, vec2<i32>(0, 0), 1);
        return vec4<f32>(texcoord + texel.xy, texel.z, 1.0);
    }",
    "struct Out { @builtin(position) at: vec4<f32>, @location(0) @interpolate(flat) id: vec2<u32> }
    @vertex fn main(@location(0) position: vec4<u32>, @location(1) normal: vec2<i32>,
        @builtin(instance_index) n: u32) -> Out {
        return Out(vec4<f32>(vec4<i32>(position) + normal.xyxy) / 128.0, position.xy + n);
    }",
    "struct Out { @builtin(position) at: vec4<f32>, @location(0) color: vec4<f32>, @location(1) uv: vec2<f32> }
    @vertex fn main(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> Out {
        let x = select(-1.0, 3.0, (i & 1u) != 0u);
        let y = select(-1.0, 3.0, (i & 2u) != 0u);
        return Out(vec4<f32>(x, y, f32(n) * 0.2, 1.0), vec4<f32>(x, y, f32(i), 1.0), vec2<f32>(x, y));
    }",
];

pub(crate) const PIXEL: &[&str] = &[
    "@group(3) @binding(7) var<storage, read_write> sums: array<atomic<u32>>;
    @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        let count = arrayLength(&sums);
        if count > 0u { atomicAdd(&sums[u32(at.x) % count], u32(at.y) + 1u); }
        return vec4<f32>(0.5, 0.25, 0.125, 1.0);
    }",
    "@group(3) @binding(6) var<storage, read_write> largest: array<atomic<u32>>;
    @group(3) @binding(7) var<storage, read_write> bits: array<atomic<u32>>;
    @fragment fn main(@builtin(position) at: vec4<f32>) {
        let counts = vec2<u32>(arrayLength(&largest), arrayLength(&bits));
        if counts.x > 0u { atomicMax(&largest[u32(at.y) % counts.x], u32(at.x) * 100u); }
        if counts.y > 0u { atomicXor(&bits[u32(at.x + at.y) % counts.y], 1u << u32(at.x)); }
    }",
    "@group(3) @binding(6) var counts: texture_storage_1d<r32uint, atomic>;
    @group(3) @binding(7) var output: texture_storage_1d<rgba32float, write>;
    @group(1) @binding(0) var input: texture_1d<f32>;
    @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        let column = u32(at.x);
        textureAtomicMax(counts, column, column * 77u);
        textureStore(output, column, vec4<f32>(at.x, 0.5, -1.0, 0.25) / 16.0);
        return textureLoad(input, column, 0);
    }",
    "@group(3) @binding(7) var<storage, read_write> same: array<u32>;
    @group(4) @binding(7) var<storage, read_write> count: atomic<u32>;
    @fragment fn main() -> @location(0) vec4<f32> {
        let old = same[0];
        if arrayLength(&same) > 1u { same[1] = 77u; }
        atomicAdd(&count, 1u);
        return vec4<f32>(f32(old & 255u) / 255.0);
    }",
    "@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(0.25, 0.5, 0.75, 1.0); }",
    "struct Block { color: vec4<f32>, rest: array<vec4<f32>, 15> }
    @group(0) @binding(0) var<uniform> block: Block;
    @fragment fn main() -> @location(0) vec4<f32> { return block.color + block.rest[14]; }",
    "@group(1) @binding(0) var image: texture_2d<f32>;
    @group(1) @binding(1) var other: texture_2d<f32>;
    @group(2) @binding(0) var linear: sampler;
    @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        let uv = at.xy / 16.0;
        return textureSample(image, linear, uv) + textureSampleLevel(other, linear, uv, 1.0);
    }",
    "@group(1) @binding(0) var shadow: texture_depth_2d;
    @group(1) @binding(1) var shadows: texture_depth_2d_array;
    @group(2) @binding(0) var compare: sampler_comparison;
    @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        let uv = at.xy / 16.0;
        let one = textureSampleCompareLevel(shadow, compare, uv, 0.5);
        return vec4<f32>(one, textureSampleCompareLevel(shadows, compare, uv, 1, 0.25), 0.0, 1.0);
    }",
    "@fragment fn main(@location(0) @interpolate(flat) id: vec2<u32>) -> @location(0) vec4<u32> {
        return vec4<u32>(id, 7u, 255u);
    }",
    "@fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<i32> {
        return vec4<i32>(i32(at.x), -1, 3, -100);
    }",
    "struct Out { @location(0) a: vec4<f32>, @location(2) b: vec4<f32>, @location(5) c: vec4<u32> }
    @fragment fn main(@location(0) color: vec4<f32>) -> Out {
        return Out(color, color.zyxw, vec4<u32>(1u, 2u, 3u, 4u));
    }",
    "@group(1) @binding(0) var slices: texture_2d_array<f32>;
    @group(1) @binding(2) var cube: texture_cube<f32>;
    @group(1) @binding(3) var cubes: texture_cube_array<f32>;
    @group(1) @binding(5) var whole: texture_2d<u32>;
    @group(1) @binding(6) var signed: texture_2d<i32>;
    @group(2) @binding(1) var point: sampler;
    @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        let texel = vec2<i32>(at.xy);
        return textureSampleLevel(slices, point, at.xy / 8.0, 1, 0.0)
            + textureSampleLevel(cube, point, at.xyz, 0.0)
            + textureSampleLevel(cubes, point, at.xyz, 1, 0.0)
            + vec4<f32>(textureLoad(whole, texel, 0)) + vec4<f32>(textureLoad(signed, texel, 1));
    }",
    "struct Out { @location(0) color: vec4<f32>, @builtin(frag_depth) depth: f32 }
    @fragment fn main(@builtin(position) at: vec4<f32>) -> Out {
        return Out(vec4<f32>(at.z), fract(at.x * 0.3));
    }",
    "struct Out { @location(0) color: vec4<f32>, @builtin(sample_mask) mask: u32 }
    @fragment fn main(@builtin(front_facing) front: bool) -> Out {
        return Out(select(vec4<f32>(1.0), vec4<f32>(0.5), front), 1u);
    }",
    "struct Item { a: vec4<f32>, b: u32 }
    @group(1) @binding(1) var<storage, read> items: array<Item>;
    @group(1) @binding(2) var line: texture_1d<f32>;
    @group(1) @binding(3) var volume: texture_3d<f32>;
    @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        let n = u32(at.x) % 16u;
        return items[n].a + f32(items[n].b) + textureLoad(line, 0, 0) + textureLoad(volume, vec3<i32>(), 0);
    }",
    "@fragment fn main(@location(0) color: vec4<f32>, @location(1) uv: vec2<f32>) -> @location(0) vec4<f32> {
        if uv.x > 0.75 { discard; }
        return color + vec4<f32>(dpdx(uv), 0.0, 0.0);
    }",
    "struct Last { at: array<vec4<f32>, 4> }
    @group(0) @binding(13) var<uniform> last: Last;
    @group(1) @binding(127) var image: texture_2d<f32>;
    @group(2) @binding(15) var linear: sampler;
    @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        return last.at[3] + textureSampleLevel(image, linear, at.xy, 0.0);
    }",
    "@fragment fn main() -> @location(0) f32 { return 0.5; }",
    "@group(1) @binding(0) var image: texture_2d<f32>;
    @group(1) @binding(1) var depth: texture_depth_2d;
    @group(2) @binding(0) var plain: sampler;
    @group(2) @binding(1) var compare: sampler_comparison;
    @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(1) vec4<f32> {
        let uv = at.xy / 4.0;
        let size = vec2<f32>(textureDimensions(image, 0));
        return textureGather(1, image, plain, uv) + textureSampleLevel(depth, plain, uv, 0)
            + textureSampleCompareLevel(depth, compare, uv, 0.5) + size.xyxy
            + f32(textureNumLevels(image));
    }",
    "@fragment fn main(@builtin(position) at: vec4<f32>) { if at.x > 4.0 { discard; } }",
    "@group(1) @binding(0) var samples: texture_multisampled_2d<f32>;
    @group(1) @binding(1) var depths: texture_depth_multisampled_2d;
    @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        let texel = vec2<i32>(at.xy);
        return textureLoad(samples, texel, 1) + textureLoad(depths, texel, 0);
    }",
    "@group(1) @binding(1) var cube: texture_depth_cube;
    @group(1) @binding(2) var whole: texture_2d_array<u32>;
    @group(2) @binding(0) var plain: sampler;
    @fragment fn main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<u32> {
        let texel = vec2<i32>(at.xy);
        let depth = textureSampleLevel(cube, plain, at.xyz, 0);
        return textureLoad(whole, texel, 2, 1) + u32(depth * 16.0) + textureNumLayers(whole);
    }",
    "enable dual_source_blending;
    struct Out { @location(0) @blend_src(0) a: vec4<f32>, @location(0) @blend_src(1) b: vec4<f32> }
    @fragment fn main() -> Out { return Out(vec4<f32>(0.5), vec4<f32>(0.25)); }",
];

/// Compute shaders whose results do not depend on the order of the threads.
pub(crate) const COMPUTE: &[&str] = &[
    "@group(1) @binding(0) var<storage, read> input: array<u32>;
    @group(3) @binding(0) var<storage, read_write> output: array<u32>;
    @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.y + id.z == 0u && id.x < arrayLength(&output) {
            output[id.x] = output[id.x] * 3u + input[id.x] + arrayLength(&input);
        }
    }",
    "struct Item { a: vec2<u32>, b: u32 }
    @group(1) @binding(1) var<storage, read> items: array<Item>;
    @group(3) @binding(0) var<storage, read_write> first: array<vec2<u32>>;
    @group(3) @binding(2) var<storage, read_write> second: array<vec4<u32>>;
    @compute @workgroup_size(4, 2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.y + id.z == 0u {
            if id.x < arrayLength(&first) { first[id.x] = first[id.x].yx + items[id.x].a; }
            if id.x < arrayLength(&second) { second[id.x] += vec4<u32>(items[id.x].b, id); }
        }
    }",
    "@group(3) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;
    @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let length = arrayLength(&counts);
        if length > 0u { atomicAdd(&counts[(id.x + id.y) % length], id.z + 1u); }
    }",
    "struct Block { scale: vec4<u32>, rest: array<vec4<u32>, 15> }
    @group(0) @binding(0) var<uniform> block: Block;
    @group(1) @binding(2) var image: texture_2d<f32>;
    @group(2) @binding(0) var linear: sampler;
    @group(3) @binding(0) var<storage, read_write> output: array<u32>;
    @compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let texel = textureSampleLevel(image, linear, vec2<f32>(id.xy) / 8.0, 0.0);
        if id.y + id.z == 0u && id.x < arrayLength(&output) {
            output[id.x] = bitcast<u32>(texel.x) + block.scale.x * block.rest[14].w;
        }
    }",
    "@group(3) @binding(0) var<storage, read_write> sums: array<u32>;
    @group(1) @binding(0) var<storage, read> input: array<u32>;
    var<workgroup> shared_sum: atomic<u32>;
    @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) at: u32,
        @builtin(workgroup_id) group: vec3<u32>) {
        atomicAdd(&shared_sum, input[at + 32u * group.x]);
        workgroupBarrier();
        if at == 0u && group.y + group.z == 0u && group.x < arrayLength(&sums) {
            sums[group.x] = atomicLoad(&shared_sum);
        }
    }",
    // The result is the same no matter which thread gets which number.
    "@group(3) @binding(0) var<storage, read_write> items: array<atomic<u32>>;
    @group(4) @binding(0) var<storage, read_write> count: atomic<u32>;
    @compute @workgroup_size(2) fn main() {
        let at = atomicAdd(&count, 1u);
        if at < arrayLength(&items) { atomicAdd(&items[at], 5u); }
    }",
    "@group(4) @binding(0) var<storage, read_write> count: atomic<u32>;
    @group(4) @binding(1) var<storage, read_write> other: atomic<u32>;
    @compute @workgroup_size(3) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        atomicSub(&count, id.x % 2u);
        atomicAdd(&other, id.x + id.y);
    }",
    "@compute @workgroup_size(1) fn main() {}",
    // Typed buffers, so short in some cases that most threads are out of range.
    "@group(1) @binding(0) var input: texture_1d<u32>;
    @group(3) @binding(0) var output: texture_storage_1d<rgba32uint, read_write>;
    @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.y + id.z == 0u {
            let value = textureLoad(output, id.x) * 3u + textureLoad(input, id.x, 0);
            textureStore(output, id.x, value + textureDimensions(input));
        }
    }",
    "@group(1) @binding(1) var input: texture_1d<f32>;
    @group(3) @binding(1) var output: texture_storage_1d<rgba32float, read_write>;
    @compute @workgroup_size(16) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.y + id.z == 0u {
            textureStore(output, id.x, textureLoad(output, id.x).yxwz * 0.5 + textureLoad(input, id.x, 0));
        }
    }",
    "@group(1) @binding(0) var<storage, read> words: array<u32>;
    @group(1) @binding(1) var input: texture_1d<f32>;
    @group(3) @binding(0) var counts: texture_storage_1d<r32uint, atomic>;
    @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        textureAtomicAdd(counts, id.x + id.y, words[id.x] + textureDimensions(input));
    }",
    // Writable textures of one to three dimensions, where each thread writes its own texel.
    "@group(1) @binding(0) var input: texture_2d<f32>;
    @group(3) @binding(0) var output: texture_storage_2d<rgba8unorm, write>;
    @group(3) @binding(1) var whole: texture_storage_2d<r32uint, read_write>;
    @compute @workgroup_size(4, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.z == 0u {
            textureStore(output, id.xy, textureLoad(input, id.yx, 0).yxwz);
            textureStore(whole, id.xy, textureLoad(whole, id.xy) * 5u + id.x);
        }
    }",
    "@group(1) @binding(0) var volume: texture_3d<f32>;
    @group(1) @binding(1) var row: texture_1d<f32>;
    @group(1) @binding(2) var rows: texture_2d_array<f32>;
    @group(2) @binding(0) var linear: sampler;
    @group(3) @binding(0) var output: texture_storage_3d<rgba8unorm, write>;
    @group(3) @binding(1) var whole: texture_storage_3d<r32uint, read_write>;
    @compute @workgroup_size(4, 4) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        let color = textureSampleLevel(volume, linear, vec3<f32>(id) / 5.0, 0.5)
            + textureLoad(row, id.x, 0) + textureLoad(rows, vec2<u32>(id.y, 0u), 1, 0);
        textureStore(output, id, color);
        textureStore(whole, id, textureLoad(whole, id) * 3u + textureDimensions(whole).z);
    }",
    "@group(1) @binding(1) var input: texture_1d<f32>;
    @group(3) @binding(0) var rows: texture_storage_2d_array<r32float, write>;
    @group(3) @binding(1) var row: texture_storage_1d<rgba8unorm, write>;
    @compute @workgroup_size(8) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
        if id.z == 0u {
            let color = textureLoad(input, id.x, 1) * 0.5;
            textureStore(rows, vec2<u32>(id.x, 0u), id.y, color);
            if id.y == 0u { textureStore(row, id.x, color.wzyx + 0.125); }
        }
    }",
];
