// Static variables keep their values during all calls of a thread. Constant arrays accept dynamic indices. Uniform
// variables may be declared outside cbuffers.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-uint
//= size (buffer, 7)
//= 0 0 0 0 0 0 0
//= [compute shader]
uint offset;
uint2 pair;
static const uint table[3] = { 10, 20, 30 };
static const uint grid[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
static uint counter = 10;
static uint shadowed;

void count_up() {
    counter++;
}

uint local() {
    static uint calls = 0;
    calls += 1;
    return calls;
}

uint outside() {
    return shadowed;
}
RWBuffer<uint> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    result[0] = table[offset];
    count_up();
    count_up();
    result[1] = counter;
    result[2] = local();
    result[3] = local();
    result[4] = grid[offset][pair.y - 1];
    shadowed = 3;
    uint shadowed = 4;
    result[5] = shadowed * 10 + outside();
    result[6] = pair.x * 10 + pair.y;
}

//= [test]
//= uniform 0 uint4 1 2 3 0
//= dispatch 1 1 1
//= probe uav 0 (0) u32 (20)
//= probe uav 0 (1) u32 (12)
//= probe uav 0 (2) u32 (1)
//= probe uav 0 (3) u32 (2)
//= probe uav 0 (4) u32 (6)
//= probe uav 0 (5) u32 (43)
//= probe uav 0 (6) u32 (23)
