// Copies the samples of a part of a texture to the same places of another one.

@group(0) @binding(0) var source: texture_multisampled_2d<SCALAR>;

@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let uv = vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0;
    return vec4f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0);
}

@fragment
fn copy(@builtin(position) position: vec4f, @builtin(sample_index) at: u32) -> @location(0) vec4<SCALAR> {
    return textureLoad(source, vec2i(position.xy), i32(at));
}
