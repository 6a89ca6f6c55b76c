// Objects in structure parameters of the entry point get registers after the objects of variables. Structures and
// arrays of samplers get registers before single samplers.
//= [require]
//= shader model >= 5.0
//= [srv 0]
//= size (2d, 2, 1)
//= 0.0 0.0 0.0 0.0   1.0 0.0 0.0 0.0
//= [srv 1]
//= size (2d, 1, 1)
//= 2.0 0.0 0.0 0.0
//= [srv 2]
//= size (2d, 1, 1)
//= 3.0 0.0 0.0 0.0
//= [srv 3]
//= size (2d, 1, 1)
//= 4.0 0.0 0.0 0.0
//= [sampler 0]
//= filter point point point
//= [sampler 1]
//= filter linear linear linear
//= [sampler 2]
//= filter point point point
//= [pixel shader]
Texture2D ramp;
SamplerState single;

struct Input {
    Texture2D unused;
    Texture2D pair[2];
    SamplerState samplers[2];
    float4 position : SV_Position;
};

float4 read(Input i) {
    return i.pair[0].Load(int3(0, 0, 0)) + 10 * i.pair[1].Load(int3(0, 0, 0));
}

float4 main(Input input, uniform float scale) : SV_Target {
    float first = ramp.Sample(input.samplers[1], float2(0.5, 0.5)).x;
    float second = ramp.Sample(single, float2(0.7, 0.5)).x;
    return float4(scale * read(input).x, first, second, input.position.y);
}

//= [test]
//= uniform 0 float 2
//= draw quad
//= probe (0, 0) rgba (86, 0.5, 1, 0.5)
