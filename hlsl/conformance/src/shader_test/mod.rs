//! The format of vkd3d's test files, `.shader_test`.
//!
//! A file is a list of blocks. Each begins with a line in brackets. A line that begins with `%` is a comment; empty
//! lines do not count, not even in shaders. Blocks have effect on all that follow: shaders, resources, uniforms and so
//! on keep their state through the file.

mod command;
mod condition;
mod cursor;
mod resource;

pub use command::{Area, Command, Expected, Step, Topology};
pub use condition::{Clause, Condition, Model};
pub use resource::{Address, Binding, Comparison, Filter, Format, InputElement, Resource, Sampler, Size};

use cursor::Cursor;

/// A line that is not understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// The line in the file, from 1.
    pub line: u32,
    /// What is wrong.
    pub message: String,
}

/// A file.
#[derive(Clone, PartialEq, Debug)]
pub struct ShaderTest {
    /// Its blocks in sequence.
    pub blocks: Vec<Block>,
}

/// A part of a file.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// The line of its head in the file, from 1.
    pub line: u32,
    /// What it says.
    pub content: Content,
}

/// What a block says.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// `[require]`: what the following needs. It replaces the one before.
    Require(Vec<Requirement>),
    /// `[pixel shader]` and so on.
    Shader(Shader),
    /// `[srv 0]` and so on.
    Resource(Resource),
    /// `[sampler 0]`
    Sampler(Sampler),
    /// `[input layout]`
    InputLayout(Vec<InputElement>),
    /// `[test]`
    Test(Vec<Step>),
    /// `[preproc]` or `[preproc fail]`: a text that is preprocessed.
    Preprocess {
        /// The text.
        source: String,
        /// Whether the result is an error. If not, it holds `pass` and does not hold `fail`.
        fails: bool,
    },
}

/// A line of `[require]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Requirement {
    /// Shader models from this one on.
    AtLeast(Model),
    /// Shader models before this one.
    Below(Model),
    /// Flags of `D3DCompile`: `row-major`, `column-major`, `backcompat`, `unbounded-descriptor-arrays`.
    Options(Vec<String>),
    /// A use of a format: `uav-load`.
    Format(Format, String),
    /// A capability: `float64`, `geometry-shader` and so on.
    Capability(String),
}

/// A shader stage, or an effect.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs, reason = "the names are those of Direct3D")]
pub enum Stage {
    Vertex,
    Hull,
    Domain,
    Geometry,
    Pixel,
    Compute,
    Effect,
}

/// What a compiler makes of a shader.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// It compiles.
    Success,
    /// `E_FAIL`
    Failure,
    /// `E_NOTIMPL`
    NotImplemented,
}

/// A shader. Its entry point is `main`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shader {
    /// The stage.
    pub stage: Stage,
    /// What Microsoft's compiler makes of it, if the condition holds. The last that holds counts.
    pub outcomes: Vec<(Outcome, Condition)>,
    /// Where vkd3d's compiler differs.
    pub todo: Vec<Condition>,
    /// `dxbc-tpf-hex` and so on, if the text is bytes of a compiled shader.
    pub binary: Option<String>,
    /// The text.
    pub source: String,
}

impl Shader {
    /// What Microsoft's compiler makes of it for a shader model.
    pub fn outcome(&self, model: Model) -> Outcome {
        let last = self.outcomes.iter().rev().find(|(_, condition)| condition.holds(model, &[]));
        last.map_or(Outcome::Success, |(outcome, _)| *outcome)
    }
}

impl ShaderTest {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The first line that is not understood.
    pub fn parse(text: &str) -> Result<ShaderTest, ParseError> {
        let mut blocks: Vec<Block> = Vec::new();
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let number = index as u32 + 1;
            if line.starts_with('[') {
                let head = line.trim_end();
                let head = head.strip_prefix('[').and_then(|head| head.strip_suffix(']'));
                let mut cursor = Cursor::new(head.unwrap_or_default(), number);
                let content = Content::parse(&mut cursor)?;
                if head.is_none() || !cursor.is_empty() {
                    return Err(cursor.error("the head of the block is not understood"));
                }
                blocks.push(Block { line: number, content });
            } else if !line.starts_with('%') && !line.trim_end_matches(['\r', '\n']).is_empty() {
                let Some(block) = blocks.last_mut() else {
                    return Err(ParseError { line: number, message: "a block is expected".to_owned() });
                };
                block.content.line(line, number)?;
            }
        }
        Ok(ShaderTest { blocks })
    }
}

