// Rare arguments of texture methods: level clamps, states, offsets at the edges, and levels that do not exist.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= size (2d, 4, 4)
//= [srv 0]
//= format r32-float
//= size (2d, 4, 4)
//= levels 3
//= 0.0 1.0 2.0 3.0
//= 10.0 11.0 12.0 13.0
//= 20.0 21.0 22.0 23.0
//= 30.0 31.0 32.0 33.0
//= 100.0 101.0 110.0 111.0
//= 200.0
//= [srv 1]
//= format r32-float
//= size (2darray, 2, 2, 3)
//= 0.0 1.0 10.0 11.0
//= 100.0 101.0 110.0 111.0
//= 200.0 201.0 210.0 211.0
//= [srv 2]
//= size (2d, 1, 1)
//= 5.0 6.0 7.0 8.0
//= [srv 3]
//= format r32-float
//= size (cube, 1)
//= 1.0 2.0 3.0 4.0 5.0 6.0
//= [sampler 0]
//= filter point point point
//= address clamp clamp clamp
//= [sampler 1]
//= filter point point point
//= address wrap wrap wrap
//= [sampler 2]
//= filter point point point
//= address mirror mirror mirror
//= [sampler 3]
//= filter point point point
//= address border border border
//= [sampler 4]
//= filter point point linear
//= address clamp clamp clamp
//= [pixel shader]
#include "show.hlsli"

Texture2D<float> plain : register(t0);
Texture2DArray<float> layers : register(t1);
Texture2D single : register(t2);
TextureCube<float> cube : register(t3);
SamplerState nearest : register(s0);
SamplerState wrap : register(s1);
SamplerState mirror : register(s2);
SamplerState border : register(s3);
SamplerState between : register(s4);

INPUT float one = 1;
INPUT int many = 3;
static const float2 texel12 = float2(0.375, 0.625);
static const float2 first = float2(0.125, 0.125), last = float2(0.875, 0.875);

