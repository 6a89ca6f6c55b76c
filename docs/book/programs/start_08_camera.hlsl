// ANCHOR: shader
cbuffer Frame : register(b0) // updated once per frame
{
    float4x4 to_clip;
};

cbuffer Crate : register(b1) // updated for each crate
{
    float4x4 to_world;
};

Texture2D image : register(t0);
SamplerState image_sampler : register(s0);

struct Corner
{
    float4 position : SV_Position;
    float3 normal : NORMAL;
    float2 texcoord : TEXCOORD;
};

Corner vs_main(float3 position : POSITION, float3 normal : NORMAL, float2 texcoord : TEXCOORD)
{
    Corner corner;
    corner.position = mul(mul(to_clip, to_world), float4(position, 1.0));
    corner.normal = mul(to_world, float4(normal, 0.0)).xyz;
    corner.texcoord = texcoord;
    return corner;
}
// ANCHOR_END: shader

float4 ps_main(Corner corner) : SV_Target
{
    float3 normal = normalize(corner.normal);
    float sun = max(dot(normal, normalize(float3(0.4, 0.9, 0.6))), 0.0);
    float sky = 0.5 + 0.5 * normal.y;
    float3 light = sun * float3(1.0, 0.92, 0.8) + sky * float3(0.20, 0.26, 0.36);
    float3 color = image.Sample(image_sampler, corner.texcoord).rgb;
    return float4(color * light, 1.0);
}
