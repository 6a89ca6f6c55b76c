// A shader that runs once per sample receives the position of the pixel centre.
//= [require]
//= shader model >= 4.1
//= [rtv 0]
//= format r32g32b32a32-float
//= size (2dms, 4, 640, 480)
//= [pixel shader]
float4 main(float4 position : SV_Position, uint sample : SV_SampleIndex) : SV_Target {
    return float4(abs(frac(position.xy) - 0.5), floor(position.x), sample);
}

//= [test]
//= draw quad
//= probe (3, 0) rgba (0, 0, 3, 1.5)
