// A planet and its rings. The rings are points, which are expanded to quads that face the camera: by GS, or by
// VSInstanced. Both call Expand, so both draw the same picture.

// The shaders use `mul(matrix, vector)`, because this order matches the memory layout of glam's matrices.
cbuffer Frame : register(b0)
{
    matrix View;
    matrix Projection;
    float3 Sun; // direction towards the sun
    float Time;
};

struct Grain
{
    float4 Orbit : ORBIT; // radius, angle at time 0, height and size
    float4 Color : COLOR;
};

// A point in view space, before its expansion.
struct Sprite
{
    float3 Center : CENTER;
    float Size : SIZE;
    float3 Color : COLOR;
};

struct Corner
{
    float4 Position : SV_Position;
    float2 Place : PLACE; // from (-1, -1) to (1, 1)
    float3 Color : COLOR;
};

// Returns a grain at its current place. Inner grains orbit faster.
Sprite VS(Grain grain)
{
    float radius = grain.Orbit.x;
    float angle = grain.Orbit.y + Time * 0.4f * rsqrt(radius * radius * radius);
    float3 position = float3(cos(angle) * radius, grain.Orbit.z, sin(angle) * radius);
    // The shadow of the planet is a cylinder with the planet's radius of 1.
    float along = dot(position, Sun);
    float light = along > 0.0f ? 1.0f : smoothstep(0.96f, 1.02f, distance(position, Sun * along));
    Sprite sprite;
    sprite.Center = mul(View, float4(position, 1.0f)).xyz;
    sprite.Size = grain.Orbit.w;
    sprite.Color = grain.Color.rgb * (0.03f + 0.97f * light);
    return sprite;
}

// Returns a corner of a quad, in the order of a triangle strip. In view space, a quad in the xy plane faces the camera.
Corner Expand(Sprite sprite, uint number)
{
    Corner corner;
    corner.Place = float2(number & 1, number >> 1) * float2(2.0f, -2.0f) + float2(-1.0f, 1.0f);
    corner.Position = mul(Projection, float4(sprite.Center + float3(corner.Place * sprite.Size, 0.0f), 1.0f));
    corner.Color = sprite.Color;
    return corner;
}

[maxvertexcount(4)]
void GS(point Sprite sprite[1], inout TriangleStream<Corner> quad)
{
    for (uint number = 0; number < 4; number++)
        quad.Append(Expand(sprite[0], number));
}

// Does the work of VS and GS for one corner of an instance.
Corner VSInstanced(Grain grain, uint number : SV_VertexID)
{
    return Expand(VS(grain), number);
}

float4 PS(Corner corner) : SV_Target
{
    float edge = saturate(1.0f - length(corner.Place));
    return float4(corner.Color * edge * edge, 0.0f);
}

struct Surface
{
    float4 Position : SV_Position;
    float3 Normal : NORMAL;
};

// Returns a corner of a sphere of 48 by 24 cells with two triangles each. It needs no vertex buffer.
Surface VSPlanet(uint number : SV_VertexID)
{
    static const uint2 corners[6] = { uint2(0, 0), uint2(1, 0), uint2(1, 1), uint2(0, 0), uint2(1, 1), uint2(0, 1) };
    uint cell = number / 6;
    float2 place = (uint2(cell % 48, cell / 48) + corners[number % 6]) / float2(48.0f, 24.0f);
    float around = place.x * 6.2831853f;
    float down = place.y * 3.1415927f;
    Surface surface;
    surface.Normal = float3(cos(around) * sin(down), cos(down), sin(around) * sin(down));
    surface.Position = mul(Projection, mul(View, float4(surface.Normal, 1.0f)));
    return surface;
}

float4 PSPlanet(Surface surface) : SV_Target
{
    float3 normal = normalize(surface.Normal);
    float bands = sin(normal.y * 19.0f) * 0.5f + sin(normal.y * 43.0f + 1.0f) * 0.3f + sin(normal.y * 7.0f) * 0.4f;
    float3 color = lerp(float3(0.62f, 0.36f, 0.17f), float3(0.85f, 0.68f, 0.43f), saturate(bands * 0.5f + 0.5f));
    // The rings cast a shadow on the planet where the way to the sun crosses them.
    float3 hit = normal + Sun * max(-normal.y / Sun.y, 0.0f);
    float radius = length(hit);
    float shade = smoothstep(1.3f, 1.4f, radius) * smoothstep(2.4f, 2.3f, radius) * (hit.y < normal.y ? 0.0f : 0.7f);
    float light = smoothstep(-0.05f, 1.0f, dot(normal, Sun)) * (1.0f - shade);
    return float4(color * (0.006f + light), 1.0f);
}
