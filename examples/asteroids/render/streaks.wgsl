// Glowing strokes between two points. Each stroke is an instance, and its light is added to the picture.

struct View {
    to_clip: mat4x4f,
    picture: vec4f, // width and height in pixels, pixels per length of 1 at a depth of 1, brightness
}

@group(0) @binding(0) var<uniform> view: View; // register b0

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) at: vec2f, // position in pixels: along the stroke from its beginning, and across it
    @location(1) shape: vec4f, // length, half width and reach in pixels, softness
    @location(2) color: vec3f,
}

// Draws a strip of four corners around the stroke.
@vertex
fn vs_main(
    @builtin(vertex_index) index: u32,
    @location(0) head: vec3f,
    @location(1) tail: vec3f,
    @location(2) width: f32,
    @location(3) soft: f32,
    @location(4) color: vec3f,
) -> Corner {
    let a = view.to_clip * vec4f(head, 1.0);
    let b = view.to_clip * vec4f(tail, 1.0);
    let half_picture = view.picture.xy * 0.5;
    let begin = a.xy / a.w * half_picture;
    let way = b.xy / b.w * half_picture - begin;
    let long = length(way);
    let along = select(vec2f(1.0, 0.0), way / long, long > 0.001);
    // A line thinner than a pixel is drawn wider and darker instead.
    let wanted = width * view.picture.z / b.w;
    let radius = max(wanted, 0.6);
    let reach = select(radius * 5.0 + 2.0, radius, soft > 0.5);
    let side = vec2f(f32(index & 1u) * 2.0 - 1.0, f32(index >> 1u) * 2.0 - 1.0);
    let at = vec2f(select(-reach, long + reach, side.x > 0.0), side.y * reach);
    let place = begin + along * at.x + vec2f(-along.y, along.x) * at.y;
    let depth = select(a.z / a.w, b.z / b.w, side.x > 0.0);
    let light = color * view.picture.w * min(wanted / radius, 1.0);
    return Corner(vec4f(place / half_picture, depth, 1.0), at, vec4f(long, radius, reach, soft), light);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    let d = length(vec2f(corner.at.x - clamp(corner.at.x, 0.0, corner.shape.x), corner.at.y));
    let fall = max(1.0 - d / corner.shape.z, 0.0);
    let core = clamp(corner.shape.y + 0.5 - d, 0.0, 1.0);
    let line = core + 0.22 * fall * fall * fall;
    let glow = fall * fall * (0.6 + 0.4 * fall);
    // Very bright light turns white.
    let light = corner.color * mix(line, glow, corner.shape.w);
    return vec4f(light + max(max(light.r, max(light.g, light.b)) - 0.8, 0.0) * 0.35, 1.0);
}
