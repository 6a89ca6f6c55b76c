//! Translation of GLSL to naga modules with naga's front end.

use naga::{Module, front::glsl};
use onze_ddi::ShaderStage;

use super::ShaderError;

pub(super) fn parse(text: &str, stage: ShaderStage) -> Result<Module, ShaderError> {
    let Some(of_naga) = stage.to_naga() else {
        return Err(ShaderError::NoSuchStage { stage: stage.name() });
    };
    glsl::Frontend::default().parse(&glsl::Options::from(of_naga), text).map_err(|error| {
        let first =
            error.errors.first().and_then(|first| first.meta.to_range().map(|_| first.meta.location(text)));
        let (line, column) = first.map_or((0, 0), |at| (at.line_number, at.line_position));
        ShaderError::Parse { line, column, message: error.emit_to_string(text) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_in_glsl_has_its_line_and_column() {
        let error = parse("#version 450\nvoid main() { missing(); }", ShaderStage::Vertex);
        assert!(matches!(error, Err(ShaderError::Parse { line: 2, column: 15, .. })), "{error:?}");
    }
}
