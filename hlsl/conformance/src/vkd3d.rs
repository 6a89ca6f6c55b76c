//! The shaders of vkd3d's tests, and the results of Microsoft's compiler.

use crate::{
    shader_test::{Content, Model, Outcome, Requirement, Shader, ShaderTest, Stage},
    unit::{Options, Unit},
};

/// The shader models of Direct3D 11 that the suites compile for.
pub const MODELS: [Model; 3] = [Model::Sm4_0, Model::Sm4_1, Model::Sm5_0];

/// The requirements of a `[require]` block in the form that [`units`] uses.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// The minimum shader model, or `None` if any shader model is high enough.
    pub least: Option<Model>,
    /// The first shader model that is too high, or `None` if any shader model is low enough.
    pub bound: Option<Model>,
    /// The compile options that the shaders require.
    pub options: Options,
    /// The device capabilities that the tests require, by their names in the test files.
    pub capabilities: Vec<String>,
}

impl Limits {
    /// Collects the requirements of a block, combining several limits of the shader model.
    pub fn new(requirements: &[Requirement]) -> Limits {
        let mut limits = Limits::default();
        for requirement in requirements {
            match requirement {
                Requirement::AtLeast(model) => limits.least = limits.least.max(Some(*model)),
                Requirement::Below(model) => {
                    limits.bound = Some(limits.bound.map_or(*model, |bound| bound.min(*model)));
                }
                Requirement::Options(options) => {
                    let has = |name| options.iter().any(|option| option == name);
                    limits.options = Options {
                        // `D3DCompile` packs by columns if both flags are set.
                        row_major: has("row-major") && !has("column-major"),
                        backwards_compatible: has("backcompat"),
                        strict: false,
                    };
                }
                Requirement::Capability(name) => limits.capabilities.push(name.clone()),
                Requirement::Format(..) => {}
            }
        }
        limits
    }

    /// Returns whether the requirements allow a shader model, ignoring capabilities.
    pub fn allow(&self, model: Model) -> bool {
        self.least.is_none_or(|least| model >= least) && self.bound.is_none_or(|bound| model < bound)
    }
}

/// Returns the shaders of a file. Each shader is compiled for the lowest allowed shader model of Direct3D 11,
/// and for each higher one in which the expected outcome changes.
pub fn units(file: &str, test: &ShaderTest) -> Vec<Unit> {
    let mut units = Vec::new();
    let mut limits = Limits::default();
    for block in &test.blocks {
        match &block.content {
            Content::Require(requirements) => limits = Limits::new(requirements),
            Content::Shader(shader) if shader.binary.is_none() && shader.stage != Stage::Effect => {
                for model in models(shader, &limits) {
                    units.push(unit(file, block.line, shader, model, limits.options));
                }
            }
            _ => {}
        }
    }
    units
}

/// Returns a unit for one shader model, with the outcome that is expected in this model.
pub fn unit(file: &str, line: u32, shader: &Shader, model: Model, options: Options) -> Unit {
    let fails = shader.outcome(model) != Outcome::Success;
    let measure = match (shader.stage, fails) {
        (Stage::Vertex | Stage::Pixel | Stage::Compute, false) => "A1",
        (Stage::Vertex | Stage::Pixel | Stage::Compute, true) => "A2",
        (_, false) => "A4 pass",
        (_, true) => "A4 fail",
    };
    Unit {
        measure,
        file: file.to_owned(),
        line,
        source: shader.source.as_str().into(),
        folders: Vec::new(),
        macros: Vec::new(),
        entry: "main".to_owned(),
        stage: shader.stage,
        model,
        options,
        fails,
        refusal: None,
        listing: None,
    }
}

fn models(shader: &Shader, limits: &Limits) -> Vec<Model> {
    let exists = |model: Model| match shader.stage {
        Stage::Hull | Stage::Domain => model == Model::Sm5_0,
        _ => true,
    };
    let allowed: Vec<_> = MODELS.into_iter().filter(|model| limits.allow(*model) && exists(*model)).collect();
    let mut chosen: Vec<_> = allowed.first().copied().into_iter().collect();
    for pair in allowed.windows(2) {
        if shader.outcome(pair[0]) != shader.outcome(pair[1]) {
            chosen.extend_from_slice(pair);
        }
    }
    chosen.dedup();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profiles(text: &str) -> Vec<(String, bool)> {
        let units = units("a", &ShaderTest::parse(text).unwrap());
        units.iter().map(|unit| (unit.profile(), unit.fails)).collect()
    }

    #[test]
    fn shaders_compile_for_each_model_whose_outcome_changes() {
        let expected = |list: &[(&str, bool)]| -> Vec<_> {
            list.iter().map(|(profile, fails)| ((*profile).to_owned(), *fails)).collect()
        };
        assert_eq!(profiles("[pixel shader]\nx"), expected(&[("ps_4_0", false)]));
        assert_eq!(
            profiles("[require]\nshader model >= 4.1\n[vertex shader fail]\nx"),
            expected(&[("vs_4_1", true)])
        );
        assert_eq!(
            profiles("[compute shader fail(sm<5)]\nx"),
            expected(&[("cs_4_0", true), ("cs_4_1", true), ("cs_5_0", false)])
        );
        assert_eq!(profiles("[hull shader]\nx"), expected(&[("hs_5_0", false)]));
        assert_eq!(
            profiles("[require]\nshader model >= 5.0\n[hull shader]\nx"),
            expected(&[("hs_5_0", false)])
        );
        assert_eq!(profiles("[require]\nshader model >= 6.0\n[pixel shader]\nx"), expected(&[]));
    }
}
