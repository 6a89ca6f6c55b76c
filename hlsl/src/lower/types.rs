//! The naga types of HLSL types.

use naga::{ArraySize, Handle, StructMember, TypeInner, VectorSize, proc::Layouter};

use crate::{
    check::tree::{Numeric, StructId, Type},
    lower::{
        lowerer::Lowerer,
        result::{Lowered, LoweringFailed},
    },
    session::{code::Code, hash::HashMap, source::Span},
    syntax::builtin::Scalar,
};

/// Maximum size of a value in bytes.
const MOST_BYTES: u32 = 1 << 20;

/// The types that were already added.
#[derive(Default)]
pub(super) struct TypeCache {
    layouter: Layouter,
    structs: HashMap<StructId, Handle<naga::Type>>,
}

/// Returns naga's vector size for a number of components.
pub(super) fn vector_size(size: usize) -> Option<VectorSize> {
    match size {
        2 => Some(VectorSize::Bi),
        3 => Some(VectorSize::Tri),
        4 => Some(VectorSize::Quad),
        _ => None,
    }
}

/// Returns the naga type of a component.
pub(crate) fn naga_scalar(scalar: Scalar) -> naga::Scalar {
    match scalar {
        Scalar::Bool => naga::Scalar::BOOL,
        Scalar::Int | Scalar::Min16Int | Scalar::Min12Int => naga::Scalar::I32,
        Scalar::Uint | Scalar::Min16Uint => naga::Scalar::U32,
        Scalar::Half | Scalar::Float | Scalar::Min16Float | Scalar::Min10Float => naga::Scalar::F32,
        Scalar::Double => naga::Scalar::F64,
    }
}

impl Lowerer<'_> {
    pub(crate) fn add_type(&mut self, name: Option<String>, inner: TypeInner) -> Handle<naga::Type> {
        self.module.types.insert(naga::Type { name, inner }, naga::Span::UNDEFINED)
    }

    /// Returns the type of a vector, or of a scalar if `size` is 1.
    pub(crate) fn vector_type(&mut self, scalar: naga::Scalar, size: usize) -> Handle<naga::Type> {
        let inner = match vector_size(size) {
            Some(size) => TypeInner::Vector { size, scalar },
            None => TypeInner::Scalar(scalar),
        };
        self.add_type(None, inner)
    }

    /// Returns the type of a scalar, vector or matrix.
    pub(crate) fn numeric_type(&mut self, numeric: Numeric) -> Handle<naga::Type> {
        let row = self.vector_type(naga_scalar(numeric.scalar), numeric.columns());
        match numeric.shape {
            crate::syntax::builtin::Shape::Matrix { rows, .. } => {
                self.array_type(row, rows.into()).unwrap_or(row)
            }
            _ => row,
        }
    }

    /// Returns the type of an array outside buffers.
    pub(crate) fn array_type(&mut self, base: Handle<naga::Type>, length: u32) -> Option<Handle<naga::Type>> {
        let size = ArraySize::Constant(std::num::NonZeroU32::new(length)?);
        let stride = self.layout(base)?.to_stride();
        (stride.checked_mul(length)? <= MOST_BYTES)
            .then(|| self.add_type(None, TypeInner::Array { base, size, stride }))
    }

    pub(crate) fn layout(&mut self, ty: Handle<naga::Type>) -> Option<naga::proc::TypeLayout> {
        self.types.layouter.update(self.module.to_ctx()).ok()?;
        Some(self.types.layouter[ty])
    }

    /// Returns whether a type contains numbers. Values that contain only objects do not exist at run time. The control
    /// points of hull and domain shaders are read where they are used, so their patches do not exist either.
    pub(crate) fn has_data(&self, ty: &Type) -> bool {
        match ty {
            Type::Numeric(_) => true,
            Type::Array(array) => self.has_data(&array.element),
            Type::Struct(id) => self.program[*id].fields.iter().any(|field| self.has_data(&field.ty)),
            Type::Object(_) => {
                self.patches.is_none() && ty.elements().is_some_and(|(point, _)| self.has_data(point))
            }
            Type::Error | Type::Void | Type::String => false,
        }
    }

    /// Returns the index of a field among the fields that contain numbers.
    pub(crate) fn field_index(&self, id: StructId, field: u32) -> u32 {
        let fields = self.program[id].fields.iter().take(field as usize);
        fields.filter(|field| self.has_data(&field.ty)).count() as u32
    }

    /// Returns the naga type for an HLSL type.
    pub(crate) fn ty(&mut self, ty: &Type, span: Span) -> Lowered<Handle<naga::Type>> {
        let elements = ty.elements();
        let handle = match ty {
            Type::Numeric(numeric) => Some(self.numeric_type(*numeric)),
            Type::Array(_) | Type::Object(_) if elements.is_some() => {
                let Some((element, count)) = elements else { return Err(LoweringFailed) };
                let element = self.ty(element, span)?;
                self.array_type(element, count)
            }
            Type::Struct(id) => match self.types.structs.get(id) {
                Some(handle) => return Ok(*handle),
                None => self.struct_type(*id, span)?,
            },
            Type::Error => return Err(LoweringFailed),
            Type::Void | Type::Array(_) | Type::Object(_) | Type::String => {
                return Err(self.unsupported(span, "an object as a value that is not known to the compiler"));
            }
        };
        handle.ok_or_else(|| {
            self.error(Code::LimitExceeded, span, format!("the type has more than {MOST_BYTES} bytes"))
        })
    }

    fn struct_type(&mut self, id: StructId, span: Span) -> Lowered<Option<Handle<naga::Type>>> {
        let program = self.program;
        let structure = &program[id];
        if structure.interface {
            return Err(self.unsupported(span, "an interface"));
        }
        let mut members = Vec::new();
        for field in &structure.fields {
            if self.has_data(&field.ty) {
                members.push((Some(field.name.to_string()), self.ty(&field.ty, span)?));
            }
        }
        if members.is_empty() {
            members.push((None, self.vector_type(naga::Scalar::U32, 1)));
        }
        let handle = self.struct_of(&structure.name, members);
        if let Some(handle) = handle {
            self.types.structs.insert(id, handle);
        }
        Ok(handle)
    }

    /// Returns a structure with naga's default layout.
    pub(crate) fn struct_of(
        &mut self,
        name: &str,
        members: Vec<(Option<String>, Handle<naga::Type>)>,
    ) -> Option<Handle<naga::Type>> {
        let mut placed = Vec::new();
        let mut end = 0_u32;
        let mut alignment = naga::proc::Alignment::ONE;
        for (name, ty) in members {
            let layout = self.layout(ty)?;
            let offset = layout.alignment.round_up(end);
            end = offset.checked_add(layout.size).filter(|end| *end <= MOST_BYTES)?;
            alignment = alignment.max(layout.alignment);
            placed.push(StructMember { name, ty, binding: None, offset });
        }
        let inner = TypeInner::Struct { members: placed, span: alignment.round_up(end) };
        Some(self.add_type(Some(name.to_owned()), inner))
    }
}
