use super::{body_codes, codes, function, tree};
use crate::check::tree::{Hints, StatementKind};

fn fine(statements: &str) {
    assert_eq!(body_codes(statements), Vec::<String>::new(), "{statements}");
}

#[test]
fn break_and_continue_need_a_loop_or_switch() {
    assert_eq!(body_codes("break;"), ["X3518"]);
    assert_eq!(body_codes("continue;"), ["X3519"]);
    fine("for (;;) { if (u > 0) break; continue; }");
    assert_eq!(body_codes("for (;;) { switch (v.x) { case 0: continue; } }"), ["X3708", "X3533"]);
    fine("switch (v.x) { case 0: for (;;) { if (u > 0) continue; break; } break; }");
}

#[test]
fn case_labels_are_constant_and_distinct() {
    fine("switch (v.x) { case 1 + 1: break; case 0: case 3: break; default: break; }");
    assert_eq!(body_codes("switch (v.x) { case 2: break; case 1 + 1: break; }"), ["X3532"]);
    assert_eq!(body_codes("switch (v.x) { default: break; case 1: break; default: break; }"), ["X3532"]);
    assert_eq!(body_codes("uint a = 1; switch (v.x) { case a: break; }"), ["X3075"]);
    assert_eq!(body_codes("switch (v.x) { }"), ["X3075"]);
    assert_eq!(body_codes("switch (v.xy) { case 0: break; }"), ["X3022"]);
}

#[test]
fn a_case_with_statements_cannot_fall_through() {
    assert_eq!(body_codes("float a; switch (v.x) { case 0: a = 1; case 1: break; }"), ["X3533"]);
    assert_eq!(body_codes("float a; switch (v.x) { case 0: break; case 1: }"), ["X3533"]);
    assert_eq!(body_codes("switch (v.x) { case 0: discard; }"), ["X3533"]);
    fine("float a; switch (v.x) { case 0: if (true) break; a = 1; case 1: break; }");
    fine("float a; switch (v.x) { case 0: if (u > 0) { break; } else { return; } case 1: { break; } }");
}

#[test]
fn a_switch_keeps_its_labels() {
    let tree = tree("uint v; void f() { switch (v) { case 5: default: break; case -1: break; } }");
    let body = function(&tree, "f").body.as_ref().expect("it has a body");
    let StatementKind::Switch { cases, .. } = &body.statements[0].kind else { panic!("{body:?}") };
    let labels: Vec<_> = cases.iter().map(|case| case.labels.clone()).collect();
    assert_eq!(labels, [vec![Some(5), None], vec![Some(0xffff_ffff)]]);
}

#[test]
fn attributes_of_statements_are_hints() {
    let tree =
        tree("void f() { int i; [unroll(2 * 2)] for (i = 0; i < 4; ++i) {} [loop] while (i < 9) ++i; }");
    let body = function(&tree, "f").body.as_ref().expect("it has a body");
    let hints: Vec<_> = body
        .statements
        .iter()
        .filter_map(|statement| match &statement.kind {
            StatementKind::Loop(each) => Some(each.hints),
            _ => None,
        })
        .collect();
    assert_eq!(
        hints,
        [Hints { unroll: Some(Some(4)), ..Hints::default() }, Hints { keep_loop: true, ..Hints::default() }]
    );
    assert_eq!(body_codes("[loop] [unroll] for (;;) { break; }"), ["X3524"]);
    assert_eq!(body_codes("[unroll] [unroll] for (;;) { break; }"), ["X3525"]);
    assert_eq!(body_codes("[unroll(-1)] for (;;) { break; }"), ["X3084"]);
    assert_eq!(body_codes("[flatten] [branch] if (u > 0) { }"), ["X3524"]);
}

#[test]
fn static_locals_become_global_variables() {
    let tree =
        tree("float f() { static float a = 2; a += 1; return a; } float g() { static float a; return a; }");
    assert_eq!(tree.globals.len(), 2);
    assert!(tree.buffers[0].variables.is_empty());
    assert!(tree.globals[0].value.is_some() && tree.globals[1].value.is_none());
    assert!(function(&tree, "f").locals.is_empty());
}

#[test]
fn names_end_with_their_scope() {
    assert_eq!(body_codes("{ float a; } a = 1;"), ["X3004"]);
    assert_eq!(body_codes("if (u > 0) float a = 1; a = 1;"), ["X3004"]);
    assert_eq!(codes("float f() { return a; } float a;"), ["X3004"]);
    assert_eq!(codes("void f() { float a = 2.0, b = c, c = b; }"), ["X3004"]);
    assert_eq!(codes("void f() { float a = 2.0, b = a + 1, c = b; }"), Vec::<String>::new());
}
