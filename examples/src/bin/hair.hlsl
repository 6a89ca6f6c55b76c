// A creature with long hair. Each patch is a piece of skin between four guide hairs. The tessellator makes lines of it, and
// DS places each line between the guide hairs.

// The shaders use `mul(matrix, vector)`, because this order matches the memory layout of glam's matrices.
cbuffer Frame : register(b0)
{
    matrix ToClip; // from the world
    float3 Camera;
    float Hairs; // number of hairs of the largest patch, up to 64
    float3 Light; // direction towards the light
    float Segments; // number of segments of each hair
    float3 Wind; // displacement of the tips
    float Time;
};

struct GuidePoint
{
    float3 Position : POSITION;
    float Along : ALONG; // place along the hair, from 0 at the root to 1 at the tip
};

// Moves a point of a guide hair with the wind.
GuidePoint VS(GuidePoint input)
{
    GuidePoint output = input;
    float phase = dot(input.Position, float3(2.1f, 1.3f, 1.7f)) - Time * 2.6f;
    output.Position += Wind * input.Along * input.Along * (1.0f + 0.5f * sin(phase));
    return output;
}

struct Factors
{
    float Edges[2] : SV_TessFactor; // number of lines, and of segments of each line
};

Factors HSConstants(InputPatch<GuidePoint, 16> points)
{
    // Points 0, 4, 8 and 12 are the roots.
    float3 across = points[4].Position - points[0].Position;
    float3 down = points[8].Position - points[0].Position;
    float3 diagonal = points[12].Position - points[0].Position;
    float area = 0.5f * (length(cross(across, diagonal)) + length(cross(down, diagonal)));
    Factors factors;
    factors.Edges[0] = max(1.0f, Hairs * saturate(area / 0.0345f));
    factors.Edges[1] = Segments;
    return factors;
}

[domain("isoline")]
[partitioning("integer")]
[outputtopology("line")]
[outputcontrolpoints(16)]
[patchconstantfunc("HSConstants")]
GuidePoint HS(InputPatch<GuidePoint, 16> points, uint number : SV_OutputControlPointID)
{
    return points[number];
}

float3 Random(uint2 cell)
{
    uint hash = cell.x * 0x9E3779B1u ^ cell.y * 0x85EBCA6Bu;
    hash = (hash ^ hash >> 15) * 0x2C1B3C6Du;
    hash = (hash ^ hash >> 12) * 0x297A2D39u;
    hash ^= hash >> 15;
    return float3(hash & 1023, hash >> 10 & 1023, hash >> 20 & 1023) / 1023.0f;
}

struct Strand
{
    float4 Position : SV_Position;
    float3 World : WORLD;
    float3 Tangent : TANGENT;
    float3 Root : ROOT; // direction from the middle of the body to the root
    float Along : ALONG;
    float Tint : TINT;
};

// The location is the place along a line, from 0 to 1, and the place of the line, which is less than 1.
[domain("isoline")]
Strand DS(Factors factors, float2 location : SV_DomainLocation, uint tile : SV_PrimitiveID,
    const OutputPatch<GuidePoint, 16> points)
{
    // Each line has a random place between the guide hairs.
    uint hairNumber = (uint)(location.y * 64.0f + 0.5f);
    float3 random = Random(uint2(hairNumber, tile));
    float4 guides = float4((1.0f - random.x) * (1.0f - random.y), random.x * (1.0f - random.y),
        (1.0f - random.x) * random.y, random.x * random.y);
    float t = location.x * (0.72f + 0.28f * random.z);
    float s = 1.0f - t;
    float4 weights = float4(s * s * s, 3.0f * s * s * t, 3.0f * s * t * t, t * t * t);
    float4 changes = 3.0f * float4(-s * s, s * (s - 2.0f * t), t * (2.0f * s - t), t * t);
    float3 position = 0.0f;
    float3 tangent = 0.0f;
    float3 root = 0.0f;
    for (uint guide = 0; guide < 4; guide++)
    {
        for (uint n = 0; n < 4; n++)
        {
            position += points[guide * 4 + n].Position * guides[guide] * weights[n];
            tangent += points[guide * 4 + n].Position * guides[guide] * changes[n];
        }
        root += points[guide * 4].Position * guides[guide];
    }
    // Curls, and a clump of the hairs of a patch at their tips.
    float3 second = Random(uint2(hairNumber + 64, tile));
    float angle = 6.2831853f * second.x + t * (5.0f + 5.0f * second.y);
    float3 side = normalize(cross(tangent, float3(0.3f, 1.0f, 0.2f)));
    float3 other = normalize(cross(tangent, side));
    float curl = 0.035f * t * (0.4f + second.z);
    position += (side * cos(angle) + other * sin(angle)) * curl;
    tangent += (other * cos(angle) - side * sin(angle)) * curl * 8.0f;

    Strand strand;
    strand.World = position;
    strand.Tangent = tangent;
    strand.Root = root;
    strand.Along = location.x;
    strand.Tint = random.z;
    strand.Position = mul(ToClip, float4(position, 1.0f));
    return strand;
}

static const float3 LightColor = float3(1.0f, 0.93f, 0.82f);

