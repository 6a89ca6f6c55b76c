// Halves a texture with the same arithmetic as the library, so that the pictures can be compared bit by bit.

@group(0) @binding(0) var larger: texture_2d<f32>;

@vertex
fn vs_cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let corner = vec2f(f32(index & 1u), f32(index >> 1u)) * 4.0 - 1.0;
    return vec4f(corner, 0.0, 1.0);
}

fn texel(at: vec2i) -> vec4f {
    return textureLoad(larger, clamp(at, vec2i(0), vec2i(textureDimensions(larger)) - 1), 0);
}

@fragment
fn ps_halve(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let size = vec2f(textureDimensions(larger));
    // Halving rounds an odd extent down, so each texel then covers slightly more than two texels of the
    // larger level.
    let scale = size / max(floor(size * 0.5), vec2f(1.0));
    let place = position.xy * scale - 0.5;
    let first = vec2i(floor(place));
    let part = fract(place);
    let above = mix(texel(first), texel(first + vec2i(1, 0)), part.x);
    let below = mix(texel(first + vec2i(0, 1)), texel(first + vec2i(1, 1)), part.x);
    return mix(above, below, part.y);
}
