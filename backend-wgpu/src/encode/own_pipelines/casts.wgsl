// Draws the stencil plane of a depth-stencil texture into the second component of a texture that shaders can
// read.

@group(0) @binding(0) var source: texture_2d<u32>;

@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(f32(index & 1u) * 4.0 - 1.0, 1.0 - f32(index >> 1u) * 4.0, 0.0, 1.0);
}

@fragment
fn stencil(@builtin(position) position: vec4f) -> @location(0) vec4u {
    return vec4u(0u, textureLoad(source, vec2u(position.xy), 0).r & 0xffu, 0u, 1u);
}
