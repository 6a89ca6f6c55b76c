//! Messages about invalid shaders, in the terms of the shaders' source.
//!
//! naga's validator refers to expressions by handle, as in `Expression [3]`, and uses its own names for
//! types. The messages of this file quote the expressions from the source instead, name types in the terms of
//! the source's language, and add the line and the column.

use std::error::Error;

use naga::valid::{
    CallError, Disalignment, EntryPointError, ExpressionError, FunctionError, GlobalVariableError,
    ValidationError, VaryingError,
};
use naga::{
    AddressSpace, BinaryOperator, Expression, Function, Handle, ImageDimension, Module, ShaderStage, Span,
    Type, TypeInner, WithSpan,
};

use onze_ddi::ScalarKind;

use super::terms::SourceLanguage;

/// A message about a position in the source.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Diagnosis(String);

/// Describes a validation error, and quotes the affected lines if the source text is available.
pub(super) fn of_validation(
    error: &WithSpan<ValidationError>,
    module: &Module,
    text: Option<&str>,
    language: SourceLanguage,
) -> String {
    let words = plain_capabilities(&DiagnosisWriter { module, text, language }.validation(error.as_inner()));
    let Some(text) = text else { return words };
    let Some((span, _)) = error.spans().next() else { return words };
    let place = WithSpan::new(Diagnosis(words)).with_span(*span, "here");
    let rendered = place.emit_to_string_with_path(text, language.name());
    rendered.trim_end().trim_start_matches("error: ").to_owned()
}

/// Composes messages from a module and its source.
#[derive(Copy, Clone)]
struct DiagnosisWriter<'a> {
    module: &'a Module,
    text: Option<&'a str>,
    language: SourceLanguage,
}

