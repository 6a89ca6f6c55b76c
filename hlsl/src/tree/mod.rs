//! The typed tree, the checked form of a program.
//!
//! The checks (`check`) create it from the syntax tree, and the lowering (`lower`) and the reflection (`reflect`) read
//! it. Names are resolved, overloads are chosen, conversions are separate nodes, and default arguments are filled in.
//! Faulty parts have the type [`Type::Error`]. A tree with such nodes is never lowered, because errors were reported.

mod constant;
mod expr;
mod intrinsic;
mod method;
mod names;
mod statement;
mod stores;
mod texels;
mod types;
pub(crate) mod visit;

pub(crate) use self::{
    constant::Constant,
    expr::{Arithmetic, Expr, ExprKind, Step},
    intrinsic::Intrinsic,
    method::Method,
    statement::{Block, Case, Hints, Loop, LoopTest, Statement, StatementKind},
    stores::{ObjectSet, Stores},
    types::{Field, Norm, Numeric, ObjectType, StructId, StructType, Type},
};

use std::{cell::Cell, collections::BTreeMap, sync::Arc};

use crate::{
    source::Span,
    stack::Limits,
    syntax::ast::{ModifierFlags, PackOffset, Primitive},
    token::Packing,
};

/// A whole program.
#[derive(Debug)]
pub(crate) struct Program {
    /// By [`StructId`].
    pub(crate) structs: Vec<StructType>,
    /// By [`GlobalId`], in the order of declaration.
    pub(crate) globals: Vec<Global>,
    /// By [`BufferId`]. The first is always `$Globals`, maybe empty.
    pub(crate) buffers: Vec<ConstantBuffer>,
    /// By [`FunctionId`].
    pub(crate) functions: Vec<Function>,
    /// Maximum nesting of nodes whose value is computed: [`Limits::evaluation`].
    pub(crate) deepest_evaluation: u32,
    /// Whether a value was not computed because of this limit.
    pub(crate) too_deep: Cell<bool>,
}

impl Default for Program {
    fn default() -> Self {
        Self {
            structs: Vec::new(),
            globals: Vec::new(),
            buffers: Vec::new(),
            functions: Vec::new(),
            deepest_evaluation: Limits::shallow().evaluation,
            too_deep: Cell::new(false),
        }
    }
}

macro_rules! ids {
    ($($(#[$attribute:meta])* $name:ident: $list:ident of $item:ty;)*) => {$(
        $(#[$attribute])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub(crate) struct $name(pub(crate) u32);

        impl std::ops::Index<$name> for Program {
            type Output = $item;

            fn index(&self, id: $name) -> &$item {
                &self.$list[id.0 as usize]
            }
        }

        impl std::ops::IndexMut<$name> for Program {
            fn index_mut(&mut self, id: $name) -> &mut $item {
                &mut self.$list[id.0 as usize]
            }
        }
    )*};
}

ids! {
    /// The index of a variable in [`Program::globals`].
    GlobalId: globals of Global;
    /// The index of a constant buffer in [`Program::buffers`].
    BufferId: buffers of ConstantBuffer;
    /// The index of a function in [`Program::functions`].
    FunctionId: functions of Function;
}

impl std::ops::Index<StructId> for Program {
    type Output = StructType;

    fn index(&self, id: StructId) -> &StructType {
        &self.structs[id.0 as usize]
    }
}

impl std::ops::IndexMut<StructId> for Program {
    fn index_mut(&mut self, id: StructId) -> &mut StructType {
        &mut self.structs[id.0 as usize]
    }
}

/// The index of a variable in [`Function::locals`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LocalId(pub(crate) u32);

/// A variable outside functions, or a `static` one inside.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Global {
    pub(crate) name: Arc<str>,
    pub(crate) ty: Type,
    /// The layout of its matrices in a constant buffer.
    pub(crate) packing: Packing,
    pub(crate) storage: Storage,
    /// Whether it is `const`, or a `static` variable that nothing assigns to.
    pub(crate) constant: bool,
    /// Whether anything assigns to it. Uniform variables are assigned to only in backwards-compatible programs.
    pub(crate) assigned: bool,
    pub(crate) registers: Vec<Register>,
    /// The semantic, with its number. Reflection shows it.
    pub(crate) semantic: Option<Semantic>,
    /// The initial value of a `static` variable, or the default value of a uniform one.
    pub(crate) value: Option<Expr>,
    pub(crate) span: Span,
}

/// The storage of a variable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Storage {
    /// In a constant buffer. Its objects, including those in structures, have registers of their own.
    Uniform {
        /// The buffer, which is the first one for a variable outside all buffers.
        buffer: BufferId,
        /// `packoffset`.
        offset: Option<PackOffset>,
    },
    /// In each thread: `static`.
    Static,
    /// In each group: `groupshared`.
    GroupShared,
}

