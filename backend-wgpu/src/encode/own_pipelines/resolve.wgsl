// Averages the samples of each texel.

@group(0) @binding(0) var source: texture_multisampled_2d<f32>;

@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let uv = vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0;
    return vec4f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0);
}

@fragment
fn average(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let samples = textureNumSamples(source);
    var sum = vec4f();
    for (var at = 0u; at < samples; at++) {
        sum += textureLoad(source, vec2i(position.xy), at);
    }
    return sum / f32(samples);
}