float4 PS(Strand strand) : SV_Target
{
    float3 tangent = normalize(strand.Tangent);
    float3 toCamera = normalize(Camera - strand.World);
    float3 normal = normalize(strand.Root);
    // A hair reflects light in a cone around its direction, so the tangent replaces the normal.
    float along = dot(tangent, Light);
    float shade = saturate(dot(normal, Light) * 0.62f + 0.38f);
    float diffuse = sqrt(saturate(1.0f - along * along)) * shade;
    float toward = dot(tangent, normalize(Light + toCamera));
    float shine = sqrt(saturate(1.0f - toward * toward));
    float3 low = float3(0.035f, 0.008f, 0.10f);
    float3 middle = float3(0.26f, 0.025f, 0.34f);
    float3 tip = float3(0.95f, 0.22f, 0.09f);
    float3 color = lerp(lerp(low, middle, smoothstep(0.0f, 0.55f, strand.Along)), tip, smoothstep(0.5f, 1.05f, strand.Along));
    color *= 0.7f + 0.6f * strand.Tint;
    float3 sky = float3(0.20f, 0.25f, 0.42f) * (0.55f + 0.45f * normal.y);
    // The outer hairs shade the inner ones, and light comes through the hairs at the silhouette.
    float depth = 0.25f + 0.75f * smoothstep(0.0f, 0.6f, strand.Along);
    float rim = pow(1.0f - saturate(dot(normal, toCamera)), 3.0f);
    float3 lit = color * (LightColor * 1.15f * diffuse + sky + rim * float3(0.25f, 0.35f, 0.7f));
    lit += LightColor * shade * (0.16f * pow(shine, 90.0f) + 0.10f * pow(shine, 18.0f) * color * 3.0f);
    return float4(lit * depth, 1.0f);
}

// The eyes, the nose and the skin are balls, each an instance of 24 by 16 cells with two triangles each.
struct Ball
{
    float4 Position : SV_Position;
    float3 World : WORLD;
    float3 Normal : NORMAL;
    nointerpolation uint Number : NUMBER;
};

static const float4 Balls[4] =
{
    float4(-0.36f, 0.26f, -0.96f, 0.235f), float4(0.36f, 0.26f, -0.96f, 0.235f),
    float4(0.0f, -0.06f, -1.16f, 0.13f), float4(0.0f, 0.0f, 0.0f, 0.97f),
};

Ball VSBall(uint number : SV_VertexID, uint instance : SV_InstanceID)
{
    static const uint2 corners[6] = { uint2(0, 0), uint2(1, 0), uint2(1, 1), uint2(0, 0), uint2(1, 1), uint2(0, 1) };
    uint cell = number / 6;
    float2 place = (uint2(cell % 24, cell / 24) + corners[number % 6]) / float2(24.0f, 16.0f);
    float around = place.x * 6.2831853f;
    float down = place.y * 3.1415927f;
    Ball ball;
    ball.Normal = float3(cos(around) * sin(down), cos(down), sin(around) * sin(down));
    ball.World = Balls[instance].xyz + ball.Normal * Balls[instance].w;
    ball.Position = mul(ToClip, float4(ball.World, 1.0f));
    ball.Number = instance;
    return ball;
}

float4 PSBall(Ball ball) : SV_Target
{
    float3 normal = normalize(ball.Normal);
    float3 toCamera = normalize(Camera - ball.World);
    float3 color = float3(0.03f, 0.008f, 0.06f);
    if (ball.Number < 2)
    {
        // Both eyes look at the camera, and move a little.
        float3 eye = Balls[ball.Number].xyz;
        float3 look = normalize(Camera - eye + float3(0.9f * sin(Time * 0.9f), 0.5f * sin(Time * 0.7f), 0.0f));
        float angle = acos(clamp(dot(normal, look), -1.0f, 1.0f));
        float3 iris = lerp(float3(0.02f, 0.30f, 0.30f), float3(0.25f, 0.75f, 0.55f), smoothstep(0.28f, 0.55f, angle));
        color = lerp(float3(0.85f, 0.83f, 0.80f), iris, smoothstep(0.62f, 0.58f, angle));
        color = lerp(color, float3(0.004f, 0.004f, 0.006f), smoothstep(0.33f, 0.29f, angle));
    }
    else if (ball.Number == 2)
        color = float3(0.75f, 0.13f, 0.10f);
    float diffuse = saturate(dot(normal, Light) * 0.75f + 0.25f);
    float3 sky = float3(0.24f, 0.28f, 0.38f) * (0.65f + 0.35f * normal.y);
    float shine = pow(saturate(dot(normal, normalize(Light + toCamera))), 220.0f) * 2.5f;
    return float4(color * (LightColor * 1.1f * diffuse + sky) + (ball.Number < 3 ? shine : 0.0f), 1.0f);
}

struct Background
{
    float4 Position : SV_Position;
    float2 Place : PLACE;
};

// Returns a corner of a triangle that covers the picture, at the greatest depth.
Background VSBackground(uint number : SV_VertexID)
{
    Background corner;
    corner.Place = float2(number >> 1, number & 1) * 4.0f - 1.0f;
    corner.Position = float4(corner.Place, 1.0f, 1.0f);
    return corner;
}

// A wall and a floor, with the soft shadow of the creature.
float4 PSBackground(Background corner) : SV_Target
{
    float2 place = corner.Place;
    float3 wall = lerp(float3(0.16f, 0.30f, 0.36f), float3(0.035f, 0.085f, 0.13f), saturate(length(place * float2(0.75f, 0.6f))));
    float3 ground = lerp(float3(0.16f, 0.27f, 0.31f), float3(0.06f, 0.11f, 0.15f), saturate(length(place * float2(0.7f, 0.9f))));
    float3 color = lerp(ground, wall, smoothstep(-0.60f, -0.30f, place.y));
    float2 shadow = (place - float2(0.06f, -0.74f)) * float2(1.7f, 5.0f);
    color *= 1.0f - 0.75f * exp(-dot(shadow, shadow));
    return float4(color, 1.0f);
}
