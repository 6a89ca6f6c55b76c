//! The checks, which create the typed tree from the syntax tree.
//!
//! Each error is reported, and the invalid node gets the type [`Type::Error`], so that one error causes only
//! one message.
//!
//! * Declarations: [`declarations`], [`functions`], [`structures`], [`types`], [`initializers`],
//!   [`attributes`].
//! * Statements: [`statements`].
//! * Expressions: [`expressions`], with the conversions in [`convert`], overload resolution in [`overloads`],
//!   constant evaluation in [`evaluate`], the intrinsic functions in [`intrinsics`], and the methods of
//!   objects in [`methods`].

mod attributes;
mod bodies;
mod casts;
mod constant_buffers;
mod convert;
mod declarations;
mod depth;
mod effects;
mod evaluate;
mod expressions;
mod functions;
mod initializers;
mod intrinsics;
mod lvalues;
mod methods;
mod modifiers;
mod objects;
mod operators;
mod overloads;
mod scopes;
mod statements;
mod structures;
mod swizzles;
#[cfg(test)]
mod tests;
pub(crate) mod tree;
mod types;

use std::cell::OnceCell;

use crate::{
    check::tree::{Constant, DeclaredBuffer, Function, LocalId, Program},
    session::{Session, code::Code, hash::HashMap, names::Symbol, source::Span},
    syntax::ast,
    text::token::Packing,
};

use self::scopes::LaterDeclaration;
pub(crate) use self::{
    casts::kept_components,
    evaluate::{KnownComponents, KnownLocals, evaluate, evaluate_partly, places},
    scopes::NameMeaning,
};

#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckOptions {
    pub(crate) packing: Packing,
    /// Whether Direct3D 9 functions and types such as `tex2D` are accepted
    /// (`D3DCOMPILE_ENABLE_BACKWARDS_COMPATIBILITY`).
    pub(crate) backwards_compatible: bool,
    /// Whether redeclaring a variable of a `for` loop is an error (`D3DCOMPILE_ENABLE_STRICTNESS`).
    pub(crate) strict: bool,
    /// Whether the lint for barriers and derivatives in varying control flow is off.
    pub(crate) allow_varying_flow: bool,
}

/// Creates the typed tree of a program, and adds errors to the session's diagnostics.
pub(crate) fn check<'a>(
    session: &'a mut Session,
    program: &'a ast::Program,
    options: CheckOptions,
) -> Program {
    let mut checker = Checker::new(session, options);
    checker.items = &program.items;
    checker.program(program);
    checker.session.too_deep |= checker.tree.too_deep.get();
    checker.tree
}

pub(crate) struct Checker<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) options: CheckOptions,
    pub(crate) tree: Program,
    /// The program's declarations, which hints search for names that are declared after their use.
    items: &'a [ast::Item],
    /// The functions and variables among `items` by name, collected when a hint first needs them.
    later: OnceCell<HashMap<Symbol, (LaterDeclaration, Span)>>,
    scopes: scopes::Scopes,
    /// The function whose body is checked, with a local variable for each declaration in the body so far.
    function: Option<Function>,
    /// The known values of `const` local variables of this function.
    known_locals: HashMap<LocalId, Constant>,
    /// The enclosing statements that a `break` or `continue` may leave, with the innermost one last.
    breakables: Vec<statements::Breakable>,
    /// For each [`FunctionId`], whether the function has a body, even if the body is still unchecked.
    defined: Vec<bool>,
    /// For each [`crate::check::tree::StructId`], the number of fields, including fields of nested structures.
    leaves: Vec<u64>,
    /// The number of fields that structures copied from their bases, which is limited because the copies add
    /// up.
    inherited: u64,
    /// The number of candidate functions in all calls so far, which is limited.
    candidates: u64,
    /// For each [`crate::check::tree::StructId`], the nesting depth of structures and arrays, including the
    /// structure itself.
    depths: Vec<u32>,
}

impl<'a> Checker<'a> {
    fn new(session: &'a mut Session, options: CheckOptions) -> Self {
        let deepest_evaluation = session.limits.evaluation;
        Self {
            session,
            options,
            tree: Program { deepest_evaluation, ..Program::default() },
            items: &[],
            later: OnceCell::new(),
            scopes: scopes::Scopes::default(),
            function: None,
            known_locals: HashMap::default(),
            breakables: Vec::new(),
            defined: Vec::new(),
            leaves: Vec::new(),
            inherited: 0,
            candidates: 0,
            depths: Vec::new(),
        }
    }

    fn program(&mut self, program: &ast::Program) {
        self.tree.buffers.push(DeclaredBuffer {
            name: "$Globals".into(),
            texture: false,
            registers: Vec::new(),
            variables: Vec::new(),
            span: Span::default(),
        });
        self.items(&program.items);
        for (shader, arguments) in &program.compiled {
            let path = ast::Path { global: false, scope: Vec::new(), name: shader.name, span: shader.span };
            self.shader_arguments(&path, *arguments);
        }
    }

    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.session.error(code, span, message);
    }

    pub(crate) fn warn(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.session.warn(code, span, message);
    }
}
