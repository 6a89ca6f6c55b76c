mod conditions;
mod directives;
mod includes;
mod limits;
mod macros;
mod mutations;
mod positions;
mod pragmas;
mod text;

use super::*;

/// Returns the output with one space between tokens and without `#line`, and the codes of the warnings.
#[track_caller]
fn run_with(text: &str, options: &PreprocessOptions<'_>) -> (String, Vec<Code>) {
    let result = match preprocess(text, "main.hlsl", options) {
        Ok(result) => result,
        Err(errors) => panic!("{errors}"),
    };
    let lines = result.text.lines().filter(|line| !line.starts_with("#line"));
    let words: Vec<_> = lines.flat_map(str::split_whitespace).collect();
    (words.join(" "), result.diagnostics.warnings().map(|warning| warning.code).collect())
}

#[track_caller]
fn run(text: &str) -> (String, Vec<Code>) {
    run_with(text, &PreprocessOptions::default())
}

#[track_caller]
fn clean(text: &str) -> String {
    let (output, warnings) = run(text);
    assert_eq!(warnings, [], "{text}");
    output
}

#[track_caller]
fn errors_with(text: &str, options: &PreprocessOptions<'_>) -> Vec<Code> {
    match preprocess(text, "main.hlsl", options) {
        Ok(result) => panic!("no error: {}", result.text),
        Err(errors) => errors.errors().map(|error| error.code).collect(),
    }
}

#[track_caller]
fn errors(text: &str) -> Vec<Code> {
    errors_with(text, &PreprocessOptions::default())
}

fn tokens(text: &str, options: &PreprocessOptions<'_>) -> (Vec<String>, Session) {
    let mut session = Session::default();
    let tokens = preprocess_tokens(&mut session, "main.hlsl", text, options);
    let spelled = tokens
        .iter()
        .map(|token| match token.kind {
            TokenKind::Name(symbol) => session.names.text(symbol).to_string(),
            TokenKind::PackMatrix(packing) => format!("{packing:?}"),
            TokenKind::End => "end".to_owned(),
            _ => session.sources.text(token.span).to_owned(),
        })
        .collect();
    (spelled, session)
}
