const PI = 3.14159265;

struct Scene {
    to_clip: mat4x4f,
    // Maps clip space to view directions in world space.
    to_direction: mat4x4f,
    eye: vec4f,
}

struct Instance {
    to_world: mat4x4f,
    // The inverse transpose of the world matrix. It keeps normals perpendicular under non-uniform scale.
    normal_to_world: mat4x4f,
}

// The two rows that transform a vertex's texture coordinates. The w of the first row selects one of the vertex's two
// sets.
struct Coordinates {
    u: vec4f,
    v: vec4f,
}

struct Material {
    base_color: vec4f,
    emissive: vec4f,
    metallic: f32,
    roughness: f32,
    normal_scale: f32,
    occlusion: f32,
    cutoff: f32, // pixels with less alpha are discarded
    is_opaque: f32,
    is_unlit: f32,
    has_normals: f32,
    coordinates: array<Coordinates, 5>,
}

@group(0) @binding(0) var<uniform> scene: Scene; // register b0
@group(0) @binding(1) var<uniform> instance: Instance; // register b1
@group(0) @binding(2) var<uniform> material: Material; // register b2
@group(1) @binding(0) var base_color_texture: texture_2d<f32>; // register t0
@group(1) @binding(1) var metallic_roughness_texture: texture_2d<f32>; // register t1
@group(1) @binding(2) var normal_texture: texture_2d<f32>; // register t2
@group(1) @binding(3) var occlusion_texture: texture_2d<f32>; // register t3
@group(1) @binding(4) var emissive_texture: texture_2d<f32>; // register t4
@group(1) @binding(5) var environment: texture_cube<f32>; // register t5
@group(2) @binding(0) var base_color_sampler: sampler; // register s0
@group(2) @binding(1) var metallic_roughness_sampler: sampler; // register s1
@group(2) @binding(2) var normal_sampler: sampler; // register s2
@group(2) @binding(3) var occlusion_sampler: sampler; // register s3
@group(2) @binding(4) var emissive_sampler: sampler; // register s4
@group(2) @binding(5) var environment_sampler: sampler; // register s5

// ---- The studio: procedural light around the model.

// Returns the light of a soft box, a lamp behind a rectangle of cloth. `size` is half its width and height at a
// distance of 1.
fn soft_box(direction: vec3f, to_lamp: vec3f, size: vec2f) -> f32 {
    let forward = normalize(to_lamp);
    let right = normalize(cross(vec3f(0.0, 1.0, 0.0), forward));
    let up = cross(forward, right);
    let depth = dot(direction, forward);
    let at = vec2f(dot(direction, right), dot(direction, up)) / max(depth, 0.001);
    let inside = smoothstep(size + 0.08, size - 0.08, abs(at));
    return select(0.0, inside.x * inside.y * (1.3 - 0.5 * dot(at, at)), depth > 0.0);
}

fn studio(direction: vec3f) -> vec3f {
    let wall = mix(vec3f(0.14, 0.14, 0.155), vec3f(0.36, 0.39, 0.43), smoothstep(-0.35, 0.9, direction.y));
    let ground = vec3f(0.10, 0.09, 0.08);
    var light = mix(ground, wall, smoothstep(-0.25, 0.05, direction.y));
    light += vec3f(7.0, 6.6, 6.1) * soft_box(direction, vec3f(0.9, 0.8, 0.75), vec2f(0.45, 0.6));
    light += vec3f(1.5, 1.8, 2.2) * soft_box(direction, vec3f(-1.0, 0.35, 0.35), vec2f(0.35, 0.9));
    light += vec3f(3.6, 3.8, 4.1) * soft_box(direction, vec3f(-0.4, 0.7, -1.0), vec2f(0.7, 0.25));
    return light;
}

// ---- The environment map: the prefiltered reflection for each direction and roughness.

// The face that is being drawn, in `b0` of these shaders.
struct Face {
    // The directions to the middle of the face, to its right and up.
    forward: vec4f,
    right: vec4f,
    up: vec4f,
    // The roughness, in x. A value above 1 selects diffuse light.
    roughness: vec4f,
}

@group(0) @binding(0) var<uniform> face: Face; // register b0

struct Screen {
    @builtin(position) position: vec4f,
    @location(0) at: vec2f, // -1 to 1, y upwards
}

// Draws a triangle that covers the target.
@vertex
fn screen_vs(@builtin(vertex_index) index: u32) -> Screen {
    let at = vec2f(f32(index & 1) * 4.0 - 1.0, 1.0 - f32(index >> 1) * 4.0);
    return Screen(vec4f(at, 0.0, 1.0), at);
}

