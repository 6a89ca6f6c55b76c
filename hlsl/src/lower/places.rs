//! Places, which can be loaded and assigned, and paths to parts of values.

use crate::{
    check::tree::{Expr, ExprKind, GlobalId, Numeric, Storage, StructId, Type, visit},
    lower::{
        builder::{Builder, LocalStorage},
        known_objects::KnownObject,
        result::{Lowered, Value},
    },
    session::source::Span,
    syntax::builtin::Shape,
};

/// The path from a value to a part of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ValuePath {
    pub(crate) steps: Vec<PathStep>,
}

/// A step of a [`ValuePath`], and the type after this step.
#[derive(Clone, Debug)]
pub(crate) struct PathStep {
    pub(crate) kind: PathStepKind,
    pub(crate) ty: Type,
}

#[derive(Clone, Debug)]
pub(crate) enum PathStepKind {
    /// A field of a structure.
    Field(StructId, u32),
    /// An element of an array, a row of a matrix or a component of a vector, depending on the previous type.
    Index(ElementIndex),
    /// Components of a scalar or vector. This is always the last step.
    Swizzle(Vec<u8>),
    /// Components of a matrix, as pairs of row and column. This is always the last step.
    Elements(Vec<(u8, u8)>),
}

/// The index of an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ElementIndex {
    /// A known index, which is less than the length.
    Known(u32),
    /// A `u32` or an `i32`, which may be out of range.
    Value(Value),
}

/// A buffer element or a texel.
#[derive(Clone, Debug)]
pub(crate) struct BufferElement {
    pub(crate) object: KnownObject,
    /// The index or the texel's coordinates, a scalar or vector of `u32`.
    pub(crate) place: Value,
    /// The mip level or the sample index, a `u32`.
    pub(crate) level: Option<Value>,
    /// The type of the whole element.
    pub(crate) ty: Type,
}

/// A part of a variable, of an element or of a value.
#[derive(Clone, Debug)]
pub(crate) struct ValuePlace {
    pub(crate) root: PlaceRoot,
    /// The type of the root.
    pub(crate) root_ty: Type,
    pub(crate) path: ValuePath,
}

/// The root of a place.
#[derive(Clone, Debug)]
pub(crate) enum PlaceRoot {
    /// A pointer to a variable in memory.
    Memory(Value),
    /// A variable in a constant buffer.
    Uniform(GlobalId),
    Element(BufferElement),
    /// A value, which cannot be assigned.
    Value(Value),
}

impl ValuePlace {
    pub(super) fn new(root: PlaceRoot, root_ty: Type) -> Self {
        Self { root, root_ty, path: ValuePath::default() }
    }

    /// Returns the type of the part.
    pub(crate) fn ty(&self) -> &Type {
        self.path.steps.last().map_or(&self.root_ty, |step| &step.ty)
    }

    pub(super) fn push(&mut self, kind: PathStepKind, ty: &Type) {
        self.path.steps.push(PathStep { kind, ty: ty.clone() });
    }

    /// Returns the components that the last step selects, or `None` if it selects no components.
    fn chosen(&self) -> Option<Vec<(u8, u8)>> {
        match &self.path.steps.last()?.kind {
            PathStepKind::Swizzle(components) => Some(components.iter().map(|column| (0, *column)).collect()),
            PathStepKind::Elements(components) => Some(components.clone()),
            PathStepKind::Field(..) | PathStepKind::Index(_) => None,
        }
    }

    /// Selects some of the components that the last step selected.
    fn choose(&mut self, chosen: &[u8], ty: &Type) {
        let Some(step) = self.path.steps.last_mut() else { return };
        let of = |index: &u8| usize::from(*index);
        match &mut step.kind {
            PathStepKind::Swizzle(all) => {
                *all = chosen.iter().filter_map(|index| all.get(of(index)).copied()).collect();
            }
            PathStepKind::Elements(all) => {
                *all = chosen.iter().filter_map(|index| all.get(of(index)).copied()).collect();
            }
            PathStepKind::Field(..) | PathStepKind::Index(_) => {}
        }
        step.ty = ty.clone();
    }
}

impl Builder<'_, '_> {
    /// Returns the place of an expression. An expression without a place is evaluated, and its value becomes
    /// the root.
    pub(crate) fn place(&mut self, expr: &Expr) -> Lowered<ValuePlace> {
        self.deeper(expr.span, |builder| builder.place_of(expr))
    }

