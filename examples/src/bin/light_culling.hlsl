// The shaders of light_culling.wgsl in HLSL. `light_culling --hlsl` draws with them.

#define TILE 16 // width and height in pixels
#define LIST 256 // words per list: the number of lights, then their indices

cbuffer Camera : register(b0)
{
    float4x4 view;
    float4x4 projection;
    float3 camera_position;
    uint tiles_x; // number of tiles in a row
    uint shows_heat; // 1 to show the lengths of the lists
};

// A light of 32 bytes.
struct Light
{
    float3 position;
    float radius; // distance at which the light ends
    float3 color;
    float unused;
};

StructuredBuffer<Light> lights : register(t0);
Texture2D<float> depth : register(t1);
StructuredBuffer<uint> lists : register(t2);
RWStructuredBuffer<uint> lists_out : register(u0);

// The bits of positive floats compare like the floats themselves, so depths can be stored in integer atomics.
groupshared uint nearest;
groupshared uint farthest;
groupshared uint count;

// Converts a depth from 0 to 1 to a distance in front of the camera.
float distance_of(float depth)
{
    return projection._m23 / (depth + projection._m22);
}

// Returns the signed distance of a point in view space from a plane. The plane contains the camera and the line at `at`
// on the screen, from -1 to 1. `scale` is the projection matrix's scale on this axis.
float inside(float place, float z, float scale, float at)
{
    return (place * scale + z * at) / sqrt(scale * scale + at * at);
}

[numthreads(TILE, TILE, 1)]
void cull_main(uint3 tile : SV_GroupID, uint3 pixel : SV_DispatchThreadID, uint thread : SV_GroupIndex)
{
    if (thread == 0)
    {
        nearest = 0xffffffff;
        farthest = 0;
        count = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    // Compute the range of depths in the tile. Pixels without geometry need no light.
    uint2 size;
    depth.GetDimensions(size.x, size.y);
    if (all(pixel.xy < size))
    {
        float found = depth.Load(int3(pixel.xy, 0));
        if (found < 1.0)
        {
            InterlockedMin(nearest, asuint(found));
            InterlockedMax(farthest, asuint(found));
        }
    }
    GroupMemoryBarrierWithGroupSync();
    uint list = (tile.y * tiles_x + tile.x) * LIST;
    if (nearest <= farthest)
    {
        float near = distance_of(asfloat(nearest));
        float far = distance_of(asfloat(farthest));
        float2 scale = float2(projection._m00, projection._m11);
        float2 corner = (float2)(tile.xy * TILE) / size * 2.0 - 1.0;
        float2 opposite = (float2)((tile.xy + 1) * TILE) / size * 2.0 - 1.0;
        uint light_count, stride;
        lights.GetDimensions(light_count, stride);
        // Each thread tests some of the lights.
        for (uint n = thread; n < light_count; n += TILE * TILE)
        {
            Light light = lights[n];
            float3 center = mul(view, float4(light.position, 1.0)).xyz;
            // The smallest signed distance to the planes that bound the tile's volume: left, right, top, bottom, near
            // and far. The camera looks along -z.
            float x = min(inside(center.x, center.z, scale.x, corner.x), -inside(center.x, center.z, scale.x, opposite.x));
            float y = min(-inside(center.y, center.z, scale.y, -corner.y), inside(center.y, center.z, scale.y, -opposite.y));
            float z = min(-center.z - near, far + center.z);
            if (min(min(x, y), z) > -light.radius)
            {
                uint place;
                InterlockedAdd(count, 1, place);
                if (place < LIST - 1)
                    lists_out[list + 1 + place] = n;
            }
        }
    }
    GroupMemoryBarrierWithGroupSync();
    if (thread == 0)
        lists_out[list] = min(count, LIST - 1);
}

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float3 center : CENTER;
    float3 half_size : HALF_SIZE;
    float3 color : COLOR;
    float angle : ANGLE;
};

struct Corner
{
    precise float4 position : SV_Position; // precise, so that both passes compute the same depth
    float3 world : WORLD;
    float3 normal : NORMAL;
    nointerpolation float3 color : COLOR;
};

