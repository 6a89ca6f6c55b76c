//! Variables in constant buffers.
//!
//! A `cbuffer` becomes an `array<vec4<f32>>`, and values are assembled from components of its rows. This
//! supports HLSL layouts that naga types cannot express. A `tbuffer` becomes a typed buffer of such rows,
//! which is a 1D texture in naga.

use naga::{
    AddressSpace, ArraySize, BinaryOperator, Expression, Handle, ImageClass, ImageDimension, ResourceBinding,
    ScalarKind, TypeInner,
};

use crate::{
    check::tree::{BufferId, GlobalId, Numeric, Storage, Type},
    interface::layout::{LayoutRules, ROW, component_size},
    lower::{
        builder::Builder,
        lowerer::Lowerer,
        places::{ElementIndex, PathStepKind, ValuePath},
        result::{Lowered, Value, naga_span},
        types::naga_scalar,
    },
    session::source::Span,
    syntax::builtin::{Scalar, Shape},
    text::token::Packing,
};

/// A location in a constant buffer.
#[derive(Clone, Copy)]
struct ConstantLocation {
    buffer: BufferId,
    /// The offset in bytes from the start of the buffer.
    offset: u32,
    /// A number of rows to add, which is known only at run time.
    rows: Option<Value>,
    packing: Packing,
}

/// A component of a numeric value, as its row and column.
type Cell = (ElementIndex, ElementIndex);

impl Lowerer<'_> {
    /// Returns the global variable of a constant buffer. Adds it if necessary.
    fn buffer(&mut self, id: BufferId) -> Option<Handle<naga::GlobalVariable>> {
        if let Some(variable) = self.buffers.get(&id) {
            return Some(*variable);
        }
        let program = self.program;
        let buffer = &program[id];
        let binding = *self.bindings.buffers.get(&id)?;
        let (group, space, ty) = if buffer.texture {
            let class = ImageClass::Sampled { kind: ScalarKind::Float, multi: false };
            let image = TypeInner::Image { dim: ImageDimension::D1, arrayed: false, class };
            (1, AddressSpace::Handle, self.add_type(None, image))
        } else {
            let row = self.vector_type(naga::Scalar::F32, 4);
            let length = std::num::NonZeroU32::new(self.rows(id))?;
            let size = ArraySize::Constant(length);
            let rows = self.add_type(None, TypeInner::Array { base: row, size, stride: ROW });
            let member =
                naga::StructMember { name: Some("rows".to_owned()), ty: rows, binding: None, offset: 0 };
            let span = length.get().checked_mul(ROW)?;
            let inner = TypeInner::Struct { members: vec![member], span };
            (0, AddressSpace::Uniform, self.add_type(Some(buffer.name.to_string()), inner))
        };
        let variable = naga::GlobalVariable {
            name: Some(buffer.name.to_string()),
            space,
            binding: Some(ResourceBinding { group, binding }),
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        let variable = self.module.global_variables.append(variable, naga_span(buffer.span));
        self.buffers.insert(id, variable);
        Some(variable)
    }

    /// Returns the number of rows of a constant buffer.
    fn rows(&self, id: BufferId) -> u32 {
        (self.bindings.sizes.get(&id).copied().unwrap_or(0) / ROW).max(1)
    }
}

impl Builder<'_, '_> {
    /// Loads a variable of a constant buffer, or a part of it.
    pub(super) fn load_uniform(&mut self, id: GlobalId, path: &ValuePath, span: Span) -> Lowered<Value> {
        let program = self.lowerer.program;
        let global = &program[id];
        let Storage::Uniform { buffer, .. } = global.storage else {
            return Err(self.unsupported(span, "a variable outside constant buffers"));
        };
        let offset = self.lowerer.bindings.offsets.get(&id).copied().unwrap_or(0);
        let mut spot = ConstantLocation { buffer, offset, rows: None, packing: global.packing };
        let mut ty = global.ty.clone();
        let mut steps = path.steps.iter();
        while !matches!(ty, Type::Numeric(_)) {
            let Some(step) = steps.next() else { break };
            match (&step.kind, &ty) {
                (PathStepKind::Field(structure, field), _) => {
                    let offsets = LayoutRules::Constant.field_offsets(program, *structure);
                    let offset = offsets.get(*field as usize).copied().unwrap_or(0);
                    spot.offset = spot.offset.saturating_add(offset);
                    if let Some(field) = program[*structure].fields.get(*field as usize) {
                        spot.packing = field.packing;
                    }
                }
                (PathStepKind::Index(index), Type::Array(array)) => {
                    let stride = LayoutRules::Constant.array_stride(program, &array.element, spot.packing);
                    match index {
                        ElementIndex::Known(index) => {
                            spot.offset = spot.offset.saturating_add(index.saturating_mul(stride));
                        }
                        ElementIndex::Value(index) => {
                            spot.rows = Some(self.add_rows(spot.rows, *index, stride / ROW));
                        }
                    }
                }
                _ => break,
            }
            ty = step.ty.clone();
        }
        let Some(numeric) = ty.numeric() else { return self.load_whole(spot, &ty, span) };
        let mut cells = all_cells(numeric);
        let mut part = numeric;
        for step in steps {
            cells = choose(&cells, part, &step.kind);
            part = step.ty.numeric().unwrap_or(part);
        }
        self.load_cells(spot, numeric, &cells, part, span)
    }

