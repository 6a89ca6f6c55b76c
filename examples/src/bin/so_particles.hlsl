// A fountain that is simulated by stream output. GSStep reads the particles of a step and writes those of the next step.
// GSDraw expands particles to quads that face the camera.

// Values of Kind, as in so_particles.rs.
#define NOZZLE 0 // stays in its place, and emits drops in each step
#define DROP 1   // becomes splashes, and sometimes a ring, where it falls into the water
#define SPLASH 2 // ends in the water
#define RING 3   // a circular wave on the water, which ends after a second

#define STEP (1.0f / 60.0f) // seconds
#define GRAVITY 9.81f
#define DROPS 9    // from a nozzle in each step
#define SPLASHES 2 // from a drop

// The shaders use `mul(matrix, vector)`, because this order matches the memory layout of glam's matrices.
cbuffer View : register(b0)
{
    matrix ToClip;
    float3 Camera;
    float Exposure; // the time in seconds in which a particle leaves a streak
    // The direction of a pixel at `place`, from (-1, -1) to (1, 1), is Forward + place.x * Right + place.y * Up.
    float3 Right;
    float Unused0;
    float3 Up;
    float Unused1;
    float3 Forward;
    float Unused2;
};

struct Particle
{
    float3 Position : POSITION;
    float3 Velocity : VELOCITY; // for a nozzle, the mean velocity of its drops
    float Age : AGE;            // seconds
    float Tint : TINT;          // from 0 (blue) to 1 (gold)
    uint Kind : KIND;
    uint Seed : SEED; // state of the random numbers
};

Particle VS(Particle particle)
{
    return particle;
}

uint NextSeed(inout uint seed)
{
    seed = seed * 747796405u + 2891336453u;
    uint word = ((seed >> ((seed >> 28) + 4)) ^ seed) * 277803737u;
    return (word >> 22) ^ word;
}

// Returns a random number from 0 to 1.
float Random(inout uint seed)
{
    return (NextSeed(seed) >> 8) / 16777216.0f;
}

// Returns a random vector in a cube with edges of length 1 around the origin.
float3 RandomVector(inout uint seed)
{
    float x = Random(seed);
    float y = Random(seed);
    float z = Random(seed);
    return float3(x, y, z) - 0.5f;
}

void Emit(Particle nozzle, inout PointStream<Particle> next)
{
    // The height of the jets is a wave that travels around the fountain.
    float around = atan2(nozzle.Position.z, nozzle.Position.x);
    float strength = 0.9f + 0.1f * sin(around * 3.0f + nozzle.Age * 2.4f);
    Particle drop = nozzle;
    drop.Age = 0.0f;
    drop.Kind = DROP;
    for (uint n = 0; n < DROPS; n++)
    {
        float3 spread = RandomVector(nozzle.Seed) * (0.1f * length(nozzle.Velocity));
        drop.Velocity = nozzle.Velocity * strength + spread;
        // The drops leave the nozzle at different times of the step.
        drop.Position = nozzle.Position + drop.Velocity * (STEP * Random(nozzle.Seed));
        drop.Seed = NextSeed(nozzle.Seed);
        next.Append(drop);
    }
    nozzle.Age += STEP;
    next.Append(nozzle);
}

void Splash(Particle drop, inout PointStream<Particle> next)
{
    Particle part = drop;
    part.Position.y = 0.0f;
    part.Velocity = 0.0f;
    part.Age = 0.0f;
    part.Kind = RING;
    if (Random(drop.Seed) < 0.15f)
        next.Append(part);
    part.Kind = SPLASH;
    for (uint n = 0; n < SPLASHES; n++)
    {
        float3 aside = RandomVector(drop.Seed) * 1.6f;
        part.Velocity = float3(aside.x, 1.0f + 1.4f * Random(drop.Seed), aside.z);
        part.Seed = NextSeed(drop.Seed);
        next.Append(part);
    }
}

// Appends the particles that a particle becomes in a step. A particle ends if nothing is appended.
[maxvertexcount(10)]
void GSStep(point Particle input[1], inout PointStream<Particle> next)
{
    Particle particle = input[0];
    if (particle.Kind == NOZZLE)
    {
        Emit(particle, next);
        return;
    }
    particle.Age += STEP;
    if (particle.Kind == RING)
    {
        if (particle.Age < 1.0f)
            next.Append(particle);
        return;
    }
    particle.Velocity.y -= GRAVITY * STEP;
    particle.Velocity *= 1.0f - 0.12f * STEP;
    particle.Position += particle.Velocity * STEP;
    if (particle.Position.y > 0.0f)
        next.Append(particle);
    else if (particle.Kind == DROP)
        Splash(particle, next);
}