    fn place_of(&mut self, expr: &Expr) -> Lowered<ValuePlace> {
        match &*expr.kind {
            ExprKind::Local(local) => {
                let root = match self.locals.get(local) {
                    Some(LocalStorage::Pointer(pointer)) => PlaceRoot::Memory(*pointer),
                    Some(LocalStorage::Value(value)) => PlaceRoot::Value(*value),
                    None => match self.known.value(*local, &expr.ty) {
                        Some(known) => PlaceRoot::Value(self.constant(&known)),
                        None => PlaceRoot::Memory(self.declare(*local, expr)?),
                    },
                };
                Ok(ValuePlace::new(root, expr.ty.clone()))
            }
            ExprKind::Global(global) => {
                let program = self.lowerer.program;
                let root = match program[*global].storage {
                    Storage::Uniform { .. } if !program[*global].assigned => PlaceRoot::Uniform(*global),
                    _ => {
                        let variable = self.lowerer.global(*global)?;
                        PlaceRoot::Memory(self.add(naga::Expression::GlobalVariable(variable)))
                    }
                };
                Ok(ValuePlace::new(root, expr.ty.clone()))
            }
            ExprKind::Field(base, field) => {
                let mut place = self.place(base)?;
                let Type::Struct(id) = *place.ty() else {
                    return Err(self.unsupported(expr.span, "a field of what is no structure"));
                };
                place.push(PathStepKind::Field(id, *field), &expr.ty);
                Ok(place)
            }
            ExprKind::Index(base, index) => self.index_place(expr, base, index),
            ExprKind::Swizzle(base, components) => {
                let mut place = self.place(base)?;
                if place.chosen().is_some() {
                    place.choose(components, &expr.ty);
                } else {
                    place.push(PathStepKind::Swizzle(components.clone()), &expr.ty);
                }
                Ok(place)
            }
            ExprKind::Elements(base, components) => {
                let mut place = self.place(base)?;
                place.push(PathStepKind::Elements(components.clone()), &expr.ty);
                Ok(place)
            }
            ExprKind::Element { object, place, level } => {
                let object = self.object(object)?;
                let place = self.expr(place)?;
                let level = level.as_ref().map(|level| self.expr(level)).transpose()?;
                let element = BufferElement { object, place, level, ty: expr.ty.clone() };
                Ok(ValuePlace::new(PlaceRoot::Element(element), expr.ty.clone()))
            }
            _ => Ok(ValuePlace::new(PlaceRoot::Value(self.value(expr)?), expr.ty.clone())),
        }
    }

    fn index_place(&mut self, expr: &Expr, base: &Expr, index: &Expr) -> Lowered<ValuePlace> {
        if let Some(point) = self.point_place(base, index)? {
            return Ok(point);
        }
        // FXC evaluates an index before the indexed expression.
        let known = self.known_integer(index);
        let first = match known {
            None if !visit::is_pure(base) => Some(self.expr(index)?),
            _ => None,
        };
        let mut place = self.place(base)?;
        let length = place.ty().indices();
        let Some(known) = known else {
            let span = index.span;
            let index = match first {
                Some(first) => first,
                None => self.expr(index)?,
            };
            // The value of an index with side effects may be a literal, and naga requires literals to be in
            // range.
            if let Some(known) = self.literal_integer(index)
                && !(0..i64::from(length)).contains(&known)
            {
                return Err(self.lowerer.index_out_of_bounds(span, known, length));
            }
            if let Some(chosen) = place.chosen() {
                if matches!(place.root, PlaceRoot::Memory(_) | PlaceRoot::Element(_)) {
                    self.choose_by_value(&mut place, &chosen, index, &expr.ty);
                    return Ok(place);
                }
                let value = self.load_place(&place, expr.span)?;
                place = ValuePlace::new(PlaceRoot::Value(value), base.ty.clone());
            }
            place.push(PathStepKind::Index(ElementIndex::Value(index)), &expr.ty);
            return Ok(place);
        };
        let Some(known) = u32::try_from(known).ok().filter(|known| *known < length) else {
            return Err(self.lowerer.index_out_of_bounds(index.span, known, length));
        };
        if place.chosen().is_some() {
            place.choose(&[known as u8], &expr.ty);
        } else {
            place.push(PathStepKind::Index(ElementIndex::Known(known)), &expr.ty);
        }
        Ok(place)
    }

