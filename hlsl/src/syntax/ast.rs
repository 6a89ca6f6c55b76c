//! The syntax tree, in which names and types are not resolved.
//!
//! Each node has a span and owns its children, and recursive functions can process the tree because the
//! parser ([`super::parser`]) limits its depth.

use crate::{
    session::{names::Symbol, source::Span},
    syntax::builtin::{Object, Scalar, Shape},
    text::{number::Number, token::Packing},
};

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Ident {
    pub(crate) name: Symbol,
    pub(crate) span: Span,
}

/// A name, optionally qualified by namespaces or a structure, such as `a::b`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Path {
    pub(crate) global: bool,
    pub(crate) scope: Vec<Symbol>,
    pub(crate) name: Symbol,
    pub(crate) span: Span,
}

impl Path {
    pub(crate) fn is_simple(&self) -> bool {
        !self.global && self.scope.is_empty()
    }
}

/// A type as it is written in the source, in which names are not resolved.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct TypeName {
    pub(crate) kind: TypeKind,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum TypeKind {
    Void,
    /// `float`, `int3`, `half4x4` and similar types, and `vector` and `matrix` without type arguments.
    Numeric(Scalar, Shape),
    /// The type `vector<T, N>`, with 4 as the default of `N`.
    Vector(Box<TypeName>, Option<Box<Expr>>),
    /// The type `matrix<T, ROWS, COLUMNS>`, with 4 as the default of both dimensions.
    Matrix(Box<TypeName>, Option<Box<Expr>>, Option<Box<Expr>>),
    /// `unsigned` before a type other than `int` and its vectors and matrices.
    Unsigned(Box<TypeName>),
    /// A texture, a buffer, a sampler, a stream or a patch, with its type arguments.
    Object(Object, Vec<TypeArgument>),
    /// The name of a structure or of a `typedef`.
    Named(Path),
    /// A structure that is defined where its type is used.
    Struct(Box<Struct>),
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum TypeArgument {
    Type(Modifiers, TypeName),
    Value(Expr),
}

/// The modifiers before a type, such as `static const row_major`, in any order.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Modifiers {
    pub(crate) flags: ModifierFlags,
    /// The packing from `row_major` or `column_major`, or else from the last `#pragma pack_matrix`.
    pub(crate) packing: Option<Packing>,
    /// The keyword `point`, `line`, `triangle`, `lineadj` or `triangleadj` before an input of a geometry
    /// shader.
    pub(crate) primitive: Option<Primitive>,
    pub(crate) span: Span,
}

bitflags::bitflags! {
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
        /// Interpolation at the pixel centre, which is the default.
        const CENTER = 1 << 20;
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Primitive {
    Point,
    Line,
    Triangle,
    LineAdjacency,
    TriangleAdjacency,
}

#[derive(Debug, Default)]
pub(crate) struct Program {
    pub(crate) items: Vec<Item>,
    /// The functions that techniques compile, and the number of arguments of each call, as in
    /// `compile ps_4_0 main(1, 2)`.
    pub(crate) compiled: Vec<(Ident, usize)>,
}

/// A declaration at the top level of the source or in a namespace.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Item {
    Function(Function),
    Variables(Variables),
    Struct(Struct),
    Typedef(Typedef),
    Buffer(BufferBlock),
    Namespace(Ident, Vec<Item>),
}

/// A `cbuffer` or `tbuffer` block.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct BufferBlock {
    pub(crate) modifiers: Modifiers,
    pub(crate) texture: bool,
    pub(crate) name: Ident,
    pub(crate) registers: Vec<Register>,
    /// The variables and other declarations in the block, which belong to the scope that contains the block.
    pub(crate) items: Vec<Item>,
}

/// The variables of one declaration, such as `static float a = 1, b[3];`, which share its type and its
/// modifiers.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Variables {
    pub(crate) modifiers: Modifiers,
    pub(crate) type_name: TypeName,
    pub(crate) declarators: Vec<Declarator>,
}

/// A declared name with its array sizes, annotations and initializer.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Declarator {
    pub(crate) name: Ident,
    /// The sizes of the array, beginning with the outermost dimension, with `None` for `[]`.
    pub(crate) dimensions: Vec<Option<Expr>>,
    pub(crate) annotations: Annotations,
    pub(crate) initializer: Option<Initializer>,
}

/// The annotations after a colon: a semantic, registers or an offset in a constant buffer.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Annotations {
    pub(crate) semantic: Option<Semantic>,
    pub(crate) registers: Vec<Register>,
    pub(crate) pack_offset: Option<PackOffset>,
}

