// Derivatives, including derivatives after neighbouring pixels were discarded, and samples that depend on derivatives.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= size (2d, 4, 4)
//= [srv 0]
//= format r32-float
//= size (2d, 8, 8)
//= levels 4
//= 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
//= 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
//= 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
//= 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0 0.0
//= 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0 1.0
//= 2.0 2.0 2.0 2.0
//= 3.0
//= [srv 1]
//= format r32-float
//= size (2d, 2, 2)
//= 10.0 20.0 30.0 40.0
//= [srv 2]
//= format r32-float-shadow
//= size (2d, 2, 2)
//= 0.25 0.25 0.75 0.75
//= [srv 3]
//= format r32-float
//= size (1d, 2)
//= 5.0 6.0
//= [sampler 0]
//= filter point point point
//= address clamp clamp clamp
//= [sampler 1]
//= filter point point point
//= address clamp clamp clamp
//= comparison less
//= [sampler 2]
//= filter point point linear
//= address clamp clamp clamp
//= [pixel shader]
#include "show.hlsli"

Texture2D<float> levels : register(t0);
Texture2D<float> plain : register(t1);
Texture2D<float> depth : register(t2);
Texture1D<float> line1 : register(t3);
SamplerState nearest : register(s0);
SamplerComparisonState compare : register(s1);
SamplerState between : register(s2);

float4 main(float4 position : SV_Position) : SV_Target {
    float2 p = position.xy;
    bool chosen = all(p == float2(2.5, 1.5));

    float2 dx = ddx(p * float2(3, 5)), dy = ddy(p * float2(3, 5));
    float fine = ddx_fine(p.x * p.x), coarse = ddy_coarse(p.y * 7), fineY = ddy_fine(p.y * p.y);
    float width = fwidth(2 * p.x - 3 * p.y), coarseX = ddx_coarse(p.x * -4);

    // The coordinates advance by two, one and four texels per pixel.
    float two = levels.Sample(nearest, p / 4);
    float one = levels.Sample(nearest, p / 8);
    float four = levels.Sample(nearest, p / 2);
    float biased = levels.SampleBias(nearest, p / 8, 2);
    float mixed = levels.SampleBias(between, p / 8, 1.5);
    float detail = levels.CalculateLevelOfDetail(between, p / 4);
    float unclamped = levels.CalculateLevelOfDetailUnclamped(between, p / 16);
    float offset = plain.Sample(nearest, float2(0.25, 0.25), int2(1, 1));
    float compared = depth.SampleCmp(compare, float2(0.25, 0.75), 0.5);
    float comparedOffset = depth.SampleCmp(compare, float2(0.25, 0.75), 0.5, int2(0, -1));
    float inLine = line1.Sample(nearest, 0.75), inLineOffset = line1.Sample(nearest, 0.25, 1);

    // The pixel to the left is discarded here, but the derivative still uses its value.
    if (p.x < 2)
        discard;
    float behind = ddx(p.x * 9);
    float sampledBehind = levels.Sample(nearest, p / 4);

    if (chosen) {
        SHOW(dx);               //=> float2 3 0
        SHOW(dy);               //=> float2 0 5
        SHOW(fine);             //=> float 6
        SHOW(fineY);            //=> float 2
        SHOW(coarse);           //=> float 7
        SHOW(coarseX);          //=> float -4
        SHOW(width);            //=> float 5
        SHOW(two);              //=> float 1
        SHOW(one);              //=> float 0
        SHOW(four);             //=> float 2
        SHOW(biased);           //=> float 2
        SHOW(mixed);            //=> float 1.5 ~ 0.02
        SHOW(detail);           //=> float 1 ~ 0.02
        SHOW(unclamped);        //=> float -1 ~ 0.02
        SHOW(offset);           //=> float 40
        SHOW(compared);         //=> float 1
        SHOW(comparedOffset);   //=> float 0
        SHOW(inLine);           //=> float 6
        SHOW(inLineOffset);     //=> float 6
        SHOW(behind);           //=> float 9
        SHOW(sampledBehind);    //=> float 1
    }
    return 1;
}

//= [test]
//= clear rtv 0 0 0 0 0
//= draw quad
//= probe (0, 0, 2, 4) rgba (0, 0, 0, 0)
//= probe (2, 0, 4, 4) rgba (1, 1, 1, 1)