    /// Returns the value of an integer literal.
    fn literal_integer(&self, value: Value) -> Option<i64> {
        match self.function.expressions[value] {
            naga::Expression::Literal(naga::Literal::I32(number)) => Some(number.into()),
            naga::Expression::Literal(naga::Literal::U32(number)) => Some(number.into()),
            _ => None,
        }
    }

    /// Replaces the selected components with the one at an unknown index, so that this component can be
    /// stored to.
    fn choose_by_value(&mut self, place: &mut ValuePlace, chosen: &[(u8, u8)], index: Value, ty: &Type) {
        place.path.steps.pop();
        let whole = place.ty().numeric();
        if let Some(Numeric { scalar, shape: Shape::Matrix { columns, .. } }) = whole {
            let row = self.nth(chosen.iter().map(|(row, _)| *row), index);
            place.push(PathStepKind::Index(ElementIndex::Value(row)), &Type::vector(scalar, columns));
        }
        let column = self.nth(chosen.iter().map(|(_, column)| *column), index);
        place.push(PathStepKind::Index(ElementIndex::Value(column)), ty);
    }

    /// Returns an element of a short list of numbers.
    fn nth(&mut self, numbers: impl Iterator<Item = u8>, index: Value) -> Value {
        let numbers: Vec<_> = numbers.map(|number| self.uint(number.into())).collect();
        let list = self.vector(naga::Scalar::U32, numbers);
        match self.size(list) {
            1 => list,
            _ => self.add(naga::Expression::Access { base: list, index }),
        }
    }

    /// Loads the value at a place.
    pub(crate) fn load_place(&mut self, place: &ValuePlace, span: Span) -> Lowered<Value> {
        match &place.root {
            PlaceRoot::Memory(pointer) => {
                let (pointer, ty, chosen) = self.walk(*pointer, place);
                let Some(chosen) = chosen else { return self.load_memory(pointer, &ty, span) };
                let ty = ty.numeric().unwrap_or(Numeric::scalar(crate::syntax::builtin::Scalar::Float));
                if !matches!(ty.shape, Shape::Matrix { .. }) {
                    let value = self.load_memory(pointer, &Type::Numeric(ty), span)?;
                    return Ok(self.choose(value, ty, &chosen));
                }
                let mut components = Vec::new();
                for (row, column) in &chosen {
                    let row = self.access(pointer, (*row).into());
                    let pointer = if ty.columns() > 1 { self.access(row, (*column).into()) } else { row };
                    components.push(self.load(pointer));
                }
                let scalar = super::types::naga_scalar(ty.scalar);
                Ok(self.vector(scalar, components))
            }
            PlaceRoot::Uniform(global) => self.load_uniform(*global, &place.path, span),
            PlaceRoot::Element(element) => self.load_element(element, &place.path, span),
            PlaceRoot::Value(value) => self.part(*value, place, span),
        }
    }

    /// Follows a path with pointers or values. Returns the part, its type, and the components of it that are
    /// selected.
    fn walk(&mut self, mut base: Value, place: &ValuePlace) -> (Value, Type, Option<Vec<(u8, u8)>>) {
        let mut ty = place.root_ty.clone();
        for step in &place.path.steps {
            match &step.kind {
                PathStepKind::Field(id, field) => {
                    let index = self.lowerer.field_index(*id, *field);
                    base = self.access(base, index);
                }
                PathStepKind::Index(_) if is_single(&ty) => {}
                PathStepKind::Index(ElementIndex::Known(index)) => base = self.access(base, *index),
                PathStepKind::Index(ElementIndex::Value(index)) => {
                    base = self.add(naga::Expression::Access { base, index: *index });
                }
                PathStepKind::Swizzle(_) | PathStepKind::Elements(_) => return (base, ty, place.chosen()),
            }
            ty = step.ty.clone();
        }
        (base, ty, None)
    }

