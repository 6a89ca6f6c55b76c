const TAU = 6.2831853;

// Cells along and around the tube. `KNOT` in main.rs must match.
const SEGMENTS = 480u;
const SIDES = 20u;

struct Scene {
    to_clip: mat4x4f,
    eye: vec4f,
    light: vec4f, // towards the light, in world space
    ball_light: vec4f, // towards the light, in view space
    colors: array<vec4f, 2>,
    background: vec4f,
    windings: vec2f, // around the axis, and around the ring
    thickness: f32,
    gloss: f32,
    stripes: f32,
}

@group(0) @binding(0) var<uniform> scene: Scene; // register b0

// The sky.

struct Point {
    @builtin(position) position: vec4f,
    @location(0) at: vec2f, // -1 to 1
}

// Draws a triangle that covers the picture just in front of the far plane.
@vertex
fn vs_sky(@builtin(vertex_index) i: u32) -> Point {
    let at = vec2f(f32(i & 1u) * 4.0 - 1.0, f32(i >> 1u) * 4.0 - 1.0);
    return Point(vec4f(at, 0.99999, 1.0), at);
}

@fragment
fn ps_sky(point: Point) -> @location(0) vec4f {
    let glow = exp(-1.5 * dot(point.at, point.at));
    return vec4f(scene.background.rgb * (0.25 + 1.5 * glow), 1.0);
}

// The knot.

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) at: vec2f, // position along the tube and around it, in turns
}

// Returns a point on the tube's centre line, which winds around the axis and around a ring.
fn middle(turn: f32) -> vec3f {
    let around = TAU * turn * scene.windings;
    let radius = 2.0 + cos(around.y);
    return vec3f(radius * cos(around.x), sin(around.y), radius * sin(around.x));
}

@vertex
fn vs_knot(@builtin(vertex_index) i: u32) -> Corner {
    let corners = array(vec2u(0, 0), vec2u(1, 0), vec2u(1, 1), vec2u(0, 0), vec2u(1, 1), vec2u(0, 1));
    let cell = vec2u(i / 6u / SIDES, i / 6u % SIDES) + corners[i % 6u];
    let at = vec2f(cell) / vec2f(f32(SEGMENTS), f32(SIDES));

    let here = middle(at.x);
    let next = middle(at.x + 0.5 / f32(SEGMENTS));
    let along = normalize(next - here);
    let aside = normalize(cross(along, here + next));
    let normal = cos(TAU * at.y) * aside + sin(TAU * at.y) * cross(aside, along);
    let world = here + scene.thickness * normal;
    return Corner(scene.to_clip * vec4f(world, 1.0), world, normal, at);
}

// Returns diffuse light, a specular highlight, and the sky's colour at grazing angles.
fn shade(color: vec3f, normal: vec3f, light: vec3f, view: vec3f) -> vec3f {
    let diffuse = 0.08 + 0.92 * max(dot(normal, light), 0.0);
    let highlight = pow(max(dot(normal, normalize(light + view)), 0.0), exp2(2.0 + 7.0 * scene.gloss));
    let edge = pow(1.0 - max(dot(normal, view), 0.0), 4.0);
    return color * diffuse + (0.15 + scene.gloss) * highlight + edge * (scene.background.rgb + 0.1);
}

@fragment
fn ps_knot(corner: Corner) -> @location(0) vec4f {
    // Stripes wind around the tube, and their edges are one pixel wide. Without stripes, one colour fades
    // into the other.
    let turn = fract(corner.at.y + corner.at.x * (scene.windings.x + scene.windings.y) * 2.0);
    let wave = abs(turn * 2.0 - 1.0);
    let width = max(fwidth(wave), 0.001);
    let striped = smoothstep(0.5 - width, 0.5 + width, wave);
    let faded = 0.5 - 0.5 * cos(TAU * corner.at.x * scene.windings.x);
    let color = mix(scene.colors[0], scene.colors[1], mix(faded, striped, scene.stripes)).rgb;
    let view = normalize(scene.eye.xyz - corner.world);
    return vec4f(shade(color, normalize(corner.normal), scene.light.xyz, view), 1.0);
}

// Draws the ball that shows the light, in a viewport set by egui's painter.

@vertex
fn vs_ball(@builtin(vertex_index) i: u32) -> Point {
    let at = vec2f(f32(i & 1u) * 2.0 - 1.0, f32(i >> 1u) * 2.0 - 1.0);
    return Point(vec4f(at, 0.0, 1.0), at);
}

@fragment
fn ps_ball(point: Point) -> @location(0) vec4f {
    let distance = length(point.at);
    let width = fwidth(distance);
    let normal = vec3f(point.at, sqrt(max(1.0 - distance * distance, 0.0)));
    let color = shade(scene.colors[0].rgb, normal, scene.ball_light.xyz, vec3f(0.0, 0.0, 1.0));
    // The painter's blend state expects premultiplied alpha.
    let covered = 1.0 - smoothstep(1.0 - width, 1.0, distance);
    return vec4f(color * covered, covered);
}
