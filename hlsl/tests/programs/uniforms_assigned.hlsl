// In backwards-compatible mode, a uniform variable can be assigned to. It keeps the new value for the whole invocation.
//= [require]
//= options: backcompat
//= shader model >= 4.0
//= shader model < 6.0
//= [srv 0]
//= size (2d, 1, 1)
//= 1.0 0.0 0.0 0.0
//= [srv 1]
//= size (2d, 1, 1)
//= 2.0 0.0 0.0 0.0
//= [pixel shader]
float4 v;
float2 w[2];
Texture2D a;
Texture2D b;

void change() {
    v.y += 10;
    w[1].x = v.y;
}

float4 main() : SV_Target {
    float before = v.y;
    change();
    Texture2D c = a;
    a = b;
    b = c;
    return float4(v.y, w[1].x + w[1].y * 100, before, a.Load(int3(0, 0, 0)).x * 10 + b.Load(int3(0, 0, 0)).x);
}

//= [test]
//= uniform 0 float4 1 2 3 4
//= uniform 4 float4 5 6 0 0
//= uniform 8 float4 7 8 0 0
//= draw quad
//= probe (0, 0) rgba (12, 812, 2, 21)
