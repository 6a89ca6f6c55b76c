//! A naga function under construction.

use std::sync::Arc;

use naga::{
    BinaryOperator, Expression, Handle, Literal, MathFunction, ScalarKind, Statement, TypeInner,
    UnaryOperator,
    proc::{ResolveContext, TypeResolution},
};

use crate::{
    check::tree::{FunctionId, LocalId, Numeric, Type},
    interface::bindings::VariableId,
    lower::{
        function_facts::FunctionFacts,
        jumps::{JumpTarget, Jumped, leaves},
        known_objects::{KnownObjects, ObjectExit, Objects},
        known_variables::KnownVariables,
        lowerer::Lowerer,
        named_parts::ExpressionDepths,
        result::{Lowered, LoweringFailed, Value},
        types::vector_size,
    },
    session::{
        code::Code,
        hash::{HashMap, HashSet},
        source::Span,
    },
};

/// A naga function under construction.
///
/// It contains a stack of blocks. Statements are added to the last block, and expressions are emitted where
/// they are added.
pub(crate) struct Builder<'l, 'a> {
    pub(crate) lowerer: &'l mut Lowerer<'a>,
    pub(crate) function: naga::Function,
    blocks: Vec<naga::Block>,
    /// The span of the expressions and statements that are added next.
    pub(crate) span: naga::Span,
    /// The resolved types of the first expressions. The list grows on demand.
    resolutions: Vec<TypeResolution>,
    levels: ExpressionDepths,
    /// Expressions that need no emission. Each occurs only once in the function.
    constants: HashMap<ConstantKey, Value>,
    /// The HLSL function whose body is lowered, or `None` for the entry point's own code.
    pub(super) source: Option<FunctionId>,
    /// The storage of local variables.
    pub(super) locals: HashMap<LocalId, LocalStorage>,
    /// The objects that variables currently contain.
    pub(super) objects: Objects,
    /// The objects that the function passes to its caller, merged over the function's ends that were lowered
    /// so far.
    pub(super) exit: Option<ObjectExit>,
    /// The objects in results of lowered calls, by the call's [`site`](super::objects::site). The enclosing
    /// expression removes its entry.
    pub(super) returned: HashMap<usize, KnownObjects>,
    /// The sites of comma operators whose first operand was already evaluated together with the numbers of
    /// the value.
    pub(super) evaluated: HashSet<usize>,
    /// The known values of local variables.
    pub(super) known: KnownVariables,
    /// Facts about the function.
    pub(super) facts: Arc<FunctionFacts>,
    /// Variables whose objects are unknown because a loop could not be unrolled, each with the span of the
    /// loop's condition.
    pub(super) lost: HashMap<VariableId, Span>,
    /// The enclosing loops and `switch` statements.
    pub(super) targets: Vec<JumpTarget>,
    /// For each entry of `targets`, the states at its `break` and `continue` statements.
    pub(super) jumps: Vec<Jumped>,
}

/// The storage of a local variable.
#[derive(Clone, Copy, Debug)]
pub(super) enum LocalStorage {
    /// The variable is in memory.
    Pointer(Value),
    /// The variable never changes.
    Value(Value),
}

#[derive(PartialEq, Eq, Hash)]
enum ConstantKey {
    Bool(bool),
    I32(i32),
    U32(u32),
    F32(u32),
    F64(u64),
    Zero(Handle<naga::Type>),
    Argument(u32),
    Global(Handle<naga::GlobalVariable>),
    Local(Handle<naga::LocalVariable>),
}

