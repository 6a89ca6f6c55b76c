// Products of matrices and vectors, transposition, determinants, and componentwise arithmetic.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-float
//= size (buffer, 12)
//= 0 0 0 0 0 0 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    float4 x;
    float4 y;
};
RWBuffer<float> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    float2x2 a = float2x2(x.xy, x.zw);
    float2x2 b = float2x2(y.x, y.y, y.z, y.w);
    float2x2 product = mul(a, b);
    result[0] = product._12;
    result[1] = product._21;
    result[2] = (a * a)._22;
    result[3] = transpose(a)[0][1];
    result[4] = determinant(a);
    result[5] = mul(a, float2(1, 1)).y;
    result[6] = mul(float2(1, 1), a).y;
    a[0] += 10;
    result[7] = a._11 + a._12;
    a._12_21 = float2(5, 6);
    result[8] = a[0].y * 10 + a[1].x;
    float3x3 identity = float3x3(1, 0, 0, 0, 1, 0, 0, 0, 1);
    result[9] = mul(identity, float3(7, 8, 9)).z;
    float2x2 smaller = (float2x2)identity;
    result[10] = smaller._11 + smaller._22 + smaller._12;
    result[11] = mul(float4(1, 2, 3, 4), float4(5, 6, 7, 8));
}

//= [test]
//= uniform 0 float4 1.0 2.0 3.0 4.0
//= uniform 4 float4 2.0 0.0 0.0 2.0
//= dispatch 1 1 1
//= probe uav 0 (0) f32 (4)
//= probe uav 0 (1) f32 (6)
//= probe uav 0 (2) f32 (16)
//= probe uav 0 (3) f32 (3)
//= probe uav 0 (4) f32 (-2)
//= probe uav 0 (5) f32 (7)
//= probe uav 0 (6) f32 (6)
//= probe uav 0 (7) f32 (23)
//= probe uav 0 (8) f32 (56)
//= probe uav 0 (9) f32 (9)
//= probe uav 0 (10) f32 (2)
//= probe uav 0 (11) f32 (70)
