//! Tests of checked declarations and statements, and of their errors.

mod declarations;
mod functions;
mod initializers;
mod statements;

use super::{CheckOptions, Checker};
use crate::{
    check::tree::{Function, Global, Program, StatementKind},
    session::Session,
    text::{
        preprocess::{PreprocessOptions, preprocess_tokens},
        token::Packing,
    },
};

fn checked<T>(text: &str, look: impl FnOnce(&Checker<'_>) -> T) -> (T, Vec<String>) {
    let mut session = Session::default();
    let tokens = preprocess_tokens(&mut session, "a", text, &PreprocessOptions::default());
    let program = crate::syntax::parse(&mut session, &tokens);
    let options = CheckOptions {
        packing: Packing::ColumnMajor,
        backwards_compatible: false,
        strict: false,
        allow_varying_flow: false,
    };
    let mut checker = Checker::new(&mut session, options);
    checker.program(&program);
    let seen = look(&checker);
    let codes = session.diagnostics.iter().map(|message| format!("X{}", message.code.number())).collect();
    (seen, codes)
}

fn tree(text: &str) -> Program {
    let (tree, codes) = checked(text, |checker| {
        let tree = &checker.tree;
        Program {
            structs: tree.structs.clone(),
            globals: tree.globals.clone(),
            buffers: tree.buffers.clone(),
            functions: tree.functions.clone(),
            ..Program::default()
        }
    });
    assert!(codes.is_empty(), "{text}: {codes:?}");
    tree
}

fn codes(text: &str) -> Vec<String> {
    checked(text, |_| ()).1
}

fn body_codes(statements: &str) -> Vec<String> {
    codes(&format!("float u; uint4 v; void f() {{ {statements} }}"))
}

fn global<'t>(tree: &'t Program, name: &str) -> &'t Global {
    tree.globals.iter().find(|global| *global.name == *name).expect("the variable is there")
}

fn function<'t>(tree: &'t Program, name: &str) -> &'t Function {
    tree.functions.iter().find(|function| *function.name == *name).expect("the function is there")
}

/// Returns the initial value of a local variable in the last function as text.
fn local_value(text: &str, name: &str) -> String {
    let (value, codes) = checked(text, |checker| {
        let function = checker.tree.functions.last().expect("there is a function");
        let body = function.body.as_ref().expect("it has a body");
        let value = body.statements.iter().find_map(|statement| match &statement.kind {
            StatementKind::Declare(id, Some(value)) if *function.local(*id).name == *name => {
                Some(value.clone())
            }
            _ => None,
        });
        (function.clone(), value.expect("the variable has a value"))
    });
    assert!(codes.is_empty(), "{text}: {codes:?}");
    // The second checker needs the function to write the names of local variables.
    let (function, value) = value;
    checked(text, |checker| {
        let mut session = Session::default();
        let mut other = Checker::new(&mut session, checker.options);
        other.tree.structs.clone_from(&checker.tree.structs);
        other.tree.globals.clone_from(&checker.tree.globals);
        other.tree.functions.clone_from(&checker.tree.functions);
        other.function = Some(function);
        super::expressions::tests::write(&other, &value)
    })
    .0
}
