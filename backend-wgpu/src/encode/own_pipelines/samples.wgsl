// Copies the samples of a rectangle of a texture to another texture.

@group(0) @binding(0) var source: TEXTURE;
@group(0) @binding(1) var<uniform> place: Place;

struct Place {
    // Offset from the written texel to the texel that is read.
    ahead: vec2i,
    // The first written texel, and the texel after the last.
    first: vec2i,
    end: vec2i,
}

@vertex
fn cover(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    let uv = vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0;
    return vec4f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0);
}

@fragment
fn copy(@builtin(position) position: vec4f, @builtin(sample_index) at: u32) -> OUTPUT VALUE {
    // Mesa's software adapter (22.3) draws samples up to half a pixel before the scissor rectangle.
    let texel = vec2i(floor(position.xy));
    if any(texel < place.first) || any(texel >= place.end) {
        discard;
    }
    return textureLoad(source, texel + place.ahead, i32(at));
}
