// Structures with inheritance, methods, nesting, arrays and assignment, with namespaces and static variables.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT float f = 2;
INPUT uint one = 1;

struct Base {
    float a;
    float get() { return a; }
    float scaled(float s) { return get() * s; }
    float scaled(float s, float t) { return a * s + t; }
};

struct Derived : Base {
    float b;
    void set(float x) { a = x; b = x + 1; }
    float both() { return a * 10 + b; }
    float list[2];
    void put(int at, float x) { list[at] = x; }
};

struct Holder {
    Derived items[2];
    int count;
    int size() { return count + 1; }
};

namespace Outer {
    static const float value = 5;
    float get() { return value; }
    namespace Inner {
        float get() { return 7; }
        struct Thing { int x; };
    }
    float both() { return get() * 10 + Inner::get(); }
}

float get() { return 9; }

static int calls = 0;
int count() { return ++calls; }

float staticLocal() {
    static float kept = 10;
    kept += 1;
    return kept;
}

typedef float3 Triple;
typedef int Pair[2];

float sum(Base base) { return base.a; }

[numthreads(1, 1, 1)]
void main() {
    Derived d;
    d.set(f);
    SHOW(d.a);                          //=> float 2
    SHOW(d.both());                     //=> float 23
    SHOW(d.get());                      //=> float 2
    SHOW(d.scaled(4));                  //=> float 8
    SHOW(d.scaled(4, 1));               //=> float 9
    d.put(one, 6);
    d.put(0, 5);
    SHOW(float2(d.list[0], d.list[1])); //=> float2 5 6
    SHOW(sum((Base)d));                 //=> float 2
    Derived other = d;
    other.set(7);
    SHOW(float2(d.a, other.a));         //=> float2 2 7

    Holder holder = (Holder)0;
    holder.items[one] = d;
    holder.items[one].b = 50;
    holder.items[one].put(1, 8);
    holder.count = 3;
    SHOW(holder.items[1].both());       //=> float 70
    SHOW(holder.items[1].list[one]);    //=> float 8
    SHOW(holder.items[0].both());       //=> float 0
    SHOW(holder.size());                //=> int 4

    SHOW(Outer::get());         //=> float 5
    SHOW(Outer::Inner::get());  //=> float 7
    SHOW(Outer::both());        //=> float 57
    SHOW(Outer::value);         //=> float 5
    SHOW(get());                //=> float 9
    Outer::Inner::Thing thing = { 4 };
    SHOW(thing.x);              //=> int 4

    SHOW(count() + count() * 10);   //=> int 21
    SHOW(staticLocal());            //=> float 11
    SHOW(staticLocal());            //=> float 12
    bool left = one == 1 || count() > 0;
    bool right = one == 2 && count() > 0;
    SHOW(calls);                    //=> int 4
    int chosen = one == 1 ? count() : count();
    SHOW(calls);                    //=> int 6

    Triple triple = { 1, 2, 3 };
    SHOW(triple);       //=> float3 1 2 3
    Pair pair = { 4, 5 };
    SHOW(pair[one]);    //=> int 5
    struct Local { float2 v; } local = { 8, 9 };
    SHOW(local.v);      //=> float2 8 9
}

//= [test]
//= dispatch 1 1 1