struct Corner
{
    float4 Position : SV_Position;
    float2 Place : PLACE; // from (-1, -1) to (1, 1)
    nointerpolation float3 Color : COLOR;
    nointerpolation uint Kind : KIND;
};

// Returns the light of a particle, which changes with its age.
float3 Light(Particle particle)
{
    float3 young = lerp(float3(0.55f, 0.85f, 1.0f), float3(1.0f, 0.8f, 0.45f), particle.Tint);
    float3 old = lerp(float3(0.10f, 0.16f, 0.95f), float3(0.85f, 0.12f, 0.28f), particle.Tint);
    if (particle.Kind == RING)
        return old * 0.35f * (1.0f - particle.Age) * (1.0f - particle.Age);
    if (particle.Kind == SPLASH)
        return lerp(young, old, 0.5f) * 0.35f * saturate(1.0f - particle.Age * 1.6f);
    return lerp(young * 0.3f, old * 0.3f, smoothstep(0.0f, 1.5f, particle.Age));
}

// Draws a particle as a quad, and in the second invocation its reflection in the water.
[instance(2)]
[maxvertexcount(4)]
void GSDraw(point Particle input[1], uint invocation : SV_GSInstanceID, inout TriangleStream<Corner> quad)
{
    Particle particle = input[0];
    bool isReflection = invocation == 1;
    if (particle.Kind == NOZZLE || (particle.Kind == RING && isReflection))
        return;

    // Two vectors from the middle of the quad to the middles of its edges.
    float3 right, up;
    Corner corner;
    corner.Color = Light(particle);
    corner.Kind = particle.Kind;
    if (particle.Kind == RING)
    {
        float radius = 0.04f + 0.42f * sqrt(particle.Age);
        right = float3(radius, 0.0f, 0.0f);
        up = float3(0.0f, 0.0f, radius);
    }
    else
    {
        if (isReflection)
        {
            // Waves move and blur the reflections.
            particle.Position.x += 0.03f * sin(particle.Position.y * 9.0f + particle.Position.z * 4.0f);
            particle.Position.y = -particle.Position.y;
            particle.Velocity.y = -particle.Velocity.y;
            corner.Color *= 0.15f;
        }
        float size = (particle.Kind == SPLASH ? 0.012f : 0.017f) * (isReflection ? 1.6f : 1.0f);
        // The quad is as long as the way of the particle during the exposure, as seen from the camera.
        float3 toCamera = normalize(Camera - particle.Position);
        float3 along = particle.Velocity - toCamera * dot(particle.Velocity, toCamera);
        float speed = max(length(along), 0.001f);
        right = normalize(cross(toCamera, along)) * size;
        up = along * (size / speed + 0.5f * Exposure);
    }
    for (uint n = 0; n < 4; n++)
    {
        corner.Place = float2(n & 1, n >> 1) * float2(2.0f, -2.0f) + float2(-1.0f, 1.0f);
        float3 position = particle.Position + right * corner.Place.x + up * corner.Place.y;
        corner.Position = mul(ToClip, float4(position, 1.0f));
        quad.Append(corner);
    }
}

float4 PS(Corner corner) : SV_Target
{
    float square = dot(corner.Place, corner.Place);
    float light = saturate(1.0f - square);
    if (corner.Kind == RING)
        light = saturate(1.0f - abs(sqrt(square) - 0.85f) * 7.0f);
    return float4(corner.Color * light, 0.0f);
}

struct Pixel
{
    float4 Position : SV_Position;
    float2 Place : PLACE; // from (-1, -1) to (1, 1)
};

// Returns a corner of a triangle that covers the target.
Pixel VSBackground(uint number : SV_VertexID)
{
    Pixel pixel;
    pixel.Place = float2((number << 1) & 2, number & 2) * float2(2.0f, -2.0f) + float2(-1.0f, 1.0f);
    pixel.Position = float4(pixel.Place, 0.0f, 1.0f);
    return pixel;
}

float3 Sky(float height)
{
    return lerp(float3(0.010f, 0.012f, 0.030f), float3(0.001f, 0.001f, 0.004f), saturate(height * 2.5f));
}

// Draws the sky, and the water that reflects it and is lit by the fountain.
float4 PSBackground(Pixel pixel) : SV_Target
{
    float3 way = normalize(Forward + Right * pixel.Place.x + Up * pixel.Place.y);
    float3 color = Sky(abs(way.y));
    if (way.y < 0.0f)
    {
        float3 hit = Camera - way * (Camera.y / way.y);
        float square = dot(hit.xz, hit.xz);
        color = color * lerp(1.0f, 0.5f, saturate(-5.0f * way.y)) + float3(0.020f, 0.028f, 0.075f) / (1.0f + 0.05f * square * square);
    }
    return float4(color, 1.0f);
}
