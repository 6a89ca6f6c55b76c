// The sample count and the sample positions of the render targets.
//= [require]
//= shader model >= 4.1
//= [rtv 0]
//= format r32g32b32a32-float
//= size (2dms, 4, 4, 4)
//= [pixel shader]
float4 main() : SV_Target {
    float2 second = GetRenderTargetSamplePosition(1);
    return float4(GetRenderTargetSampleCount(), second, all(GetRenderTargetSamplePosition(4) == 0));
}
//= [test]
//= draw quad
//= probe (0, 0) rgba (4, 0.375, -0.125, 1)
//= [pixel shader]
float4 main(uint index : SV_SampleIndex) : SV_Target {
    float2 position = GetRenderTargetSamplePosition(index);
    return float4(position, position * position);
}
//= [test]
//= draw quad
//= probe (0, 0) rgba (0, 0, 0.078125, 0.078125)
//= [rtv 0]
//= size (2d, 4, 4)
//= [pixel shader]
uint count() { return GetRenderTargetSampleCount(); }

float4 main() : SV_Target {
    return float4(count(), GetRenderTargetSamplePosition(0), GetRenderTargetSamplePosition(int(count())).x);
}
//= [test]
//= draw quad
//= probe (0, 0) rgba (1, 0, 0, 0)
