// A vase of eight bicubic Bezier patches. DS evaluates the surface, and GS marks the edges of the triangles.

// The shaders use `mul(matrix, vector)`, because this order matches the memory layout of glam's matrices.
cbuffer Frame : register(b0)
{
    matrix ToWorld;
    matrix ToClip; // from the world
    float3 Camera;
    float Factor; // the tessellation factor of all edges
    float3 Light; // direction towards the light
    float Twist; // rotation of the vase's top relative to its foot
    float2 Pixels; // size of the picture
    float EdgeWidth; // in pixels, 0 for none
    float PointSize; // in pixels
};

struct ControlPoint
{
    float3 Position : POSITION;
};

// Moves a control point, which bends the surface.
ControlPoint VS(ControlPoint input)
{
    float angle = Twist * input.Position.y;
    float2 turn = float2(sin(angle), cos(angle));
    float2 place = input.Position.xz;
    ControlPoint output;
    output.Position = float3(place.x * turn.y - place.y * turn.x, input.Position.y, dot(place, turn));
    return output;
}

struct Factors
{
    float Edges[4] : SV_TessFactor;
    float Inside[2] : SV_InsideTessFactor;
};

Factors HSConstants()
{
    Factors factors;
    factors.Edges[0] = factors.Edges[1] = factors.Edges[2] = factors.Edges[3] = Factor;
    factors.Inside[0] = factors.Inside[1] = Factor;
    return factors;
}

// The tessellator treats `pow2` as `integer`, so the shader has to round the factors to powers of two.
Factors HSConstantsPow2()
{
    Factors factors;
    float4 edges;
    float2 inside;
    float2 unrounded;
    ProcessQuadTessFactorsAvg(Factor, 1.0f, edges, inside, unrounded);
    factors.Edges[0] = edges.x;
    factors.Edges[1] = edges.y;
    factors.Edges[2] = edges.z;
    factors.Edges[3] = edges.w;
    factors.Inside[0] = inside.x;
    factors.Inside[1] = inside.y;
    return factors;
}

// Defines a hull shader that passes the control points on.
#define HULL_SHADER(name, rounding, constants) \
    [domain("quad")] \
    [partitioning(rounding)] \
    [outputtopology("triangle_cw")] \
    [outputcontrolpoints(16)] \
    [patchconstantfunc(constants)] \
    ControlPoint name(InputPatch<ControlPoint, 16> points, uint number : SV_OutputControlPointID) \
    { \
        return points[number]; \
    }

HULL_SHADER(HSInteger, "integer", "HSConstants")
HULL_SHADER(HSPow2, "pow2", "HSConstantsPow2")
HULL_SHADER(HSFractionalOdd, "fractional_odd", "HSConstants")
HULL_SHADER(HSFractionalEven, "fractional_even", "HSConstants")

struct Vertex
{
    float4 Position : SV_Position;
    float3 World : WORLD;
    float3 Normal : NORMAL;
    float Height : HEIGHT;
};

// Returns the weights of four control points.
float4 Weights(float t)
{
    float s = 1.0f - t;
    return float4(s * s * s, 3.0f * s * s * t, 3.0f * s * t * t, t * t * t);
}

// Returns the derivatives of the weights.
float4 Changes(float t)
{
    float s = 1.0f - t;
    return 3.0f * float4(-s * s, s * (s - 2.0f * t), t * (2.0f * s - t), t * t);
}

float3 Sum(const OutputPatch<ControlPoint, 16> points, float4 across, float4 down)
{
    float3 sum = 0.0f;
    for (uint row = 0; row < 4; row++)
        for (uint column = 0; column < 4; column++)
            sum += points[row * 4 + column].Position * across[column] * down[row];
    return sum;
}

[domain("quad")]
Vertex DS(Factors factors, float2 location : SV_DomainLocation, const OutputPatch<ControlPoint, 16> points)
{
    float4 across = Weights(location.x);
    float4 down = Weights(location.y);
    float3 position = Sum(points, across, down);
    float3 normal = cross(Sum(points, Changes(location.x), down), Sum(points, across, Changes(location.y)));
    Vertex vertex;
    vertex.World = mul(ToWorld, float4(position, 1.0f)).xyz;
    vertex.Normal = mul((float3x3)ToWorld, normal);
    vertex.Height = position.y;
    vertex.Position = mul(ToClip, float4(vertex.World, 1.0f));
    return vertex;
}

struct Fragment
{
    float4 Position : SV_Position;
    float3 World : WORLD;
    float3 Normal : NORMAL;
    float Height : HEIGHT;
    noperspective float3 Edges : EDGES; // distances from the edges in pixels
};

