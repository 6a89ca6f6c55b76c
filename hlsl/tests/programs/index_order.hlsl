// An index is evaluated before the indexed expression.
//= [require]
//= shader model < 6.0
//= [pixel shader]
static uint count;

float4 next() {
    count += 1;
    return float4(0, 1, 2, 3) + 10 * count;
}

float4 main() : SV_Target {
    float a[3] = { 0, 2, 3 };
    float first = a[a[1] = 1];
    return float4(next()[next().x - 10], first, 0, count);
}

//= [test]
//= draw quad
//= probe (0, 0) rgba (20, 1, 0, 2)
