// The shaders use `mul(matrix, vector)`, because this order matches the memory layout of glam's matrices.
cbuffer ConstantBuffer : register(b0)
{
    matrix World;
    matrix View;
    matrix Projection;
    float4 LightDirection[2]; // towards the light
    float4 LightColor[2];
    float4 OutputColor; // for PSSolid
};

struct VS_INPUT
{
    float3 Position : POSITION;
    float3 Normal : NORMAL;
};

struct PS_INPUT
{
    float4 Position : SV_POSITION;
    float3 Normal : NORMAL;
};

PS_INPUT VS(VS_INPUT input)
{
    PS_INPUT output = (PS_INPUT)0;
    output.Position = mul(World, float4(input.Position, 1.0f));
    output.Position = mul(View, output.Position);
    output.Position = mul(Projection, output.Position);
    output.Normal = mul((float3x3)World, input.Normal);
    return output;
}

// Shades a surface that is lit by both lamps.
float4 PS(PS_INPUT input) : SV_Target
{
    float3 normal = normalize(input.Normal);
    float4 color = float4(0.02f, 0.02f, 0.03f, 1.0f);
    for (int i = 0; i < 2; i++)
        color.rgb += saturate(dot(LightDirection[i].xyz, normal)) * LightColor[i].rgb;
    return saturate(color);
}

// Shades a surface that emits light.
float4 PSSolid(PS_INPUT input) : SV_Target
{
    return OutputColor;
}