float Cross(float2 a, float2 b)
{
    return a.x * b.y - a.y * b.x;
}

// Adds the distances from the edges, which works on adapters that cannot draw wireframes.
[maxvertexcount(3)]
void GS(triangle Vertex vertices[3], inout TriangleStream<Fragment> stream)
{
    float2 places[3];
    for (uint corner = 0; corner < 3; corner++)
        places[corner] = vertices[corner].Position.xy / vertices[corner].Position.w * Pixels * 0.5f;
    float area = abs(Cross(places[1] - places[0], places[2] - places[0]));
    for (uint n = 0; n < 3; n++)
    {
        float3 edges = 0.0f;
        edges[n] = area / distance(places[(n + 1) % 3], places[(n + 2) % 3]);
        Fragment fragment;
        fragment.Position = vertices[n].Position;
        fragment.World = vertices[n].World;
        fragment.Normal = vertices[n].Normal;
        fragment.Height = vertices[n].Height;
        fragment.Edges = edges;
        stream.Append(fragment);
    }
}

// A room with a large window, as seen in the glaze.
float3 Room(float3 direction)
{
    float3 color = lerp(float3(0.05f, 0.045f, 0.05f), float3(0.20f, 0.24f, 0.30f), direction.y * 0.5f + 0.5f);
    float2 window = abs(float2(dot(direction, normalize(float3(Light.z, 0.0f, -Light.x))), direction.y - Light.y));
    float inside = smoothstep(0.34f, 0.31f, window.x) * smoothstep(0.36f, 0.33f, window.y);
    float cross = smoothstep(0.012f, 0.03f, window.x) * smoothstep(0.012f, 0.03f, window.y);
    return color + (dot(direction, Light) > 0.0f ? inside * cross * float3(2.3f, 2.2f, 2.0f) : 0.0f);
}

float4 PS(Fragment fragment, bool isFront : SV_IsFrontFace) : SV_Target
{
    float3 toCamera = normalize(Camera - fragment.World);
    float3 normal = normalize(fragment.Normal);
    normal = dot(normal, toCamera) < 0.0f ? -normal : normal;
    float3 glaze = lerp(float3(0.03f, 0.24f, 0.25f), float3(0.35f, 0.60f, 0.46f), saturate(fragment.Height * 0.55f + 0.5f));
    float band = smoothstep(0.03f, 0.02f, abs(abs(fragment.Height - 0.12f) - 0.09f));
    glaze = lerp(glaze, float3(0.75f, 0.52f, 0.22f), band);
    glaze = isFront ? glaze : glaze * 0.45f;
    float diffuse = saturate(dot(normal, Light) * 0.85f + 0.15f);
    float3 color = glaze * (float3(1.0f, 0.95f, 0.88f) * diffuse + float3(0.14f, 0.17f, 0.22f) * (0.7f + 0.3f * normal.y));
    float mirror = 0.04f + 0.96f * pow(1.0f - saturate(dot(normal, toCamera)), 5.0f);
    color += Room(reflect(-toCamera, normal)) * mirror * (isFront ? 1.0f : 0.3f);
    float nearest = min(fragment.Edges.x, min(fragment.Edges.y, fragment.Edges.z));
    float edge = saturate(EdgeWidth - nearest + 0.5f) * (EdgeWidth > 0.0f ? 0.8f : 0.0f);
    return float4(lerp(color, float3(0.005f, 0.03f, 0.035f), edge), 1.0f);
}

struct NetVertex
{
    float4 Position : SV_Position;
};

NetVertex VSNet(ControlPoint input)
{
    NetVertex output;
    output.Position = mul(ToClip, mul(ToWorld, float4(VS(input).Position, 1.0f)));
    return output;
}

float4 PSNet(NetVertex input) : SV_Target
{
    return float4(0.95f, 0.62f, 0.20f, 0.4f);
}

struct Dot
{
    float4 Position : SV_Position;
    float2 Place : PLACE; // from (-1, -1) to (1, 1)
};

// Draws a control point as a square of the same size at every distance.
[maxvertexcount(4)]
void GSDot(point NetVertex points[1], inout TriangleStream<Dot> stream)
{
    for (uint number = 0; number < 4; number++)
    {
        Dot corner;
        corner.Place = float2(number & 1, number >> 1) * float2(2.0f, -2.0f) + float2(-1.0f, 1.0f);
        corner.Position = points[0].Position;
        corner.Position.xy += corner.Place * PointSize / Pixels * corner.Position.w;
        stream.Append(corner);
    }
}

float4 PSDot(Dot corner) : SV_Target
{
    return float4(1.0f, 0.78f, 0.35f, saturate((1.0f - length(corner.Place)) * PointSize));
}
