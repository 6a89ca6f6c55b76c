use super::*;
use crate::check::tree::{Intrinsic, LocalId};

fn floats(values: &[f32]) -> Constant {
    let bits = values.iter().map(|value| u64::from(value.to_bits())).collect();
    let ty = match values.len() {
        1 => Numeric::scalar(Scalar::Float),
        size => Numeric::vector(Scalar::Float, size as u8),
    };
    Constant { ty, bits }
}

fn matrix(rows: u8, columns: u8, values: &[f32]) -> Constant {
    let shape = Shape::Matrix { rows, columns };
    Constant { ty: Numeric { scalar: Scalar::Float, shape }, bits: floats(values).bits }
}

fn binary(op: BinaryOp, a: &Constant, b: &Constant) -> Constant {
    binary_constant(op, a, b).expect("the operation is known")
}

fn call(which: Intrinsic, arguments: &[Constant], ty: Numeric) -> Constant {
    evaluate_intrinsic(which, arguments, ty).expect("the function is known")
}

const FLOAT: Numeric = Numeric::scalar(Scalar::Float);

#[test]
fn integer_division_by_zero_is_not_known() {
    for op in [BinaryOp::Divide, BinaryOp::Modulo] {
        assert_eq!(binary_constant(op, &Constant::uint(7), &Constant::uint(0)), None);
        assert_eq!(binary_constant(op, &Constant::int(7), &Constant::int(0)), None);
    }
    let infinite = binary(BinaryOp::Divide, &Constant::float(-1.0), &Constant::float(0.0));
    assert_eq!(infinite, Constant::float(f32::NEG_INFINITY));
}

#[test]
fn integer_division_truncates_and_wraps() {
    let int = Constant::int;
    assert_eq!(binary(BinaryOp::Divide, &int(-7), &int(2)), int(-3));
    assert_eq!(binary(BinaryOp::Modulo, &int(-7), &int(2)), int(-1));
    assert_eq!(binary(BinaryOp::Modulo, &int(7), &int(-2)), int(1));
    assert_eq!(binary(BinaryOp::Divide, &int(i32::MIN), &int(-1)), int(i32::MIN));
    assert_eq!(binary(BinaryOp::Multiply, &int(1 << 20), &int(1 << 12)), int(0));
}

#[test]
fn float_remainder_has_the_sign_of_the_dividend() {
    let remainder = |a: f32, b: f32| binary(BinaryOp::Modulo, &Constant::float(a), &Constant::float(b));
    assert_eq!(remainder(-7.0, 2.0), Constant::float(-1.0));
    assert_eq!(remainder(7.5, -2.0), Constant::float(1.5));
    // The quotient is 3, though not exactly.
    assert_eq!(remainder(0.15, 0.05), Constant::float(0.0));
}

#[test]
fn shifts_use_the_lower_five_bits() {
    assert_eq!(binary(BinaryOp::ShiftLeft, &Constant::int(3), &Constant::int(33)), Constant::int(6));
    assert_eq!(binary(BinaryOp::ShiftRight, &Constant::int(-8), &Constant::int(1)), Constant::int(-4));
    assert_eq!(
        binary(BinaryOp::ShiftRight, &Constant::uint(1 << 31), &Constant::uint(63)),
        Constant::uint(1)
    );
}

#[test]
fn float_to_integer_conversion_truncates_and_saturates() {
    let convert = |value: f32, to: Scalar| {
        convert_constant(&Constant::float(value), Numeric::scalar(to)).and_then(|value| value.as_integer())
    };
    assert_eq!(convert(-1.9, Scalar::Int), Some(-1));
    assert_eq!(convert(1e20, Scalar::Int), Some(i64::from(i32::MAX)));
    assert_eq!(convert(-5.0, Scalar::Uint), Some(0));
    assert_eq!(convert(f32::NAN, Scalar::Int), Some(0));
    assert_eq!(convert(f32::NAN, Scalar::Bool), Some(1));
    assert_eq!(convert(-0.0, Scalar::Bool), Some(0));
    let large = convert_constant(&Constant::uint(u32::MAX), FLOAT);
    assert_eq!(large, Some(Constant::float(4_294_967_296.0)));
}

