//! Parses the shaders of vkd3d's tests that Microsoft's compiler accepts, whose syntax must not have errors.

use onze_hlsl::{PreprocessOptions, check_syntax};

use crate::shader_test::{Content, Model, Outcome, Requirement, ShaderTest};

const MODELS: [Model; 3] = [Model::Sm4_0, Model::Sm4_1, Model::Sm5_0];

/// Returns the number of passed shaders in a file and the failures, each with the line of the block and the
/// errors.
///
/// Shaders that fail in all shader models of Direct3D 11 are skipped, because most of them have type errors
/// and not syntax errors.
pub fn run(test: &ShaderTest) -> (usize, Vec<(u32, String)>) {
    let mut passed = 0;
    let mut failures = Vec::new();
    let mut models = MODELS.to_vec();
    for block in &test.blocks {
        let shader = match &block.content {
            Content::Require(requirements) => {
                models = models_of(requirements);
                continue;
            }
            Content::Shader(shader) if shader.binary.is_none() => shader,
            _ => continue,
        };
        if !models.iter().any(|model| shader.outcome(*model) == Outcome::Success) {
            continue;
        }
        match check_syntax(&shader.source, "test.hlsl", &PreprocessOptions::default()) {
            Ok(_) => passed += 1,
            Err(errors) => failures.push((block.line, errors.to_string())),
        }
    }
    (passed, failures)
}

fn models_of(requirements: &[Requirement]) -> Vec<Model> {
    let allows = |model: Model| {
        requirements.iter().all(|requirement| match requirement {
            Requirement::AtLeast(least) => model >= *least,
            Requirement::Below(above) => model < *above,
            _ => true,
        })
    };
    MODELS.into_iter().filter(|model| allows(*model)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shaders_of_other_models_and_expected_errors_are_skipped() {
        let text = "[pixel shader]\nfloat a;\n[pixel shader fail]\nfloat;\n[compute shader]\nfloat;\n\
                    [require]\nshader model >= 6.0\n[pixel shader]\nint64_t a;";
        let (passed, failures) = run(&ShaderTest::parse(text).unwrap());
        assert_eq!(passed, 1);
        let lines: Vec<_> = failures.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [5]);
    }
}
