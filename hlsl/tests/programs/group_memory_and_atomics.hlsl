// Atomic functions that return a result, on group memory, buffers and textures.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= stride 8
//= size (buffer, 4)
//= 0 0 0 0 0 0 0 0
//= [uav 1]
//= size (raw_buffer, 64)
//= 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//= [uav 2]
//= format r32-uint
//= size (2d, 2, 2)
//= 0 0 0 0
//= [uav 3]
//= format r32-sint
//= size (buffer, 2)
//= 0 0
//= [compute shader]
#include "show.hlsli"

struct Pair {
    int a;
    uint b;
};

RWStructuredBuffer<Pair> pairs : register(u0);
RWByteAddressBuffer bytes : register(u1);
RWTexture2D<uint> image : register(u2);
RWBuffer<int> typed : register(u3);

groupshared uint word;
groupshared int signedWord;
groupshared uint list[8];
groupshared Pair shared1;
groupshared float2 vectors[2];
groupshared uint4 quad;

[numthreads(8, 1, 1)]
void main(uint index : SV_GroupIndex) {
    uint before;
    int was;

    // All eight threads add values.
    if (index == 0) {
        word = 0;
        quad = 0;
    }
    GroupMemoryBarrierWithGroupSync();
    InterlockedAdd(word, index);
    InterlockedOr(quad.y, 1u << index);
    InterlockedAdd(pairs[1].b, 2);
    bytes.InterlockedAdd(60, 3);
    InterlockedAdd(image[uint2(1, 1)], 4);
    InterlockedMin(typed[1], -int(index));
    list[index] = index * index;
    AllMemoryBarrierWithGroupSync();
    if (index != 0)
        return;
    SHOW(word);                 //=> uint 28
    SHOW(quad);                 //=> uint4 0 255 0 0
    SHOW(list[7]);              //=> uint 49
    SHOW(pairs[1].b);           //=> uint 16
    SHOW(bytes.Load(60));       //=> uint 24
    SHOW(image[uint2(1, 1)]);   //=> uint 32
    SHOW(typed[1]);             //=> int -7

    // A single thread calls all functions.
    word = 12;
    InterlockedAdd(word, 5, before);
    SHOW(uint2(before, word));  //=> uint2 12 17
    InterlockedAnd(word, 24, before);
    SHOW(uint2(before, word));  //=> uint2 17 16
    InterlockedOr(word, 3, before);
    SHOW(uint2(before, word));  //=> uint2 16 19
    InterlockedXor(word, 1, before);
    SHOW(uint2(before, word));  //=> uint2 19 18
    InterlockedMin(word, 0xffffffff, before);
    SHOW(uint2(before, word));  //=> uint2 18 18
    InterlockedMax(word, 0xffffffff, before);
    SHOW(uint2(before, word));  //=> uint2 18 0xffffffff
    InterlockedExchange(word, 7, before);
    SHOW(uint2(before, word));  //=> uint2 0xffffffff 7
    InterlockedCompareExchange(word, 8, 100, before);
    SHOW(uint2(before, word));  //=> uint2 7 7
    InterlockedCompareExchange(word, 7, 100, before);
    SHOW(uint2(before, word));  //=> uint2 7 100
    InterlockedCompareStore(word, 100, 200);
    SHOW(word);                 //=> uint 200

    signedWord = -3;
    InterlockedMin(signedWord, 2, was);
    SHOW(int2(was, signedWord));    //=> int2 -3 -3
    InterlockedMax(signedWord, 2, was);
    SHOW(int2(was, signedWord));    //=> int2 -3 2
    InterlockedAdd(signedWord, -10, was);
    SHOW(int2(was, signedWord));    //=> int2 2 -8

    shared1.a = 4;
    shared1.b = 5;
    InterlockedAdd(shared1.a, 1, was);
    SHOW(int3(was, shared1.a, shared1.b));  //=> int3 4 5 5
    Pair copy = shared1;
    copy.a = 50;
    shared1 = copy;
    SHOW(shared1.a);                        //=> int 50
    InterlockedAdd(list[index + 3], 1, before);
    SHOW(uint2(before, list[3]));           //=> uint2 9 10
    quad.xz = uint2(6, 8);
    InterlockedXor(quad.z, 15, before);
    SHOW(quad);                             //=> uint4 6 255 7 0
    vectors[index + 1].y = 2.5;
    vectors[1].x = 1;
    SHOW(vectors[1]);                       //=> float2 1 2.5

    pairs[0].a = -1;
    InterlockedMax(pairs[index].a, 3, was);
    SHOW(int2(was, pairs[0].a));        //=> int2 -1 3
    InterlockedCompareExchange(pairs[0].b, 0, 9, before);
    SHOW(uint2(before, pairs[0].b));    //=> uint2 0 9
    InterlockedExchange(pairs[0].b, 8, before);
    SHOW(uint2(before, pairs[0].b));    //=> uint2 9 8

    bytes.Store(0, 12);
    bytes.InterlockedAdd(0, 5, before);
    SHOW(uint2(before, bytes.Load(0))); //=> uint2 12 17
    bytes.InterlockedAnd(index, 24, before);
    SHOW(uint2(before, bytes.Load(0))); //=> uint2 17 16
    bytes.InterlockedOr(0, 3, before);
    SHOW(uint2(before, bytes.Load(0))); //=> uint2 16 19
    bytes.InterlockedXor(0, 1, before);
    SHOW(uint2(before, bytes.Load(0))); //=> uint2 19 18
    bytes.InterlockedMin(0, -1, was);
    SHOW(int2(was, bytes.Load(0)));     //=> int2 18 -1
    bytes.InterlockedMax(0, 4, was);
    SHOW(int2(was, bytes.Load(0)));     //=> int2 -1 4
    bytes.InterlockedExchange(0, 7, before);
    SHOW(uint2(before, bytes.Load(0))); //=> uint2 4 7
    bytes.InterlockedCompareExchange(0, 7, 9, before);
    SHOW(uint2(before, bytes.Load(0))); //=> uint2 7 9
    bytes.InterlockedCompareStore(0, 9, 11);
    SHOW(bytes.Load(0));                //=> uint 11
    bytes.InterlockedAdd(index + 4, 6);
    SHOW(bytes.Load(4));                //=> uint 6
    bytes.Store4(16, uint4(1, 2, 3, 4));
    SHOW(bytes.Load4(16));              //=> uint4 1 2 3 4

    image[uint2(0, 1)] = 6;
    InterlockedXor(image[uint2(0, 1)], 3);
    SHOW(image[uint2(0, 1)]);   //=> uint 5
    typed[0] = 6;
    InterlockedAnd(typed[index], 3);
    SHOW(typed[0]);             //=> int 2

    // The result can be stored in any variable, with a conversion.
    float put;
    InterlockedAdd(signedWord, 1, put);
    SHOW(put);          //=> float -8
    uint results[2] = { 0, 0 };
    InterlockedAdd(word, 1, results[index + 1]);
    SHOW(results[1]);   //=> uint 200
}

//= [test]
//= dispatch 1 1 1
