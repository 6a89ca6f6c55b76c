struct Scene {
    to_clip: mat4x4f,
    air: vec4f,
}

struct Block {
    to_world: mat4x4f,
    color: vec4f,
}

@group(0) @binding(0) var<uniform> scene: Scene; // register b0
@group(0) @binding(1) var<uniform> block: Block; // register b1

const SUN = vec3f(0.55, 0.62, 0.56); // towards the sun

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) @interpolate(flat) normal: vec3f,
}

@vertex
fn vs_main(@location(0) position: vec3f, @location(1) normal: vec3f) -> Corner {
    let world = block.to_world * vec4f(position, 1.0);
    // The boxes are scaled only along their sides and then rotated, so this matrix also transforms normals
    // correctly.
    let turned = normalize((block.to_world * vec4f(normal, 0.0)).xyz);
    return Corner(scene.to_clip * world, world.xyz, turned);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    // Darken the gaps between boxes towards the ground. The tops of the boxes are not darkened.
    let top = block.to_world[1].y;
    let open = mix(0.12, 1.0, saturate(1.0 - 0.55 * (top - corner.world.y)));
    let sun = max(dot(corner.normal, SUN), 0.0);
    let sky = 0.4 + 0.3 * corner.normal.y;
    let light = (sun * vec3f(1.0, 0.9, 0.72) + sky * vec3f(0.42, 0.55, 0.75)) * open;
    let far = smoothstep(18.0, 48.0, length(corner.world.xz));
    return vec4f(mix(block.color.rgb * light, scene.air.rgb, far), 1.0);
}
