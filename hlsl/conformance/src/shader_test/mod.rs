//! The format of vkd3d's test files, `.shader_test`.
//!
//! A file is a list of blocks, where each begins with a line in brackets. Lines that begin with `%` are
//! comments, and empty lines are ignored even in shaders. Shaders, resources, uniforms and other state apply
//! to all blocks that follow.

mod command;
mod condition;
mod cursor;
mod resource;

pub use command::{Area, Command, Expected, Step, Topology};
pub use condition::{Clause, Condition, Model};
pub use resource::{Address, Binding, Comparison, Filter, Format, InputElement, Resource, Sampler, Size};

use cursor::Cursor;

/// A line that cannot be parsed, with the reason why it cannot.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// The line in the file that cannot be parsed, counted from 1.
    pub line: u32,
    /// The error message, which usually ends with the unread part of the line.
    pub message: String,
}

/// A test file, parsed into its blocks.
#[derive(Clone, PartialEq, Debug)]
pub struct ShaderTest {
    /// The blocks in file order, because state applies to the blocks after it.
    pub blocks: Vec<Block>,
}

/// A block of a file, from its line in brackets up to the next one.
#[derive(Clone, PartialEq, Debug)]
pub struct Block {
    /// The line of the block's head in the file, counted from 1, which failures name.
    pub line: u32,
    /// The content of the block, whose kind the words in its head decide.
    pub content: Content,
}

/// The contents of a block, which depend on the words in brackets.
#[derive(Clone, PartialEq, Debug)]
pub enum Content {
    /// The requirements of the blocks that follow, from `[require]`, which replace those of an earlier block.
    Require(Vec<Requirement>),
    /// A shader, from a block such as `[pixel shader]`, which replaces an earlier one of its stage.
    Shader(Shader),
    /// A resource, from a block such as `[srv 0]`, which replaces an earlier one in its slot.
    Resource(Resource),
    /// `[sampler 0]`
    Sampler(Sampler),
    /// `[input layout]`
    InputLayout(Vec<InputElement>),
    /// `[test]`
    Test(Vec<Step>),
    /// A text to preprocess, from a block `[preproc]` or `[preproc fail]`.
    Preprocess {
        /// The source text with its directives, without lines that are comments of the test.
        source: String,
        /// Whether an error is expected, because otherwise the result must contain `pass` and must not
        /// contain `fail`.
        fails: bool,
    },
}

/// A line of a `[require]` block, which limits when the blocks after it are tested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Requirement {
    /// The tests need this shader model or a later one, as in `shader model >= 4.0`.
    AtLeast(Model),
    /// The tests need a shader model before this one, as in `shader model < 6.0`.
    Below(Model),
    /// The tests need flags of `D3DCompile`: `row-major`, `column-major`, `backcompat` or
    /// `unbounded-descriptor-arrays`.
    Options(Vec<String>),
    /// The tests need a use of a format by the device, such as `uav-load`.
    Format(Format, String),
    /// The tests need a capability of the device, such as `float64` or `geometry-shader`.
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

/// The result of compiling a shader with Microsoft's compiler, as the test states it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The shader compiles without errors, so that tests can run it.
    Success,
    /// `E_FAIL`
    Failure,
    /// `E_NOTIMPL`
    NotImplemented,
}

/// A shader with the entry point `main`, and the results that its compilation must have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Shader {
    /// The shader stage, which the head of the block names, as in `[pixel shader]`.
    pub stage: Stage,
    /// The results of Microsoft's compiler with their conditions, where the last one whose condition holds
    /// applies.
    pub outcomes: Vec<(Outcome, Condition)>,
    /// Conditions under which vkd3d's own compiler gives another result.
    pub todo: Vec<Condition>,
    /// The format, such as `dxbc-tpf-hex`, if the text is the bytes of a compiled shader.
    pub binary: Option<String>,
    /// The source text of the block, without comment lines and empty lines.
    pub source: String,
}

impl Shader {
    /// Returns the result of Microsoft's compiler for a shader model, by the last condition that holds.
    pub fn outcome(&self, model: Model) -> Outcome {
        let last = self.outcomes.iter().rev().find(|(_, condition)| condition.holds(model, &[]));
        last.map_or(Outcome::Success, |(outcome, _)| *outcome)
    }
}

impl ShaderTest {
    /// Parses a file into blocks, and checks the syntax of all of them.
    ///
    /// # Errors
    ///
    /// Returns the first line that cannot be parsed.
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
