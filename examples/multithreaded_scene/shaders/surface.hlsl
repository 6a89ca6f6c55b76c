// Shaders for objects and water: lit surfaces, and shadows of surfaces with holes.

Texture2D base_color_texture : register(t0);
Texture2D metallic_roughness_texture : register(t1);
Texture2D normal_texture : register(t2);
Texture2D occlusion_texture : register(t3);
Texture2D emissive_texture : register(t4);
Texture2D<float> shadow_map : register(t5);

SamplerState base_color_sampler : register(s0);
SamplerState metallic_roughness_sampler : register(s1);
SamplerState normal_sampler : register(s2);
SamplerState occlusion_sampler : register(s3);
SamplerState emissive_sampler : register(s4);
SamplerComparisonState shadow_sampler : register(s5);

struct Vertex
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float4 tangent : TANGENT;
    float2 texcoord0 : TEXCOORD0;
    float2 texcoord1 : TEXCOORD1;
    float4 color : COLOR;
};

struct Fragment
{
    float4 position : SV_Position;
    float3 world : WORLD;
    float3 normal : NORMAL;
    float4 tangent : TANGENT;
    float4 texcoords : TEXCOORD;
    float4 color : COLOR;
};

Fragment vs_surface(Vertex vertex)
{
    float4 world = mul(object_world, float4(vertex.position, 1.0));
    Fragment fragment;
    fragment.position = mul(view_projection, world);
    fragment.world = world.xyz;
    fragment.normal = mul(object_normal, vertex.normal);
    fragment.tangent = float4(mul((float3x3)object_world, vertex.tangent.xyz), vertex.tangent.w);
    fragment.texcoords = float4(vertex.texcoord0, vertex.texcoord1);
    fragment.color = vertex.color * object_color;
    return fragment;
}

// Returns the coordinates in one of the material's textures.
float2 texcoord(uint role, Fragment fragment)
{
    float4 u = material.texcoords[2 * role];
    float4 v = material.texcoords[2 * role + 1];
    float3 place = float3(u.w > 0.5 ? fragment.texcoords.zw : fragment.texcoords.xy, 1.0);
    return float2(dot(u.xyz, place), dot(v.xyz, place));
}

// A slot for which the material has no texture contains a white texture. A branch on a constant would save
// little, and software drivers may recompile a shader for each value of a constant used in a branch.
float4 base_color(Fragment fragment)
{
    float4 texel = base_color_texture.Sample(base_color_sampler, texcoord(0, fragment));
    return material.base_color * fragment.color * texel;
}

// Returns the surface normal, perturbed by the normal texture if the material has one.
float3 surface_normal(Fragment fragment, bool is_front)
{
    float3 facing = normalize(fragment.normal) * (is_front ? 1.0 : -1.0);
    float2 place = texcoord(2, fragment);
    float3 texel = normal_texture.Sample(normal_sampler, place).xyz * 2.0 - 1.0;
    float3 bump = float3(texel.xy * material.normal_scale, texel.z);
    // Compute a tangent frame from the screen-space derivatives of the texture coordinates.
    float3 dx = ddx(fragment.world);
    float3 dy = ddy(fragment.world);
    float2 du_dv_dx = ddx(place);
    float2 du_dv_dy = ddy(place);
    float3 across = cross(dy, facing);
    float3 along = cross(facing, dx);
    float turn = sign(dot(cross(dx, dy), facing));
    float3 raw_tangent = (across * du_dv_dx.x + along * du_dv_dy.x) * turn;
    float3 raw_bitangent = (across * du_dv_dx.y + along * du_dv_dy.y) * turn;
    float size = max(dot(raw_tangent, raw_tangent), dot(raw_bitangent, raw_bitangent));
    float scale = rsqrt(max(size, 1e-20));
    // In the texture, v points down and green points up.
    float3 tangent = raw_tangent * scale;
    float3 bitangent = -raw_bitangent * scale;
    // The mesh's own tangents take precedence.
    if (abs(fragment.tangent.w) > 0.5)
    {
        tangent = fragment.tangent.xyz * rsqrt(max(dot(fragment.tangent.xyz, fragment.tangent.xyz), 1e-20));
        bitangent = cross(normalize(fragment.normal), tangent) * sign(fragment.tangent.w);
    }
    float3 bumped = normalize(tangent * bump.x + bitangent * bump.y + facing * bump.z);
    return material.has_normal_texture == 1 ? bumped : facing;
}

