struct Constants {
    to_clip: mat4x4f,
    time: vec4f, // x: seconds; y: number of crates
}

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) normal: vec3f,
    @location(1) texcoord: vec2f,
    @location(2) depth: f32,
}

@group(0) @binding(0) var<uniform> constants: Constants; // register b0
@group(1) @binding(0) var image: texture_2d<f32>; // register t0
@group(2) @binding(0) var image_sampler: sampler; // register s0

fn turned(v: vec3f, angle: f32) -> vec3f {
    return vec3f(v.x * cos(angle) + v.z * sin(angle), v.y, v.z * cos(angle) - v.x * sin(angle));
}

// Draws a cube without a vertex buffer: six sides of two triangles, counter-clockwise as seen from outside.
@vertex
fn vs_main(@builtin(vertex_index) vertex: u32, @builtin(instance_index) number: u32) -> Corner {
    const corners = array(vec2f(-1, -1), vec2f(1, -1), vec2f(1, 1), vec2f(-1, -1), vec2f(1, 1), vec2f(-1, 1));
    let at = corners[vertex % 6];
    let side = vertex / 6;
    var normal = vec3f(0.0);
    normal[side >> 1] = 1.0 - f32(side & 1) * 2.0;
    let up = select(vec3f(0.0, 1.0, 0.0), vec3f(0.0, 0.0, 1.0), abs(normal.y) > 0.5);
    let local = normal + cross(up, normal) * at.x + up * at.y;

    // Two concentric rings that turn in opposite directions.
    let time = constants.time.x;
    let inner = number % 3 == 0;
    let part = f32(number) / constants.time.y * 6.283185;
    let way = select(time * 0.35, -time * 0.6, inner) + part;
    let spin = time * (0.8 + 0.2 * f32(number % 5)) + f32(number);
    let tilted = vec3f(local.x, local.y * cos(spin * 0.6) - local.z * sin(spin * 0.6), local.y * sin(spin * 0.6) + local.z * cos(spin * 0.6));
    let tilted_normal = vec3f(normal.x, normal.y * cos(spin * 0.6) - normal.z * sin(spin * 0.6), normal.y * sin(spin * 0.6) + normal.z * cos(spin * 0.6));
    let middle = turned(vec3f(select(4.1, 1.9, inner), 0.25 * sin(part * 3.0 + time), 0.0), way);
    let world = middle + turned(tilted, spin) * 0.36;
    let position = constants.to_clip * vec4f(world, 1.0);
    return Corner(position, turned(tilted_normal, spin), vec2f(at.x, -at.y) * 0.5 + 0.5, position.w);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    let normal = normalize(corner.normal);
    let key = max(dot(normal, normalize(vec3f(0.5, 0.8, 0.6))), 0.0);
    let fill = max(dot(normal, normalize(vec3f(-0.8, 0.1, -0.3))), 0.0);
    let light = vec3f(0.12, 0.14, 0.2) + vec3f(1.25, 1.1, 0.9) * key + vec3f(0.15, 0.25, 0.5) * fill;
    let color = textureSample(image, image_sampler, corner.texcoord).rgb * light;
    // Distant crates fade into the dark.
    return vec4f(mix(color, vec3f(0.010, 0.018, 0.034), smoothstep(7.0, 17.0, corner.depth)), 1.0);
}
