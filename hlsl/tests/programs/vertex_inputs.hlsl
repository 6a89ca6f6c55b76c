// Vertex shader inputs of all types, with fewer and with more components than the vertex buffer provides.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= size (2d, 1, 1)
//= [vb 0]
//= -2.0 -2.0  1 -2  3.5  7 8 9 10
//= -2.0  4.0  1 -2  3.5  7 8 9 10
//=  4.0 -2.0  1 -2  3.5  7 8 9 10
//= [input layout]
//= 0 r32g32-float POSITION
//= 0 r32g32-sint SIGNED
//= 0 r32-float SINGLE 4
//= 0 r32g32b32a32-uint NATURAL
//= [vertex shader]
struct Nested {
    int2 pair : SIGNED;
    float single : SINGLE4;
};

struct Corner {
    float4 position : SV_Position;
    nointerpolation int4 a : A0;
    nointerpolation uint4 b : B0;
    nointerpolation float4 c : C0;
};

void main(float4 position : POSITION, Nested nested, uint3 natural : natural0, out Corner corner) {
    corner.position = position;
    corner.a = int4(nested.pair, 0, 0);
    corner.b = uint4(natural, 1);
    corner.c = float4(position.zw, nested.single, 0);
}
//= [pixel shader]
#include "show.hlsli"

void main(
    float4 position : SV_Position,
    nointerpolation int4 a : A,
    nointerpolation uint4 b : B,
    nointerpolation float4 c : C,
    out float4 color : SV_Target
) {
    SHOW(a);    //=> int4 1 -2 0 0
    SHOW(b);    //=> uint4 7 8 9 1
    SHOW(c);    //=> float4 0 1 3.5 0
    color = 1;
}

//= [test]
//= draw triangle list 3
