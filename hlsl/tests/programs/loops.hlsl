// Loops of all kinds with break and continue, nested loops, and loops with the condition at the end.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-uint
//= size (buffer, 8)
//= 0 0 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    uint4 count;
};
RWBuffer<uint> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    uint sum = 0;
    for (uint i = 0; i < count.x; i++)
        sum += i;
    result[0] = sum;
    sum = 0;
    for (uint j = 0; j < count.z; ++j) {
        if (j % 2 == 0)
            continue;
        if (j > 6)
            break;
        sum += j;
    }
    result[1] = sum;
    uint n = count.z;
    uint steps = 0;
    while (n != 1) {
        n = (n & 1) ? 3 * n + 1 : n / 2;
        steps++;
    }
    result[2] = steps;
    uint k = 0;
    do {
        k += 4;
        if (k == 8)
            continue;
    } while (k < count.z);
    result[3] = k;
    sum = 0;
    for (uint a = 0; a < count.y; a++) {
        for (uint b = 0; ; b++) {
            if (b > a)
                break;
            sum += 10 * a + b;
        }
    }
    result[4] = sum;
    sum = 0;
    [unroll]
    for (uint c = 0; c < 4; c++)
        sum = sum * 10 + c;
    result[5] = sum;
    [loop]
    for (uint d = 0, e = 10; d < e; d++, e--)
        sum = d;
    result[6] = sum;
    do
        sum++;
    while (false);
    result[7] = sum;
}

//= [test]
//= uniform 0 uint4 5 3 10 0
//= dispatch 1 1 1
//= probe uav 0 (0) u32 (10)
//= probe uav 0 (1) u32 (9)
//= probe uav 0 (2) u32 (6)
//= probe uav 0 (3) u32 (12)
//= probe uav 0 (4) u32 (84)
//= probe uav 0 (5) u32 (123)
//= probe uav 0 (6) u32 (4)
//= probe uav 0 (7) u32 (5)
