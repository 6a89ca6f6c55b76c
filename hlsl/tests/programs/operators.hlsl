// Both sides of && and || are evaluated in shader model 5. Conditions may be vectors.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-sint
//= size (buffer, 9)
//= 0 0 0 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    int4 v;
};

bool touch(inout int calls, bool value) {
    calls++;
    return value;
}
RWBuffer<int> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    int calls = 0;
    bool both = touch(calls, false) && touch(calls, true);
    result[0] = calls * 10 + both;
    int4 chosen = v > 0 ? 1 : int4(10, 20, 30, 40);
    result[1] = chosen.x + chosen.y + chosen.z + chosen.w;
    result[2] = ~v.z;
    result[3] = (v.z & 4) | (v.z ^ 1);
    result[4] = !v.y + !v.x * 2;
    result[5] = -v.w - +v.z;
    int i = 3;
    result[6] = i++ * 10 + ++i;
    result[7] = (v.x, v.z);
    i <<= 1;
    result[8] = i;
}

//= [test]
//= uniform 0 int4 1 0 5 -3
//= dispatch 1 1 1
//= probe uav 0 (0) i32 (20)
//= probe uav 0 (1) i32 (62)
//= probe uav 0 (2) i32 (-6)
//= probe uav 0 (3) i32 (4)
//= probe uav 0 (4) i32 (1)
//= probe uav 0 (5) i32 (-2)
//= probe uav 0 (6) i32 (35)
//= probe uav 0 (7) i32 (5)
//= probe uav 0 (8) i32 (10)