/// `register(t3)`. The class is in lower case.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Register {
    /// The profile that it is for, as it is written: `ps`, `vs_4_0`; `None` for all. An invalid profile is an error of
    /// the assignment of registers.
    pub(crate) profile: Option<Arc<str>>,
    /// `b`, `t`, `s`, `u` or `c`; others are errors of the assignment of registers.
    pub(crate) class: char,
    /// The number, plus the number in brackets after it.
    pub(crate) index: u32,
    /// The register space, of Shader Model 5.1; 0 if none is written.
    pub(crate) space: u32,
    pub(crate) span: Span,
}

/// A semantic as it is written: `TEXCOORD1`. Names are compared without regard to case.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Semantic {
    /// Without the number.
    pub(crate) name: Arc<str>,
    /// 0 if there is none.
    pub(crate) index: u32,
    pub(crate) span: Span,
}

/// `cbuffer` or `tbuffer`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ConstantBuffer {
    pub(crate) name: Arc<str>,
    /// Whether it is a `tbuffer`.
    pub(crate) texture: bool,
    pub(crate) registers: Vec<Register>,
    /// The variables, in the order of declaration. All have [`Storage::Uniform`].
    pub(crate) variables: Vec<GlobalId>,
    pub(crate) span: Span,
}

/// A function or a method.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Function {
    pub(crate) name: Arc<str>,
    /// The structure that the method belongs to. The first parameter is then the object, `inout`.
    pub(crate) object: Option<StructId>,
    pub(crate) result: Type,
    pub(crate) result_packing: Packing,
    pub(crate) result_semantic: Option<Semantic>,
    pub(crate) parameters: Vec<Parameter>,
    /// By [`LocalId`]: parameters and all variables of the body.
    pub(crate) locals: Vec<Local>,
    /// `None` for a function that is only declared.
    pub(crate) body: Option<Block>,
    pub(crate) attributes: Vec<Attribute>,
    /// Objects of variables outside functions that it, or a function that it calls, replaces. `stores` finds them.
    pub(crate) object_stores: BTreeMap<GlobalId, ObjectSet>,
    pub(crate) span: Span,
}

/// A parameter of a function.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Parameter {
    pub(crate) local: LocalId,
    pub(crate) direction: Direction,
    /// `uniform`: for an entry point, a variable of the buffer `$Params`.
    pub(crate) uniform: bool,
    pub(crate) packing: Packing,
    pub(crate) semantic: Option<Semantic>,
    pub(crate) registers: Vec<Register>,
    /// The modifiers of the interpolation mode, and `precise`.
    pub(crate) flags: ModifierFlags,
    /// The primitive that a geometry shader takes.
    pub(crate) primitive: Option<Primitive>,
    /// Its default value, which is filled in at calls.
    pub(crate) default: Option<Expr>,
    /// The stores that return to the argument. Until `stores` has analysed the body, these are the stores that the
    /// direction allows.
    pub(crate) stores: Stores,
}

/// The direction of a parameter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Direction {
    In,
    Out,
    InOut,
}

/// A variable of a function.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Local {
    pub(crate) name: Arc<str>,
    pub(crate) ty: Type,
    /// Whether it is `const`, or only its initializer assigns to it, so that its value may be known at compile time.
    pub(crate) constant: bool,
    pub(crate) span: Span,
}

/// `[numthreads(8, 8, 1)]`, `[unroll]`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Attribute {
    /// As it is written, because FXC accepts lower case only.
    pub(crate) name: Arc<str>,
    pub(crate) arguments: Vec<AttributeValue>,
    pub(crate) span: Span,
}

/// An argument of an attribute.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum AttributeValue {
    Constant(Constant),
    /// A string without its quotes.
    Text(Arc<str>),
}

impl Program {
    /// Returns the function with a name that can be an entry point: the last one with a body that is not a method.
    pub(crate) fn entry(&self, name: &str) -> Option<FunctionId> {
        let is_entry = |function: &Function| {
            *function.name == *name && function.object.is_none() && function.body.is_some()
        };
        self.functions.iter().rposition(is_entry).map(|index| FunctionId(index as u32))
    }
}

impl Function {
    pub(crate) fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| *attribute.name == *name)
    }
}
