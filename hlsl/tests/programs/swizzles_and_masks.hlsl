// Swizzles and write masks of vectors and matrices.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT float4 v = float4(1, 2, 3, 4);
INPUT int3 n = int3(10, 20, 30);
INPUT float s = 5;
INPUT float3x4 m = float3x4(11, 12, 13, 14, 21, 22, 23, 24, 31, 32, 33, 34);
INPUT uint one = 1;
INPUT uint two = 2;

struct Pair {
    float3 list[2];
};

[numthreads(1, 1, 1)]
void main() {
    SHOW(v.x);              //=> float 1
    SHOW(v.w);              //=> float 4
    SHOW(v.yx);             //=> float2 2 1
    SHOW(v.zzz);            //=> float3 3 3 3
    SHOW(v.wzyx);           //=> float4 4 3 2 1
    SHOW(v.rgba);           //=> float4 1 2 3 4
    SHOW(v.bgr);            //=> float3 3 2 1
    SHOW(v.wzyx.xy);        //=> float2 4 3
    SHOW(v.xyz.zy.x);       //=> float 3
    SHOW(n.zx);             //=> int2 30 10
    SHOW(s.x);              //=> float 5
    SHOW(s.xx);             //=> float2 5 5
    SHOW(s.rrrr);           //=> float4 5 5 5 5
    SHOW(s.xxx.y);          //=> float 5
    SHOW((v + 1).zw);       //=> float2 4 5
    SHOW(float4(n, 1).wz);  //=> float2 1 30
    SHOW(v[2]);             //=> float 3
    SHOW(v[two]);           //=> float 3
    SHOW(v.zyx[two]);       //=> float 1

    SHOW(m._m00);               //=> float 11
    SHOW(m._m23);               //=> float 34
    SHOW(m._11);                //=> float 11
    SHOW(m._34);                //=> float 34
    SHOW(m._m01_m10);           //=> float2 12 21
    SHOW(m._12_21_33);          //=> float3 12 21 33
    SHOW(m._m22_m11_m00_m22);   //=> float4 33 22 11 33
    SHOW(m[1]);                 //=> float4 21 22 23 24
    SHOW(m[one].zw);            //=> float2 23 24
    SHOW(m[2][3]);              //=> float 34
    SHOW(m[two][one]);          //=> float 32
    SHOW(m[one][two]);          //=> float 23

    float4 w = 0;
    w.x = 1;
    SHOW(w);            //=> float4 1 0 0 0
    w.w = 2;
    SHOW(w);            //=> float4 1 0 0 2
    w.yz = v.xy;
    SHOW(w);            //=> float4 1 1 2 2
    w.zy = v.xy;
    SHOW(w);            //=> float4 1 2 1 2
    w.wxy = v.xyz;
    SHOW(w);            //=> float4 2 3 1 1
    w.wzyx = v;
    SHOW(w);            //=> float4 4 3 2 1
    w.xz = 9;
    SHOW(w);            //=> float4 9 3 9 1
    w.yw = w.wy;
    SHOW(w);            //=> float4 9 1 9 3
    w.xyzw = w.yzwx;
    SHOW(w);            //=> float4 1 9 3 9
    w.yzw.yz = v.xy;
    SHOW(w);            //=> float4 1 9 1 2
    w.zyx.x = 7;
    SHOW(w);            //=> float4 1 9 7 2
    w.rg = v.ba;
    SHOW(w);            //=> float4 3 4 7 2
    w.xw += v.xy;
    SHOW(w);            //=> float4 4 4 7 4
    w.zy *= float2(2, 3);
    SHOW(w);            //=> float4 4 12 14 4
    SHOW(w.yz++);       //=> float2 12 14
    SHOW(w);            //=> float4 4 13 15 4
    SHOW(--w.xw);       //=> float2 3 3
    w[2] = 1;
    SHOW(w);            //=> float4 3 13 1 3
    w.wzyx[1] = 2;
    SHOW(w);            //=> float4 3 13 2 3
    w[1] += 0.5;
    SHOW(w);            //=> float4 3 13.5 2 3
    SHOW(w.xy = v.zw);  //=> float2 3 4
    w.x = w.y = w.z = 6;
    SHOW(w);            //=> float4 6 6 6 3

    float4 turned;
    turned.yzwx = v;
    SHOW(turned);                       //=> float4 4 1 2 3
    int3 turned3;
    turned3.zxy = n;
    SHOW(turned3);                      //=> int3 20 30 10

    float t = 1;
    t.x = 2;
    SHOW(t);        //=> float 2
    int3 k = 0;
    k.zx = v.xw;
    SHOW(k);        //=> int3 4 0 1
    bool2 flags = false;
    flags.y = s;
    SHOW(flags);    //=> bool2 false true

    float3x4 a = 0;
    a._m12 = 1;
    SHOW(a[1]);     //=> float4 0 0 1 0
    a._m00_m23 = v.xy;
    SHOW(a[0]);     //=> float4 1 0 0 0
    SHOW(a[2]);     //=> float4 0 0 0 2
    a._34_11_12 = v.xyz;
    SHOW(a[0]);     //=> float4 2 3 0 0
    SHOW(a[2]);     //=> float4 0 0 0 1
    a[1] = v;
    SHOW(a[1]);     //=> float4 1 2 3 4
    a[one].wx = v.xy;
    SHOW(a[1]);     //=> float4 2 2 3 1
    a[two][1] = 8;
    SHOW(a[2]);     //=> float4 0 8 0 1
    a[2][0] += 3;
    SHOW(a[2]);     //=> float4 3 8 0 1
    a[0].yzw = v.xyz;
    SHOW(a[0]);     //=> float4 2 1 2 3
    a._m00_m01 *= 10;
    SHOW(a[0]);     //=> float4 20 10 2 3
    SHOW(a._m10++); //=> float 2
    SHOW(a._m10);   //=> float 3

    float4 list[3] = { v, v * 10, v * 100 };
    list[one].zx = list[two].xy;
    SHOW(list[1]);  //=> float4 200 20 100 40
    list[two][1] = 5;
    SHOW(list[2]);  //=> float4 100 5 300 400
    SHOW(list[0]);  //=> float4 1 2 3 4

    float4 looped = v;
    for (uint i = 0; i < 4; i++)
        if (i == two)
            looped[i] = 50;
    looped.w--;
    looped.xyz.y = 7;
    SHOW(looped);       //=> float4 1 7 50 3
    Pair pair = (Pair)0;
    pair.list[one].yz = v.xy;
    SHOW(pair.list[1]); //=> float3 0 1 2
    SHOW(pair.list[0]); //=> float3 0 0 0
}

//= [test]
//= dispatch 1 1 1
