// Out and inout parameters are copied in the order of the arguments, even through conversions and swizzles.
//= [require]
//= shader model >= 5.0
//= [uav 0]
//= format r32-float
//= size (buffer, 8)
//= 0 0 0 0 0 0 0 0
//= [compute shader]
cbuffer Values : register(b0) {
    float4 values;
};

void set(out float target, float value) {
    target = value;
}

void swap(inout float a, inout float b) {
    float old = a;
    a = b;
    b = old;
}

void twice(inout float a) {
    a *= 2;
}

void twice(inout float2 a) {
    a *= 2;
}

void fill(inout float list[3]) {
    for (int i = 0; i < 3; i++)
        list[i] += 5;
}

float early(inout float a, bool yes) {
    a += 1;
    if (yes)
        return 2;
    a = 100;
    return 3;
}

void sincosOf(out float sine, out float cosine) {
    sine = 2;
    cosine = 1;
}
RWBuffer<float> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    float a;
    set(a, 3);
    result[0] = a;
    float4 v = values;
    swap(v.x, v.w);
    result[1] = v.x * 10 + v.w;
    int whole = 7;
    twice(whole);
    result[2] = whole;
    float list[3] = { 1, 2, 3 };
    fill(list);
    result[3] = list[0] + list[2];
    uint place = 0;
    set(list[place++], 8);
    result[4] = list[0] * 10 + place;
    v = 1;
    twice(v.yz);
    result[5] = v.x + v.y * 10 + v.z * 100;
    float kept = 5;
    float given = early(kept, true);
    result[6] = given * 100 + kept;
    float2 both;
    sincosOf(both.y, both.x);
    result[7] = both.x * 10 + both.y;
}

//= [test]
//= uniform 0 float4 1.5 2.5 3.5 4.5
//= dispatch 1 1 1
//= probe uav 0 (0) f32 (3)
//= probe uav 0 (1) f32 (46.5)
//= probe uav 0 (2) f32 (14)
//= probe uav 0 (3) f32 (14)
//= probe uav 0 (4) f32 (81)
//= probe uav 0 (5) f32 (221)
//= probe uav 0 (6) f32 (206)
//= probe uav 0 (7) f32 (12)
