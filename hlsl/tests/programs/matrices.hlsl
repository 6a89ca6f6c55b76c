// Matrices of all shapes: constructors, indices, operators, products and functions.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT float2x3 a = float2x3(1, 2, 3, 4, 5, 6);
INPUT float3x2 b = float3x2(1, 0, 0, 1, 2, 2);
INPUT float2x2 q = float2x2(1, 2, 3, 4);
INPUT float3x3 r = float3x3(2, 0, 1, 0, 3, 0, 1, 0, 1);
INPUT float4x4 h = float4x4(1, 0, 0, 5, 0, 2, 0, 6, 0, 0, 4, 7, 0, 0, 0, 1);
INPUT int2x2 k = int2x2(7, -7, 3, 0);
INPUT float4 v = float4(1, 2, 3, 4);
INPUT uint one = 1;
INPUT float1x3 line1 = float1x3(1, 2, 3);
INPUT float3x1 column1 = float3x1(1, 2, 3);

float trace(float3x3 m) { return m._11 + m._22 + m._33; }

[numthreads(1, 1, 1)]
void main() {
    // Constructors take components row by row.
    SHOW(float2x3(v, 5, 6)[1]);         //=> float3 4 5 6
    SHOW(float2x2(v.xy, v.zw)[1]);      //=> float2 3 4
    SHOW(float3x2(a)[2]);               //=> float2 5 6
    SHOW(float4x4(q, q, q, q)[1]);      //=> float4 1 2 3 4
    SHOW(int2x2(1.5, -1.5, 2, 3)[0]);   //=> int2 1 -1
    SHOW(((float3x3)h)[2]);             //=> float3 0 0 4
    SHOW(((float2x2)1)[1]);             //=> float2 1 1

    SHOW(a[0][2]);          //=> float 3
    SHOW(a[one][one]);      //=> float 5
    SHOW(b[2]);             //=> float2 2 2
    SHOW(line1[0]);         //=> float3 1 2 3
    SHOW(line1[0][one]);    //=> float 2
    SHOW(column1[2]);       //=> float 3
    SHOW(column1[one]);     //=> float 2

    // Operators work on each component.
    SHOW((a + a)[1]);           //=> float3 8 10 12
    SHOW((a - 1)[0]);           //=> float3 0 1 2
    SHOW((2 * a)[1]);           //=> float3 8 10 12
    SHOW((q * q)[1]);           //=> float2 9 16
    SHOW((q / q)[0]);           //=> float2 1 1
    SHOW((q % 2)[0]);           //=> float2 1 0
    SHOW((-q)[1]);              //=> float2 -3 -4
    SHOW((q < 3)[0]);           //=> bool2 true true
    SHOW((q < 3)[1]);           //=> bool2 false false
    SHOW((q == q)[1]);          //=> bool2 true true
    SHOW((!k)[1]);              //=> bool2 false true
    SHOW((k / 2)[0]);           //=> int2 3 -3
    SHOW((k % 2)[0]);           //=> int2 1 -1
    SHOW((k << 1)[0]);          //=> int2 14 -14
    SHOW((k & 3)[0]);           //=> int2 3 1
    SHOW((~k)[1]);              //=> int2 -4 -1
    SHOW((k + q)[0]);           //=> float2 8 -5
    SHOW((k > 0 ? q : -q)[0]);  //=> float2 1 -2
    SHOW((a + r)[1]);           //=> float3 4 8 6

    // Products. A vector on the left is a row, and a vector on the right is a column.
    SHOW(mul(a, b)[0]);             //=> float2 7 8
    SHOW(mul(a, b)[1]);             //=> float2 16 17
    SHOW(mul(b, a)[2]);             //=> float3 10 14 18
    SHOW(mul(a, v.xyz));            //=> float2 14 32
    SHOW(mul(v.xy, a));             //=> float3 9 12 15
    SHOW(mul(h, v));                //=> float4 21 28 40 4
    SHOW(mul(v, h));                //=> float4 1 4 12 42
    SHOW(mul(v, v));                //=> float 30
    SHOW(mul(v.xy, 3));             //=> float2 3 6
    SHOW(mul(3, v.xy));             //=> float2 3 6
    SHOW(mul(2, 3.5));              //=> float 7
    SHOW(mul(q, 2)[1]);             //=> float2 6 8
    SHOW(mul(2, q)[0]);             //=> float2 2 4
    SHOW(mul(k, k)[0]);             //=> int2 28 -49
    SHOW(mul(k, int2(1, 2)));       //=> int2 -7 3
    SHOW(mul(int2(1, 2), k));       //=> int2 13 -7
    SHOW(mul(line1, column1)[0]);   //=> float 14
    SHOW(mul(column1, line1)[2]);   //=> float3 3 6 9
    SHOW(mul(transpose(a), v.xy));  //=> float3 9 12 15
    SHOW(mul(mul(v.xyz, r), r));    //=> float3 14 18 9

    SHOW(transpose(a)[2]);          //=> float2 3 6
    SHOW(transpose(q)[0]);          //=> float2 1 3
    SHOW(transpose(h)[3]);          //=> float4 5 6 7 1
    SHOW(transpose(column1)[0]);    //=> float3 1 2 3
    SHOW(transpose(k)[0]);          //=> int2 7 3
    SHOW(determinant(q));           //=> float -2
    SHOW(determinant(r));           //=> float 3
    SHOW(determinant(h));           //=> float 8
    SHOW(abs(-q)[1]);               //=> float2 3 4
    SHOW(max(q, 2)[0]);             //=> float2 2 2
    SHOW(clamp(q, 2, 3)[1]);        //=> float2 3 3
    SHOW(lerp(q, q * 2, 0.5)[1]);   //=> float2 4.5 6
    SHOW(saturate(q - 1)[0]);       //=> float2 0 1
    SHOW(floor(q / 2)[1]);          //=> float2 1 2
    SHOW(any(q - q));               //=> bool false
    SHOW(all(q));                   //=> bool true
    SHOW(sign(k)[1]);               //=> int2 1 0
    SHOW(asuint(q)[0].x);           //=> uint 0x3f800000

    // Matrices as variables.
    float3x3 m = r;
    m[1] = v.xyz;
    SHOW(m[1]);         //=> float3 1 2 3
    SHOW(trace(m));     //=> float 5
    m += 1;
    SHOW(m[0]);         //=> float3 3 1 2
    m *= 2;
    SHOW(m[2]);         //=> float3 4 2 4
    m = mul(m, m);
    SHOW(m[0]);         //=> float3 60 32 56
    m[one][1] = 100;
    SHOW(m[1][1]);      //=> float 100
    float2x2 list[2] = { q, q * 10 };
    SHOW(list[one][0]); //=> float2 10 20
    list[one][one] = v.zw;
    SHOW(list[1][1]);   //=> float2 3 4
    SHOW(list[0][1]);   //=> float2 3 4
    list[one]._m01_m10 = v.xy;
    SHOW(list[1][0]);   //=> float2 10 1
    SHOW(list[1][1]);   //=> float2 2 4
    int2x2 whole = q * 1.5;
    SHOW(whole[1]);     //=> int2 4 6
    whole++;
    SHOW(whole[0]);     //=> int2 2 4
    float1x3 row = v.xyz;
    SHOW(row[0]);       //=> float3 1 2 3
    float3 vectorOfRow = row;
    SHOW(vectorOfRow);  //=> float3 1 2 3
    matrix <float, 2, 2> other = { 1, 2, 3, 4 };
    SHOW(other[1]);     //=> float2 3 4
    vector <int, 3> third = 7;
    SHOW(third);        //=> int3 7 7 7
}

//= [test]
//= dispatch 1 1 1
