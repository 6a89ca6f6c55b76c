// Unrolled loops with arrays of textures: values known in each iteration, and values known only at run time.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= format r32-float
//= size (2d, 1, 1)
//= 1.0
//= [srv 1]
//= format r32-float
//= size (2d, 1, 1)
//= 10.0
//= [srv 2]
//= format r32-float
//= size (2d, 1, 1)
//= 100.0
//= [srv 3]
//= format r32-float
//= size (2d, 1, 1)
//= 1000.0
//= [compute shader]
#include "show.hlsli"

INPUT int two = 2;
INPUT int three = 3;
INPUT int nine = 9;
INPUT bool yes = true;

Texture2D<float> t[4] : register(t0);

float at(int i) { return t[i][uint2(0, 0)]; }
void change(inout int i) { i = 3; }
void put(inout int to, int value) { to = value; }

static int calls = 0;
bool count() { calls++; return calls < 3; }

struct S { int before; int2 place; int list[2]; };

// The parameter changes, but its first value is known at compile time.
float down(int n) {
    float sum = 0;
    while (n --> 0) sum += at(n);
    return sum;
}

[numthreads(1, 1, 1)]
void main() {
    float sum = 0;
    int i, j;

    // Iteration counts that are known only at run time.
    [unroll(4)] for (i = 0; i < two; i++) sum += at(i);
    SHOW(sum);  //=> float 11
    SHOW(i);  //=> int 2
    sum = 0;
    [unroll(3)] for (i = 0; i < nine; i++) sum += at(i);
    SHOW(sum);  //=> float 111
    sum = 0;
    for (i = 0; i < 4 && i < three; i++) sum += at(i);
    SHOW(sum);  //=> float 111
    sum = 0;
    for (i = 0; i < 4 && i < nine; i++) { if (i == two) continue; sum += at(i); if (i == three) break; }
    SHOW(sum);  //=> float 1011
    SHOW(i);  //=> int 3
    sum = 0;
    bool found = false;
    for (i = 0; i < 4 && !found; i++) { sum += at(i); found = i == two; }
    SHOW(sum);  //=> float 111
    // Both sides of && are evaluated, although the left side ends the loop.
    sum = 0; calls = 0;
    for (i = 0; i < 2 && count(); i++) sum += at(i);
    SHOW(calls);  //=> int 3
    SHOW(sum);  //=> float 11

    // Loops that end with `break`.
    sum = 0; i = 0;
    for (;;) { if (i >= 3) break; sum += at(i); i++; }
    SHOW(sum);  //=> float 111
    sum = 0; i = 0;
    do { sum += at(i); if (i == two) break; if (++i == 4) break; } while (true);
    SHOW(sum);  //=> float 111

    // Conditions with side effects.
    SHOW(down(3));  //=> float 111
    sum = 0; i = 4;
    while (--i) sum += at(i);
    SHOW(sum);  //=> float 1110
    sum = 0; i = 0;
    while (i++ < 3) sum += at(i);
    SHOW(sum);  //=> float 1110
    SHOW(i);  //=> int 4

    // Parts of variables.
    const int order[4] = { 2, 0, 3, 1 };
    sum = 0;
    for (i = 0; i < 2; i++) sum += at(order[i]);
    SHOW(sum);  //=> float 101
    S s = (S)0;
    s.before = nine;
    s.place.y = 3;
    s.list[1] = 1;
    SHOW(at(s.place.y) + at(s.list[1]) + at(s.place.x));  //=> float 1011
    s.place.x++; s.place += 1;
    SHOW(at(s.place.x));  //=> float 100
    int4 v = int4(nine, 1, 2, 3);
    v.yz = v.zy;
    SHOW(at(v.y) + at(v.z));  //=> float 110
    v.wy = v.yw;
    SHOW(at(v.w) + at(v.y));  //=> float 1100
    int2x2 m = { 0, 1, 2, 3 };
    m._m01_m10 = m._m10_m01;
    SHOW(at(m[0][1]) + at(m._m11));  //=> float 1100
    m[1] = m[0];
    SHOW(at(m._m10) + at(m[1].y));  //=> float 101

    // Control flow that diverges and converges.
    i = 1;
    if (two == 3) { i = 2; SHOW(i); return; }
    SHOW(at(i));  //=> float 10
    if (yes) { i = 3; j = 0; } else { i = 3; j = 1; }
    SHOW(at(i));  //=> float 1000
    switch (two) { case 1: i = 2; break; case 2: case 3: i = 2; break; default: i = 2; break; }
    SHOW(at(i));  //=> float 100
    sum = 0; i = 0; j = 0;
    for (int k = 0; k < 3; k++) { if (k == two) { j = 1; continue; } sum += at(j); j = 1; }
    SHOW(sum);  //=> float 11
    SHOW(j);  //=> int 1
    sum = 0;
    for (int a = 0; a < 2; a++) for (int b = 0; b < 2; b++) { if (b == two - 1 && a == 0) break; sum += at(2 * a + b); }
    SHOW(sum);  //=> float 1101

    // Values that become unknown, because they are computed at run time.
    int list[4] = { 0, 1, 2, 3 };
    list[two] = 7;
    SHOW(list[2]);  //=> int 7
    SHOW(list[1]);  //=> int 1
    i = 0;
    change(i);
    SHOW(i);  //=> int 3
    s.list[0] = 5;
    change(s.list[0]);
    SHOW(s.list[0]);  //=> int 3
    // The element is selected before the index is incremented.
    list[0] = 7;
    list[1] = 8;
    i = 0;
    put(list[i], ++i);
    SHOW(list[0]);  //=> int 1
    SHOW(list[1]);  //=> int 8
    v = int4(0, 1, 2, 3);
    if (yes) v.y = 8;
    SHOW(v);  //=> int4 0 8 2 3
    i = 1;
    switch (two) { case 2: i = 4; break; }
    SHOW(i);  //=> int 4
    for (i = 0; i < nine; i++) if (i == two) break;
    SHOW(i);  //=> int 2
    i = 5; j = i++ + i;
    SHOW(j);  //=> int 11
    j = (i = 2) * i;
    SHOW(j);  //=> int 4
}

//= [test]
//= dispatch 1 1 1
