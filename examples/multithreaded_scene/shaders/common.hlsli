// Declarations shared by the scene's shaders. These are common.wgsl, surface.wgsl and sky.wgsl in HLSL.

struct Material
{
    float4 base_color;
    float3 emissive;
    float alpha_cutoff;
    float metallic;
    float roughness;
    float normal_scale;
    float occlusion_strength;
    uint has_normal_texture;
    uint unlit;
    uint keeps_alpha;
    // Two rows for each texture: a 2x3 transform of texture coordinates. The first row's w selects the set of
    // texture coordinates.
    float4 texcoords[10];
};

struct Lamp
{
    float4 position;
    float4 color;
};

cbuffer Object : register(b0)
{
    float4x4 object_world;
    float3x3 object_normal;
    float4 object_color;
};

cbuffer View : register(b1)
{
    float4x4 view_projection;
    float4x4 directions; // from clip space to world space
    float4 eye; // w: seconds into the animation
};

cbuffer Surface : register(b2)
{
    Material material;
};

cbuffer Lights : register(b3)
{
    float4x4 shadow;
    float4 to_sun; // w: one over the extent of the shadow map
    float4 sun_color;
    Lamp lamps[3];
};

static const float3 ZENITH = float3(0.13, 0.29, 0.62);
static const float3 PALE = float3(0.42, 0.58, 0.80);
static const float3 HAZE = float3(0.98, 0.74, 0.54);
static const float3 EARTH = float3(0.30, 0.25, 0.21);

// Returns the light from a direction: a clear evening sky above, and the ground below.
float3 sky(float3 direction)
{
    float height = direction.y;
    float toward_sun = max(dot(direction, to_sun.xyz), 0.0);
    float3 low = lerp(HAZE, PALE, smoothstep(-0.01, 0.13, height));
    float3 above = lerp(low, ZENITH, smoothstep(0.06, 0.70, height));
    float3 glow = float3(1.0, 0.62, 0.32) * (0.30 * pow(toward_sun, 6.0) + 0.5 * pow(toward_sun, 64.0));
    return lerp(EARTH, above + glow, smoothstep(-0.12, 0.02, height));
}

// Returns the sky's light on a diffuse surface that faces `normal`.
float3 skylight(float3 normal)
{
    float up = normal.y * 0.5 + 0.5;
    return lerp(EARTH * 0.8, lerp(PALE, ZENITH, 0.35) * 0.85, up);
}

// Blends distant surfaces with the colour of the horizon behind them.
float3 fog(float3 color, float3 offset)
{
    float amount = 1.0 - exp(-pow(length(offset) * 0.0165, 2.0));
    float3 along = normalize(float3(offset.x, max(offset.y, 0.0) * 0.3, offset.z));
    return lerp(color, sky(along), amount);
}

// Maps light to displayable colours by a fit of the ACES film curve. The target encodes sRGB.
float3 tone_map(float3 light)
{
    float3 x = light * 0.62;
    return saturate((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14));
}
