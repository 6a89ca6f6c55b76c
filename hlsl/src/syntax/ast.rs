//! The syntax tree, before names and types are resolved.
//!
//! Every node has its span. Nodes own their children. The parser ([`super::parser`]) limits the depth of trees, so code
//! that walks them may recurse.

use crate::{
    number::Number,
    source::Span,
    syntax::builtin::{Object, Scalar, Shape},
    token::{Packing, Symbol},
};

/// A name with its place.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Ident {
    pub(crate) name: Symbol,
    pub(crate) span: Span,
}

/// A name, optionally in a namespace or a structure: `a::b`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Path {
    /// Whether it begins with `::`.
    pub(crate) global: bool,
    /// The names before the last `::`.
    pub(crate) scope: Vec<Symbol>,
    pub(crate) name: Symbol,
    pub(crate) span: Span,
}

impl Path {
    /// Returns whether it is a name without `::`.
    pub(crate) fn is_simple(&self) -> bool {
        !self.global && self.scope.is_empty()
    }
}

/// A type as it is written.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TypeName {
    pub(crate) kind: TypeKind,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum TypeKind {
    Void,
    /// `float`, `int3`, `half4x4`; `vector` and `matrix` without arguments.
    Numeric(Scalar, Shape),
    /// `vector<T, N>`; `N` is 4 if it is left out.
    Vector(Box<TypeName>, Option<Box<Expr>>),
    /// `matrix<T, ROWS, COLUMNS>`; both are 4 if they are left out.
    Matrix(Box<TypeName>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// `unsigned` before another type than `int` and its vectors and matrices.
    Unsigned(Box<TypeName>),
    /// A texture, a buffer, a sampler, a stream, a patch.
    Object(Object, Vec<TypeArgument>),
    /// A structure or another name for a type.
    Named(Path),
    /// A structure declared in place.
    Struct(Box<Struct>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum TypeArgument {
    Type(Modifiers, TypeName),
    Value(Expr),
}

/// The modifiers before a type: `static const row_major`.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Modifiers {
    pub(crate) flags: ModifierFlags,
    /// `row_major` or `column_major`, or else the packing of the last `#pragma pack_matrix`.
    pub(crate) packing: Option<Packing>,
    /// `point`, `line`, `triangle`, `lineadj` or `triangleadj` before an input of a geometry shader.
    pub(crate) primitive: Option<Primitive>,
    /// From the first modifier to the last.
    pub(crate) span: Span,
}

bitflags::bitflags! {
    /// Modifiers without arguments.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
    pub(crate) struct ModifierFlags: u32 {
        const CONST = 1 << 0;
        const STATIC = 1 << 1;
        const EXTERN = 1 << 2;
        const UNIFORM = 1 << 3;
        const VOLATILE = 1 << 4;
        const SHARED = 1 << 5;
        const GROUPSHARED = 1 << 6;
        const PRECISE = 1 << 7;
        const INLINE = 1 << 8;
        const EXPORT = 1 << 9;
        const GLOBALLY_COHERENT = 1 << 10;
        const IN = 1 << 11;
        const OUT = 1 << 12;
        const LINEAR = 1 << 13;
        const CENTROID = 1 << 14;
        const NO_INTERPOLATION = 1 << 15;
        const NO_PERSPECTIVE = 1 << 16;
        const SAMPLE = 1 << 17;
        const UNORM = 1 << 18;
        const SNORM = 1 << 19;
        /// Interpolation at the centre of the pixel, which is the default.
        const CENTER = 1 << 20;
    }
}

/// The primitive that a geometry shader takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Primitive {
    Point,
    Line,
    Triangle,
    LineAdjacency,
    TriangleAdjacency,
}

/// A whole source.
#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) items: Vec<Item>,
    /// The functions that techniques compile, with the number of arguments for each: `compile ps_4_0 main(1, 2)`.
    pub(crate) compiled: Vec<(Ident, usize)>,
}

/// A declaration outside functions.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Item {
    Function(Function),
    Variables(Variables),
    Struct(Struct),
    Typedef(Typedef),
    Buffer(BufferBlock),
    Namespace(Ident, Vec<Item>),
}

/// `cbuffer` or `tbuffer`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BufferBlock {
    pub(crate) modifiers: Modifiers,
    /// Whether it is a `tbuffer`.
    pub(crate) texture: bool,
    pub(crate) name: Ident,
    pub(crate) registers: Vec<Register>,
    /// Variables and other declarations inside, which belong to the scope around the block.
    pub(crate) items: Vec<Item>,
}

/// Variables of one declaration: `static float a = 1, b[3];`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Variables {
    pub(crate) modifiers: Modifiers,
    pub(crate) type_name: TypeName,
    pub(crate) declarators: Vec<Declarator>,
}

/// A name in a declaration, with its own array sizes, annotations and initializer.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Declarator {
    pub(crate) name: Ident,
    /// The sizes of arrays, the outermost first; `None` for `[]`.
    pub(crate) dimensions: Vec<Option<Expr>>,
    pub(crate) annotations: Annotations,
    pub(crate) initializer: Option<Initializer>,
}

/// The annotations after a colon: a semantic, registers, an offset in a constant buffer.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Annotations {
    pub(crate) semantic: Option<Semantic>,
    pub(crate) registers: Vec<Register>,
    pub(crate) pack_offset: Option<PackOffset>,
}