// Returns the fraction of sunlight that reaches a point, from 0 to 1. Averages nine filtered comparisons.
float sunlight(float3 world, float3 normal)
{
    float3 lifted = world + normal * 0.03;
    float3 place = mul(shadow, float4(lifted, 1.0)).xyz;
    bool inside = all(place > 0.0) && all(place < 1.0);
    float light = 0.0;
    [unroll]
    for (int y = -1; y <= 1; y++)
    {
        [unroll]
        for (int x = -1; x <= 1; x++)
        {
            float2 at = place.xy + float2(x, y) * to_sun.w;
            light += shadow_map.SampleCmpLevelZero(shadow_sampler, at, place.z);
        }
    }
    return inside ? light / 9.0 : 1.0;
}

struct Shading
{
    float3 normal;
    float3 toward_eye;
    float3 diffuse;
    float3 specular;
    float alpha; // squared roughness
};

// Returns the fraction of light from one direction that is reflected to the eye (GGX, glTF 2.0 appendix B).
float3 reflected(Shading s, float3 toward_light)
{
    float3 halfway = normalize(toward_light + s.toward_eye);
    float n_l = saturate(dot(s.normal, toward_light));
    float n_v = clamp(abs(dot(s.normal, s.toward_eye)), 1e-3, 1.0);
    float n_h = saturate(dot(s.normal, halfway));
    float v_h = saturate(dot(s.toward_eye, halfway));
    float a2 = s.alpha * s.alpha;
    float d = n_h * n_h * (a2 - 1.0) + 1.0;
    float distribution = a2 / max(3.14159265 * d * d, 1e-6);
    float lambda_v = n_l * sqrt(n_v * n_v * (1.0 - a2) + a2);
    float lambda_l = n_v * sqrt(n_l * n_l * (1.0 - a2) + a2);
    float visibility = 0.5 / max(lambda_v + lambda_l, 1e-5);
    float3 fresnel = s.specular + (1.0 - s.specular) * pow(1.0 - v_h, 5.0);
    float3 diffuse = s.diffuse * (1.0 - fresnel) / 3.14159265;
    return (diffuse + fresnel * distribution * visibility) * n_l;
}

// Returns the light from all directions that is reflected to the eye, with a fit of the specular term (Karis,
// 2014).
float3 surroundings(Shading s, float roughness)
{
    float n_v = saturate(dot(s.normal, s.toward_eye));
    float4 r = roughness * float4(-1.0, -0.0275, -0.572, 0.022) + float4(1.0, 0.0425, 1.04, -0.04);
    float a = min(r.x * r.x, exp2(-9.28 * n_v)) * r.x + r.y;
    float2 weights = float2(-1.04, 1.04) * a + r.zw;
    float3 direction = reflect(-s.toward_eye, s.normal);
    float3 mirror = lerp(sky(direction), skylight(direction), sqrt(roughness));
    return s.diffuse * skylight(s.normal) * 0.8 + mirror * (s.specular * weights.x + weights.y);
}

