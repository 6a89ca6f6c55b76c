//! The module under construction, and the state that all its functions share.

use std::sync::Arc;

use crate::{
    check::tree::{BufferId, FunctionId, GlobalId, Program, visit},
    interface::{
        bindings::{Bindings, ObjectId},
        signature::Signature,
    },
    lower::{
        entry::plane_variables::Attributes,
        function_facts::{FunctionFacts, FunctionKey},
        known_objects::ObjectExit,
        object_facts::ObjectFacts,
        result::{Lowered, LoweringFailed},
        types::TypeCache,
    },
    session::{
        Session,
        code::Code,
        hash::{HashMap, HashSet},
        source::Span,
        stack::CALL_DEPTH,
    },
};

/// A module in the making.
pub(crate) struct Lowerer<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) program: &'a Program,
    pub(crate) bindings: &'a Bindings,
    pub(crate) module: naga::Module,
    pub(super) types: TypeCache,
    /// The variables of naga for `static` and `groupshared` ones.
    pub(super) globals: HashMap<GlobalId, naga::Handle<naga::GlobalVariable>>,
    /// The variables of naga for textures, buffers and samplers.
    pub(super) resources: HashMap<ObjectId, naga::Handle<naga::GlobalVariable>>,
    /// The variables of naga for hidden counters.
    pub(super) counters: HashMap<ObjectId, naga::Handle<naga::GlobalVariable>>,
    /// The variables of naga for textures that come along with samplers.
    pub(super) combined: HashMap<ObjectId, naga::Handle<naga::GlobalVariable>>,
    /// The function that the stage runs, and what it takes and gives.
    pub(super) entry: Option<(FunctionId, &'a Signature)>,
    /// For each element of the outputs, the components that something writes, as bits.
    pub(crate) written: Vec<u8>,
    /// What is kept of attributes to find their values at other places.
    pub(super) attributes: Attributes,
    /// The program is a compute shader.
    pub(super) computes: bool,
    /// The program is of Shader Model 5.1.
    pub(super) has_spaces: bool,
    /// Derivatives may be taken after a pixel was discarded.
    pub(super) derivatives_follow: bool,
    /// The variable that says whether the pixel is discarded.
    pub(super) discarded: Option<naga::Handle<naga::GlobalVariable>>,
    /// What is known of the program's objects. If it is late, the module must be made again.
    pub(crate) object_facts: ObjectFacts,
    /// The variables of naga for `cbuffer`s and `tbuffer`s.
    pub(super) buffers: HashMap<BufferId, naga::Handle<naga::GlobalVariable>>,
    /// Functions that were lowered, and the objects that they hand to their callers.
    pub(super) functions: HashMap<FunctionKey, (naga::Handle<naga::Function>, Arc<ObjectExit>)>,
    /// What functions store to, for those that were looked at.
    pub(super) facts: HashMap<FunctionId, Arc<FunctionFacts>>,
    /// `static` variables that exist, but have no function yet that gives them their values.
    pub(super) uninitialized: Vec<GlobalId>,
    /// Parts of `groupshared` variables that are changed atomically: the fields on the way.
    pub(super) shared_atomics: HashSet<(GlobalId, Vec<u32>)>,
    /// Expressions of the program that were looked at, and expressions of the module that were made so far.
    pub(super) size: usize,
    /// Expressions, statements and calls around the place that is lowered.
    pub(super) depth: usize,
}

/// So many expressions are looked at and made at most, those of loops that are unrolled in each iteration.
pub(super) const MOST_EXPRESSIONS: usize = 1 << 19;

/// How many expressions a function counts.
pub(super) const FUNCTION_COST: u32 = 64;

impl<'a> Lowerer<'a> {
    pub(crate) fn new(session: &'a mut Session, program: &'a Program, bindings: &'a Bindings) -> Self {
        Self {
            session,
            program,
            bindings,
            module: naga::Module::default(),
            types: TypeCache::default(),
            globals: HashMap::default(),
            resources: HashMap::default(),
            counters: HashMap::default(),
            combined: HashMap::default(),
            entry: None,
            written: Vec::new(),
            attributes: Attributes::default(),
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
