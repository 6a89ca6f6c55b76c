// The shaders of particles.wgsl in HLSL. `particles --hlsl` uses these shaders. The comments in
// particles.wgsl explain the steps and their order.
//
// A register may be declared with several names if each shader uses only one of them. Here one shader consumes from u1,
// and another shader appends to it.

static const float STEP = 1.0 / 60.0; // seconds
static const uint BURST = 20; // requests per burst, each for 64 sparks
static const float3 GRAVITY = float3(0.0, -9.0, 0.0);

#define GROUP 64 // threads per group

// Kinds of particles.
#define ROCKET 0
#define SPARK 1
#define TWINKLE 2 // a spark that flickers
#define EMBER 3 // left by a rocket

// A particle of 48 bytes. Lengths are in metres, times in seconds.
struct Particle
{
    float3 position;
    float left; // remaining time
    float3 velocity;
    float life; // total lifetime
    uint color; // a byte for each channel
    uint kind;
    uint seed;
    uint unused;
};

// A request for at most 64 new particles. Its size is 32 bytes.
struct Request
{
    float3 position;
    uint kind; // ROCKET, SPARK (for part of a burst) or EMBER
    uint seed; // shared by all requests of a burst
    uint first; // number of the first particle within the burst
    uint count;
    uint unused;
};

cbuffer Frame : register(b0)
{
    float4x4 to_clip;
    float aspect_ratio;
    float pixel; // the height of a pixel in clip space
    uint frame_step;
};

// Written by `CopyStructureCount`.
cbuffer Counts : register(b1)
{
    uint free_count;
    uint alive_count;
};

StructuredBuffer<Particle> particles_in : register(t0);
StructuredBuffer<uint> alive_in : register(t1);
StructuredBuffer<Request> requests_in : register(t2);
Texture2D trails : register(t3);
SamplerState linear_sampler : register(s0);
RWStructuredBuffer<Particle> particles : register(u0);
ConsumeStructuredBuffer<uint> free_places : register(u1);
AppendStructuredBuffer<uint> freed_places : register(u1);
AppendStructuredBuffer<uint> alive : register(u2);
AppendStructuredBuffer<Request> requests : register(u3);
RWByteAddressBuffer arguments : register(u4);

// Returns a pseudo-random number, computed by the PCG hash.
uint hash(uint n)
{
    uint state = n * 747796405u + 2891336453u;
    uint word = ((state >> ((state >> 28) + 4)) ^ state) * 277803737u;
    return (word >> 22) ^ word;
}

// Returns pseudo-random number `n` of a seed, from 0 to 1.
float random(uint seed, uint n)
{
    return (hash(seed * 16 + n) >> 8) / 16777216.0;
}

// Packs four numbers from 0 to 1 into one byte each.
uint pack(float4 color)
{
    uint4 bytes = (uint4)(saturate(color) * 255.0 + 0.5);
    return bytes.x | (bytes.y << 8) | (bytes.z << 16) | (bytes.w << 24);
}

float4 unpack(uint color)
{
    return (uint4(color, color >> 8, color >> 16, color >> 24) & 0xff) / 255.0;
}

// Returns a colour of the rainbow for a hue from 0 to 1. The colours repeat beyond 1.
float3 rainbow(float hue)
{
    float3 wave = 0.5 + 0.5 * cos((hue + float3(0.0, 0.667, 0.333)) * 6.2832);
    return 0.06 + 0.94 * wave * wave;
}

// Returns a random unit vector. All directions are equally likely.
float3 direction(uint seed)
{
    float y = random(seed, 0) * 2.0 - 1.0;
    float s, c;
    sincos(random(seed, 1) * 6.2832, s, c);
    return float3(sqrt(1.0 - y * y) * float2(c, s), y).xzy;
}

Particle new_particle(Request wanted, float life, float3 velocity, float3 color, uint kind, uint seed)
{
    Particle particle = (Particle)0;
    particle.position = wanted.position;
    particle.left = life;
    particle.velocity = velocity;
    particle.life = life;
    particle.color = pack(float4(color, 1.0));
    particle.kind = kind;
    particle.seed = seed;
    return particle;
}

void request(float3 position, uint kind, uint seed, uint first, uint count)
{
    Request wanted = { position, kind, seed, first, count, 0 };
    requests.Append(wanted);
}

[numthreads(1, 1, 1)]
void launch_main()
{
    // Multiples of the golden ratio spread successive rockets evenly. Rockets start from the water.
    float side = frac((frame_step % 65536) * 0.381966 + 0.55) - 0.5;
    float3 position = float3(side * 150.0, 0.0, (random(frame_step, 0) - 0.5) * 30.0);
    request(position, ROCKET, hash(frame_step), 0, 1);
}

