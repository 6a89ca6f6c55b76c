// Conversions between numbers, and between their bits.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-uint
//= size (buffer, 11)
//= 0 0 0 0 0 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    float4 decimal;
    int4 whole;
};
RWBuffer<uint> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    result[0] = asuint(int(decimal.x));
    result[1] = uint(decimal.y);
    result[2] = asuint(float(whole.x));
    result[3] = asuint(float(uint(whole.x)));
    result[4] = uint(bool(decimal.z)) + 2 * uint(bool(whole.x));
    result[5] = asuint(asfloat(whole.w) - asfloat(whole.w));
    result[6] = asuint(true + true);
    result[7] = uint(decimal.w == 1) * 5;
    float truncated = whole.y / 4;
    result[8] = asuint(truncated);
    int3 three = int4(decimal).yxw;
    result[9] = asuint(three.x * 100 + three.y * 10 + three.z);
    half small = 0.5h;
    result[10] = asuint(small + whole.y);
}

//= [test]
//= uniform 0 float4 -2.75 3.5 0.0 1.0
//= uniform 4 int4 -1 2 0 0x40490fdb
//= dispatch 1 1 1
//= probe uav 0 (0) u32 (4294967294)
//= probe uav 0 (1) u32 (3)
//= probe uav 0 (2) u32 (3212836864)
//= probe uav 0 (3) u32 (1333788672)
//= probe uav 0 (4) u32 (2)
//= probe uav 0 (5) u32 (0)
//= probe uav 0 (6) u32 (2)
//= probe uav 0 (7) u32 (5)
//= probe uav 0 (8) u32 (0)
//= probe uav 0 (9) u32 (281)
//= probe uav 0 (10) u32 (1075838976)
