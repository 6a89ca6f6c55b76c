Texture2D Diffuse : register(t0);
SamplerState Linear : register(s0);

// Constants grouped by how often they change: never, when the window is resized, and every frame.
cbuffer NeverChanges : register(b0)
{
    matrix View;
};

cbuffer ChangesOnResize : register(b1)
{
    matrix Projection;
};

cbuffer ChangesEveryFrame : register(b2)
{
    matrix World;
    float4 MeshColor;
};

struct VS_INPUT
{
    float4 Position : POSITION; // the vertex format has no w, so w reads as 1
    float2 Texcoord : TEXCOORD0;
};

struct PS_INPUT
{
    float4 Position : SV_POSITION;
    float2 Texcoord : TEXCOORD0;
};

PS_INPUT VS(VS_INPUT input)
{
    PS_INPUT output = (PS_INPUT)0;
    output.Position = mul(World, input.Position);
    output.Position = mul(View, output.Position);
    output.Position = mul(Projection, output.Position);
    output.Texcoord = input.Texcoord;
    return output;
}

float4 PS(PS_INPUT input) : SV_Target
{
    return Diffuse.Sample(Linear, input.Texcoord) * MeshColor;
}
