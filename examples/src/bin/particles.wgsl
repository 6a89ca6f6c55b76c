// Fireworks whose particles exist only on the GPU. The CPU launches rockets and does not read back the number of
// sparks.
//
// A particle keeps its index in `particles` for its whole life. Separate lists contain the free and the used indices.
// Each list has a hidden counter, which is the number of its valid elements:
//     append:   list[atomicAdd(&count, 1)] = value;     HLSL: list.Append(value)
//     consume:  value = list[atomicSub(&count, 1) - 1]; HLSL: value = list.Consume()
// The counter of the list in u1 is `@group(4) @binding(1)`. One dispatch may append to a list or consume from it, but
// not both. Threads append in any order, so the picture must not depend on the order. Random numbers are therefore
// derived from a particle's seed and not from its index, and sparks are drawn with additive blending.
//
// A step of 1/60 second:
// 1. `launch_main` requests a rocket in some steps.
// 2. `emit_main` runs a group per request. It consumes free indices and appends them to the living particles.
// 3. `groups_main` computes the number of groups for the living particles.
// 4. `update_main` runs a thread per living particle. It appends the index to the next step's living particles or to
//    the free indices. Rockets append requests for embers, and for sparks when they explode.
// 5. `fade_main` darkens the last picture, and `spark_vs_main` with `spark_ps_main` draws the living particles over it.
// For each frame, `scene_ps_main` draws the sky, the hills and the water.

const STEP: f32 = 1.0 / 60.0; // seconds
const GROUP: u32 = 64; // threads per group
const BURST: u32 = 20; // requests per burst, each for 64 sparks
const GRAVITY = vec3f(0.0, -9.0, 0.0);

// Kinds of particles.
const ROCKET: u32 = 0;
const SPARK: u32 = 1;
const TWINKLE: u32 = 2; // a spark that flickers
const EMBER: u32 = 3; // left by a rocket

// Lengths are in metres, times in seconds.
struct Particle {
    position: vec3f,
    left: f32, // remaining time
    velocity: vec3f,
    life: f32, // total lifetime
    color: u32, // pack4x8unorm
    kind: u32,
    seed: u32,
}

// A request for at most 64 new particles.
struct Request {
    position: vec3f,
    kind: u32, // ROCKET, SPARK (for part of a burst) or EMBER
    seed: u32, // shared by all requests of a burst
    first: u32, // number of the first particle within the burst
    count: u32,
}

struct Frame {
    to_clip: mat4x4f,
    aspect_ratio: f32,
    pixel: f32, // the height of a pixel in clip space
    step: u32,
}

// Written by `CopyStructureCount`.
struct Counts {
    free: u32,
    alive: u32,
}

@group(0) @binding(0) var<uniform> frame: Frame; // register b0
@group(0) @binding(1) var<uniform> counts: Counts; // register b1
@group(1) @binding(0) var<storage> particles_in: array<Particle>; // register t0
@group(1) @binding(1) var<storage> alive_in: array<u32>; // register t1
@group(1) @binding(2) var<storage> requests_in: array<Request>; // register t2
@group(1) @binding(3) var trails: texture_2d<f32>; // register t3
@group(2) @binding(0) var linear: sampler; // register s0
@group(3) @binding(0) var<storage, read_write> particles: array<Particle>; // register u0
@group(3) @binding(1) var<storage, read_write> free: array<u32>; // register u1
@group(4) @binding(1) var<storage, read_write> free_count: atomic<u32>; // its counter
@group(3) @binding(2) var<storage, read_write> alive: array<u32>; // register u2
@group(4) @binding(2) var<storage, read_write> alive_count: atomic<u32>; // its counter
@group(3) @binding(3) var<storage, read_write> requests: array<Request>; // register u3
@group(4) @binding(3) var<storage, read_write> request_count: atomic<u32>; // its counter
@group(3) @binding(4) var<storage, read_write> arguments: array<u32>; // register u4

