// Hull and domain shaders of isolines and triangles, with the other functions that process factors.
//= [require]
//= shader model >= 5.0
//= [hull shader]
struct Point { float4 place : SV_Position; };
struct Constants { float factors[2] : SV_TessFactor; };

Constants constants(InputPatch<Point, 2> ends) {
    Constants c;
    float detail = distance(ends[0].place, ends[1].place);
    ProcessIsolineTessFactors(detail, 3.5, c.factors[1], c.factors[0]);
    return c;
}

[domain("isoline")]
[partitioning("fractional_even")]
[outputtopology("line")]
[outputcontrolpoints(2)]
[patchconstantfunc("constants")]
void main(InputPatch<Point, 2> ends) {}
//= [domain shader]
struct Point { float4 place : SV_Position; };

[domain("isoline")]
void main(float2 at : SV_DomainLocation, const OutputPatch<Point, 2> ends, out float4 position : SV_Position) {
    position = lerp(ends[0].place, ends[1].place, at.x) + float4(0, at.y, 0, 0);
}
//= [hull shader]
struct Point { float3 place : PLACE; };

void constants(InputPatch<Point, 3> corners, uint id : SV_PrimitiveID, out float edges[3] : SV_TessFactor,
               out float inside : SV_InsideTessFactor, out float4 unrounded : UNROUNDED) {
    float3 raw = float3(corners[0].place.x, corners[1].place.y, corners[2].place.z);
    float3 rounded;
    if (id % 3 == 0) ProcessTriTessFactorsAvg(raw, 1, rounded, inside, unrounded.x);
    else if (id % 3 == 1) ProcessTriTessFactorsMax(raw, 0.5, rounded, inside, unrounded.x);
    else ProcessTriTessFactorsMin(raw, 0.25, rounded, inside, unrounded.x);
    edges[0] = rounded.x; edges[1] = rounded.y; edges[2] = rounded.z;
    unrounded.yzw = raw;
}

[domain("tri")]
[partitioning("pow2")]
[outputtopology("point")]
[outputcontrolpoints(3)]
[patchconstantfunc("constants")]
Point main(InputPatch<Point, 3> corners, uint i : SV_OutputControlPointID) {
    return corners[i];
}
