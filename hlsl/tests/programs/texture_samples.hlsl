// All sampling methods of compute shaders. The value of a texel is 10 times its row plus its column. The values of the
// second level begin at 100.
//= [require]
//= shader model >= 5.0
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
//= format r32-float
//= size (3d, 2, 2, 2)
//= 0.0 1.0 10.0 11.0
//= 100.0 101.0 110.0 111.0
//= [srv 3]
//= format r32-float
//= size (cube, 1)
//= 1.0 2.0 3.0 4.0 5.0 6.0
//= [srv 4]
//= format r32-float
//= size (cubearray, 1, 2)
//= 1.0 2.0 3.0 4.0 5.0 6.0
//= 11.0 12.0 13.0 14.0 15.0 16.0
//= [srv 5]
//= format r32-float
//= size (1d, 4)
//= 1.0 2.0 3.0 4.0
//= [srv 6]
//= format r32-float
//= size (1darray, 2, 2)
//= 1.0 2.0
//= 11.0 12.0
//= [srv 7]
//= size (2d, 2, 2)
//= 1.0 2.0 3.0 4.0
//= 11.0 12.0 13.0 14.0
//= 21.0 22.0 23.0 24.0
//= 31.0 32.0 33.0 34.0
//= [srv 8]
//= format r32-uint
//= size (2d, 2, 2)
//= 1 2
//= 11 12
//= [sampler 0]
//= filter point point point
//= address clamp clamp clamp
//= [sampler 1]
//= filter linear linear linear
//= address clamp clamp clamp
//= [sampler 2]
//= filter point point point
//= address wrap mirror wrap
//= [sampler 3]
//= filter point point point
//= address border border border
//= [compute shader]
#include "show.hlsli"

Texture2D<float> plain : register(t0);
Texture2DArray<float> layers : register(t1);
Texture3D<float> volume : register(t2);
TextureCube<float> cube : register(t3);
TextureCubeArray<float> cubes : register(t4);
Texture1D<float> line1 : register(t5);
Texture1DArray<float> lines : register(t6);
Texture2D color : register(t7);
Texture2D<uint> whole : register(t8);
SamplerState nearest : register(s0);
SamplerState smooth : register(s1);
SamplerState wrap : register(s2);
SamplerState border : register(s3);

INPUT float2 corner = float2(0.25, 0.25);       // Between the texels (0, 0) and (1, 1).
INPUT float2 texel12 = float2(0.375, 0.625);    // The middle of the texel (1, 2).
INPUT float level = 1;