// Returns a pseudo-random number, computed by the PCG hash.
fn hash(n: u32) -> u32 {
    let state = n * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

// Returns pseudo-random number `n` of a seed, from 0 to 1.
fn random(seed: u32, n: u32) -> f32 {
    return f32(hash(seed * 16 + n) >> 8) / 16777216.0;
}

// Returns a colour of the rainbow for a hue from 0 to 1. The colours repeat beyond 1.
fn rainbow(hue: f32) -> vec3f {
    let wave = 0.5 + 0.5 * cos((hue + vec3f(0.0, 0.667, 0.333)) * 6.2832);
    return 0.06 + 0.94 * wave * wave;
}

// Returns a random unit vector. All directions are equally likely.
fn direction(seed: u32) -> vec3f {
    let y = random(seed, 0) * 2.0 - 1.0;
    let angle = random(seed, 1) * 6.2832;
    return vec3f(sqrt(1.0 - y * y) * vec2f(cos(angle), sin(angle)), y).xzy;
}

fn request(wanted: Request) {
    requests[atomicAdd(&request_count, 1)] = wanted;
}

@compute @workgroup_size(1)
fn launch_main() {
    // Multiples of the golden ratio spread successive rockets evenly. Rockets start from the water.
    let side = fract(f32(frame.step % 65536) * 0.381966 + 0.55) - 0.5;
    let position = vec3f(side * 150.0, 0.0, (random(frame.step, 0) - 0.5) * 30.0);
    request(Request(position, ROCKET, hash(frame.step), 0, 1));
}

fn new_rocket(wanted: Request) -> Particle {
    let life = 1.7 + 0.3 * random(wanted.seed, 2);
    let aside = (random(wanted.seed, 3) - 0.5) * 10.0 - wanted.position.x * 0.06;
    let velocity = vec3f(aside, 45.0 + 9.0 * random(wanted.seed, 4), 0.0);
    return Particle(wanted.position, life, velocity, life, pack4x8unorm(vec4f(1.0, 0.75, 0.4, 1.0)), ROCKET, wanted.seed);
}

fn new_ember(wanted: Request, seed: u32) -> Particle {
    let life = 0.25 + 0.45 * random(seed, 2);
    let velocity = direction(seed) * 2.5 * random(seed, 3);
    return Particle(wanted.position, life, velocity, life, pack4x8unorm(vec4f(1.0, 0.5, 0.15, 1.0)), EMBER, seed);
}

// Creates spark `n` of a burst.
fn new_spark(wanted: Request, n: u32, seed: u32) -> Particle {
    let away = direction(seed);
    let hue = random(wanted.seed, 5);
    var color = rainbow(hue);
    var velocity = away * (40.0 + 3.0 * random(seed, 2));
    var life = 1.5 + 0.7 * random(seed, 3);
    var kind = SPARK;
    switch hash(wanted.seed) % 4 {
        case 0: { // a sphere inside a sphere of another colour
            if n % 3 == 0 {
                velocity *= 0.5;
                color = rainbow(hue + 0.45);
            }
        }
        case 1: { // a golden willow
            velocity = away * (34.0 * sqrt(random(seed, 2)));
            life = 2.2 + 1.2 * random(seed, 3);
            color = vec3f(1.0, 0.62, 0.2);
        }
        case 2: { // a ring around a ball
            let normal = direction(wanted.seed);
            let side = normalize(cross(normal, vec3f(0.3, 0.9, 0.2)));
            let angle = random(seed, 4) * 6.2832;
            let around = side * cos(angle) + cross(normal, side) * sin(angle);
            velocity = select(around * (45.0 + 2.0 * random(seed, 2)), away * 17.0, n % 3 == 0);
            color = select(color, rainbow(hue + 0.3), n % 3 == 0);
        }
        default: { // flickering silver
            velocity = away * (46.0 * pow(random(seed, 2), 0.4));
            color = mix(vec3f(0.85, 0.9, 1.0), color, 0.35);
            kind = TWINKLE;
        }
    }
    return Particle(wanted.position, life, velocity, life, pack4x8unorm(vec4f(color, 1.0)), kind, seed);
}

@compute @workgroup_size(GROUP)
fn emit_main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) thread: u32) {
    let wanted = requests_in[group.x];
    // A list must not be consumed past its beginning, so only as many threads continue as there are free indices.
    if thread >= wanted.count || group.x * GROUP + thread >= counts.free {
        return;
    }
    let place = free[atomicSub(&free_count, 1) - 1];
    alive[atomicAdd(&alive_count, 1)] = place;
    let n = wanted.first + thread;
    let seed = hash(wanted.seed + n);
    switch wanted.kind {
        case ROCKET: { particles[place] = new_rocket(wanted); }
        case EMBER: { particles[place] = new_ember(wanted, seed); }
        default: { particles[place] = new_spark(wanted, n, seed); }
    }
}

@compute @workgroup_size(1)
fn groups_main() {
    arguments[3] = (counts.alive + GROUP - 1) / GROUP;
}

@compute @workgroup_size(GROUP)
fn update_main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= counts.alive {
        return;
    }
    let place = alive_in[id.x];
    var particle = particles[place];
    particle.left -= STEP;
    if particle.left <= 0.0 {
        free[atomicAdd(&free_count, 1)] = place;
        if particle.kind == ROCKET {
            for (var n = 0u; n < BURST; n++) {
                request(Request(particle.position, SPARK, particle.seed, n * GROUP, GROUP));
            }
        }
        return;
    }
    // The air slows sparks down, but hardly slows a rocket.
    let drag = select(1.5, 0.1, particle.kind == ROCKET);
    particle.velocity = (particle.velocity + GRAVITY * STEP) * exp(-drag * STEP);
    particle.position += particle.velocity * STEP;
    particles[place] = particle;
    alive[atomicAdd(&alive_count, 1)] = place;
    if particle.kind == ROCKET {
        let n = u32(particle.left / STEP);
        request(Request(particle.position, EMBER, hash(particle.seed + 77) + n * 4, 0, 4));
    }
}

// Draws a triangle that covers the target. The triangle is clockwise, because counter-clockwise triangles are culled.
@vertex
fn screen_vs_main(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
    return vec4f(f32(index >> 1) * 4.0 - 1.0, f32(index & 1) * 4.0 - 1.0, 0.0, 1.0);
}

