// A method of a base changes only the fields of the base in a derived object.
//= [require]
//= shader model >= 5.0
//= [uav 1]
//= stride 16
//= size (buffer, 2)
//= 1.0 2.0 3.0 4.0 5.0 6.0 7.0 8.0
//= [uav 2]
//= format r32-float
//= size (2d, 2, 1)
//= 1.0 2.0
//= [compute shader]
#include "show.hlsli"

INPUT float f = 1;
INPUT uint one = 1;

struct Pair {
    float x, y;
    void add(float k) { x += k; y += 2 * k; }
    float sum() { return x + y; }
    float take(inout float other) { x += other; other = 90; return y; }
};

struct Triple : Pair {
    float z;
    void addAll(float k) { add(k); z += 3 * k; }
};

struct Quad : Triple {
    float w;
    void addEach(float k) { addAll(k); Pair::add(10 * k); w += 4 * k; }
};

struct Scalar { float x; void set(float k) { x = k; } };
struct AfterScalar : Scalar { float y; float z; };
struct Only : Scalar {};

struct Vector { float3 v; void set(float k) { v.y = k; } };
struct AfterVector : Vector { float2 after; };

struct Matrix { float2x3 m; void set(uint row, float k) { m[row] = k; } };
struct AfterMatrix : Matrix { float2x2 after; };

struct List { float list[3]; void set(uint at, float k) { list[at] = k; } };
struct AfterList : List { float after[2]; };

struct Nested { Pair inner; int n; void set(int k) { inner.x = k; n = k + 1; } };
struct AfterNested : Nested { Pair more; };

struct Empty { float twice(float k) { return 2 * k; } };
struct AfterEmpty : Empty { float x; float four() { return twice(x) + twice(x); } };

struct Hidden { float x; void set(float k) { x = k; } };
struct Hiding : Hidden {
    float x;
    void both(float a, float b) { x = a; Hidden::x = b; }
    float base() { return Hidden::x; }
};

interface Shape { float area(); void grow(float k); };
struct Sized { float width, height; void grow(float k) { width += k; height += k; } };
struct Box : Sized, Shape { float depth; float area() { return width * height * depth; } };

struct Holder {
    Triple items[2];
    Quad quad;
    void grow(float k) { items[1].add(k); quad.addEach(k); }
};

RWStructuredBuffer<Quad> stored : register(u1);
RWTexture2D<Only> texels : register(u2);
groupshared Quad shared;
static Quad kept = { 1, 2, 3, 4 };

void grow(inout Triple t, float k) { t.add(k); }
void fill(out Triple t) { t.x = 0; t.y = 0; t.z = 7; t.add(5); }
Pair base(Quad q) { return q; }
Quad made(float k) { Quad q = { k, k, k, k }; return q; }

void growKept(inout Quad q, float k) { kept.w = 50; q.add(k); }

void replace(inout float2x3 part, float k) { part = part * k; }

#define ALL(q) float4(q.x, q.y, q.z, q.w)
#define THREE(t) float3(t.x, t.y, t.z)

