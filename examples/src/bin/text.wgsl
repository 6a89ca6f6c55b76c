struct Constants {
    window: vec2f, // in pixels
    pivot: vec2f,
    turn: vec2f, // cosine and sine
    time: f32,
    wave: f32,
}

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) texcoord: vec2f,
    @location(1) @interpolate(flat) color: vec3f,
}

@group(0) @binding(0) var<uniform> constants: Constants; // register b0
@group(1) @binding(0) var atlas: texture_2d<f32>; // register t0
@group(2) @binding(0) var atlas_sampler: sampler; // register s0

// Converts an sRGB colour to linear light.
fn linear(color: vec3f) -> vec3f {
    return select(pow((color + 0.055) / 1.055, vec3f(2.4)), color / 12.92, color <= vec3f(0.04045));
}

@vertex
fn vs_main(
    @builtin(vertex_index) index: u32,
    @location(0) place: vec4f,
    @location(1) part: vec4f,
    @location(2) color: vec4f,
    @location(3) sway: f32,
) -> Corner {
    let corner = vec2f(f32(index & 1), f32(index >> 1));
    var at = mix(place.xy, place.zw, corner);
    if sway > 0.0 {
        at.y += sin(at.x / constants.wave * 0.08 - constants.time * 3.0) * constants.wave;
        let from_pivot = at - constants.pivot;
        let turn = constants.turn;
        at = constants.pivot + mat2x2f(turn.x, turn.y, -turn.y, turn.x) * from_pivot;
    }
    let position = at / constants.window * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0);
    return Corner(vec4f(position, 0.0, 1.0), mix(part.xy, part.zw, corner), linear(color.rgb));
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    return vec4f(corner.color, textureSample(atlas, atlas_sampler, corner.texcoord).r);
}
