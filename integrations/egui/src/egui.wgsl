// Shaders for egui's meshes. egui mixes colours in gamma space: its vertex colours and images are
// sRGB-encoded with premultiplied alpha, and their product is stored directly in a target that is not linear.
// For a linear target, the product is decoded first.

struct Frame {
    size: vec2f, // of the target, in points
    linear_target: u32,
    dithering: u32,
}

@group(0) @binding(0) var<uniform> frame: Frame; // register b0
@group(1) @binding(0) var image: texture_2d<f32>; // register t0
@group(2) @binding(0) var image_sampler: sampler; // register s0

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) texcoord: vec2f,
    @location(1) color: vec4f,
}

@vertex
fn vs_main(@location(0) position: vec2f, @location(1) texcoord: vec2f, @location(2) color: vec4f) -> Corner {
    let clip = vec2f(2.0 * position.x / frame.size.x - 1.0, 1.0 - 2.0 * position.y / frame.size.y);
    return Corner(vec4f(clip, 0.0, 1.0), texcoord, color);
}

fn decode_srgb(encoded: vec3f) -> vec3f {
    let curve = pow((encoded + 0.055) / 1.055, vec3f(2.4));
    return select(curve, encoded / 12.92, encoded < vec3f(0.04045));
}

fn encode_srgb(linear: vec3f) -> vec3f {
    let curve = 1.055 * pow(linear, vec3f(1.0 / 2.4)) - 0.055;
    return select(curve, linear * 12.92, linear < vec3f(0.0031308));
}

// Adds less than half an 8-bit step of noise, different for each pixel, so that gradients show no bands.
// Values that are exact in 8 bits stay unchanged. The noise is J. Jimenez' "interleaved gradient noise"
// (2014).
fn dither(color: vec3f, pixel: vec2f) -> vec3f {
    let noise = fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715))));
    return color + 0.95 / 255.0 * (noise - 0.5);
}

fn shade(corner: Corner, texel: vec4f) -> vec4f {
    let product = corner.color * texel;
    var color = product.rgb;
    if frame.dithering != 0u {
        color = dither(color, corner.position.xy);
    }
    if frame.linear_target != 0u {
        color = decode_srgb(color);
    }
    return vec4f(color, product.a);
}

// For images in egui's own encoding.
@fragment
fn ps_gamma_image(corner: Corner) -> @location(0) vec4f {
    return shade(corner, textureSample(image, image_sampler, corner.texcoord));
}

// For images whose texels are read as linear light, that is, images in sRGB and floating-point formats.
@fragment
fn ps_linear_image(corner: Corner) -> @location(0) vec4f {
    let texel = textureSample(image, image_sampler, corner.texcoord);
    return shade(corner, vec4f(encode_srgb(texel.rgb), texel.a));
}
