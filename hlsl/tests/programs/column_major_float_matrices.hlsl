// Float matrices of all shapes in a constant buffer, packed column by column. A matrix with one column is packed like a
// vector, and any other matrix begins at a 16-byte boundary. Each word of the buffer contains its own index.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

cbuffer Words : register(b0) {
    column_major float1x1 m11;
    column_major float1x2 m12;
    column_major float1x3 m13;
    column_major float1x4 m14;
    column_major float2x1 m21;
    column_major float2x2 m22;
    column_major float2x3 m23;
    column_major float2x4 m24;
    column_major float3x1 m31;
    column_major float3x2 m32;
    column_major float3x3 m33;
    column_major float3x4 m34;
    column_major float4x1 m41;
    column_major float4x2 m42;
    column_major float4x3 m43;
    column_major float4x4 m44;
};

[numthreads(1, 1, 1)]
void main(uint nothing : SV_GroupIndex) {
    uint one = nothing + 1, three = nothing + 3;
    SHOW(asuint(m11[0]));       //=> uint 0
    SHOW(asuint(m12[0]));       //=> uint2 4 8
    SHOW(asuint(m13[0]));       //=> uint3 12 16 20
    SHOW(asuint(m14[0]));       //=> uint4 24 28 32 36
    SHOW(asuint(m21[0]));       //=> uint 37
    SHOW(asuint(m21[one]));     //=> uint 38
    SHOW(asuint(m22[0]));       //=> uint2 40 44
    SHOW(asuint(m22[one]));     //=> uint2 41 45
    SHOW(asuint(m23[0]));       //=> uint3 48 52 56
    SHOW(asuint(m23[one]));     //=> uint3 49 53 57
    SHOW(asuint(m24[0]));       //=> uint4 60 64 68 72
    SHOW(asuint(m24[one]));     //=> uint4 61 65 69 73
    SHOW(asuint(m31[0]));       //=> uint 76
    SHOW(asuint(m31[one]));     //=> uint 77
    SHOW(asuint(m31[2]));       //=> uint 78
    SHOW(asuint(m32[0]));       //=> uint2 80 84
    SHOW(asuint(m32[one]));     //=> uint2 81 85
    SHOW(asuint(m32[2]));       //=> uint2 82 86
    SHOW(asuint(m33[0]));       //=> uint3 88 92 96
    SHOW(asuint(m33[one]));     //=> uint3 89 93 97
    SHOW(asuint(m33[2]));       //=> uint3 90 94 98
    SHOW(asuint(m34[0]));       //=> uint4 100 104 108 112
    SHOW(asuint(m34[one]));     //=> uint4 101 105 109 113
    SHOW(asuint(m34[2]));       //=> uint4 102 106 110 114
    SHOW(asuint(m41[0]));       //=> uint 116
    SHOW(asuint(m41[one]));     //=> uint 117
    SHOW(asuint(m41[2]));       //=> uint 118
    SHOW(asuint(m41[three]));   //=> uint 119
    SHOW(asuint(m42[0]));       //=> uint2 120 124
    SHOW(asuint(m42[one]));     //=> uint2 121 125
    SHOW(asuint(m42[2]));       //=> uint2 122 126
    SHOW(asuint(m42[three]));   //=> uint2 123 127
    SHOW(asuint(m43[0]));       //=> uint3 128 132 136
    SHOW(asuint(m43[one]));     //=> uint3 129 133 137
    SHOW(asuint(m43[2]));       //=> uint3 130 134 138
    SHOW(asuint(m43[three]));   //=> uint3 131 135 139
    SHOW(asuint(m44[0]));       //=> uint4 140 144 148 152
    SHOW(asuint(m44[one]));     //=> uint4 141 145 149 153
    SHOW(asuint(m44[2]));       //=> uint4 142 146 150 154
    SHOW(asuint(m44[three]));   //=> uint4 143 147 151 155
}

//= [test]
//= uniform 0 count 156
//= dispatch 1 1 1