[numthreads(1, 1, 1)]
void main() {
    SHOW(plain.SampleLevel(nearest, texel12, 0));       //=> float 21
    SHOW(plain.SampleLevel(smooth, corner, 0));         //=> float 5.5 ~ 0.1
    SHOW(plain.SampleLevel(nearest, corner, level));    //=> float 100
    SHOW(plain.SampleLevel(smooth, float2(0.5, 0.5), level)); //=> float 105.5 ~ 0.1
    SHOW(plain.SampleLevel(smooth, float2(0, 0), level + 0.5)); //=> float 150 ~ 1
    SHOW(plain.SampleLevel(nearest, texel12, 9));       //=> float 200
    SHOW(plain.SampleLevel(nearest, texel12, 0, int2(1, -1))); //=> float 12
    SHOW(plain.SampleLevel(nearest, texel12, 0, int2(-8, 7))); //=> float 30
    SHOW(plain.SampleLevel(nearest, texel12, level, int2(1, -1))); //=> float 101
    SHOW(plain.SampleGrad(nearest, texel12, 0, 0));     //=> float 21
    SHOW(plain.SampleGrad(nearest, texel12, float2(0.5, 0), float2(0, 0.5))); //=> float 110
    SHOW(plain.SampleGrad(nearest, texel12, float2(2, 0), float2(0, 0.5))); //=> float 200
    SHOW(plain.SampleGrad(nearest, texel12, 0, 0, int2(2, 1))); //=> float 33
    SHOW(plain.SampleLevel(wrap, texel12 + float2(1, 0), 0)); //=> float 21
    SHOW(plain.SampleLevel(wrap, texel12 - float2(2, 0), 0)); //=> float 21
    SHOW(plain.SampleLevel(nearest, texel12 + float2(3, 0), 0)); //=> float 23
    SHOW(plain.SampleLevel(border, texel12 + float2(1, 0), 0)); //=> float 0

    SHOW(layers.SampleLevel(nearest, float3(0.75, 0.25, 2), 0));                //=> float 201
    SHOW(layers.SampleLevel(nearest, float3(0.75, 0.25, 0.6), 0));              //=> float 101
    SHOW(layers.SampleLevel(nearest, float3(0.75, 0.25, 9), 0));                //=> float 201
    SHOW(layers.SampleLevel(nearest, float3(0.75, 0.25, -9), 0));               //=> float 1
    SHOW(layers.SampleLevel(nearest, float3(0.25, 0.25, 1), 0, int2(1, 1)));    //=> float 111
    SHOW(layers.SampleGrad(nearest, float3(0.25, 0.75, 1), 0, 0));              //=> float 110

    SHOW(volume.SampleLevel(nearest, float3(0.75, 0.25, 0.75), 0));                 //=> float 101
    SHOW(volume.SampleLevel(smooth, float3(0.5, 0.5, 0.5), 0));                     //=> float 55.5 ~ 0.5
    SHOW(volume.SampleLevel(nearest, float3(0.25, 0.25, 0.25), 0, int3(1, 0, 1)));  //=> float 101
    SHOW(volume.SampleGrad(nearest, float3(0.25, 0.75, 0.25), 0, 0));               //=> float 10

    SHOW(cube.SampleLevel(nearest, float3(1, 0, 0), 0));    //=> float 1
    SHOW(cube.SampleLevel(nearest, float3(-1, 0, 0), 0));   //=> float 2
    SHOW(cube.SampleLevel(nearest, float3(0, 2, 1), 0));    //=> float 3
    SHOW(cube.SampleLevel(nearest, float3(0, -2, 1), 0));   //=> float 4
    SHOW(cube.SampleLevel(nearest, float3(0, 0, 1), 0));    //=> float 5
    SHOW(cube.SampleGrad(nearest, float3(0, 0, -1), 0, 0)); //=> float 6
    SHOW(cubes.SampleLevel(nearest, float4(0, -1, 0, 1), 0)); //=> float 14
    SHOW(cubes.SampleLevel(nearest, float4(0, -1, 0, 0), 0)); //=> float 4

    SHOW(line1.SampleLevel(nearest, 0.6, 0));                   //=> float 3
    SHOW(line1.SampleLevel(smooth, 0.5, 0));                    //=> float 2.5 ~ 0.01
    SHOW(line1.SampleLevel(nearest, 0.1, 0, 2));                //=> float 3
    SHOW(line1.SampleGrad(nearest, 0.9, 0, 0));                 //=> float 4
    SHOW(lines.SampleLevel(nearest, float2(0.75, 1), 0));       //=> float 12
    SHOW(lines.SampleLevel(nearest, float2(0.25, 1), 0, 1));    //=> float 12

    SHOW(color.SampleLevel(nearest, float2(0.75, 0.75), 0));    //=> float4 31 32 33 34
    SHOW(color.SampleLevel(nearest, float2(0.25, 0.75), 0).wy); //=> float2 24 22

    // The four texels of a gather, counterclockwise from the lower left.
    SHOW(plain.Gather(nearest, corner));                    //=> float4 10 11 1 0
    SHOW(plain.Gather(nearest, corner, int2(1, 2)));        //=> float4 31 32 22 21
    SHOW(plain.GatherRed(nearest, corner));                 //=> float4 10 11 1 0
    SHOW(color.Gather(nearest, float2(0.5, 0.5)));          //=> float4 21 31 11 1
    SHOW(color.GatherRed(nearest, float2(0.5, 0.5)));       //=> float4 21 31 11 1
    SHOW(color.GatherGreen(nearest, float2(0.5, 0.5)));     //=> float4 22 32 12 2
    SHOW(color.GatherBlue(nearest, float2(0.5, 0.5)));      //=> float4 23 33 13 3
    SHOW(color.GatherAlpha(nearest, float2(0.5, 0.5)));     //=> float4 24 34 14 4
    SHOW(color.GatherGreen(nearest, float2(0, 0), int2(1, 1))); //=> float4 22 32 12 2
    SHOW(color.GatherGreen(nearest, float2(0.5, 0.5), int2(0, 0), int2(1, 0), int2(0, 1), int2(1, 1))); //=> float4 22 32 32 32
    int2 moved = int2(level, level + 1);
    SHOW(plain.Gather(nearest, corner, moved));             //=> float4 31 32 22 21
    SHOW(whole.Gather(nearest, float2(0.5, 0.5)));          //=> uint4 11 12 2 1
    SHOW(layers.Gather(nearest, float3(0.5, 0.5, 1)));      //=> float4 110 111 101 100
    SHOW(layers.GatherRed(nearest, float3(0.5, 0.5, 2)));   //=> float4 210 211 201 200
}

//= [test]
//= dispatch 1 1 1
