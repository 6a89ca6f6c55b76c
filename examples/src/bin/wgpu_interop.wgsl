// The shaders of the wgpu passes. They use a wgpu bind group instead of Onze's registers.

@group(0) @binding(0) var<uniform> now: vec4f; // x: seconds; y: width of the target divided by its height

struct Point {
    @builtin(position) position: vec4f,
    @location(0) at: vec2f,
}

// Draws a triangle over the whole target. `at` ranges from -1 to 1 across the target.
@vertex
fn vs_pattern(@builtin(vertex_index) i: u32) -> Point {
    let at = vec2f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0);
    return Point(vec4f(at, 0.0, 1.0), at);
}

// Draws a kaleidoscope: a wedge of waves, mirrored all around.
@fragment
fn ps_pattern(point: Point) -> @location(0) vec4f {
    let time = now.x;
    let wedge = 6.2831853 / 10.0;
    let angle = atan2(point.at.y, point.at.x) + time * 0.2;
    let folded = abs(angle - wedge * round(angle / wedge));
    let p = length(point.at) * vec2f(cos(folded), sin(folded));
    let waves = sin(p.x * 11.0 - time * 1.7) + sin((p.x + p.y * 2.0) * 7.0 + time) + sin(p.y * 19.0 - p.x * 5.0);
    let color = 0.5 + 0.5 * cos(waves * 1.1 + vec3f(0.2, 1.5, 2.7) + p.x);
    // Draw a frame that shows where the texture ends.
    let edge = smoothstep(0.93, 0.95, max(abs(point.at.x), abs(point.at.y)));
    return vec4f(mix(color * color, vec3f(0.9), edge), 1.0);
}

// Draws a square in the lower right corner. `at` ranges from -1 to 1 across the dial.
@vertex
fn vs_watch(@builtin(vertex_index) i: u32) -> Point {
    let at = 1.15 * vec2f(f32(i & 1u) * 2.0 - 1.0, f32(i >> 1u) * 2.0 - 1.0);
    let radius = 0.26;
    let middle = vec2f(1.0 - radius * 1.25 / now.y, -1.0 + radius * 1.25);
    return Point(vec4f(middle + at * radius / vec2f(now.y, 1.0), 0.0, 1.0), at);
}

// Returns the fraction of a pixel that is inside a shape, computed from the distance to the shape's edge.
fn inside(distance: f32) -> f32 {
    return clamp(0.5 - distance / fwidth(distance), 0.0, 1.0);
}

// Returns the distance to a clock hand. `turn` is its angle in turns, clockwise from the top.
fn hand(at: vec2f, turn: f32, length: f32, width: f32) -> f32 {
    let towards = vec2f(sin(turn * 6.2831853), cos(turn * 6.2831853));
    let along = clamp(dot(at, towards), -0.12, length);
    return distance(at, along * towards) - width;
}

// Draws a glass stopwatch.
@fragment
fn ps_watch(point: Point) -> @location(0) vec4f {
    let radius = length(point.at);
    let turn = atan2(point.at.x, point.at.y) / 6.2831853;
    let second = abs(turn * 60.0 - round(turn * 60.0)) / 60.0 * 6.2831853 * radius;
    let fifth = abs(turn * 12.0 - round(turn * 12.0)) / 12.0 * 6.2831853 * radius;
    let marks = min(max(second - 0.008, abs(radius - 0.84) - 0.03), max(fifth - 0.018, abs(radius - 0.80) - 0.07));

    var color = vec4f(vec3f(0.01, 0.012, 0.02), 0.72) * inside(radius - 1.0);
    color = mix(color, vec4f(0.8, 0.82, 0.85, 1.0), inside(marks));
    color = mix(color, vec4f(0.8, 0.82, 0.85, 1.0), inside(abs(radius - 1.0) - 0.04));
    color = mix(color, vec4f(0.8, 0.82, 0.85, 1.0), inside(hand(point.at, now.x / 3600.0, 0.45, 0.035)));
    color = mix(color, vec4f(1.0, 0.2, 0.03, 1.0), inside(hand(point.at, now.x / 60.0, 0.75, 0.018)));
    color = mix(color, vec4f(1.0, 0.2, 0.03, 1.0), inside(radius - 0.06));
    return color; // premultiplied
}

// The shaders of the Onze pass: boxes with the pattern on their sides.

struct Block {
    to_clip: mat4x4f,
    to_world: mat4x4f,
    eye: vec4f,
}

@group(0) @binding(0) var<uniform> block: Block; // register b0
@group(1) @binding(0) var pattern: texture_2d<f32>; // register t0
@group(2) @binding(0) var filtered: sampler; // register s0

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) texcoord: vec2f,
}

@vertex
fn vs_block(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) texcoord: vec2f,
) -> Corner {
    let world = block.to_world * vec4f(position, 1.0);
    let turned = normalize((block.to_world * vec4f(normal, 0.0)).xyz);
    return Corner(block.to_clip * world, world.xyz, turned, texcoord);
}

@fragment
fn ps_block(corner: Corner) -> @location(0) vec4f {
    let normal = normalize(corner.normal);
    let view = normalize(block.eye.xyz - corner.world);
    let light = normalize(vec3f(0.4, 0.9, 0.5));
    let color = textureSample(pattern, filtered, corner.texcoord).rgb;
    let highlight = pow(max(dot(normal, normalize(light + view)), 0.0), 40.0);
    return vec4f(color * (0.35 + 0.75 * max(dot(normal, light), 0.0)) + 0.4 * highlight, 1.0);
}
