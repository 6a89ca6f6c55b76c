// A room that is lit by one lamp. GSShadow draws all six faces of the lamp's shadow cube in one draw.

#define BOXES 32

// The shaders use `mul(matrix, vector)`, because this order matches the memory layout of glam's matrices.
cbuffer Scene : register(b0)
{
    matrix ToClip;
    matrix ToFace[6]; // from the world to the clip space of +X, -X, +Y, -Y, +Z and -Z
    float3 Lamp;
    float Near; // distance from the lamp to the near plane of each face
    float3 Camera;
    float Far;
};

struct Box
{
    matrix ToWorld;
    float4 Color; // w is the light that the box emits
};

cbuffer Boxes : register(b1)
{
    Box boxes[BOXES];
};

TextureCube<float> Shadows : register(t0);
SamplerComparisonState Closer : register(s0);

struct Corner
{
    float3 Position : POSITION;
    float3 Normal : NORMAL;
};

struct WorldCorner
{
    float4 World : WORLD;
};

WorldCorner VSShadow(Corner corner, uint number : SV_InstanceID)
{
    WorldCorner output;
    output.World = mul(boxes[number].ToWorld, float4(corner.Position, 1.0f));
    return output;
}

struct FaceCorner
{
    float4 Position : SV_Position;
    uint Face : SV_RenderTargetArrayIndex;
};

// Draws a triangle into one face of the cube. The shader runs six times for each triangle.
[instance(6)]
[maxvertexcount(3)]
void GSShadow(triangle WorldCorner corners[3], uint face : SV_GSInstanceID, inout TriangleStream<FaceCorner> stream)
{
    for (uint n = 0; n < 3; n++)
    {
        FaceCorner output;
        output.Position = mul(ToFace[face], corners[n].World);
        output.Face = face;
        stream.Append(output);
    }
}

struct Pixel
{
    float4 Position : SV_Position;
    float3 World : WORLD;
    float3 Normal : NORMAL;
    nointerpolation float4 Color : COLOR;
};

Pixel VS(Corner corner, uint number : SV_InstanceID)
{
    Pixel output;
    float4 world = mul(boxes[number].ToWorld, float4(corner.Position, 1.0f));
    output.Position = mul(ToClip, world);
    output.World = world.xyz;
    // The determinant of a box that is turned inside out is negative.
    float3x3 axes = (float3x3)boxes[number].ToWorld;
    output.Normal = mul(axes, corner.Normal) * sign(determinant(axes));
    output.Color = boxes[number].Color;
    return output;
}

// Returns the fraction of the lamp's light that arrives at `way`, a vector from the lamp.
float Visibility(float3 way)
{
    // The face is that of the largest component, whose length is the distance along the axis of the face. A perspective
    // projection turns this distance into the depth that the face contains.
    float3 lengths = abs(way);
    float along = max(lengths.x, max(lengths.y, lengths.z));
    float depth = Far / (Far - Near) * (1.0f - Near / along);
    // Samples around the direction make the edge of the shadow soft.
    float3 right = normalize(cross(way, lengths.y < along ? float3(0, 1, 0) : float3(1, 0, 0)));
    float3 up = normalize(cross(right, way));
    float sum = 0.0f;
    for (uint n = 0; n < 12; n++)
    {
        float radius = 0.011f * along * sqrt((n + 0.5f) / 12.0f);
        float2 offset = radius * float2(cos(n * 2.39996f), sin(n * 2.39996f));
        sum += Shadows.SampleCmpLevelZero(Closer, way + right * offset.x + up * offset.y, depth);
    }
    return sum / 12.0f;
}

float4 PS(Pixel pixel) : SV_Target
{
    float3 normal = normalize(pixel.Normal);
    float3 way = pixel.World - Lamp;
    float3 toLamp = -normalize(way);
    float3 toCamera = normalize(Camera - pixel.World);
    float diffuse = saturate(dot(normal, toLamp));
    float gloss = 0.1f * pow(saturate(dot(normal, normalize(toLamp + toCamera))), 40.0f);
    float fall = 13.0f / (2.0f + dot(way, way));
    float3 lamp = float3(1.0f, 0.76f, 0.47f) * (fall * Visibility(way));
    float3 ambient = float3(0.045f, 0.055f, 0.08f) * (0.7f + 0.3f * normal.y);
    float3 color = pixel.Color.rgb * (ambient + lamp * diffuse) + lamp * gloss * diffuse;
    color = lerp(1.0f - exp(-1.3f * color), pixel.Color.rgb, pixel.Color.w);
    return float4(color, 1.0f);
}
