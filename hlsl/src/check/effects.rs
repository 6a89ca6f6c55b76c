//! Checks of initial values that only effects use, such as states, compiled shaders and strings, and that are
//! therefore not stored.

use super::Checker;
use crate::{
    check::tree::{FunctionId, Intrinsic, Type},
    session::code::Code,
    syntax::{
        ast::{Expr, ExprKind, Path, States, TypeKind, TypeName},
        builtin::{Object, ObjectFamily, setter_arguments},
    },
};

impl Checker<'_> {
    /// Checks the initial value of a variable outside functions, and returns `false` if it is an ordinary
    /// shader value.
    pub(super) fn effect_initializer(&mut self, name: &str, ty: &Type, value: &Expr) -> bool {
        if self.function.is_some() {
            return false;
        }
        let element = innermost(ty);
        let is_null = self.is_null(value);
        if is_null && matches!(element, Type::Object(_)) {
            return true;
        }
        let of_effects = match element {
            Type::String => true,
            Type::Object(object) => object.kind.family() == ObjectFamily::Effect,
            _ => false,
        };
        let mut leaves = Vec::new();
        flatten(value, &mut leaves);
        let made: Vec<_> = leaves.iter().map(|leaf| self.is_effect_value(leaf)).collect();
        if !of_effects && !made.contains(&true) {
            return false;
        }
        let (mut given, mut shaders) = (0, 0);
        for (leaf, is_effect) in leaves.into_iter().zip(made) {
            given += if is_effect || of_effects {
                self.effect_value(leaf);
                shaders += u64::from(is_effect || *leaf.kind == ExprKind::String);
                1
            } else {
                let leaf = self.expression(leaf);
                self.count(&leaf.ty)
            };
        }
        let is_list = matches!(*value.kind, ExprKind::List(_));
        let fits = match element {
            _ if is_list => given == self.count(ty),
            Type::Object(object) if object.kind == Object::Sampler => {
                matches!(*value.kind, ExprKind::Effect) && !matches!(ty, Type::Array(_))
            }
            _ => of_effects && shaders == 1,
        };
        if !fits && !matches!(ty, Type::Error) {
            let message = format!("'{name}': initializer does not match type");
            self.error(Code::CannotConvert, value.span, message);
        }
        true
    }

    /// Checks the states of a variable, which may contain undeclared names.
    pub(super) fn states(&mut self, name: &str, ty: &Type, states: &States) {
        if states.blocks.is_some_and(|blocks| u64::from(blocks) != self.count(ty)) && !ty.is_error() {
            let message = format!("'{name}': initializer does not match type");
            self.error(Code::CannotConvert, states.span, message);
        }
        for state in &states.states {
            if state.is_call {
                let setter = self.session.names.text(state.name.name).clone();
                let fits = setter_arguments(&setter).is_some_and(|range| range.contains(&state.values.len()));
                if !fits {
                    let message =
                        format!("'{setter}': no matching {} parameter function", state.values.len());
                    self.error(Code::NoMatchingFunction, state.name.span, message);
                }
            }
            for value in &state.values {
                self.state_value(value);
            }
        }
    }

    fn state_value(&mut self, value: &Expr) {
        match &*value.kind {
            ExprKind::Call(path, arguments) => {
                let functions = self.lookup_functions(path);
                let text = self.session.names.text(path.name).clone();
                let is_intrinsic = Intrinsic::ALL.iter().any(|intrinsic| intrinsic.name() == &*text);
                if functions.is_empty() && !is_intrinsic && !self.is_effect_value(value) {
                    let message = format!("undeclared identifier '{text}'");
                    self.error(Code::UndeclaredIdentifier, path.span, message);
                } else if !functions.is_empty()
                    && !functions.iter().any(|id| self.takes_state(*id, arguments))
                {
                    let message = format!("'{text}': no matching {} parameter function", arguments.len());
                    self.error(Code::NoMatchingFunction, path.span, message);
                }
                arguments.iter().for_each(|argument| self.state_value(argument));
            }
            ExprKind::Cast(name, _, of) => {
                if is_object(name) {
                    self.error(Code::CannotConvert, value.span, "cannot convert to an object");
                }
                self.state_value(of);
            }
            ExprKind::Member(of, member) => match &*of.kind {
                ExprKind::Name(path) if self.lookup_variable(path).is_some() => {
                    self.expression(value);
                }
                ExprKind::Name(_) if !matches!(&**self.session.names.text(member.name), "x" | "r") => {
                    let text = self.session.names.text(member.name);
                    let message = format!("invalid subscript '{text}'");
                    self.error(Code::InvalidSubscript, member.span, message);
                }
                _ => self.state_value(of),
            },
            ExprKind::Index(of, index) => {
                if matches!(&*of.kind, ExprKind::Name(path) if self.lookup_variable(path).is_none()) {
                    let message =
                        "array, matrix, vector, or indexable object type expected in index expression";
                    self.error(Code::InvalidIndex, of.span, message);
                }
                self.state_value(of);
                self.state_value(index);
            }
            ExprKind::Unary(_, of) => self.state_value(of),
            ExprKind::Binary(_, a, b) | ExprKind::Comma(a, b) | ExprKind::Assign(_, a, b) => {
                self.state_value(a);
                self.state_value(b);
            }
            ExprKind::Conditional(a, b, c) => [a, b, c].into_iter().for_each(|of| self.state_value(of)),
            ExprKind::List(values) | ExprKind::Construct(_, values) => {
                values.iter().for_each(|value| self.state_value(value));
            }
            ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::String
            | ExprKind::Name(_)
            | ExprKind::MethodCall(..)
            | ExprKind::Effect => {}
        }
    }

    /// Returns whether a function accepts arguments, treating undeclared names in them as `int`s.
    fn takes_state(&self, id: FunctionId, arguments: &[Expr]) -> bool {
        let function = &self.tree[id];
        let needed = function.parameters.iter().filter(|parameter| parameter.default.is_none()).count();
        let counts = needed..=function.parameters.len();
        counts.contains(&arguments.len())
            && arguments.iter().zip(&function.parameters).all(|(argument, parameter)| {
                let is_unknown =
                    matches!(&*argument.kind, ExprKind::Name(path) if self.lookup_variable(path).is_none());
                !is_unknown || matches!(function.local(parameter.local).ty, Type::Numeric(_) | Type::Error)
            })
    }

    fn is_null(&self, value: &Expr) -> bool {
        matches!(&*value.kind, ExprKind::Name(path) if self.is_called(path, "NULL"))
    }

    fn is_called(&self, path: &Path, name: &str) -> bool {
        path.scope.is_empty() && !path.global && **self.session.names.text(path.name) == *name
    }

    fn is_effect_value(&self, value: &Expr) -> bool {
        match &*value.kind {
            ExprKind::Effect => true,
            ExprKind::Call(path, _) => {
                self.is_called(path, "CompileShader") || self.is_called(path, "ConstructGSWithSO")
            }
            _ => false,
        }
    }

    /// Checks the arguments of a shader that an effect compiles, as values for the shader's uniform
    /// parameters.
    pub(super) fn shader_arguments(&mut self, shader: &Path, count: usize) {
        let uniforms =
            |id: FunctionId| self.tree[id].parameters.iter().filter(|parameter| parameter.uniform).count();
        let most = self.lookup_functions(shader).into_iter().map(uniforms).max();
        if most.is_some_and(|most| count > most) {
            let message = "the call has more arguments than the shader has uniform parameters";
            self.error(Code::NoMatchingFunction, shader.span, message);
        }
    }

    fn effect_value(&mut self, value: &Expr) {
        let ExprKind::Call(path, arguments) = &*value.kind else { return };
        if self.is_called(path, "CompileShader") {
            if let Some(profile) = arguments.first() {
                let text = self.session.sources.text(profile.span).to_owned();
                if !is_profile(&text) {
                    self.error(Code::SyntaxError, profile.span, format!("unknown profile '{text}'"));
                }
            }
            let Some(shader) = arguments.get(1) else { return };
            if let ExprKind::Call(shader, arguments) = &*shader.kind {
                for argument in arguments {
                    self.expression(argument);
                }
                self.shader_arguments(shader, arguments.len());
            }
        } else if self.is_called(path, "ConstructGSWithSO") && !matches!(arguments.len(), 2 | 6) {
            let message = "ConstructGSWithSO takes 2 or 6 arguments";
            self.error(Code::NoMatchingFunction, value.span, message);
        }
    }
}

/// Returns whether a string is a profile for shaders in effects, such as `ps_2_0`.
fn is_profile(text: &str) -> bool {
    let Some((stage, version)) = text.split_once('_') else { return false };
    let major = version.chars().next().and_then(|c| c.to_digit(10));
    matches!(stage, "vs" | "ps" | "gs" | "hs" | "ds" | "cs") && major.is_some_and(|major| major <= 5)
}

fn is_object(name: &TypeName) -> bool {
    matches!(name.kind, TypeKind::Object(..))
}

fn innermost(mut ty: &Type) -> &Type {
    while let Type::Array(array) = ty {
        ty = &array.element;
    }
    ty
}

fn flatten<'e>(value: &'e Expr, leaves: &mut Vec<&'e Expr>) {
    match &*value.kind {
        ExprKind::List(values) => values.iter().for_each(|value| flatten(value, leaves)),
        _ => leaves.push(value),
    }
}
