struct Constants {
    milliseconds: vec4f,
    size: vec2f,
    time: f32,
}

@group(0) @binding(0) var<uniform> constants: Constants; // register b0
@group(1) @binding(0) var image: texture_2d<f32>; // register t0
@group(1) @binding(1) var glow: texture_2d<f32>; // t1
@group(2) @binding(0) var linear: sampler; // register s0

struct Pixel {
    @builtin(position) position: vec4f,
    @location(0) uv: vec2f,
}

// Draws a triangle that covers the whole viewport.
@vertex
fn vs_main(@builtin(vertex_index) index: u32) -> Pixel {
    let uv = array(vec2f(0.0, 0.0), vec2f(2.0, 0.0), vec2f(0.0, 2.0))[index];
    return Pixel(vec4f(uv.x * 2.0 - 1.0, 1.0 - uv.y * 2.0, 0.0, 1.0), uv);
}

// Returns a colour of the rainbow. `part` is the hue, from 0 to 1.
fn hue(part: f32) -> vec3f {
    return 0.5 + 0.5 * cos(6.2831853 * (part + vec3f(0.0, 0.33, 0.67)));
}

// Draws drops of light that merge where they touch.
@fragment
fn shapes_main(pixel: Pixel) -> @location(0) vec4f {
    let place = (pixel.uv * 2.0 - 1.0) * vec2f(constants.size.x / constants.size.y, -1.0);
    var field = 0.0;
    var color = vec3f(0.0);
    for (var n = 0; n < 32; n++) {
        let number = f32(n);
        let angle = number * 2.39996 + constants.time * (0.25 + 0.02 * f32(n % 7));
        let center = vec2f(cos(angle) * (0.25 + 0.045 * number), sin(angle * 1.3) * 0.82);
        let away = place - center;
        let radius = 0.06 + 0.022 * f32(n % 5);
        let weight = radius * radius / (dot(away, away) + 0.0004);
        field += weight;
        color += weight * hue(number / 32.0);
    }
    let inside = smoothstep(0.95, 1.25, field);
    let rim = inside * (1.0 - smoothstep(1.25, 2.6, field));
    let base = vec3f(0.012, 0.014, 0.03) * (1.4 - 0.5 * length(place));
    return vec4f(base + color / field * (0.3 * inside + 1.5 * rim), 1.0);
}

// Returns the mean of a row of texels, weighted by a bell curve.
fn blurred(uv: vec2f, step: vec2f) -> vec4f {
    var sum = vec4f(0.0);
    var weights = 0.0;
    for (var n = -20; n <= 20; n++) {
        let weight = exp(-f32(n * n) / 128.0);
        sum += weight * textureSampleLevel(image, linear, uv + f32(n) * step, 0.0);
        weights += weight;
    }
    return sum / weights;
}

@fragment
fn across_main(pixel: Pixel) -> @location(0) vec4f {
    return blurred(pixel.uv, vec2f(0.0018, 0.0));
}

@fragment
fn down_main(pixel: Pixel) -> @location(0) vec4f {
    return blurred(pixel.uv, vec2f(0.0, 0.0018 * constants.size.x / constants.size.y));
}

@fragment
fn sum_main(pixel: Pixel) -> @location(0) vec4f {
    let light = textureSampleLevel(image, linear, pixel.uv, 0.0).rgb;
    let around = textureSampleLevel(glow, linear, pixel.uv, 0.0).rgb;
    let sum = light + 1.1 * around;
    return vec4f(sum / (sum + 0.55), 1.0);
}

// Draws a bar for each pass. The full width is eight milliseconds.
@fragment
fn bars_main(pixel: Pixel) -> @location(0) vec4f {
    let at = pixel.uv.x * 8.0;
    let row = min(u32(pixel.uv.y * 4.0), 3u);
    let inner = abs(fract(pixel.uv.y * 4.0) - 0.5);
    if inner < 0.33 && at < constants.milliseconds[row] {
        return vec4f(0.15 + 0.75 * hue(0.1 + 0.24 * f32(row)), 1.0);
    }
    let is_line = abs(at - round(at)) < 0.02;
    return vec4f(select(vec3f(0.02, 0.022, 0.035), vec3f(0.16), is_line), 1.0);
}
