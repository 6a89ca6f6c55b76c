cbuffer Constants : register(b0)
{
    float4x4 to_clip;
};

Texture2D image : register(t0);
SamplerState image_sampler : register(s0);

struct Corner
{
    float4 position : SV_Position;
    float2 texcoord : TEXCOORD;
};

Corner vs_main(float3 position : POSITION, float2 texcoord : TEXCOORD)
{
    Corner corner;
    corner.position = mul(to_clip, float4(position, 1.0));
    corner.texcoord = texcoord;
    return corner;
}

float4 ps_main(Corner corner) : SV_Target
{
    return image.Sample(image_sampler, corner.texcoord);
}
