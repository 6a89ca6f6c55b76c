struct Corner
{
    float4 position : SV_Position;
    float3 color : COLOR;
};

Corner vs_main(uint i : SV_VertexID)
{
    const float2 positions[3] = { float2(0.0, 0.7), float2(0.6, -0.6), float2(-0.6, -0.6) };
    const float3 colors[3] = { float3(1.0, 0.2, 0.1), float3(0.1, 0.8, 0.2), float3(0.2, 0.3, 1.0) };
    Corner corner;
    corner.position = float4(positions[i], 0.0, 1.0);
    corner.color = colors[i];
    return corner;
}

float4 ps_main(Corner corner) : SV_Target
{
    return float4(corner.color, 1.0);
}
