// Depth outputs of pixel shaders.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= size (2d, 2, 1)
//= [dsv]
//= size (2d, 2, 1)
//= [pixel shader]
float4 main(float4 position : SV_Position, out float depth : SV_Depth) : SV_Target {
    depth = position.x < 1 ? 0.25 : 0.75;
    return 1;
}
//= [test]
//= clear rtv 0 0 0 0 0
//= clear dsv 0.5
//= depth less
//= draw quad
//= probe (0, 0) rgba (1, 1, 1, 1)
//= probe (1, 0) rgba (0, 0, 0, 0)
//= probe dsv (0, 0) f32 (0.25)
//= probe dsv (1, 0) f32 (0.5)
//= [pixel shader]
struct Written {
    float4 color : SV_Target0;
    float depth : SV_DepthGreaterEqual;
};

Written main() {
    Written written;
    written.color = 2;
    written.depth = 0.375;
    return written;
}
//= [test]
//= clear dsv 0.5
//= draw quad
//= probe (0, 0, 2, 1) rgba (2, 2, 2, 2)
//= probe dsv (1, 0) f32 (0.375)
//= [pixel shader]
[earlydepthstencil]
float4 main(float4 position : SV_Position) : SV_Target {
    return position.z + 3;
}
//= [test]
//= clear dsv 0.5
//= depth greater equal
//= draw quad
//= probe (0, 0, 2, 1) rgba (2, 2, 2, 2)
