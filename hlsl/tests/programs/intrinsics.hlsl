// Functions of numbers: each with values that are exact.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-float
//= size (buffer, 24)
//= 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    float4 x;
    uint4 n;
};
RWBuffer<float> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    result[0] = abs(x.x);
    result[1] = floor(x.x);
    result[2] = ceil(x.x);
    result[3] = round(float2(2.5, 3.5) * x.y * 2).x;
    result[4] = trunc(x.x);
    result[5] = frac(x.x);
    result[6] = clamp(x.z, 0, x.w);
    result[7] = saturate(x.x) + saturate(x.y);
    result[8] = lerp(x.z, 8, x.y);
    result[9] = step(x.y, x.z) + step(x.z, x.y) * 2;
    result[10] = smoothstep(0, 2, x.y * 2);
    result[11] = sign(x.x) * 10 + sign(x.z);
    result[12] = sqrt(x.z);
    result[13] = dot(x.zw, x.zw);
    result[14] = length(x.zw);
    result[15] = cross(float3(1, 0, 0), float3(0, x.z, 0)).z;
    result[16] = fmod(-7, x.w);
    result[17] = mad(x.z, x.w, x.y);
    result[18] = countbits(n.x);
    result[19] = firstbithigh(n.x) * 100 + firstbitlow(n.x);
    result[20] = reversebits(n.w);
    result[21] = any(n.xy) + 2 * all(n.xy) + 4 * any(n.yy);
    result[22] = f16tof32(f32tof16(x.x));
    result[23] = min(x.x, max(x.y, x.z)) + rcp(x.z);
}

//= [test]
//= uniform 0 float4 -2.25 0.5 4.0 3.0
//= uniform 4 uint4 0x0000ff00 0 5 0x80000000
//= dispatch 1 1 1
//= probe uav 0 (0) f32 (2.25)
//= probe uav 0 (1) f32 (-3)
//= probe uav 0 (2) f32 (-2)
//= probe uav 0 (3) f32 (2)
//= probe uav 0 (4) f32 (-2)
//= probe uav 0 (5) f32 (0.75)
//= probe uav 0 (6) f32 (3)
//= probe uav 0 (7) f32 (0.5)
//= probe uav 0 (8) f32 (6)
//= probe uav 0 (9) f32 (1)
//= probe uav 0 (10) f32 (0.5)
//= probe uav 0 (11) f32 (-9)
//= probe uav 0 (12) f32 (2) 1
//= probe uav 0 (13) f32 (25)
//= probe uav 0 (14) f32 (5) 1
//= probe uav 0 (15) f32 (4)
//= probe uav 0 (16) f32 (-1) 8
//= probe uav 0 (17) f32 (12.5)
//= probe uav 0 (18) f32 (8)
//= probe uav 0 (19) f32 (1508)
//= probe uav 0 (20) f32 (1)
//= probe uav 0 (21) f32 (1)
//= probe uav 0 (22) f32 (-2.25)
//= probe uav 0 (23) f32 (-2) 1
