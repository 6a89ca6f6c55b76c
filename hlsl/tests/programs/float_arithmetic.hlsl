// Arithmetic and comparisons of floats, with infinities, NaN and zeros of both signs.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT float small = 0.5;
INPUT float4 list = float4(-2.5, -0.5, 0.5, 2.5);
INPUT float4 pair = float4(7, -7, 3, -3);
INPUT float huge = 3e38;
uniform float4 halves = float4(0.5, 1.5, 2.5, -2.5);
uniform float zero = 0;
uniform uint nanBits = 0x7fc00000;

[numthreads(1, 1, 1)]
void main() {
    float infinity = 1 / zero;
    float nan = asfloat(nanBits);

    SHOW(small + list);             //=> float4 -2 0 1 3
    SHOW(small - list);             //=> float4 3 1 0 -2
    SHOW(list * -2);                //=> float4 5 1 -1 -5
    SHOW(list / small);             //=> float4 -5 -1 1 5
    SHOW(-list);                    //=> float4 2.5 0.5 -0.5 -2.5
    SHOW(pair.xyxy % pair.zzww);    //=> float4 1 -1 1 -1 ~ 0.00001
    SHOW(5.5 % 2);                  //=> float 1.5

    SHOW(infinity);                 //=> float inf
    SHOW(-1 / zero);                //=> float -inf
    SHOW(1 / -zero);                //=> float -inf
    SHOW(zero / zero);              //=> float nan
    SHOW(infinity + log2(zero));    //=> float nan
    SHOW(infinity * zero);          //=> float nan
    SHOW(huge * 10);                //=> float inf
    SHOW(1 / infinity);             //=> float 0
    SHOW(asuint(-zero));            //=> uint 0x80000000
    SHOW(asuint(zero - zero));      //=> uint 0
    SHOW(nan + 1);                  //=> float nan

    // All ordered comparisons with NaN are false.
    SHOW(nan == nan);           //=> bool false
    SHOW(nan != nan);           //=> bool true
    SHOW(nan < 1);              //=> bool false
    SHOW(nan > 1);              //=> bool false
    SHOW(nan <= 1);             //=> bool false
    SHOW(nan >= 1);             //=> bool false
    SHOW(zero == -zero);        //=> bool true
    SHOW(-infinity < infinity); //=> bool true
    SHOW(nan ? 1 : 2);          //=> int 1
    SHOW(bool(nan));            //=> bool true
    SHOW(bool(-zero));          //=> bool false
    SHOW(!nan);                 //=> bool false

    SHOW(list < 0);                     //=> bool4 true true false false
    SHOW(list <= 0.5);                  //=> bool4 true true true false
    SHOW(list > -0.5);                  //=> bool4 false false true true
    SHOW(list >= -0.5);                 //=> bool4 false true true true
    SHOW(list == small);                //=> bool4 false false true false
    SHOW(list != small);                //=> bool4 true true false true
    SHOW(list && small);                //=> bool4 true true true true
    SHOW(zero || list.xy);              //=> bool2 true true
    SHOW(list < 0 ? -list : 10 * list); //=> float4 2.5 0.5 5 25

    SHOW(isnan(float4(nan, infinity, 1, 0)));               //=> bool4 true false false false
    SHOW(isinf(float4(nan, infinity, -infinity, 0)));       //=> bool4 false true true false
    SHOW(isfinite(float4(nan, infinity, -infinity, 0)));    //=> bool4 false false false true

    // If one operand is NaN, min and max return the other one.
    SHOW(min(nan, 2));          //=> float 2
    SHOW(min(2, nan));          //=> float 2
    SHOW(max(nan, 2));          //=> float 2
    SHOW(max(2, nan));          //=> float 2
    SHOW(saturate(nan));        //=> float 0
    SHOW(saturate(infinity));   //=> float 1
    SHOW(saturate(list));       //=> float4 0 0 0.5 1
    SHOW(clamp(list, -1, 1));   //=> float4 -1 -0.5 0.5 1
    SHOW(clamp(nan, 3, 4));     //=> float 3
    SHOW(min(list, -list));     //=> float4 -2.5 -0.5 -0.5 -2.5
    SHOW(max(list, 1));         //=> float4 1 1 1 2.5

    // Halfway cases round to even.
    SHOW(round(halves));                        //=> float4 0 2 2 -2
    SHOW(round(list * 1.5));                    //=> float4 -4 -1 1 4
    SHOW(floor(list));                          //=> float4 -3 -1 0 2
    SHOW(ceil(list));                           //=> float4 -2 0 1 3
    SHOW(trunc(list));                          //=> float4 -2 0 0 2
    SHOW(frac(list));                           //=> float4 0.5 0.5 0.5 0.5
    SHOW(frac(float2(-0.25, 3.125)));           //=> float2 0.75 0.125
    SHOW(abs(list));                            //=> float4 2.5 0.5 0.5 2.5
    SHOW(abs(-infinity));                       //=> float inf
    SHOW(sign(list));                           //=> int4 -1 -1 1 1
    SHOW(sign(float3(zero, infinity, nan)));    //=> int3 0 1 0
    SHOW(fmod(pair.xyxy, pair.zzww));           //=> float4 1 -1 1 -1 ~ 0.00001

    SHOW(rcp(float4(2, -4, zero, infinity)));       //=> float4 0.5 -0.25 inf 0
    SHOW(sqrt(float4(4, 0.25, zero, infinity)));    //=> float4 2 0.5 0 inf
    SHOW(sqrt(-1 + zero));                          //=> float nan
    SHOW(rsqrt(float3(4, 0.25, zero)));             //=> float3 0.5 2 inf ~ 0.00001
    SHOW(rsqrt(-1 + zero));                         //=> float nan
    SHOW(exp2(float4(0, 3, -1, -infinity)));        //=> float4 1 8 0.5 0 ~ 0.00001
    SHOW(log2(float3(1, 8, 0.5)));                  //=> float3 0 3 -1 ~ 0.00001
    SHOW(log2(zero));                               //=> float -inf
    SHOW(log2(-1 + zero));                          //=> float nan
    SHOW(pow(float2(2, 9), float2(3, 0.5)));        //=> float2 8 3 ~ 0.0001
    SHOW(pow(-2 + zero, 2 + zero));                 //=> float nan

    float f = small;
    SHOW(f++ + f);  //=> float 2
    SHOW(--f);      //=> float 0.5
    f += 2;
    SHOW(f);        //=> float 2.5
    f -= 4;
    SHOW(f);        //=> float -1.5
    f *= f;
    SHOW(f);        //=> float 2.25
    f /= 0.75;
    SHOW(f);        //=> float 3
    f %= 2;
    SHOW(f);        //=> float 1
}

//= [test]
//= dispatch 1 1 1
