// Declarations shared by the scene's shaders.
//
// @group(0) contains the b registers, @group(1) the t registers and @group(2) the s registers. The binding is
// the slot. Vertex inputs are named after the semantics of the input layout.

struct Object {
    world: mat4x4f,
    normal: mat3x3f,
    color: vec4f,
}

struct Pass {
    view_projection: mat4x4f,
    // from clip space to world space
    directions: mat4x4f,
    // w: seconds into the animation
    eye: vec4f,
}

struct Material {
    base_color: vec4f,
    emissive: vec3f,
    alpha_cutoff: f32,
    metallic: f32,
    roughness: f32,
    normal_scale: f32,
    occlusion_strength: f32,
    has_normal_texture: u32,
    unlit: u32,
    keeps_alpha: u32,
    padding: u32,
    texcoords: array<vec4f, 10>,
}

struct Lamp {
    position: vec4f,
    color: vec4f,
}

struct Lights {
    shadow: mat4x4f,
    // w: one over the extent of the shadow map
    to_sun: vec4f,
    sun_color: vec4f,
    lamps: array<Lamp, 3>,
}

@group(0) @binding(0) var<uniform> object: Object;
@group(0) @binding(1) var<uniform> view: Pass;
@group(0) @binding(2) var<uniform> material: Material;
@group(0) @binding(3) var<uniform> lights: Lights;

const ZENITH = vec3f(0.13, 0.29, 0.62);
const PALE = vec3f(0.42, 0.58, 0.80);
const HAZE = vec3f(0.98, 0.74, 0.54);
const EARTH = vec3f(0.30, 0.25, 0.21);

// Returns the light from a direction: a clear evening sky above, and the ground below.
fn sky(direction: vec3f) -> vec3f {
    let height = direction.y;
    let toward_sun = max(dot(direction, lights.to_sun.xyz), 0.0);
    let low = mix(HAZE, PALE, smoothstep(-0.01, 0.13, height));
    let above = mix(low, ZENITH, smoothstep(0.06, 0.70, height));
    let glow = vec3f(1.0, 0.62, 0.32) * (0.30 * pow(toward_sun, 6.0) + 0.5 * pow(toward_sun, 64.0));
    return mix(EARTH, above + glow, smoothstep(-0.12, 0.02, height));
}

// Returns the sky's light on a diffuse surface that faces `normal`.
fn skylight(normal: vec3f) -> vec3f {
    let up = normal.y * 0.5 + 0.5;
    return mix(EARTH * 0.8, mix(PALE, ZENITH, 0.35) * 0.85, up);
}

// Blends distant surfaces with the colour of the horizon behind them.
fn fog(color: vec3f, offset: vec3f) -> vec3f {
    let distance = length(offset);
    let amount = 1.0 - exp(-pow(distance * 0.0165, 2.0));
    let along = normalize(vec3f(offset.x, max(offset.y, 0.0) * 0.3, offset.z));
    return mix(color, sky(along), amount);
}

// Maps light to displayable colours by a fit of the ACES film curve. The target encodes sRGB.
fn tone_map(light: vec3f) -> vec3f {
    let x = light * 0.62;
    return clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), vec3f(0.0), vec3f(1.0));
}
