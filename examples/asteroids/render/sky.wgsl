// The sky consists of stars and a nebula. The nebula is drawn into a texture once. The floor is a grid below the arena.

@group(1) @binding(0) var nebula: texture_2d<f32>; // register t0
@group(2) @binding(0) var smooth_sampler: sampler; // register s0

struct Pixel {
    @builtin(position) position: vec4f,
    @location(0) at: vec2f,
}

// Draws a triangle that covers the picture. `at` ranges from -1 to 1 across the picture.
@vertex
fn sky_vs(@builtin(vertex_index) index: u32) -> Pixel {
    let at = vec2f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    return Pixel(vec4f(at, 1.0, 1.0), at);
}

fn clouds(p: vec3f) -> f32 {
    var sum = 0.0;
    var weight = 0.5;
    var q = p;
    for (var n = 0; n < 5; n++) {
        sum += weight * noise(q);
        q = q.yzx * 2.03 + vec3f(3.1, 1.7, 5.3);
        weight *= 0.5;
    }
    return sum;
}

@fragment
fn nebula_ps(pixel: Pixel) -> @location(0) vec4f {
    let p = vec3f(pixel.at * 2.2, 0.4);
    let bend = vec3f(clouds(p + 3.0), clouds(p + 17.0), 0.0) - 0.5;
    let a = clouds(p + bend * 2.6);
    let b = clouds(p * 1.6 + bend * 1.4 + 31.0);
    let blue = vec3f(0.05, 0.16, 0.52) * pow(a, 2.6) * 1.6;
    let violet = vec3f(0.42, 0.08, 0.46) * pow(max(b - 0.30, 0.0) * 1.7, 2.0);
    let warm = vec3f(0.9, 0.32, 0.12) * pow(max(a * b * 2.0 - 0.42, 0.0), 2.0) * 1.2;
    let dust = smoothstep(0.25, 0.6, clouds(p * 2.4 - bend + 9.0));
    return vec4f((blue + violet * 0.8 + warm) * (0.10 + 0.55 * dust) + vec3f(0.002, 0.003, 0.008), 1.0);
}

// Returns the stars of one layer. Each cell of the grid has at most one star.
fn stars(p: vec2f, layer: f32, sharp: f32) -> vec3f {
    let cell = floor(p);
    let seed = hash(vec3f(cell, layer));
    let place = vec2f(hash(vec3f(cell, layer + 10.0)), hash(vec3f(cell, layer + 20.0))) * 0.7 + 0.15;
    let d = length(fract(p) - place) * sharp;
    let twinkle = 0.7 + 0.3 * sin(scene.picture.z * (1.0 + 3.0 * seed) + seed * 60.0);
    let bright = step(0.6, seed) * pow(hash(vec3f(cell, layer + 30.0)), 8.0) * 2.6 + step(0.6, seed) * 0.05;
    let tint = mix(vec3f(0.7, 0.8, 1.0), vec3f(1.0, 0.85, 0.65), hash(vec3f(cell, layer + 40.0)));
    return tint * bright * twinkle * exp(-d * d);
}

@fragment
fn sky_ps(pixel: Pixel) -> @location(0) vec4f {
    let size = scene.picture.xy;
    // The unit is the picture's shorter side, so a square in the middle shows the same section of the sky at any aspect
    // ratio.
    let p = pixel.at * 0.5 * size / min(size.x, size.y);
    let look = vec2f(dot(scene.right.xy, scene.arena.zw), dot(scene.up.xy, scene.arena.zw));
    let drift = vec2f(scene.picture.z * 0.002, 0.0);
    var color = textureSample(nebula, smooth_sampler, 0.5 + (p * 0.36 + look * 0.012 + drift) * vec2f(1.0, -1.0)).rgb;
    let pixels = min(size.x, size.y);
    color += stars(p * 14.0 + look * 0.25 + drift * 20.0 + 50.0, 1.0, pixels / 14.0 / 1.1);
    color += stars(p * 30.0 + look * 0.35 + drift * 28.0 + 70.0, 2.0, pixels / 30.0 / 0.8) * 0.6;
    let edge = length(pixel.at);
    color *= 1.0 - 0.35 * smoothstep(0.6, 1.5, edge);
    color += vec3f(0.30, 0.40, 0.55) * scene.picture.w * scene.picture.w;
    return vec4f(color * scene.right.w, 1.0);
}

struct FloorPixel {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
}

@vertex
fn floor_vs(@builtin(vertex_index) index: u32) -> FloorPixel {
    let corner = vec2f(f32(index & 1u), f32(index >> 1u)) * 2.0 - 1.0;
    let world = vec3f(corner * scene.arena.xy, -1.5);
    return FloorPixel(scene.to_clip * vec4f(world, 1.0), world);
}

// Returns the fraction of a pixel that grid lines cover. The lines are 1 apart.
fn lines(p: vec2f, width: f32) -> f32 {
    let pixel = fwidth(p);
    let d = abs(fract(p - 0.5) - 0.5);
    let cover = clamp((width - d) / pixel + 0.5, vec2f(0.0), vec2f(1.0)) * min(vec2f(1.0), 2.0 * width / pixel);
    return max(cover.x, cover.y);
}

@fragment
fn floor_ps(pixel: FloorPixel) -> @location(0) vec4f {
    let grid = lines(pixel.world.xy * 0.5, 0.012) * 0.8 + lines(pixel.world.xy * 0.1, 0.004);
    var light = vec3f(0.010, 0.026, 0.055);
    for (var n = 0; n < i32(scene.up.w); n++) {
        let way = scene.lights[n].position.xyz - pixel.world;
        light += scene.lights[n].color.rgb * 0.045 / (0.8 + dot(way, way));
    }
    // The lines are brightly lit, and the areas between the lines faintly.
    return vec4f(light * (grid * 1.9 + 0.16) * scene.right.w, 1.0);
}
