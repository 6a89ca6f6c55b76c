// Float functions with known results, within the precision of GPUs.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT float3 x = float3(0, 0.5, -1);
INPUT float3 a = float3(1, 2, 3);
INPUT float3 b = float3(3, -2, 1);
INPUT float2 three4 = float2(3, 4);
uniform float zero = 0;
uniform float nine = 9;

[numthreads(1, 1, 1)]
void main() {
    SHOW(sin(x));           //=> float3 0 0.4794255 -0.841471 ~ 0.001
    SHOW(cos(x));           //=> float3 1 0.8775826 0.5403023 ~ 0.001
    SHOW(tan(x));           //=> float3 0 0.5463025 -1.5574077 ~ 0.002
    SHOW(asin(x));          //=> float3 0 0.5235988 -1.5707963 ~ 0.001
    SHOW(acos(x));          //=> float3 1.5707963 1.0471976 3.1415927 ~ 0.001
    SHOW(atan(x));          //=> float3 0 0.4636476 -0.7853982 ~ 0.001
    SHOW(atan2(a, b));      //=> float3 0.3217506 2.3561945 1.2490458 ~ 0.001
    SHOW(atan2(-a, -b));    //=> float3 -2.819842 -0.7853982 -1.8925469 ~ 0.001
    SHOW(sinh(x));          //=> float3 0 0.5210953 -1.1752012 ~ 0.001
    SHOW(cosh(x));          //=> float3 1 1.127626 1.5430806 ~ 0.001
    SHOW(tanh(x));          //=> float3 0 0.4621172 -0.7615942 ~ 0.001
    SHOW(exp(x));           //=> float3 1 1.6487213 0.3678794 ~ 0.001
    SHOW(log(a));           //=> float3 0 0.6931472 1.0986123 ~ 0.001
    SHOW(log10(a * 10));    //=> float3 1 1.30103 1.4771213 ~ 0.001
    SHOW(log10(zero));      //=> float -inf
    SHOW(exp2(a));          //=> float3 2 4 8 ~ 0.001
    SHOW(pow(a, 2));        //=> float3 1 4 9 ~ 0.001
    SHOW(pow(a, x));        //=> float3 1 1.4142135 0.3333333 ~ 0.001
    SHOW(degrees(x));       //=> float3 0 28.647890 -57.29578 ~ 0.001
    SHOW(radians(a * 90));  //=> float3 1.5707963 3.1415927 4.712389 ~ 0.001
    float s, c;
    sincos(x.y, s, c);
    SHOW(s);                //=> float 0.4794255 ~ 0.001
    SHOW(c);                //=> float 0.8775826 ~ 0.001

    SHOW(dot(a, b));                                        //=> float 2
    SHOW(cross(a, b));                                      //=> float3 8 8 -8
    SHOW(length(three4));                                   //=> float 5 ~ 0.0001
    SHOW(length(-2.0));                                     //=> float 2 ~ 0.0001
    SHOW(distance(three4, 0));                              //=> float 5 ~ 0.0001
    SHOW(normalize(three4));                                //=> float2 0.6 0.8 ~ 0.0001
    SHOW(normalize(zero.xx));                               //=> float2 nan nan
    SHOW(reflect(float2(1, -1), float2(0, 1)));             //=> float2 1 1
    SHOW(reflect(three4, float2(1, 0)));                    //=> float2 -3 4
    SHOW(refract(float2(0, -1), float2(0, 1), 0.5));        //=> float2 0 -1 ~ 0.0001
    SHOW(refract(float2(0.6, -0.8), float2(0, 1), 0.5));    //=> float2 0.3 -0.9539392 ~ 0.0001
    SHOW(refract(float2(0.8, -0.6), float2(0, 1), nine));   //=> float2 0 0
    SHOW(faceforward(a, b, a));                             //=> float3 -1 -2 -3
    SHOW(faceforward(a, b, -a));                            //=> float3 1 2 3

    SHOW(lerp(a, b, 0.5));                              //=> float3 2 0 2
    SHOW(lerp(a, b, x));                                //=> float3 1 0 5
    SHOW(lerp(1.0, 3.0, 2.0));                          //=> float 5
    SHOW(step(a, b));                                   //=> float3 1 0 0
    SHOW(step(2, a));                                   //=> float3 0 1 1
    SHOW(smoothstep(0, 1, float3(-1, 0.25, 2)));        //=> float3 0 0.15625 1
    SHOW(smoothstep(1, 0, 0.25 + zero));                //=> float 0.84375
    SHOW(smoothstep(a, a + 4, 3));                      //=> float3 0.5 0.15625 0
    SHOW(mad(a, b, 10));                                //=> float3 13 6 13
    SHOW(ldexp(a, x.x + 3));                            //=> float3 8 16 24
    SHOW(ldexp(a, float3(-1, 0, 1)));                   //=> float3 0.5 2 6
    float whole;
    SHOW(modf(2.75 + zero, whole));                     //=> float 0.75
    SHOW(whole);                                        //=> float 2
    SHOW(modf(-2.75 + zero, whole));                    //=> float -0.75
    SHOW(whole);                                        //=> float -2
    int2 wholes;
    SHOW(modf(float2(1.25, -1.25), wholes));            //=> float2 0.25 -0.25
    SHOW(wholes);                                       //=> int2 1 -1
    float exponent;
    SHOW(frexp(nine, exponent));                        //=> float 0.5625
    SHOW(exponent);                                     //=> float 4
    SHOW(frexp(zero, exponent));                        //=> float 0
    SHOW(exponent);                                     //=> float 0
    SHOW(lit(0.5, 3, 2));                               //=> float4 1 0.5 9 1 ~ 0.001
    SHOW(lit(-0.5, 3, 2));                              //=> float4 1 0 0 1
    SHOW(lit(0.5, -3, 2));                              //=> float4 1 0.5 0 1
    SHOW(dst(float4(1, 2, 3, 4), float4(5, 6, 7, 8)));  //=> float4 1 12 3 8
    SHOW(D3DCOLORtoUBYTE4(float4(0.2, 0.4, 0.6, 0.8))); //=> int4 153 102 51 204
    SHOW(D3DCOLORtoUBYTE4(float4(-0.5, 6.5, 7.5, 3.4))); //=> int4 1912 1657 -127 867
    // The factor is 255 + 1/512, so that rounding does not reduce the bytes.
    SHOW(D3DCOLORtoUBYTE4(zero + float4(0.999995, 0.49999, 1, 0.00392155))); //=> int4 255 127 255 1
    SHOW(D3DCOLORtoUBYTE4(zero + 0.5) / 2);             //=> int4 63 63 63 63
    SHOW(dst(int4(1, 2, 3, 4), int4(5, 6, 7, 8)) / 2);  //=> int4 0 6 1 4
    SHOW(any(x));                                       //=> bool true
    SHOW(any(x.xx));                                    //=> bool false
    SHOW(all(x));                                       //=> bool false
    SHOW(all(x.yz));                                    //=> bool true
    SHOW(any(zero));                                    //=> bool false

    // Sums of absolute differences of bytes. Bytes whose reference is zero are ignored.
    SHOW(msad4(0x01020304, uint2(0x01020304, 0), uint4(0, 0, 0, 0))); //=> uint4 0 4 7 9
    SHOW(msad4(0x00020004, uint2(0x01020304, 0), uint4(10, 0, 0, 5))); //=> uint4 10 2 4 10
    SHOW(msad4(0xff, uint2(0, 0x04030201), uint4(0, 0, 0, 0))); //=> uint4 255 255 255 255
    SHOW(msad4(1, uint2(0x00020000, 0), uint4(0, 0, 0, 0)));    //=> uint4 1 1 1 1
}

//= [test]
//= dispatch 1 1 1
