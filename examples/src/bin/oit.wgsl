// Order-independent transparency: each pixel keeps a list of its glass surfaces, and sorts the list at the end.
// 1. `vs_main` with `floor_ps_main` and `metal_ps_main` draws the opaque objects and their depth.
// 2. `vs_main` and `glass_ps_main` draw the glass in any order. They write no colour, and each fragment becomes a node
//    in its pixel's list.
// 3. `blend_vs_main` and `blend_ps_main` sort each pixel's list and blend it over the opaque picture.

// The index that ends a list. Out-of-bounds loads and loads of helper pixels return 0. Because 0 is the end,
// such a load ends the list and cannot cause an endless loop.
const END: u32 = 0;
const LAYERS: u32 = 24; // maximum number of surfaces that a pixel shows; the nearest are kept

struct Camera {
    to_clip: mat4x4f,
    position: vec3f,
    width: u32, // width of the picture in pixels
    sorts: u32, // 0 to show the result without sorting
}

struct Object {
    to_world: mat4x4f,
    color: vec3f,
    density: f32, // for glass: the fraction of the light from behind that it absorbs, 0 to 1
}

// One surface in one pixel.
struct Node {
    next: u32, // index of the pixel's next node, or END
    depth: f32,
    colors: array<u32, 3>, // six halves: the surface's light, and the fraction of light that it transmits
}

@group(0) @binding(0) var<uniform> camera: Camera; // register b0
@group(0) @binding(1) var<uniform> object: Object; // register b1
@group(1) @binding(0) var opaque_depth: texture_depth_2d; // register t0
@group(1) @binding(1) var opaque_color: texture_2d<f32>; // register t1
@group(1) @binding(2) var<storage> heads: array<u32>; // register t2
@group(1) @binding(3) var<storage> nodes: array<Node>; // register t3
@group(3) @binding(0) var<storage, read_write> heads_out: array<atomic<u32>>; // register u0
@group(3) @binding(1) var<storage, read_write> nodes_out: array<Node>; // register u1
@group(4) @binding(1) var<storage, read_write> node_count: atomic<u32>; // the hidden counter of u1

struct Corner {
    @builtin(position) position: vec4f,
    @location(0) world: vec3f,
    @location(1) normal: vec3f,
}

@vertex
fn vs_main(@location(0) position: vec3f, @location(1) normal: vec3f) -> Corner {
    let world = object.to_world * vec4f(position, 1.0);
    return Corner(camera.to_clip * world, world.xyz, (object.to_world * vec4f(normal, 0.0)).xyz);
}

const BACKGROUND = vec3f(0.055, 0.07, 0.105);

// Returns the light from a direction: a dark room with a large lamp above and a strip of light at each side.
fn environment(way: vec3f) -> vec3f {
    let room = mix(vec3f(0.05, 0.045, 0.05), vec3f(0.16, 0.21, 0.30), smoothstep(-0.4, 0.8, way.y));
    let above = way.xz / max(way.y, 0.001);
    let lamp = smoothstep(1.1, 0.8, max(abs(above.x + 0.5), abs(above.y - 0.3))) * step(0.0, way.y);
    let aside = way.yz / max(abs(way.x), 0.001);
    let strip = smoothstep(0.30, 0.22, abs(aside.y - 0.5)) * smoothstep(1.2, 0.9, abs(aside.x - 0.3));
    let strip_color = select(vec3f(1.0, 0.55, 0.3), vec3f(0.35, 0.6, 1.0), way.x < 0.0);
    return room + lamp * vec3f(3.2, 3.1, 2.9) + strip * strip_color * 2.2;
}

// Shades a floor of square slabs. Its light fades from the middle into the background, and it is darker under the
// objects.
@fragment
fn floor_ps_main(corner: Corner) -> @location(0) vec4f {
    let slab = corner.world.xz * 0.8;
    let width = fwidth(slab) + 0.001;
    let seam = abs(fract(slab) - 0.5);
    let dark = smoothstep(vec2f(0.485) - width, vec2f(0.485) + width, seam) * clamp(0.04 / width, vec2f(0.0), vec2f(1.0));
    let is_odd = (i32(floor(slab.x + 0.5)) + i32(floor(slab.y + 0.5))) & 1;
    let stone = select(0.62, 0.40, is_odd == 1) * (1.0 - 0.5 * max(dark.x, dark.y));
    let range = dot(corner.world.xz, corner.world.xz);
    let shade = 1.0 - 0.65 * exp(-range * 0.35);
    return vec4f(mix(BACKGROUND, stone * shade * vec3f(1.0, 0.97, 0.92), exp(-range * 0.018)), 1.0);
}

