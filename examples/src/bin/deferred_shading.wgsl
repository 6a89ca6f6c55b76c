struct Scene {
    to_clip: mat4x4f,
    to_world: mat4x4f,
    camera: vec3f,
    shown: u32,
}

@group(0) @binding(0) var<uniform> scene: Scene; // register b0
@group(1) @binding(0) var albedos: texture_2d<f32>; // register t0
@group(1) @binding(1) var normals: texture_2d<f32>; // t1
@group(1) @binding(2) var materials: texture_2d<f32>; // t2
@group(1) @binding(3) var depths: texture_depth_2d; // t3
@group(1) @binding(4) var lights: texture_2d<f32>; // t4

const PI = 3.14159265;
const FOG = vec3f(0.016, 0.016, 0.040);
const MOON = vec3f(-0.48, 0.64, 0.60); // towards the moon
const MOONLIGHT = vec3f(0.03, 0.045, 0.085);

// Light of a surface with albedo 1 and emission 1.
const GLOW = 6.0;

// The first pass: surfaces into the G-buffer.

struct Surface {
    @location(0) albedo: vec4f,
    @location(1) normal: vec4f,
    @location(2) material: vec4f, // roughness, metalness, emission
}

// Maps normals from -1..1 to 0..1, because the format stores 0 to 1.
fn surface(albedo: vec3f, normal: vec3f, material: vec3f) -> Surface {
    return Surface(vec4f(albedo, 1.0), vec4f(normal * 0.5 + 0.5, 1.0), vec4f(material, 1.0));
}

struct Block {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) @interpolate(flat) normal: vec3f,
    @location(2) @interpolate(flat) color: vec3f,
    @location(3) @interpolate(flat) material: vec3f,
}

@vertex
fn block_vs_main(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) center: vec3f,
    @location(3) half_size: vec3f,
    @location(4) color: vec3f,
    @location(5) material: vec3f,
) -> Block {
    let world = center + position * half_size;
    return Block(scene.to_clip * vec4f(world, 1.0), world, normal, color, material);
}

// Returns a pseudo-random number from 0 to 1 for an integer cell.
fn random(cell: vec3i) -> f32 {
    let bits = vec3u(cell) * vec3u(0x9E3779B1, 0x85EBCA6B, 0xC2B2AE35);
    var hash = bits.x ^ bits.y ^ bits.z;
    hash = (hash ^ (hash >> 15)) * 0x2C1B3C6D;
    return f32((hash ^ (hash >> 13)) & 0xFFFF) / 65535.0;
}

@fragment
fn block_ps_main(block: Block) -> Surface {
    // Walls have windows. `place` is the position on the wall, measured along it and upwards.
    let along = select(block.world.x, block.world.z, abs(block.normal.x) > 0.5);
    let place = vec2f(along, block.world.y) / vec2f(0.13, 0.2);
    let width = fwidth(place);
    if abs(block.normal.y) > 0.5 || block.material.z == 0.0 {
        return surface(block.color, block.normal, vec3f(block.material.xy, 0.0));
    }
    let cell = vec3i(vec3f(floor(place), round(dot(block.world, abs(block.normal)) * 8.0)));
    let frame = abs(fract(place) - 0.5);
    let inside = 1.0 - smoothstep(vec2f(0.3) - width, vec2f(0.3) + width, frame);
    // Where windows are smaller than pixels, use their mean light.
    let sharp = clamp(1.5 - 2.0 * max(width.x, width.y), 0.0, 1.0);
    let chosen = random(cell);
    let lit = mix(block.material.z * 0.3, inside.x * inside.y * f32(chosen < block.material.z), sharp);
    let lamp = mix(vec3f(1.0, 0.62, 0.28), vec3f(0.75, 0.9, 1.0), random(cell.yxz));
    let albedo = mix(block.color, lamp, lit);
    return surface(albedo, block.normal, vec3f(block.material.xy, lit * 0.12));
}

struct Lamp {
    @builtin(position) position: vec4f,
    @location(0) normal: vec3f,
    @location(1) @interpolate(flat) color: vec3f,
}

@vertex
fn lamp_vs_main(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) center: vec3f,
    @location(3) radius: f32,
    @location(4) color: vec3f,
) -> Lamp {
    return Lamp(scene.to_clip * vec4f(center + position * 0.05, 1.0), normal, color);
}

@fragment
fn lamp_ps_main(lamp: Lamp) -> Surface {
    let strongest = max(lamp.color.r, max(lamp.color.g, lamp.color.b));
    return surface(lamp.color / strongest, normalize(lamp.normal), vec3f(1.0, 0.0, 1.0));
}

// The second pass: light.

// The surface of a pixel, read back from the G-buffer.
struct Pixel {
    world: vec3f,
    albedo: vec3f,
    normal: vec3f,
    material: vec3f,
    is_sky: bool,
}

fn at_depth(pixel: vec2f, depth: f32) -> vec3f {
    let place = pixel / vec2f(textureDimensions(depths)) * vec2f(2.0, -2.0) + vec2f(-1.0, 1.0);
    let world = scene.to_world * vec4f(place, depth, 1.0);
    return world.xyz / world.w;
}

