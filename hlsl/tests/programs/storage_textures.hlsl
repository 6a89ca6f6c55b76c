// Stores to textures of all shapes.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-float
//= size (2d, 2, 2)
//= 1.0 2.0 3.0 4.0
//= [uav 1]
//= format r32-uint
//= size (2darray, 2, 1, 2)
//= 1 2 3 4
//= [uav 2]
//= format r32-sint
//= size (3d, 2, 1, 2)
//= 1 2 3 4
//= [uav 3]
//= format r32-float
//= size (1d, 4)
//= 1.0 2.0 3.0 4.0
//= [uav 4]
//= format r32g32b32a32-float
//= size (2d, 2, 1)
//= 0.0 0.0 0.0 0.0  0.0 0.0 0.0 0.0
//= [uav 5]
//= format r32g32-uint
//= size (2d, 1, 1)
//= 0 0
//= [compute shader]
#include "show.hlsli"

RWTexture2D<float> plain : register(u0);
RWTexture2DArray<uint> layers : register(u1);
RWTexture3D<int> volume : register(u2);
RWTexture1D<float> line1 : register(u3);
RWTexture2D<float4> color : register(u4);
RWTexture2D<uint2> pair : register(u5);

void store(RWTexture2D<float> target, uint2 at, float value) { target[at] = value; }

[numthreads(1, 1, 1)]
void main(uint zero : SV_GroupIndex) {
    uint one = zero + 1;
    SHOW(plain[uint2(one, 0)]);         //=> float 2
    SHOW(plain.Load(uint2(0, one)));    //=> float 3
    plain[uint2(0, 0)] = 7;
    plain[uint2(one, one)] += 0.5;
    SHOW(plain[uint2(0, 0)]);           //=> float 7
    SHOW(plain[uint2(1, 1)]);           //=> float 4.5
    store(plain, uint2(0, one), 8);
    SHOW(plain[uint2(0, 1)]);           //=> float 8
    SHOW(layers[uint3(one, 0, one)]);   //=> uint 4
    layers[uint3(0, 0, 1)] = 30;
    layers[uint3(0, 0, 0)]++;
    SHOW(layers[uint3(0, 0, 1)]);       //=> uint 30
    SHOW(layers[uint3(0, 0, 0)]);       //=> uint 2
    SHOW(volume[uint3(0, 0, one)]);     //=> int 3
    volume[uint3(one, 0, one)] = -4;
    SHOW(volume[uint3(1, 0, 1)]);       //=> int -4
    SHOW(line1[one]);                   //=> float 2
    line1[3] = line1[0] + 9;
    SHOW(line1[3]);                     //=> float 10
    color[uint2(one, 0)] = float4(1, 2, 3, 4).yxwz;
    color[uint2(0, 0)] = 5;
    pair[uint2(0, 0)] = uint2(6, 7);

    uint w, h, d;
    plain.GetDimensions(w, h);
    SHOW(uint2(w, h));      //=> uint2 2 2
    layers.GetDimensions(w, h, d);
    SHOW(uint3(w, h, d));   //=> uint3 2 1 2
    volume.GetDimensions(w, h, d);
    SHOW(uint3(w, h, d));   //=> uint3 2 1 2
    line1.GetDimensions(w);
    SHOW(w);                //=> uint 4
    float fw, fh;
    color.GetDimensions(fw, fh);
    SHOW(float2(fw, fh));   //=> float2 2 1
}

//= [test]
//= dispatch 1 1 1
//= probe uav 4 (0, 0) f32 (5, 5, 5, 5)
//= probe uav 4 (1, 0) f32 (2, 1, 4, 3)
//= probe uav 5 (0, 0) u32 (6, 7)
//= probe uav 1 (0, 0, 1) u32 (30)
