struct Scene {
    to_clip: mat4x4f,
    to_light: mat4x4f,
    light: vec4f, // towards the light
}

struct Block {
    to_world: mat4x4f,
    color: vec4f,
}

@group(0) @binding(0) var<uniform> scene: Scene; // register b0
@group(0) @binding(1) var<uniform> one: Block; // register b1
@group(1) @binding(0) var shadows: texture_depth_2d; // register t0
@group(2) @binding(0) var closer: sampler_comparison; // register s0

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
}

// Draws the shadow map: depth as seen from the light, without a pixel shader.
@vertex
fn depth_main(@location(0) position: vec3f) -> @builtin(position) vec4f {
    return scene.to_light * one.to_world * vec4f(position, 1.0);
}

@vertex
fn vs_main(@location(0) position: vec3f, @location(1) normal: vec3f) -> Corner {
    let world = one.to_world * vec4f(position, 1.0);
    // The boxes are scaled only along their sides and then rotated, so this matrix also transforms normals
    // correctly.
    let turned = normalize((one.to_world * vec4f(normal, 0.0)).xyz);
    return Corner(scene.to_clip * world, world.xyz, turned);
}

// Returns the fraction of light that reaches a point, from 0 to 1. It is the mean of 9 filtered comparisons.
fn lit(world: vec3f) -> f32 {
    let seen = scene.to_light * vec4f(world, 1.0);
    let at = seen.xy * vec2f(0.5, -0.5) + 0.5;
    if seen.z > 1.0 || any(abs(at - 0.5) > vec2f(0.5)) {
        return 1.0; // outside the shadow map
    }
    var sum = 0.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let texel = vec2f(f32(x), f32(y)) / vec2f(textureDimensions(shadows));
            sum += textureSampleCompareLevel(shadows, closer, at + texel, seen.z);
        }
    }
    return sum / 9.0;
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    let sun = max(dot(normalize(corner.normal), scene.light.xyz), 0.0) * lit(corner.world);
    let sky = 0.30 + 0.12 * corner.normal.y;
    let color = one.color.rgb * (sky * vec3f(0.55, 0.70, 1.0) + sun * vec3f(1.0, 0.92, 0.75));
    // Distant surfaces fade into the colour of the air.
    let far = clamp(length(corner.world.xz) / 22.0 - 0.35, 0.0, 1.0);
    return vec4f(mix(color, vec3f(0.34, 0.48, 0.64), far), 1.0);
}
