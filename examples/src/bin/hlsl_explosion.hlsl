// The shaders use `mul(matrix, vector)`, because this order matches the memory layout of glam's matrices.
cbuffer ConstantBuffer : register(b0)
{
    matrix World;
    matrix View;
    matrix Projection;
    float4 LightDirection; // towards the light
    float4 Core;           // the light in the middle of the sphere
    float Explode;         // greatest distance of a triangle from its place
};

struct VS_INPUT
{
    float3 Position : POSITION;
};

struct GS_INPUT
{
    float3 Position : POSITION; // in the space of the mesh
};

struct PS_INPUT
{
    float4 Position : SV_POSITION;
    float3 World : WORLD;
    float3 Normal : NORMAL;
    float Heat : HEAT; // from 0 to 1
};

GS_INPUT VS(VS_INPUT input)
{
    GS_INPUT output;
    output.Position = input.Position;
    return output;
}

// Moves a triangle along its normal. A vertex shader could not do this, because it does not know the other corners.
[maxvertexcount(3)]
void GS(triangle GS_INPUT input[3], uint number : SV_PrimitiveID, inout TriangleStream<PS_INPUT> stream)
{
    float3 edge = input[1].Position - input[0].Position;
    float3 otherEdge = input[2].Position - input[0].Position;
    float3 normal = normalize(cross(edge, otherEdge));
    float3 middle = (input[0].Position + input[1].Position + input[2].Position) / 3.0f;

    // The explosion is strongest at the top, and some triangles are lighter than others.
    float strength = smoothstep(-0.5f, 1.0f, middle.y) * (0.35f + 0.65f * frac(number * 0.618034f));
    float distance = Explode * strength;
    for (int i = 0; i < 3; i++)
    {
        // Distant triangles are smaller.
        float3 corner = middle + (input[i].Position - middle) / (1.0f + 0.5f * distance);
        float4 world = mul(World, float4(corner + normal * distance, 1.0f));
        PS_INPUT output;
        output.Position = mul(Projection, mul(View, world));
        output.World = world.xyz;
        output.Normal = mul((float3x3)World, normal);
        output.Heat = saturate(distance * 0.6f);
        stream.Append(output);
    }
    stream.RestartStrip();
}

// Shades a triangle that is lit by the lamp from outside and by the core from inside.
float4 PS(PS_INPUT input, bool isFront : SV_IsFrontFace) : SV_Target
{
    float3 normal = normalize(input.Normal) * (isFront ? 1.0f : -1.0f);
    float3 color = lerp(float3(0.08f, 0.26f, 0.40f), float3(0.75f, 0.20f, 0.05f), input.Heat);
    float3 light = 0.06f + saturate(dot(normal, LightDirection.xyz));
    float square = dot(input.World, input.World);
    light += Core.rgb * saturate(-dot(normal, input.World)) / square;
    return float4(saturate(color * light), 1.0f);
}

// Shades a surface that emits light.
float4 PSSolid(PS_INPUT input) : SV_Target
{
    return float4(saturate(Core.rgb), 1.0f);
}