// Transforms a direction from the tangent space of `normal` to world space.
fn around(normal: vec3f, local: vec3f) -> vec3f {
    let side = normalize(cross(select(vec3f(0.0, 0.0, 1.0), vec3f(1.0, 0.0, 0.0), abs(normal.z) > 0.9), normal));
    return side * local.x + cross(normal, side) * local.y + normal * local.z;
}

// Returns point `n` of a Hammersley set, which covers the unit square evenly.
fn spread(n: u32, count: u32) -> vec2f {
    return vec2f((f32(n) + 0.5) / f32(count), f32(reverseBits(n)) * 2.3283064e-10);
}

// Returns the mean of the studio's light around a direction, weighted by GGX or Lambert.
@fragment
fn environment_ps(screen: Screen) -> @location(0) vec4f {
    let normal = normalize(face.forward.xyz + face.right.xyz * screen.at.x + face.up.xyz * screen.at.y);
    let roughness = face.roughness.x;
    if roughness == 0.0 {
        return vec4f(studio(normal), 1.0);
    }
    let count = select(256u, 1024u, roughness > 1.0);
    var sum = vec4f(0.0);
    for (var n = 0u; n < count; n++) {
        let random = spread(n, count);
        let turn = random.x * 2.0 * PI;
        if roughness > 1.0 {
            let radius = sqrt(random.y);
            sum += vec4f(studio(around(normal, vec3f(radius * cos(turn), radius * sin(turn), sqrt(1.0 - random.y)))), 1.0);
            continue;
        }
        // Half vectors, distributed by GGX for a view along the normal.
        let alpha = roughness * roughness;
        let cosine = sqrt((1.0 - random.y) / (1.0 + (alpha * alpha - 1.0) * random.y));
        let sine = sqrt(1.0 - cosine * cosine);
        let light = reflect(-normal, around(normal, vec3f(sine * cos(turn), sine * sin(turn), cosine)));
        let weight = max(dot(normal, light), 0.0);
        sum += vec4f(studio(light) * weight, weight);
    }
    return vec4f(sum.rgb / sum.a, 1.0);
}

// ---- The model.

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) tangent: vec4f,
    @location(3) texcoords: vec4f,
    @location(4) color: vec4f,
}

@vertex
fn vs_main(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) tangent: vec4f,
    @location(3) texcoord0: vec2f,
    @location(4) texcoord1: vec2f,
    @location(5) color: vec4f,
) -> Corner {
    let world = instance.to_world * vec4f(position, 1.0);
    return Corner(
        scene.to_clip * world,
        world.xyz,
        (instance.normal_to_world * vec4f(normal, 0.0)).xyz,
        vec4f((instance.to_world * vec4f(tangent.xyz, 0.0)).xyz, tangent.w),
        vec4f(texcoord0, texcoord1),
        color,
    );
}

fn texcoord(corner: Corner, role: u32) -> vec2f {
    let map = material.coordinates[role];
    let at = vec3f(select(corner.texcoords.xy, corner.texcoords.zw, map.u.w > 0.5), 1.0);
    return vec2f(dot(map.u.xyz, at), dot(map.v.xyz, at));
}

// Returns the surface normal with the normal texture applied.
fn shading_normal(corner: Corner, is_front: bool) -> vec3f {
    let at = texcoord(corner, 2u);
    let texel = textureSample(normal_texture, normal_sampler, at).xyz * 2.0 - 1.0;
    // If the model has no tangents, derive them from the screen-space derivatives of the texture coordinates.
    let dx = dpdx(corner.world);
    let dy = dpdy(corner.world);
    let du = dpdx(at);
    let dv = dpdy(at);
    let smooth_normal = normalize(corner.normal);
    let turned = sign(du.x * dv.y - dv.x * du.y);
    var tangent = (dx * dv.y - dy * du.y) * turned;
    var bitangent = (dy * du.x - dx * dv.x) * turned;
    if corner.tangent.w != 0.0 {
        tangent = corner.tangent.xyz;
        bitangent = cross(smooth_normal, tangent) * corner.tangent.w;
    } else {
        // glTF's v points down, and the normal texture's y points up.
        tangent -= smooth_normal * dot(smooth_normal, tangent);
        bitangent = -(bitangent - smooth_normal * dot(smooth_normal, bitangent));
        let largest = max(dot(tangent, tangent), dot(bitangent, bitangent));
        let scale = select(0.0, inverseSqrt(largest), largest > 0.0);
        tangent *= scale;
        bitangent *= scale;
    }
    let scaled = texel * vec3f(vec2f(material.normal_scale), 1.0);
    let bumpy = normalize(tangent * scaled.x + bitangent * scaled.y + smooth_normal * max(scaled.z, 0.01));
    let normal = select(smooth_normal, bumpy, material.has_normals > 0.5);
    return select(-normal, normal, is_front);
}

