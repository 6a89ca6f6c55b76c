// Float matrices of all shapes in a constant buffer, packed row by row. A matrix with one row is packed like a vector,
// and any other matrix begins at a 16-byte boundary. Each word of the buffer contains its own index.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

cbuffer Words : register(b0) {
    row_major float1x1 m11;
    row_major float1x2 m12;
    row_major float1x3 m13;
    row_major float1x4 m14;
    row_major float2x1 m21;
    row_major float2x2 m22;
    row_major float2x3 m23;
    row_major float2x4 m24;
    row_major float3x1 m31;
    row_major float3x2 m32;
    row_major float3x3 m33;
    row_major float3x4 m34;
    row_major float4x1 m41;
    row_major float4x2 m42;
    row_major float4x3 m43;
    row_major float4x4 m44;
};

[numthreads(1, 1, 1)]
void main(uint nothing : SV_GroupIndex) {
    uint one = nothing + 1, three = nothing + 3;
    SHOW(asuint(m11[0]));       //=> uint 0
    SHOW(asuint(m12[0]));       //=> uint2 1 2
    SHOW(asuint(m13[0]));       //=> uint3 4 5 6
    SHOW(asuint(m14[0]));       //=> uint4 8 9 10 11
    SHOW(asuint(m21[0]));       //=> uint 12
    SHOW(asuint(m21[one]));     //=> uint 16
    SHOW(asuint(m22[0]));       //=> uint2 20 21
    SHOW(asuint(m22[one]));     //=> uint2 24 25
    SHOW(asuint(m23[0]));       //=> uint3 28 29 30
    SHOW(asuint(m23[one]));     //=> uint3 32 33 34
    SHOW(asuint(m24[0]));       //=> uint4 36 37 38 39
    SHOW(asuint(m24[one]));     //=> uint4 40 41 42 43
    SHOW(asuint(m31[0]));       //=> uint 44
    SHOW(asuint(m31[one]));     //=> uint 48
    SHOW(asuint(m31[2]));       //=> uint 52
    SHOW(asuint(m32[0]));       //=> uint2 56 57
    SHOW(asuint(m32[one]));     //=> uint2 60 61
    SHOW(asuint(m32[2]));       //=> uint2 64 65
    SHOW(asuint(m33[0]));       //=> uint3 68 69 70
    SHOW(asuint(m33[one]));     //=> uint3 72 73 74
    SHOW(asuint(m33[2]));       //=> uint3 76 77 78
    SHOW(asuint(m34[0]));       //=> uint4 80 81 82 83
    SHOW(asuint(m34[one]));     //=> uint4 84 85 86 87
    SHOW(asuint(m34[2]));       //=> uint4 88 89 90 91
    SHOW(asuint(m41[0]));       //=> uint 92
    SHOW(asuint(m41[one]));     //=> uint 96
    SHOW(asuint(m41[2]));       //=> uint 100
    SHOW(asuint(m41[three]));   //=> uint 104
    SHOW(asuint(m42[0]));       //=> uint2 108 109
    SHOW(asuint(m42[one]));     //=> uint2 112 113
    SHOW(asuint(m42[2]));       //=> uint2 116 117
    SHOW(asuint(m42[three]));   //=> uint2 120 121
    SHOW(asuint(m43[0]));       //=> uint3 124 125 126
    SHOW(asuint(m43[one]));     //=> uint3 128 129 130
    SHOW(asuint(m43[2]));       //=> uint3 132 133 134
    SHOW(asuint(m43[three]));   //=> uint3 136 137 138
    SHOW(asuint(m44[0]));       //=> uint4 140 141 142 143
    SHOW(asuint(m44[one]));     //=> uint4 144 145 146 147
    SHOW(asuint(m44[2]));       //=> uint4 148 149 150 151
    SHOW(asuint(m44[three]));   //=> uint4 152 153 154 155
}

//= [test]
//= uniform 0 count 156
//= dispatch 1 1 1
