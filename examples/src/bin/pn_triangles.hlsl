// A knot of few triangles, flat and as curved PN triangles (Vlachos, Peters, Boyd and Mitchell: Curved PN Triangles, 2001).

// The shaders use `mul(matrix, vector)`, because this order matches the memory layout of glam's matrices.
cbuffer Frame : register(b0)
{
    matrix ToWorld;
    matrix ToClip; // from the world
    float3 Camera;
    float Factor; // the tessellation factor of all edges
    float3 Light; // direction towards the light
    float Padding;
};

// A vertex of the model, which is also a corner of a patch.
struct Corner
{
    float3 Position : POSITION;
    float3 Normal : NORMAL;
    float Along : ALONG; // place along the knot, from 0 to 1
};

Corner VS(Corner corner)
{
    corner.Position = mul(ToWorld, float4(corner.Position, 1.0f)).xyz;
    corner.Normal = mul((float3x3)ToWorld, corner.Normal);
    return corner;
}

struct Vertex
{
    float4 Position : SV_Position;
    float3 World : WORLD;
    float3 Normal : NORMAL;
    float Along : ALONG;
};

// The same model without tessellation.
Vertex VSFlat(Corner input)
{
    Corner corner = VS(input);
    Vertex vertex;
    vertex.Position = mul(ToClip, float4(corner.Position, 1.0f));
    vertex.World = corner.Position;
    vertex.Normal = corner.Normal;
    vertex.Along = corner.Along;
    return vertex;
}

// The control points of a cubic triangle other than its corners. P210 is near corner 0 on the edge to corner 1, P021 is
// near corner 1 on the edge to corner 2, and P111 is in the middle. N110, N011 and N101 are normals in the middles of edges.
struct Patch
{
    float Edges[3] : SV_TessFactor;
    float Inside : SV_InsideTessFactor;
    float3 P210 : P210;
    float3 P120 : P120;
    float3 P021 : P021;
    float3 P012 : P012;
    float3 P102 : P102;
    float3 P201 : P201;
    float3 P111 : P111;
    float3 N110 : N110;
    float3 N011 : N011;
    float3 N101 : N101;
};

// Returns the control point of an edge that is near `from`. It is in the plane through `from` that its normal defines.
float3 EdgePoint(Corner from, Corner to)
{
    float above = dot(to.Position - from.Position, from.Normal);
    return (2.0f * from.Position + to.Position - above * from.Normal) / 3.0f;
}

// Returns the normal in the middle of an edge: the average normal, mirrored at the plane that halves the edge. So an edge
// with the shape of an S has the right normal as well.
float3 EdgeNormal(Corner a, Corner b)
{
    float3 edge = b.Position - a.Position;
    float3 sum = a.Normal + b.Normal;
    return normalize(sum - 2.0f * dot(edge, sum) / dot(edge, edge) * edge);
}

Patch HSConstants(InputPatch<Corner, 3> corners)
{
    Patch patch;
    patch.Edges[0] = patch.Edges[1] = patch.Edges[2] = Factor;
    patch.Inside = Factor;
    patch.P210 = EdgePoint(corners[0], corners[1]);
    patch.P120 = EdgePoint(corners[1], corners[0]);
    patch.P021 = EdgePoint(corners[1], corners[2]);
    patch.P012 = EdgePoint(corners[2], corners[1]);
    patch.P102 = EdgePoint(corners[2], corners[0]);
    patch.P201 = EdgePoint(corners[0], corners[2]);
    float3 edges = (patch.P210 + patch.P120 + patch.P021 + patch.P012 + patch.P102 + patch.P201) / 6.0f;
    float3 middle = (corners[0].Position + corners[1].Position + corners[2].Position) / 3.0f;
    patch.P111 = edges + (edges - middle) * 0.5f;
    patch.N110 = EdgeNormal(corners[0], corners[1]);
    patch.N011 = EdgeNormal(corners[1], corners[2]);
    patch.N101 = EdgeNormal(corners[2], corners[0]);
    return patch;
}

