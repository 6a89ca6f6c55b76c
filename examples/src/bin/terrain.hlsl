// Mountains along a river. The ground is a grid of square patches, and its height is a function of the place. HSConstants
// decides how finely each patch is divided, and DS moves the vertices of the division to their heights.

// The shaders use `mul(matrix, vector)`, because this order matches the memory layout of glam's matrices.
cbuffer Frame : register(b0)
{
    matrix ToClip; // from the world
    float3 Camera;
    float Density; // factor of an edge that is as long as its distance from the camera
    float3 Sun; // direction towards the sun
    float Time;
    float3 Right; // Right, Up and Forward are the directions to the edges of the picture
    float PatchSize;
    float3 Up;
    uint Side; // number of patches along each side of the grid
    float3 Forward;
    float FogDistance;
    float2 Origin; // place of the grid's first corner, in patches
    float2 Padding;
};

static const float Highest = 46.0f; // upper limit of all heights

float Random(int2 cell)
{
    uint hash = (uint)cell.x * 0x9E3779B1u ^ (uint)cell.y * 0x85EBCA6Bu;
    hash = (hash ^ hash >> 15) * 0x2C1B3C6Du;
    hash = (hash ^ hash >> 12) * 0x297A2D39u;
    return ((hash ^ hash >> 15) & 0xFFFF) / 65535.0f;
}

// Returns a smooth random value from 0 to 1, and its derivatives.
float3 Noise(float2 at)
{
    int2 cell = (int2)floor(at);
    float2 f = at - floor(at);
    float2 blend = f * f * f * (f * (f * 6.0f - 15.0f) + 10.0f);
    float2 change = 30.0f * f * f * (f * (f - 2.0f) + 1.0f);
    float a = Random(cell);
    float b = Random(cell + int2(1, 0)) - a;
    float c = Random(cell + int2(0, 1)) - a;
    float d = Random(cell + int2(1, 1)) - a - b - c;
    float value = a + b * blend.x + c * blend.y + d * blend.x * blend.y;
    return float3(value, change * (float2(b, c) + d * blend.yx));
}

// Returns the height above the water, and approximate derivatives of the height. More octaves add smaller details.
float3 Ground(float2 place, uint octaves)
{
    const float2x2 turn = float2x2(1.6f, -1.2f, 1.2f, 1.6f); // twice as small, and turned
    float2x2 toNoise = float2x2(0.0115f, 0.0f, 0.0f, 0.0115f);
    float2 at = mul(toNoise, place);
    float2 steepness = 0.0f;
    float3 ground = 0.0f;
    float amplitude = 60.0f;
    for (uint octave = 0; octave < octaves; octave++)
    {
        // Details are smaller on slopes than on summits and in valleys, as after erosion.
        float3 noise = Noise(at);
        steepness += noise.yz;
        float weight = amplitude / (1.0f + dot(steepness, steepness));
        ground += weight * float3(noise.x, mul(noise.yz, toNoise));
        at = mul(turn, at);
        toNoise = mul(turn, toNoise);
        amplitude *= 0.5f;
    }
    // The valley of the river.
    float2 phase = place.y * float2(0.011f, 0.027f) + float2(0.0f, 1.3f);
    float offset = place.x - 34.0f * sin(phase.x) - 13.0f * sin(phase.y);
    float bank = saturate((abs(offset) - 2.0f) / 78.0f);
    float valley = bank * bank * (3.0f - 2.0f * bank);
    float change = sign(offset) * 6.0f * bank * (1.0f - bank) / 78.0f;
    float2 bend = float2(1.0f, -34.0f * 0.011f * cos(phase.x) - 13.0f * 0.027f * cos(phase.y));
    float low = 0.03f + 0.97f * valley;
    return float3(ground.x * low - 2.2f, ground.yz * low + ground.x * 0.97f * change * bend);
}

struct Corner
{
    float2 Place : PLACE;
};

// Returns a corner of a patch. The patches need no vertex buffer.
Corner VS(uint number : SV_VertexID)
{
    uint tile = number / 4;
    Corner corner;
    corner.Place = (Origin + float2(tile % Side + (number & 1), tile / Side + (number >> 1 & 1))) * PatchSize;
    return corner;
}

struct Factors
{
    float Edges[4] : SV_TessFactor;
    float Inside[2] : SV_InsideTessFactor;
};

