// Integer arithmetic, bit operations and comparisons.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT int seven = 7;
INPUT int minusSeven = -7;
INPUT int two = 2;
INPUT int least = 0x80000000;
INPUT int most = 0x7fffffff;
INPUT uint ones = 0xffffffff;
INPUT uint three = 3;
INPUT uint bits = 0x80000010;
INPUT int4 list = int4(-4, -1, 0, 5);
INPUT uint4 counts = uint4(0, 31, 32, 33);
uniform uint zero = 0;
uniform int4 divisors = int4(2, -2, 3, -3);

[numthreads(1, 1, 1)]
void main() {
    // Sums, differences and products wrap around.
    SHOW(most + 1);         //=> int -2147483648
    SHOW(least - 1);        //=> int 2147483647
    SHOW(ones + three);     //=> uint 2
    SHOW(three - ones);     //=> uint 4
    SHOW(-three);           //=> uint 0xfffffffd
    SHOW(-least);           //=> int -2147483648
    SHOW(most * two);       //=> int -2
    SHOW(ones * ones);      //=> uint 1
    SHOW(minusSeven * 3);   //=> int -21
    SHOW(+minusSeven);      //=> int -7

    // Quotients are truncated towards zero, and remainders have the sign of the dividend.
    SHOW(seven / two);              //=> int 3
    SHOW(minusSeven / two);         //=> int -3
    SHOW(seven % two);              //=> int 1
    SHOW(minusSeven % two);         //=> int -1
    SHOW(seven / divisors);         //=> int4 3 -3 2 -2
    SHOW(minusSeven / divisors);    //=> int4 -3 3 -2 2
    SHOW(seven % divisors);         //=> int4 1 1 1 1
    SHOW(minusSeven % divisors);    //=> int4 -1 -1 -1 -1
    SHOW(least / divisors.x);       //=> int -1073741824
    SHOW(ones / three);             //=> uint 0x55555555
    SHOW(ones % 16);                //=> uint 15
    SHOW(ones / two);               //=> uint 0x7fffffff

    // Unsigned division by zero returns a value with all bits set.
    SHOW(three / zero);                 //=> uint 0xffffffff
    SHOW(three % zero);                 //=> uint 0xffffffff
    SHOW(zero / zero);                  //=> uint 0xffffffff
    SHOW(uint2(9, 8) / uint2(zero, 2)); //=> uint2 0xffffffff 4
    SHOW(uint2(9, 8) % uint2(3, zero)); //=> uint2 0 0xffffffff

    // Signed division divides the magnitudes and then applies the sign, so a zero divisor gives -1 or 1.
    SHOW(seven / int(zero));            //=> int -1
    SHOW(minusSeven / int(zero));       //=> int 1
    SHOW(seven % int(zero));            //=> int -1
    SHOW(minusSeven % int(zero));       //=> int 1

    // Shifts use the lower five bits of their count. Right shifts of signed numbers keep the sign.
    SHOW(three << counts);  //=> uint4 3 0x80000000 3 6
    SHOW(bits >> counts);   //=> uint4 0x80000010 1 0x80000010 0x40000008
    SHOW(least >> counts);  //=> int4 -2147483648 -1 -2147483648 -1073741824
    SHOW(minusSeven >> 1);  //=> int -4
    SHOW(minusSeven >> two); //=> int -2
    SHOW(minusSeven << two); //=> int -28
    SHOW(minusSeven << 1);  //=> int -14
    SHOW(three << -1);      //=> uint 0x80000000
    SHOW(1 << 31);          //=> int -2147483648

    SHOW(bits & 0xf0);  //=> uint 0x10
    SHOW(bits | 3);     //=> uint 0x80000013
    SHOW(bits ^ ones);  //=> uint 0x7fffffef
    SHOW(~bits);        //=> uint 0x7fffffef
    SHOW(~seven);       //=> int -8
    SHOW(list & 3);     //=> int4 0 3 0 1
    SHOW(list | 1);     //=> int4 -3 -1 1 5
    SHOW(list ^ -1);    //=> int4 3 0 -1 -6

    // Signed and unsigned comparisons differ. If the operands have both types, the comparison is unsigned.
    SHOW(least < 0);            //=> bool true
    SHOW(bits > three);         //=> bool true
    SHOW(minusSeven < three);   //=> bool false
    SHOW(list < 0);             //=> bool4 true true false false
    SHOW(list <= 0);            //=> bool4 true true true false
    SHOW(list > -1);            //=> bool4 false false true true
    SHOW(list >= -1);           //=> bool4 false true true true
    SHOW(list == -1);           //=> bool4 false true false false
    SHOW(list != -1);           //=> bool4 true false true true

    SHOW(!list);                    //=> bool4 false false true false
    SHOW(list.xy && list.zw);       //=> bool2 false true
    SHOW(list.xz || list.wz);       //=> bool2 true false
    SHOW(list > 0 ? list : -list);  //=> int4 4 1 0 5
    SHOW(seven > 0 ? two : three);  //=> uint 2
    SHOW(list.w == 5 ? 1.5 : two);  //=> float 1.5

    // Integer functions.
    SHOW(abs(list));                    //=> int4 4 1 0 5
    SHOW(abs(least));                   //=> int -2147483648
    SHOW(sign(list));                   //=> int4 -1 -1 0 1
    SHOW(min(list, -1));                //=> int4 -4 -1 -1 -1
    SHOW(max(list, -1));                //=> int4 -1 -1 0 5
    SHOW(min(ones, three));             //=> uint 3
    SHOW(max(minusSeven, three));       //=> uint 0xfffffff9
    SHOW(clamp(list, -2, 3));           //=> int4 -2 -1 0 3
    SHOW(mad(seven, two, minusSeven));  //=> int 7
    SHOW(dot(list, list));              //=> int 42
    SHOW(mul(list.xy, list.wx));        //=> int -16
    SHOW(any(list.zz));                 //=> bool false
    SHOW(any(list.zw));                 //=> bool true
    SHOW(all(list.zw) || any(list.zz)); //=> bool false
    SHOW(countbits(bits));              //=> uint 2
    SHOW(countbits(uint2(0, ones)));    //=> uint2 0 32
    SHOW(reversebits(bits));            //=> uint 0x08000001
    SHOW(firstbitlow(bits));            //=> uint 4
    SHOW(int(firstbitlow(zero)));       //=> int -1
    SHOW(uint(firstbithigh(three)));    //=> uint 1
    SHOW(uint(firstbithigh(bits)));     //=> uint 31
    SHOW(int(firstbithigh(zero)));      //=> int -1
    SHOW(int(firstbithigh(seven)));     //=> int 2
    SHOW(int(firstbithigh(-9)));        //=> int 3
    SHOW(int(firstbithigh(list.y)));    //=> int -1
    SHOW(int(firstbithigh(list.z)));    //=> int -1

    // Compound assignments, increments and decrements.
    int i = seven;
    SHOW(i++ * 100 + i);    //=> int 708
    SHOW(--i * 100 + i);    //=> int 707
    i += 5;
    SHOW(i);                //=> int 12
    i -= 20;
    SHOW(i);                //=> int -8
    i *= -3;
    SHOW(i);                //=> int 24
    i /= 5;
    SHOW(i);                //=> int 4
    i <<= 3;
    SHOW(i);                //=> int 32
    i >>= 1;
    SHOW(i);                //=> int 16
    i |= 7;
    SHOW(i);                //=> int 23
    i &= 13;
    SHOW(i);                //=> int 5
    i ^= 15;
    SHOW(i);                //=> int 10
    i %= 4;
    SHOW(i);                //=> int 2
    i *= 1.75;
    SHOW(i);                //=> int 3
    SHOW((i = 9, i + 1));   //=> int 10
}

//= [test]
//= dispatch 1 1 1
