//! The format of vkd3d's test files (`.shader_test`).
//!
//! A file is a list of blocks, each of which begins with a line in brackets. Lines that begin with `%` are
//! comments, and empty lines are ignored even in shaders. Shaders, resources, uniforms and other state apply
//! to all later blocks.

mod command;
mod condition;
mod cursor;
mod resource;

pub use command::{Area, Command, Expected, Step, Topology};
pub use condition::{Clause, Condition, Model};
pub use resource::{Address, Binding, Comparison, Filter, Format, InputElement, Resource, Sampler, Size};

use cursor::Cursor;

/// A line that cannot be parsed, with the reason.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// The number of the line in the file, counted from 1.
    pub line: u32,
    /// The error message, which usually ends with the rest of the line.
    pub message: String,
}

/// A parsed test file.
#[derive(Clone, PartialEq, Debug)]
pub struct ShaderTest {
    /// The blocks in file order, because state applies to all later blocks.
    pub blocks: Vec<Block>,
}

/// A block of a file, from its header line to the next one.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// The number of the block's header line, counted from 1, for the reports of failures.
    pub line: u32,
    /// The content of the block.
    pub content: Content,
}

/// The content of a block, whose header line determines the variant.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// The requirements of later blocks, from `[require]`, which replace earlier requirements.
    Require(Vec<Requirement>),
    /// A shader, from a block such as `[pixel shader]`, which replaces an earlier shader of the same stage.
    Shader(Shader),
    /// A resource, from a block such as `[srv 0]`, which replaces an earlier resource in the same slot.
    Resource(Resource),
    /// A sampler, from a block such as `[sampler 0]`.
    Sampler(Sampler),
    /// The input layout, from an `[input layout]` block.
    InputLayout(Vec<InputElement>),
    /// The commands of a `[test]` block.
    Test(Vec<Step>),
    /// A source to preprocess, from a block `[preproc]` or `[preproc fail]`.
    Preprocess {
        /// The source text with directives but without comment lines of the test file.
        source: String,
        /// Whether an error is expected instead of a result that contains `pass` and does not contain `fail`.
        fails: bool,
    },
}

/// A line of a `[require]` block, which restricts when later blocks are tested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Requirement {
    /// The tests require this shader model or a later one, as in `shader model >= 4.0`.
    AtLeast(Model),
    /// The tests require a shader model earlier than this one, as in `shader model < 6.0`.
    Below(Model),
    /// The tests require flags of `D3DCompile`: `row-major`, `column-major`, `backcompat` or
    /// `unbounded-descriptor-arrays`.
    Options(Vec<String>),
    /// The tests require that the device supports a format for a use, such as `uav-load`.
    Format(Format, String),
    /// The tests require a capability of the device, such as `float64` or `geometry-shader`.
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

/// The result of Microsoft's compiler that the test states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The shader compiles without errors.
    Success,
    /// The compilation fails with `E_FAIL`.
    Failure,
    /// The compilation fails with `E_NOTIMPL`.
    NotImplemented,
}

/// A shader with the entry point `main`, and the expected results of its compilation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shader {
    /// The shader stage, from the header of the block, such as `[pixel shader]`.
    pub stage: Stage,
    /// The results of Microsoft's compiler with their conditions, where the last condition that holds selects
    /// the result.
    pub outcomes: Vec<(Outcome, Condition)>,
    /// The conditions under which vkd3d's own compiler has a different result.
    pub todo: Vec<Condition>,
    /// The format, such as `dxbc-tpf-hex`, if the block contains the bytes of a compiled shader.
    pub binary: Option<String>,
    /// The source text of the block, without comment lines and empty lines.
    pub source: String,
}

impl Shader {
    /// Returns the result of Microsoft's compiler for a shader model: the last result whose condition holds.
    pub fn outcome(&self, model: Model) -> Outcome {
        let last = self.outcomes.iter().rev().find(|(_, condition)| condition.holds(model, &[]));
        last.map_or(Outcome::Success, |(outcome, _)| *outcome)
    }
}

impl ShaderTest {
    /// Parses a file into blocks, and checks the syntax of all blocks.
    ///
    /// # Errors
    ///
    /// Returns an error for the first line that cannot be parsed.
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
                    return Err(cursor.error("unknown head of a block"));
                }
                blocks.push(Block { line: number, content });
            } else if !line.starts_with('%') && !line.trim_end_matches(['\r', '\n']).is_empty() {
                let Some(block) = blocks.last_mut() else {
                    return Err(ParseError { line: number, message: "expected a block".to_owned() });
                };
                block.content.line(line, number)?;
            }
        }
        Ok(ShaderTest { blocks })
    }
}

impl Content {
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
            return Err(cursor.error("unknown shader qualifier"));
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
