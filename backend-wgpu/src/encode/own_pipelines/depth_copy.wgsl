// Copies depth and stencil between wgpu's textures and the memory layout of Direct3D 11. wgpu's textures
// separate the two aspects and do not expose their bits. In Direct3D 11's layout, both are in one texel.

struct Params {
    width: u32,
    height: u32,
    // Words from one row to the next.
    pitch: u32,
    // Index of the first word.
    start: u32,
    // 0: 24 bits of depth and 8 of stencil. 1: 32 bits of depth and a word of stencil. 2: 32 bits of depth.
    format: u32,
}

@group(0) @binding(0) var<uniform> params: Params;

fn place(at: vec2u) -> u32 {
    let texel = select(at.x, at.x * 2u, params.format == 1u);
    return params.start + at.y * params.pitch + texel;
}

// From textures to memory.

@group(0) @binding(1) var depth_texture: texture_depth_2d;
@group(0) @binding(2) var stencil_texture: texture_2d<u32>;
@group(0) @binding(3) var<storage, read_write> packed_texels: array<u32>;

// Returns the 24-bit number that is read as this depth. Adapters divide, or multiply by the reciprocal, so
// rounding the product may differ by one.
fn bits24(depth: f32) -> u32 {
    let near = i32(round(depth * 16777215.0));
    for (var step = 0; step < 3; step++) {
        let bits = near + select(step, -1, step == 2);
        if f32(bits) / 16777215.0 == depth || f32(bits) * (1.0 / 16777215.0) == depth {
            return u32(bits);
        }
    }
    return u32(near);
}

@compute @workgroup_size(8, 8)
fn pack(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= params.width || id.y >= params.height {
        return;
    }
    let depth = textureLoad(depth_texture, id.xy, 0);
    let stencil = textureLoad(stencil_texture, id.xy, 0).r & 0xffu;
    let at = place(id.xy);
    if params.format == 0u {
        packed_texels[at] = bits24(depth) | (stencil << 24u);
    } else {
        packed_texels[at] = bitcast<u32>(depth);
        packed_texels[at + 1u] = stencil;
    }
}

// From memory to a buffer of stencil bytes, whose rows are multiples of 256 bytes.

@group(0) @binding(1) var<storage, read> texels: array<u32>;
@group(0) @binding(2) var<storage, read_write> stencil_bytes: array<u32>;

fn stencil_at(at: vec2u) -> u32 {
    if at.x >= params.width {
        return 0u;
    }
    if params.format == 0u {
        return texels[place(at)] >> 24u;
    }
    return texels[place(at) + 1u] & 0xffu;
}

@compute @workgroup_size(8, 8)
fn unpack_stencil(@builtin(global_invocation_id) id: vec3u) {
    let row_words = (params.width + 255u) / 256u * 64u;
    if id.x >= row_words || id.y >= params.height {
        return;
    }
    var word = 0u;
    for (var lane = 0u; lane < 4u; lane++) {
        word |= stencil_at(vec2u(id.x * 4u + lane, id.y)) << (lane * 8u);
    }
    stencil_bytes[id.y * row_words + id.x] = word;
}

// From memory to depth, with a draw.

@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(f32(index & 1u) * 4.0 - 1.0, 1.0 - f32(index >> 1u) * 4.0, 0.0, 1.0);
}

@fragment
fn unpack_depth(@builtin(position) position: vec4f) -> @builtin(frag_depth) f32 {
    let word = texels[place(vec2u(position.xy))];
    if params.format == 0u {
        return f32(word & 0xffffffu) / 16777215.0;
    }
    return bitcast<f32>(word);
}
