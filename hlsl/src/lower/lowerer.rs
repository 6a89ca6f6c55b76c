//! The module under construction, and the state that all its functions share.

use std::sync::Arc;

use crate::{
    check::tree::{BufferId, FunctionId, GlobalId, Program, visit},
    interface::{
        bindings::{Bindings, ObjectId},
        signature::Signature,
        tessellation::TessellatorPartitioning,
    },
    lower::{
        entry::{geometry::StreamFunctions, plane_variables::Attributes, point_function::PointFunction},
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

/// The components of outputs that may be written, as a mask for each element.
#[derive(Default)]
pub(crate) struct WrittenComponents {
    pub(crate) outputs: Vec<u8>,
    /// The outputs of a hull shader's patch constant function.
    pub(crate) constants: Vec<u8>,
}

/// A naga module under construction.
pub(crate) struct Lowerer<'a> {
    pub(crate) session: &'a mut Session,
    pub(crate) program: &'a Program,
    pub(crate) bindings: &'a Bindings,
    pub(crate) module: naga::Module,
    pub(super) types: TypeCache,
    /// The naga variables of `static` and `groupshared` variables.
    pub(super) globals: HashMap<GlobalId, naga::Handle<naga::GlobalVariable>>,
    /// The naga variables of textures, buffers and samplers.
    pub(super) resources: HashMap<ObjectId, naga::Handle<naga::GlobalVariable>>,
    /// The naga variables of hidden counters.
    pub(super) counters: HashMap<ObjectId, naga::Handle<naga::GlobalVariable>>,
    /// The naga variables of textures that are read through combined samplers.
    pub(super) combined: HashMap<ObjectId, naga::Handle<naga::GlobalVariable>>,
    /// The entry point and its signature.
    pub(super) entry: Option<(FunctionId, &'a Signature)>,
    pub(crate) written: WrittenComponents,
    /// The variables that evaluate attributes at other positions.
    pub(super) attributes: Attributes,
    /// The streams of a geometry shader.
    pub(super) streams: Vec<StreamFunctions>,
    /// The functions that return control points, or `None` if the program is neither a hull nor a domain shader.
    pub(super) patches: Option<Vec<PointFunction>>,
    /// The partitioning that a hull shader declares.
    pub(super) partitioning: Option<TessellatorPartitioning>,
    /// Whether the program is a compute shader.
    pub(super) computes: bool,
    /// Whether the program uses Shader Model 5.1.
    pub(super) has_spaces: bool,
    /// Whether a derivative may be computed after a pixel was discarded.
    pub(super) derivatives_follow: bool,
    /// The variable that records whether the pixel is discarded.
    pub(super) discarded: Option<naga::Handle<naga::GlobalVariable>>,
    /// Facts about the program's objects. If a fact is found too late, the module is lowered again.
    pub(crate) object_facts: ObjectFacts,
    /// The naga variables of constant buffers.
    pub(super) buffers: HashMap<BufferId, naga::Handle<naga::GlobalVariable>>,
    /// The lowered functions, with the objects that they pass to their callers.
    pub(super) functions: HashMap<FunctionKey, (naga::Handle<naga::Function>, Arc<ObjectExit>)>,
    /// The facts about functions that were analysed so far.
    pub(super) facts: HashMap<FunctionId, Arc<FunctionFacts>>,
    /// `static` variables that still need a function that initialises them.
    pub(super) uninitialized: Vec<GlobalId>,
    /// The functions that initialise `static` variables.
    pub(super) initializers: Vec<(GlobalId, naga::Handle<naga::Function>)>,
    /// The components of `groupshared` variables that atomic functions change, as paths of fields.
    pub(super) shared_atomics: HashSet<(GlobalId, Vec<u32>)>,
    /// The number of visited HLSL expressions plus the number of added naga expressions.
    pub(super) size: usize,
    /// The nesting depth of expressions, statements and calls.
    pub(super) depth: usize,
}

/// Maximum of [`Lowerer::size`]. Each iteration of an unrolled loop counts.
pub(super) const MOST_EXPRESSIONS: usize = 1 << 19;

/// The size of a function in [`Lowerer::size`], in addition to its expressions.
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
            written: WrittenComponents::default(),
            attributes: Attributes::default(),
            streams: Vec::new(),
            patches: None,
            partitioning: None,
            computes: false,
            has_spaces: false,
            derivatives_follow: false,
            discarded: None,
            object_facts: ObjectFacts::default(),
            buffers: HashMap::default(),
            functions: HashMap::default(),
            facts: HashMap::default(),
            uninitialized: Vec::new(),
            initializers: Vec::new(),
            shared_atomics: visit::atomics(program),
            size: 0,
            depth: 0,
        }
    }

    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> LoweringFailed {
        self.session.error(code, span, message);
        LoweringFailed
    }

    /// Reports that the nesting of expressions, statements and calls is too deep.
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

    /// Increases the program size, and reports a program that becomes too large.
    pub(crate) fn reserve(&mut self, more: u32, span: Span) -> Lowered<()> {
        self.size = self.size.saturating_add(more as usize);
        if self.size <= MOST_EXPRESSIONS {
            return Ok(());
        }
        Err(self.error(Code::LimitExceeded, span, "the program is too large"))
    }

    /// Reports a known index that is out of range.
    pub(crate) fn index_out_of_bounds(&mut self, span: Span, index: i64, count: u32) -> LoweringFailed {
        self.session.index_out_of_bounds(span, index, count);
        LoweringFailed
    }

    /// Reports an unsupported feature. `what` follows "not supported: " in the message.
    pub(crate) fn unsupported(&mut self, span: Span, what: &str) -> LoweringFailed {
        self.error(Code::Unsupported, span, format!("not supported: {what}"))
    }
}
