// Evaluation of attributes at other positions in the pixel. The triangle covers the target except for the leftmost
// sample of the first column, and is drawn in perspective: `reciprocal` is 1 / w at a position of the target.
//= [require]
//= shader model >= 5.0
//= [rtv 0]
//= format r32g32b32a32-float
//= size (2dms, 4, 16, 16)
//= [vertex shader]
struct Varying {
    float4 position : SV_Position;
    float2 warped : WARPED;
    noperspective float2 place : PLACE;
    row_major float2x3 rows : ROWS;
    nointerpolation uint number : NUMBER;
    float4 both[2] : BOTH;
    noperspective sample float2 sampled : SAMPLED;
};

Varying main(uint id : SV_VertexID) {
    float2 place = id == 0 ? float2(0.25, 0) : id == 1 ? float2(32, 0) : float2(0.25, 32);
    float w = 1 / (0.5 + place.x / 32 + place.y / 64);
    Varying result;
    result.position = float4((place / 20 - 1) * float2(1, -1), 0, 1) * w;
    result.warped = place * w;
    result.place = place;
    result.rows = float2x3(place * w, 1, w, place * w);
    result.number = 7;
    result.both[0] = place.xyxy * w;
    result.both[1] = place.yxyx * w;
    result.sampled = place;
    return result;
}

// Evaluation at each sample, in a shader that runs once per pixel.
//= [pixel shader]
struct Varying {
    float4 position : SV_Position;
    float2 warped : WARPED;
    noperspective float2 place : PLACE;
    row_major float2x3 rows : ROWS;
    nointerpolation uint number : NUMBER;
    float4 both[2] : BOTH;
};
static const float2 positions[4] = {{-0.125, -0.375}, {0.375, -0.125}, {-0.375, 0.125}, {0.125, 0.375}};

float2 warped(float2 place) { return place / (0.5 + place.x / 32 + place.y / 64); }
float differs(float2 a, float2 b) { return any(abs(a - b) > 0.0005); }

float4 main(Varying v) : SV_Target {
    float4 wrong = 0;
    for (uint i = 0; i < 4; i++) {
        float2 place = v.position.xy + positions[i];
        wrong.x += differs(EvaluateAttributeAtSample(v.warped, i), warped(place));
        wrong.y += differs(EvaluateAttributeAtSample(v.place.yx, i), place.yx);
        if (v.position.x > 3) {
            wrong.z += differs(EvaluateAttributeAtSample(v.rows[1].yz, i), warped(place));
            wrong.z += differs(EvaluateAttributeAtSample(v.rows, i)[0].xy, warped(place));
            wrong.z += differs(EvaluateAttributeAtSample(v.both[i & 1].zw, i), i & 1 ? warped(place).yx : warped(place));
        }
        wrong.w += EvaluateAttributeAtSample(v.number, i) != 7;
    }
    return wrong;
}
//= [test]
//= viewport 0 (0, 0, 40, 40)
//= clear rtv 0 0 0 0 0
//= draw triangle list 3
//= probe (0, 0, 16, 16) rgba (0, 0, 0, 0)

// Offsets in sixteenths of a pixel use only the lower four bits. Also the value at the pixel's own position.
//= [pixel shader]
float2 warped(float2 place) { return place / (0.5 + place.x / 32 + place.y / 64); }
float differs(float2 a, float2 b) { return any(abs(a - b) > 0.0005); }

float4 main(float4 position : SV_Position, float2 attribute : WARPED, noperspective float2 place : PLACE) : SV_Target {
    float4 wrong = 0;
    wrong.x = differs(EvaluateAttributeSnapped(attribute, int2(-8, 7)), warped(position.xy + float2(-0.5, 0.4375)));
    wrong.y = differs(EvaluateAttributeSnapped(attribute, int2(17, 8)), warped(position.xy + float2(0.0625, -0.5)));
    wrong.z = differs(EvaluateAttributeSnapped(place, int2(4, -3)), position.xy + float2(0.25, -0.1875));
    wrong.w = differs(EvaluateAttributeSnapped(attribute, 0), attribute);
    return wrong;
}
//= [test]
//= clear rtv 0 0 0 0 0
//= draw triangle list 3
//= probe (0, 0, 16, 16) rgba (0, 0, 0, 0)

