// A hull and a domain shader: factors from the distance, patch constants, and dynamic indices of control points.
//= [require]
//= shader model >= 5.0
//= [hull shader]
struct Corner { float4 place : PLACE; float2 uv : UV; nointerpolation uint material : MATERIAL; };
struct Point { float3 place : PLACE; float2 uv : UV; float weights[3] : WEIGHT; };
struct Constants {
    float3 middle : MIDDLE;
    float edges[4] : SV_TessFactor;
    float2x3 frame : FRAME;
    float inside[2] : SV_InsideTessFactor;
    nointerpolation uint2 materials : MATERIAL;
    float2 unrounded : UNROUNDED;
};

cbuffer View { float3 eye; float detail; uint mode; };
Texture2D<float> heights;
SamplerState linear_clamp;

static uint reads = 0;

float edge_factor(InputPatch<Corner, 4> corners, uint edge) {
    reads++;
    float3 middle = (corners[edge].place.xyz + corners[(edge + 1) & 3].place.xyz) / 2;
    return detail / max(distance(middle, eye), 0.01);
}

Constants constants(InputPatch<Corner, 4> corners, const OutputPatch<Point, 9> points, uint id : SV_PrimitiveID) {
    Constants c = (Constants)0;
    float4 raw;
    for (uint edge = 0; edge < 4; edge++) raw[edge] = edge_factor(corners, edge);
    float4 rounded;
    float2 inside;
    switch (mode) {
    case 0: ProcessQuadTessFactorsAvg(raw, 1, rounded, inside, c.unrounded); break;
    case 1: ProcessQuadTessFactorsMax(raw, 0.5, rounded, inside, c.unrounded); break;
    case 2: ProcessQuadTessFactorsMin(raw, 1, rounded, inside, c.unrounded); break;
    case 3: Process2DQuadTessFactorsAvg(raw, float2(1, 0.5), rounded, inside, c.unrounded); break;
    case 4: Process2DQuadTessFactorsMax(raw, 1, rounded, inside, c.unrounded); break;
    default: Process2DQuadTessFactorsMin(raw, 1, rounded, inside, c.unrounded); break;
    }
    [unroll] for (uint i = 0; i < 4; i++) c.edges[i] = rounded[i];
    c.inside[0] = inside.x;
    c.inside[1] = inside.y;
    c.middle = points[4].place + points[id % 9].weights[id % 3];
    c.frame = float2x3(points[1].place - points[0].place, points[3].place - points[0].place);
    c.materials = uint2(corners[id & 3].material, reads);
    return c;
}

[domain("quad")]
[partitioning("fractional_odd")]
[outputtopology("triangle_ccw")]
[outputcontrolpoints(9)]
[patchconstantfunc("constants")]
[maxtessfactor(32)]
Point main(InputPatch<Corner, 4> corners, uint i : SV_OutputControlPointID, uint id : SV_PrimitiveID) {
    Point p;
    float2 at = float2(i % 3, i / 3) / 2;
    float4 weights = float4((1 - at.x) * (1 - at.y), at.x * (1 - at.y), at.x * at.y, (1 - at.x) * at.y);
    p.place = 0;
    p.uv = 0;
    [loop] for (int corner = 0; corner < 4; corner++) {
        p.place += corners[corner].place.xyz * weights[corner];
        p.uv += corners[corner].uv * weights[corner];
    }
    p.place.y += heights.SampleLevel(linear_clamp, p.uv, 0);
    p.weights[0] = weights.x; p.weights[1] = weights.y; p.weights[2] = id;
    return p;
}
//= [domain shader]
struct Point { float3 place : PLACE; float2 uv : UV; float weights[3] : WEIGHT; };
struct Constants {
    float3 middle : MIDDLE;
    float edges[4] : SV_TessFactor;
    float2x3 frame : FRAME;
    float inside[2] : SV_InsideTessFactor;
    nointerpolation uint2 materials : MATERIAL;
    float2 unrounded : UNROUNDED;
};
struct Vertex {
    float4 position : SV_Position;
    float3 normal : NORMAL;
    noperspective float2 uv : UV;
    float clip : SV_ClipDistance;
    float cull : SV_CullDistance;
    uint slice : SV_RenderTargetArrayIndex;
};

cbuffer View { float4x4 view_projection; };

float3 weights_of(float t) { return float3((1 - t) * (1 - t), 2 * t * (1 - t), t * t); }

float3 surface(const OutputPatch<Point, 9> points, float2 at, out float2 uv) {
    float3 across = weights_of(at.x), down = weights_of(at.y), place = 0;
    uv = 0;
    for (uint y = 0; y < 3; y++) {
        for (uint x = 0; x < 3; x++) {
            place += points[y * 3 + x].place * across[x] * down[y];
            uv += points[y * 3 + x].uv * across[x] * down[y];
        }
    }
    return place;
}

[domain("quad")]
Vertex main(Constants c, const OutputPatch<Point, 9> points, float2 at : SV_DomainLocation, uint id : SV_PrimitiveID) {
    Vertex v;
    float3 place = surface(points, at, v.uv);
    v.position = mul(view_projection, float4(place, 1));
    v.normal = normalize(cross(c.frame[0], c.frame[1])) + c.middle * c.unrounded.x;
    v.clip = c.edges[id & 3] - c.inside[1];
    v.cull = points[id % 9].weights[2];
    v.slice = c.materials.y;
    return v;
}
