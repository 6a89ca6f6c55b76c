//! A function of naga in the making.

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

/// A function of naga in the making.
///
/// It has a stack of blocks, of which the last grows. Expressions are emitted where they are added.
pub(crate) struct Builder<'l, 'a> {
    pub(crate) lowerer: &'l mut Lowerer<'a>,
    pub(crate) function: naga::Function,
    blocks: Vec<naga::Block>,
    /// The span of the expressions and statements that are added.
    pub(crate) span: naga::Span,
    /// The types of the first expressions, as many as were asked for.
    resolutions: Vec<TypeResolution>,
    levels: ExpressionDepths,
    /// Expressions that need no emission, each of which is in the function once.
    constants: HashMap<ConstantKey, Value>,
    /// The function whose body is lowered; none for an entry point's own code.
    pub(super) source: Option<FunctionId>,
    /// Where the variables of the function are.
    pub(super) locals: HashMap<LocalId, LocalStorage>,
    /// The objects that variables stand for.
    pub(super) objects: Objects,
    /// The objects that the function hands to its caller, of the ends that were lowered so far.
    pub(super) exit: Option<ObjectExit>,
    /// The objects in the results of calls that were lowered, until the expression around the call takes them.
    pub(super) returned: HashMap<usize, KnownObjects>,
    /// The sites of `,` whose first operand was evaluated for the numbers in the value.
    pub(super) evaluated: HashSet<usize>,
    /// The variables whose values are known.
    pub(super) known: KnownVariables,
    /// What the function does.
    pub(super) facts: Arc<FunctionFacts>,
    /// Variables whose objects are not known because of a loop that could not be unrolled, and the loop's condition.
    pub(super) lost: HashMap<VariableId, Span>,
    /// The loops and `switch`es around the place that is lowered.
    pub(super) targets: Vec<JumpTarget>,
    /// What is known at the `break`s and the `continue`s of each of the targets.
    pub(super) jumps: Vec<Jumped>,
}

/// Where a variable of a function is.
#[derive(Clone, Copy, Debug)]
pub(super) enum LocalStorage {
    /// In memory.
    Pointer(Value),
    /// It never changes.
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

    /// The function with all that was added.
    pub(crate) fn finish(mut self) -> naga::Function {
        self.function.body = self.blocks.swap_remove(0);
        self.function
    }

    /// The statements that were added so far, outside of the blocks that are being filled.
    pub(crate) fn body(&self) -> &naga::Block {
        &self.blocks[0]
    }

    /// Adds an expression, and emits it here if it must be.
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

    /// Adds a statement, unless control never comes here.
    pub(crate) fn push(&mut self, statement: Statement) {
        if self.is_finished() {
            return;
        }
        let span = self.span;
        if let Some(block) = self.blocks.last_mut() {
            block.push(statement, span);
        }
    }

    /// Whether control never comes to the end of the block.
    pub(crate) fn is_finished(&self) -> bool {
        matches!(
            self.blocks.last().and_then(|block| block.last()),
            Some(Statement::Return { .. } | Statement::Break | Statement::Continue | Statement::Kill)
        )
    }

    /// Whether control never comes here, though statements may be added.
    pub(super) fn is_left(&self) -> bool {
        self.blocks.last().is_some_and(leaves)
    }

    /// A block of what `fill` adds.
    pub(crate) fn block(&mut self, fill: impl FnOnce(&mut Self) -> Lowered<()>) -> Lowered<naga::Block> {
        self.begin_block();
        let filled = fill(self);
        let block = self.end_block();
        filled.map(|()| block)
    }

    /// Begins a block inside the one that grows.
    pub(super) fn begin_block(&mut self) {
        self.blocks.push(naga::Block::new());
    }

    /// Ends the block that grows, and returns it.
    pub(super) fn end_block(&mut self) -> naga::Block {
        self.blocks.pop().unwrap_or_default()
    }

    pub(crate) fn unsupported(&mut self, span: Span, what: &str) -> LoweringFailed {
        self.lowerer.unsupported(span, what)
    }

    pub(crate) fn error(&mut self, code: Code, span: Span, message: impl Into<String>) -> LoweringFailed {
        self.lowerer.error(code, span, message)
    }

    /// An argument of the function.
    pub(crate) fn argument(&mut self, name: &str, ty: Handle<naga::Type>) -> Value {
        let index = self.function.arguments.len() as u32;
        self.function.arguments.push(naga::FunctionArgument {
            name: Some(name.to_owned()),
            ty,
            binding: None,
        });
        self.add(Expression::FunctionArgument(index))
    }

    // Literals.

    pub(crate) fn int(&mut self, value: i32) -> Value {
        self.add(Expression::Literal(Literal::I32(value)))
    }

    pub(crate) fn uint(&mut self, value: u32) -> Value {
        self.add(Expression::Literal(Literal::U32(value)))
    }

    pub(crate) fn boolean(&mut self, value: bool) -> Value {
        self.add(Expression::Literal(Literal::Bool(value)))
    }