/// A semantic such as `TEXCOORD1`, whose name includes the number at its end.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Semantic {
    pub(crate) name: Symbol,
    pub(crate) span: Span,
}

/// A register annotation such as `register(ps, t3, space1)`, in which only the register is required.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Register {
    /// The profile that the register applies to, such as `ps` or `vs_4_0`.
    pub(crate) profile: Option<Symbol>,
    /// The class `b`, `t`, `s`, `u` or `c` in lower case, or any other character.
    pub(crate) class: char,
    pub(crate) index: u32,
    /// Whether the register number is missing or followed by letters, as in `register(bx)` or
    /// `register(b0x)`.
    pub(crate) has_letters: bool,
    /// The number in brackets after the register, which is added to the register number.
    pub(crate) offset: Option<Expr>,
    pub(crate) space: u32,
    pub(crate) span: Span,
}

/// The location of a variable in its constant buffer, such as `packoffset(c3.y)`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct PackOffset {
    pub(crate) register: u32,
    pub(crate) component: u32,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Initializer {
    /// An expression or a braced list `{ … }` after `=`.
    Value(Expr),
    /// Effect states `{ … }` directly after the name, which are checked and otherwise ignored.
    States(States),
}

/// Effect states such as `{ Filter = POINT; }`, or a block that contains several blocks of states.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct States {
    /// The number of nested blocks, or `None` if there are none.
    pub(crate) blocks: Option<u32>,
    pub(crate) states: Vec<State>,
    pub(crate) span: Span,
}

/// An effect state such as `Filter = POINT;` or `SetBlendState(a, b, c);`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct State {
    pub(crate) name: Ident,
    /// The arguments of a call, or the single value of another state.
    pub(crate) values: Vec<Expr>,
    pub(crate) is_call: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Typedef {
    pub(crate) modifiers: Modifiers,
    pub(crate) type_name: TypeName,
    pub(crate) names: Vec<(Ident, Vec<Option<Expr>>)>,
}

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
    /// The name, which is a path such as `S::f` for a method that is defined outside its structure.
    pub(crate) name: Path,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) annotations: Annotations,
    /// The body, or `None` if the function is only declared.
    pub(crate) body: Option<Block>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Parameter {
    pub(crate) modifiers: Modifiers,
    pub(crate) type_name: TypeName,
    pub(crate) name: Option<Ident>,
    pub(crate) dimensions: Vec<Option<Expr>>,
    pub(crate) annotations: Annotations,
    pub(crate) default: Option<Expr>,
    pub(crate) span: Span,
}

/// An attribute before a function or a statement, such as `[numthreads(8, 8, 1)]` or `[unroll]`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Attribute {
    pub(crate) name: Ident,
    pub(crate) arguments: Vec<Expr>,
}

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

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Case {
    pub(crate) labels: Vec<Label>,
    pub(crate) statements: Vec<Statement>,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Label {
    pub(crate) value: Option<Expr>,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: Box<ExprKind>,
    pub(crate) span: Span,
    pub(crate) depth: u16,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum ExprKind {
    Number(Number),
    Bool(bool),
    /// A string, whose span is enough to find the text because only effects and attributes use strings.
    String,
    Name(Path),
    Unary(UnaryOp, Expr),
    Binary(BinaryOp, Expr, Expr),
    /// An assignment: `a = b` if the operator is `None`, and otherwise a compound assignment such as
    /// `a += b`.
    Assign(Option<BinaryOp>, Expr, Expr),
    Conditional(Expr, Expr, Expr),
    Comma(Expr, Expr),
    Call(Path, Vec<Expr>),
    MethodCall(Expr, Ident, Vec<Expr>),
    /// A constructor such as `float4(arguments)`, in which the components of all arguments form one list.
    Construct(TypeName, Vec<Expr>),
    /// A cast to a type with optional array sizes, such as `(float3[2])value`.
    Cast(TypeName, Vec<Option<Expr>>, Expr),
    Index(Expr, Expr),
    /// A member of a structure or a swizzle, which only the type of the operand distinguishes.
    Member(Expr, Ident),
    /// A braced list such as `{ a, b, { c } }`, which is only allowed in initializers.
    List(Vec<Expr>),
    /// `sampler_state { … }`, `compile ps_4_0 main()` or `asm { … }` in an effect, whose content is skipped.
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
