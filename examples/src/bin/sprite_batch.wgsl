struct Corner {
    @builtin(position) position: vec4f,
    @location(0) texcoord: vec2f,
    @location(1) color: vec4f,
}

@group(0) @binding(0) var<uniform> window: vec2f; // register b0: the size in pixels
@group(1) @binding(0) var image: texture_2d<f32>; // register t0
@group(2) @binding(0) var image_sampler: sampler; // register s0

// Draws each sprite as a strip of four corners. Positions and sizes are in pixels.
@vertex
fn vs_main(
    @builtin(vertex_index) index: u32,
    @location(0) position: vec2f,
    @location(1) size: f32,
    @location(2) angle: f32,
    @location(3) color: vec4f,
) -> Corner {
    let texcoord = vec2f(f32(index & 1), f32(index >> 1));
    let corner = (texcoord - 0.5) * size;
    let turned = vec2f(corner.x * cos(angle) - corner.y * sin(angle), corner.x * sin(angle) + corner.y * cos(angle));
    let place = (position + turned) / window * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0);
    return Corner(vec4f(place, 0.0, 1.0), texcoord, color);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    return textureSample(image, image_sampler, corner.texcoord) * corner.color;
}