/// `TEXCOORD1`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Semantic {
    /// The whole name, with its number.
    pub(crate) name: Symbol,
    pub(crate) span: Span,
}

/// `register(ps, t3, space1)`.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Register {
    /// The profile that it is for: `ps`, `vs_4_0`.
    pub(crate) profile: Option<Symbol>,
    /// `b`, `t`, `s`, `u`, `c`, in lower case, or any other character as it is written.
    pub(crate) class: char,
    pub(crate) index: u32,
    /// Whether letters follow the number or replace it.
    pub(crate) has_letters: bool,
    /// The number in brackets after it, which is added.
    pub(crate) offset: Option<Expr>,
    pub(crate) space: u32,
    pub(crate) span: Span,
}

/// `packoffset(c3.y)`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PackOffset {
    /// The register of 16 bytes.
    pub(crate) register: u32,
    /// The component in it, from 0.
    pub(crate) component: u32,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Initializer {
    /// An expression, or `{ … }` after `=`.
    Value(Expr),
    /// `{ … }` after the name: effect states, which are only checked.
    States(States),
}

/// `{ Filter = POINT; }`, or several such blocks in another one.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct States {
    /// The number of nested blocks, or `None` if the states are not in nested blocks.
    pub(crate) blocks: Option<u32>,
    pub(crate) states: Vec<State>,
    pub(crate) span: Span,
}

/// `Filter = POINT;` or `SetBlendState(a, b, c);`
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct State {
    pub(crate) name: Ident,
    /// The arguments of a call, or the value.
    pub(crate) values: Vec<Expr>,
    pub(crate) is_call: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Typedef {
    pub(crate) modifiers: Modifiers,
    pub(crate) type_name: TypeName,
    /// Names and sizes of arrays.
    pub(crate) names: Vec<(Ident, Vec<Option<Expr>>)>,
}

/// The keyword that declares a structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StructKind {
    Struct,
    Class,
    Interface,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Struct {
    pub(crate) kind: StructKind,
    pub(crate) name: Option<Ident>,
    pub(crate) bases: Vec<Path>,
    pub(crate) fields: Vec<Variables>,
    pub(crate) methods: Vec<Function>,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Function {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) modifiers: Modifiers,
    pub(crate) result: TypeName,
    /// For a method that is defined outside its structure, a path: `S::f`.
    pub(crate) name: Path,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) annotations: Annotations,
    /// `None` for a declaration without a body.
    pub(crate) body: Option<Block>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Parameter {
    pub(crate) modifiers: Modifiers,
    pub(crate) type_name: TypeName,
    /// The name, which is optional in a declaration.
    pub(crate) name: Option<Ident>,
    pub(crate) dimensions: Vec<Option<Expr>>,
    pub(crate) annotations: Annotations,
    pub(crate) default: Option<Expr>,
    pub(crate) span: Span,
}

/// `[numthreads(8, 8, 1)]`, `[unroll]`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: Ident,
    pub(crate) arguments: Vec<Expr>,
}

/// `{ … }`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Block {
    pub(crate) statements: Vec<Statement>,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Statement {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) kind: StatementKind,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum StatementKind {
    Empty,
    Block(Block),
    Variables(Variables),
    Struct(Struct),
    Typedef(Typedef),
    Expression(Expr),
    If { condition: Expr, then: Box<Statement>, otherwise: Option<Box<Statement>> },
    For { start: Box<Statement>, condition: Option<Expr>, step: Option<Expr>, body: Box<Statement> },
    While { condition: Expr, body: Box<Statement> },
    Do { body: Box<Statement>, condition: Expr },
    Switch { selector: Expr, cases: Vec<Case> },
    Break,
    Continue,
    Discard,
    Return(Option<Expr>),
}

/// Consecutive labels of a `switch`, and the statements after them.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Case {
    pub(crate) labels: Vec<Label>,
    pub(crate) statements: Vec<Statement>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Label {
    /// `None` for `default`.
    pub(crate) value: Option<Expr>,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: Box<ExprKind>,
    pub(crate) span: Span,
    /// The nesting depth of the expression, including itself.
    pub(crate) depth: u16,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ExprKind {
    Number(Number),
    Bool(bool),
    /// A string, which only effects and attributes use. Its text is the span's.
    String,
    Name(Path),
    Unary(UnaryOp, Expr),
    Binary(BinaryOp, Expr, Expr),
    /// `a = b` without an operator, `a += b` with one.
    Assign(Option<BinaryOp>, Expr, Expr),
    Conditional(Expr, Expr, Expr),
    Comma(Expr, Expr),
    Call(Path, Vec<Expr>),
    /// `object.name(arguments)`.
    MethodCall(Expr, Ident, Vec<Expr>),
    /// `float4(arguments)`.
    Construct(TypeName, Vec<Expr>),
    /// `(float3[2])value`.
    Cast(TypeName, Vec<Option<Expr>>, Expr),
    Index(Expr, Expr),
    /// A member or a swizzle.
    Member(Expr, Ident),
    /// `{ a, b, { c } }`, in initializers.
    List(Vec<Expr>),
    /// `sampler_state { … }`, `compile ps_4_0 main()` or `asm { … }` of an effect. The content is skipped.
    Effect,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnaryOp {
    Plus,
    Negate,
    Not,
    Complement,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BinaryOp {
    Multiply,
    Divide,
    Modulo,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Xor,
    Or,
    LogicalAnd,
    LogicalOr,
}
