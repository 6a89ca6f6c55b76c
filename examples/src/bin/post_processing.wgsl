struct Lamp {
    center: vec3f,
    radius: f32,
    color: vec3f,
}

struct Scene {
    to_clip: mat4x4f,
    camera: vec3f,
    bloom_mips: f32,
    lamps: array<Lamp, 16>,
    maps_tones: u32,
}

@group(0) @binding(0) var<uniform> scene: Scene; // register b0
@group(1) @binding(0) var image: texture_2d<f32>; // register t0
@group(1) @binding(1) var bloom: texture_2d<f32>; // t1
@group(2) @binding(0) var linear: sampler; // register s0

// The scene.

struct Surface {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
}

@vertex
fn ground_vs_main(@builtin(vertex_index) index: u32) -> Surface {
    let corners = array(vec2f(-1.0, 1.0), vec2f(1.0, 1.0), vec2f(-1.0, -1.0), vec2f(1.0, -1.0));
    let corner = corners[array(0u, 1u, 2u, 2u, 1u, 3u)[index]] * 60.0;
    let world = vec3f(corner.x, 0.0, corner.y);
    return Surface(scene.to_clip * vec4f(world, 1.0), world, vec3f(0.0, 1.0, 0.0));
}

@vertex
fn ball_vs_main(
    @location(0) position: vec3f,
    @location(1) center: vec3f,
    @location(2) radius: f32,
) -> Surface {
    let world = center + position * radius;
    return Surface(scene.to_clip * vec4f(world, 1.0), world, position);
}

// Returns the light that a surface reflects: diffuse light, and blurred mirror images of the lamps.
fn reflected(surface: Surface, color: vec3f, mirror: f32) -> vec3f {
    let normal = normalize(surface.normal);
    let to_camera = normalize(scene.camera - surface.world);
    let bounced = reflect(-to_camera, normal);
    let facing = max(dot(normal, to_camera), 0.0);
    let fresnel = mirror * (0.04 + 0.96 * pow(1.0 - facing, 5.0));
    var light = vec3f(0.0);
    for (var n = 0; n < 16; n++) {
        let lamp = scene.lamps[n];
        let away = lamp.center - surface.world;
        let square = dot(away, away);
        let to_lamp = away * inverseSqrt(square);
        // The fraction of the hemisphere over the surface that the lamp fills.
        let size = lamp.radius * lamp.radius / square;
        let diffuse = color * max(dot(normal, to_lamp), 0.0) * size;
        // The lamp's mirror image. It is sharper for a smaller lamp.
        let miss = max(1.0 - dot(bounced, to_lamp), 0.0) / (0.6 * size + 0.0012);
        light += lamp.color * (diffuse + fresnel * exp(-miss * miss) * size / (size + 0.002));
    }
    return light;
}

@fragment
fn ground_ps_main(surface: Surface) -> @location(0) vec4f {
    let far = exp(-0.0022 * dot(surface.world.xz, surface.world.xz));
    return vec4f(reflected(surface, vec3f(0.10), 0.3) * far, 1.0);
}

@fragment
fn ball_ps_main(surface: Surface) -> @location(0) vec4f {
    // Less light arrives where a ball is close to the ground and to other balls.
    let open = 0.25 + 0.75 * smoothstep(0.0, 0.5, surface.world.y);
    return vec4f(reflected(surface, vec3f(0.42, 0.40, 0.44) * open, open), 1.0);
}

struct Glow {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) color: vec3f,
}

@vertex
fn lamp_vs_main(@location(0) position: vec3f, @builtin(instance_index) instance: u32) -> Glow {
    let lamp = scene.lamps[instance];
    return Glow(scene.to_clip * vec4f(lamp.center + position * lamp.radius, 1.0), lamp.color);
}

@fragment
fn lamp_ps_main(glow: Glow) -> @location(0) vec4f {
    return vec4f(glow.color, 1.0);
}

// Bloom: the filters of Jorge Jimenez, "Next Generation Post Processing in Call of Duty: Advanced Warfare", SIGGRAPH
// 2014. Smaller filters flicker when objects move, and produce blocky glows.