impl ConstantKey {
    fn new(expression: &Expression) -> Option<Self> {
        match *expression {
            Expression::Literal(Literal::Bool(value)) => Some(Self::Bool(value)),
            Expression::Literal(Literal::I32(value)) => Some(Self::I32(value)),
            Expression::Literal(Literal::U32(value)) => Some(Self::U32(value)),
            Expression::Literal(Literal::F32(value)) => Some(Self::F32(value.to_bits())),
            Expression::Literal(Literal::F64(value)) => Some(Self::F64(value.to_bits())),
            Expression::ZeroValue(ty) => Some(Self::Zero(ty)),
            Expression::FunctionArgument(index) => Some(Self::Argument(index)),
            Expression::GlobalVariable(variable) => Some(Self::Global(variable)),
            Expression::LocalVariable(variable) => Some(Self::Local(variable)),
            _ => None,
        }
    }
}

impl<'l, 'a> Builder<'l, 'a> {
    pub(crate) fn new(lowerer: &'l mut Lowerer<'a>, name: &str) -> Self {
        let function = naga::Function { name: Some(name.to_owned()), ..naga::Function::default() };
        Self {
            lowerer,
            function,
            blocks: vec![naga::Block::new()],
            span: naga::Span::UNDEFINED,
            resolutions: Vec::new(),
            levels: ExpressionDepths::default(),
            constants: HashMap::default(),
            source: None,
            locals: HashMap::default(),
            objects: HashMap::default(),
            exit: None,
            returned: HashMap::default(),
            evaluated: HashSet::default(),
            known: KnownVariables::default(),
            facts: Arc::default(),
            lost: HashMap::default(),
            targets: Vec::new(),
            jumps: Vec::new(),
        }
    }

    /// Returns the finished function.
    pub(crate) fn finish(mut self) -> naga::Function {
        self.function.body = self.blocks.swap_remove(0);
        self.function
    }

    /// Returns the statements of the outermost block.
    pub(crate) fn body(&self) -> &naga::Block {
        &self.blocks[0]
    }

    /// Adds an expression, and emits it if necessary.
    pub(crate) fn add(&mut self, expression: Expression) -> Value {
        let key = ConstantKey::new(&expression);
        if let Some(value) = key.as_ref().and_then(|key| self.constants.get(key)) {
            return *value;
        }
        self.lowerer.size += 1;
        let emitted = !expression.needs_pre_emit()
            && !matches!(expression, Expression::CallResult(_) | Expression::AtomicResult { .. });
        let is_deep = self.levels.push(&expression);
        let value = self.function.expressions.append(expression, self.span);
        if emitted && !self.is_finished() {
            self.emit(value);
            if is_deep {
                self.function.named_expressions.insert(value, "part".to_owned());
            }
        }
        if let Some(key) = key {
            self.constants.insert(key, value);
        }
        value
    }

    fn emit(&mut self, value: Value) {
        let span = self.span;
        let Some(block) = self.blocks.last_mut() else { return };
        if let Some(Statement::Emit(range)) = block.last_mut()
            && range.index_range().end as usize == value.index()
            && let Some((first, _)) = range.first_and_last()
        {
            *range = naga::Range::new_from_bounds(first, value);
        } else {
            block.push(Statement::Emit(naga::Range::new_from_bounds(value, value)), span);
        }
    }

    /// Adds a statement if the end of the current block is reachable.
    pub(crate) fn push(&mut self, statement: Statement) {
        if self.is_finished() {
            return;
        }
        let span = self.span;
        if let Some(block) = self.blocks.last_mut() {
            block.push(statement, span);
        }
    }

    /// Returns whether the last statement of the current block is a jump.
    pub(crate) fn is_finished(&self) -> bool {
        matches!(
            self.blocks.last().and_then(|block| block.last()),
            Some(Statement::Return { .. } | Statement::Break | Statement::Continue | Statement::Kill)
        )
    }

    /// Returns whether the end of the current block is unreachable. Unlike [`Builder::is_finished`], this
    /// also recognises an `If` whose branches both jump.
    pub(super) fn is_left(&self) -> bool {
        self.blocks.last().is_some_and(leaves)
    }

