// Vertex shader outputs are linked to pixel shader inputs by semantic, in any order.
//= [vb 0]
//= -2.0 -2.0 0.0 1.0
//= -2.0  4.0 0.0 1.0
//=  4.0 -2.0 0.0 1.0
//= [input layout]
//= 0 r32g32b32a32-float POSITION
//= [vertex shader]
float4 shift;

struct Corner {
    float4 position : SV_Position;
    float2 first : FIRST;
    nointerpolation uint number : NUMBER;
    float3 list[2] : LIST;
};

Corner main(float4 position : POSITION, uint id : SV_VertexID) {
    Corner corner;
    corner.position = position;
    corner.first = shift.xy;
    corner.number = 7;
    corner.list[0] = 1;
    corner.list[1] = float3(2, 3, id * 0 + 4);
    return corner;
}
//= [pixel shader]
struct Seen {
    float4 position : SV_Position;
    float2 first : FIRST;
    nointerpolation uint number : NUMBER;
    float3 list[2] : LIST;
};

float4 main(Seen seen) : SV_Target {
    return float4(seen.first.y, seen.number, seen.list[1].z + seen.list[0].x, floor(seen.position.x));
}

//= [test]
//= uniform 0 float4 5.0 6.0 0.0 0.0
//= draw triangle list 3
//= probe (3, 4) rgba (6.0, 7.0, 5.0, 3.0)
//= probe (639, 479) rgba (6.0, 7.0, 5.0, 639.0)
