//! `static` and `groupshared` variables.

use naga::{AddressSpace, Expression, Handle, Statement, TypeInner};

use crate::{
    check::tree::{Expr, ExprKind, GlobalId, Numeric, Storage, Type},
    lower::{
        builder::Builder,
        lowerer::Lowerer,
        places::ValuePath,
        result::{Lowered, Value, naga_span},
        types::naga_scalar,
    },
    session::source::Span,
    syntax::builtin::{Scalar, Shape},
};

impl Lowerer<'_> {
    /// Returns the naga variable of a `static` or `groupshared` variable, or of the copy of a uniform
    /// variable that is assigned to.
    pub(crate) fn global(&mut self, id: GlobalId) -> Lowered<Handle<naga::GlobalVariable>> {
        if let Some(variable) = self.globals.get(&id) {
            return Ok(*variable);
        }
        let program = self.program;
        let global = &program[id];
        let (space, ty) = if global.storage == Storage::GroupShared {
            (AddressSpace::WorkGroup, self.shared_type(id, &mut Vec::new(), &global.ty, global.span)?)
        } else {
            (AddressSpace::Private, self.ty(&global.ty, global.span)?)
        };
        let init = match (&global.value, global.storage) {
            (Some(value), Storage::Static) => self.constant_expression(value, &global.ty),
            _ => None,
        };
        let is_pending = match global.storage {
            Storage::Static => global.value.is_some() && init.is_none(),
            Storage::Uniform { .. } => true,
            Storage::GroupShared => false,
        };
        let variable = naga::GlobalVariable {
            name: Some(global.name.to_string()),
            space,
            binding: None,
            ty,
            init,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        let variable = self.module.global_variables.append(variable, naga_span(global.span));
        self.globals.insert(id, variable);
        if is_pending {
            self.uninitialized.push(id);
        }
        Ok(variable)
    }

    /// Returns the type of a `groupshared` variable or of a part of it. Components that atomic functions
    /// change are atomic.
    fn shared_type(
        &mut self,
        id: GlobalId,
        path: &mut Vec<u32>,
        ty: &Type,
        span: Span,
    ) -> Lowered<Handle<naga::Type>> {
        if !self.shared_atomics.iter().any(|(global, atomic)| *global == id && atomic.starts_with(path)) {
            return self.ty(ty, span);
        }
        let program = self.program;
        let handle = match ty {
            Type::Numeric(Numeric { scalar: Scalar::Int | Scalar::Uint, .. })
                if ty.numeric().is_some_and(|ty| ty.components() == 1) =>
            {
                let scalar = ty.numeric().map_or(naga::Scalar::U32, |ty| naga_scalar(ty.scalar));
                Some(self.add_type(None, TypeInner::Atomic(scalar)))
            }
            // A vector with atomic components is an array.
            Type::Numeric(Numeric { scalar: Scalar::Int | Scalar::Uint, shape: Shape::Vector(size) }) => {
                let scalar = ty.numeric().map_or(naga::Scalar::U32, |ty| naga_scalar(ty.scalar));
                let component = self.add_type(None, TypeInner::Atomic(scalar));
                self.array_type(component, (*size).into())
            }
            Type::Array(array) => {
                let element = self.shared_type(id, path, &array.element, span)?;
                self.array_type(element, array.length)
            }
            Type::Struct(structure) => {
                let structure = &program[*structure];
                let mut members = Vec::new();
                for (field, index) in structure.fields.iter().zip(0..) {
                    if self.has_data(&field.ty) {
                        path.push(index);
                        let ty = self.shared_type(id, path, &field.ty, span);
                        path.pop();
                        members.push((Some(field.name.to_string()), ty?));
                    }
                }
                self.struct_of(&structure.name, members)
            }
            _ => {
                return Err(
                    self.unsupported(span, "an atomic operation on such a value in groupshared memory")
                );
            }
        };
        match handle {
            Some(handle) => Ok(handle),
            None => self.ty(ty, span),
        }
    }

    /// Returns a value as a constant expression of the module, if it is known and naga has literals for it.
    fn constant_expression(&mut self, expr: &Expr, ty: &Type) -> Option<Handle<Expression>> {
        if let Some(constant) = crate::check::evaluate(self.program, expr, &|_| None) {
            if Type::Numeric(constant.ty) != *ty {
                return None;
            }
            let literals = constant.bits.iter().map(|bits| literal(constant.ty.scalar, *bits));
            let literals: Vec<_> = literals.collect::<Option<_>>()?;
            let row = self.vector_type(naga_scalar(constant.ty.scalar), constant.ty.columns());
            let is_matrix = matches!(constant.ty.shape, Shape::Matrix { .. });
            let mut rows = Vec::new();
            for part in literals.chunks(constant.ty.columns()) {
                let part: Vec<_> =
                    part.iter().map(|literal| self.constant(Expression::Literal(*literal))).collect();
                rows.push(match part[..] {
                    [one] => one,
                    _ => self.constant(Expression::Compose { ty: row, components: part }),
                });
            }
            let matrix = self.numeric_type(constant.ty);
            return match rows[..] {
                [one] if !is_matrix => Some(one),
                _ => Some(self.constant(Expression::Compose { ty: matrix, components: rows })),
            };
        }
        match &*expr.kind {
            ExprKind::Construct(parts) if !matches!(ty, Type::Numeric(_)) => {
                let handle = self.ty(ty, expr.span).ok()?;
                let mut components = Vec::new();
                for part in parts {
                    if self.has_data(&part.ty) {
                        components.push(self.constant_expression(part, &part.ty)?);
                    }
                }
                if components.is_empty() {
                    return Some(self.constant(Expression::ZeroValue(handle)));
                }
                Some(self.constant(Expression::Compose { ty: handle, components }))
            }
            ExprKind::Convert(inner) => {
                let known = crate::check::evaluate(self.program, inner, &|_| None)?;
                if known.bits.iter().any(|bits| *bits != 0) || matches!(ty, Type::Numeric(_)) {
                    return None;
                }
                let handle = self.ty(ty, expr.span).ok()?;
                Some(self.constant(Expression::ZeroValue(handle)))
            }
            _ => None,
        }
    }

    fn constant(&mut self, expression: Expression) -> Handle<Expression> {
        self.size += 1;
        self.module.global_expressions.append(expression, naga::Span::UNDEFINED)
    }

    /// Adds functions that initialise `static` variables, and returns all such functions in the order of declaration.
    fn initializers(&mut self) -> Lowered<Vec<Handle<naga::Function>>> {
        let mut functions = std::mem::take(&mut self.initializers);
        while let Some(id) = self.uninitialized.pop() {
            let program = self.program;
            let global = &program[id];
            let variable = self.global(id)?;
            let mut builder = Builder::new(self, &format!("initialize_{}", global.name));
            let value = match (&global.value, global.storage) {
                (_, Storage::Uniform { .. }) => {
                    builder.load_uniform(id, &ValuePath::default(), global.span)?
                }
                (Some(value), _) => builder.expr(value)?,
                (None, _) => builder.zero(&global.ty, global.span)?,
            };
            let pointer = builder.add(Expression::GlobalVariable(variable));
            builder.store(pointer, value);
            builder.push(Statement::Return { value: None });
            let function = builder.finish();
            functions.push((id, self.module.functions.append(function, naga_span(global.span))));
        }
        functions.sort_by_key(|(id, _)| *id);
        self.initializers = functions;
        Ok(self.initializers.iter().map(|(_, function)| *function).collect())
    }
}

