// Explicit and implicit conversions between all pairs of types.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT bool yes = true;
INPUT bool no = false;
INPUT int minusTwo = -2;
INPUT uint large = 0xfffffffe;
INPUT float decimal = -2.75;
INPUT float big = 3000000000.0;
INPUT float4 list = float4(1.5, -1.5, 0.25, 0);
INPUT float2x2 square = float2x2(1, 2, 3, 4);
INPUT float2x3 wide = float2x3(1, 2, 3, 4, 5, 6);
INPUT int array[4] = { 1, -2, 3, -4 };
uniform uint nanBits = 0x7fc00000;
uniform float zero = 0;

struct Pair {
    int a;
    float2 b;
};

struct Other {
    float2 a;
    int b;
};

[numthreads(1, 1, 1)]
void main() {
    // Scalars.
    SHOW(bool(minusTwo));               //=> bool true
    SHOW(bool(large));                  //=> bool true
    SHOW(bool(list.z));                 //=> bool true
    SHOW(bool(list.w));                 //=> bool false
    SHOW(int(yes));                     //=> int 1
    SHOW(int(large));                   //=> int -2
    SHOW(int(decimal));                 //=> int -2
    SHOW(int(-decimal));                //=> int 2
    SHOW(uint(no));                     //=> uint 0
    SHOW(uint(minusTwo));               //=> uint 0xfffffffe
    SHOW(uint(-decimal));               //=> uint 2
    SHOW(uint(big));                    //=> uint 3000000000
    SHOW(float(yes));                   //=> float 1
    SHOW(float(minusTwo));              //=> float -2
    SHOW(float(large));                 //=> float 4294967294
    SHOW((float)minusTwo / 4);          //=> float -0.5
    SHOW(float(half(decimal)));         //=> float -2.75
    SHOW(float(min16float(decimal)));   //=> float -2.75
    SHOW(int(min16int(minusTwo)));      //=> int -2
    SHOW(uint(min16uint(7)));           //=> uint 7
    SHOW(float(uint(minusTwo)));        //=> float 4294967294
    SHOW(int4(list * 2).yxw);           //=> int3 -3 3 0
    SHOW(uint(list.x == 1.5) * 5);      //=> uint 5
    SHOW(float(0.5h + minusTwo));       //=> float -1.5

    // Floats outside the range of the integer type are clamped, and NaN becomes 0.
    SHOW(int(asfloat(nanBits)));    //=> int 0
    SHOW(uint(asfloat(nanBits)));   //=> uint 0
    SHOW(int(1 / zero));            //=> int 2147483647
    SHOW(int(-1 / zero));           //=> int -2147483648
    SHOW(uint(1 / zero));           //=> uint 0xffffffff
    SHOW(uint(-1 / zero));          //=> uint 0
    SHOW(uint(decimal + zero));     //=> uint 0
    SHOW(int(big + zero));          //=> int 2147483647

    // A scalar fills all components of a vector or a matrix.
    SHOW((float3)minusTwo);         //=> float3 -2 -2 -2
    SHOW((int4)yes);                //=> int4 1 1 1 1
    SHOW(((float2x2)minusTwo)[1]);  //=> float2 -2 -2

    // Vectors and matrices are truncated to the smaller size.
    SHOW((float2)list);         //=> float2 1.5 -1.5
    SHOW((int)list);            //=> int 1
    SHOW((bool3)list);          //=> bool3 true true true
    SHOW((uint2)list.xz);       //=> uint2 1 0
    SHOW(((float2x2)wide)[1]);  //=> float2 4 5
    SHOW(((float1x2)wide)[0]);  //=> float2 1 2
    SHOW((float)wide);          //=> float 1
    SHOW(((int2x2)square)[1]);  //=> int2 3 4

    // Vectors and matrices with the same number of components are converted row by row.
    SHOW((float4)square);       //=> float4 1 2 3 4
    SHOW(((float2x2)list)[1]);  //=> float2 0.25 0
    SHOW(((float1x4)list)[0]);  //=> float4 1.5 -1.5 0.25 0
    SHOW(((float4x1)list)[1]);  //=> float -1.5

    // Arrays and structures are treated as lists of components.
    SHOW(((float[4])array)[3]); //=> float -4
    SHOW((int4)array);          //=> int4 1 -2 3 -4
    Pair pair = (Pair)list.xyz;
    SHOW(pair.a);               //=> int 1
    SHOW(pair.b);               //=> float2 -1.5 0.25
    Other other = (Other)pair;
    SHOW(other.a);              //=> float2 1 -1.5
    SHOW(other.b);              //=> int 0
    pair = (Pair)7;
    SHOW(pair.b);               //=> float2 7 7
    SHOW((float3)other);        //=> float3 1 -1.5 0

    // Conversions by assignment.
    int i = decimal;
    SHOW(i);                    //=> int -2
    uint u = minusTwo;
    SHOW(u);                    //=> uint 0xfffffffe
    float f = large;
    SHOW(f);                    //=> float 4294967294
    bool b = list.z;
    SHOW(b);                    //=> bool true
    b = list.w;
    SHOW(b);                    //=> bool false
    float3 three = minusTwo;
    SHOW(three);                //=> float3 -2 -2 -2
    float2 two = list;
    SHOW(two);                  //=> float2 1.5 -1.5
    int4 four = square;
    SHOW(four);                 //=> int4 1 2 3 4
    float2x2 matrixOfVector = list;
    SHOW(matrixOfVector._m10);  //=> float 0.25

    // The type of an operation is the greater of its operands' types in the order int, uint, float.
    SHOW(yes + yes);                //=> int 2
    SHOW(-yes);                     //=> int -1
    SHOW(yes * list.x);             //=> float 1.5
    SHOW(minusTwo + large);         //=> uint 0xfffffffc
    SHOW(minusTwo + list.x);        //=> float -0.5
    SHOW(large + list.w);           //=> float 4294967294
    SHOW(minusTwo * list);          //=> float4 -3 3 -0.5 0
    SHOW(list.xy + list);           //=> float2 3 -3
    SHOW(array[1] / 4 + 0.5);       //=> float 0.5
    SHOW(yes & minusTwo);           //=> int 0
    SHOW(~no);                      //=> int -1
    SHOW(yes == 1);                 //=> bool true
    SHOW(minusTwo == large);        //=> bool true
    SHOW(yes ? minusTwo : list.x);  //=> float -2
    SHOW(yes << 3);                 //=> int 8
    SHOW(1 + 2u);                   //=> uint 3
    SHOW(1 + 2.0h);                 //=> float 3

    // Reinterpretation of bits as another type.
    SHOW(asuint(list.x));                               //=> uint 0x3fc00000
    SHOW(asint(-list.xy));                              //=> int2 -1077936128 0x3fc00000
    SHOW(asfloat(0x3fc00000));                          //=> float 1.5
    SHOW(asfloat(0xbfc00000));                          //=> float -1.5
    SHOW(asuint(minusTwo));                             //=> uint 0xfffffffe
    SHOW(asint(large));                                 //=> int -2
    SHOW(asuint(asfloat(nanBits | 1)));                 //=> uint 0x7fc00001
    SHOW(f32tof16(list));                               //=> uint4 0x3e00 0xbe00 0x3400 0
    SHOW(f16tof32(uint4(0x3e00, 0xbe00, 0x7c00, 1)));   //=> float4 1.5 -1.5 inf 0.000000059604645
    SHOW(f16tof32(0x12343e00));                         //=> float 1.5
}

//= [test]
//= dispatch 1 1 1