@fragment
fn metal_ps_main(corner: Corner) -> @location(0) vec4f {
    let normal = normalize(corner.normal);
    let from_camera = normalize(corner.world - camera.position);
    let soft = 0.2 + 0.2 * normal.y;
    return vec4f(object.color * (environment(reflect(from_camera, normal)) + soft), 1.0);
}

// Stores a node for a surface of glass. Both sides of the glass arrive here, because no triangle is culled.
@fragment
fn glass_ps_main(corner: Corner) {
    // Compare with the opaque depth here, because the output merger's depth test may run only after the shader has
    // written.
    let pixel = vec2u(corner.position.xy);
    if corner.position.z >= textureLoad(opaque_depth, pixel, 0) {
        return;
    }
    let from_camera = normalize(corner.world - camera.position);
    let outside = normalize(corner.normal);
    let normal = outside * -sign(dot(outside, from_camera));
    let facing = max(-dot(normal, from_camera), 0.05);
    // Glass reflects more at its edges (Schlick's approximation). The path through the glass is also longer there.
    let reflected = 0.04 + 0.96 * pow(1.0 - facing, 5.0);
    let hidden = 1.0 - pow(1.0 - object.density, 1.0 / facing);
    let lit = object.color * (0.75 + 0.45 * outside.y);
    let light = environment(reflect(from_camera, normal)) * reflected + lit * hidden * (1.0 - reflected);
    let through = mix(vec3f(1.0), object.color, 0.55) * (1.0 - hidden) * (1.0 - reflected);

    // The counter starts at 1 and gives each node a unique index. If the buffer is full, the surface is not drawn.
    let node = atomicAdd(&node_count, 1);
    if node >= arrayLength(&nodes_out) {
        return;
    }
    // The node becomes the first in its pixel's list. The exchange is atomic, so concurrent threads cannot lose nodes.
    let next = atomicExchange(&heads_out[pixel.y * camera.width + pixel.x], node);
    let colors = array(
        pack2x16float(light.xy),
        pack2x16float(vec2f(light.z, through.x)),
        pack2x16float(through.yz),
    );
    nodes_out[node] = Node(next, corner.position.z, colors);
}

// Draws a triangle that covers the whole picture.
@vertex
fn blend_vs_main(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {
    return vec4f(f32(n & 1) * 4.0 - 1.0, f32(n >> 1) * 4.0 - 1.0, 0.0, 1.0);
}

// Returns whether surface `a` is in front of surface `b`. Colours break ties between equal depths, so the result does
// not depend on the drawing order.
fn is_before(a: Node, b: Node) -> bool {
    if a.depth != b.depth {
        return a.depth < b.depth;
    }
    return a.colors[0] < b.colors[0] || (a.colors[0] == b.colors[0] && a.colors[1] < b.colors[1]);
}

// Maps unlimited brightness to 0 to 1.
fn tone_mapped(color: vec3f) -> vec3f {
    return color * (1.0 + color * 0.15) / (0.75 + color);
}

@fragment
fn blend_ps_main(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let pixel = vec2u(position.xy);
    // Insertion sort from the nearest surface to the farthest. If there are too many, the farthest are dropped.
    var layers: array<Node, LAYERS>;
    var count = 0u;
    var index = heads[pixel.y * camera.width + pixel.x];
    while index != END {
        let node = nodes[index];
        index = node.next;
        var place = count;
        if count < LAYERS {
            count++;
        } else if camera.sorts == 1 && is_before(node, layers[LAYERS - 1]) {
            place = LAYERS - 1;
        } else {
            continue;
        }
        while camera.sorts == 1 && place > 0 && is_before(node, layers[place - 1]) {
            layers[place] = layers[place - 1];
            place--;
        }
        layers[place] = node;
    }
    // Blend from back to front.
    var color = textureLoad(opaque_color, pixel, 0).rgb;
    while count > 0 {
        count--;
        let colors = layers[count].colors;
        let middle = unpack2x16float(colors[1]);
        let light = vec3f(unpack2x16float(colors[0]), middle.x);
        let through = vec3f(middle.y, unpack2x16float(colors[2]));
        color = color * through + light;
    }
    return vec4f(tone_mapped(color), 1.0);
}
