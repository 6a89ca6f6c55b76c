// Shaders for objects and water: lit surfaces, and shadows of surfaces with holes.

@group(1) @binding(0) var base_color_texture: texture_2d<f32>;
@group(1) @binding(1) var metallic_roughness_texture: texture_2d<f32>;
@group(1) @binding(2) var normal_texture: texture_2d<f32>;
@group(1) @binding(3) var occlusion_texture: texture_2d<f32>;
@group(1) @binding(4) var emissive_texture: texture_2d<f32>;
@group(1) @binding(5) var shadow_map: texture_depth_2d;

@group(2) @binding(0) var base_color_sampler: sampler;
@group(2) @binding(1) var metallic_roughness_sampler: sampler;
@group(2) @binding(2) var normal_sampler: sampler;
@group(2) @binding(3) var occlusion_sampler: sampler;
@group(2) @binding(4) var emissive_sampler: sampler;
@group(2) @binding(5) var shadow_sampler: sampler_comparison;

struct Vertex {
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) tangent: vec4f,
    @location(3) texcoord0: vec2f,
    @location(4) texcoord1: vec2f,
    @location(5) color: vec4f,
}

struct Fragment {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) tangent: vec4f,
    @location(3) texcoords: vec4f,
    @location(4) color: vec4f,
}

@vertex
fn vs_surface(vertex: Vertex) -> Fragment {
    let world = object.world * vec4f(vertex.position, 1.0);
    let tangent = (object.world * vec4f(vertex.tangent.xyz, 0.0)).xyz;
    return Fragment(
        view.view_projection * world,
        world.xyz,
        object.normal * vertex.normal,
        vec4f(tangent, vertex.tangent.w),
        vec4f(vertex.texcoord0, vertex.texcoord1),
        vertex.color * object.color,
    );
}

// Returns the coordinates in one of the material's textures.
fn texcoord(role: u32, in: Fragment) -> vec2f {
    let u = material.texcoords[2u * role];
    let v = material.texcoords[2u * role + 1u];
    let point = vec3f(select(in.texcoords.xy, in.texcoords.zw, u.w > 0.5), 1.0);
    return vec2f(dot(u.xyz, point), dot(v.xyz, point));
}

// A slot for which the material has no texture contains a white texture. A branch on a constant would save
// little, and software drivers may recompile a shader for each value of a constant used in a branch.
fn base_color(in: Fragment) -> vec4f {
    let texel = textureSample(base_color_texture, base_color_sampler, texcoord(0u, in));
    return material.base_color * in.color * texel;
}

// Returns the surface normal, perturbed by the normal texture if the material has one.
fn surface_normal(in: Fragment, is_front: bool) -> vec3f {
    let facing = normalize(in.normal) * select(-1.0, 1.0, is_front);
    let place = texcoord(2u, in);
    let texel = textureSample(normal_texture, normal_sampler, place).xyz * 2.0 - 1.0;
    let bump = vec3f(texel.xy * material.normal_scale, texel.z);
    // Compute a tangent frame from the screen-space derivatives of the texture coordinates.
    let dx = dpdx(in.world);
    let dy = dpdy(in.world);
    let du = dpdx(place);
    let dv = dpdy(place);
    let across = cross(dy, facing);
    let along = cross(facing, dx);
    let turn = sign(dot(cross(dx, dy), facing));
    let raw_tangent = (across * du.x + along * dv.x) * turn;
    let raw_bitangent = (across * du.y + along * dv.y) * turn;
    let size = max(dot(raw_tangent, raw_tangent), dot(raw_bitangent, raw_bitangent));
    let scale = inverseSqrt(max(size, 1e-20));
    // In the texture, v points down and green points up.
    var tangent = raw_tangent * scale;
    var bitangent = -raw_bitangent * scale;
    // The mesh's own tangents take precedence.
    let is_own = abs(in.tangent.w) > 0.5;
    let own_tangent = in.tangent.xyz * inverseSqrt(max(dot(in.tangent.xyz, in.tangent.xyz), 1e-20));
    let own_bitangent = cross(normalize(in.normal), own_tangent) * sign(in.tangent.w);
    tangent = select(tangent, own_tangent, is_own);
    bitangent = select(bitangent, own_bitangent, is_own);
    let bumped = normalize(tangent * bump.x + bitangent * bump.y + facing * bump.z);
    return select(facing, bumped, material.has_normal_texture == 1u);
}