// Returns 0. The blend state multiplies the trails by the blend factor and adds this value.
@fragment
fn fade_main() -> @location(0) vec4f {
    return vec4f(0.0);
}

struct Spark {
    @builtin(position) position: vec4f,
    @location(0) place: vec2f, // along this step's path and across it, in radii
    @location(1) @interpolate(flat) way: f32, // length of the path in radii
    @location(2) @interpolate(flat) color: vec3f,
}

// Draws each living particle as a line with round ends, from its position before the step to its current position.
@vertex
fn spark_vs_main(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Spark {
    let particle = particles_in[alive_in[instance]];
    let now = frame.to_clip * vec4f(particle.position, 1.0);
    let before = frame.to_clip * vec4f(particle.position - particle.velocity * STEP, 1.0);
    // Work in a space with equal scale in both directions.
    let square = vec2f(frame.aspect_ratio, 1.0);
    let end = now.xy / now.w * square;
    let start = before.xy / before.w * square;
    let way = length(end - start);
    let along = select(vec2f(1.0, 0.0), (end - start) / way, way > 0.00001);
    let radius = max(0.0055, frame.pixel * 1.1);

    let is_end = f32(index & 1);
    let side = f32(index >> 1) * 2.0 - 1.0;
    let forward = is_end * 2.0 - 1.0;
    let corner = mix(start, end, is_end) + (along * forward + vec2f(along.y, -along.x) * side) * radius;

    let left = saturate(particle.left / particle.life);
    var light = 0.42 * pow(left, 0.8);
    if particle.kind == EMBER {
        light *= 0.35;
    } else if particle.kind == TWINKLE && left < 0.75 {
        // Change the brightness every fourth step.
        let flicker = random(particle.seed + frame.step / 4, 6);
        light *= select(0.12, 3.2, flicker > 0.8);
    }
    // A new spark is white-hot.
    let color = mix(unpack4x8unorm(particle.color).rgb, vec3f(1.0), 0.6 * smoothstep(0.8, 1.0, left));
    return Spark(
        vec4f(corner / square, 0.0, 1.0),
        vec2f(select(-1.0, way / radius + 1.0, is_end == 1.0), side),
        way / radius,
        color * light,
    );
}

@fragment
fn spark_ps_main(spark: Spark) -> @location(0) vec4f {
    let nearest = vec2f(clamp(spark.place.x, 0.0, spark.way), 0.0);
    let range = max(1.0 - distance(spark.place, nearest), 0.0);
    return vec4f(spark.color * range * range, 0.0);
}

// Returns the picture above the horizon. `place` ranges from (0, 0) at the top left to (1, 1), and `horizon` is a
// height in the same units.
fn sky(place: vec2f, horizon: f32) -> vec3f {
    let x = place.x * frame.aspect_ratio;
    let up = horizon - place.y;
    let hills = 0.030 + 0.013 * sin(x * 5.0 + 1.0) + 0.008 * sin(x * 13.0) + 0.003 * sin(x * 37.0);
    var color = mix(vec3f(0.012, 0.010, 0.026), vec3f(0.0012, 0.002, 0.007), smoothstep(0.0, 0.75, up));
    // Some cells of a grid contain a star.
    let cell = floor(vec2f(x, up) * 60.0);
    let seed = u32(cell.x) * 7919 + u32(max(cell.y, 0.0));
    let star = (cell + 0.2 + 0.6 * vec2f(random(seed, 7), random(seed, 8))) / 60.0;
    let bright = 0.7 * pow(random(seed, 9), 40.0);
    color += bright * smoothstep(0.7, 0.0, distance(star, vec2f(x, up)) / frame.pixel);
    if up < hills {
        color = vec3f(0.0008, 0.001, 0.002);
    }
    return color + textureSampleLevel(trails, linear, place, 0.0).rgb;
}

@fragment
fn scene_ps_main(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let height = 2.0 / frame.pixel;
    let place = position.xy / (height * vec2f(frame.aspect_ratio, 1.0));
    let far = frame.to_clip * vec4f(0.0, 0.0, -1.0, 0.0);
    let horizon = 0.5 - 0.5 * far.y / far.w;
    var color: vec3f;
    if place.y < horizon {
        color = sky(place, horizon);
    } else {
        // Water mirrors the picture above it. Distant waves are smaller and smear the reflection upwards.
        let below = place.y - horizon;
        let time = f32(frame.step) * STEP;
        let x = place.x * frame.aspect_ratio / (below + 0.05);
        let wave = sin(3.0 / (below + 0.03) + x * 0.7 + time * 2.0) + sin(5.0 / (below + 0.04) - x * 1.1 + time * 2.7);
        for (var n = 0u; n < 6; n++) {
            let up = below * (1.6 + 0.28 * f32(n)) + 0.004 * wave;
            let aside = wave * (0.002 + 0.02 * below) * (0.4 + 0.3 * f32(n));
            color += sky(vec2f(place.x + aside, horizon - max(up, 0.001)), horizon) / 6.0;
        }
        color *= vec3f(0.6, 0.7, 0.8);
    }
    return vec4f(1.0 - exp(-1.6 * color), 1.0);
}