// Returns the factor of an edge, which depends only on the edge. So both patches at the edge have the same factor, and
// there are no cracks between them.
float EdgeFactor(Corner a, Corner b)
{
    float2 middle = (a.Place + b.Place) * 0.5f;
    float3 position = float3(middle.x, max(Ground(middle, 3).x, 0.0f), middle.y);
    return clamp(Density * distance(a.Place, b.Place) / distance(position, Camera), 1.0f, 64.0f);
}

// Whether no point of a patch is in the picture.
bool IsOutside(Corner first, Corner last)
{
    // The greatest distances from the inner sides of the planes: left and bottom, right and top, and behind.
    float2 low = -1.0f;
    float2 high = -1.0f;
    float near = -1.0f;
    for (uint number = 0; number < 8; number++)
    {
        float3 side = float3(number & 1, number >> 1 & 1, number >> 2);
        float2 place = lerp(first.Place, last.Place, side.xz);
        float4 position = mul(ToClip, float4(place.x, side.y * Highest, place.y, 1.0f));
        low = max(low, position.w + position.xy);
        high = max(high, position.w - position.xy);
        near = max(near, position.z);
    }
    return any(low < 0.0f) || any(high < 0.0f) || near < 0.0f;
}

Factors HSConstants(InputPatch<Corner, 4> corners)
{
    Factors factors;
    // The edges are u = 0, v = 0, u = 1 and v = 1.
    factors.Edges[0] = EdgeFactor(corners[0], corners[2]);
    factors.Edges[1] = EdgeFactor(corners[0], corners[1]);
    factors.Edges[2] = EdgeFactor(corners[1], corners[3]);
    factors.Edges[3] = EdgeFactor(corners[2], corners[3]);
    factors.Inside[0] = (factors.Edges[1] + factors.Edges[3]) * 0.5f;
    factors.Inside[1] = (factors.Edges[0] + factors.Edges[2]) * 0.5f;
    // A patch with a factor of 0 is not drawn.
    if (IsOutside(corners[0], corners[3]))
        factors.Edges[0] = 0.0f;
    return factors;
}

[domain("quad")]
[partitioning("fractional_odd")]
[outputtopology("triangle_ccw")]
[outputcontrolpoints(4)]
[patchconstantfunc("HSConstants")]
Corner HS(InputPatch<Corner, 4> corners, uint number : SV_OutputControlPointID)
{
    return corners[number];
}

struct Vertex
{
    float4 Position : SV_Position;
    float3 World : WORLD;
};

[domain("quad")]
Vertex DS(Factors factors, float2 location : SV_DomainLocation, const OutputPatch<Corner, 4> corners)
{
    float2 place = lerp(corners[0].Place, corners[3].Place, location);
    Vertex vertex;
    vertex.World = float3(place.x, max(Ground(place, 8).x, 0.0f), place.y);
    vertex.Position = mul(ToClip, float4(vertex.World, 1.0f));
    return vertex;
}

static const float3 SunColor = float3(1.9f, 1.28f, 0.72f);

float3 Sky(float3 direction)
{
    float height = saturate(direction.y);
    float toSun = saturate(dot(direction, Sun));
    float3 color = lerp(float3(0.62f, 0.63f, 0.66f), float3(0.07f, 0.19f, 0.46f), pow(height, 0.55f));
    color += float3(0.95f, 0.50f, 0.18f) * pow(toSun, 5.0f) * (1.0f - height) * 0.65f;
    return color + SunColor * (pow(toSun, 900.0f) * 9.0f + pow(toSun, 60.0f) * 0.35f);
}

// Returns the fraction of the sun that is visible from a place.
float Shadow(float3 from)
{
    float light = 1.0f;
    float step = 1.6f;
    float along = 1.6f;
    for (uint n = 0; n < 9 && light > 0.0f; n++)
    {
        float3 position = from + Sun * along;
        light = min(light, 0.5f + 7.0f * (position.y - Ground(position.xz, 4).x) / along);
        along += step;
        step *= 1.42f;
    }
    return saturate(light);
}