    /// Returns a part of a value.
    fn part(&mut self, value: Value, place: &ValuePlace, span: Span) -> Lowered<Value> {
        let is_indexed = place
            .path
            .steps
            .iter()
            .any(|step| matches!(step.kind, PathStepKind::Index(ElementIndex::Value(_))));
        let is_vector = place.path.steps.len() == 1
            && place.root_ty.numeric().is_some_and(|ty| !matches!(ty.shape, Shape::Matrix { .. }));
        if is_indexed && !is_vector {
            // Only memory can be indexed everywhere, so the value is stored first.
            let ty = self.ty(&place.root_ty, span)?;
            let pointer = self.variable("indexed", ty);
            self.store(pointer, value);
            return self.load_place(&ValuePlace { root: PlaceRoot::Memory(pointer), ..place.clone() }, span);
        }
        let (value, ty, chosen) = self.walk(value, place);
        Ok(match (chosen, ty.numeric()) {
            (Some(chosen), Some(ty)) => self.choose(value, ty, &chosen),
            _ => value,
        })
    }

    /// Selects components of a scalar, vector or matrix, as pairs of row and column.
    fn choose(&mut self, value: Value, ty: Numeric, chosen: &[(u8, u8)]) -> Value {
        if matches!(ty.shape, Shape::Matrix { .. }) {
            let mut components = Vec::new();
            for (row, column) in chosen {
                let row = self.access(value, (*row).into());
                components.push(self.component(row, (*column).into()));
            }
            return self.vector(super::types::naga_scalar(ty.scalar), components);
        }
        let columns: Vec<_> = chosen.iter().map(|(_, column)| *column).collect();
        self.swizzle(value, &columns)
    }

    /// Selects components of a scalar or vector. A component may occur several times.
    pub(crate) fn swizzle(&mut self, vector: Value, columns: &[u8]) -> Value {
        let size = self.size(vector);
        if size == 1 {
            return self.splat(columns.len(), vector);
        }
        if columns.len() == size && columns.iter().zip(0..).all(|(column, index)| *column == index) {
            return vector;
        }
        let Some(new) = super::types::vector_size(columns.len()) else {
            return self.component(vector, columns.first().copied().unwrap_or(0).into());
        };
        let mut pattern = [naga::SwizzleComponent::X; 4];
        for (to, column) in pattern.iter_mut().zip(columns) {
            *to = naga::SwizzleComponent::XYZW[usize::from(*column).min(3)];
        }
        self.add(naga::Expression::Swizzle { size: new, vector, pattern })
    }

    /// Stores a value to the place of an expression with the same type.
    pub(crate) fn assign(&mut self, target: &Expr, value: Value) -> Lowered<()> {
        let place = self.place(target)?;
        self.store_place(&place, value, target.span)
    }

    /// Stores a value to a place.
    pub(crate) fn store_place(&mut self, place: &ValuePlace, value: Value, span: Span) -> Lowered<()> {
        match &place.root {
            PlaceRoot::Memory(pointer) => {
                let (pointer, ty, chosen) = self.walk(*pointer, place);
                match (chosen, ty.numeric()) {
                    (Some(chosen), Some(ty)) => self.store_chosen(pointer, ty, &chosen, value),
                    (_, _) => self.store_memory(pointer, &ty, value),
                }
                Ok(())
            }
            PlaceRoot::Element(element) => self.store_element(element, &place.path, value, span),
            PlaceRoot::Uniform(_) | PlaceRoot::Value(_) => {
                Err(self.unsupported(span, "a store to what cannot be assigned to"))
            }
        }
    }

    fn store_chosen(&mut self, pointer: Value, ty: Numeric, chosen: &[(u8, u8)], value: Value) {
        let is_matrix = matches!(ty.shape, Shape::Matrix { .. });
        if !is_matrix && ty.columns() == chosen.len() && ty.columns() > 1 {
            // A store to all components of a vector is one store.
            let mut columns = [0_u8; 4];
            for ((_, column), index) in chosen.iter().zip(0..) {
                columns[usize::from(*column).min(3)] = index;
            }
            let value = self.swizzle(value, &columns[..ty.columns()]);
            self.store_memory(pointer, &Type::Numeric(ty), value);
            return;
        }
        for ((row, column), index) in chosen.iter().zip(0..) {
            let row = if is_matrix { self.access(pointer, (*row).into()) } else { pointer };
            let target = if ty.columns() > 1 { self.access(row, (*column).into()) } else { row };
            let component = self.component(value, index);
            self.store(target, component);
        }
    }
}

/// Returns whether a type is a scalar in naga, so that it has no parts.
fn is_single(ty: &Type) -> bool {
    matches!(ty.numeric(), Some(Numeric { shape: Shape::Scalar | Shape::Vector(1), .. }))
}
