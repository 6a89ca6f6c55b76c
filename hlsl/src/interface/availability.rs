use crate::{
    Profile, ShaderModel, ShaderStage,
    check::tree::{Intrinsic, Method},
    interface::bindings::{BuiltIn, Usage},
    session::{Session, code::Code},
};

/// Reports functions and methods that the entry point uses but its profile does not have.
pub(crate) fn check(session: &mut Session, usage: &Usage, profile: Profile) {
    for (built_in, span) in &usage.built_in {
        let (name, needs) = match *built_in {
            BuiltIn::Intrinsic(which) => (which.name(), intrinsic(which)),
            BuiltIn::Method(method) => (method.name(), self::method(method)),
            BuiltIn::Discard => ("discard", PIXEL),
        };
        if !needs.stages.is_empty() && !needs.stages.contains(&profile.stage) {
            let stages: Vec<_> = needs.stages.iter().map(|stage| format!("{}s", stage.name())).collect();
            let message = format!(
                "cannot map expression to {profile} instruction set: '{name}' is only in {}",
                stages.join(" and ")
            );
            session.error(Code::NotInProfile, *span, message);
        } else if profile.model < needs.model {
            let (major, minor) = needs.model.version();
            let message = format!(
                "cannot map expression to {profile} instruction set: '{name}' needs shader model {major}.{minor}"
            );
            session.error(Code::NotInProfile, *span, message);
        }
    }
}

/// Returns whether a function exists only in pixel shaders, because it takes derivatives or works on samples.
pub(crate) fn is_for_pixels(which: Intrinsic) -> bool {
    intrinsic(which).stages == PIXEL.stages
}

/// Returns whether a method exists only in pixel shaders, because it takes derivatives.
pub(crate) fn is_method_for_pixels(which: Method) -> bool {
    method(which).stages == PIXEL.stages
}

struct FunctionNeeds {
    /// The stages that have the function, or an empty list for all stages.
    stages: &'static [ShaderStage],
    model: ShaderModel,
}

const NOTHING: FunctionNeeds = FunctionNeeds { stages: &[], model: ShaderModel::V4_0 };
const PIXEL: FunctionNeeds = FunctionNeeds { stages: &[ShaderStage::Pixel], model: ShaderModel::V4_0 };
const COMPUTE: FunctionNeeds = FunctionNeeds { stages: &[ShaderStage::Compute], model: ShaderModel::V4_0 };
const MODEL_5: FunctionNeeds = FunctionNeeds { stages: &[], model: ShaderModel::V5_0 };

fn intrinsic(which: Intrinsic) -> FunctionNeeds {
    use Intrinsic as I;
    match which {
        I::AllMemoryBarrier
        | I::AllMemoryBarrierWithGroupSync
        | I::DeviceMemoryBarrierWithGroupSync
        | I::GroupMemoryBarrier
        | I::GroupMemoryBarrierWithGroupSync => COMPUTE,
        I::DeviceMemoryBarrier => {
            FunctionNeeds { stages: &[ShaderStage::Compute, ShaderStage::Pixel], ..NOTHING }
        }
        I::Clip | I::Ddx | I::Ddy | I::Fwidth => PIXEL,
        I::Tex1D
        | I::Tex1DBias
        | I::Tex1DProj
        | I::Tex2D
        | I::Tex2DBias
        | I::Tex2DProj
        | I::Tex3D
        | I::Tex3DBias
        | I::Tex3DProj
        | I::TexCube
        | I::TexCubeBias
        | I::TexCubeProj => PIXEL,
        I::DdxCoarse
        | I::DdxFine
        | I::DdyCoarse
        | I::DdyFine
        | I::EvaluateAttributeAtCentroid
        | I::EvaluateAttributeAtSample
        | I::EvaluateAttributeSnapped => FunctionNeeds { model: ShaderModel::V5_0, ..PIXEL },
        I::GetRenderTargetSampleCount | I::GetRenderTargetSamplePosition => {
            FunctionNeeds { model: ShaderModel::V4_1, ..PIXEL }
        }
        I::InterlockedAdd
        | I::InterlockedAnd
        | I::InterlockedCompareExchange
        | I::InterlockedCompareStore
        | I::InterlockedExchange
        | I::InterlockedMax
        | I::InterlockedMin
        | I::InterlockedOr
        | I::InterlockedXor
        | I::AsDouble
        | I::CheckAccessFullyMapped
        | I::Fma
        | I::Msad4 => MODEL_5,
        I::Process2DQuadTessFactorsAvg
        | I::Process2DQuadTessFactorsMax
        | I::Process2DQuadTessFactorsMin
        | I::ProcessIsolineTessFactors
        | I::ProcessQuadTessFactorsAvg
        | I::ProcessQuadTessFactorsMax
        | I::ProcessQuadTessFactorsMin
        | I::ProcessTriTessFactorsAvg
        | I::ProcessTriTessFactorsMax
        | I::ProcessTriTessFactorsMin => FunctionNeeds { stages: &[ShaderStage::Hull], ..MODEL_5 },
        _ => NOTHING,
    }
}

