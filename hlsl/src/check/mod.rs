//! The checks, from the syntax tree to the typed tree.
//!
//! Every error is reported and replaced by [`Type::Error`], so that one error causes one message.
//!
//! * Declarations: [`declarations`], [`functions`], [`structures`], [`types`], [`initializers`], [`attributes`].
//! * Statements: [`statements`].
//! * Expressions: [`expressions`], with the conversions in [`convert`], the choice of overloads in [`overloads`], known
//!   values in [`evaluate`], the intrinsic functions in [`intrinsics`] and the methods of objects in [`methods`].

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
mod types;

use crate::hash::HashMap;
use std::cell::OnceCell;

use crate::{
    code::Code,
    session::Session,
    source::Span,
    syntax::ast,
    token::{Packing, Symbol},
    tree::{Constant, ConstantBuffer, Function, LocalId, Program},
};

use self::scopes::Later;
pub(crate) use self::{
    casts::kept_components,
    evaluate::{Locals, Parts, evaluate, evaluate_partly, places},
    scopes::Named,
};

/// The language options of the compiler's caller.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CheckOptions {
    /// The packing of matrices without a modifier.
    pub(crate) packing: Packing,
    /// The functions and types of Direct3D 9 work: `tex2D`. `D3DCOMPILE_ENABLE_BACKWARDS_COMPATIBILITY`.
    pub(crate) backwards_compatible: bool,
    /// `D3DCOMPILE_ENABLE_STRICTNESS`.
    pub(crate) strict: bool,
}

/// Creates the typed tree of a program. Errors are in the session's diagnostics.
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

/// The state of the checks.
pub(crate) struct Checker<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) options: CheckOptions,
    /// The part of the tree that is complete.
    pub(crate) tree: Program,
    /// The program's declarations, for hints.
    items: &'a [ast::Item],
    /// Those of functions and variables by name, once a hint needed them.
    later: OnceCell<HashMap<Symbol, (Later, Span)>>,
    /// The names that are declared.
    scopes: scopes::Scopes,
    /// The function whose body is checked; its locals grow.
    function: Option<Function>,
    /// The values of the `const` locals of this function that are known.
    known_locals: HashMap<LocalId, Constant>,
    /// The statements around the current one that `break` or `continue` may leave, the innermost last.
    breakables: Vec<statements::Breakable>,
    /// By [`FunctionId`]: whether there is a body, which may still be checked.
    defined: Vec<bool>,
    /// By [`crate::tree::StructId`]: how many fields there are, those of structures in it counted.
    leaves: Vec<u64>,
    /// The number of fields that structures took from their bases.
    inherited: u64,
    /// The number of candidate functions that calls chose from.
    candidates: u64,
    /// By [`crate::tree::StructId`]: the levels of structures and arrays, the structure's own among them.
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
        self.tree.buffers.push(ConstantBuffer {
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
