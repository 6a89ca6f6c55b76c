//! SMAA, extended by the suite with entry points for its passes.

use std::{
    io,
    path::{Path, PathBuf},
};

use onze_hlsl::Macro;

use super::unit;
use crate::{shader_test::Stage, unit::Unit};

/// The passes of SMAA, for a 1280 by 720 render target.
const SMAA: &str = r#"
#define SMAA_RT_METRICS float4(1.0 / 1280.0, 1.0 / 720.0, 1280.0, 720.0)
#define SMAA_HLSL_4 1
#include "SMAA.hlsl"

Texture2D colors : register(t0);
Texture2D edges : register(t1);
Texture2D weights : register(t2);
Texture2D area : register(t3);
Texture2D search : register(t4);

struct Corner {
    float4 position : SV_Position;
    float2 place : TEXCOORD0;
};

struct Edge {
    float4 position : SV_Position;
    float2 place : TEXCOORD0;
    float4 offsets[3] : TEXCOORD1;
};

struct Weight {
    float4 position : SV_Position;
    float2 place : TEXCOORD0;
    float2 pixel : TEXCOORD1;
    float4 offsets[3] : TEXCOORD2;
};

struct Blend {
    float4 position : SV_Position;
    float2 place : TEXCOORD0;
    float4 offset : TEXCOORD1;
};

Edge EdgeVS(float4 position : POSITION, float2 place : TEXCOORD0) {
    Edge result;
    result.position = position;
    result.place = place;
    SMAAEdgeDetectionVS(place, result.offsets);
    return result;
}

Weight WeightVS(float4 position : POSITION, float2 place : TEXCOORD0) {
    Weight result;
    result.position = position;
    result.place = place;
    SMAABlendingWeightCalculationVS(place, result.pixel, result.offsets);
    return result;
}

Blend BlendVS(float4 position : POSITION, float2 place : TEXCOORD0) {
    Blend result;
    result.position = position;
    result.place = place;
    SMAANeighborhoodBlendingVS(place, result.offset);
    return result;
}

float4 LumaEdgePS(Edge edge) : SV_Target {
    return float4(SMAALumaEdgeDetectionPS(edge.place, edge.offsets, colors), 0, 0);
}

float4 ColorEdgePS(Edge edge) : SV_Target {
    return float4(SMAAColorEdgeDetectionPS(edge.place, edge.offsets, colors), 0, 0);
}

float4 WeightPS(Weight weight) : SV_Target {
    return SMAABlendingWeightCalculationPS(weight.place, weight.pixel, weight.offsets, edges, area, search, 0);
}

float4 BlendPS(Blend blend) : SV_Target {
    return SMAANeighborhoodBlendingPS(blend.place, blend.offset, colors, weights);
}
"#;

const SMAA_PRESETS: [&str; 4] =
    ["SMAA_PRESET_LOW", "SMAA_PRESET_MEDIUM", "SMAA_PRESET_HIGH", "SMAA_PRESET_ULTRA"];

const SMAA_ENTRIES: [(&str, Stage); 7] = [
    ("EdgeVS", Stage::Vertex),
    ("WeightVS", Stage::Vertex),
    ("BlendVS", Stage::Vertex),
    ("LumaEdgePS", Stage::Pixel),
    ("ColorEdgePS", Stage::Pixel),
    ("WeightPS", Stage::Pixel),
    ("BlendPS", Stage::Pixel),
];

pub(super) fn units(root: &Path, files: &[PathBuf]) -> io::Result<Vec<Unit>> {
    let mut units = Vec::new();
    for path in files.iter().filter(|path| path.ends_with("SMAA.hlsl")) {
        for preset in SMAA_PRESETS {
            for (entry, stage) in SMAA_ENTRIES {
                let mut found = unit("A10", root, path, entry, stage)?;
                found.file = format!("{preset}.hlsl");
                found.source = SMAA.into();
                found.folders = path.parent().map(Path::to_owned).into_iter().collect();
                found.macros = vec![Macro::new(preset, "1")];
                units.push(found);
            }
        }
    }
    Ok(units)
}
