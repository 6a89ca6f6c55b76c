// Clip distances. Pixel shaders can also read them.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= size (2d, 4, 4)
//= [vertex shader]
struct Corner {
    float4 position : SV_Position;
    float2 first : SV_ClipDistance0;
    float second : SV_ClipDistance1;
};

Corner main(float2 position : POSITION) {
    Corner corner;
    corner.position = float4(position, 0, 1);
    corner.first = float2(position.x + 0.5, 1);     // Clips the first column.
    corner.second = 0.5 - position.y;               // Clips the first row.
    return corner;
}
//= [pixel shader]
float4 main(float4 position : SV_Position, float2 first : SV_ClipDistance0) : SV_Target {
    return float4(first, 1, 1);
}
//= [test]
//= clear rtv 0 0 0 0 0
//= draw quad
//= probe (0, 0, 4, 1) rgba (0, 0, 0, 0)
//= probe (0, 0, 1, 4) rgba (0, 0, 0, 0)
//= probe (1, 1) rgba (0.25, 1, 1, 1) 16
//= probe (3, 3) rgba (1.25, 1, 1, 1) 16
