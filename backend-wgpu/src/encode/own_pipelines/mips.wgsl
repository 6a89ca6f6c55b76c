// Halves a texture. The shader filters without a sampler, so it also supports formats that samplers cannot
// filter, with the precision of floats. For sizes that halve evenly, the result is the mean of four texels.

@group(0) @binding(0) var source: texture_2d<f32>;

struct Varying {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
}

@vertex
fn cover(@builtin(vertex_index) index: u32) -> Varying {
    let uv = vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0;
    return Varying(vec4f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}

@fragment
fn halve(at_pixel: Varying) -> @location(0) vec4f {
    let size = vec2i(textureDimensions(source));
    let at = at_pixel.uv * vec2f(size) - 0.5;
    let low = vec2i(floor(at));
    let part = at - floor(at);
    let a = clamp(low, vec2i(0), size - 1);
    let b = clamp(low + 1, vec2i(0), size - 1);
    let top = mix(textureLoad(source, a, 0), textureLoad(source, vec2i(b.x, a.y), 0), part.x);
    let bottom = mix(textureLoad(source, vec2i(a.x, b.y), 0), textureLoad(source, b, 0), part.x);
    return mix(top, bottom, part.y);
}
