//! The lowering: from the typed tree to a module of naga with one entry point.
//!
//! Each function is lowered when it is called, once for each combination of the objects that are its arguments, so no
//! object is ever passed at run time.
//!
//! How HLSL's types look in naga:
//!
//! | HLSL | naga |
//! | --- | --- |
//! | `float`, `half`, `min16float`, `min10float` | `f32` |
//! | `int`, `min16int`, `min12int` / `uint`, `min16uint` | `i32` / `u32` |
//! | `bool` | `bool` |
//! | `float3` and so on; a vector of one component | a vector; a scalar |
//! | `float3x4` | `array<vec4<f32>, 3>`: its rows |
//! | an array, a structure | the same without objects |
//! | an object | nothing: it is known where it is used |

mod atomics;
mod buffers;
mod builder;
mod composites;
mod constant_buffers;
mod constants;
mod conversions;
mod discards;
mod elements;
mod entry;
mod expressions;
mod functions;
mod globals;
mod inheritance;
mod intrinsics;
mod known;
mod long_chains;
mod methods;
mod named_parts;
mod objects;
mod operators;
mod places;
mod resources;
mod statements;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod textures;
mod types;
mod unroll;
mod writes;

use crate::hash::{HashMap, HashSet};

use crate::{
    bindings::{Bindings, ObjectId},
    code::Code,
    session::Session,
    signature::Signature,
    source::Span,
    stack::CALL_DEPTH,
    tree::{BufferId, FunctionId, GlobalId, Program, visit},
};

pub(crate) use self::{
    builder::Builder,
    entry::EntryPoint,
    objects::KnownObject,
    places::{BufferElement, ElementIndex, PathStepKind, PlaceRoot, ValuePath, ValuePlace},
    resources::ObjectFacts,
};

/// Something cannot be lowered; that was reported.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LoweringFailed;

pub(crate) type Lowered<T> = Result<T, LoweringFailed>;

/// A value at run time.
pub(crate) type Value = naga::Handle<naga::Expression>;

/// A module in the making.
pub(crate) struct Lowerer<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) program: &'a Program,
    pub(crate) bindings: &'a Bindings,
    pub(crate) module: naga::Module,
    types: types::TypeCache,
    /// The variables of naga for `static` and `groupshared` ones.
    globals: HashMap<GlobalId, naga::Handle<naga::GlobalVariable>>,
    /// The variables of naga for textures, buffers and samplers.
    resources: HashMap<ObjectId, naga::Handle<naga::GlobalVariable>>,
    /// The variables of naga for hidden counters.
    counters: HashMap<ObjectId, naga::Handle<naga::GlobalVariable>>,
    /// The variables of naga for textures that come along with samplers.
    combined: HashMap<ObjectId, naga::Handle<naga::GlobalVariable>>,
    /// The function that the stage runs, and what it takes and gives.
    entry: Option<(FunctionId, &'a Signature)>,
    /// For each element of the outputs, the components that something writes, as bits.
    pub(crate) written: Vec<u8>,
    /// What is kept of attributes to find their values at other places.
    attributes: entry::Attributes,
    /// The program is a compute shader.
    computes: bool,
    /// The program is of Shader Model 5.1.
    has_spaces: bool,
    /// Derivatives may be taken after a pixel was discarded.
    derivatives_follow: bool,
    /// The variable that says whether the pixel is discarded.
    discarded: Option<naga::Handle<naga::GlobalVariable>>,
    /// What is known of the program's objects. If it is late, the module must be made again.
    pub(crate) object_facts: ObjectFacts,
    /// The variables of naga for `cbuffer`s and `tbuffer`s.
    buffers: HashMap<BufferId, naga::Handle<naga::GlobalVariable>>,
    /// Functions that were lowered, and the objects that they hand to their callers.
    functions:
        HashMap<functions::FunctionKey, (naga::Handle<naga::Function>, std::sync::Arc<objects::ObjectExit>)>,
    /// What functions store to, for those that were looked at.
    facts: HashMap<FunctionId, std::sync::Arc<functions::FunctionFacts>>,
    /// `static` variables that exist, but have no function yet that gives them their values.
    uninitialized: Vec<GlobalId>,
    /// Parts of `groupshared` variables that are changed atomically: the fields on the way.
    shared_atomics: HashSet<(GlobalId, Vec<u32>)>,
    /// Expressions of the program that were looked at, and expressions of the module that were made so far.
    size: usize,
    /// Expressions, statements and calls around the place that is lowered.
    depth: usize,
}

/// So many expressions are looked at and made at most, those of loops that are unrolled in each iteration.
const MOST_EXPRESSIONS: usize = 1 << 19;

/// How many expressions a function counts.
const FUNCTION_COST: u32 = 64;

impl<'a> Lowerer<'a> {
    pub(crate) fn new(session: &'a mut Session, program: &'a Program, bindings: &'a Bindings) -> Self {
        Self {
            session,
            program,
            bindings,
            module: naga::Module::default(),
            types: types::TypeCache::default(),
            globals: HashMap::default(),
            resources: HashMap::default(),
            counters: HashMap::default(),
            combined: HashMap::default(),
            entry: None,
            written: Vec::new(),
            attributes: entry::Attributes::default(),
            computes: false,
            has_spaces: false,
            derivatives_follow: false,
            discarded: None,
            object_facts: ObjectFacts::default(),
            buffers: HashMap::default(),
            functions: HashMap::default(),
            facts: HashMap::default(),
            uninitialized: Vec::new(),
            shared_atomics: visit::atomics(program),
            size: 0,
            depth: 0,
        }
    }

    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> LoweringFailed {
        self.session.error(code, span, message);
        LoweringFailed
    }

    /// Reports expressions, statements and calls that are too deep inside each other.
    pub(crate) fn too_deep(&mut self, span: Span) -> LoweringFailed {
        let limits = self.session.limits;
        let message = format!(
            "statements, expressions and calls are more than {} deep (a call is {CALL_DEPTH}); store parts of expressions in \
             variables, and call fewer functions through each other",
            limits.lowering
        );
        self.session.too_deep(span, message);
        LoweringFailed
    }

    /// Reports a module that would be too large with so many more values.
    pub(crate) fn reserve(&mut self, more: u32, span: Span) -> Lowered<()> {
        self.size = self.size.saturating_add(more as usize);
        if self.size <= MOST_EXPRESSIONS {
            return Ok(());
        }
        Err(self.error(Code::LimitExceeded, span, "the program is too large"))
    }

    /// Reports an index that is known and out of range.
    pub(crate) fn index_out_of_bounds(&mut self, span: Span, index: i64, count: u32) -> LoweringFailed {
        self.session.index_out_of_bounds(span, index, count);
        LoweringFailed
    }

    /// Reports that something cannot be lowered. `what` is said behind "not supported: ".
    pub(crate) fn unsupported(&mut self, span: Span, what: &str) -> LoweringFailed {
        self.error(Code::Unsupported, span, format!("not supported: {what}"))
    }
}

/// The span of a part of the module.
pub(crate) fn naga_span(span: Span) -> naga::Span {
    naga::Span::new(span.start, span.end)
}