Particle new_rocket(Request wanted)
{
    float life = 1.7 + 0.3 * random(wanted.seed, 2);
    float aside = (random(wanted.seed, 3) - 0.5) * 10.0 - wanted.position.x * 0.06;
    float3 velocity = float3(aside, 45.0 + 9.0 * random(wanted.seed, 4), 0.0);
    return new_particle(wanted, life, velocity, float3(1.0, 0.75, 0.4), ROCKET, wanted.seed);
}

Particle new_ember(Request wanted, uint seed)
{
    float life = 0.25 + 0.45 * random(seed, 2);
    float3 velocity = direction(seed) * 2.5 * random(seed, 3);
    return new_particle(wanted, life, velocity, float3(1.0, 0.5, 0.15), EMBER, seed);
}

// Creates spark `n` of a burst.
Particle new_spark(Request wanted, uint n, uint seed)
{
    float3 away = direction(seed);
    float hue = random(wanted.seed, 5);
    float3 color = rainbow(hue);
    float3 velocity = away * (40.0 + 3.0 * random(seed, 2));
    float life = 1.5 + 0.7 * random(seed, 3);
    uint kind = SPARK;
    switch (hash(wanted.seed) % 4)
    {
    case 0: // a sphere inside a sphere of another colour
        if (n % 3 == 0)
        {
            velocity *= 0.5;
            color = rainbow(hue + 0.45);
        }
        break;
    case 1: // a golden willow
        velocity = away * (34.0 * sqrt(random(seed, 2)));
        life = 2.2 + 1.2 * random(seed, 3);
        color = float3(1.0, 0.62, 0.2);
        break;
    case 2: // a ring around a ball
    {
        float3 normal = direction(wanted.seed);
        float3 side = normalize(cross(normal, float3(0.3, 0.9, 0.2)));
        float angle = random(seed, 4) * 6.2832;
        float3 around = side * cos(angle) + cross(normal, side) * sin(angle);
        velocity = n % 3 == 0 ? away * 17.0 : around * (45.0 + 2.0 * random(seed, 2));
        color = n % 3 == 0 ? rainbow(hue + 0.3) : color;
        break;
    }
    default: // flickering silver
        velocity = away * (46.0 * pow(random(seed, 2), 0.4));
        color = lerp(float3(0.85, 0.9, 1.0), color, 0.35);
        kind = TWINKLE;
        break;
    }
    return new_particle(wanted, life, velocity, color, kind, seed);
}

[numthreads(GROUP, 1, 1)]
void emit_main(uint3 group : SV_GroupID, uint thread : SV_GroupIndex)
{
    Request wanted = requests_in[group.x];
    // A list must not be consumed past its beginning, so only as many threads continue as there are free indices.
    if (thread >= wanted.count || group.x * GROUP + thread >= free_count)
        return;
    uint place = free_places.Consume();
    alive.Append(place);
    uint n = wanted.first + thread;
    uint seed = hash(wanted.seed + n);
    if (wanted.kind == ROCKET)
        particles[place] = new_rocket(wanted);
    else if (wanted.kind == EMBER)
        particles[place] = new_ember(wanted, seed);
    else
        particles[place] = new_spark(wanted, n, seed);
}

[numthreads(1, 1, 1)]
void groups_main()
{
    arguments.Store(12, (alive_count + GROUP - 1) / GROUP);
}

[numthreads(GROUP, 1, 1)]
void update_main(uint3 id : SV_DispatchThreadID)
{
    if (id.x >= alive_count)
        return;
    uint place = alive_in[id.x];
    Particle particle = particles[place];
    particle.left -= STEP;
    if (particle.left <= 0.0)
    {
        freed_places.Append(place);
        if (particle.kind == ROCKET)
        {
            [loop]
            for (uint n = 0; n < BURST; n++)
                request(particle.position, SPARK, particle.seed, n * GROUP, GROUP);
        }
        return;
    }
    // The air slows sparks down, but hardly slows a rocket.
    float drag = particle.kind == ROCKET ? 0.1 : 1.5;
    particle.velocity = (particle.velocity + GRAVITY * STEP) * exp(-drag * STEP);
    particle.position += particle.velocity * STEP;
    particles[place] = particle;
    alive.Append(place);
    if (particle.kind == ROCKET)
    {
        uint n = (uint)(particle.left / STEP);
        request(particle.position, EMBER, hash(particle.seed + 77) + n * 4, 0, 4);
    }
}

// Draws a triangle that covers the target. The triangle is clockwise, because counter-clockwise triangles are culled.
float4 screen_vs_main(uint index : SV_VertexID) : SV_Position
{
    return float4((index >> 1) * 4.0 - 1.0, (index & 1) * 4.0 - 1.0, 0.0, 1.0);
}

// Returns 0. The blend state multiplies the trails by the blend factor and adds this value.
float4 fade_main() : SV_Target
{
    return 0.0;
}

struct Spark
{
    float4 position : SV_Position;
    float2 place : PLACE; // along this step's path and across it, in radii
    nointerpolation float way : WAY; // length of the path in radii
    nointerpolation float3 color : COLOR;
};

