// Shifts use the low five bits of their count; of signed numbers they keep the sign.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-uint
//= size (buffer, 6)
//= 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    int4 whole;
    uint4 natural;
};
RWBuffer<uint> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    result[0] = uint(whole.x >> whole.z);
    result[1] = uint(whole.x >> whole.y);
    result[2] = uint(whole.x << whole.z);
    result[3] = natural.x >> natural.y;
    result[4] = natural.x << natural.z;
    result[5] = natural.x >> natural.w;
}

//= [test]
//= uniform 0 int4 -16 33 2 31
//= uniform 4 uint4 0x80000001 33 4 31
//= dispatch 1 1 1
//= probe uav 0 (0) u32 (4294967292)
//= probe uav 0 (1) u32 (4294967288)
//= probe uav 0 (2) u32 (4294967232)
//= probe uav 0 (3) u32 (1073741824)
//= probe uav 0 (4) u32 (16)
//= probe uav 0 (5) u32 (1)