#[test]
fn matrices_are_truncated_by_rows_and_columns() {
    let from = matrix(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let to = matrix(2, 2, &[1.0, 2.0, 4.0, 5.0]);
    assert_eq!(convert_constant(&from, to.ty), Some(to));
    assert_eq!(convert_constant(&from, matrix(3, 3, &[]).ty), None);
    assert_eq!(convert_constant(&from, floats(&[0.0; 2]).ty), Some(floats(&[1.0, 2.0])));
}

#[test]
fn minimum_and_maximum_ignore_nan() {
    let nan = Constant::float(f32::NAN);
    for which in [Intrinsic::Min, Intrinsic::Max] {
        assert_eq!(call(which, &[nan.clone(), Constant::float(3.0)], FLOAT), Constant::float(3.0));
        assert_eq!(call(which, &[Constant::float(3.0), nan.clone()], FLOAT), Constant::float(3.0));
    }
    assert_eq!(call(Intrinsic::Saturate, &[nan], FLOAT), Constant::float(0.0));
}

#[test]
fn intrinsics_with_known_arguments_are_evaluated() {
    let (a, b) = (floats(&[1.0, 2.0, 3.0]), floats(&[4.0, -5.0, 6.0]));
    assert_eq!(call(Intrinsic::Abs, std::slice::from_ref(&b), b.ty), floats(&[4.0, 5.0, 6.0]));
    assert_eq!(call(Intrinsic::Dot, &[a.clone(), b.clone()], FLOAT), Constant::float(12.0));
    assert_eq!(call(Intrinsic::Cross, &[a.clone(), b], a.ty), floats(&[27.0, 6.0, -13.0]));
    assert_eq!(call(Intrinsic::Length, &[floats(&[3.0, 4.0])], FLOAT), Constant::float(5.0));
    assert_eq!(
        call(Intrinsic::Round, &[floats(&[-1.5, -0.5, 0.5, 1.5])], floats(&[0.0; 4]).ty).bits,
        floats(&[-1.0, 0.0, 1.0, 2.0]).bits
    );
    let signs = call(Intrinsic::Sign, &[floats(&[-2.0, 0.0])], Numeric::vector(Scalar::Int, 2));
    assert_eq!(signs.bits, [u64::from(u32::MAX), 0]);
}

#[test]
fn matrix_products_multiply_rows_by_columns() {
    let m = matrix(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let (column, row) = (floats(&[1.0, 10.0, 100.0]), floats(&[1.0, 10.0]));
    assert_eq!(call(Intrinsic::Mul, &[m.clone(), column], row.ty), floats(&[321.0, 654.0]));
    let ty = floats(&[0.0; 3]).ty;
    assert_eq!(call(Intrinsic::Mul, &[row, m.clone()], ty), floats(&[41.0, 52.0, 63.0]));
    let turned = call(Intrinsic::Transpose, std::slice::from_ref(&m), matrix(3, 2, &[]).ty);
    assert_eq!(turned.bits, floats(&[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]).bits);
    let square = call(Intrinsic::Mul, &[m, turned], matrix(2, 2, &[]).ty);
    assert_eq!(square.bits, floats(&[14.0, 32.0, 32.0, 77.0]).bits);
}

fn constant(value: i32) -> Expr {
    Expr::constant(Constant::int(value), crate::session::source::Span::default())
}

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr::new(kind, ty, crate::session::source::Span::default())
}

#[test]
fn elements_of_nested_arrays_are_found() {
    let row = |values: [i32; 2]| {
        expr(ExprKind::Construct(values.map(constant).to_vec()), Type::array(Type::INT, 2))
    };
    let array =
        expr(ExprKind::Construct(vec![row([1, 2]), row([3, 4])]), Type::array(Type::array(Type::INT, 2), 2));
    let element = |row: i32, column: i32| {
        let row = expr(ExprKind::Index(array.clone(), constant(row)), Type::array(Type::INT, 2));
        let element = expr(ExprKind::Index(row, constant(column)), Type::INT);
        evaluate(&Program::default(), &element, &|_| None)
    };
    assert_eq!(element(1, 0), Some(Constant::int(3)));
    assert_eq!(element(1, 2), None);
    let zeros = expr(ExprKind::Convert(constant(5)), Type::array(Type::FLOAT, 4));
    let filled = expr(ExprKind::Index(zeros, constant(3)), Type::FLOAT);
    assert_eq!(evaluate(&Program::default(), &filled, &|_| None), Some(Constant::float(5.0)));
}

#[test]
fn expressions_beyond_the_limits_are_not_known() {
    let local = |id: u32| expr(ExprKind::Local(LocalId(id)), Type::INT);
    let sum = |a: Expr, b: Expr| expr(ExprKind::Binary(BinaryOp::Add, a, b), Type::INT);
    let known = |id: LocalId| (id == LocalId(0)).then(|| Constant::int(2));
    assert_eq!(evaluate(&Program::default(), &sum(local(0), local(0)), &known), Some(Constant::int(4)));
    assert_eq!(evaluate(&Program::default(), &sum(local(0), local(1)), &known), None);
    let program = Program::default();
    let deep = |depth| (0..depth).fold(local(0), |deep, _| sum(deep, local(0)));
    assert!(evaluate(&program, &deep(program.deepest_evaluation - 2), &known).is_some());
    assert!(!program.too_deep.get());
    assert_eq!(evaluate(&program, &deep(program.deepest_evaluation), &known), None);
    assert!(program.too_deep.get());
    let wide = (0..14).fold(local(0), |wide, _| sum(wide.clone(), wide));
    assert_eq!(evaluate(&Program::default(), &wide, &known), None);
}
