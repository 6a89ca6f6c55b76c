//! FXAA 3.11, extended by the suite with an entry point for the quality algorithm.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use onze_hlsl::Macro;

use crate::{
    shader_test::{Model, Stage},
    unit::Unit,
};

const FXAA: &str = r#"
#define FXAA_PC 1
#include "Fxaa3_11.h"

Texture2D picture : register(t0);
SamplerState smooth : register(s0);

cbuffer Frame : register(b0) {
    float2 pixel;
    float subpixel;
    float threshold;
    float least;
};

float4 main(float4 position : SV_Position, noperspective float2 place : TEXCOORD0) : SV_Target {
    FxaaTex source;
    source.smpl = smooth;
    source.tex = picture;
    return FxaaPixelShader(place, 0, source, source, source, pixel, 0, 0, 0, subpixel, threshold, least, 8, 0.125, 0.05, 0);
}
"#;

/// Quality presets: maximum dither, medium dither, best quality with less dither, and no dither.
const PRESETS: [&str; 4] = ["10", "23", "29", "39"];

/// Values of the macro that selects green instead of alpha as the source of luma.
const GREEN: [&str; 2] = ["0", "1"];

pub(super) fn units(headers: &[PathBuf]) -> io::Result<Vec<Unit>> {
    let mut units = Vec::new();
    for path in headers.iter().filter(|path| path.ends_with("Fxaa3_11.h")) {
        // Some copies contain only one preset and have fewer parameters.
        if !String::from_utf8_lossy(&fs::read(path)?).contains("fxaaConsoleRcpFrameOpt2") {
            continue;
        }
        for (model, language) in [(Model::Sm4_0, "FXAA_HLSL_4"), (Model::Sm5_0, "FXAA_HLSL_5")] {
            for preset in PRESETS {
                for green in GREEN {
                    let file = format!("{language} preset {preset} green {green}");
                    let mut unit = Unit::new("A10", file, FXAA, "main", Stage::Pixel);
                    unit.model = model;
                    unit.folders = path.parent().map(Path::to_owned).into_iter().collect();
                    unit.macros = vec![
                        Macro::new(language, "1"),
                        Macro::new("FXAA_QUALITY__PRESET", preset),
                        Macro::new("FXAA_GREEN_AS_LUMA", green),
                    ];
                    units.push(unit);
                }
            }
        }
    }
    Ok(units)
}