    /// A number, also one that naga has no literal of: infinite, or none.
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

    /// A value of zeros.
    pub(crate) fn zero(&mut self, ty: &Type, span: Span) -> Lowered<Value> {
        let ty = self.ty(ty, span)?;
        Ok(self.zero_of(ty))
    }

    pub(crate) fn zero_of(&mut self, ty: Handle<naga::Type>) -> Value {
        self.add(Expression::ZeroValue(ty))
    }

    // Operations.

    pub(crate) fn unary(&mut self, op: UnaryOperator, expr: Value) -> Value {
        self.add(Expression::Unary { op, expr })
    }

    pub(crate) fn binary(&mut self, op: BinaryOperator, left: Value, right: Value) -> Value {
        self.add(Expression::Binary { op, left, right })
    }

    /// A function of naga with one to four arguments.
    pub(crate) fn math(&mut self, fun: MathFunction, arguments: &[Value]) -> Value {
        let mut arguments = arguments.iter().copied();
        let Some(arg) = arguments.next() else { return self.uint(0) };
        let (arg1, arg2, arg3) = (arguments.next(), arguments.next(), arguments.next());
        self.add(Expression::Math { fun, arg, arg1, arg2, arg3 })
    }

    /// One of two values, component by component if the condition is a vector.
    pub(crate) fn select(&mut self, condition: Value, accept: Value, reject: Value) -> Value {
        self.add(Expression::Select { condition, accept, reject })
    }

    /// The bits of a scalar or a vector as another kind of number.
    pub(crate) fn bitcast(&mut self, expr: Value, kind: ScalarKind) -> Value {
        self.add(Expression::As { expr, kind, convert: None })
    }

    /// The numbers of a scalar or a vector as another kind of number of 32 bits, or as `bool`s. [`Builder::convert`] has
    /// HLSL's rules.
    pub(crate) fn cast(&mut self, expr: Value, kind: ScalarKind) -> Value {
        let width = if kind == ScalarKind::Bool { naga::BOOL_WIDTH } else { 4 };
        self.add(Expression::As { expr, kind, convert: Some(width) })
    }

    /// A vector of one scalar in all components; the scalar itself for a size of 1.
    pub(crate) fn splat(&mut self, size: usize, value: Value) -> Value {
        match vector_size(size) {
            Some(size) => self.add(Expression::Splat { size, value }),
            None => value,
        }
    }

    pub(crate) fn compose(&mut self, ty: Handle<naga::Type>, components: Vec<Value>) -> Value {
        self.add(Expression::Compose { ty, components })
    }

    /// A vector of scalars of one type; the scalar itself if there is one.
    pub(crate) fn vector(&mut self, scalar: naga::Scalar, components: Vec<Value>) -> Value {
        if let [value] = components[..] {
            return value;
        }
        let ty = self.lowerer.vector_type(scalar, components.len());
        self.compose(ty, components)
    }

    /// A component of a vector, a row of a matrix, an element of an array, a member of a structure; a scalar itself.
    pub(crate) fn component(&mut self, base: Value, index: u32) -> Value {
        if matches!(self.inner(base), TypeInner::Scalar(_)) {
            return base;
        }
        self.access(base, index)
    }

    /// A part of a composite value, or the pointer to a part of what a pointer points to.
    pub(crate) fn access(&mut self, base: Value, index: u32) -> Value {
        self.add(Expression::AccessIndex { base, index })
    }

    /// The type of a value, as naga sees it.
    pub(crate) fn inner(&mut self, value: Value) -> TypeInner {
        let context = ResolveContext::with_locals(
            &self.lowerer.module,
            &self.function.local_variables,
            &self.function.arguments,
        );
        // naga's `Typifier` walks over all earlier expressions each time.
        for handle in self.function.expressions.range_from(self.resolutions.len()) {
            if handle.index() > value.index() {
                break;
            }
            // The operands of an expression come before it.
            let operand = |operand: Value| Ok(&self.resolutions[operand.index()]);
            let Ok(resolution) = context.resolve(&self.function.expressions[handle], operand) else { break };
            self.resolutions.push(resolution);
        }
        match self.resolutions.get(value.index()) {
            Some(resolution) => resolution.inner_with(&self.lowerer.module.types).clone(),
            None => TypeInner::Scalar(naga::Scalar::U32),
        }
    }

    /// The components of a vector; 1 for all else.
    pub(crate) fn size(&mut self, value: Value) -> usize {
        match self.inner(value) {
            TypeInner::Vector { size, .. } => size as usize,
            _ => 1,
        }
    }

    pub(crate) fn numeric_type(&mut self, numeric: Numeric) -> Handle<naga::Type> {
        self.lowerer.numeric_type(numeric)
    }

    /// The type of a value.
    pub(crate) fn ty(&mut self, ty: &Type, span: Span) -> Lowered<Handle<naga::Type>> {
        self.lowerer.ty(ty, span)
    }

    // Memory.

    /// A pointer to a new variable of the function. What it holds at first is zero, if that is its first time.
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
