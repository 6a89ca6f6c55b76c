//! The typed tree, which is the checked form of a program.
//!
//! The checks (`check`) create the typed tree from the syntax tree, and the lowering (`lower`) and the
//! reflection (`reflect`) read it. In this tree, names are resolved, overloads are chosen, conversions are
//! separate nodes, and default arguments are filled in. Invalid nodes have the type [`Type::Error`], and a
//! tree with such nodes is never lowered because an error was reported for each of them.

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
    session::{source::Span, stack::RecursionLimits},
    syntax::ast::{ModifierFlags, PackOffset, Primitive},
    text::token::Packing,
};

#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) structs: Vec<StructType>,
    /// Variables outside functions and `static` local variables, indexed by [`GlobalId`].
    pub(crate) globals: Vec<Global>,
    /// Constant buffers, indexed by [`BufferId`]. The first one is `$Globals`, which may be empty.
    pub(crate) buffers: Vec<DeclaredBuffer>,
    pub(crate) functions: Vec<Function>,
    /// Maximum nesting of nodes in constant evaluation, from [`RecursionLimits::evaluation`].
    pub(crate) deepest_evaluation: u32,
    /// Whether a value was not computed because of this limit, so that the limit can be reported.
    pub(crate) too_deep: Cell<bool>,
}

impl Default for Program {
    fn default() -> Self {
        Self {
            structs: Vec::new(),
            globals: Vec::new(),
            buffers: Vec::new(),
            functions: Vec::new(),
            deepest_evaluation: RecursionLimits::shallow().evaluation,
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
    GlobalId: globals of Global;
    BufferId: buffers of DeclaredBuffer;
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

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct LocalId(pub(crate) u32);

/// A variable outside functions, or a `static` local variable.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Global {
    pub(crate) name: Arc<str>,
    pub(crate) ty: Type,
    /// The layout of the variable's matrices in a constant buffer.
    pub(crate) packing: Packing,
    pub(crate) storage: Storage,
    /// Whether the variable is `const`, or is `static` and never assigned.
    pub(crate) constant: bool,
    /// Whether the variable is assigned anywhere, which for uniform variables is possible only in
    /// backwards-compatible mode.
    pub(crate) assigned: bool,
    pub(crate) registers: Vec<Register>,
    /// The semantic with its index, which is only used for reflection.
    pub(crate) semantic: Option<Semantic>,
    /// The initial value of a `static` variable, or the default value of a uniform variable.
    pub(crate) value: Option<Expr>,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Storage {
    /// In a constant buffer, except for objects (including objects in structures), which have registers
    /// instead.
    Uniform {
        /// The buffer that contains the variable, or the first one for a variable outside all buffers.
        buffer: BufferId,
        offset: Option<PackOffset>,
    },
    Static,
    /// In the memory of each thread group, for a `groupshared` variable.
    GroupShared,
}

/// A register annotation such as `register(t3)`, whose class is in lower case.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Register {
    /// The profile that the register applies to, as it is written (`ps` or `vs_4_0`), or `None` for all
    /// profiles. The register assignment reports invalid profiles.
    pub(crate) profile: Option<Arc<str>>,
    /// The class `b`, `t`, `s`, `u` or `c`, or another class that the register assignment will report.
    pub(crate) class: char,
    /// The number of the register, including the number in brackets after it.
    pub(crate) index: u32,
    /// The register space of Shader Model 5.1, by default 0.
    pub(crate) space: u32,
    pub(crate) span: Span,
}

/// A semantic as it is written, such as `TEXCOORD1`, whose name is compared without regard to case.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Semantic {
    pub(crate) name: Arc<str>,
    /// The number at the end of the name, by default 0.
    pub(crate) index: u32,
    pub(crate) span: Span,
}

/// A constant buffer, which a `cbuffer`, a `tbuffer` or a variable outside all buffers creates.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct DeclaredBuffer {
    pub(crate) name: Arc<str>,
    pub(crate) texture: bool,
    pub(crate) registers: Vec<Register>,
    /// The variables in the order of declaration, all with the storage [`Storage::Uniform`].
    pub(crate) variables: Vec<GlobalId>,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Function {
    pub(crate) name: Arc<str>,
    /// The structure that the method belongs to, or `None` for other functions. The first parameter of a
    /// method is its object, and is `inout`.
    pub(crate) object: Option<StructId>,
    pub(crate) result: Type,
    pub(crate) result_packing: Packing,
    pub(crate) result_semantic: Option<Semantic>,
    pub(crate) parameters: Vec<Parameter>,
    /// The parameters and all local variables, indexed by [`LocalId`].
    pub(crate) locals: Vec<Local>,
    /// The body, or `None` for a function that is only declared.
    pub(crate) body: Option<Block>,
    pub(crate) attributes: Vec<Attribute>,
    /// The objects of global variables that the function or one of its callees replaces, as computed by
    /// `stores`.
    pub(crate) object_stores: BTreeMap<GlobalId, ObjectSet>,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Parameter {
    pub(crate) local: LocalId,
    pub(crate) direction: Direction,
    /// Whether the parameter is `uniform` and, in an entry point, therefore a variable in the buffer
    /// `$Params`.
    pub(crate) uniform: bool,
    pub(crate) packing: Packing,
    pub(crate) semantic: Option<Semantic>,
    pub(crate) registers: Vec<Register>,
    /// The interpolation modifiers, and `precise`, which does not affect interpolation.
    pub(crate) flags: ModifierFlags,
    pub(crate) primitive: Option<Primitive>,
    /// The default value, which is inserted into calls that omit the argument.
    pub(crate) default: Option<Expr>,
    /// The stores that are visible to the caller or, until `stores` analyses the body, all stores that the
    /// direction permits.
    pub(crate) stores: Stores,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Direction {
    In,
    Out,
    InOut,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Local {
    pub(crate) name: Arc<str>,
    pub(crate) ty: Type,
    /// Whether the variable is `const` or is assigned only by its initializer, so that its value may be known
    /// at compile time.
    pub(crate) constant: bool,
    pub(crate) span: Span,
}

/// An attribute such as `[numthreads(8, 8, 1)]` or `[unroll]`, with its evaluated arguments.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Attribute {
    /// The name as it is written, because its case matters: FXC accepts only lower case.
    pub(crate) name: Arc<str>,
    pub(crate) arguments: Vec<AttributeValue>,
    pub(crate) span: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum AttributeValue {
    Constant(Constant),
    Text(Arc<str>),
}

impl Program {
    /// Returns the entry point with a name: the last function with this name that has a body and is not a
    /// method.
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