struct Whole {
    @builtin(position) position: vec4f,
    @location(0) place: vec2f, // from (0, 0) at the top left to (1, 1)
}

// Draws a triangle that covers the whole target.
@vertex
fn whole_vs_main(@builtin(vertex_index) index: u32) -> Whole {
    let place = vec2f(f32(index & 1), f32(index >> 1)) * 2.0;
    return Whole(vec4f(place * 2.0 - 1.0, 0.0, 1.0), vec2f(place.x, 1.0 - place.y));
}

// Samples the image at an offset of (x, y) texels.
fn near(place: vec2f, x: f32, y: f32) -> vec3f {
    return textureSampleLevel(image, linear, place + vec2f(x, y) / vec2f(textureDimensions(image)), 0.0).rgb;
}

// Halves the image with 13 reads. The result is the weighted mean of five overlapping squares, and the middle square
// has half of the weight.
@fragment
fn down_ps_main(whole: Whole) -> @location(0) vec4f {
    let at = whole.place;
    let inner = near(at, -1.0, -1.0) + near(at, 1.0, -1.0) + near(at, -1.0, 1.0) + near(at, 1.0, 1.0);
    let corners = near(at, -2.0, -2.0) + near(at, 2.0, -2.0) + near(at, -2.0, 2.0) + near(at, 2.0, 2.0);
    let edges = near(at, 0.0, -2.0) + near(at, -2.0, 0.0) + near(at, 2.0, 0.0) + near(at, 0.0, 2.0);
    let middle = near(at, 0.0, 0.0);
    return vec4f(inner * 0.125 + corners * 0.03125 + edges * 0.0625 + middle * 0.125, 1.0);
}

// Doubles the image with a tent filter of 9 reads. The blend state adds the result to the target.
@fragment
fn up_ps_main(whole: Whole) -> @location(0) vec4f {
    let at = whole.place;
    let corners = near(at, -1.0, -1.0) + near(at, 1.0, -1.0) + near(at, -1.0, 1.0) + near(at, 1.0, 1.0);
    let edges = near(at, 0.0, -1.0) + near(at, -1.0, 0.0) + near(at, 1.0, 0.0) + near(at, 0.0, 1.0);
    return vec4f((corners + edges * 2.0 + near(at, 0.0, 0.0) * 4.0) / 16.0, 1.0);
}

// The picture.

// Maps unlimited brightness to the range 0 to 1 by a curve that approximates ACES: Krzysztof Narkowicz, "ACES Filmic
// Tone Mapping Curve", 2016.
fn tone_mapped(color: vec3f) -> vec3f {
    return saturate(color * (2.51 * color + 0.03) / (color * (2.43 * color + 0.59) + 0.14));
}

// Adds evenly distributed noise of one 8-bit step: Jimenez's interleaved gradient noise, from the same lecture.
fn dithered(color: vec3f, pixel: vec2f) -> vec3f {
    let noise = fract(52.9829189 * fract(dot(pixel, vec2f(0.06711056, 0.00583715)))) - 0.5;
    // The 8-bit steps are even in the stored sRGB values, so the noise is added after approximate sRGB encoding.
    let stored = pow(color, vec3f(1.0 / 2.2)) + noise / 255.0;
    return pow(max(stored, vec3f(0.0)), vec3f(2.2));
}

@fragment
fn picture_ps_main(whole: Whole) -> @location(0) vec4f {
    var color = textureSampleLevel(image, linear, whole.place, 0.0).rgb;
    if scene.bloom_mips > 0.0 {
        // A lens scatters a part of the picture's light. Mixing moves light instead of adding it, so no threshold is
        // needed.
        let scattered = textureSampleLevel(bloom, linear, whole.place, 0.0).rgb / scene.bloom_mips;
        color = mix(color, scattered, 0.18);
    }
    let away = whole.place - 0.5;
    color *= 1.0 - 0.9 * dot(away, away);
    if scene.maps_tones == 1 {
        color = tone_mapped(color);
    }
    return vec4f(dithered(color, whole.position.xy), 1.0);
}