[domain("tri")]
[partitioning("fractional_odd")]
[outputtopology("triangle_cw")]
[outputcontrolpoints(3)]
[patchconstantfunc("HSConstants")]
Corner HS(InputPatch<Corner, 3> corners, uint number : SV_OutputControlPointID)
{
    return corners[number];
}

// The location is the weights of the corners.
[domain("tri")]
Vertex DS(Patch patch, float3 w : SV_DomainLocation, const OutputPatch<Corner, 3> corners)
{
    float3 w2 = w * w;
    float3 corner = corners[0].Position * w2.x * w.x + corners[1].Position * w2.y * w.y + corners[2].Position * w2.z * w.z;
    float3 edge = patch.P210 * w2.x * w.y + patch.P120 * w.x * w2.y + patch.P021 * w2.y * w.z
        + patch.P012 * w.y * w2.z + patch.P102 * w.x * w2.z + patch.P201 * w2.x * w.z;
    Vertex vertex;
    vertex.World = corner + 3.0f * edge + 6.0f * patch.P111 * w.x * w.y * w.z;
    vertex.Normal = corners[0].Normal * w2.x + corners[1].Normal * w2.y + corners[2].Normal * w2.z
        + patch.N110 * w.x * w.y + patch.N011 * w.y * w.z + patch.N101 * w.x * w.z;
    vertex.Along = corners[0].Along * w.x + corners[1].Along * w.y + corners[2].Along * w.z;
    vertex.Position = mul(ToClip, float4(vertex.World, 1.0f));
    return vertex;
}

// A studio with two long lamps, as seen in the glossy surface.
float3 Studio(float3 direction)
{
    float3 color = lerp(float3(0.10f, 0.09f, 0.11f), float3(0.36f, 0.42f, 0.55f), smoothstep(-0.6f, 1.0f, direction.y));
    float above = smoothstep(0.60f, 0.66f, direction.y) * smoothstep(0.50f, 0.44f, abs(direction.x + 0.25f));
    float beside = smoothstep(0.72f, 0.78f, direction.x) * smoothstep(0.55f, 0.45f, abs(direction.y));
    return color + above * float3(3.0f, 2.9f, 2.7f) + beside * float3(0.5f, 0.7f, 1.2f);
}

float4 PS(Vertex vertex) : SV_Target
{
    float3 normal = normalize(vertex.Normal);
    float3 toCamera = normalize(Camera - vertex.World);
    float3 color = 0.5f + 0.5f * cos(6.2831853f * (vertex.Along + float3(0.02f, 0.36f, 0.62f)));
    color = lerp(float3(0.75f, 0.10f, 0.04f), float3(0.95f, 0.50f, 0.05f), color.x) * 0.85f;
    float light = saturate(dot(normal, Light));
    float3 sky = lerp(float3(0.10f, 0.06f, 0.05f), float3(0.30f, 0.34f, 0.42f), normal.y * 0.5f + 0.5f);
    float mirror = 0.05f + 0.95f * pow(1.0f - saturate(dot(normal, toCamera)), 5.0f);
    float3 shaded = color * (light * float3(1.0f, 0.96f, 0.9f) + sky) + Studio(reflect(-toCamera, normal)) * mirror;
    return float4(shaded, 1.0f);
}

float4 PSWire() : SV_Target
{
    return float4(1.0f, 0.95f, 0.85f, 0.5f);
}

struct Background
{
    float4 Position : SV_Position;
    float2 Place : PLACE;
};

// Returns a corner of a triangle that covers the viewport, at the greatest depth.
Background VSBackground(uint number : SV_VertexID)
{
    Background corner;
    corner.Place = float2(number >> 1, number & 1) * 4.0f - 1.0f;
    corner.Position = float4(corner.Place, 1.0f, 1.0f);
    return corner;
}

float4 PSBackground(Background corner) : SV_Target
{
    float glow = exp(-dot(corner.Place, corner.Place) * 1.1f);
    return float4(lerp(float3(0.018f, 0.022f, 0.034f), float3(0.10f, 0.13f, 0.17f), glow), 1.0f);
}
