//! Initial values that only effects know: states, compiled shaders, strings. They are looked at and left out.

use super::{Checker, objects::is_of_effects};
use crate::{
    code::Code,
    syntax::{
        ast::{Expr, ExprKind, Path},
        builtin::Object,
    },
    tree::Type,
};

impl Checker<'_> {
    /// Looks at the initial value of a variable outside of functions; `false` if it is one that a shader has.
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
            Type::Object(object) => is_of_effects(object.kind),
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

    fn is_null(&self, value: &Expr) -> bool {
        matches!(&*value.kind, ExprKind::Name(path) if self.is_called(path, "NULL"))
    }

    fn is_called(&self, path: &Path, name: &str) -> bool {
        path.scope.is_empty() && !path.global && **self.session.names.text(path.name) == *name
    }

    /// Whether a value is one that only effects know.
    fn is_effect_value(&self, value: &Expr) -> bool {
        match &*value.kind {
            ExprKind::Effect => true,
            ExprKind::Call(path, _) => {
                self.is_called(path, "CompileShader") || self.is_called(path, "ConstructGSWithSO")
            }
            _ => false,
        }
    }

    /// Looks at the arguments of `CompileShader(profile, function(arguments))`.
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
                let most = self
                    .lookup_functions(shader)
                    .into_iter()
                    .map(|id| self.tree[id].parameters.iter().filter(|parameter| parameter.uniform).count());
                if most.max().is_some_and(|most| arguments.len() > most) {
                    let message = "there are more arguments than the shader has uniform parameters";
                    self.error(Code::NoMatchingFunction, shader.span, message);
                }
            }
        } else if self.is_called(path, "ConstructGSWithSO") && !matches!(arguments.len(), 2 | 6) {
            let message = "ConstructGSWithSO takes 2 or 6 arguments";
            self.error(Code::NoMatchingFunction, value.span, message);
        }
    }
}

/// Whether a text is a profile that effects compile shaders for: `ps_2_0`.
fn is_profile(text: &str) -> bool {
    let Some((stage, version)) = text.split_once('_') else { return false };
    let major = version.chars().next().and_then(|c| c.to_digit(10));
    matches!(stage, "vs" | "ps" | "gs" | "hs" | "ds" | "cs") && major.is_some_and(|major| major <= 5)
}

/// The type of the elements of arrays inside each other.
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
