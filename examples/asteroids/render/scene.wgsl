// Constants and functions shared by all shaders of the scene.

struct Light {
    position: vec4f,
    color: vec4f,
}

struct Scene {
    to_clip: mat4x4f,
    eye: vec4f,
    picture: vec4f, // width and height in pixels, seconds, glare
    arena: vec4f, // half of the width and height, and the offset of the camera
    right: vec4f, // the picture's right in world space; w: brightness of the scene
    up: vec4f, // the picture's top in world space; w: number of lights
    lights: array<Light, 16>,
}

@group(0) @binding(0) var<uniform> scene: Scene; // register b0

fn hash(p: vec3f) -> f32 {
    let q = bitcast<vec3u>(vec3i(floor(p)));
    var x = q.x * 0x8da6b343u ^ q.y * 0xd8163841u ^ q.z * 0xcb1ab31fu;
    x = (x ^ (x >> 16u)) * 0x21f0aaadu;
    x = (x ^ (x >> 15u)) * 0x735a2d97u;
    return f32((x ^ (x >> 15u)) >> 8u) / 16777216.0;
}

// Returns smooth noise from 0 to 1.
fn noise(p: vec3f) -> f32 {
    let f = fract(p);
    let s = f * f * (3.0 - 2.0 * f);
    let x = vec2f(0.0, 1.0);
    let low = mix(mix(hash(p + x.xxx), hash(p + x.yxx), s.x), mix(hash(p + x.xyx), hash(p + x.yyx), s.x), s.y);
    let high = mix(mix(hash(p + x.xxy), hash(p + x.yxy), s.x), mix(hash(p + x.xyy), hash(p + x.yyy), s.x), s.y);
    return mix(low, high, s.z);
}