fn read_pixel(position: vec4f) -> Pixel {
    let pixel = vec2i(position.xy);
    let depth = textureLoad(depths, pixel, 0);
    return Pixel(
        at_depth(position.xy, depth),
        textureLoad(albedos, pixel, 0).rgb,
        normalize(textureLoad(normals, pixel, 0).xyz * 2.0 - 1.0),
        textureLoad(materials, pixel, 0).rgb,
        depth == 1.0,
    );
}

// Returns the fraction of light from one direction that a surface reflects to the camera: Lambert plus
// energy-conserving Blinn-Phong.
fn reflected(pixel: Pixel, to_light: vec3f) -> vec3f {
    let to_camera = normalize(scene.camera - pixel.world);
    let half_way = normalize(to_light + to_camera);
    let facing = max(dot(pixel.normal, to_light), 0.0);
    let roughness = max(pixel.material.x, 0.1);
    let power = 2.0 / pow(roughness, 4.0) - 2.0 + 0.001;
    let head_on = mix(vec3f(0.04), pixel.albedo, pixel.material.y);
    let grazing = pow(1.0 - max(dot(half_way, to_camera), 0.0), 5.0);
    let mirror = (head_on + (1.0 - head_on) * grazing) * (power + 8.0) / (8.0 * PI)
        * pow(max(dot(pixel.normal, half_way), 0.0), power);
    let diffuse = pixel.albedo * (1.0 - pixel.material.y) / PI;
    return (diffuse + mirror) * facing;
}

// Draws a triangle that covers the whole picture.
@vertex
fn whole_vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(f32(index & 1) * 4.0 - 1.0, f32(index >> 1) * 4.0 - 1.0, 0.0, 1.0);
}

// Draws the sky and the surfaces. Surfaces may emit light, and they are lit by the moon and the sky.
@fragment
fn sky_ps_main(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let pixel = read_pixel(position);
    if pixel.is_sky {
        let up = normalize(pixel.world - scene.camera).y;
        return vec4f(FOG + vec3f(0.03, 0.01, 0.03) * exp(-8.0 * max(up, 0.0)), 0.0);
    }
    // Less of the sky is visible from street level.
    let open = mix(0.25, 1.0, smoothstep(0.0, 3.0, pixel.world.y));
    let sky = mix(vec3f(0.008, 0.006, 0.010), vec3f(0.012, 0.016, 0.034), pixel.normal.y * 0.5 + 0.5) * open;
    let light = pixel.albedo * (sky + pixel.material.z * GLOW) + reflected(pixel, MOON) * MOONLIGHT * PI * open;
    return vec4f(light, 0.0);
}

struct Volume {
    @builtin(position) position: vec4f,
    @location(0) @interpolate(flat) center: vec3f,
    @location(1) @interpolate(flat) radius: f32,
    @location(2) @interpolate(flat) color: vec3f,
}

// Draws the light volume of a lamp. A coarse mesh lies inside the exact sphere, so it is drawn slightly larger.
@vertex
fn volume_vs_main(
    @location(0) position: vec3f,
    @location(2) center: vec3f,
    @location(3) radius: f32,
    @location(4) color: vec3f,
) -> Volume {
    let world = center + position * radius * 1.06;
    return Volume(scene.to_clip * vec4f(world, 1.0), center, radius, color);
}

// Returns the light of one lamp. Alpha counts the lamps.
@fragment
fn volume_ps_main(volume: Volume) -> @location(0) vec4f {
    let pixel = read_pixel(volume.position);
    let away = volume.center - pixel.world;
    let square = dot(away, away);
    // The light falls off with the square of the distance and reaches 0 at the radius.
    let range = square / (volume.radius * volume.radius);
    let window = max(1.0 - range * range, 0.0);
    let light = volume.color * window * window / (square + 0.05);
    return vec4f(reflected(pixel, away * inverseSqrt(square)) * light, 1.0);
}

// The third pass: the picture.

// Maps unlimited brightness to 0 to 1.
fn tone_mapped(color: vec3f) -> vec3f {
    return color * (1.0 + color * 0.08) / (1.0 + color);
}

@fragment
fn show_ps_main(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let pixel = read_pixel(position);
    let light = textureLoad(lights, vec2i(position.xy), 0);
    let far = distance(pixel.world, scene.camera);
    switch scene.shown {
        case 1: { return vec4f(pixel.albedo, 1.0); }
        case 2: { return vec4f(select(pixel.normal * 0.5 + 0.5, vec3f(0.0), pixel.is_sky), 1.0); }
        case 3: { return vec4f(pixel.material, 1.0); }
        case 4: { return vec4f(vec3f(exp(-0.05 * far)), 1.0); }
        case 5: { return vec4f(1.0 - exp(-light.a * vec3f(0.02, 0.005, 0.04)), 1.0); }
        default: {
            let fog = select(1.0 - exp(-0.0007 * far * far), 0.0, pixel.is_sky);
            return vec4f(tone_mapped(mix(light.rgb, FOG * 1.5, fog) * 1.4), 1.0);
        }
    }
}
