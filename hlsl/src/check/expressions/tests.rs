//! Tests of checked expressions as text, in which operators precede their operands and conversions are
//! written as types.

use crate::{
    check::tree::{Block, Constant, Expr, ExprKind, Function, StatementKind, Type},
    session::{Session, source::Span},
    syntax::{
        ast::{self, Ident},
        builtin::Scalar,
    },
    text::{
        preprocess::{PreprocessOptions, preprocess_tokens},
        token::Packing,
    },
};

use super::super::{CheckOptions, Checker, evaluate::scalars::ComputeType};

fn options() -> CheckOptions {
    CheckOptions {
        packing: Packing::ColumnMajor,
        backwards_compatible: false,
        strict: false,
        allow_varying_flow: false,
    }
}

fn parse(text: &str) -> (Session, ast::Expr) {
    let mut session = Session::default();
    let text = format!("void f() {{ {text}; }}");
    let tokens = preprocess_tokens(&mut session, "a", &text, &PreprocessOptions::default());
    let program = crate::syntax::parse(&mut session, &tokens);
    assert!(!session.diagnostics.has_errors(), "{text}\n{}", session.diagnostics);
    let Some(ast::Item::Function(function)) = program.items.into_iter().next() else { panic!("no function") };
    let mut statements = function.body.expect("the function has a body").statements;
    match statements.remove(0).kind {
        ast::StatementKind::Expression(expr) => (session, expr),
        other => panic!("{other:?}"),
    }
}

/// Checks an expression that may contain these variables: floats `f` to `f4`, `int`s `i` to `i4`, a `uint`
/// `u`, a `bool` `b`, a `bool2` `b2`, a `half` `h`, a `double` `d`, matrices `m23` and `m33`, a constant
/// `float2` `c`, and a `float[3]` `a`.
fn check(text: &str) -> (String, Vec<String>) {
    let (mut session, expr) = parse(text);
    let mut checker = Checker::new(&mut session, options());
    checker.function = Some(Function {
        name: "f".into(),
        object: None,
        result: Type::Void,
        result_packing: Packing::ColumnMajor,
        result_semantic: None,
        parameters: Vec::new(),
        locals: Vec::new(),
        body: Some(Block::default()),
        attributes: Vec::new(),
        object_stores: std::collections::BTreeMap::new(),
        span: Span::default(),
    });
    let matrix = |rows, columns| {
        let shape = crate::syntax::builtin::Shape::Matrix { rows, columns };
        Type::Numeric(crate::check::tree::Numeric { scalar: Scalar::Float, shape })
    };
    let variables = [
        ("f", Type::FLOAT),
        ("f2", Type::vector(Scalar::Float, 2)),
        ("f3", Type::vector(Scalar::Float, 3)),
        ("f4", Type::vector(Scalar::Float, 4)),
        ("i", Type::INT),
        ("i2", Type::vector(Scalar::Int, 2)),
        ("i4", Type::vector(Scalar::Int, 4)),
        ("u", Type::UINT),
        ("b", Type::BOOL),
        ("b2", Type::vector(Scalar::Bool, 2)),
        ("h", Type::scalar(Scalar::Half)),
        ("d", Type::scalar(Scalar::Double)),
        ("m23", matrix(2, 3)),
        ("m33", matrix(3, 3)),
        ("c", Type::vector(Scalar::Float, 2)),
        ("a", Type::array(Type::FLOAT, 3)),
    ];
    let result = checker.scoped(|checker| {
        for (name, ty) in variables {
            let symbol = checker.session.names.intern(name);
            checker.declare_local(Ident { name: symbol, span: Span::default() }, ty, name == "c");
        }
        let expr = checker.expression(&expr);
        write(checker, &expr)
    });
    (result, messages(&session))
}

fn messages(session: &Session) -> Vec<String> {
    let first_line = |message: String| message.lines().next().unwrap_or_default().to_owned();
    session.diagnostics.iter().map(|message| first_line(message.to_string())).collect()
}

/// Returns the last statement of a program's last function as text, and the messages.
pub(in crate::check) fn check_program(text: &str) -> (String, Vec<String>) {
    let mut session = Session::default();
    let tokens = preprocess_tokens(&mut session, "a", text, &PreprocessOptions::default());
    let program = crate::syntax::parse(&mut session, &tokens);
    assert!(!session.diagnostics.has_errors(), "{text}\n{}", session.diagnostics);
    let mut checker = Checker::new(&mut session, options());
    checker.program(&program);
    let function = checker.tree.functions.last().cloned();
    let statement = function.as_ref().and_then(|function| function.body.as_ref()?.statements.last().cloned());
    checker.function = function;
    let tree = match statement.map(|statement| statement.kind) {
        Some(StatementKind::Return(Some(expr)) | StatementKind::Expression(expr)) => write(&checker, &expr),
        other => format!("{other:?}"),
    };
    (tree, messages(&session))
}

