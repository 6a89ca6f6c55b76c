// Texels and typed buffer elements of structure or matrix type: loads, component access, stores and function results.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= size (2d, 2, 1)
//= 1.0 2.0 3.0 4.0  5.0 6.0 7.0 8.0
//= [srv 1]
//= format r32g32b32a32-uint
//= size (buffer, 2)
//= 10 20 30 0  40 50 60 0
//= [sampler 0]
//= filter point point point
//= address clamp clamp clamp
//= [uav 0]
//= format r32-float
//= size (buffer, 9)
//= 0 0 0 0 0 0 0 0 0
//= [uav 1]
//= format r32g32b32a32-float
//= size (2d, 2, 1)
//= 0.0 0.0 0.0 0.0  0.0 0.0 0.0 0.0
//= [compute shader]
struct Part {
    float first;
    float2 middle;
    float last;
};

struct Triple {
    uint2 pair;
    uint single;
};

Texture2D<Part> parts : register(t0);
Buffer<Triple> triples : register(t1);
SamplerState nearest : register(s0);
RWBuffer<float> result : register(u0);
RWTexture2D<Part> stored : register(u1);

cbuffer Values : register(b0) {
    uint one;
};

Part sampled(Texture2D<Part> from) {
    return from.SampleLevel(nearest, float2(0.75, 0.5), 0);
}

[numthreads(1, 1, 1)]
void main() {
    Part part = sampled(parts);
    result[0] = part.first * 100 + part.middle.y * 10 + part.last;
    result[1] = parts[uint2(0, 0)].middle.y;
    result[2] = parts.Load(int3(one, 0, 0)).middle[one];
    result[3] = triples[one].pair.y + triples[0].single;
    Triple triple = triples.Load(1);
    result[4] = triple.single;
    part.middle = float2(0.5, 0.25);
    stored[uint2(1, 0)] = part;
}

//= [test]
//= uniform 0 uint 1
//= dispatch 1 1 1
//= probe uav 0 (0) f32 (578)
//= probe uav 0 (1) f32 (3)
//= probe uav 0 (2) f32 (7)
//= probe uav 0 (3) f32 (80)
//= probe uav 0 (4) f32 (60)
//= probe uav 1 (0, 0) rgba (0.0, 0.0, 0.0, 0.0)
//= probe uav 1 (1, 0) rgba (5.0, 0.5, 0.25, 8.0)
