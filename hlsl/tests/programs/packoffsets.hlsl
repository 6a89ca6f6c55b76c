// Variables with explicit offsets in a constant buffer. Each word of the buffer contains its own index.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

cbuffer Words : register(b0) {
    uint4 whole : packoffset(c0);
    uint x : packoffset(c1);
    uint y : packoffset(c1.y);
    uint2 zw : packoffset(c1.z);
    uint3 yzw : packoffset(c3.y);
    float late : packoffset(c9.w);
    uint list[2] : packoffset(c5);
    row_major uint2x3 m : packoffset(c7);
    column_major float2x2 n : packoffset(c10);
};

uint index() { return x - 3; }

[numthreads(1, 1, 1)]
void main() {
    SHOW(whole);                //=> uint4 0 1 2 3
    SHOW(x);                    //=> uint 4
    SHOW(y);                    //=> uint 5
    SHOW(zw);                   //=> uint2 6 7
    SHOW(yzw);                  //=> uint3 13 14 15
    SHOW(asuint(late));         //=> uint 39
    SHOW(list[0]);              //=> uint 20
    SHOW(list[index()]);        //=> uint 24
    SHOW(m[0]);                 //=> uint3 28 29 30
    SHOW(m[index()]);           //=> uint3 32 33 34
    SHOW(asuint(n[0]));         //=> uint2 40 44
    SHOW(asuint(n[index()]));   //=> uint2 41 45
}

//= [test]
//= uniform 0 count 128
//= dispatch 1 1 1