fn literal(scalar: Scalar, bits: u64) -> Option<naga::Literal> {
    let word = bits as u32;
    match naga_scalar(scalar).kind {
        naga::ScalarKind::Bool => Some(naga::Literal::Bool(bits != 0)),
        naga::ScalarKind::Sint => Some(naga::Literal::I32(word.cast_signed())),
        naga::ScalarKind::Uint => Some(naga::Literal::U32(word)),
        _ if scalar == Scalar::Double => {
            Some(f64::from_bits(bits)).filter(|value| value.is_finite()).map(naga::Literal::F64)
        }
        _ => Some(f32::from_bits(word)).filter(|value| value.is_finite()).map(naga::Literal::F32),
    }
}

impl Builder<'_, '_> {
    /// Initialises the `static` variables that the module uses. It must run after all functions are lowered,
    /// and its calls belong to the start of the entry point.
    pub(crate) fn initialize_globals(&mut self) -> Lowered<()> {
        for function in self.lowerer.initializers()? {
            self.push(Statement::Call { function, arguments: Vec::new(), result: None });
        }
        Ok(())
    }

    /// Loads from a pointer. Values with atomic components are assembled from their parts.
    pub(crate) fn load_memory(&mut self, pointer: Value, ty: &Type, span: Span) -> Lowered<Value> {
        if !self.is_mixed(pointer) {
            return Ok(self.load(pointer));
        }
        let mut parts = Vec::new();
        for (index, part) in self.data_parts(ty).into_iter().enumerate() {
            let pointer = self.access(pointer, index as u32);
            parts.push(self.load_memory(pointer, &part, span)?);
        }
        let ty = self.ty(ty, span)?;
        Ok(self.compose(ty, parts))
    }

    /// Stores through a pointer.
    pub(crate) fn store_memory(&mut self, pointer: Value, ty: &Type, value: Value) {
        if !self.is_mixed(pointer) {
            self.store(pointer, value);
            return;
        }
        for (index, part) in self.data_parts(ty).into_iter().enumerate() {
            let target = self.access(pointer, index as u32);
            let value = self.access(value, index as u32);
            self.store_memory(target, &part, value);
        }
    }

    fn data_parts(&self, ty: &Type) -> Vec<Type> {
        match ty {
            Type::Array(array) => vec![array.element.clone(); array.length as usize],
            Type::Numeric(numeric) => vec![Type::scalar(numeric.scalar); numeric.columns()],
            Type::Struct(id) => {
                let fields = self.lowerer.program[*id].fields.iter().map(|field| field.ty.clone());
                fields.filter(|ty| self.lowerer.has_data(ty)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether a pointer refers to an array or structure with atomic components.
    fn is_mixed(&mut self, pointer: Value) -> bool {
        let TypeInner::Pointer { base, space: AddressSpace::WorkGroup } = self.inner(pointer) else {
            return false;
        };
        let types = &self.lowerer.module.types;
        !matches!(types[base].inner, TypeInner::Atomic(_)) && has_atomics(types, base)
    }
}

fn has_atomics(types: &naga::UniqueArena<naga::Type>, ty: Handle<naga::Type>) -> bool {
    match &types[ty].inner {
        TypeInner::Atomic(_) => true,
        TypeInner::Array { base, .. } => has_atomics(types, *base),
        TypeInner::Struct { members, .. } => members.iter().any(|member| has_atomics(types, member.ty)),
        _ => false,
    }
}