// Transforms a corner of a box that is turned about the vertical axis.
Corner vs_main(Vertex vertex)
{
    float s, c;
    sincos(vertex.angle, s, c);
    float3x3 turn = { c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c };
    Corner corner;
    corner.world = vertex.center + mul(turn, vertex.position * vertex.half_size);
    corner.position = mul(mul(projection, view), float4(corner.world, 1.0));
    corner.normal = mul(turn, vertex.normal);
    corner.color = vertex.color;
    return corner;
}

// Returns the light that a surface reflects to the camera.
float3 lit(Light light, float3 world, float3 normal, float3 to_camera, float3 color)
{
    float3 way = light.position - world;
    float range = dot(way, way) / (light.radius * light.radius);
    float falloff = pow(max(1.0 - range, 0.0), 2.0) / (0.15 + dot(way, way));
    float3 to_light = normalize(way);
    float3 diffuse = color * max(dot(normal, to_light), 0.0);
    float shine = pow(max(dot(normal, normalize(to_light + to_camera)), 0.0), 60.0) * 0.7;
    return light.color * falloff * (diffuse + shine);
}

// Returns a colour from black through blue, green and yellow to red, for 0 to 120 or more lights.
float3 heat(uint light_count)
{
    float t = min(light_count / 120.0, 1.0) * 4.0;
    return saturate(float3(t - 2.0, min(t - 1.0, 4.0 - t), min(t, 3.0 - t)));
}

// Maps unlimited brightness to 0 to 1.
float3 tone_mapped(float3 color)
{
    return color * (1.0 + color * 0.1) / (1.0 + color);
}

static const float3 FOG = { 0.004, 0.006, 0.014 };

float4 ps_main(Corner corner) : SV_Target
{
    uint2 tile = (uint2)corner.position.xy / TILE;
    uint list = (tile.y * tiles_x + tile.x) * LIST;
    uint listed = lists[list];
    float3 normal = normalize(corner.normal);
    float3 away = camera_position - corner.world;
    // The floor has square slabs with dark seams. The seams fade where they are thinner than a pixel.
    float3 color = corner.color;
    float2 width = fwidth(corner.world.xz);
    if (normal.y > 0.5 && corner.world.y < 0.01)
    {
        float2 seam = abs(frac(corner.world.xz) - 0.5);
        float2 dark = smoothstep(0.48 - width, 0.48 + width, seam) * saturate(0.08 / width);
        color *= 1.0 - 0.8 * max(dark.x, dark.y);
    }
    float3 light = color * lerp(float3(0.006, 0.007, 0.012), float3(0.03, 0.035, 0.06), normal.y * 0.5 + 0.5);
    [loop]
    for (uint n = 1; n <= listed; n++)
        light += lit(lights[lists[list + n]], corner.world, normal, normalize(away), color);
    float fog = exp(-0.00012 * dot(away, away));
    float3 shown = tone_mapped(lerp(FOG, light, fog));
    return float4(shows_heat ? heat(listed) + shown * 0.15 : shown, 1.0);
}

struct Glow
{
    float4 position : SV_Position;
    float2 place : PLACE; // -1 to 1
    nointerpolation float3 color : COLOR;
};

// Draws each light as a square that faces the camera.
Glow glow_vs_main(uint index : SV_VertexID, uint instance : SV_InstanceID)
{
    Light light = lights[instance];
    Glow glow;
    glow.place = float2(index & 1, index >> 1) * 2.0 - 1.0;
    float4 center = mul(view, float4(light.position, 1.0));
    glow.position = mul(projection, center + float4(glow.place * 0.16, 0.0, 0.0));
    glow.color = light.color;
    return glow;
}

float4 glow_ps_main(Glow glow) : SV_Target
{
    float range = max(1.0 - length(glow.place), 0.0);
    float core = smoothstep(0.72, 0.8, range);
    return float4(tone_mapped(glow.color * (range * range * 0.5) + (glow.color + 0.3) * core * 2.0), 1.0);
}