pub(in crate::check) fn program_codes(text: &str) -> Vec<String> {
    numbers(&check_program(text).1)
}

fn tree(text: &str) -> String {
    let (tree, messages) = check(text);
    assert!(messages.is_empty(), "{text}: {messages:?}");
    tree
}

fn codes(text: &str) -> Vec<String> {
    numbers(&check(text).1)
}

fn numbers(messages: &[String]) -> Vec<String> {
    let number = |message: &String| {
        let from = message.find('X').unwrap_or(0);
        message[from..].split(':').next().unwrap_or_default().to_owned()
    };
    messages.iter().map(number).collect()
}

fn constant_text(constant: &Constant) -> String {
    let component = |bits: &u64| match ComputeType::of(constant.ty.scalar) {
        ComputeType::Bool => (*bits != 0).to_string(),
        ComputeType::Int => (*bits as u32).cast_signed().to_string(),
        ComputeType::Uint => format!("{bits}u"),
        ComputeType::Float => format!("{:?}", f32::from_bits(*bits as u32)),
        ComputeType::Double => format!("{:?}l", f64::from_bits(*bits)),
    };
    constant.bits.iter().map(component).collect::<Vec<_>>().join(",")
}

pub(in crate::check) fn write(checker: &Checker<'_>, expr: &Expr) -> String {
    let all = |list: &[Expr]| list.iter().map(|expr| write(checker, expr)).collect::<Vec<_>>().join(" ");
    let name = |ty: &Type| checker.tree.type_name(ty);
    let one = |expr: &Expr| write(checker, expr);
    match &*expr.kind {
        ExprKind::Error => "error".to_owned(),
        ExprKind::Constant(constant) => constant_text(constant),
        ExprKind::Local(id) => checker.local(*id).map(|local| local.name.to_string()).unwrap_or_default(),
        ExprKind::Index(of, index) => format!("{}[{}]", one(of), one(index)),
        ExprKind::Swizzle(of, places) => {
            let places: String = places.iter().map(u8::to_string).collect();
            format!("{}.{places}", one(of))
        }
        ExprKind::Elements(of, places) => {
            let places: Vec<_> = places.iter().map(|(row, column)| format!("{row}{column}")).collect();
            format!("{}.{}", one(of), places.join("_"))
        }
        ExprKind::Negate(of) => format!("(- {})", one(of)),
        ExprKind::Not(of) => format!("(! {})", one(of)),
        ExprKind::Complement(of) => format!("(~ {})", one(of)),
        ExprKind::Binary(op, a, b) => format!("({op:?} {} {} : {})", one(a), one(b), name(&expr.ty)),
        ExprKind::Conditional(condition, a, b) => format!("(? {} {} {})", one(condition), one(a), one(b)),
        ExprKind::Assign(a, b) => format!("(= {} {})", one(a), one(b)),
        ExprKind::Update(arithmetic, a, b) => {
            format!("({:?}= {} {} : {})", arithmetic.op, one(a), one(b), name(&arithmetic.ty))
        }
        ExprKind::Step(step, of) => format!("({step:?} {})", one(of)),
        ExprKind::Comma(a, b) => format!("(, {} {})", one(a), one(b)),
        ExprKind::Convert(of) => format!("{}({})", name(&expr.ty), one(of)),
        ExprKind::Construct(parts) => format!("{}{{{}}}", name(&expr.ty), all(parts)),
        ExprKind::Global(id) => checker.tree[*id].name.to_string(),
        ExprKind::Field(of, index) => format!("{}.<{index}>", one(of)),
        ExprKind::Call(function, arguments) => {
            let called = &checker.tree[*function];
            format!("{}#{}({})", called.name, function.0, all(arguments))
        }
        ExprKind::Intrinsic(which, arguments) => {
            format!("({} {} : {})", which.name(), all(arguments), name(&expr.ty))
        }
        ExprKind::Method(method, object, arguments) => {
            format!("({}.{} {} : {})", one(object), method.name(), all(arguments), name(&expr.ty))
        }
        ExprKind::Element { object, place, level: None } => format!("{}[{}]", one(object), one(place)),
        ExprKind::Element { object, place, level: Some(level) } => {
            format!("{}[{}][{}]", one(object), one(level), one(place))
        }
    }
}

#[test]
fn numbers_have_the_type_of_their_suffix() {
    assert_eq!(tree("f = 1"), "(= f 1.0)");
    assert_eq!(tree("i = 0xffffffff"), "(= i -1)");
    assert_eq!(tree("d = 1.5"), "(= d 1.5l)");
    assert_eq!(tree("u = 1.9"), "(= u 1u)");
    assert_eq!(tree("f * 2u"), "(Multiply f 2.0 : float)");
    assert_eq!(tree("i * 2u"), "(Multiply uint(i) 2u : uint)");
}

