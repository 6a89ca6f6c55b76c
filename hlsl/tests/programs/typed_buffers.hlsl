// Typed buffers of all element types.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= format r32g32b32a32-float
//= size (buffer, 2)
//= 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0
//= [srv 1]
//= format r32g32-sint
//= size (buffer, 2)
//= 1 -2 3 -4
//= [srv 2]
//= format r32-uint
//= size (buffer, 3)
//= 1 0xffffffff 3
//= [srv 3]
//= format r32-float
//= size (buffer, 3)
//= 0.5 1.5 2.5
//= [uav 0]
//= format r32-float
//= size (buffer, 4)
//= 0.0 1.0 2.0 3.0
//= [uav 1]
//= format r32-uint
//= size (buffer, 4)
//= 0 1 2 3
//= [uav 2]
//= format r32-sint
//= size (buffer, 4)
//= 0 -1 -2 -3
//= [uav 3]
//= format r32g32b32a32-float
//= size (buffer, 2)
//= 0 0 0 0 0 0 0 0
//= [compute shader]
#include "show.hlsli"

Buffer<float4> floats : register(t0);
Buffer<int2> integers : register(t1);
Buffer<uint> naturals : register(t2);
Buffer<float> scalars : register(t3);
RWBuffer<float> a : register(u0);
RWBuffer<uint> b : register(u1);
RWBuffer<int> c : register(u2);
RWBuffer<float4> d : register(u3);

[numthreads(1, 1, 1)]
void main(uint zero : SV_GroupIndex) {
    SHOW(floats[0]);            //=> float4 1 2 3 4
    SHOW(floats[zero + 1].wx);  //=> float2 8 5
    SHOW(floats.Load(1));       //=> float4 5 6 7 8
    SHOW(integers[1]);          //=> int2 3 -4
    SHOW(integers[zero].y);     //=> int -2
    SHOW(naturals[1]);          //=> uint 0xffffffff
    SHOW(scalars[zero + 2]);    //=> float 2.5
    uint size;
    floats.GetDimensions(size);
    SHOW(size);                 //=> uint 2
    naturals.GetDimensions(size);
    SHOW(size);                 //=> uint 3
    a.GetDimensions(size);
    SHOW(size);                 //=> uint 4

    SHOW(a[3]);         //=> float 3
    a[zero + 1] = -1.5;
    SHOW(a[1]);         //=> float -1.5
    a[0] += 4;
    SHOW(a[0]);         //=> float 4
    a[2]++;
    SHOW(a[2]);         //=> float 3
    a[3] = a[zero] * a[zero + 1];
    SHOW(a.Load(3));    //=> float -6
    b[0] = -1;
    SHOW(b[0]);         //=> uint 0xffffffff
    b[zero + 3] <<= 2;
    SHOW(b[3]);         //=> uint 12
    c[1] = 2.75;
    SHOW(c[1]);         //=> int 2
    c[zero + 2] *= -8;
    SHOW(c[2]);         //=> int 16
    d[zero + 1] = float4(1, 2, 3, 4).wzyx;
    d[0] = 7;
}

//= [test]
//= dispatch 1 1 1
//= probe uav 3 (0) f32 (7, 7, 7, 7)
//= probe uav 3 (1) f32 (4, 3, 2, 1)
