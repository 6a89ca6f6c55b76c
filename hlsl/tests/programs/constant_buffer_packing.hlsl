// Packing of variables in constant buffers. Each word of the buffer contains its own index.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

struct Small {
    uint a;
};

struct Mixed {
    uint a;
    uint3 b;
    float2 c;
    uint d[2];
};

struct WithMatrix {
    column_major uint3x2 m;
    uint a;
    row_major uint3x2 n;
};

struct Outer {
    uint a;
    Small b;
    uint c;
};

cbuffer Words : register(b0) {
    uint s0;
    uint3 v0;               // Fits after s0.
    uint2 v1;
    uint3 v2;               // Begins a new row, because it would cross the end of the row.
    uint s1;
    float2 v3;
    uint2 v4;               // Fits.
    uint s2;
    uint list0[3];          // Each element begins a row, and the last one is not padded.
    uint s3;
    uint2 v5;
    uint2 list1[2];
    uint2 v6;               // Fits after the last element.
    bool b0;
    int n0;
    uint4 v7;               // Begins a row.
    Small small;            // Begins a row.
    uint s4;                // Fits after the structure.
    Mixed mixed;
    uint s5;
    Outer outer;
    uint s6;
    Small smalls[2];
    uint s7;
    uint grid[2][2];
    uint s8;
    row_major uint2x3 rows[2];      // Two rows of 16 bytes each.
    uint s9;
    column_major uint3x2 columns[2];
    uint s10;
    WithMatrix withMatrix;
    uint2 v8;
    column_major uint4x3 large;
};

uint index() { return s0 + 1; }

[numthreads(1, 1, 1)]
void main() {
    SHOW(s0);                       //=> uint 0
    SHOW(v0);                       //=> uint3 1 2 3
    SHOW(v1);                       //=> uint2 4 5
    SHOW(v2);                       //=> uint3 8 9 10
    SHOW(s1);                       //=> uint 11
    SHOW(asuint(v3));               //=> uint2 12 13
    SHOW(v4);                       //=> uint2 14 15
    SHOW(s2);                       //=> uint 16
    SHOW(list0[0]);                 //=> uint 20
    SHOW(list0[1]);                 //=> uint 24
    SHOW(list0[index() + 1]);       //=> uint 28
    SHOW(s3);                       //=> uint 29
    SHOW(v5);                       //=> uint2 30 31
    SHOW(list1[0]);                 //=> uint2 32 33
    SHOW(list1[index()]);           //=> uint2 36 37
    SHOW(list1[index()].y);         //=> uint 37
    SHOW(v6);                       //=> uint2 38 39
    SHOW(b0);                       //=> bool true
    SHOW(n0);                       //=> int 41
    SHOW(v7);                       //=> uint4 44 45 46 47
    SHOW(v7[index()]);              //=> uint 45
    SHOW(small.a);                  //=> uint 48
    SHOW(s4);                       //=> uint 49
    SHOW(mixed.a);                  //=> uint 52
    SHOW(mixed.b);                  //=> uint3 53 54 55
    SHOW(asuint(mixed.c));          //=> uint2 56 57
    SHOW(mixed.d[0]);               //=> uint 60
    SHOW(mixed.d[index()]);         //=> uint 64
    SHOW(s5);                       //=> uint 65
    SHOW(outer.a);                  //=> uint 68
    SHOW(outer.b.a);                //=> uint 72
    SHOW(outer.c);                  //=> uint 73
    SHOW(s6);                       //=> uint 74
    SHOW(smalls[0].a);              //=> uint 76
    SHOW(smalls[index()].a);        //=> uint 80
    SHOW(s7);                       //=> uint 81
    SHOW(grid[0][1]);               //=> uint 88
    SHOW(grid[index()][0]);         //=> uint 92
    SHOW(grid[index()][index()]);   //=> uint 96
    SHOW(s8);                       //=> uint 97
    SHOW(rows[0][1]);               //=> uint3 104 105 106
    SHOW(rows[index()][0]);         //=> uint3 108 109 110
    SHOW(rows[1][index()].z);       //=> uint 114
    SHOW(s9);                       //=> uint 115
    SHOW(columns[0][2]);            //=> uint2 118 122
    SHOW(columns[index()][1]);      //=> uint2 125 129
    SHOW(columns[1]._m20);          //=> uint 126
    SHOW(s10);                      //=> uint 131
    SHOW(withMatrix.m[1]);          //=> uint2 133 137
    SHOW(withMatrix.a);             //=> uint 139
    SHOW(withMatrix.n[index()]);    //=> uint2 144 145
    SHOW(v8);                       //=> uint2 150 151
    SHOW(large[3]);                 //=> uint3 155 159 163
    SHOW(large[index()].y);         //=> uint 157

    Mixed copy = mixed;
    SHOW(copy.b);       //=> uint3 53 54 55
    SHOW(copy.d[1]);    //=> uint 64
    uint list[3] = list0;
    SHOW(list[2]);      //=> uint 28
}

//= [test]
//= uniform 0 count 164
//= dispatch 1 1 1
