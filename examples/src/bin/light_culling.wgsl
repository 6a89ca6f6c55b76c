// Tiled forward lighting ("Forward+"): each pixel evaluates only the lights that reach its tile of 16 by 16 pixels.
// 1. `vs_main` draws the depth of the scene, without a pixel shader.
// 2. `cull_main` runs a thread group per tile and lists the lights that reach visible surfaces in the tile.
// 3. `vs_main` and `ps_main` draw the scene with the lights of the lists.
// 4. `glow_vs_main` and `glow_ps_main` draw the lights themselves.

const TILE: u32 = 16; // width and height in pixels
const LIST: u32 = 256; // words per list: the number of lights, then their indices

struct Camera {
    view: mat4x4f,
    projection: mat4x4f,
    position: vec3f,
    tiles_x: u32, // number of tiles in a row
    shows_heat: u32, // 1 to show the lengths of the lists
}

struct Light {
    position: vec3f,
    radius: f32, // distance at which the light ends
    color: vec3f,
}

@group(0) @binding(0) var<uniform> camera: Camera; // register b0
@group(1) @binding(0) var<storage> lights: array<Light>; // register t0
@group(1) @binding(1) var depth: texture_depth_2d; // register t1
@group(1) @binding(2) var<storage> lists: array<u32>; // register t2
@group(3) @binding(0) var<storage, read_write> lists_out: array<u32>; // register u0

// The bits of positive floats compare like the floats themselves, so depths can be stored in integer atomics.
var<workgroup> nearest: atomic<u32>;
var<workgroup> farthest: atomic<u32>;
var<workgroup> count: atomic<u32>;

// Converts a depth from 0 to 1 to a distance in front of the camera.
fn distance_of(depth: f32) -> f32 {
    return camera.projection[3].z / (depth + camera.projection[2].z);
}

// Returns the signed distance of a point in view space from a plane. The plane contains the camera and the line at `at`
// on the screen, from -1 to 1. `scale` is the projection matrix's scale on this axis.
fn inside(point: f32, z: f32, scale: f32, at: f32) -> f32 {
    return (point * scale + z * at) / sqrt(scale * scale + at * at);
}

@compute @workgroup_size(TILE, TILE)
fn cull_main(
    @builtin(workgroup_id) tile: vec3u,
    @builtin(global_invocation_id) pixel: vec3u,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0 {
        atomicStore(&nearest, 0xffffffff);
        atomicStore(&farthest, 0);
        atomicStore(&count, 0);
    }
    workgroupBarrier();
    // Compute the range of depths in the tile. Pixels without geometry need no light.
    let size = textureDimensions(depth);
    if all(pixel.xy < size) {
        let found = textureLoad(depth, pixel.xy, 0);
        if found < 1.0 {
            atomicMin(&nearest, bitcast<u32>(found));
            atomicMax(&farthest, bitcast<u32>(found));
        }
    }
    workgroupBarrier();
    let first = atomicLoad(&nearest);
    let last = atomicLoad(&farthest);
    let list = (tile.y * camera.tiles_x + tile.x) * LIST;
    if first <= last {
        let near = distance_of(bitcast<f32>(first));
        let far = distance_of(bitcast<f32>(last));
        let scale = vec2f(camera.projection[0].x, camera.projection[1].y);
        let corner = vec2f(tile.xy * TILE) / vec2f(size) * 2.0 - 1.0;
        let opposite = vec2f((tile.xy + 1) * TILE) / vec2f(size) * 2.0 - 1.0;
        // Each thread tests some of the lights.
        for (var n = thread; n < arrayLength(&lights); n += TILE * TILE) {
            let light = lights[n];
            let center = (camera.view * vec4f(light.position, 1.0)).xyz;
            // The smallest signed distance to the planes that bound the tile's volume: left, right, top, bottom, near
            // and far. The camera looks along -z.
            let x = min(inside(center.x, center.z, scale.x, corner.x), -inside(center.x, center.z, scale.x, opposite.x));
            let y = min(-inside(center.y, center.z, scale.y, -corner.y), inside(center.y, center.z, scale.y, -opposite.y));
            let z = min(-center.z - near, far + center.z);
            if min(min(x, y), z) > -light.radius {
                let place = atomicAdd(&count, 1);
                if place < LIST - 1 {
                    lists_out[list + 1 + place] = n;
                }
            }
        }
    }
    workgroupBarrier();
    if thread == 0 {
        lists_out[list] = min(atomicLoad(&count), LIST - 1);
    }
}

