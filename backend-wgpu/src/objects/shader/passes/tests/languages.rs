//! The specialiser for tests. Every specialised module must be valid and writable in all of naga's languages.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use onze_ddi::ShaderCode;

use crate::objects::shader::specialization::Specialization;

/// Specialises a shader for a backend that needs no pass.
pub(crate) fn specialized(code: &ShaderCode, key: &Specialization) -> naga::Module {
    crate::objects::shader::passes::specialize(code, key, wgpu::Backend::Vulkan)
}

/// A writer of naga, which returns the text, or "" for a binary language.
type LanguageWriter = fn(&naga::Module, &naga::valid::ModuleInfo) -> Result<String, String>;

fn words(error: impl std::fmt::Debug) -> String {
    format!("{error:?}")
}

/// The writers of SPIR-V, MSL, HLSL, GLSL and WGSL.
const WRITERS: [LanguageWriter; 5] = [
    |module, info| {
        use naga::back::spv::{Options, PipelineOptions, write_vec};
        let options = Options { lang_version: (1, 3), ..Options::default() };
        let entry = &module.entry_points[0];
        let pipeline = PipelineOptions { shader_stage: entry.stage, entry_point: entry.name.clone() };
        write_vec(module, info, &options, Some(&pipeline)).map(|_| String::new()).map_err(words)
    },
    |module, info| {
        use naga::back::msl::{Options, PipelineOptions, write_string};
        let options = Options { lang_version: (2, 4), ..Options::default() };
        let written = write_string(module, info, &options, &PipelineOptions::default());
        written.map(|(text, _)| text).map_err(words)
    },
    |module, info| {
        use naga::back::hlsl::{Options, PipelineOptions, ShaderModel, Writer};
        let shader_model = ShaderModel::V6_0;
        let options = Options { shader_model, fake_missing_bindings: true, ..Options::default() };
        let (mut text, pipeline) = (String::new(), PipelineOptions::default());
        let written = Writer::new(&mut text, &options, &pipeline).write(module, info, None).map(|_| ());
        written.map(|()| text).map_err(words)
    },
    |module, info| {
        use naga::back::glsl::{Options, PipelineOptions, Version, Writer};
        let options = Options { version: Version::Desktop(450), ..Options::default() };
        let entry = &module.entry_points[0];
        let (shader_stage, entry_point) = (entry.stage, entry.name.clone());
        let pipeline = PipelineOptions { shader_stage, entry_point, multiview: None };
        let (mut text, policies) = (String::new(), naga::proc::BoundsCheckPolicies::default());
        let written = Writer::new(&mut text, module, info, &options, &pipeline, policies)
            .and_then(|mut writer| writer.write().map(|_| ()));
        written.map(|()| text).map_err(words)
    },
    |module, info| {
        use naga::back::wgsl::{WriterFlags, write_string};
        let text = write_string(module, info, WriterFlags::empty()).map_err(words)?;
        let again = naga::front::wgsl::parse_str(&text).map_err(words)?;
        assert_eq!(again.entry_points[0].stage, module.entry_points[0].stage);
        Ok(text)
    },
];

pub(crate) fn validate(module: &naga::Module) -> Result<naga::valid::ModuleInfo, String> {
    let capabilities = naga::valid::Capabilities::all();
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), capabilities);
    validator.validate(module).map_err(words)
}

/// Writes a specialised module in every language in which naga can write the original module, and returns
/// which languages those are. In tests, [`specialize`](super::super::specialize) calls this function for
/// every module.
pub(crate) fn write_in_all_languages(code: &ShaderCode, module: &naga::Module) -> [bool; 5] {
    let Ok(before) = validate(&code.module) else {
        // Some tests check wgpu's errors for invalid modules.
        return [false; 5];
    };
    let info = validate(module).unwrap();
    let [(given, before), (module, info)] =
        [(&code.module, &before), (module, &info)].map(|(module, info)| {
            naga::back::pipeline_constants::process_overrides(
                module,
                info,
                None,
                &naga::back::PipelineConstants::default(),
            )
            .unwrap()
        });
    WRITERS.map(|write| {
        if write(&given, &before).is_err() {
            return false;
        }
        let text = match write(&module, &info) {
            // For GLSL the driver leaves such pairs to wgpu's samplers.
            Err(words) if words.contains("`textureLoad` from depth textures is not supported in GLSL") => {
                return false;
            }
            text => text.unwrap(),
        };
        assert!(text.is_empty() || text.contains("DriverConstants") == has_block(&module), "{text}");
        true
    })
}

pub(crate) fn has_block(module: &naga::Module) -> bool {
    module.global_variables.iter().any(|(_, variable)| variable.name.as_deref() == Some("driver_constants"))
}