    /// Adds an index, multiplied by the rows per element, to a number of rows.
    fn add_rows(&mut self, rows: Option<Value>, index: Value, stride: u32) -> Value {
        let mut index = self.bitcast(index, ScalarKind::Uint);
        if stride != 1 {
            let stride = self.uint(stride);
            index = self.binary(BinaryOperator::Multiply, index, stride);
        }
        match rows {
            Some(rows) => self.binary(BinaryOperator::Add, rows, index),
            None => index,
        }
    }

    /// Loads a value with all its components.
    fn load_whole(&mut self, spot: ConstantLocation, ty: &Type, span: Span) -> Lowered<Value> {
        self.deeper(span, |builder| {
            let program = builder.lowerer.program;
            let mut parts = Vec::new();
            match ty {
                Type::Numeric(_) => {
                    let numeric = builder.numeric_of_type(ty);
                    return builder.load_cells(spot, numeric, &all_cells(numeric), numeric, span);
                }
                Type::Array(array) if builder.lowerer.has_data(&array.element) => {
                    let stride = LayoutRules::Constant.array_stride(program, &array.element, spot.packing);
                    for index in 0..array.length {
                        let offset = spot.offset.saturating_add(index.saturating_mul(stride));
                        parts.push(builder.load_whole(
                            ConstantLocation { offset, ..spot },
                            &array.element,
                            span,
                        )?);
                    }
                }
                Type::Struct(id) => {
                    let offsets = LayoutRules::Constant.field_offsets(program, *id);
                    for (field, offset) in program[*id].fields.iter().zip(offsets) {
                        if builder.lowerer.has_data(&field.ty) {
                            let offset = spot.offset.saturating_add(offset);
                            let spot = ConstantLocation { offset, packing: field.packing, ..spot };
                            parts.push(builder.load_whole(spot, &field.ty, span)?);
                        }
                    }
                }
                _ => {}
            }
            let ty = builder.ty(ty, span)?;
            Ok(if parts.is_empty() { builder.zero_of(ty) } else { builder.compose(ty, parts) })
        })
    }

    fn numeric_of_type(&self, ty: &Type) -> Numeric {
        ty.numeric().unwrap_or(Numeric::scalar(Scalar::Float))
    }

    /// Loads components of a numeric value of type `of` and returns them as a value of type `ty`.
    fn load_cells(
        &mut self,
        spot: ConstantLocation,
        of: Numeric,
        cells: &[Cell],
        ty: Numeric,
        span: Span,
    ) -> Lowered<Value> {
        if component_size(of.scalar) != 4 {
            return self.load_doubles(spot, of, cells, ty, span);
        }
        let is_by_columns = spot.packing == Packing::ColumnMajor && matches!(of.shape, Shape::Matrix { .. });
        let places: Vec<_> = cells
            .iter()
            .map(|(row, column)| if is_by_columns { (*column, *row) } else { (*row, *column) })
            .collect();
        let mut rows = Vec::new();
        // The components of a row need one load and at most one swizzle.
        let columns = ty.columns().max(1);
        let mut loaded: Vec<((u32, Option<Value>), Value)> = Vec::new();
        for row in places.chunks(columns) {
            let mut lanes = Vec::new();
            for (vector, component) in row {
                let first = spot.offset % ROW / 4;
                let (number, index) = match vector {
                    ElementIndex::Known(vector) => ((spot.offset / ROW).saturating_add(*vector), spot.rows),
                    ElementIndex::Value(vector) => {
                        (spot.offset / ROW, Some(self.add_rows(spot.rows, *vector, 1)))
                    }
                };
                let key = (number, index);
                let value = match loaded.iter().find(|(known, _)| *known == key) {
                    Some((_, value)) => *value,
                    None => {
                        let value = self.load_row(spot.buffer, number, index, span)?;
                        loaded.push((key, value));
                        value
                    }
                };
                lanes.push((value, first, *component));
            }
            rows.push(self.combine(&lanes, ty.scalar));
        }
        Ok(self.join_rows(ty, rows))
    }

    /// Loads components of type `double`. Each component occupies two words.
    fn load_doubles(
        &mut self,
        spot: ConstantLocation,
        of: Numeric,
        cells: &[Cell],
        ty: Numeric,
        span: Span,
    ) -> Lowered<Value> {
        let mut components = Vec::new();
        for cell in cells {
            let (ElementIndex::Known(row), ElementIndex::Known(column)) = *cell else {
                return Err(self.unsupported(span, "a component of doubles by an index that is not known"));
            };
            let offset = LayoutRules::Constant.component_offset(of, spot.packing, row, column);
            let offset = spot.offset.saturating_add(offset);
            let row = self.load_row(spot.buffer, offset / ROW, spot.rows, span)?;
            let mut words = Vec::new();
            for lane in [offset % ROW / 4, offset % ROW / 4 + 1] {
                let word = self.access(row, lane.min(3));
                let word = self.bitcast(word, ScalarKind::Uint);
                words.push(self.add(Expression::As { expr: word, kind: ScalarKind::Uint, convert: Some(8) }));
            }
            let bits = self.uint(32);
            let high = self.binary(BinaryOperator::ShiftLeft, words[1], bits);
            let both = self.binary(BinaryOperator::InclusiveOr, words[0], high);
            components.push(self.bitcast(both, ScalarKind::Float));
        }
        Ok(self.numeric(ty, components))
    }

