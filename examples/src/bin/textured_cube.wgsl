struct Constants {
    to_clip: mat4x4f,
    to_world: mat4x4f,
}

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) normal: vec3f,
    @location(1) texcoord: vec2f,
}

@group(0) @binding(0) var<uniform> constants: Constants; // register b0
@group(1) @binding(0) var image: texture_2d<f32>; // register t0
@group(2) @binding(0) var image_sampler: sampler; // register s0

@vertex
fn vs_main(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) texcoord: vec2f,
) -> Corner {
    let turned = (constants.to_world * vec4f(normal, 0.0)).xyz;
    return Corner(constants.to_clip * vec4f(position, 1.0), turned, texcoord);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    let to_light = normalize(vec3f(0.4, 0.9, 0.6));
    let light = 0.25 + 0.75 * max(dot(normalize(corner.normal), to_light), 0.0);
    return vec4f(textureSample(image, image_sampler, corner.texcoord).rgb * light, 1.0);
}