// Returns the fraction of sunlight that reaches a point, from 0 to 1. Averages nine filtered comparisons.
fn sunlight(world: vec3f, normal: vec3f) -> f32 {
    let lifted = world + normal * 0.03;
    let place = (lights.shadow * vec4f(lifted, 1.0)).xyz;
    let inside = all(place > vec3f(0.0)) && all(place < vec3f(1.0));
    let texel = lights.to_sun.w;
    var light = 0.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let at = place.xy + vec2f(f32(x), f32(y)) * texel;
            light += textureSampleCompareLevel(shadow_map, shadow_sampler, at, place.z);
        }
    }
    return select(1.0, light / 9.0, inside);
}

struct Shading {
    normal: vec3f,
    toward_eye: vec3f,
    diffuse: vec3f,
    specular: vec3f,
    // squared roughness
    alpha: f32,
}

// Returns the fraction of light from one direction that is reflected to the eye (GGX, glTF 2.0 appendix B).
fn reflected(s: Shading, toward_light: vec3f) -> vec3f {
    let halfway = normalize(toward_light + s.toward_eye);
    let n_l = clamp(dot(s.normal, toward_light), 0.0, 1.0);
    let n_v = clamp(abs(dot(s.normal, s.toward_eye)), 1e-3, 1.0);
    let n_h = clamp(dot(s.normal, halfway), 0.0, 1.0);
    let v_h = clamp(dot(s.toward_eye, halfway), 0.0, 1.0);
    let a2 = s.alpha * s.alpha;
    let d = n_h * n_h * (a2 - 1.0) + 1.0;
    let distribution = a2 / max(3.14159265 * d * d, 1e-6);
    let lambda_v = n_l * sqrt(n_v * n_v * (1.0 - a2) + a2);
    let lambda_l = n_v * sqrt(n_l * n_l * (1.0 - a2) + a2);
    let visibility = 0.5 / max(lambda_v + lambda_l, 1e-5);
    let fresnel = s.specular + (1.0 - s.specular) * pow(1.0 - v_h, 5.0);
    let diffuse = s.diffuse * (1.0 - fresnel) / 3.14159265;
    return (diffuse + fresnel * distribution * visibility) * n_l;
}

// Returns the light from all directions that is reflected to the eye, with a fit of the specular term (Karis,
// 2014).
fn surroundings(s: Shading, roughness: f32) -> vec3f {
    let n_v = clamp(dot(s.normal, s.toward_eye), 0.0, 1.0);
    let r = roughness * vec4f(-1.0, -0.0275, -0.572, 0.022) + vec4f(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * n_v)) * r.x + r.y;
    let weights = vec2f(-1.04, 1.04) * a + r.zw;
    let direction = reflect(-s.toward_eye, s.normal);
    let mirror = mix(sky(direction), skylight(direction), sqrt(roughness));
    return s.diffuse * skylight(s.normal) * 0.8 + mirror * (s.specular * weights.x + weights.y);
}

