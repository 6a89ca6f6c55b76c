struct Corner
{
    float4 position : SV_Position;
    float3 color : COLOR;
};

Corner vs_main(float2 position : POSITION, float3 color : COLOR)
{
    Corner corner;
    corner.position = float4(position, 0.0, 1.0);
    corner.color = color;
    return corner;
}

float4 ps_main(Corner corner) : SV_Target
{
    return float4(corner.color, 1.0);
}
