//! Elements of structured buffers, and their parts.

use naga::{BinaryOperator as Op, Expression, Literal, TypeInner};

use crate::{
    check::tree::{Numeric, Type},
    lower::{
        buffers::storage::stored_scalar,
        builder::Builder,
        object_facts::ANY_ELEMENT,
        places::{BufferElement, ElementIndex, PathStepKind, ValuePath},
        result::{Lowered, Value},
        types::naga_scalar,
    },
    session::source::Span,
    syntax::builtin::{Scalar, Shape},
    text::token::Packing,
};

/// A part of an element: a pointer, and the selected components of the value there.
#[derive(Clone, Debug)]
pub(crate) struct ElementPart {
    /// A pointer to a value of type `ty`.
    pointer: Value,
    /// Whether the buffer contains the element, or `None` if it always does.
    pub(crate) is_there: Option<Value>,
    ty: Type,
    packing: Packing,
    /// The path of fields from the element to the part.
    pub(crate) path: Vec<u32>,
    chosen: ChosenComponents,
}

/// The selected components of a numeric value.
#[derive(Clone, Debug)]
enum ChosenComponents {
    All,
    /// A row of a matrix.
    Row(ElementIndex),
    /// Components, as pairs of row and column.
    Some(Vec<(ElementIndex, ElementIndex)>),
}

impl Builder<'_, '_> {
    /// Returns an index as a `u32` value.
    pub(crate) fn index_value(&mut self, index: ElementIndex) -> Value {
        match index {
            ElementIndex::Known(index) => self.uint(index),
            ElementIndex::Value(value) => match self.inner(value) {
                TypeInner::Scalar(naga::Scalar::U32) => value,
                _ => self.bitcast(value, naga::ScalarKind::Uint),
            },
        }
    }

    /// Returns a pointer to an element of a pointer's target.
    pub(crate) fn element_pointer(&mut self, base: Value, index: ElementIndex) -> Value {
        match index {
            ElementIndex::Known(index) => self.access(base, index),
            ElementIndex::Value(_) => {
                let index = self.index_value(index);
                self.add(Expression::Access { base, index })
            }
        }
    }

    /// Returns whether a buffer contains an element. The result is `None` for the first element, because a
    /// bound buffer has at least one element.
    ///
    /// Out-of-range accesses may affect the last element on some of naga's backends. In Direct3D, reads
    /// return zero and writes are discarded.
    pub(crate) fn has_element(&mut self, buffer: Value, place: Value) -> Option<Value> {
        if matches!(self.function.expressions[place], Expression::Literal(Literal::U32(0) | Literal::I32(0)))
        {
            return None;
        }
        let place = self.index_value(ElementIndex::Value(place));
        let length = self.add(Expression::ArrayLength(buffer));
        Some(self.binary(Op::Less, place, length))
    }

    /// Follows a path from an element to a part of it.
    pub(crate) fn element_part(
        &mut self,
        element: &BufferElement,
        path: &ValuePath,
        span: Span,
    ) -> Lowered<ElementPart> {
        let variable = self.lowerer.resource(&element.object, span)?;
        let buffer = self.add(Expression::GlobalVariable(variable));
        let pointer = self.element_pointer(buffer, ElementIndex::Value(element.place));
        let is_there = self.has_element(buffer, element.place);
        let mut part = ElementPart {
            pointer,
            is_there,
            ty: element.ty.clone(),
            packing: element.object.ty.packing,
            path: Vec::new(),
            chosen: ChosenComponents::All,
        };
        for step in &path.steps {
            match (&step.kind, &part.ty) {
                (PathStepKind::Field(id, field), _) => {
                    let index = self.lowerer.field_index(*id, *field);
                    part.pointer = self.access(part.pointer, index);
                    part.path.push(*field);
                    let program = self.lowerer.program;
                    if let Some(field) = program[*id].fields.get(*field as usize) {
                        part.packing = field.packing;
                    }
                    part.ty = step.ty.clone();
                }
                (PathStepKind::Index(index), Type::Array(_)) => {
                    part.pointer = self.element_pointer(part.pointer, *index);
                    part.path.push(ANY_ELEMENT);
                    part.ty = step.ty.clone();
                }
                (kind, Type::Numeric(numeric)) => {
                    part.chosen = chosen(&part.chosen, *numeric, kind);
                }
                _ => return Err(self.unsupported(span, "this part of an element")),
            }
        }
        Ok(part)
    }

