cbuffer Constants : register(b0)
{
    float4x4 to_clip;
};

struct Corner
{
    float4 position : SV_Position;
    float3 color : COLOR;
};

Corner vs_main(float3 position : POSITION, float3 color : COLOR)
{
    Corner corner;
    corner.position = mul(to_clip, float4(position, 1.0));
    corner.color = color;
    return corner;
}

float4 ps_main(Corner corner) : SV_Target
{
    return float4(corner.color, 1.0);
}
