// Discarded pixels write neither to the target nor to buffers.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= size (2d, 4, 1)
//= [uav 1]
//= format r32-uint
//= size (buffer, 4)
//= 0 0 0 0
//= [pixel shader]
RWBuffer<uint> written : register(u1);

float4 main(float4 position : SV_Position) : SV_Target {
    uint x = position.x;
    if (x == 0)
        discard;
    clip(x == 1 ? -1.0 : 1.0);
    clip(float3(1, 0, x == 2 ? -0.5 : 0.0));
    written[x] = 5;
    return x;
}

//= [test]
//= clear rtv 0 9 9 9 9
//= draw quad
//= probe (0, 0, 3, 1) rgba (9, 9, 9, 9)
//= probe (3, 0) rgba (3, 3, 3, 3)
//= probe uav 1 (0) u32 (0)
//= probe uav 1 (1) u32 (0)
//= probe uav 1 (2) u32 (0)
//= probe uav 1 (3) u32 (5)