fn method(method: Method) -> FunctionNeeds {
    use Method as M;
    match method {
        M::Sample | M::SampleBias | M::SampleCmp => PIXEL,
        M::CalculateLevelOfDetail | M::CalculateLevelOfDetailUnclamped => {
            FunctionNeeds { model: ShaderModel::V4_1, ..PIXEL }
        }
        M::Gather | M::GatherRed | M::GetSamplePosition => {
            FunctionNeeds { model: ShaderModel::V4_1, ..NOTHING }
        }
        M::GatherAlpha
        | M::GatherBlue
        | M::GatherCmp
        | M::GatherCmpAlpha
        | M::GatherCmpBlue
        | M::GatherCmpGreen
        | M::GatherCmpRed
        | M::GatherGreen
        | M::InterlockedAdd
        | M::InterlockedAnd
        | M::InterlockedCompareExchange
        | M::InterlockedCompareStore
        | M::InterlockedExchange
        | M::InterlockedMax
        | M::InterlockedMin
        | M::InterlockedOr
        | M::InterlockedXor => MODEL_5,
        M::RestartStrip => FunctionNeeds { stages: &[ShaderStage::Geometry], ..NOTHING },
        _ => NOTHING,
    }
}

#[cfg(test)]
mod tests {
    use crate::{CompileOptions, compile};

    fn refusal(text: &str, profile: &str) -> Option<String> {
        let result = compile(text, "a", "main", profile.parse().unwrap(), &CompileOptions::default());
        let errors = result.err()?;
        errors.errors().find(|error| error.code.number() == 4532).map(|error| error.message.clone())
    }

    #[test]
    fn derivatives_need_a_pixel_shader() {
        let text = "float4 main(float4 a : A) : SV_POSITION { return ddx(a); }";
        assert_eq!(
            refusal(text, "vs_5_0").as_deref(),
            Some("cannot map expression to vs_5_0 instruction set: 'ddx' is only in pixel shaders")
        );
        let text = "float4 main(float4 a : A) : SV_TARGET { return ddx(a); }";
        assert_eq!(refusal(text, "ps_4_0"), None);
    }

    #[test]
    fn discard_needs_a_pixel_shader() {
        let text = "void drop() { discard; } [numthreads(1, 1, 1)] void main() { for (int i = 0; i < 2; i++) drop(); }";
        let message = refusal(text, "cs_5_0");
        assert_eq!(
            message.as_deref(),
            Some("cannot map expression to cs_5_0 instruction set: 'discard' is only in pixel shaders")
        );
        let text = "float4 main(float4 a : A) : SV_POSITION { if (a.x < 0) discard; return a; }";
        assert!(refusal(text, "vs_4_0").is_some());
    }

    #[test]
    fn gathers_need_later_models() {
        let text = |method| {
            format!(
                "Texture2D t; SamplerState s; float4 main(float2 a : A) : SV_TARGET {{ return t.{method}(s, a); }}"
            )
        };
        assert!(refusal(&text("Gather"), "ps_4_0").unwrap().ends_with("'Gather' needs shader model 4.1"));
        assert_eq!(refusal(&text("Gather"), "ps_4_1"), None);
        assert!(
            refusal(&text("GatherGreen"), "ps_4_1")
                .unwrap()
                .ends_with("'GatherGreen' needs shader model 5.0")
        );
    }

    #[test]
    fn functions_that_are_not_called_have_no_needs() {
        let text = "float other(float a) { return ddx_fine(a); } float4 main() : SV_POSITION { return 0; }";
        assert_eq!(refusal(text, "vs_4_0"), None);
    }
}
