// Only the pixel shader declares interpolation modes. The values fill whole registers, so both shaders use the same
// registers despite the different modes.
//= [require]
//= shader model >= 4.0
//= [vb 0]
//= -2.0 -2.0 0.0 1.0
//= -2.0  4.0 0.0 1.0
//=  4.0 -2.0 0.0 1.0
//= [input layout]
//= 0 r32g32b32a32-float POSITION
//= [vertex shader]
struct Corner {
    float4 position : SV_Position;
    float4 first : FIRST;
    float4 at : AT;
    float4 centre : CENTRE;
};

Corner main(float4 position : POSITION) {
    Corner corner;
    corner.position = position;
    corner.first = position;
    corner.at = position;
    corner.centre = position;
    return corner;
}
//= [pixel shader]
struct Seen {
    float4 position : SV_Position;
    nointerpolation float4 first : FIRST;
    centroid float4 at : AT;
    noperspective float4 centre : CENTRE;
};

float4 main(Seen seen) : SV_Target {
    return float4(seen.first.xy, seen.at.x, seen.centre.y);
}

//= [test]
//= draw triangle list 3
// The value at the first vertex. Also x and y, which range from -1 to 1 over 640 x 480 pixels, at the pixel centres.
//= probe (0, 0) rgba (-2.0, -2.0, -0.9984375, 0.99791666) 64
//= probe (639, 479) rgba (-2.0, -2.0, 0.9984375, -0.99791666) 64
