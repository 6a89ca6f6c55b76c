// Comparison sampling returns 1 if the comparison of the reference value with the texel passes, and 0 otherwise.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= format r32-float-shadow
//= size (2d, 2, 2)
//= 0.25 0.5 0.75 1.0
//= [srv 1]
//= format r32-float-shadow
//= size (2darray, 1, 1, 2)
//= 0.25 0.75
//= [sampler 0]
//= filter point point point
//= address clamp clamp clamp
//= comparison less equal
//= [sampler 1]
//= filter linear linear linear
//= address clamp clamp clamp
//= comparison less
//= [sampler 2]
//= filter point point point
//= address clamp clamp clamp
//= [compute shader]
#include "show.hlsli"

Texture2D<float> depth : register(t0);
Texture2DArray<float> depths : register(t1);
SamplerComparisonState compare : register(s0);
SamplerComparisonState smooth : register(s1);
SamplerState plain : register(s2);

INPUT float value = 0.5;

[numthreads(1, 1, 1)]
void main() {
    SHOW(depth.SampleCmpLevelZero(compare, float2(0.25, 0.25), value)); //=> float 0
    SHOW(depth.SampleCmpLevelZero(compare, float2(0.75, 0.25), value)); //=> float 1
    SHOW(depth.SampleCmpLevelZero(compare, float2(0.25, 0.75), value)); //=> float 1
    SHOW(depth.SampleCmpLevelZero(compare, float2(0.25, 0.25), value, int2(1, 0))); //=> float 1
    uint state = 0;
    SHOW(depth.SampleCmpLevelZero(compare, float2(0.25, 0.25), value, int2(1, 0), state)); //=> float 1
    SHOW(CheckAccessFullyMapped(state));    //=> bool true
    SHOW(depth.SampleCmpLevelZero(smooth, float2(0.5, 0.5), value)); //=> float 0.5 ~ 0.01
    SHOW(depths.SampleCmpLevelZero(compare, float3(0.5, 0.5, 0), value)); //=> float 0
    SHOW(depths.SampleCmpLevelZero(compare, float3(0.5, 0.5, 1), value)); //=> float 1
    SHOW(depth.GatherCmp(compare, float2(0.5, 0.5), value));    //=> float4 1 1 1 0
    SHOW(depth.GatherCmpRed(compare, float2(0.5, 0.5), 0.8));   //=> float4 0 1 0 0

    // The same texture with a sampler without comparison.
    SHOW(depth.SampleLevel(plain, float2(0.75, 0.25), 0));  //=> float 0.5
    SHOW(depth.Load(int3(1, 1, 0)));                        //=> float 1
    SHOW(depth.Gather(plain, float2(0.5, 0.5)));            //=> float4 0.75 1 0.5 0.25
}

//= [test]
//= dispatch 1 1 1
