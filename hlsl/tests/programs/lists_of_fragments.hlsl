// Per-pixel fragment lists for order-independent transparency. The list heads are in a typed buffer with an element for
// each pixel at y * width + x, because atomic exchanges of texels are not supported.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= format r32g32b32a32-float
//= size (2d, 4, 4)
//= [uav 1]
//= format r32-uint
//= size (buffer, 17)
//= 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//= [uav 2]
//= format r32-uint
//= size (buffer, 96)
//= 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//= 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//= 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
//= [pixel shader]
// The number of nodes is stored after the heads. A node has a value, and the index of the next node plus 1, or 0.
RWBuffer<uint> heads : register(u1);
RWBuffer<uint> nodes : register(u2);
uint value;

float4 main(float4 position : SV_Position) : SV_Target {
    uint2 pixel = position.xy;
    uint node, next;
    InterlockedAdd(heads[16], 1, node);
    InterlockedExchange(heads[pixel.y * 4 + pixel.x], node + 1, next);
    nodes[2 * node] = value + pixel.x;
    nodes[2 * node + 1] = next;
    return 0;
}
//= [test]
//= uniform 0 uint 1
//= draw quad
//= uniform 0 uint 10
//= draw quad
//= uniform 0 uint 20
//= draw quad
//= probe uav 1 (16) u32 (48)
//= [pixel shader]
RWBuffer<uint> heads : register(u1);
RWBuffer<uint> nodes : register(u2);

float4 main(float4 position : SV_Position) : SV_Target {
    uint2 pixel = position.xy;
    uint values = 0, count = 0;
    for (uint node = heads[pixel.y * 4 + pixel.x]; node != 0; node = nodes[2 * node - 1]) {
        values |= 1u << nodes[2 * node - 2];
        count++;
    }
    return float4(values == 0x100402u << pixel.x, count, heads[16], 0);
}
//= [test]
//= draw quad
//= probe (0, 0, 4, 4) rgba (1, 3, 48, 0)
