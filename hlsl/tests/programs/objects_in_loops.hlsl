// Loops that call methods of structures with textures and samplers, or pass these structures as inout arguments.
// Objects that the called functions do not replace stay known.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= size (2d, 1, 1)
//= 1.0 0.0 0.0 0.0
//= [srv 1]
//= size (2d, 1, 1)
//= 2.0 0.0 0.0 0.0
//= [srv 2]
//= size (2d, 1, 1)
//= 3.0 0.0 0.0 0.0
//= [sampler 0]
//= filter point point point
//= address clamp clamp clamp
//= [compute shader]
#include "show.hlsli"

INPUT uint n = 3;

Texture2D<float> one : register(t0);
Texture2D<float> two : register(t1);
Texture2D<float> three : register(t2);
SamplerState nearest : register(s0);

struct Map {
    Texture2D<float> texture;
    SamplerState state;
    float scale;
    uint reads;
    float read() { return scale * texture.SampleLevel(state, 0, 0); }
    float count() { reads++; return read(); }
    void set(Texture2D<float> t) { texture = t; }
    void setTwice(Texture2D<float> t) { set(one); set(t); }
};

struct Lit : Map {
    Texture2D<float> detail;
    float both() { return count() * 10 + detail.Load(0); }
    void setDetail(Texture2D<float> t) { detail = t; }
};

struct Scene {
    Lit lights[2];
    Map map;
    float sum() { return lights[0].both() + lights[1].both() + map.count(); }
};

struct Chosen {
    Texture2D<float> list[3];
    uint which;
    float read() { return list[which].Load(0); }
};

static Texture2D<float> shared;
static uint reads;
static float total;

float byInout(inout Map map) { map.scale += 1; return map.read(); }
float byBoth(inout Map a, inout Map b) { a.scale += 1; return a.read() * b.read(); }
float fromShared() { reads++; total += shared.Load(0); return total; }
void replaceFirst(inout Map a, inout Map b) { a.texture = b.texture; }
void replaceElement(inout Map maps[3], Texture2D<float> t) { maps[1].set(t); }

[numthreads(1, 1, 1)]
void main() {
    // Methods that only read fields, and methods that change a counter.
    Map map = { two, nearest, 1, 0 };
    float sum = 0;
    [loop]
    for (uint i = 0; i < n; i++)
        sum += map.read();
    SHOW(sum);              //=> float 6
    [loop]
    for (i = 0; i < n; i++)
        sum += map.count();
    SHOW(sum);              //=> float 12
    SHOW(map.reads);        //=> uint 3

    // Arguments of functions.
    Map other = { three, nearest, 1, 0 };
    sum = 0;
    [loop]
    for (i = 0; i < n; i++)
        sum += byInout(map) + byBoth(other, map);
    SHOW(sum);              //=> float 192
    SHOW(map.scale);        //=> float 4

    // The base of an object, a member, and an element.
    Lit lit = { one, nearest, 2, 0, three };
    sum = 0;
    [loop]
    do
        sum += lit.both();
    while (lit.reads < n);
    SHOW(sum);              //=> float 69
    Scene scene = { lit, { two, nearest, 1, 0, one }, map };
    sum = 0;
    [loop]
    while (scene.map.reads < 3 + n)
        sum += scene.sum();
    SHOW(sum);              //=> float 156
    SHOW(scene.lights[1].reads);    //=> uint 3

    // Global variables.
    shared = two;
    [loop]
    for (i = 0; i < n; i++)
        sum = fromShared();
    SHOW(sum);              //=> float 6
    SHOW(reads);            //=> uint 3

    // Methods that replace an object before the loop, and methods of another object in the loop.
    lit.set(two);
    lit.setDetail(one);
    sum = 0;
    [loop]
    for (i = 0; i < n; i++) {
        lit.setTwice(two);
        lit.setDetail(three);
        sum += lit.both();
    }
    SHOW(sum);              //=> float 129
    replaceFirst(map, other);
    [loop]
    for (i = 0, sum = 0; i < n; i++) {
        replaceFirst(other, map);
        sum += map.read();
    }
    SHOW(sum);              //=> float 36
    Map maps[3] = { map, map, other };
    replaceElement(maps, one);
    maps[2].scale = 1;
    [loop]
    for (i = 0, sum = 0; i < n; i++) {
        maps[0].set(two);
        sum += maps[1].read() + maps[2].count() + maps[0].read();
    }
    SHOW(sum);              //=> float 45
    SHOW(maps[2].reads);    //=> uint 3

    // A base as an assigned part of an object.
    lit.setDetail(three);
    (Map)lit = maps[2];
    SHOW(lit.both());       //=> float 33

    // Numbers in an object also stay known if its methods do not change them.
    Chosen chosen = { { one, two, three }, 2 };
    [loop]
    for (i = 0, sum = 0; i < n; i++)
        sum += chosen.list[chosen.which].Load(0) + chosen.read();
    SHOW(sum);              //=> float 18

    // The loop is unrolled, because values change in each iteration.
    Map first = { one, nearest, 1, 0 }, second = { two, nearest, 1, 0 };
    sum = 0;
    for (uint k = 0; k < 3; k++) {
        sum = sum * 10 + first.read();
        if (k == 0)
            first.set(second.texture);
        else
            first.set(three);
    }
    SHOW(sum);              //=> float 123
}

//= [test]
//= dispatch 1 1 1