struct Corner {
    @builtin(position) @invariant position: vec4f, // invariant, so that both passes compute the same depth
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
    @location(2) @interpolate(flat) color: vec3f,
}

// Transforms a corner of a box that is turned about the vertical axis.
@vertex
fn vs_main(
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) center: vec3f,
    @location(3) half_size: vec3f,
    @location(4) color: vec3f,
    @location(5) angle: f32,
) -> Corner {
    let turn = mat3x3f(cos(angle), 0.0, -sin(angle), 0.0, 1.0, 0.0, sin(angle), 0.0, cos(angle));
    let world = center + turn * (position * half_size);
    return Corner(camera.projection * camera.view * vec4f(world, 1.0), world, turn * normal, color);
}

// Returns the light that a surface reflects to the camera.
fn lit(light: Light, world: vec3f, normal: vec3f, to_camera: vec3f, color: vec3f) -> vec3f {
    let way = light.position - world;
    let range = dot(way, way) / (light.radius * light.radius);
    let falloff = pow(max(1.0 - range, 0.0), 2.0) / (0.15 + dot(way, way));
    let to_light = normalize(way);
    let diffuse = color * max(dot(normal, to_light), 0.0);
    let shine = pow(max(dot(normal, normalize(to_light + to_camera)), 0.0), 60.0) * 0.7;
    return light.color * falloff * (diffuse + shine);
}

// Returns a colour from black through blue, green and yellow to red, for 0 to 120 or more lights.
fn heat(lights: u32) -> vec3f {
    let t = min(f32(lights) / 120.0, 1.0) * 4.0;
    return clamp(vec3f(t - 2.0, min(t - 1.0, 4.0 - t), min(t, 3.0 - t)), vec3f(0.0), vec3f(1.0));
}

// Maps unlimited brightness to 0 to 1.
fn tone_mapped(color: vec3f) -> vec3f {
    return color * (1.0 + color * 0.1) / (1.0 + color);
}

@fragment
fn ps_main(corner: Corner) -> @location(0) vec4f {
    let tile = vec2u(corner.position.xy) / TILE;
    let list = (tile.y * camera.tiles_x + tile.x) * LIST;
    let count = lists[list];
    let normal = normalize(corner.normal);
    let away = camera.position - corner.world;
    // The floor has square slabs with dark seams. The seams fade where they are thinner than a pixel.
    var color = corner.color;
    let width = fwidth(corner.world.xz);
    if normal.y > 0.5 && corner.world.y < 0.01 {
        let seam = abs(fract(corner.world.xz) - 0.5);
        let dark = smoothstep(vec2f(0.48) - width, vec2f(0.48) + width, seam) * clamp(0.08 / width, vec2f(0.0), vec2f(1.0));
        color *= 1.0 - 0.8 * max(dark.x, dark.y);
    }
    var light = color * mix(vec3f(0.006, 0.007, 0.012), vec3f(0.03, 0.035, 0.06), normal.y * 0.5 + 0.5);
    for (var n = 1u; n <= count; n++) {
        light += lit(lights[lists[list + n]], corner.world, normal, normalize(away), color);
    }
    let fog = exp(-0.00012 * dot(away, away));
    let shown = tone_mapped(mix(FOG, light, fog));
    return vec4f(select(shown, heat(count) + shown * 0.15, camera.shows_heat == 1), 1.0);
}

const FOG = vec3f(0.004, 0.006, 0.014);

struct Glow {
    @builtin(position) position: vec4f,
    @location(0) place: vec2f, // -1 to 1
    @location(1) @interpolate(flat) color: vec3f,
}

// Draws each light as a square that faces the camera.
@vertex
fn glow_vs_main(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Glow {
    let light = lights[instance];
    let place = vec2f(f32(index & 1), f32(index >> 1)) * 2.0 - 1.0;
    let center = camera.view * vec4f(light.position, 1.0);
    return Glow(camera.projection * (center + vec4f(place * 0.16, 0.0, 0.0)), place, light.color);
}

@fragment
fn glow_ps_main(glow: Glow) -> @location(0) vec4f {
    let range = max(1.0 - length(glow.place), 0.0);
    let core = smoothstep(0.72, 0.8, range);
    return vec4f(tone_mapped(glow.color * (range * range * 0.5) + (glow.color + 0.3) * core * 2.0), 1.0);
}
