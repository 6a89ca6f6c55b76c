// Casts as assignment targets. They select the components to write.
//= [pixel shader]
uniform float4 v;
uniform uint i;

float4 main() : SV_Target {
    float a[5] = { -1, -2, -3, -4, -5 };
    float b[2] = { 1, 2 };
    (float[2])a = b;
    float c[4][3] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
    float d[2][2] = { 10, 20, 30, 40 };
    (float[2][2])c = d;
    float4x4 m = 0;
    (float2x3)m = float2x3(1, 2, 3, 4, 5, 6);
    float e[2][3] = { 0, 0, 0, 0, 0, 0 };
    (float[2])e[i] = b;
    float4 p = 0;
    (float2)p = v.yz;
    return float4(
        a[0] + a[1] * 10 + a[2] * 100,
        c[0][0] + c[0][1] + c[1][0] * 100 + c[1][1] * 1000,
        m[0][2] + m[1][2] * 10 + m[0][3] + m[2][0] * 100,
        e[1][0] + e[1][1] * 10 + e[1][2] * 100 + e[0][0] * 1000 + p.x * 1000 + p.y * 10000 + p.z);
}

//= [test]
//= uniform 0 float4 1 2 3 4
//= uniform 4 uint 1
//= draw quad
//= probe (0, 0) rgba (-279, 9030, 63, 32021)
