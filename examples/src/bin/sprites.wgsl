struct Corner {
    @builtin(position) position: vec4f,
    @location(0) texcoord: vec2f,
    @location(1) @interpolate(flat) color: vec3f,
}

@group(0) @binding(0) var<uniform> aspect_ratio: f32; // register b0
@group(1) @binding(0) var atlas: texture_2d<f32>; // register t0
@group(2) @binding(0) var atlas_sampler: sampler; // register s0

// Draws each sprite as a strip of four corners.
@vertex
fn vs_main(
    @builtin(vertex_index) index: u32,
    @location(0) position: vec2f,
    @location(1) look: vec4f,
    @location(2) color: vec4f,
) -> Corner {
    let corner = vec2f(f32(index & 1), f32(index >> 1));
    let size = look.x * 0.25; // half a side
    let angle = look.y * 6.283185;
    let shape = look.z * 255.0;
    let at = (corner * 2.0 - 1.0) * size;
    let turned = vec2f(at.x * cos(angle) - at.y * sin(angle), at.x * sin(angle) + at.y * cos(angle));
    let place = (position + turned * vec2f(1.0, -1.0)) / vec2f(aspect_ratio, 1.0);
    return Corner(vec4f(place, 0.0, 1.0), vec2f((shape + corner.x) / 4.0, corner.y), color.rgb);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    return vec4f(corner.color * textureSample(atlas, atlas_sampler, corner.texcoord).r, 1.0);
}
