// Pixel shaders that run once per sample, coverage, and multisampled textures.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= size (2dms, 4, 4, 4)
//= [pixel shader]
float4 main(uint index : SV_SampleIndex, uint coverage : SV_Coverage) : SV_Target {
    return float4(index, coverage == (1u << index), 1, 1);
}
//= [test]
//= draw quad
//= probe (0, 0) rgba (1.5, 1, 1, 1)
//= [pixel shader]
float4 main(uint coverage : SV_Coverage) : SV_Target { return coverage; }
//= [test]
//= draw quad
//= probe (0, 0) rgba (15, 15, 15, 15)
//= [pixel shader]
float4 main(out uint coverage : SV_Coverage) : SV_Target {
    coverage = 5;
    return 8;
}
//= [test]
//= clear rtv 0 0 0 0 0
//= draw quad
//= probe (0, 0) rgba (4, 4, 4, 4)
//= [srv 0]
//= size (2dms, 4, 4, 4)
//= [rtv 0]
//= size (2d, 1, 1)
//= [pixel shader]
#include "show.hlsli"
Texture2DMS<float4> plain : register(t0);

float4 main() : SV_Target {
    uint w, h, samples;
    plain.GetDimensions(w, h, samples);
    SHOW(uint3(w, h, samples));         //=> uint3 4 4 4
    SHOW(plain.Load(int2(0, 0), 3).x);  //=> float 0
    SHOW(plain.sample[1][int2(0, 0)]);  //=> float4 0 0 0 0
    SHOW(plain[int2(0, 0)].y);          //=> float 0
    SHOW(plain.GetSamplePosition(0));   //=> float2 -0.125 -0.375
    return 1;
}
//= [test]
//= draw quad