float4 main(float4 position : SV_Position) : SV_Target {
    uint state = 0, other = 0;
    static const int2 no = int2(0, 0);

    // The clamp sets the most detailed level. A clamp past the last level returns zero (functional specification
    // 5.9.4.5.4).
    float atZero = plain.Sample(nearest, texel12, no, one - 1, state);
    float below = plain.Sample(nearest, texel12, no, -5 * one);
    float atOne = plain.Sample(nearest, texel12, no, one);
    float near = plain.Sample(nearest, texel12, no, one * 1.4);
    float mixed = plain.Sample(between, texel12, no, one * 1.5);
    float atLast = plain.Sample(nearest, texel12, no, one * 2);
    float beyond = plain.Sample(nearest, texel12, no, one * 2.1);
    float far = plain.Sample(border, texel12, no, one * 9);
    float known = plain.Sample(nearest, texel12, no, 2.5);
    float biased = plain.SampleBias(nearest, texel12, 7, no, one);
    float biasedAbove = plain.SampleBias(nearest, position.xy / 4, 2, no, one);
    float biasedBeyond = plain.SampleBias(nearest, texel12, -7, no, one * 3);
    float4 none = single.Sample(nearest, texel12, no, one);
    float4 some = single.Sample(nearest, texel12, no, one * 0);
    float layer = layers.Sample(nearest, float3(0.25, 0.75, 1), no, one - 1);
    float layerBeyond = layers.Sample(nearest, float3(0.25, 0.75, 1), no, one, other);
    if (any(position.xy != float2(2.5, 1.5)))
        return 0;
    SHOW(atZero);           //=> float 21
    SHOW(below);            //=> float 21
    SHOW(atOne);            //=> float 110
    SHOW(near);             //=> float 110
    SHOW(mixed);            //=> float 155 ~ 1
    SHOW(atLast);           //=> float 200
    SHOW(beyond);           //=> float 0
    SHOW(far);              //=> float 0
    SHOW(known);            //=> float 0
    SHOW(biased);           //=> float 110
    SHOW(biasedAbove);      //=> float 200
    SHOW(biasedBeyond);     //=> float 0
    SHOW(none);             //=> float4 0 0 0 0
    SHOW(some);             //=> float4 5 6 7 8
    SHOW(layer);            //=> float 110
    SHOW(layerBeyond);      //=> float 0
    SHOW(CheckAccessFullyMapped(state));    //=> bool true
    SHOW(CheckAccessFullyMapped(other));    //=> bool true

    SHOW(plain.SampleGrad(nearest, texel12, 0, 0, no, one));                            //=> float 110
    SHOW(plain.SampleGrad(nearest, texel12, float2(2, 0), 0, no, one));                 //=> float 200
    SHOW(plain.SampleGrad(nearest, texel12, 0, 0, no, one * 2.5, state));               //=> float 0
    SHOW(cube.SampleGrad(nearest, float3(0, 0, 1), 0, 0, one - 1));                     //=> float 5
    SHOW(cube.SampleGrad(nearest, float3(0, 0, 1), 0, 0, one));                         //=> float 0

    // Offsets are in texels and are added before the address mode is applied.
    SHOW(plain.SampleLevel(nearest, first, 0, int2(-1, -2)));   //=> float 0
    SHOW(plain.SampleLevel(nearest, last, 0, int2(1, 0)));      //=> float 33
    SHOW(plain.SampleLevel(wrap, first, 0, int2(-1, -2)));      //=> float 23
    SHOW(plain.SampleLevel(wrap, last, 0, int2(1, 0)));         //=> float 30
    SHOW(plain.SampleLevel(mirror, first, 0, int2(-2, -1)));    //=> float 1
    SHOW(plain.SampleLevel(mirror, last, 0, int2(2, 0)));       //=> float 32
    SHOW(plain.SampleLevel(border, last, 0, int2(1, 0)));       //=> float 0
    SHOW(plain.SampleLevel(border, last, 0, int2(-1, 0)));      //=> float 32
    SHOW(plain.SampleLevel(wrap, texel12, one, int2(1, 1), state)); //=> float 101
    SHOW(plain.GatherRed(wrap, float2(0, 0)));                  //=> float4 3 0 30 33
    SHOW(plain.GatherRed(wrap, float2(0.25, 0.25), int2(-1, -1))); //=> float4 3 0 30 33
    SHOW(plain.GatherRed(nearest, float2(0.25, 0.25), int2(-1, -1), state)); //=> float4 0 0 0 0
    SHOW(plain.GatherRed(border, float2(1, 1), int2(0, 0)));    //=> float4 0 0 0 33

    // Loads do not use an address mode, so out-of-range texels are zero, even if an offset leads out of range.
    SHOW(plain.Load(int3(0, 0, 0), int2(-1, 0)));               //=> float 0
    SHOW(plain.Load(int3(3, 3, 0), int2(0, 1)));                //=> float 0
    SHOW(plain.Load(int3(3, 3, 0), int2(-1, -1), state));       //=> float 22
    SHOW(plain.Load(int3(-1, 0, 0), int2(1, 0)));               //=> float 0
    SHOW(plain.Load(int3(many, many, 0), int2(-2, -3)));        //=> float 1
    SHOW(plain.Load(int3(0, 0, many)));                         //=> float 0
    SHOW(plain.Load(int3(0, 0, -many)));                        //=> float 0
    SHOW(plain.Load(int3(2, 0, many - 2)));                     //=> float 0
    SHOW(layers.Load(int4(0, 0, many, 0)));                     //=> float 0
    SHOW(layers.Load(int4(1, 1, many - 1, 0)));                 //=> float 211

    // For a level that does not exist, the size is 0, but the number of levels is still returned (22.4.14).
    uint width, height, count, levels;
    plain.GetDimensions(many - 2, width, height, levels);
    SHOW(uint3(width, height, levels));             //=> uint3 2 2 3
    plain.GetDimensions(many - 1, width, height, levels);
    SHOW(uint3(width, height, levels));             //=> uint3 1 1 3
    plain.GetDimensions(many, width, height, levels);
    SHOW(uint3(width, height, levels));             //=> uint3 0 0 3
    plain.GetDimensions(-many, width, height, levels);
    SHOW(uint3(width, height, levels));             //=> uint3 0 0 3
    plain.GetDimensions(99, width, height, levels);
    SHOW(uint3(width, height, levels));             //=> uint3 0 0 3
    layers.GetDimensions(0, width, height, count, levels);
    SHOW(uint4(width, height, count, levels));      //=> uint4 2 2 3 1
    layers.GetDimensions(many, width, height, count, levels);
    SHOW(uint4(width, height, count, levels));      //=> uint4 0 0 0 1
    float floatWidth, floatHeight, floatLevels;
    plain.GetDimensions(many, floatWidth, floatHeight, floatLevels);
    SHOW(float3(floatWidth, floatHeight, floatLevels)); //=> float3 0 0 3
    return 0;
}

//= [test]
//= draw quad