impl DiagnosisWriter<'_> {
    fn validation(self, error: &ValidationError) -> String {
        match error {
            ValidationError::EntryPoint { stage, name, source } => {
                let point = self.module.entry_points.iter().find(|p| p.name == *name && p.stage == *stage);
                let words = match point {
                    Some(point) => self.entry_point(*stage, &point.function, source),
                    None => chain(source),
                };
                format!("in `{name}`, {words}")
            }
            ValidationError::Function { handle, name, source } => {
                format!("in `{name}`, {}", self.function(&self.module.functions[*handle], source))
            }
            ValidationError::GlobalVariable { name, source, .. } => {
                format!("`{name}`: {}", self.global_variable(source))
            }
            ValidationError::Type { name, source, .. } => {
                format!("the type `{name}`: {}", self.types_in(&chain(source)))
            }
            ValidationError::ConstExpression { handle, source } => {
                let constant = self.snippet(self.module.global_expressions.get_span(*handle));
                format!("the constant {constant}: {}", chain(source))
            }
            other => self.types_in(&chain(other)),
        }
    }

    fn entry_point(self, stage: ShaderStage, function: &Function, error: &EntryPointError) -> String {
        let argument = |index: u32| {
            let argument = function.arguments.get(index as usize);
            argument.and_then(|a| a.name.as_deref()).unwrap_or("an argument").to_owned()
        };
        match error {
            EntryPointError::Function(error) => self.function(function, error),
            EntryPointError::Argument(index, error) => {
                format!("the argument `{}`: {}", argument(*index), self.varying(error))
            }
            EntryPointError::Result(error) => format!("the returned value: {}", self.varying(error)),
            EntryPointError::ForbiddenStageOperations if stage != ShaderStage::Fragment => {
                let (sample, others) = match self.language {
                    SourceLanguage::Wgsl => ("`textureSample`", "`textureSampleLevel` and `textureLoad` work"),
                    SourceLanguage::Hlsl => ("`Sample`", "`SampleLevel` and `Load` work"),
                    SourceLanguage::Glsl => ("`texture`", "`textureLod` and `texelFetch` work"),
                    SourceLanguage::Spirv => {
                        ("`OpImageSampleImplicitLod`", "`OpImageSampleExplicitLod` and `OpImageFetch` work")
                    }
                };
                format!(
                    "an operation is used that only pixel shaders have: {sample} and other calls that choose the mip level \
                     automatically, derivatives, or `discard`; {others} in every stage"
                )
            }
            EntryPointError::MissingVertexOutputPosition => {
                match self.language {
                    SourceLanguage::Wgsl => {
                        "no position is returned; a vertex shader returns `@builtin(position) vec4f`, alone or in a struct"
                    }
                    SourceLanguage::Hlsl => "no position is returned; a vertex shader returns `float4 : SV_Position`",
                    SourceLanguage::Glsl => "no position is written; a vertex shader writes `gl_Position`",
                    SourceLanguage::Spirv => "no position is written; a vertex shader has an output with BuiltIn Position",
                }
                .to_owned()
            }
            EntryPointError::BindingCollision(handle) => {
                let name = self.module.global_variables[*handle].name.as_deref().unwrap_or_default();
                format!("`{name}` has the {} of another variable", self.language.place())
            }
            other => self.types_in(&chain(other)),
        }
    }

    fn varying(self, error: &VaryingError) -> String {
        match error {
            VaryingError::MissingBinding => {
                format!("it needs {}, or a struct whose members all have one", self.language.varying())
            }
            VaryingError::MemberMissingBinding(index) => {
                format!("member {index} of its struct, counted from 0, needs {}", self.language.varying())
            }
            VaryingError::BindingCollision { location } => {
                let location = self.language.location(*location);
                format!("{location} is used twice; give each a location of its own")
            }
            VaryingError::InvalidInterpolationForInteger => {
                format!(
                    "an integer is not interpolated; write {} before it, in both stages",
                    self.language.flat()
                )
            }
            other => self.types_in(&chain(other)),
        }
    }

    fn function(self, function: &Function, error: &FunctionError) -> String {
        let code = |handle: Handle<Expression>| self.expression(function, handle);
        let ty = |handle: Handle<Type>| self.ty(handle);
        match error {
            FunctionError::Expression { handle, source } => self.expression_error(function, *handle, source),
            FunctionError::InvalidReturnType { expression, expected_ty } => match (expression, expected_ty) {
                (Some(value), Some(expected)) => {
                    format!("{} is returned, but the function returns {}", code(*value), ty(*expected))
                }
                (Some(value), None) => {
                    format!("{} is returned, but the function returns nothing", code(*value))
                }
                (None, Some(expected)) => {
                    format!("the function may end without a value, but it returns {}", ty(*expected))
                }
                (None, None) => chain(error),
            },
            FunctionError::InvalidIfType(condition) => {
                format!("{} after `if` is not a bool", code(*condition))
            }
            FunctionError::InvalidSwitchType(value) => {
                let [int, uint] =
                    [ScalarKind::Sint, ScalarKind::Uint].map(|kind| self.language.scalar_type(kind));
                format!("{} after `switch` is not an {int} or {uint}", code(*value))
            }
            FunctionError::InvalidStoreTypes { pointer, value } => {
                format!(
                    "{} does not have the type of {}, the target of the assignment",
                    code(*value),
                    code(*pointer)
                )
            }
            FunctionError::InvalidCall { function: called, error: source } => {
                let name = self.module.functions[*called].name.as_deref().unwrap_or_default().to_owned();
                match source {
                    CallError::ArgumentType { index, required, seen_expression } => format!(
                        "argument {} of `{name}` is {}, but `{name}` takes {}",
                        index + 1,
                        code(*seen_expression),
                        ty(*required)
                    ),
                    CallError::ArgumentCount { required, seen } => {
                        format!("`{name}` takes {required} arguments, but {seen} are given")
                    }
                    other => {
                        format!("the call of `{name}`: {}", self.expressions_in(function, &chain(other)))
                    }
                }
            }
            other => self.expressions_in(function, &chain(other)),
        }
    }

    fn expression_error(
        self,
        function: &Function,
        handle: Handle<Expression>,
        error: &ExpressionError,
    ) -> String {
        let code = |handle| self.expression(function, handle);
        match error {
            ExpressionError::InvalidBinaryOperandTypes { op, lhs_expr, lhs_type, rhs_expr, rhs_type } => {
                format!(
                    "the operator `{}` does not take {}, which is {}, and {}, which is {}",
                    operator(*op),
                    code(*lhs_expr),
                    self.inner(lhs_type),
                    code(*rhs_expr),
                    self.inner(rhs_type)
                )
            }
            ExpressionError::InvalidImageCoordinateType(dimension, coordinate) => {
                let takes = match dimension {
                    ImageDimension::D1 => "one number",
                    ImageDimension::D2 => "a vector of two",
                    ImageDimension::D3 | ImageDimension::Cube => "a vector of three",
                };
                format!("{} is not a coordinate of this texture, which takes {takes}", code(*coordinate))
            }
            other => format!("{}: {}", code(handle), self.expressions_in(function, &chain(other))),
        }
    }

    fn global_variable(self, error: &GlobalVariableError) -> String {
        match error {
            GlobalVariableError::Alignment(
                AddressSpace::Uniform,
                ty,
                Disalignment::ArrayStride { stride, .. },
            ) => {
                format!(
                    "{} in a constant buffer has an array with a stride of {stride} bytes, which must be a multiple of \
                     16; make an array of vec4",
                    self.ty(*ty)
                )
            }
            GlobalVariableError::InvalidBinding => {
                format!("a resource needs {}, and other variables must not have them", self.language.place())
            }
            GlobalVariableError::MissingTypeFlags { .. } => {
                let [uint, int, float] = [ScalarKind::Uint, ScalarKind::Sint, ScalarKind::Float]
                    .map(|kind| self.language.scalar_type(kind));
                format!(
                    "its type is not allowed in a buffer (a bool, for example); use {uint}, {int}, {float}, vectors, matrices, \
                     arrays and structs of them"
                )
            }
            other => self.types_in(&chain(other)),
        }
    }

    /// Quotes an expression from the source, or the name that a `let` gives it.
    fn expression(self, function: &Function, handle: Handle<Expression>) -> String {
        match function.named_expressions.get(&handle) {
            // The span of a named expression covers its declaration, which may be far from its use.
            Some(name) => format!("`{name}`"),
            None => self.snippet(function.expressions.get_span(handle)),
        }
    }

    fn snippet(self, span: Span) -> String {
        let code = self.text.and_then(|text| text.get(span.to_range()?));
        match code.map(str::trim).filter(|code| !code.is_empty() && code.len() <= 60 && !code.contains('\n'))
        {
            Some(code) => format!("`{code}`"),
            None => "the expression".to_owned(),
        }
    }

    fn ty(self, handle: Handle<Type>) -> String {
        self.language.module_type(&self.module.types, handle)
    }

    fn inner(self, inner: &TypeInner) -> String {
        self.language.module_type_inner(&self.module.types, inner)
    }

    /// Replaces the handles of expressions in naga's message by quotations from the source.
    fn expressions_in(self, function: &Function, words: &str) -> String {
        replace_handles(words, |index| {
            let (handle, _) = function.expressions.iter().nth(index)?;
            Some(self.expression(function, handle))
        })
    }

    /// Replaces the handles of types in naga's message by the type names of the source's language.
    fn types_in(self, words: &str) -> String {
        replace_handles(words, |index| {
            let (handle, _) = self.module.types.iter().nth(index)?;
            Some(self.ty(handle))
        })
    }
}