// The centroid is the pixel centre or the first covered sample.
//= [pixel shader]
float2 warped(float2 place) { return place / (0.5 + place.x / 32 + place.y / 64); }
float differs(float2 a, float2 b) { return any(abs(a - b) > 0.0005); }

float4 main(float4 position : SV_Position, float2 attribute : WARPED, noperspective float2 place : PLACE) : SV_Target {
    float2 nearest = position.xy + (position.x < 1 ? float2(-0.125, -0.375) : 0);
    float4 wrong = 0;
    wrong.x = differs(EvaluateAttributeCentroid(attribute), warped(nearest));
    wrong.y = differs(EvaluateAttributeCentroid(place), nearest);
    wrong.z = differs(attribute, warped(position.xy));
    return wrong + float4(0, 0, 0, position.x < 1);
}
//= [test]
//= clear rtv 0 0 0 0 0
//= draw triangle list 3
//= probe (1, 0, 16, 16) rgba (0, 0, 0, 0)
//= probe (0, 1, 1, 16) rgba (0, 0, 0, 0.75)

// Evaluation at the current sample and others, in a shader that runs once per sample. Perspective needs a larger
// tolerance, because llvmpipe of Mesa 22.3 also uses w at the pixel centre for inputs at samples.
//= [pixel shader]
static const float2 positions[4] = {{-0.125, -0.375}, {0.375, -0.125}, {-0.375, 0.125}, {0.125, 0.375}};

float2 warped(float2 place) { return place / (0.5 + place.x / 32 + place.y / 64); }
float differs(float2 a, float2 b, float most) { return any(abs(a - b) > most); }

struct Varying {
    float4 position : SV_Position;
    float2 warped : WARPED;
    noperspective float2 place : PLACE;
    row_major float2x3 rows : ROWS;
    nointerpolation uint number : NUMBER;
    float4 both[2] : BOTH;
    noperspective sample float2 sampled : SAMPLED;
};

float4 main(Varying v, uint own : SV_SampleIndex) : SV_Target {
    uint other = (own + 1) % 4;
    float2 there = v.position.xy + positions[other];
    float4 wrong = 0;
    wrong.x = differs(EvaluateAttributeAtSample(v.place, own), v.sampled, 0.0005);
    wrong.y = differs(EvaluateAttributeAtSample(v.sampled, other), there, 0.0005);
    wrong.z = differs(EvaluateAttributeSnapped(v.sampled, int2(-8, 0)), v.position.xy - float2(0.5, 0), 0.0005);
    wrong.w = differs(EvaluateAttributeAtSample(v.warped, other), warped(there), 0.03);
    return wrong;
}
//= [test]
//= clear rtv 0 0 0 0 0
//= draw triangle list 3
//= probe (0, 0, 16, 16) rgba (0, 0, 0, 0)

// A target that is not multisampled has its sample at the centre.
//= [rtv 0]
//= format r32g32b32a32-float
//= size (2d, 16, 16)
//= [pixel shader]
float4 main(float4 position : SV_Position, float2 warped : WARPED, noperspective float2 place : PLACE) : SV_Target {
    float2 first = EvaluateAttributeAtSample(place, 0);
    return float4(abs(first - position.xy) > 0.0005, abs(EvaluateAttributeCentroid(place) - position.xy) > 0.0005);
}
//= [test]
//= clear rtv 0 0 0 0 0
//= draw triangle list 3
//= probe (1, 0, 16, 16) rgba (0, 0, 0, 0)
