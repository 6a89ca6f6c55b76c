// Variables in several constant buffers: globals, an explicit register, entry point parameters, and a tbuffer.
//= [require]
//= shader model >= 5.0
//= [srv 2]
//= format r32g32b32a32-float
//= size (buffer, 3)
//= 1.0 2.0 3.0 4.0  5.0 6.0 7.0 8.0  9.0 10.0 11.0 12.0
//= [compute shader]
#include "show.hlsli"

uniform float loose = 1.5;
float2 also;
uniform int3 list[2] = { 1, 2, 3, 4, 5, 6 };
bool flag = true;
row_major float2x3 rows = { 1, 2, 3, 4, 5, 6 };
float2x3 columns = { 1, 2, 3, 4, 5, 6 };

struct Pair {
    float a;
    float2 b[2];
};

Pair pair = { 1, 2, 3, 4, 5 };

tbuffer Table : register(t2) {
    float a;
    float3 b;
    float2 c[2];
};

static float copy = loose * 2;

float twice(float x) { return 2 * x; }

[numthreads(1, 1, 1)]
void main(uint zero : SV_GroupIndex) {
    SHOW(loose);                            //=> float 1.5
    SHOW(list[zero + 1]);                   //=> int3 4 5 6
    SHOW(list[0].y);                        //=> int 2
    SHOW(flag);                             //=> bool true
    SHOW(rows[zero + 1]);                   //=> float3 4 5 6
    SHOW(columns[zero + 1]);                //=> float3 4 5 6
    SHOW(mul(columns, float3(1, 1, 1)));    //=> float2 6 15
    SHOW(mul(float2(1, 1), rows));          //=> float3 5 7 9
    SHOW(mul(float2(1, 1), columns));       //=> float3 5 7 9
    SHOW(mul(rows, float3(1, 1, 1)));       //=> float2 6 15
    SHOW(pair.a);                           //=> float 1
    SHOW(pair.b[zero + 1]);                 //=> float2 4 5
    SHOW(copy);                             //=> float 3
    SHOW(twice(loose));                     //=> float 3
    copy += 1;
    SHOW(copy);                             //=> float 4
    SHOW(a);                                //=> float 1
    SHOW(b);                                //=> float3 2 3 4
    SHOW(c[zero + 1]);                      //=> float2 9 10
}

//= [test]
//= dispatch 1 1 1
