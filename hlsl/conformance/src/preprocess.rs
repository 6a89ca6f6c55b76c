//! Runs vkd3d's preprocessor tests, the `[preproc]` blocks of its files.

use onze_hlsl::{PreprocessOptions, preprocess};

use crate::shader_test::{Content, ShaderTest};

/// Returns the number of passed cases in a file and the failures, each with the line of the block and a
/// message.
pub fn run(test: &ShaderTest) -> (usize, Vec<(u32, String)>) {
    let mut passed = 0;
    let mut failures = Vec::new();
    for block in &test.blocks {
        let Content::Preprocess { source, fails } = &block.content else { continue };
        match check(source, *fails) {
            Ok(()) => passed += 1,
            Err(message) => failures.push((block.line, message)),
        }
    }
    (passed, failures)
}

fn check(source: &str, fails: bool) -> Result<(), String> {
    match preprocess(source, "test.hlsl", &PreprocessOptions::default()) {
        Ok(_) if fails => Err("preprocessed, but an error is expected".to_owned()),
        Ok(result) if !result.text.contains("pass") => Err(format!("no 'pass' in\n{}", result.text)),
        Ok(result) if result.text.contains("fail") => Err(format!("'fail' in\n{}", result.text)),
        Ok(_) => Ok(()),
        Err(_) if fails => Ok(()),
        Err(errors) => Err(errors.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_have_the_line_of_their_block() {
        let text = "[preproc]\npass\n[preproc fail]\n#error\n[preproc]\nfail\n[preproc fail]\npass\n[preproc]\n#error";
        let (passed, failures) = run(&ShaderTest::parse(text).unwrap());
        assert_eq!(passed, 2);
        let lines: Vec<_> = failures.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [5, 7, 9]);
    }
}
