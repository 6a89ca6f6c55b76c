// Returns from the middle of functions, loops and the entry point.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-uint
//= size (buffer, 5)
//= 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    uint4 values;
};

uint find(uint n) {
    for (uint i = 0; i < 10; i++) {
        if (i == n)
            return i;
    }
    return 99;
}

uint nested(uint a, uint b) {
    for (uint i = 0; i < 10; i++) {
        for (uint j = 0; j < 10; j++) {
            if (i == a && j == b)
                return 10 * i + j;
        }
    }
    return 0;
}
RWBuffer<uint> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    result[0] = find(values.x);
    result[1] = find(values.z);
    result[2] = nested(values.x, values.y);
    result[3] = 1;
    if (values.x == 3) {
        result[4] = 2;
        return;
    }
    result[3] = 5;
    result[4] = 5;
}

//= [test]
//= uniform 0 uint4 3 7 100 0
//= dispatch 1 1 1
//= probe uav 0 (0) u32 (3)
//= probe uav 0 (1) u32 (99)
//= probe uav 0 (2) u32 (37)
//= probe uav 0 (3) u32 (1)
//= probe uav 0 (4) u32 (2)
