//! Tests that compare syntax trees as text, in which each operator precedes its operands and both are in
//! parentheses.

mod expressions;
mod items;
mod recovery;

use crate::{
    session::Session,
    syntax::ast::{Expr, ExprKind, Initializer, Item, Program, StatementKind, TypeKind, TypeName},
    text::preprocess::{PreprocessOptions, preprocess_tokens},
};

fn parse(text: &str) -> (Session, Program) {
    let mut session = Session::default();
    let tokens = preprocess_tokens(&mut session, "a", text, &PreprocessOptions::default());
    let program = super::parse(&mut session, &tokens);
    (session, program)
}

fn parse_well(text: &str) -> (Session, Program) {
    let (session, program) = parse(text);
    assert!(!session.diagnostics.has_errors(), "{text}\n{}", session.diagnostics);
    (session, program)
}

fn errors(text: &str) -> Vec<String> {
    let (session, _) = parse(text);
    let first_line = |error: String| error.lines().next().unwrap_or_default().to_owned();
    session.diagnostics.errors().map(|error| first_line(error.to_string())).collect()
}

fn tree_in(before: &str, expression: &str) -> String {
    let (session, program) = parse_well(&format!("{before} void f() {{ {expression}; }}"));
    let Some(Item::Function(function)) = program.items.last() else { panic!("no function") };
    let body = function.body.as_ref().expect("the function has a body");
    match &body.statements[..] {
        [statement] => match &statement.kind {
            StatementKind::Expression(value) => write(&session, value),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn tree(expression: &str) -> String {
    tree_in("", expression)
}

fn initializer(text: &str) -> String {
    let (session, program) = parse_well(text);
    let Some(Item::Variables(variables)) = program.items.last() else { panic!("no variable") };
    match &variables.declarators[0].initializer {
        Some(Initializer::Value(value)) => write(&session, value),
        other => format!("{other:?}"),
    }
}

fn type_text(session: &Session, name: &TypeName) -> String {
    match &name.kind {
        TypeKind::Struct(_) => "struct".to_owned(),
        _ => session.sources.text(name.span).to_owned(),
    }
}

fn write(session: &Session, value: &Expr) -> String {
    let list = |values: &[Expr]| {
        values.iter().map(|value| format!(" {}", write(session, value))).collect::<String>()
    };
    let path = |path: &crate::syntax::ast::Path| {
        let mut text = if path.global { "::".to_owned() } else { String::new() };
        for scope in &path.scope {
            text += session.names.text(*scope);
            text += "::";
        }
        text + session.names.text(path.name)
    };
    match &*value.kind {
        ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::String => {
            session.sources.text(value.span).to_owned()
        }
        ExprKind::Name(name) => path(name),
        ExprKind::Unary(operator, operand) => format!("({operator:?} {})", write(session, operand)),
        ExprKind::Binary(operator, left, right) => {
            format!("({operator:?} {} {})", write(session, left), write(session, right))
        }
        ExprKind::Assign(None, left, right) => {
            format!("(= {} {})", write(session, left), write(session, right))
        }
        ExprKind::Assign(Some(operator), left, right) => {
            format!("({operator:?}= {} {})", write(session, left), write(session, right))
        }
        ExprKind::Conditional(condition, yes, no) => {
            format!("(? {} {} {})", write(session, condition), write(session, yes), write(session, no))
        }
        ExprKind::Comma(left, right) => format!("(, {} {})", write(session, left), write(session, right)),
        ExprKind::Call(name, values) => format!("(call {}{})", path(name), list(values)),
        ExprKind::MethodCall(object, name, values) => {
            format!("(. {} {}{})", write(session, object), session.names.text(name.name), list(values))
        }
        ExprKind::Construct(name, values) => format!("(new {}{})", type_text(session, name), list(values)),
        ExprKind::Cast(name, dimensions, value) => {
            format!(
                "(as {}{} {})",
                type_text(session, name),
                "[]".repeat(dimensions.len()),
                write(session, value)
            )
        }
        ExprKind::Index(value, index) => format!("([] {} {})", write(session, value), write(session, index)),
        ExprKind::Member(value, name) => {
            format!("(. {} {})", write(session, value), session.names.text(name.name))
        }
        ExprKind::List(values) => format!("{{{} }}", list(values)),
        ExprKind::Effect => "effect".to_owned(),
    }
}
