// Draws floats into a depth texture.

@group(0) @binding(0) var source: texture_2d<f32>;

@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(f32(index & 1u) * 4.0 - 1.0, 1.0 - f32(index >> 1u) * 4.0, 0.0, 1.0);
}

@fragment
fn depth(@builtin(position) position: vec4f) -> @builtin(frag_depth) f32 {
    return textureLoad(source, vec2u(position.xy), 0).r;
}
