#define RINGS 8.0
#include "wave.hlsli"

// A triangle that covers the window.
float4 VS(uint id : SV_VertexID) : SV_Position
{
    return float4(id == 2 ? 3.0 : -1.0, id == 1 ? 3.0 : -1.0, 0.5, 1.0);
}

float4 PS(float4 position : SV_Position) : SV_Target
{
    float height = Wave(position.x / 480.0, 0.0);
    return float4(height, height, 0.5, 1.0);
}
