// Stores to some components, in any order, of variables, arrays and structures.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-float
//= size (buffer, 9)
//= 0 0 0 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    float4 values;
    uint4 places;
};

struct Pair {
    float3 list[2];
};
RWBuffer<float> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    float4 v = values;
    v.zx = v.xz;
    result[0] = v.x * 1000 + v.y * 100 + v.z * 10 + v.w;
    v.yw += float2(10, 20);
    result[1] = v.y + v.w;
    for (uint i = 0; i < 4; i++)
        if (i == places.x)
            v[i] = 50;
    result[2] = v.z;
    v.xyz.y = 7;
    result[3] = v.y;
    Pair pair = (Pair)0;
    pair.list[places.y].yz = float2(5, 6);
    result[4] = pair.list[1].y * 10 + pair.list[1].z + pair.list[0].x;
    float s = 3;
    result[5] = s.xxx.y;
    v.xy = 9;
    result[6] = v.x + v.y;
    v.x = v.y = 4;
    result[7] = v.x * 10 + v.y;
    v.w++;
    result[8] = v.w--;
}

//= [test]
//= uniform 0 float4 1.0 2.0 3.0 4.0
//= uniform 4 uint4 2 1 0 0
//= dispatch 1 1 1
//= probe uav 0 (0) f32 (3214)
//= probe uav 0 (1) f32 (36)
//= probe uav 0 (2) f32 (50)
//= probe uav 0 (3) f32 (7)
//= probe uav 0 (4) f32 (56)
//= probe uav 0 (5) f32 (3)
//= probe uav 0 (6) f32 (18)
//= probe uav 0 (7) f32 (44)
//= probe uav 0 (8) f32 (25)
