// Structures in structures and arrays: copies, initializers, casts and function results.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-uint
//= size (buffer, 8)
//= 0 0 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    uint4 values;
};

struct Inner {
    uint2 pair;
    uint list[2];
};

struct Outer {
    uint first;
    Inner inner;
};

Outer made(uint n) {
    Outer outer;
    outer.first = n;
    outer.inner.pair = n + uint2(1, 2);
    outer.inner.list[0] = n + 3;
    outer.inner.list[1] = 0;
    return outer;
}

uint sum(Outer outer) {
    Inner inner = outer.inner;
    return outer.first + inner.pair.x + inner.pair.y + inner.list[0] + inner.list[1];
}
RWBuffer<uint> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    Outer a = { values.x, { values.yz, { 7, 8 } } };
    Outer b = a;
    b.inner.pair.y = 50;
    result[0] = a.inner.pair.y;
    result[1] = b.inner.pair.y;
    result[2] = a.inner.list[values.x];
    Outer zero = (Outer)0;
    result[3] = zero.first + zero.inner.list[1];
    result[4] = sum(made(values.w));
    Outer all[2] = { a, b };
    all[values.x] = made(5);
    result[5] = sum(all[1]);
    result[6] = sum(all[0]);
    Inner copied = all[values.x].inner;
    copied.list[0] = 100;
    result[7] = copied.list[0] + all[1].inner.list[0];
}

//= [test]
//= uniform 0 uint4 1 2 3 4
//= dispatch 1 1 1
//= probe uav 0 (0) u32 (3)
//= probe uav 0 (1) u32 (50)
//= probe uav 0 (2) u32 (8)
//= probe uav 0 (3) u32 (0)
//= probe uav 0 (4) u32 (22)
//= probe uav 0 (5) u32 (26)
//= probe uav 0 (6) u32 (21)
//= probe uav 0 (7) u32 (108)
