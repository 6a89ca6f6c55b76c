// The three multiplications in the book's table of matrices, with the bytes from the table. Each moves a point by (1,
// 2, 3). The matrix is `glam::Mat4::from_translation` of this vector.
//= [require]
//= shader model >= 5.0
//= [compute shader]
#include "show.hlsli"

float4x4 asItIs;
float4x4 transposed;
row_major float4x4 byRows;

[numthreads(1, 1, 1)]
void main() {
    float4 position = float4(10, 20, 30, 1);
    SHOW(mul(asItIs, position));     //=> float4 11 22 33 1
    SHOW(mul(position, transposed)); //=> float4 11 22 33 1
    SHOW(mul(position, byRows));     //=> float4 11 22 33 1
}
//= [test]
//= uniform 0 float4 1 0 0 0
//= uniform 4 float4 0 1 0 0
//= uniform 8 float4 0 0 1 0
//= uniform 12 float4 1 2 3 1
//= uniform 16 float4 1 0 0 1
//= uniform 20 float4 0 1 0 2
//= uniform 24 float4 0 0 1 3
//= uniform 28 float4 0 0 0 1
//= uniform 32 float4 1 0 0 0
//= uniform 36 float4 0 1 0 0
//= uniform 40 float4 0 0 1 0
//= uniform 44 float4 1 2 3 1
//= dispatch 1 1 1
