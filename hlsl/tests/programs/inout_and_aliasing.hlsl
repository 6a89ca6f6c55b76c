// Arguments are copied in and out. A function works on its own copies, which are written back in the order of the
// parameters when it returns.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT float4 v = float4(1, 2, 3, 4);
INPUT uint one = 1;
static int global = 10;
groupshared int shared1;
groupshared int sharedList[4];

void set(out int x, out int y) { x = 1; y = 2; }
void step1(inout int x) { x += 1; }
void both(inout int x, inout int y) { x += 10; y += 100; }
int readsGlobal(inout int x) { x = 5; return global; }
void swap(inout float a, inout float b) { float t = a; a = b; b = t; }
void cut(out int x) { x = 7; }
void fill(out float2 x) { x = float2(8, 9); }
void rows(inout float2 x[2]) { x[0] = x[1]; x[1] += 1; }
void early(inout int x, bool leave) { x = 3; if (leave) return; x = 4; }
void nested(inout int x) { step1(x); step1(x); }
float byValue(float x) { x += 1; return x; }
void constant(const int x, in int y, out int z) { z = x + y; }

// An unchanged inout parameter is also written back.
int keepsAndStores(inout int x) { global = 77; return x; }
void keepsFirst(inout int x, inout int y) { y += x; }
void keepsLast(inout int x, inout int y) { x += y; }
void storesWhole(inout float x, inout float4 y) { x = 50; y += 1; }
int keepsShared(inout int x) { shared1 = 78; return x; }

struct Pair {
    int a;
    float2 b;
    int list[3];
};

void change(inout Pair p) { p.a += 1; p.b.y = 5; p.list[one] = 9; }

[numthreads(1, 1, 1)]
void main() {
    int x = 0, y = 0;
    set(x, y);
    SHOW(int2(x, y));   //=> int2 1 2
    set(y, x);
    SHOW(int2(x, y));   //=> int2 2 1

    // Both parameters start at 0, and the last one is written back last.
    x = 0;
    both(x, x);
    SHOW(x);    //=> int 100
    set(x, x);
    SHOW(x);    //=> int 2

    global = 10;
    SHOW(readsGlobal(global));  //=> int 10
    SHOW(global);               //=> int 5

    float4 w = v;
    swap(w.x, w.w);
    SHOW(w);    //=> float4 4 2 3 1
    swap(w.y, w.y);
    SHOW(w);    //=> float4 4 2 3 1
    swap(w[one], w[one + 1]);
    SHOW(w);    //=> float4 4 3 2 1

    // Conversions in both directions.
    float f = 1.5;
    step1(f);
    SHOW(f);    //=> float 2
    cut(f);
    SHOW(f);    //=> float 7
    int2 n = 0;
    fill(n);
    SHOW(n);    //=> int2 8 9
    uint u = 0xffffffff;
    step1(u);
    SHOW(u);    //=> uint 0
    fill(w.zx);
    SHOW(w);    //=> float4 9 3 8 1

    float2 list[2] = { float2(1, 2), float2(3, 4) };
    rows(list);
    SHOW(list[0]);  //=> float2 3 4
    SHOW(list[1]);  //=> float2 4 5
    step1(list[one].x);
    SHOW(list[1]);  //=> float2 5 5

    early(x, true);
    SHOW(x);            //=> int 3
    early(x, false);
    SHOW(x);            //=> int 4
    nested(x);
    SHOW(x);            //=> int 6
    SHOW(byValue(f));   //=> float 8
    SHOW(f);            //=> float 7
    constant(x, 2, x);
    SHOW(x);            //=> int 8

    Pair pair = { 1, 2, 3, 4, 5, 6 };
    change(pair);
    SHOW(pair.a);                                           //=> int 2
    SHOW(pair.b);                                           //=> float2 2 5
    SHOW(int3(pair.list[0], pair.list[1], pair.list[2]));   //=> int3 4 9 6
    Pair pairs[2] = { pair, pair };
    change(pairs[one]);
    SHOW(int2(pairs[0].a, pairs[1].a));                     //=> int2 2 3
    step1(pairs[one].list[one + 1]);
    SHOW(pairs[1].list[2]);                                 //=> int 7

    // The index is evaluated once, before the call.
    int place = 0;
    int few[2] = { 20, 30 };
    both(few[place++], place);
    SHOW(int2(few[0], few[1])); //=> int2 30 30
    SHOW(place);                //=> int 101

    // Group memory.
    shared1 = 40;
    step1(shared1);
    SHOW(shared1);          //=> int 41
    sharedList[one] = 50;
    both(sharedList[one], shared1);
    SHOW(sharedList[1]);    //=> int 60
    SHOW(shared1);          //=> int 141

    // The function stores directly to the variable, but then the old value of the parameter is written back.
    global = 10;
    SHOW(keepsAndStores(global));   //=> int 10
    SHOW(global);                   //=> int 10
    SHOW(keepsShared(shared1));     //=> int 141
    SHOW(shared1);                  //=> int 141
    x = 3;
    SHOW(keepsAndStores(x));        //=> int 3
    SHOW(global);                   //=> int 77
    x = 3;
    keepsFirst(x, x);
    SHOW(x);                        //=> int 6
    keepsLast(x, x);
    SHOW(x);                        //=> int 6
    w = v;
    storesWhole(w.x, w);
    SHOW(w);                        //=> float4 2 3 4 5

    int4 matrixOf = 0;
    int2x2 m = int2x2(1, 2, 3, 4);
    step1(m[one][0]);
    step1(m._m01);
    SHOW(int4(m));  //=> int4 1 3 4 4
}

//= [test]
//= dispatch 1 1 1
