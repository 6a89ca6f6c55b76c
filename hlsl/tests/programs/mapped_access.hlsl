// Loads and samples with a status, which always reports that all texels are mapped. Also minimum levels of samples.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= size (2d, 2, 2)
//= [srv 0]
//= format r32-float
//= size (2d, 2, 2)
//= levels 2
//= 1.0 2.0 3.0 4.0
//= 9.0
//= [srv 1]
//= stride 4
//= size (buffer, 2)
//= 5 6
//= [srv 2]
//= size (raw_buffer, 16)
//= 7 8 9 10
//= [srv 3]
//= format r32-uint
//= size (buffer, 2)
//= 11 12
//= [sampler 0]
//= filter point point point
//= address clamp clamp clamp
//= [pixel shader]
#include "show.hlsli"

Texture2D<float> plain : register(t0);
StructuredBuffer<uint> structured : register(t1);
ByteAddressBuffer bytes : register(t2);
Buffer<uint> typed : register(t3);
SamplerState nearest : register(s0);

float4 main(float4 position : SV_Position) : SV_Target {
    uint status[8];
    float sampled = plain.Sample(nearest, float2(0.75, 0.25), int2(0, 0), 0, status[0]);
    float clamped = plain.Sample(nearest, float2(0.75, 0.25), int2(0, 0), 1);
    float graded = plain.SampleGrad(nearest, float2(0.75, 0.25), 0, 0, int2(0, 0), 1.0);
    float level = plain.SampleLevel(nearest, float2(0.25, 0.75), 0, int2(0, 0), status[1]);
    float4 gathered = plain.Gather(nearest, float2(0.5, 0.5), int2(0, 0), status[2]);
    float loaded = plain.Load(int3(1, 1, 0), int2(0, 0), status[3]);
    uint element = structured.Load(1, status[4]);
    uint word = bytes.Load(4, status[5]);
    uint2 words = bytes.Load2(8, status[6]);
    uint texel = typed.Load(1, status[7]);
    bool all1 = true;
    [unroll] for (int i = 0; i < 8; i++)
        all1 = all1 && CheckAccessFullyMapped(status[i]);
    if (all(position.xy < 1)) {
        SHOW(sampled);  //=> float 2
        SHOW(clamped);  //=> float 9
        SHOW(graded);   //=> float 9
        SHOW(level);    //=> float 3
        SHOW(gathered); //=> float4 3 4 2 1
        SHOW(loaded);   //=> float 4
        SHOW(element);  //=> uint 6
        SHOW(word);     //=> uint 8
        SHOW(words);    //=> uint2 9 10
        SHOW(texel);    //=> uint 12
        SHOW(all1);     //=> bool true
    }
    return 0;
}

//= [test]
//= draw quad