    /// Combines components of rows to a scalar or vector.
    fn combine(&mut self, lanes: &[(Value, u32, ElementIndex)], scalar: Scalar) -> Value {
        let known: Option<Vec<u8>> = lanes
            .iter()
            .map(|(row, first, component)| match component {
                ElementIndex::Known(component) if *row == lanes[0].0 => {
                    Some((first + component).min(3) as u8)
                }
                _ => None,
            })
            .collect();
        let value = match known {
            Some(columns) => self.swizzle(lanes[0].0, &columns),
            None => {
                let mut components = Vec::new();
                for (row, first, component) in lanes {
                    components.push(match component {
                        ElementIndex::Known(component) => self.access(*row, (first + component).min(3)),
                        ElementIndex::Value(index) => {
                            let mut index = self.bitcast(*index, ScalarKind::Uint);
                            if *first > 0 {
                                let first = self.uint(*first);
                                index = self.binary(BinaryOperator::Add, index, first);
                            }
                            self.add(Expression::Access { base: *row, index })
                        }
                    });
                }
                self.vector(naga::Scalar::F32, components)
            }
        };
        match naga_scalar(scalar).kind {
            ScalarKind::Sint => self.bitcast(value, ScalarKind::Sint),
            ScalarKind::Uint => self.bitcast(value, ScalarKind::Uint),
            ScalarKind::Bool => {
                let bits = self.bitcast(value, ScalarKind::Uint);
                self.cast(bits, ScalarKind::Bool)
            }
            _ => value,
        }
    }

    /// Loads a row of a constant buffer.
    fn load_row(&mut self, id: BufferId, number: u32, rows: Option<Value>, span: Span) -> Lowered<Value> {
        let Some(variable) = self.lowerer.buffer(id) else {
            return Err(self.unsupported(span, "a constant buffer without a register"));
        };
        let base = self.add(Expression::GlobalVariable(variable));
        let number = number.min(self.lowerer.rows(id) - 1);
        let index = match rows {
            Some(rows) if number > 0 => {
                let number = self.uint(number);
                Some(self.binary(BinaryOperator::Add, rows, number))
            }
            rows => rows,
        };
        if self.lowerer.program[id].texture {
            let coordinate = match index {
                Some(index) => self.bitcast(index, ScalarKind::Sint),
                None => self.int(number.cast_signed()),
            };
            let level = Some(self.int(0));
            return Ok(self.add(Expression::ImageLoad {
                image: base,
                coordinate,
                array_index: None,
                sample: None,
                level,
            }));
        }
        let array = self.access(base, 0);
        let pointer = match index {
            Some(index) => self.add(Expression::Access { base: array, index }),
            None => self.access(array, number),
        };
        Ok(self.load(pointer))
    }
}

/// Returns all components of a numeric value, row by row.
fn all_cells(ty: Numeric) -> Vec<Cell> {
    let row = |row| {
        (0..ty.columns() as u32).map(move |column| (ElementIndex::Known(row), ElementIndex::Known(column)))
    };
    (0..ty.rows() as u32).flat_map(row).collect()
}

/// Returns the components that a path step selects.
fn choose(cells: &[Cell], ty: Numeric, step: &PathStepKind) -> Vec<Cell> {
    let columns = ty.columns().max(1);
    let cell = |row: usize, column: usize| cells.get(row * columns + column).copied();
    match (step, ty.shape) {
        (PathStepKind::Index(ElementIndex::Known(row)), Shape::Matrix { .. }) => {
            let first = *row as usize * columns;
            cells.iter().skip(first).take(columns).copied().collect()
        }
        (PathStepKind::Index(index), Shape::Matrix { .. }) => {
            cells.iter().take(columns).map(|(_, column)| (*index, *column)).collect()
        }
        (PathStepKind::Index(ElementIndex::Known(column)), _) => {
            cell(0, *column as usize).into_iter().collect()
        }
        (PathStepKind::Index(_), Shape::Scalar | Shape::Vector(1)) => cells.to_vec(),
        (PathStepKind::Index(index), _) => cell(0, 0).map(|(row, _)| (row, *index)).into_iter().collect(),
        (PathStepKind::Swizzle(chosen), _) => {
            chosen.iter().filter_map(|column| cell(0, (*column).into())).collect()
        }
        (PathStepKind::Elements(chosen), _) => {
            chosen.iter().filter_map(|(row, column)| cell((*row).into(), (*column).into())).collect()
        }
        (PathStepKind::Field(..), _) => cells.to_vec(),
    }
}