impl Content {
    /// The head of a block, without its brackets.
    fn parse(cursor: &mut Cursor<'_>) -> Result<Content, ParseError> {
        let stages = [
            ("vertex shader", Stage::Vertex),
            ("hull shader", Stage::Hull),
            ("domain shader", Stage::Domain),
            ("geometry shader", Stage::Geometry),
            ("pixel shader", Stage::Pixel),
            ("compute shader", Stage::Compute),
            ("effect", Stage::Effect),
        ];
        if let Some((_, stage)) = stages.into_iter().find(|(word, _)| cursor.word(word)) {
            return Ok(Content::Shader(shader(stage, cursor)?));
        }
        if cursor.word("require") {
            return Ok(Content::Require(Vec::new()));
        }
        if cursor.word("test") {
            return Ok(Content::Test(Vec::new()));
        }
        if cursor.word("input layout") {
            return Ok(Content::InputLayout(Vec::new()));
        }
        if cursor.word("preproc") {
            return Ok(Content::Preprocess { source: String::new(), fails: cursor.word("fail") });
        }
        if cursor.word("sampler") {
            return Ok(Content::Sampler(Sampler::new(cursor.number()?)));
        }
        Ok(Content::Resource(Resource::new(Binding::parse(cursor)?)))
    }

    /// A line of the block.
    fn line(&mut self, line: &str, number: u32) -> Result<(), ParseError> {
        let mut cursor = Cursor::new(line, number);
        let cursor = &mut cursor;
        match self {
            Content::Require(list) => list.push(requirement(cursor)?),
            Content::Shader(Shader { source, .. }) | Content::Preprocess { source, .. } => {
                source.push_str(line);
            }
            Content::Resource(resource) => resource.line(cursor)?,
            Content::Sampler(sampler) => sampler.line(cursor)?,
            Content::InputLayout(list) => list.push(InputElement::parse(cursor)?),
            Content::Test(list) => list.push(Step::parse(cursor)?),
        }
        Ok(())
    }
}

/// The qualifiers in the head of a shader.
fn shader(stage: Stage, cursor: &mut Cursor<'_>) -> Result<Shader, ParseError> {
    let (outcomes, todo) = (Vec::new(), Vec::new());
    let mut shader = Shader { stage, outcomes, todo, binary: None, source: String::new() };
    while !cursor.is_empty() {
        if cursor.word("fail") {
            shader.outcomes.push((Outcome::Failure, Condition::parse(cursor)?));
        } else if cursor.word("notimpl") {
            shader.outcomes.push((Outcome::NotImplemented, Condition::parse(cursor)?));
        } else if cursor.word("todo") {
            shader.todo.push(Condition::parse(cursor)?);
        } else if let Some(format) =
            ["d3dbc-hex", "dxbc-tpf-hex", "dxbc-dxil-hex"].into_iter().find(|format| cursor.word(format))
        {
            shader.binary = Some(format.to_owned());
        } else {
            return Err(cursor.error("unknown qualifier of a shader"));
        }
    }
    Ok(shader)
}

fn requirement(cursor: &mut Cursor<'_>) -> Result<Requirement, ParseError> {
    if cursor.word("shader model >=") {
        return Ok(Requirement::AtLeast(condition::model(cursor)?));
    }
    if cursor.word("shader model <") {
        return Ok(Requirement::Below(condition::model(cursor)?));
    }
    if cursor.word("options:") {
        let options = cursor.rest().split_whitespace().filter(|option| *option != "none");
        return Ok(Requirement::Options(options.map(str::to_owned).collect()));
    }
    if cursor.word("format") {
        let format = resource::format(cursor)?;
        return Ok(Requirement::Format(format, cursor.name().to_owned()));
    }
    Ok(Requirement::Capability(cursor.name().to_owned()))
}

#[cfg(test)]
mod tests;