float3 lit(Fragment fragment, float4 color, bool is_front)
{
    float4 rough = metallic_roughness_texture.Sample(metallic_roughness_sampler, texcoord(1, fragment));
    float4 open = occlusion_texture.Sample(occlusion_sampler, texcoord(3, fragment));
    float4 glow = emissive_texture.Sample(emissive_sampler, texcoord(4, fragment));
    float metallic = material.metallic * rough.b;
    float roughness = clamp(material.roughness * rough.g, 0.045, 1.0);
    float occlusion = 1.0 + material.occlusion_strength * (open.r - 1.0);
    float3 emitted = material.emissive * glow.rgb;
    Shading s;
    s.normal = surface_normal(fragment, is_front);
    s.toward_eye = normalize(eye.xyz - fragment.world);
    s.diffuse = color.rgb * (1.0 - metallic);
    s.specular = lerp(0.04, color.rgb, metallic);
    s.alpha = roughness * roughness;
    float3 geometric = normalize(fragment.normal) * (is_front ? 1.0 : -1.0);
    float3 light = surroundings(s, roughness) * occlusion;
    float sun = sunlight(fragment.world, geometric);
    light += reflected(s, to_sun.xyz) * sun_color.rgb * sun;
    [loop]
    for (uint i = 0; i < 3; i++)
    {
        float3 offset = lamps[i].position.xyz - fragment.world;
        float squared = dot(offset, offset);
        // The inverse square law, faded to zero at a distance of 10.
        float window = saturate(1.0 - squared / 100.0);
        float strength = window * window / (squared + 0.25);
        light += reflected(s, offset * rsqrt(squared + 1e-6)) * lamps[i].color.rgb * strength;
    }
    // The object's colour also tints emitted light, so that each lamp glows in its own colour.
    light += emitted * object_color.rgb;
    return material.unlit == 1 ? color.rgb : light;
}

float4 shown(Fragment fragment, float4 color, bool is_front)
{
    float3 light = fog(lit(fragment, color, is_front), fragment.world - eye.xyz);
    return float4(tone_map(light), material.keeps_alpha == 1 ? color.a : 1.0);
}

float4 ps_surface(Fragment fragment, bool is_front : SV_IsFrontFace) : SV_Target
{
    return shown(fragment, base_color(fragment), is_front);
}

// Shades materials with holes. Discards pixels whose alpha is below the cutoff.
float4 ps_surface_cut(Fragment fragment, bool is_front : SV_IsFrontFace) : SV_Target
{
    float4 color = base_color(fragment);
    float4 result = shown(fragment, color, is_front);
    clip(color.a - material.alpha_cutoff);
    return result;
}

// Draws shadows of materials with holes. Other shadows need no pixel shader.
void ps_shadow_cut(Fragment fragment)
{
    clip(base_color(fragment).a - material.alpha_cutoff);
}

// Draws the water's surface over the reflection from the mirrored pass, with premultiplied alpha.
float4 ps_water(Fragment fragment) : SV_Target
{
    float seconds = eye.w;
    float2 p = fragment.world.xz;
    float r = length(p);
    float2 waves = float2(
        sin(p.x * 5.1 + p.y * 2.3 + seconds * 1.7) + sin(r * 9.0 - seconds * 2.4) * 0.6,
        sin(p.y * 4.7 - p.x * 2.9 + seconds * 1.3) + sin(r * 7.0 - seconds * 2.0) * 0.6);
    float3 normal = normalize(float3(waves.x * 0.010, 1.0, waves.y * 0.010));
    float3 toward_eye = normalize(eye.xyz - fragment.world);
    float grazing = pow(1.0 - saturate(dot(normal, toward_eye)), 3.0);
    float reflectivity = lerp(0.50, 0.96, grazing);
    float sun = sunlight(fragment.world, float3(0.0, 1.0, 0.0));
    float3 deep = float3(0.010, 0.050, 0.060);
    float3 shallow = float3(0.07, 0.21, 0.21);
    float3 bottom = lerp(deep, shallow, smoothstep(0.35, 1.0, r / 6.0)) * (0.55 + 0.45 * sun);
    float3 halfway = normalize(toward_eye + to_sun.xyz);
    float glint = pow(saturate(dot(normal, halfway)), 900.0) * sun * 2.0;
    float3 own = tone_map(bottom * 2.2) * (1.0 - reflectivity);
    return float4(own + tone_map(sun_color.rgb * glint), 1.0 - reflectivity);
}