    /// Returns a pointer to a component.
    fn component_pointer(
        &mut self,
        part: &ElementPart,
        ty: Numeric,
        (row, column): (ElementIndex, ElementIndex),
    ) -> Value {
        match (ty.shape, part.packing) {
            (Shape::Scalar | Shape::Vector(0 | 1), _) => part.pointer,
            (Shape::Vector(_), _) => self.element_pointer(part.pointer, column),
            (Shape::Matrix { .. }, packing) => {
                let (vector, component) =
                    if packing == Packing::RowMajor { (row, column) } else { (column, row) };
                let vector = self.element_pointer(part.pointer, vector);
                let (_, size) = crate::interface::layout::vectors(ty, packing);
                if size == 1 { vector } else { self.element_pointer(vector, component) }
            }
        }
    }

    /// Returns a pointer to the part if it is a single component, as atomic functions require.
    pub(crate) fn single_pointer(&mut self, part: &ElementPart) -> Option<Value> {
        let ty = part.ty.numeric()?;
        let zero = ElementIndex::Known(0);
        match &part.chosen {
            ChosenComponents::All if ty.components() == 1 => {
                Some(self.component_pointer(part, ty, (zero, zero)))
            }
            ChosenComponents::Row(row) if ty.columns() == 1 => {
                Some(self.component_pointer(part, ty, (*row, zero)))
            }
            ChosenComponents::Some(places) => match places.as_slice() {
                [place] => Some(self.component_pointer(part, ty, *place)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Loads a part.
    pub(crate) fn load_part(&mut self, part: &ElementPart, span: Span) -> Lowered<Value> {
        let Type::Numeric(ty) = part.ty else {
            return self.load_stored(part.pointer, part.is_there, &part.ty.clone(), part.packing, span);
        };
        match part.chosen.clone() {
            ChosenComponents::All => Ok(self.load_numeric(part.pointer, part.is_there, ty, part.packing)),
            ChosenComponents::Row(row) if part.packing == Packing::RowMajor => {
                let pointer = self.element_pointer(part.pointer, row);
                Ok(self.load_vector(pointer, part.is_there, ty.scalar, ty.columns()))
            }
            ChosenComponents::Row(row) => {
                let places =
                    (0..ty.columns()).map(|column| (row, ElementIndex::Known(column as u32))).collect();
                Ok(self.load_components(part, ty, places))
            }
            ChosenComponents::Some(places) => Ok(self.load_components(part, ty, places)),
        }
    }

    fn load_components(
        &mut self,
        part: &ElementPart,
        ty: Numeric,
        places: Vec<(ElementIndex, ElementIndex)>,
    ) -> Value {
        let components = places
            .into_iter()
            .map(|place| {
                let pointer = self.component_pointer(part, ty, place);
                let value = self.load_if(pointer, part.is_there);
                self.read_scalar(value, ty.scalar)
            })
            .collect();
        self.vector(naga_scalar(ty.scalar), components)
    }

    /// Stores to a part.
    pub(crate) fn store_part(&mut self, part: &ElementPart, value: Value, span: Span) -> Lowered<()> {
        let Type::Numeric(ty) = part.ty else {
            return self.store_stored(part.pointer, &part.ty.clone(), part.packing, value, span);
        };
        let places = match part.chosen.clone() {
            ChosenComponents::All => {
                self.store_numeric(part.pointer, ty, part.packing, value);
                return Ok(());
            }
            ChosenComponents::Row(row) if part.packing == Packing::RowMajor => {
                let pointer = self.element_pointer(part.pointer, row);
                self.store_vector(pointer, ty.scalar, ty.columns(), value);
                return Ok(());
            }
            ChosenComponents::Row(row) => {
                (0..ty.columns()).map(|column| (row, ElementIndex::Known(column as u32))).collect()
            }
            ChosenComponents::Some(places) => places,
        };
        let components = self.parts_of(value, places.len());
        for (place, component) in places.into_iter().zip(components) {
            let pointer = self.component_pointer(part, ty, place);
            let component = self.written(component, ty.scalar, 1);
            self.store(pointer, component);
        }
        Ok(())
    }

    fn load_stored(
        &mut self,
        pointer: Value,
        is_there: Option<Value>,
        ty: &Type,
        packing: Packing,
        span: Span,
    ) -> Lowered<Value> {
        let handle = self.ty(ty, span)?;
        let mut values = Vec::new();
        match ty {
            Type::Numeric(numeric) => return Ok(self.load_numeric(pointer, is_there, *numeric, packing)),
            Type::Array(array) => {
                self.lowerer.reserve(array.length, span)?;
                for index in 0..array.length {
                    let element = self.access(pointer, index);
                    values.push(self.load_stored(element, is_there, &array.element, packing, span)?);
                }
            }
            Type::Struct(id) => {
                let program = self.lowerer.program;
                let fields = program[*id].fields.iter().filter(|field| self.lowerer.has_data(&field.ty));
                for (index, field) in fields.collect::<Vec<_>>().into_iter().enumerate() {
                    let member = self.access(pointer, index as u32);
                    values.push(self.load_stored(member, is_there, &field.ty, field.packing, span)?);
                }
            }
            _ => return Err(self.unsupported(span, "an object in a buffer")),
        }
        Ok(self.compose(handle, values))
    }

    fn store_stored(
        &mut self,
        pointer: Value,
        ty: &Type,
        packing: Packing,
        value: Value,
        span: Span,
    ) -> Lowered<()> {
        match ty {
            Type::Numeric(numeric) => self.store_numeric(pointer, *numeric, packing, value),
            Type::Array(array) => {
                self.lowerer.reserve(array.length, span)?;
                for index in 0..array.length {
                    let element = self.access(pointer, index);
                    let part = self.access(value, index);
                    self.store_stored(element, &array.element, packing, part, span)?;
                }
            }
            Type::Struct(id) => {
                let program = self.lowerer.program;
                let fields = program[*id].fields.iter().filter(|field| self.lowerer.has_data(&field.ty));
                for (index, field) in fields.collect::<Vec<_>>().into_iter().enumerate() {
                    let member = self.access(pointer, index as u32);
                    let part = self.access(value, index as u32);
                    self.store_stored(member, &field.ty, field.packing, part, span)?;
                }
            }
            _ => return Err(self.unsupported(span, "an object in a buffer")),
        }
        Ok(())
    }

    fn load_numeric(
        &mut self,
        pointer: Value,
        is_there: Option<Value>,
        ty: Numeric,
        packing: Packing,
    ) -> Value {
        let Shape::Matrix { .. } = ty.shape else {
            return self.load_vector(pointer, is_there, ty.scalar, ty.columns());
        };
        let (count, size) = crate::interface::layout::vectors(ty, packing);
        let vectors: Vec<Value> = (0..count)
            .map(|index| {
                let vector = self.access(pointer, index);
                self.load_vector(vector, is_there, ty.scalar, size as usize)
            })
            .collect();
        let rows = match packing {
            Packing::RowMajor => vectors,
            Packing::ColumnMajor => self.turned(&vectors, ty.scalar, size as usize),
        };
        self.join_rows(ty, rows)
    }

    /// Returns the rows of a matrix from its columns, or the columns from its rows.
    fn turned(&mut self, vectors: &[Value], scalar: Scalar, size: usize) -> Vec<Value> {
        let parts: Vec<Vec<Value>> = vectors.iter().map(|vector| self.parts_of(*vector, size)).collect();
        (0..size)
            .map(|index| {
                let row = parts.iter().map(|vector| vector[index]).collect();
                self.vector(naga_scalar(scalar), row)
            })
            .collect()
    }

    fn store_numeric(&mut self, pointer: Value, ty: Numeric, packing: Packing, value: Value) {
        let Shape::Matrix { .. } = ty.shape else {
            self.store_vector(pointer, ty.scalar, ty.columns(), value);
            return;
        };
        let rows = self.rows(value, ty);
        let (_, size) = crate::interface::layout::vectors(ty, packing);
        let vectors = match packing {
            Packing::RowMajor => rows,
            Packing::ColumnMajor => self.turned(&rows, ty.scalar, ty.columns()),
        };
        for (index, vector) in vectors.into_iter().enumerate() {
            let place = self.access(pointer, index as u32);
            self.store_vector(place, ty.scalar, size as usize, vector);
        }
    }

    /// Returns whether a vector is stored as an array of components.
    fn is_split(&mut self, pointer: Value) -> bool {
        match self.inner(pointer) {
            TypeInner::Pointer { base, .. } => {
                matches!(self.lowerer.module.types[base].inner, TypeInner::Array { .. })
            }
            _ => false,
        }
    }

    fn load_vector(&mut self, pointer: Value, is_there: Option<Value>, scalar: Scalar, size: usize) -> Value {
        if size == 1 || !self.is_split(pointer) {
            let value = self.load_if(pointer, is_there);
            return self.read_scalar(value, scalar);
        }
        let components = (0..size as u32)
            .map(|index| {
                let component = self.access(pointer, index);
                self.load(component)
            })
            .collect();
        let value = self.vector(naga_scalar(stored_scalar(scalar)), components);
        let value = self.or_zero(value, is_there);
        self.read_scalar(value, scalar)
    }

    /// Loads a scalar or vector from a buffer. The result is zero if the element does not exist.
    pub(crate) fn load_if(&mut self, pointer: Value, is_there: Option<Value>) -> Value {
        let value = self.load(pointer);
        self.or_zero(value, is_there)
    }

    fn or_zero(&mut self, value: Value, is_there: Option<Value>) -> Value {
        let Some(is_there) = is_there else { return value };
        let zero = match self.inner(value) {
            TypeInner::Vector { size, scalar } => self.lowerer.vector_type(scalar, size as usize),
            TypeInner::Scalar(scalar) => self.lowerer.vector_type(scalar, 1),
            _ => return value,
        };
        let zero = self.zero_of(zero);
        let size = self.size(value);
        let is_there = self.splat(size, is_there);
        self.select(is_there, value, zero)
    }

    fn store_vector(&mut self, pointer: Value, scalar: Scalar, size: usize, value: Value) {
        let value = self.written(value, scalar, size);
        if size == 1 || !self.is_split(pointer) {
            self.store(pointer, value);
            return;
        }
        for (index, component) in self.parts_of(value, size).into_iter().enumerate() {
            let place = self.access(pointer, index as u32);
            self.store(place, component);
        }
    }

    /// Converts a value from its type in a buffer to its HLSL type.
    fn read_scalar(&mut self, value: Value, scalar: Scalar) -> Value {
        if scalar != Scalar::Bool {
            return value;
        }
        let size = self.size(value);
        let zero = self.uint(0);
        let zero = self.splat(size, zero);
        self.binary(Op::NotEqual, value, zero)
    }

    /// Converts a value from its HLSL type to its type in a buffer.
    fn written(&mut self, value: Value, scalar: Scalar, size: usize) -> Value {
        if scalar != Scalar::Bool {
            return value;
        }
        let (one, zero) = (self.uint(1), self.uint(0));
        let (one, zero) = (self.splat(size, one), self.splat(size, zero));
        self.select(value, one, zero)
    }
}

/// Returns the selected components after another path step.
fn chosen(before: &ChosenComponents, ty: Numeric, step: &PathStepKind) -> ChosenComponents {
    let first = ElementIndex::Known(0);
    let is_matrix = matches!(ty.shape, Shape::Matrix { .. });
    match (before, step) {
        (ChosenComponents::All, PathStepKind::Index(index)) if is_matrix => ChosenComponents::Row(*index),
        (ChosenComponents::All, PathStepKind::Index(index)) => ChosenComponents::Some(vec![(first, *index)]),
        (ChosenComponents::Row(row), PathStepKind::Index(index)) => {
            ChosenComponents::Some(vec![(*row, *index)])
        }
        (ChosenComponents::Some(places), PathStepKind::Index(ElementIndex::Known(index))) => {
            ChosenComponents::Some(places.get(*index as usize).map(|place| vec![*place]).unwrap_or_default())
        }
        (ChosenComponents::Some(places), PathStepKind::Swizzle(components)) => {
            let picked = components.iter().filter_map(|index| places.get(usize::from(*index)).copied());
            ChosenComponents::Some(picked.collect())
        }
        (ChosenComponents::All, PathStepKind::Swizzle(components)) => ChosenComponents::Some(
            components.iter().map(|index| (first, ElementIndex::Known((*index).into()))).collect(),
        ),
        (ChosenComponents::Row(row), PathStepKind::Swizzle(components)) => ChosenComponents::Some(
            components.iter().map(|index| (*row, ElementIndex::Known((*index).into()))).collect(),
        ),
        (_, PathStepKind::Elements(elements)) => {
            let known = |index: u8| ElementIndex::Known(index.into());
            ChosenComponents::Some(
                elements.iter().map(|(row, column)| (known(*row), known(*column))).collect(),
            )
        }
        (before, _) => before.clone(),
    }
}
