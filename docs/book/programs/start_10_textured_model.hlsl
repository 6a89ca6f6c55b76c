cbuffer View : register(b0)
{
    float4x4 to_clip;
    float4 eye;
};

cbuffer Surface : register(b1)
{
    float4 surface_color;
    float metallic;
    float roughness;
};

Texture2D image : register(t0);
SamplerState image_sampler : register(s0);

struct Corner
{
    float4 position : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
    float2 texcoord : TEXCOORD;
};

Corner vs_main(float3 position : POSITION, float3 normal : NORMAL, float2 texcoord : TEXCOORD)
{
    Corner corner;
    corner.position = mul(to_clip, float4(position, 1.0));
    corner.world = position;
    corner.normal = normal;
    corner.texcoord = texcoord;
    return corner;
}

// The light of the sky from a direction: dark below, bright above.
float3 sky(float3 direction)
{
    return lerp(float3(0.10, 0.09, 0.08), float3(0.45, 0.55, 0.75), 0.5 + 0.5 * direction.y);
}

float4 ps_main(Corner corner) : SV_Target
{
    float3 color = surface_color.rgb * image.Sample(image_sampler, corner.texcoord).rgb;
    float3 normal = normalize(corner.normal);
    float3 to_eye = normalize(eye.xyz - corner.world);
    float3 to_sun = normalize(float3(0.4, 0.9, 0.6));
    // Scattered light of the sun (Lambert) and of the sky. Metals scatter no light.
    float facing = max(dot(normal, to_sun), 0.0);
    float3 scattered = color * (1.0 - metallic) * (facing * float3(1.0, 0.92, 0.8) + sky(normal) * 0.6);
    // Reflected light of the sun (Blinn-Phong) and of the sky. The highlight is smaller and brighter on
    // smooth surfaces. The reflectance (Schlick) grows from 4 %, or a metal's colour, to 1 at grazing angles.
    float power = 2.0 / (roughness * roughness * roughness * roughness);
    float highlight = facing * power / 60.0 * pow(max(dot(normal, normalize(to_eye + to_sun)), 0.0), power);
    float3 mirrored = sky(reflect(-to_eye, normal)) * (1.0 - 0.7 * roughness);
    float3 least = lerp((float3)0.04, color, metallic);
    float3 reflectance = least + (1.0 - least) * pow(saturate(1.0 - dot(normal, to_eye)), 5.0);
    return float4(scattered + reflectance * (highlight + mirrored), 1.0);
}
