// Textures of combined samplers get the first slots. Larger arrays come first, then the order of use decides.
//= [require]
//= options: backcompat
//= shader model >= 4.0
//= shader model < 6.0
//= [srv 0]
//= size (2d, 1, 1)
//= 10.0 0.0 0.0 0.0
//= [srv 1]
//= size (2d, 1, 1)
//= 11.0 0.0 0.0 0.0
//= [srv 2]
//= size (2d, 1, 1)
//= 12.0 0.0 0.0 0.0
//= [srv 3]
//= size (2d, 1, 1)
//= 13.0 0.0 0.0 0.0
//= [srv 4]
//= size (2d, 1, 1)
//= 14.0 0.0 0.0 0.0
//= [pixel shader]
Texture2D plain;
sampler a;
sampler b;
sampler c[2];

float4 main() : SV_Target {
    return float4(tex2D(b, 0).x, tex2D(a, 0).x, tex2D(c[1], 0).x, plain.Load(int3(0, 0, 0)).x);
}

//= [test]
//= draw quad
//= probe (0, 0) rgba (12, 13, 11, 14)