// Returns the fraction of the environment that is reflected, by Karis' approximation of GGX's integral. x scales the
// reflection colour at normal incidence, and y scales the white reflection at grazing angles.
fn reflected(roughness: f32, n_dot_v: f32) -> vec2f {
    let r = roughness * vec4f(-1.0, -0.0275, -0.572, 0.022) + vec4f(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * n_dot_v)) * r.x + r.y;
    return vec2f(-1.04, 1.04) * a + r.zw;
}

@fragment
fn ps_main(corner: Corner, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    // Sample all textures before any pixel is discarded, because mip levels depend on the neighbours' coordinates.
    let base_texel = textureSample(base_color_texture, base_color_sampler, texcoord(corner, 0u));
    let gloss_texel = textureSample(metallic_roughness_texture, metallic_roughness_sampler, texcoord(corner, 1u));
    let occlusion_texel = textureSample(occlusion_texture, occlusion_sampler, texcoord(corner, 3u)).r;
    let emissive_texel = textureSample(emissive_texture, emissive_sampler, texcoord(corner, 4u)).rgb;
    let normal = shading_normal(corner, is_front);

    let base = base_texel * material.base_color * corner.color;
    if base.a < material.cutoff {
        discard;
    }
    let alpha = select(base.a, 1.0, material.is_opaque > 0.5);
    if material.is_unlit > 0.5 {
        return vec4f(base.rgb, alpha);
    }
    let metallic = clamp(material.metallic * gloss_texel.b, 0.0, 1.0);
    let roughness = clamp(material.roughness * gloss_texel.g, 0.04, 1.0);
    let occlusion = mix(1.0, occlusion_texel, material.occlusion);

    let view = normalize(scene.eye.xyz - corner.world);
    let n_dot_v = clamp(dot(normal, view), 0.001, 1.0);
    let straight = mix(vec3f(0.04), base.rgb, metallic);
    let share = reflected(roughness, n_dot_v);
    let gloss = straight * share.x + share.y;
    // The last mip level contains the diffuse light. The levels before it contain the reflections, from smooth to
    // rough.
    let last = f32(textureNumLevels(environment) - 1);
    let reflection = textureSampleLevel(environment, environment_sampler, reflect(-view, normal), roughness * (last - 1.0));
    let arriving = textureSampleLevel(environment, environment_sampler, normal, last);
    let diffuse = base.rgb * (1.0 - metallic) * (1.0 - gloss) * arriving.rgb * occlusion;
    // Occluded surfaces also receive fewer reflections (Lagarde's approximation).
    let power = exp2(-16.0 * roughness - 1.0);
    let visible = clamp(pow(n_dot_v + occlusion, power) - 1.0 + occlusion, 0.0, 1.0);
    let color = diffuse + gloss * reflection.rgb * visible + emissive_texel * material.emissive.rgb;
    return vec4f(color, alpha);
}

// Draws the studio around the model, out of focus and dimmed.
@fragment
fn background_ps(screen: Screen) -> @location(0) vec4f {
    let direction = normalize((scene.to_direction * vec4f(screen.at, 1.0, 1.0)).xyz);
    let blurred = textureSampleLevel(environment, environment_sampler, direction, 2.0).rgb;
    return vec4f(blurred * 0.3 * (1.0 - 0.15 * dot(screen.at, screen.at)), 1.0);
}

// ---- The picture.

@group(1) @binding(0) var picture: texture_2d<f32>; // register t0

// Applies Khronos' PBR Neutral tone mapper. It compresses only colours that are too bright for the display.
fn tone_mapped(light: vec3f) -> vec3f {
    let least = min(light.r, min(light.g, light.b));
    let offset = select(0.04, least - 6.25 * least * least, least < 0.08);
    let color = light - offset;
    let peak = max(color.r, max(color.g, color.b));
    let start = 0.8 - 0.04;
    if peak < start {
        return color;
    }
    let rest = 1.0 - start;
    let new_peak = 1.0 - rest * rest / (peak + rest - start);
    let grey = 1.0 / (0.15 * (peak - new_peak) + 1.0);
    return mix(vec3f(new_peak), color * (new_peak / peak), grey);
}

// Returns the mean of a pixel's samples. Each sample is tone mapped first, because otherwise bright samples would
// outweigh their neighbours and cause jagged edges.
@fragment
fn picture_ps(screen: Screen) -> @location(0) vec4f {
    let side = u32(round(scene.eye.w)); // samples along each side of a pixel
    let first = vec2u(screen.position.xy) * side;
    var sum = vec3f(0.0);
    for (var n = 0u; n < side * side; n++) {
        sum += tone_mapped(textureLoad(picture, first + vec2u(n % side, n / side), 0).rgb);
    }
    return vec4f(sum / f32(side * side), 1.0);
}
