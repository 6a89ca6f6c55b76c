// Gravity between all bodies. Each thread of a group moves one body. The group reads all bodies into group-shared
// memory, one tile after another.

#define TILE 128

// 32 bytes.
struct Body
{
    float3 Position;
    float Mass;
    float3 Velocity;
    float Galaxy; // 0 or 1
};

cbuffer Frame : register(b0)
{
    float4x4 View;
    float4x4 Projection;
    uint BodyCount; // a multiple of TILE
    float TimeStep;
    float SofteningSquared; // softening length squared; it limits the force between close bodies
    float Pixel; // the height of a pixel in clip space
};

StructuredBuffer<Body> Bodies : register(t0);
RWStructuredBuffer<Body> MovedBodies : register(u0);

groupshared float4 Tile[TILE]; // position in xyz, mass in w

// Returns the acceleration at `position` towards a body, in units per second squared.
float3 Pull(float3 position, float4 body)
{
    float3 way = body.xyz - position;
    float scale = rsqrt(dot(way, way) + SofteningSquared);
    return way * (body.w * scale * scale * scale);
}

[numthreads(TILE, 1, 1)]
void CS(uint3 id : SV_DispatchThreadID, uint thread : SV_GroupIndex)
{
    Body body = Bodies[id.x];
    float3 acceleration = 0;
    [loop]
    for (uint first = 0; first < BodyCount; first += TILE)
    {
        Tile[thread] = float4(Bodies[first + thread].Position, Bodies[first + thread].Mass);
        GroupMemoryBarrierWithGroupSync();
        [loop]
        for (uint n = 0; n < TILE; n += 4)
        {
            // Unroll by four to reduce the loop overhead.
            [unroll]
            for (uint k = 0; k < 4; k++)
                acceleration += Pull(body.Position, Tile[n + k]);
        }
        GroupMemoryBarrierWithGroupSync();
    }
    body.Velocity += acceleration * TimeStep;
    body.Position += body.Velocity * TimeStep;
    MovedBodies[id.x] = body;
}

struct PS_INPUT
{
    float4 Position : SV_POSITION;
    float2 Place : TEXCOORD0; // -1 to 1
    nointerpolation float3 Color : COLOR0;
};

// Draws each body as a square that faces the camera.
PS_INPUT VS(uint corner : SV_VertexID, uint index : SV_InstanceID)
{
    static const float2 Corners[4] = { { -1, -1 }, { -1, 1 }, { 1, -1 }, { 1, 1 } };
    static const float3 Cold[2] = { { 0.25, 0.45, 1.0 }, { 1.0, 0.35, 0.15 } };
    static const float3 Hot[2] = { { 0.8, 0.9, 1.0 }, { 1.0, 0.85, 0.6 } };

    Body body = Bodies[index];
    bool isCore = body.Mass > 1.0;
    PS_INPUT output;
    output.Place = Corners[corner];
    float4 center = mul(View, float4(body.Position, 1.0));
    float radius = max(isCore ? 0.8 : 0.07, Pixel * 2.0 * center.z / Projection._m11);
    output.Position = mul(Projection, center + float4(output.Place * radius, 0.0, 0.0));
    uint galaxy = (uint)body.Galaxy;
    float heat = saturate(length(body.Velocity) * 0.22);
    output.Color = lerp(Cold[galaxy], Hot[galaxy], heat * heat) * (isCore ? 0.9 : 0.32);
    return output;
}

// Returns the body's light. The blend state adds it to the target.
float4 PS(PS_INPUT input) : SV_Target
{
    float range = saturate(1.0 - length(input.Place));
    return float4(input.Color * range * range, 0.0);
}
