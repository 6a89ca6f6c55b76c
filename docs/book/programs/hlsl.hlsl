#include "wave.hlsli"

cbuffer Frame : register(b0)
{
    float2 Center; // The centre of the waves, in texture coordinates.
    float Time;
};

struct VS_INPUT
{
    float2 Position : POSITION;
    float2 Texcoord : TEXCOORD0;
};

struct PS_INPUT
{
    float4 Position : SV_Position;
    float2 Texcoord : TEXCOORD0;
};

PS_INPUT VS(VS_INPUT input)
{
    PS_INPUT output;
    output.Position = float4(input.Position, 0.0, 1.0);
    output.Texcoord = input.Texcoord;
    return output;
}

float4 PS(PS_INPUT input) : SV_Target
{
    float height = Wave(distance(input.Texcoord, Center), Time);
    return lerp(float4(0.01, 0.05, 0.12, 1.0), float4(0.4, 0.8, 0.9, 1.0), height);
}
