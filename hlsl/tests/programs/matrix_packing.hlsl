// Matrices in constant buffers are packed by columns unless they are declared row_major. A vector of three components
// does not cross the end of a 16-byte row.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-float
//= size (buffer, 12)
//= 0 0 0 0 0 0 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    float3x2 columns;
    row_major float2x2 rows;
    float3 first;
    float3 second;
    float last;
};
RWBuffer<float> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    result[0] = columns._11;
    result[1] = columns._21;
    result[2] = columns._12;
    result[3] = columns[2][1];
    result[4] = rows._12;
    result[5] = rows._m10;
    float2 row = rows[1];
    result[6] = row.y;
    result[7] = dot(mul(columns, float2(1, 10)), 1);
    result[8] = mul(float3(1, 0, 2), columns).x;
    result[9] = first.z;
    result[10] = second.x;
    result[11] = last;
}

//= [test]
//= uniform 0 float4 1.0 2.0 3.0 99.0
//= uniform 4 float4 4.0 5.0 6.0 99.0
//= uniform 8 float4 7.0 8.0 99.0 99.0
//= uniform 12 float4 9.0 10.0 99.0 99.0
//= uniform 16 float4 11.0 12.0 13.0 99.0
//= uniform 20 float4 14.0 15.0 16.0 17.0
//= dispatch 1 1 1
//= probe uav 0 (0) f32 (1)
//= probe uav 0 (1) f32 (2)
//= probe uav 0 (2) f32 (4)
//= probe uav 0 (3) f32 (6)
//= probe uav 0 (4) f32 (8)
//= probe uav 0 (5) f32 (9)
//= probe uav 0 (6) f32 (10)
//= probe uav 0 (7) f32 (156)
//= probe uav 0 (8) f32 (7)
//= probe uav 0 (9) f32 (13)
//= probe uav 0 (10) f32 (14)
//= probe uav 0 (11) f32 (17)
