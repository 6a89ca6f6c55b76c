// Texel loads, sampling, dimensions, and textures as function arguments.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= size (2d, 2, 2)
//= levels 2
//= 1.0 0.0 0.0 0.0  2.0 0.0 0.0 0.0
//= 3.0 0.0 0.0 0.0  4.0 0.0 0.0 0.0
//= 8.0 0.0 0.0 0.0
//= [srv 1]
//= format r32-float
//= size (2darray, 2, 1, 2)
//= 11.0 12.0
//= 13.0 14.0
//= [srv 2]
//= format r32-float
//= size (buffer, 3)
//= 31.0 32.0 33.0
//= [sampler 0]
//= filter linear linear linear
//= address clamp clamp clamp
//= [uav 0]
//= format r32-float
//= size (buffer, 9)
//= 0 0 0 0 0 0 0 0 0
//= [compute shader]
Texture2D plain : register(t0);
Texture2DArray layers : register(t1);
Buffer<float> typed : register(t2);
SamplerState smooth : register(s0);

cbuffer Values : register(b0) {
    float4 v;
};

float read(Texture2D argument, int2 at) {
    return argument[at].x;
}
RWBuffer<float> result : register(u0);

[numthreads(1, 1, 1)]
void main() {
    result[0] = read(plain, int2(1, 0));
    result[1] = plain.Load(int3(0, 1, 0)).x;
    result[2] = plain.mips[1][int2(0, 0)].x;
    result[3] = plain.SampleLevel(smooth, v.xx, 0).x;
    result[4] = plain.SampleLevel(smooth, float2(v.x, v.y), 1).x;
    uint width, height, levels;
    plain.GetDimensions(0, width, height, levels);
    result[5] = width * 100 + height * 10 + levels;
    result[6] = layers[uint3(1, 0, 1)].x;
    result[7] = typed[2];
    result[8] = plain.Load(int3(5, 5, 0)).x;
}

//= [test]
//= uniform 0 float4 0.5 0.25 1.0 0.0
//= dispatch 1 1 1
//= probe uav 0 (0) f32 (2)
//= probe uav 0 (1) f32 (3)
//= probe uav 0 (2) f32 (8)
//= probe uav 0 (3) f32 (2.5)
//= probe uav 0 (4) f32 (8)
//= probe uav 0 (5) f32 (222)
//= probe uav 0 (6) f32 (14)
//= probe uav 0 (7) f32 (33)
//= probe uav 0 (8) f32 (0)