[numthreads(1, 1, 1)]
void main() {
    // One and two levels of inheritance.
    Triple t = { 1, 2, 3 };
    t.add(f);
    SHOW(THREE(t));                     //=> float3 2 4 3
    t.addAll(f);
    SHOW(THREE(t));                     //=> float3 3 6 6
    Quad q = { 1, 2, 3, 4 };
    q.add(f);
    SHOW(ALL(q));                       //=> float4 2 4 3 4
    q.addAll(f);
    SHOW(ALL(q));                       //=> float4 3 6 6 4
    q.addEach(f);
    SHOW(ALL(q));                       //=> float4 14 28 9 8
    SHOW(q.sum());                      //=> float 42

    // An argument that is a part of the object itself.
    SHOW(q.take(q.w));                  //=> float 28
    SHOW(ALL(q));                       //=> float4 22 28 9 90

    // Bases with fields of all kinds.
    AfterScalar s = { 1, 2, 3 };
    s.set(f * 9);
    SHOW(THREE(s));                     //=> float3 9 2 3
    AfterVector v = { 1, 2, 3, 4, 5 };
    v.set(f * 9);
    SHOW(v.v);                          //=> float3 1 9 3
    SHOW(v.after);                      //=> float2 4 5
    AfterMatrix m = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
    m.set(one, f * 20);
    SHOW(m.m[0]);                       //=> float3 1 2 3
    SHOW(m.m[1]);                       //=> float3 20 20 20
    SHOW((float4)m.after);              //=> float4 7 8 9 10
    AfterList l = { 1, 2, 3, 4, 5 };
    l.set(one, f * 9);
    SHOW(float3(l.list[0], l.list[1], l.list[2]));  //=> float3 1 9 3
    SHOW(float2(l.after[0], l.after[1]));           //=> float2 4 5
    AfterNested n = { 1, 2, 3, 4, 5 };
    n.set(f * 8);
    SHOW(float2(n.inner.x, n.inner.y)); //=> float2 8 2
    SHOW(n.n);                          //=> int 9
    n.more.add(f);
    SHOW(float2(n.more.x, n.more.y));   //=> float2 5 7
    AfterEmpty e = { f };
    SHOW(e.four());                     //=> float 4
    Hiding h = (Hiding)0;
    h.both(f, f * 2);
    SHOW(float2(h.x, h.base()));        //=> float2 1 2
    h.set(f * 3);
    SHOW(float2(h.x, h.base()));        //=> float2 1 3
    Box box = { 1, 2, 3 };
    box.grow(f);
    SHOW(box.area());                   //=> float 18

    // Array elements, members, and combinations of both.
    Triple items[2] = { 1, 2, 3, 4, 5, 6 };
    items[one].add(f);
    items[0].add(f * 2);
    SHOW(THREE(items[0]));              //=> float3 3 6 3
    SHOW(THREE(items[1]));              //=> float3 5 7 6
    for (uint i = 0; i < 2; i++)
        items[i].addAll(i + 1);
    SHOW(THREE(items[0]));              //=> float3 4 8 6
    SHOW(THREE(items[1]));              //=> float3 7 11 12
    Holder holder = (Holder)0;
    holder.items[one].z = 5;
    holder.quad.w = 6;
    holder.grow(f);
    SHOW(THREE(holder.items[0]));       //=> float3 0 0 0
    SHOW(THREE(holder.items[1]));       //=> float3 1 2 5
    SHOW(ALL(holder.quad));             //=> float4 11 22 3 10
    holder.items[one].add(f);
    SHOW(THREE(holder.items[1]));       //=> float3 2 4 5

    // All kinds of memory.
    kept.add(f);
    SHOW(ALL(kept));                    //=> float4 2 4 3 4
    growKept(kept, f);
    SHOW(ALL(kept));                    //=> float4 3 6 3 4
    stored[one].add(f);
    stored[0].addEach(f);
    SHOW(ALL(stored[0]));               //=> float4 12 24 6 8
    SHOW(ALL(stored[1]));               //=> float4 6 8 7 8
    texels[uint2(one, 0)].set(f * 9);
    SHOW(texels[uint2(1, 0)].x);        //=> float 9
    SHOW(texels[uint2(0, 0)].x);        //=> float 1
    shared = (Quad)f;
    shared.addAll(f);
    SHOW(ALL(shared));                  //=> float4 2 3 4 1

    // Parameters and results.
    grow(t, f);
    SHOW(THREE(t));                     //=> float3 4 8 6
    fill(t);
    SHOW(THREE(t));                     //=> float3 5 10 7
    SHOW(base(q).y);                    //=> float 28
    SHOW(made(f).sum());                //=> float 2
    made(f).add(f);

    // Assignments to parts of an object.
    Pair pair = q;
    pair.add(f);
    SHOW(float2(pair.x, q.x));          //=> float2 23 22
    pair = t;
    SHOW(float2(pair.x, pair.y));       //=> float2 5 10
    (Pair)q = pair;
    SHOW(ALL(q));                       //=> float4 5 10 9 90
    (Triple)q = t;
    SHOW(ALL(q));                       //=> float4 5 10 7 90
    ((Pair)q).add(f);
    SHOW(ALL(q));                       //=> float4 6 12 7 90
    (Pair[2])items = (Pair[2])0;
    SHOW(THREE(items[0]));              //=> float3 0 0 0
    SHOW(THREE(items[1]));              //=> float3 0 11 12

    // A part of a matrix.
    float3x4 whole = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    replace((float2x3)whole, f * 10);
    SHOW(whole[0]);                     //=> float4 10 20 30 4
    SHOW(whole[1]);                     //=> float4 50 60 70 8
    SHOW(whole[2]);                     //=> float4 9 10 11 12
}

//= [test]
//= dispatch 1 1 1
