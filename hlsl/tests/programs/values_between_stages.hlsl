// Semantics that are system values at only some signature points. At other points, stages pass them on like ordinary
// values.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= size (2d, 4, 4)
//= [vb 0]
//= -1.0 -1.0 0.0 1.0  0.25 1.5 2.5  7 8
//= -1.0  3.0 0.0 1.0  0.25 1.5 2.5  7 8
//=  3.0 -1.0 0.0 1.0  0.25 1.5 2.5  7 8
//= [input layout]
//= 0 r32g32b32a32-float SV_Position
//= 0 r32-float SV_ClipDistance
//= 0 r32g32-float SV_CullDistance 1
//= 0 r32-uint SV_RenderTargetArrayIndex
//= 0 r32-uint SV_ViewportArrayIndex
//= [vertex shader]
struct Given {
    float4 position : SV_Position;
    float clip : SV_ClipDistance;
    float2 cull : SV_CullDistance1;
    uint slice : SV_RenderTargetArrayIndex;
    uint viewport : SV_ViewportArrayIndex;
};

struct Corner {
    float4 position : SV_Position;
    uint instance : SV_InstanceID;
    float2 other : OTHER;
    nointerpolation float3 distances : DISTANCES;
    uint2 numbers : SV_InstanceID3;
};

Corner main(Given given, uint instance : SV_InstanceID) {
    Corner corner;
    corner.position = given.position;
    corner.instance = instance * 10 + 3;
    corner.other = given.position.xy;
    corner.distances = float3(given.clip, given.cull);
    corner.numbers = uint2(given.slice, given.viewport);
    return corner;
}
//= [pixel shader]
#include "show.hlsli"

struct Seen {
    float4 position : SV_Position;
    int instance : SV_InstanceID;
    float2 other : OTHER;
    nointerpolation float3 distances : DISTANCES;
    uint2 numbers : sv_instanceid3;
};

float4 main(Seen seen) : SV_Target {
    if (all(seen.position.xy == 2.5) && seen.instance == 13) {
        SHOW(seen.instance);  //=> int 13
        SHOW(seen.other);     //=> float2 0.25 -0.25 ~ 0.0001
        SHOW(seen.distances); //=> float3 0.25 1.5 2.5
        SHOW(seen.numbers);   //=> uint2 7 8
    }
    return 0;
}

//= [test]
//= draw triangle list 3 2