float3 WithFog(float3 color, float3 world)
{
    float3 toPoint = world - Camera;
    float far = length(toPoint) / FogDistance;
    // The fog is denser near the water.
    float fog = 1.0f - exp(-far * far * (0.4f + 0.6f * exp(-world.y * 0.09f)) * 1.3f);
    float edge = smoothstep(0.85f, 1.1f, far);
    float3 direction = normalize(toPoint);
    return lerp(color, Sky(float3(direction.x, max(direction.y, 0.02f), direction.z)), max(fog, edge));
}

float4 Exposed(float3 color)
{
    return float4(1.0f - exp(-1.25f * color), 1.0f);
}

float3 Water(float3 world, float depth)
{
    float2 ripples = Noise(world.xz * 0.9f + Time * 0.35f).yz + Noise(world.zx * 2.3f - Time * 0.5f).yz * 0.6f;
    float far = distance(world, Camera);
    float3 normal = normalize(float3(ripples.x, 42.0f + far * 0.25f, ripples.y));
    float3 toCamera = (Camera - world) / far;
    float3 reflected = reflect(-toCamera, normal);
    reflected.y = abs(reflected.y);
    float mirror = 0.03f + 0.97f * pow(1.0f - saturate(dot(normal, toCamera)), 5.0f);
    float3 deep = lerp(float3(0.10f, 0.17f, 0.13f), float3(0.008f, 0.045f, 0.055f), 1.0f - exp(-depth * 1.6f));
    return lerp(deep, Sky(reflected), mirror);
}

float3 Land(float3 world, float3 ground)
{
    float3 normal = normalize(float3(-ground.y, 1.0f, -ground.z));
    float patches = Noise(world.xz * 0.11f).x * 0.6f + Noise(world.xz * 0.63f).x * 0.4f;
    float3 rock = lerp(float3(0.17f, 0.14f, 0.125f), float3(0.30f, 0.25f, 0.21f), patches);
    float3 grass = lerp(float3(0.035f, 0.065f, 0.015f), float3(0.13f, 0.15f, 0.04f), patches);
    float3 sand = float3(0.34f, 0.28f, 0.19f);
    float3 color = lerp(rock, grass, smoothstep(0.72f, 0.86f, normal.y) * smoothstep(23.0f, 14.0f, ground.x));
    color = lerp(color, float3(0.86f, 0.89f, 0.95f), smoothstep(0.52f, 0.74f, normal.y)
        * smoothstep(15.0f, 22.0f, ground.x + 9.0f * (patches - 0.5f)));
    color = lerp(sand, color, smoothstep(0.15f, 0.8f, ground.x + 0.5f * (patches - 0.5f)));
    float sun = saturate(dot(normal, Sun)) * Shadow(world + normal * 0.15f);
    float3 sky = float3(0.20f, 0.27f, 0.40f) * (0.55f + 0.45f * normal.y);
    float3 bounce = float3(0.10f, 0.08f, 0.05f) * saturate(-dot(normal, Sun) * 0.5f + 0.5f);
    return color * (SunColor * 1.25f * sun + sky + bounce);
}

float4 PS(Vertex vertex) : SV_Target
{
    float3 ground = Ground(vertex.World.xz, 10);
    float3 color;
    if (ground.x < 0.0f && vertex.World.y < 0.3f)
        color = Water(vertex.World, -ground.x);
    else
        color = Land(vertex.World, ground);
    return Exposed(WithFog(color, vertex.World));
}

// The overlay, whose lines fade with the distance.
float4 PSWire(Vertex vertex) : SV_Target
{
    float far = distance(vertex.World, Camera) / FogDistance;
    return float4(1.0f, 0.93f, 0.62f, 0.3f * saturate(1.0f - far * 1.4f));
}

struct SkyCorner
{
    float4 Position : SV_Position;
    float3 Direction : DIRECTION;
};

// Returns a corner of a triangle that covers the picture, at the greatest depth.
SkyCorner VSSky(uint number : SV_VertexID)
{
    float2 place = float2(number >> 1, number & 1) * 4.0f - 1.0f;
    SkyCorner corner;
    corner.Position = float4(place, 1.0f, 1.0f);
    corner.Direction = Forward + Right * place.x + Up * place.y;
    return corner;
}

float4 PSSky(SkyCorner corner) : SV_Target
{
    float3 direction = normalize(corner.Direction);
    return Exposed(Sky(float3(direction.x, max(direction.y, 0.02f), direction.z)));
}
