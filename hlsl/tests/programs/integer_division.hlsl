// Division and remainder of integers: towards zero, and all ones where the divisor is zero.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-sint
//= size (buffer, 8)
//= 0 0 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    int4 whole;
    uint4 natural;
};
RWBuffer<int> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    result[0] = whole.x / whole.z;
    result[1] = whole.x % whole.z;
    result[2] = whole.y / -whole.z;
    result[3] = whole.y % -whole.z;
    result[4] = int(natural.x / natural.y);
    result[5] = int(natural.x / natural.z);
    result[6] = int(natural.x % natural.z);
    result[7] = int(natural.w / natural.y);
}

//= [test]
//= uniform 0 int4 -7 7 2 0
//= uniform 4 uint4 7 2 0 0xffffffff
//= dispatch 1 1 1
//= probe uav 0 (0) i32 (-3)
//= probe uav 0 (1) i32 (-1)
//= probe uav 0 (2) i32 (-3)
//= probe uav 0 (3) i32 (1)
//= probe uav 0 (4) i32 (3)
//= probe uav 0 (5) i32 (-1)
//= probe uav 0 (6) i32 (-1)
//= probe uav 0 (7) i32 (2147483647)