#[test]
fn operands_convert_to_the_greater_type_and_smaller_shape() {
    assert_eq!(tree("f4 * f"), "(Multiply f4 float4(f) : float4)");
    assert_eq!(tree("i + b"), "(Add i int(b) : int)");
    assert_eq!(tree("b + b"), "(Add int(b) int(b) : int)");
    assert_eq!(tree("h + f"), "(Add float(h) f : float)");
    assert_eq!(tree("f + d"), "(Add double(f) d : double)");
    assert_eq!(tree("i2 < f2"), "(Less float2(i2) f2 : bool2)");
    assert_eq!(tree("m23 * f"), "(Multiply m23 float2x3(f) : float2x3)");
    assert_eq!(check("f4 + f2").0, "(Add float2(f4) f2 : float2)");
    assert_eq!(codes("f4 + f2"), ["X3206"]);
    assert_eq!(codes("m33 * m23"), ["X3206"]);
    assert_eq!(codes("m33 * f2"), ["X3020"]);
    assert_eq!(codes("a + f"), ["X3022"]);
}

#[test]
fn bitwise_operators_take_integers() {
    assert_eq!(tree("i & u"), "(And uint(i) u : uint)");
    assert_eq!(tree("u >> i"), "(ShiftRight u uint(i) : uint)");
    assert_eq!(tree("i << u"), "(ShiftLeft i int(u) : int)");
    assert_eq!(tree("~b"), "(~ int(b))");
    assert_eq!(codes("f & i"), ["X3082"]);
    assert_eq!(codes("~f"), ["X3082"]);
    assert_eq!(codes("i << f"), ["X3082"]);
}

#[test]
fn logical_operators_return_bools() {
    assert_eq!(tree("!f2"), "(! bool2(f2))");
    assert_eq!(tree("!(f < 2)"), "(GreaterEqual f 2.0 : bool)");
    assert_eq!(tree("-b"), "(- int(b))");
    assert_eq!(tree("i && f"), "(LogicalAnd bool(i) bool(f) : bool)");
    assert_eq!(tree("b2 || b"), "(LogicalOr b2 bool2(b) : bool2)");
    assert_eq!(tree("i ? f2 : f"), "(? bool(i) f2 float2(f))");
    assert_eq!(tree("f2 ? i : f"), "(? bool2(f2) float2(i) float2(f))");
    assert_eq!(tree("b ? b : b"), "(? b b b)");
    assert_eq!(codes("f2 ? f3 : f3"), ["X3020"]);
    assert_eq!(codes("b ? a : f"), ["X3020"]);
}

#[test]
fn constants_are_folded() {
    assert_eq!(tree("i = 7 / 2 + -1"), "(= i 2)");
    assert_eq!(tree("f = 1 / 4"), "(= f 0.0)");
    assert_eq!(tree("f = 1 / 4.0"), "(= f 0.25)");
    assert_eq!(tree("b = 3 > 2"), "(= b true)");
    assert_eq!(tree("i = 2147483647 + 1"), "(= i 2147483647)");
    assert_eq!(tree("u = 4294967295u + 2u"), "(= u 1u)");
    assert_eq!(tree("f = sqrt(16)"), "(= f 4.0)");
    assert_eq!(codes("i / 0"), ["X4010"]);
    assert!(codes("f / 0").is_empty());
    assert_eq!(codes("min16int(i) / min16int(u)"), ["X3706"]);
}

#[test]
fn assignments_convert_to_the_type_of_the_target() {
    assert_eq!(tree("i = f"), "(= i int(f))");
    assert_eq!(tree("f4 = i"), "(= f4 float4(i))");
    assert_eq!(tree("f4.wx = i2"), "(= f4.30 float2(i2))");
    assert_eq!(tree("i += f"), "(Add= i f : float)");
    assert_eq!(tree("f3 *= i"), "(Multiply= f3 float3(i) : float3)");
    assert_eq!(tree("u <<= i"), "(ShiftLeft= u uint(i) : uint)");
    assert_eq!(tree("m33._m00_m11 = f2"), "(= m33.00_11 f2)");
    assert_eq!(tree("i++"), "(PostIncrement i)");
    assert_eq!(codes("f3 = f4"), ["X3206"]);
    assert_eq!(codes("f4 = f3"), ["X3017"]);
    assert_eq!(codes("f4 += f3"), ["X3017"]);
    assert_eq!(codes("f += f3"), ["X3206"]);
    assert_eq!(codes("a = f"), ["X3017"]);
}

#[test]
fn only_lvalues_can_be_assigned_to() {
    for text in
        ["c = f2", "c.x++", "f4.xx = f2", "m33._11_11 = f2", "1 = i", "f + f = f", "i++ = 1", "c[i] += 1"]
    {
        assert_eq!(codes(text), ["X3025"], "{text}");
    }
}

