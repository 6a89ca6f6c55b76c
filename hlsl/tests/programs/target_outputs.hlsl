// Several targets of different types, with gaps between them. Some outputs have fewer components than their target.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= format r32-uint
//= size (2d, 1, 1)
//= [rtv 1]
//= format r32g32b32a32-sint
//= size (2d, 1, 1)
//= [rtv 3]
//= format r32g32-float
//= size (2d, 1, 1)
//= [pixel shader]
struct Written {
    uint natural : SV_Target0;
    float2 last : SV_Target3;
};

Written main(float4 position : SV_Position, out int4 whole : SV_Target1) {
    whole = int4(1, -2, 3, -4);
    Written written;
    written.natural = 0xfffffffe;
    written.last = position.xy;
    return written;
}

//= [test]
//= draw quad
//= probe rtv 0 (0, 0) u32 (0xfffffffe)
//= probe rtv 1 (0, 0) i32 (1, -2, 3, -4)
//= probe rtv 3 (0, 0) f32 (0.5, 0.5)