    /// Returns a block with the statements that `fill` adds.
    pub(crate) fn block(&mut self, fill: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<naga::Block> {
        self.begin_block();
        let filled = fill(self);
        let block = self.end_block();
        filled.map(|()| block)
    }

    /// Begins a block inside the current one.
    pub(super) fn begin_block(&mut self) {
        self.blocks.push(naga::Block::new());
    }

    /// Ends the current block and returns it.
    pub(super) fn end_block(&mut self) -> naga::Block {
        self.blocks.pop().unwrap_or_default()
    }

    pub(crate) fn unsupported(&mut self, span: Span, what: &str) -> LoweringFailed {
        self.lowerer.unsupported(span, what)
    }

    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> LoweringFailed {
        self.lowerer.error(code, span, message)
    }

    /// Adds an argument to the function.
    pub(crate) fn argument(&mut self, name: &str, ty: Handle<naga::Type>) -> Value {
        let index = self.function.arguments.len() as u32;
        self.function.arguments.push(naga::FunctionArgument {
            name: Some(name.to_owned()),
            ty,
            binding: None,
        });
        self.add(Expression::FunctionArgument(index))
    }

    // Literals

    pub(crate) fn int(&mut self, value: i32) -> Value {
        self.add(Expression::Literal(Literal::I32(value)))
    }

    pub(crate) fn uint(&mut self, value: u32) -> Value {
        self.add(Expression::Literal(Literal::U32(value)))
    }

    pub(crate) fn boolean(&mut self, value: bool) -> Value {
        self.add(Expression::Literal(Literal::Bool(value)))
    }

    /// Adds a `float`. naga has no literals for infinities and NaN, so these are bit casts.
    pub(crate) fn float(&mut self, value: f32) -> Value {
        if value.is_finite() {
            return self.add(Expression::Literal(Literal::F32(value)));
        }
        let bits = self.uint(value.to_bits());
        self.bitcast(bits, ScalarKind::Float)
    }

    pub(crate) fn double(&mut self, value: f64) -> Value {
        let value = if value.is_finite() { value } else { f64::MAX.copysign(value) };
        self.add(Expression::Literal(Literal::F64(value)))
    }

    /// Adds a value whose components are all zero.
    pub(crate) fn zero(&mut self, ty: &Type, span: Span) -> Lowered<Value> {
        let ty = self.ty(ty, span)?;
        Ok(self.zero_of(ty))
    }

    pub(crate) fn zero_of(&mut self, ty: Handle<naga::Type>) -> Value {
        self.add(Expression::ZeroValue(ty))
    }

    // Operations

    pub(crate) fn unary(&mut self, op: UnaryOperator, expr: Value) -> Value {
        self.add(Expression::Unary { op, expr })
    }

    pub(crate) fn binary(&mut self, op: BinaryOperator, left: Value, right: Value) -> Value {
        self.add(Expression::Binary { op, left, right })
    }

    /// Adds a call of a naga function with one to four arguments.
    pub(crate) fn math(&mut self, fun: MathFunction, arguments: &[Value]) -> Value {
        let mut arguments = arguments.iter().copied();
        let Some(arg) = arguments.next() else { return self.uint(0) };
        let (arg1, arg2, arg3) = (arguments.next(), arguments.next(), arguments.next());
        self.add(Expression::Math { fun, arg, arg1, arg2, arg3 })
    }

    /// Adds a choice between two values. If the condition is a vector, each component is chosen separately.
    pub(crate) fn select(&mut self, condition: Value, accept: Value, reject: Value) -> Value {
        self.add(Expression::Select { condition, accept, reject })
    }

    /// Reinterprets the bits of a scalar or vector as another type.
    pub(crate) fn bitcast(&mut self, expr: Value, kind: ScalarKind) -> Value {
        self.add(Expression::As { expr, kind, convert: None })
    }

    /// Converts a scalar or vector to another 32-bit type or to `bool`, with naga's rules.
    /// [`Builder::convert`] applies HLSL's rules.
    pub(crate) fn cast(&mut self, expr: Value, kind: ScalarKind) -> Value {
        let width = if kind == ScalarKind::Bool { naga::BOOL_WIDTH } else { 4 };
        self.add(Expression::As { expr, kind, convert: Some(width) })
    }

    /// Repeats a scalar in all components of a vector. For the size 1, this is the scalar itself.
    pub(crate) fn splat(&mut self, size: usize, value: Value) -> Value {
        match vector_size(size) {
            Some(size) => self.add(Expression::Splat { size, value }),
            None => value,
        }
    }

    pub(crate) fn compose(&mut self, ty: Handle<naga::Type>, components: Vec<Value>) -> Value {
        self.add(Expression::Compose { ty, components })
    }

    /// Composes a vector from scalars of one type. A single scalar stays a scalar.
    pub(crate) fn vector(&mut self, scalar: naga::Scalar, components: Vec<Value>) -> Value {
        if let [value] = components[..] {
            return value;
        }
        let ty = self.lowerer.vector_type(scalar, components.len());
        self.compose(ty, components)
    }

    /// Returns a component of a vector, a row of a matrix, an element of an array or a member of a structure.
    /// For a scalar, this is the scalar itself.
    pub(crate) fn component(&mut self, base: Value, index: u32) -> Value {
        if matches!(self.inner(base), TypeInner::Scalar(_)) {
            return base;
        }
        self.access(base, index)
    }

    /// Returns a part of a composite value. If `base` is a pointer, the result is a pointer to the part.
    pub(crate) fn access(&mut self, base: Value, index: u32) -> Value {
        self.add(Expression::AccessIndex { base, index })
    }

    /// Returns the naga type of a value.
    pub(crate) fn inner(&mut self, value: Value) -> TypeInner {
        let context = ResolveContext::with_locals(
            &self.lowerer.module,
            &self.function.local_variables,
            &self.function.arguments,
        );
        // naga's `Typifier` would process all earlier expressions for each query.
        for handle in self.function.expressions.range_from(self.resolutions.len()) {
            if handle.index() > value.index() {
                break;
            }
            // Operands precede the expressions that use them.
            let operand = |operand: Value| Ok(&self.resolutions[operand.index()]);
            let Ok(resolution) = context.resolve(&self.function.expressions[handle], operand) else { break };
            self.resolutions.push(resolution);
        }
        match self.resolutions.get(value.index()) {
            Some(resolution) => resolution.inner_with(&self.lowerer.module.types).clone(),
            None => TypeInner::Scalar(naga::Scalar::U32),
        }
    }

    /// Returns the number of components of a vector, and 1 for all other values.
    pub(crate) fn size(&mut self, value: Value) -> usize {
        match self.inner(value) {
            TypeInner::Vector { size, .. } => size as usize,
            _ => 1,
        }
    }

    pub(crate) fn numeric_type(&mut self, numeric: Numeric) -> Handle<naga::Type> {
        self.lowerer.numeric_type(numeric)
    }

    /// Returns the naga type for an HLSL type.
    pub(crate) fn ty(&mut self, ty: &Type, span: Span) -> Lowered<Handle<naga::Type>> {
        self.lowerer.ty(ty, span)
    }

    // Memory

    /// Adds a local variable and returns a pointer to it. The variable is initially zero, but a loop does not
    /// reset it.
    pub(crate) fn variable(&mut self, name: &str, ty: Handle<naga::Type>) -> Value {
        let variable = naga::LocalVariable { name: Some(name.to_owned()), ty, init: None };
        let variable = self.function.local_variables.append(variable, self.span);
        self.add(Expression::LocalVariable(variable))
    }

    pub(crate) fn load(&mut self, pointer: Value) -> Value {
        self.add(Expression::Load { pointer })
    }

    pub(crate) fn store(&mut self, pointer: Value, value: Value) {
        self.push(Statement::Store { pointer, value });
    }
}
