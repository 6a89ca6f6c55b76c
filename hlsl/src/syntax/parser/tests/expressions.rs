use super::{initializer, tree, tree_in};

#[test]
fn operators_bind_as_in_c() {
    assert_eq!(tree("a + b * c - d"), "(Subtract (Add a (Multiply b c)) d)");
    assert_eq!(tree("a << b + c < d == e"), "(Equal (Less (ShiftLeft a (Add b c)) d) e)");
    assert_eq!(tree("a | b ^ c & d && e || f"), "(LogicalOr (LogicalAnd (Or a (Xor b (And c d))) e) f)");
    assert_eq!(tree("a % b / c"), "(Divide (Modulo a b) c)");
    assert_eq!(tree("(a + b) * c"), "(Multiply (Add a b) c)");
}

#[test]
fn assignments_and_conditions_group_from_the_right() {
    assert_eq!(tree("a = b += c"), "(= a (Add= b c))");
    assert_eq!(tree("a >>= b"), "(ShiftRight= a b)");
    assert_eq!(tree("a ? b : c ? d : e"), "(? a b (? c d e))");
    assert_eq!(tree("a = b ? c : d, e"), "(, (= a (? b c d)) e)");
    assert_eq!(tree("a || b ? c : d"), "(? (LogicalOr a b) c d)");
}

#[test]
fn unary_operators_bind_before_binary_ones() {
    assert_eq!(tree("-a.x * !b"), "(Multiply (Negate (. a x)) (Not b))");
    assert_eq!(tree("- -a"), "(Negate (Negate a))");
    assert_eq!(tree("++a[1]--"), "(PreIncrement (PostDecrement ([] a 1)))");
    assert_eq!(tree("~+a"), "(Complement (Plus a))");
}

#[test]
fn a_parenthesis_is_a_cast_if_it_holds_a_type() {
    assert_eq!(tree("(float3)a + b"), "(Add (as float3 a) b)");
    assert_eq!(tree("(float3)-a"), "(as float3 (Negate a))");
    assert_eq!(tree("(a)-b"), "(Subtract a b)");
    assert_eq!(tree_in("struct S { float a; };", "(S)0"), "(as S 0)");
    assert_eq!(tree_in("struct S { float a; };", "(S[2])b"), "(as S[] b)");
    assert_eq!(tree("(float4(1, 2, 3, 4))"), "(new float4 1 2 3 4)");
    assert_eq!(tree("(vector<float, 3>)a"), "(as vector<float, 3> a)");
    assert_eq!(tree("(const unsigned int)a"), "(as unsigned int a)");
}

#[test]
fn calls_members_and_indices_follow_their_object() {
    assert_eq!(tree("f(a, b = c).x[i].y"), "(. ([] (. (call f a (= b c)) x) i) y)");
    assert_eq!(tree("t.Sample(s, uv, int2(1, 0)).rgb"), "(. (. t Sample s uv (new int2 1 0)) rgb)");
    assert_eq!(tree("t.mips[2][p]"), "([] ([] (. t mips) 2) p)");
    assert_eq!(tree("t.sample[2][p]"), "([] ([] (. t sample) 2) p)");
    assert_eq!(tree("n::f() + ::g"), "(Add (call n::f) ::g)");
    assert_eq!(tree("1.xxx"), "(. 1 xxx)");
}

#[test]
fn lists_are_initializers() {
    assert_eq!(initializer("static const float a[2][2] = { { 1, 2 }, { 3, 4, }, };"), "{ { 1 2 } { 3 4 } }");
    assert_eq!(initializer("float a = 1, b = 2;"), "1");
}

#[test]
fn keywords_that_are_modifiers_only_before_types_are_names() {
    assert_eq!(tree("linear = point + sample"), "(= linear (Add point sample))");
    assert_eq!(tree("line.x"), "(. line x)");
}

#[test]
fn a_variable_hides_a_type_of_its_name() {
    assert_eq!(tree_in("Texture2D Texture;", "Texture.Load(a)"), "(. Texture Load a)");
    assert_eq!(tree_in("struct S { int i; }; static int S;", "(S) - 1"), "(Subtract S 1)");
}
