// A dropped pixel still counts for its neighbour's derivative, but stores nothing. Every second pixel is dropped.
//= [require]
//= shader model >= 5.0
//= [uav 1]
//= stride 4
//= size (buffer, 3)
//= 0 0 0
//= [uav 2]
//= format r32-uint
//= size (2d, 2, 1)
//= 0 0
//= [pixel shader]
RWStructuredBuffer<uint> kept : register(u1);
RWTexture2D<uint> marks : register(u2);

float square(float x) {
    return x * x;
}

float4 main(float4 position : SV_Position) : SV_Target {
    uint2 at = uint2(position.xy);
    clip((at.x & 1) ? -1 : 1);
    uint before;
    InterlockedAdd(kept[0], 1, before);
    if (at.y == 0 && at.x < 2) {
        kept[1 + at.x] = 5;
        marks[at] = 6;
    }
    // (x + 1.5)^2 - (x + 0.5)^2 = 2x + 2
    return float4(ddx(square(position.x)), at.x, 0, 1);
}

//= [test]
//= clear rtv 0 9.0 9.0 9.0 9.0
//= draw quad
//= probe (0, 0) rgba (2.0, 0.0, 0.0, 1.0)
//= probe (1, 0) rgba (9.0, 9.0, 9.0, 9.0)
//= probe (10, 7) rgba (22.0, 10.0, 0.0, 1.0)
//= probe (11, 7) rgba (9.0, 9.0, 9.0, 9.0)
// Half of 640 x 480.
//= probe uav 1 (0) u32 (153600)
//= probe uav 1 (1) u32 (5)
//= probe uav 1 (2) u32 (0)
//= probe uav 2 (0, 0) u32 (6)
//= probe uav 2 (1, 0) u32 (0)