// Draws each living particle as a line with round ends, from its position before the step to its current position.
Spark spark_vs_main(uint index : SV_VertexID, uint instance : SV_InstanceID)
{
    Particle particle = particles_in[alive_in[instance]];
    float4 now = mul(to_clip, float4(particle.position, 1.0));
    float4 before = mul(to_clip, float4(particle.position - particle.velocity * STEP, 1.0));
    // Work in a space with equal scale in both directions.
    float2 square = float2(aspect_ratio, 1.0);
    float2 end = now.xy / now.w * square;
    float2 start = before.xy / before.w * square;
    float way = length(end - start);
    float2 along = float2(1.0, 0.0);
    if (way > 0.00001)
        along = (end - start) / way;
    float radius = max(0.0055, pixel * 1.1);

    float is_end = index & 1;
    float side = (index >> 1) * 2.0 - 1.0;
    float forward = is_end * 2.0 - 1.0;
    float2 corner = lerp(start, end, is_end) + (along * forward + float2(along.y, -along.x) * side) * radius;

    float left = saturate(particle.left / particle.life);
    float light = 0.42 * pow(left, 0.8);
    if (particle.kind == EMBER)
    {
        light *= 0.35;
    }
    else if (particle.kind == TWINKLE && left < 0.75)
    {
        // Change the brightness every fourth step.
        float flicker = random(particle.seed + frame_step / 4, 6);
        light *= flicker > 0.8 ? 3.2 : 0.12;
    }

    Spark spark;
    spark.position = float4(corner / square, 0.0, 1.0);
    spark.place = float2(is_end == 1.0 ? way / radius + 1.0 : -1.0, side);
    spark.way = way / radius;
    // A new spark is white-hot.
    spark.color = lerp(unpack(particle.color).rgb, 1.0, 0.6 * smoothstep(0.8, 1.0, left)) * light;
    return spark;
}

float4 spark_ps_main(Spark spark) : SV_Target
{
    float2 nearest = float2(clamp(spark.place.x, 0.0, spark.way), 0.0);
    float range = max(1.0 - distance(spark.place, nearest), 0.0);
    return float4(spark.color * range * range, 0.0);
}

// Returns the picture above the horizon. `place` ranges from (0, 0) at the top left to (1, 1), and `horizon` is a
// height in the same units.
float3 sky(float2 place, float horizon)
{
    float x = place.x * aspect_ratio;
    float up = horizon - place.y;
    float hills = 0.030 + 0.013 * sin(x * 5.0 + 1.0) + 0.008 * sin(x * 13.0) + 0.003 * sin(x * 37.0);
    float3 color = lerp(float3(0.012, 0.010, 0.026), float3(0.0012, 0.002, 0.007), smoothstep(0.0, 0.75, up));
    // Some cells of a grid contain a star.
    float2 cell = floor(float2(x, up) * 60.0);
    uint seed = (uint)cell.x * 7919 + (uint)max(cell.y, 0.0);
    float2 star = (cell + 0.2 + 0.6 * float2(random(seed, 7), random(seed, 8))) / 60.0;
    float bright = 0.7 * pow(random(seed, 9), 40.0);
    color += bright * smoothstep(0.7, 0.0, distance(star, float2(x, up)) / pixel);
    if (up < hills)
        color = float3(0.0008, 0.001, 0.002);
    return color + trails.SampleLevel(linear_sampler, place, 0.0).rgb;
}

float4 scene_ps_main(float4 position : SV_Position) : SV_Target
{
    float height = 2.0 / pixel;
    float2 place = position.xy / (height * float2(aspect_ratio, 1.0));
    float4 far = mul(to_clip, float4(0.0, 0.0, -1.0, 0.0));
    float horizon = 0.5 - 0.5 * far.y / far.w;
    float3 color = 0.0;
    if (place.y < horizon)
    {
        color = sky(place, horizon);
    }
    else
    {
        // Water mirrors the picture above it. Distant waves are smaller and smear the reflection upwards.
        float below = place.y - horizon;
        float time = frame_step * STEP;
        float x = place.x * aspect_ratio / (below + 0.05);
        float wave = sin(3.0 / (below + 0.03) + x * 0.7 + time * 2.0) + sin(5.0 / (below + 0.04) - x * 1.1 + time * 2.7);
        [unroll]
        for (uint n = 0; n < 6; n++)
        {
            float up = below * (1.6 + 0.28 * n) + 0.004 * wave;
            float aside = wave * (0.002 + 0.02 * below) * (0.4 + 0.3 * n);
            color += sky(float2(place.x + aside, horizon - max(up, 0.001)), horizon) / 6.0;
        }
        color *= float3(0.6, 0.7, 0.8);
    }
    return float4(1.0 - exp(-1.6 * color), 1.0);
}