#[test]
fn casts_that_keep_the_component_type_are_lvalues() {
    assert_eq!(tree("(float2)f4 = f2"), "(= f4.01 f2)");
    assert_eq!(tree("(float2x2)f4 = 1"), "(= f4 1.0,1.0,1.0,1.0)");
    assert_eq!(tree("(float2x2)m33 = f4"), "(= m33.00_01_10_11 float4(float2x2(f4)))");
    assert_eq!(tree("(float4)f4 = f"), "(= f4 float4(f))");
    assert_eq!(tree("(float2x3)m33 = m23"), "(= float2x3(m33) m23)");
    for text in ["(int4)f4 = i4", "(float2)i4 = f2", "((int4)f4).x = 1", "(float4)f2 = f4"] {
        assert!(
            codes(text).contains(&"X3025".to_owned()) || codes(text) == ["X3017"],
            "{text}: {:?}",
            codes(text)
        );
    }
}

#[test]
fn swizzles_cannot_mix_component_sets() {
    assert_eq!(tree("f.xxx"), "f.000");
    assert_eq!(tree("f4.bgr.x"), "f4.210.0");
    assert_eq!(tree("m23._23"), "m23.12");
    for text in ["f4.xg", "f2.z", "f4.xyzwx", "m23._m20", "m23.x", "a.x", "f.length"] {
        assert_eq!(codes(text), ["X3018"], "{text}");
    }
}

#[test]
fn indices_are_integers_in_range() {
    assert_eq!(tree("a[i]"), "a[i]");
    assert_eq!(tree("a[u]"), "a[u]");
    assert_eq!(tree("a[f]"), "a[uint(f)]");
    assert_eq!(tree("m23[1][b]"), "m23[1][int(b)]");
    assert_eq!(tree("m23[1] = f3"), "(= m23[1] f3)");
    assert_eq!(codes("f[0]"), ["X3121"]);
    assert_eq!(codes("a[f2]"), ["X3120"]);
    assert_eq!(codes("a[int1(2)]"), ["X3120"]);
}

#[test]
fn a_fault_is_reported_once() {
    assert_eq!(codes("f = nothing + 1"), ["X3004"]);
    assert_eq!(codes("f4.q.x + f4"), ["X3018"]);
}

#[test]
fn deep_expressions_are_checked() {
    assert!(tree(&format!("{}f", "- ".repeat(50))).starts_with("(- (- "));
    assert!(tree(&format!("f{}", " + f * b".repeat(50))).ends_with(" : float)"));
    assert_eq!(tree(&format!("i = 1{}", " + 1".repeat(50))), "(= i 51)");
    let calls = format!("{}f{}", "float2x1(f, ".repeat(30), ")._11".repeat(30));
    assert!(tree(&calls).ends_with("}.00"), "{}", tree(&calls));
}

#[test]
fn operators_need_numeric_operands() {
    let of = |text: &str| {
        program_codes(&format!(
            "struct S {{ int a; }}; void main(S s, int n[2], SamplerState t) {{ {text}; }}"
        ))
    };
    assert_eq!(of("~s"), ["X3082"]);
    assert_eq!(of("n << 1"), ["X3082"]);
    assert_eq!(of("s == s"), ["X3020"]);
    assert_eq!(of("n != n"), ["X3020"]);
    assert_eq!(of("s < 1"), ["X3022"]);
    assert_eq!(of("-t"), ["X3022"]);
    assert_eq!(codes("b++"), ["X3020"]);
    assert_eq!(codes("--b2"), ["X3020"]);
    assert_eq!(codes("b += 1"), ["X3020"]);
    assert_eq!(codes("b2 |= b2"), ["X3020"]);
    assert_eq!(codes("b = b | b"), [] as [&str; 0]);
}

#[test]
fn only_assignments_can_divide_min16int_and_doubles() {
    let of =
        |text: &str| program_codes(&format!("void main(min16int m, min16int k, double d) {{ {text}; }}"));
    assert_eq!(of("m = m / k"), ["X3706"]);
    assert_eq!(of("d = d % 2"), ["X3684"]);
    assert_eq!(of("m /= k; m %= k; d %= 2; d /= 2"), [] as [&str; 0]);
}

#[test]
fn a_matrix_can_be_cast_to_a_smaller_one() {
    let of = |text: &str| {
        program_codes(&format!("void main(float2x1 column, float2x2 square, float2x4 wide) {{ {text}; }}"))
    };
    assert!(of("(float1x1)column; (float2x1)square; (float2x2)wide").is_empty());
    assert_eq!(of("(float1x2)column"), ["X3017"]);
    assert_eq!(of("(float4x1)square"), ["X3017"]);
    assert_eq!(of("(float4x2)wide"), ["X3017"]);
}
