// Loads and stores of raw buffers with byte addresses. Out-of-range reads return 0, and out-of-range writes are
// discarded.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= size (raw_buffer, 32)
//= 0 1 2 3 4 5 6 0xc0000000
//= [uav 0]
//= size (raw_buffer, 64)
//= 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//= [compute shader]
#include "show.hlsli"

ByteAddressBuffer source : register(t0);
RWByteAddressBuffer target : register(u0);

[numthreads(1, 1, 1)]
void main(uint zero : SV_GroupIndex) {
    SHOW(source.Load(4));           //=> uint 1
    SHOW(source.Load2(zero + 8));   //=> uint2 2 3
    SHOW(source.Load3(12));         //=> uint3 3 4 5
    SHOW(source.Load4(0));          //=> uint4 0 1 2 3
    SHOW(asfloat(source.Load(28))); //=> float -2
    SHOW(source.Load4(zero + 4).w); //=> uint 4
    SHOW(source.Load(zero + 32));   //=> uint 0
    SHOW(source.Load(zero + 4000)); //=> uint 0
    uint size;
    source.GetDimensions(size);
    SHOW(size);                     //=> uint 32
    target.GetDimensions(size);
    SHOW(size);                     //=> uint 64

    target.Store(0, 10);
    target.Store2(zero + 4, uint2(11, 12));
    target.Store3(12, uint3(13, 14, 15));
    target.Store4(24, uint4(16, 17, 18, 19));
    target.Store(40, asuint(1.5));
    target.Store(44, -1);
    target.Store(zero + 64, 99);
    target.Store(zero + 0xfffffffc, 99);
    SHOW(target.Load4(0));  //=> uint4 10 11 12 13
    SHOW(target.Load4(16)); //=> uint4 14 15 16 17
    SHOW(target.Load4(32)); //=> uint4 18 19 0x3fc00000 0xffffffff
    SHOW(target.Load4(48)); //=> uint4 0 0 0 0
    target.Store(48, target.Load(0) + target.Load(4));
    SHOW(target.Load(48));  //=> uint 21
}

//= [test]
//= dispatch 1 1 1
