// Variables of patch types that are not parameters of a stage are arrays that cannot be assigned to.
//= [require]
//= shader model < 6.0
//= [pixel shader]
InputPatch<float2, 2> uniforms;
uniform uint i;

float4 main() : SV_Target {
    OutputPatch<float2, 2> copy = uniforms;
    return float4(uniforms[i], copy[0]);
}

//= [test]
//= uniform 0 float4 1 2 0 0
//= uniform 4 float4 3 4 0 0
//= uniform 6 uint 1
//= draw quad
//= probe (0, 0) rgba (3, 4, 1, 2)