fn lit(in: Fragment, color: vec4f, is_front: bool) -> vec3f {
    let rough = textureSample(metallic_roughness_texture, metallic_roughness_sampler, texcoord(1u, in));
    let open = textureSample(occlusion_texture, occlusion_sampler, texcoord(3u, in));
    let glow = textureSample(emissive_texture, emissive_sampler, texcoord(4u, in));
    let metallic = material.metallic * rough.b;
    var roughness = material.roughness * rough.g;
    let occlusion = 1.0 + material.occlusion_strength * (open.r - 1.0);
    let emitted = material.emissive * glow.rgb;
    let normal = surface_normal(in, is_front);
    roughness = clamp(roughness, 0.045, 1.0);
    let s = Shading(
        normal,
        normalize(view.eye.xyz - in.world),
        color.rgb * (1.0 - metallic),
        mix(vec3f(0.04), color.rgb, metallic),
        roughness * roughness,
    );
    let geometric = normalize(in.normal) * select(-1.0, 1.0, is_front);
    var light = surroundings(s, roughness) * occlusion;
    let sun = sunlight(in.world, geometric);
    light += reflected(s, lights.to_sun.xyz) * lights.sun_color.rgb * sun;
    for (var i = 0; i < 3; i++) {
        let offset = lights.lamps[i].position.xyz - in.world;
        let squared = dot(offset, offset);
        // The inverse square law, faded to zero at a distance of 10.
        let window = clamp(1.0 - squared / 100.0, 0.0, 1.0);
        let strength = window * window / (squared + 0.25);
        light += reflected(s, offset * inverseSqrt(squared + 1e-6)) * lights.lamps[i].color.rgb * strength;
    }
    // The object's colour also tints emitted light, so that each lamp glows in its own colour.
    light += emitted * object.color.rgb;
    return select(light, color.rgb, material.unlit == 1u);
}

fn shown(in: Fragment, color: vec4f, is_front: bool) -> vec4f {
    let light = fog(lit(in, color, is_front), in.world - view.eye.xyz);
    return vec4f(tone_map(light), select(1.0, color.a, material.keeps_alpha == 1u));
}

@fragment
fn ps_surface(in: Fragment, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    return shown(in, base_color(in), is_front);
}

// Shades materials with holes. Discards pixels whose alpha is below the cutoff.
@fragment
fn ps_surface_cut(in: Fragment, @builtin(front_facing) is_front: bool) -> @location(0) vec4f {
    let color = base_color(in);
    let result = shown(in, color, is_front);
    if color.a < material.alpha_cutoff {
        discard;
    }
    return result;
}

// Draws shadows of materials with holes. Other shadows need no pixel shader.
@fragment
fn ps_shadow_cut(in: Fragment) {
    if base_color(in).a < material.alpha_cutoff {
        discard;
    }
}

// Draws the water's surface over the reflection from the mirrored pass, with premultiplied alpha.
@fragment
fn ps_water(in: Fragment) -> @location(0) vec4f {
    let seconds = view.eye.w;
    let p = in.world.xz;
    let r = length(p);
    let waves = vec2f(
        sin(p.x * 5.1 + p.y * 2.3 + seconds * 1.7) + sin(r * 9.0 - seconds * 2.4) * 0.6,
        sin(p.y * 4.7 - p.x * 2.9 + seconds * 1.3) + sin(r * 7.0 - seconds * 2.0) * 0.6,
    );
    let normal = normalize(vec3f(waves.x * 0.010, 1.0, waves.y * 0.010));
    let toward_eye = normalize(view.eye.xyz - in.world);
    let grazing = pow(1.0 - clamp(dot(normal, toward_eye), 0.0, 1.0), 3.0);
    let reflectivity = mix(0.50, 0.96, grazing);
    let sun = sunlight(in.world, vec3f(0.0, 1.0, 0.0));
    let deep = vec3f(0.010, 0.050, 0.060);
    let shallow = vec3f(0.07, 0.21, 0.21);
    let bottom = mix(deep, shallow, smoothstep(0.35, 1.0, r / 6.0)) * (0.55 + 0.45 * sun);
    let halfway = normalize(toward_eye + lights.to_sun.xyz);
    let glint = pow(clamp(dot(normal, halfway), 0.0, 1.0), 900.0) * sun * 2.0;
    let own = tone_map(bottom * 2.2) * (1.0 - reflectivity);
    return vec4f(own + tone_map(lights.sun_color.rgb * glint), 1.0 - reflectivity);
}
