// The sky, drawn as one triangle that covers the picture at the far plane.

struct Fragment
{
    float4 position : SV_Position;
    float2 place : PLACE;
};

Fragment vs_sky(uint index : SV_VertexID)
{
    Fragment fragment;
    fragment.place = float2(index & 1, index >> 1) * 4.0 - 1.0;
    fragment.position = float4(fragment.place, 1.0, 1.0);
    return fragment;
}

float4 ps_sky(Fragment fragment) : SV_Target
{
    float4 far = mul(directions, float4(fragment.place, 1.0, 1.0));
    float3 direction = normalize(far.xyz / far.w - eye.xyz);
    float disc = smoothstep(0.9994, 0.9997, dot(direction, to_sun.xyz)) * 6.0;
    return float4(tone_map(sky(direction) + sun_color.rgb * disc), 1.0);
}
