// A pixel shader that writes several targets, in a structure and an out parameter, and discards some pixels.
//= [rtv 0]
//= size (2d, 4, 4)
//= [rtv 1]
//= format r32-float
//= size (2d, 4, 4)
//= [rtv 2]
//= format r32-uint
//= size (2d, 4, 4)
//= [pixel shader]
struct Targets {
    float4 color : SV_Target0;
    float depth : SV_Target1;
};

Targets main(float4 position : SV_Position, out uint number : SV_Target2) {
    Targets targets;
    targets.color = float4(1, 2, 3, 4);
    targets.depth = position.y;
    number = uint(position.x);
    clip(position.x < 2 ? 1 : -1);
    if (position.y > 3)
        discard;
    return targets;
}
//= [test]
//= clear rtv 0 9 9 9 9
//= clear rtv 1 9 0 0 0
//= clear rtv 2 9 0 0 0
//= draw quad
//= probe rtv 0 (0, 0, 2, 3) rgba (1, 2, 3, 4)
//= probe rtv 0 (2, 0, 4, 4) rgba (9, 9, 9, 9)
//= probe rtv 0 (0, 3) rgba (9, 9, 9, 9)
//= probe rtv 1 (1, 2) f32 (2.5)
//= probe rtv 2 (1, 2) u32 (1)
//= probe rtv 2 (3, 2) u32 (9)
