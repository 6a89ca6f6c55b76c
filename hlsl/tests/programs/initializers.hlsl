// Initializers of variables of all types, nested and flat.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT float4 v = float4(1, 2, 3, 4);
INPUT int k = 7;
INPUT float3 braces = { 1, 2, 3 };
INPUT float2x2 squareOfList = { 1, 2, 3, 4 };
INPUT int listOfAll[3] = { 4, 5, 6 };
INPUT float2 vectors[2] = { 1, 2, 3, 4 };
static float untouched;
static int4 zeros;
static const int sizes[] = { 2, 3, 5 };
static const int grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
static const float2x2 matrices[2] = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const int product = sizes[1] * sizes[2];
static float late = k * 2;
static const float quotient = 1 / 2;
const static uint constant = 3;

struct Inner {
    float a;
    int2 b;
};

struct Outer {
    Inner first;
    float c[2];
    Inner second;
};

static const Outer outer = { 1, 2, 3, 4, 5, 6, 7, 8 };
static const Inner inners[2] = { { 1, 2, 3 }, { 4, int2(5, 6) } };

[numthreads(1, 1, 1)]
void main() {
    SHOW(braces);                                           //=> float3 1 2 3
    SHOW(squareOfList[1]);                                  //=> float2 3 4
    SHOW(int3(listOfAll[0], listOfAll[1], listOfAll[2]));   //=> int3 4 5 6
    SHOW(vectors[1]);                                       //=> float2 3 4
    SHOW(untouched);                                        //=> float 0
    SHOW(zeros);                                            //=> int4 0 0 0 0
    SHOW(sizes[2]);                                         //=> int 5
    SHOW(grid[1][0]);                                       //=> int 4
    SHOW(grid[k - 7][k - 5]);                               //=> int 3
    SHOW(matrices[1][0]);                                   //=> float2 5 6
    SHOW(product);                                          //=> int 15
    SHOW(late);                                             //=> float 14
    SHOW(quotient);                                         //=> float 0
    SHOW(constant);                                         //=> uint 3
    SHOW(outer.first.b);                                    //=> int2 2 3
    SHOW(outer.c[1]);                                       //=> float 5
    SHOW(outer.second.a);                                   //=> float 6
    SHOW(outer.second.b);                                   //=> int2 7 8
    SHOW(inners[1].b);                                      //=> int2 5 6
    SHOW(inners[k - 6].a);                                  //=> float 4

    float2 two = { v.w, k };
    SHOW(two);                                          //=> float2 4 7
    float4 four = { v.xy, two };
    SHOW(four);                                         //=> float4 1 2 4 7
    float4 nested = { { 1, { 2 } }, { 3, 4 } };
    SHOW(nested);                                       //=> float4 1 2 3 4
    int2 cut = { 1.9, -1.9 };
    SHOW(cut);                                          //=> int2 1 -1
    float scalar = { 5 };
    SHOW(scalar);                                       //=> float 5
    float2x3 m = { v, 5, 6 };
    SHOW(m[1]);                                         //=> float3 4 5 6
    float2x2 rows = { v.xy, v.zw };
    SHOW(rows[1]);                                      //=> float2 3 4
    float flat[4] = { squareOfList };
    SHOW(float4(flat[0], flat[1], flat[2], flat[3]));   //=> float4 1 2 3 4
    float listOfVector[3] = { v.zyx };
    SHOW(listOfVector[0]);                              //=> float 3
    float open[] = { 1, 2, v };
    SHOW(open[5]);                                      //=> float 4
    Inner inner = { v.xyz };
    SHOW(inner.b);                                      //=> int2 2 3
    Outer all = { inner, v.xy, inner };
    SHOW(all.second.a);                                 //=> float 1
    SHOW(all.c[0]);                                     //=> float 1
    Outer copy = all;
    copy.first.a = 9;
    SHOW(float2(copy.first.a, all.first.a));            //=> float2 9 1
    Inner zero = (Inner)0;
    SHOW(zero.b);                                       //=> int2 0 0
    Outer none = (Outer)0;
    SHOW(none.second.b);                                //=> int2 0 0
    int a = 1, b = a + 1, c[2] = { b, b + 1 };
    SHOW(int4(a, b, c[0], c[1]));                       //=> int4 1 2 2 3
    int2 pairs[2][2] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    SHOW(pairs[1][0]);                                  //=> int2 5 6
    int2 taken[2] = pairs[1];
    SHOW(taken[1]);                                     //=> int2 7 8
    bool2 flags = { 0, 0.5 };
    SHOW(flags);                                        //=> bool2 false true
    float sum = 0;
    for (int i = 0, j = 10; i < 3; i++, j--)
        sum += i * j;
    SHOW(sum);                                          //=> float 25
}

//= [test]
//= dispatch 1 1 1
