// A torus with fur, drawn as shells and fins. Shells are copies of the surface at different heights, and fins are quads
// that stand on the silhouette. PS draws the hairs of both.

// The shaders use `mul(matrix, vector)`, because this order matches the memory layout of glam's matrices.
cbuffer Frame : register(b0)
{
    matrix ToWorld;
    matrix ToClip; // from the world
    float3 Camera;
    float Shells; // number of shells
    float3 Light; // direction towards the light
    float Length; // length of the hairs
    float3 Wind; // displacement of the tip of a hair
};

struct Skin
{
    float3 Position : POSITION;
    float3 Normal : NORMAL;
    float2 Place : PLACE; // around the axis and around the tube, from 0 to 1
};

// A point of a hair. Height is 0 at the root and 1 at the tip of the longest hair.
struct Hair
{
    float4 Position : SV_Position;
    float3 World : WORLD;
    float3 Direction : DIRECTION;
    float3 Normal : NORMAL;
    float2 Place : PLACE;
    float Height : HEIGHT;
};

// A vertex of the surface in world space.
struct Root
{
    float3 World : WORLD;
    float3 Normal : NORMAL;
    float2 Place : PLACE;
};

Root VSFin(Skin skin)
{
    Root root;
    root.World = mul(ToWorld, float4(skin.Position, 1.0f)).xyz;
    root.Normal = mul((float3x3)ToWorld, skin.Normal);
    root.Place = skin.Place;
    return root;
}

// Returns a point of the hair that grows at `root`. Gravity and wind bend the hair.
Hair Grow(Root root, float height)
{
    float3 bend = Wind + float3(0.0f, -0.55f, 0.0f);
    Hair hair;
    hair.World = root.World + Length * (root.Normal * height + bend * height * height);
    hair.Direction = root.Normal + bend * 2.0f * height;
    hair.Normal = root.Normal;
    hair.Place = root.Place;
    hair.Height = height;
    hair.Position = mul(ToClip, float4(hair.World, 1.0f));
    return hair;
}

// The instances are the shells, from the innermost to the outermost.
Hair VSShell(Skin skin, uint shell : SV_InstanceID)
{
    return Grow(VSFin(skin), shell / (Shells - 1.0f));
}

bool IsFacingCamera(Root a, Root b, Root c)
{
    return dot(cross(b.World - a.World, c.World - a.World), a.World - Camera) < 0.0f;
}

// Appends a fin to each edge of the silhouette. The vertices 0, 2 and 4 are a triangle, and each of the others
// completes the triangle at the other side of an edge.
[maxvertexcount(12)]
void GSFin(triangleadj Root roots[6], inout TriangleStream<Hair> fins)
{
    if (!IsFacingCamera(roots[0], roots[2], roots[4]))
        return;
    for (uint edge = 0; edge < 6; edge += 2)
    {
        uint next = (edge + 2) % 6;
        if (!IsFacingCamera(roots[edge], roots[edge + 1], roots[next]))
        {
            fins.Append(Grow(roots[edge], 0.0f));
            fins.Append(Grow(roots[edge], 1.0f));
            fins.Append(Grow(roots[next], 0.0f));
            fins.Append(Grow(roots[next], 1.0f));
            fins.RestartStrip();
        }
    }
}

float3 Random(uint2 cell)
{
    uint hash = cell.x * 0x9E3779B1u ^ cell.y * 0x85EBCA6Bu;
    hash = (hash ^ hash >> 15) * 0x2C1B3C6Du;
    hash = (hash ^ hash >> 12) * 0x297A2D39u;
    hash ^= hash >> 15;
    return float3(hash & 1023, hash >> 10 & 1023, hash >> 20 & 1023) / 1023.0f;
}

// Returns the fur's colour, with the stripes of a tiger.
float3 Color(float2 place)
{
    float across = place.y * 6.2831853f;
    float wave = place.x * 14.0f + 0.16f * sin(across * 2.0f + place.x * 31.4159265f) + 0.07f * sin(across * 5.0f);
    float width = 0.34f + 0.12f * cos(across) + 0.08f * sin(place.x * 43.9822971f);
    float stripe = smoothstep(width - 0.07f, width, abs(frac(wave) - 0.5f) * 2.0f + 0.12f);
    float3 pale = float3(0.95f, 0.82f, 0.62f);
    float3 orange = float3(0.90f, 0.36f, 0.06f);
    float3 black = float3(0.03f, 0.022f, 0.02f);
    return lerp(black, lerp(pale, orange, smoothstep(-0.9f, 0.1f, cos(across))), stripe);
}

float4 PS(Hair hair) : SV_Target
{
    // Each cell of a grid on the surface has one hair, which is thinner at greater heights.
    float2 grid = hair.Place * float2(330.0f, 120.0f);
    grid.x += 0.5f * ((uint)grid.y & 1);
    float3 random = Random(uint2(grid));
    float length = 0.55f + 0.45f * random.z;
    float radius = 0.75f * (1.0f - hair.Height / length);
    float alpha = saturate((radius - distance(frac(grid), 0.3f + 0.4f * random.xy)) * 5.0f);
    alpha = hair.Height <= 0.0f ? 1.0f : alpha;
    clip(alpha - 0.05f);

    // A hair reflects light in a cone around its direction, so the tangent replaces the normal.
    float3 tangent = normalize(hair.Direction);
    float3 toCamera = normalize(Camera - hair.World);
    float along = dot(tangent, Light);
    float diffuse = sqrt(saturate(1.0f - along * along)) * saturate(dot(normalize(hair.Normal), Light) * 0.7f + 0.3f);
    float toward = dot(tangent, normalize(Light + toCamera));
    float gloss = 0.12f * pow(sqrt(saturate(1.0f - toward * toward)), 24.0f) * diffuse;
    // The backs of hairs at the edge let light through.
    float rim = 0.35f * pow(1.0f - saturate(dot(normalize(hair.Normal), toCamera)), 3.0f) * hair.Height;
    float depth = lerp(0.16f, 1.0f, hair.Height); // hairs shade the roots of their neighbours
    float3 sky = float3(0.22f, 0.24f, 0.30f) * (0.6f + 0.4f * hair.Normal.y);
    float3 color = Color(hair.Place) * (0.85f + 0.3f * random.x) * (sky + 1.15f * diffuse + rim) + gloss;
    return float4(color * depth, alpha);
}