/// Replaces capabilities in naga's message, such as `Capabilities(CLIP_DISTANCES)`, by their plain names.
fn plain_capabilities(words: &str) -> String {
    const START: &str = "Capabilities(";
    let mut plain = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, from)) = rest.split_once(START) {
        let Some((names, after)) = from.split_once(')') else { break };
        plain.push_str(before);
        plain.push_str(&names.replace(" | ", " and "));
        rest = after;
    }
    plain + rest
}

/// Joins the messages of an error and its causes, omitting a message that only says that something "is
/// invalid" if there is a cause.
fn chain(error: &dyn Error) -> String {
    let mut words = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if !text.ends_with(" is invalid") || error.source().is_none() {
            words.push(text);
        }
        next = error.source();
    }
    words.join(": ")
}

/// Replaces each handle, such as `[3]`, by the result of `name(3)`, unless that is `None`.
fn replace_handles(words: &str, name: impl Fn(usize) -> Option<String>) -> String {
    let mut replaced = String::with_capacity(words.len());
    let mut rest = words;
    while let Some(start) = rest.find('[') {
        let (before, from) = rest.split_at(start);
        replaced.push_str(before);
        let found = from.find(']').and_then(|end| Some((end, name(from[1..end].parse().ok()?)?)));
        match found {
            Some((end, name)) => {
                replaced.push_str(&name);
                rest = &from[end + 1..];
            }
            None => {
                replaced.push('[');
                rest = &from[1..];
            }
        }
    }
    replaced + rest
}

const fn operator(op: BinaryOperator) -> &'static str {
    match op {
        BinaryOperator::Add => "+",
        BinaryOperator::Subtract => "-",
        BinaryOperator::Multiply => "*",
        BinaryOperator::Divide => "/",
        BinaryOperator::Modulo => "%",
        BinaryOperator::Equal => "==",
        BinaryOperator::NotEqual => "!=",
        BinaryOperator::Less => "<",
        BinaryOperator::LessEqual => "<=",
        BinaryOperator::Greater => ">",
        BinaryOperator::GreaterEqual => ">=",
        BinaryOperator::And => "&",
        BinaryOperator::ExclusiveOr => "^",
        BinaryOperator::InclusiveOr => "|",
        BinaryOperator::LogicalAnd => "&&",
        BinaryOperator::LogicalOr => "||",
        BinaryOperator::ShiftLeft => "<<",
        BinaryOperator::ShiftRight => ">>",
    }
}
