// Overload resolution. Each function returns its own number. Also calls of all kinds except recursion, default
// arguments, prototypes, and functions that hide others.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

INPUT float f = 1.5;
INPUT int i = -2;
INPUT uint u = 3;
INPUT bool b = true;
INPUT float4 v = float4(1, 2, 3, 4);
INPUT int3 n = int3(5, 6, 7);

// Overloads by component type.
int kind(float x) { return 1; }
int kind(int x) { return 2; }
int kind(uint x) { return 3; }
int kind(bool x) { return 4; }

// Overloads by number of components.
int size(float x) { return 1; }
int size(float2 x) { return 2; }
int size(float4 x) { return 4; }

int integer(int x) { return 1; }
int integer(uint x) { return 2; }

int natural(float x) { return 1; }
int natural(uint x) { return 2; }

int pair(float x, int y) { return 1; }
int pair(int x, float y) { return 2; }

int narrow(half4 x) { return 1; }
int narrow(float2 x) { return 2; }

int list(int x[2]) { return x[0] + x[1]; }
int list(int x[3]) { return 100; }

struct A { int x; };
struct B { int x; };
int record(A a) { return 1; }
int record(B b) { return 2; }

int count(int x) { return 1; }
int count(int x, int y) { return 2; }
int count(int x, int y, int z) { return 3; }

float sum(float a, float b = 10, float c = 100) { return a + b + c; }

int later(int x);

// A function of the program hides an intrinsic with the same parameters.
float abs(float x) { return 42; }

void none() {}

float3 three() { return float3(1, 2, 3); }

int lengthOf(float3 x) { return 3; }

[numthreads(1, 1, 1)]
void main() {
    SHOW(kind(f));      //=> int 1
    SHOW(kind(i));      //=> int 2
    SHOW(kind(u));      //=> int 3
    SHOW(kind(b));      //=> int 4
    SHOW(kind(1.0));    //=> int 1
    SHOW(kind(1u));     //=> int 3
    SHOW(kind(true));   //=> int 4
    SHOW(kind(i + u));  //=> int 3
    SHOW(kind(b + b));  //=> int 2
    SHOW(kind(i < u));  //=> int 4
    SHOW(kind(i * f));  //=> int 1
    SHOW(kind(v.y));    //=> int 1

    SHOW(size(f));      //=> int 1
    SHOW(size(v.xy));   //=> int 2
    SHOW(size(v));      //=> int 4
    SHOW(size(i));      //=> int 1
    SHOW(size(n.xy));   //=> int 2

    SHOW(integer(int2(i, i)));  //=> int 1
    SHOW(integer(uint2(u, u))); //=> int 2
    SHOW(natural(i));           //=> int 2
    SHOW(natural(f));           //=> int 1
    SHOW(pair(f, i));           //=> int 1
    SHOW(pair(i, f));           //=> int 2
    SHOW(narrow(v));            //=> int 1
    int two[2] = { 3, 4 };
    int three3[3] = { 0, 0, 0 };
    SHOW(list(two));            //=> int 7
    SHOW(list(three3));         //=> int 100
    A a = { 1 };
    B bb = { 2 };
    SHOW(record(a));            //=> int 1
    SHOW(record(bb));           //=> int 2
    SHOW(count(1));             //=> int 1
    SHOW(count(1, 2));          //=> int 2
    SHOW(count(1, 2, 3));       //=> int 3

    SHOW(sum(1));           //=> float 111
    SHOW(sum(1, 2));        //=> float 103
    SHOW(sum(1, 2, 3));     //=> float 6
    SHOW(sum(i, u));        //=> float 101
    SHOW(later(4));         //=> int 16
    SHOW(abs(f));           //=> float 42
    SHOW(three().zx);       //=> float2 3 1
    SHOW(three()[1]);       //=> float 2
    SHOW(lengthOf(v.wzy));  //=> int 3
    none();
}

int later(int x) { return x * x; }

//= [test]
//= dispatch 1 1 1
