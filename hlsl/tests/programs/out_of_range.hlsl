// Out-of-range accesses to buffers, textures and arrays. Reads of resources return 0, and writes are discarded.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= stride 8
//= size (buffer, 2)
//= 1 2 3 4
//= [srv 1]
//= format r32-float
//= size (buffer, 2)
//= 1.0 2.0
//= [srv 2]
//= format r32-float
//= size (2d, 2, 2)
//= levels 2
//= 1.0 2.0 3.0 4.0
//= 5.0
//= [srv 3]
//= format r32-uint
//= size (2darray, 1, 1, 2)
//= 6 7
//= [srv 4]
//= format r32g32b32a32-float
//= size (buffer, 1)
//= 1.0 2.0 3.0 4.0
//= [uav 0]
//= stride 8
//= size (buffer, 2)
//= 0 0 0 0
//= [uav 1]
//= format r32-uint
//= size (buffer, 2)
//= 0 0
//= [uav 2]
//= format r32-uint
//= size (2d, 2, 2)
//= 0 0 0 0
//= [compute shader]
#include "show.hlsli"

StructuredBuffer<uint2> structured : register(t0);
Buffer<float> typed : register(t1);
Texture2D<float> plain : register(t2);
Texture2DArray<uint> layers : register(t3);
Buffer<float4> typed4 : register(t4);
Texture2D<float4> unbound : register(t5);
Buffer<uint> unboundBuffer : register(t6);
StructuredBuffer<uint> unboundStructured : register(t7);
RWStructuredBuffer<uint2> written : register(u0);
RWBuffer<uint> typedWritten : register(u1);
RWTexture2D<uint> image : register(u2);
cbuffer Unbound : register(b3) { float4 nothing; };

[numthreads(1, 1, 1)]
void main(uint zero : SV_GroupIndex) {
    int far = zero + 5;
    SHOW(structured[far]);                  //=> uint2 0 0
    SHOW(structured[-far].y);               //=> uint 0
    SHOW(structured[zero + 0x20000000]);    //=> uint2 0 0
    SHOW(typed[far]);                       //=> float 0
    SHOW(typed[-far]);                      //=> float 0
    SHOW(typed.Load(zero + 2));             //=> float 0
    SHOW(typed4[far]);                      //=> float4 0 0 0 0
    SHOW(plain[uint2(far, 0)]);             //=> float 0
    SHOW(plain[uint2(0, zero + 2)]);        //=> float 0
    SHOW(plain.Load(int3(-far, 0, 0)));     //=> float 0
    SHOW(plain.Load(int3(0, 0, far)));      //=> float 0
    SHOW(plain.Load(int3(1, 0, 1)));        //=> float 0
    SHOW(plain.Load(int3(0, 0, 1)));        //=> float 5
    SHOW(plain.mips[far][uint2(0, 0)]);     //=> float 0
    SHOW(layers[uint3(0, 0, far)]);         //=> uint 0
    SHOW(layers[uint3(far, 0, 0)]);         //=> uint 0

    written[far] = uint2(8, 9);
    written[zero + 0x20000000] = uint2(8, 9);
    typedWritten[far] = 8;
    image[uint2(far, 0)] = 8;
    image[uint2(0, far)] = 8;
    SHOW(written[0]);               //=> uint2 0 0
    SHOW(written[1]);               //=> uint2 0 0
    SHOW(written[far]);             //=> uint2 0 0
    SHOW(typedWritten[0]);          //=> uint 0
    SHOW(typedWritten[1]);          //=> uint 0
    SHOW(typedWritten[far]);        //=> uint 0
    SHOW(image[uint2(1, 0)]);       //=> uint 0
    SHOW(image[uint2(0, 1)]);       //=> uint 0
    SHOW(image[uint2(far, far)]);   //=> uint 0

    SHOW(unbound[uint2(0, 0)]);     //=> float4 0 0 0 0
    SHOW(unboundBuffer[zero]);      //=> uint 0
    SHOW(unboundStructured[zero]);  //=> uint 0
    SHOW(nothing);                  //=> float4 0 0 0 0

    // An access to an array with an out-of-range index is undefined but harmless.
    float list[2] = { 1, 2 };
    float guard = 3;
    list[far] = 9;
    SHOW(guard);    //=> float 3
}

//= [test]
//= dispatch 1 1 1
