//! The naga variables of textures, buffers and samplers.
//!
//! Registers become bindings: group 1 contains `t` registers, group 2 `s` registers, group 3 `u` registers,
//! and group 4 the hidden counters of `u` registers. A variable is added at its first use.

use naga::{
    AddressSpace, ArraySize, Expression, GlobalVariable, Handle, ImageClass, ImageDimension, ResourceBinding,
    ScalarKind, StorageAccess, StorageFormat, TypeInner,
};

use crate::{
    check::tree::{Numeric, ObjectType},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        lowerer::Lowerer,
        result::{Lowered, Value, naga_span},
    },
    session::source::Span,
    syntax::builtin::{Object as Kind, Scalar},
};

/// Bind groups
pub(super) const RESOURCES: u32 = 1;
const SAMPLERS: u32 = 2;
const UNORDERED: u32 = 3;
const COUNTERS: u32 = 4;

/// A texture, or a typed buffer, which is a 1D texture in naga.
#[derive(Clone, Copy, Debug)]
pub(super) struct LoweredTexture {
    pub(super) image: Value,
    pub(super) variable: Handle<GlobalVariable>,
    pub(super) shape: TextureShape,
    /// Whether the texture is a depth texture, so that a sample returns one number.
    pub(super) is_depth: bool,
    /// The HLSL type of a texel.
    pub(super) element: Numeric,
}

/// The properties that distinguish kinds of textures.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TextureShape {
    pub(super) dim: ImageDimension,
    pub(super) arrayed: bool,
    /// Whether the texture has one row of texels. An array of 1D textures becomes an array of 2D textures
    /// with height 1, because wgpu has no arrays of 1D textures.
    pub(super) row: bool,
    pub(super) multi: bool,
    /// Whether the texture is declared as multisampled with one sample. In wgpu, it is not multisampled.
    pub(super) single: bool,
    /// Whether the texture is writable. A writable texture has no mip levels.
    pub(super) written: bool,
}

impl TextureShape {
    /// Returns the shape for a kind of object, or `None` if it is not a texture.
    pub(super) fn of(kind: Kind) -> Option<Self> {
        use ImageDimension::{Cube, D1, D2, D3};

        let (dim, arrayed, multi, written) = match kind {
            Kind::Texture1D | Kind::Buffer => (D1, false, false, false),
            Kind::Texture1DArray => (D2, true, false, false),
            Kind::Texture2D => (D2, false, false, false),
            Kind::Texture2DArray => (D2, true, false, false),
            Kind::Texture2DMS => (D2, false, true, false),
            Kind::Texture2DMSArray => (D2, true, true, false),
            Kind::Texture3D => (D3, false, false, false),
            Kind::TextureCube => (Cube, false, false, false),
            Kind::TextureCubeArray => (Cube, true, false, false),
            Kind::RwTexture1D | Kind::RovTexture1D | Kind::RwBuffer | Kind::RovBuffer => {
                (D1, false, false, true)
            }
            Kind::RwTexture1DArray | Kind::RovTexture1DArray => (D2, true, false, true),
            Kind::RwTexture2D | Kind::RovTexture2D => (D2, false, false, true),
            Kind::RwTexture2DArray | Kind::RovTexture2DArray => (D2, true, false, true),
            Kind::RwTexture3D | Kind::RovTexture3D => (D3, false, false, true),
            _ => return None,
        };
        let row = matches!(kind, Kind::Texture1DArray | Kind::RwTexture1DArray | Kind::RovTexture1DArray);
        Some(Self { dim, arrayed, row, multi, single: false, written })
    }

    /// Returns the shape for an object type, or `None` if it is not a texture.
    fn of_type(ty: &ObjectType) -> Option<Self> {
        let shape = Self::of(ty.kind)?;
        Some(Self { single: shape.multi && ty.count == 1, ..shape })
    }

    /// Returns whether the naga image is multisampled.
    pub(super) fn has_samples(self) -> bool {
        self.multi && !self.single
    }

    /// Returns the number of HLSL coordinates for sampling, without the array slice.
    pub(super) fn coordinates(self) -> usize {
        if self.row { 1 } else { self.image_coordinates() }
    }

    /// Returns the number of naga coordinates for sampling, without the array slice.
    pub(super) fn image_coordinates(self) -> usize {
        match self.dim {
            ImageDimension::D1 => 1,
            ImageDimension::D2 => 2,
            ImageDimension::D3 | ImageDimension::Cube => 3,
        }
    }

    /// Returns the number of components of the texture's size.
    pub(super) fn sizes(self) -> usize {
        match self.dim {
            _ if self.row => 1,
            ImageDimension::D1 => 1,
            ImageDimension::D2 | ImageDimension::Cube => 2,
            ImageDimension::D3 => 3,
        }
    }

    pub(super) fn has_levels(self) -> bool {
        !self.multi && !self.written
    }

    /// Returns the number of coordinates, including the array slice.
    pub(super) fn place_size(self) -> usize {
        self.coordinates() + usize::from(self.arrayed)
    }
}

impl Lowerer<'_> {
    /// Returns whether the variable of an object was already added.
    pub(super) fn is_made(&self, object: &KnownObject) -> bool {
        self.resources.contains_key(&object.id)
    }

    /// Returns the variable of an object. Adds it if necessary.
    pub(super) fn resource(&mut self, object: &KnownObject, span: Span) -> Lowered<Handle<GlobalVariable>> {
        if let Some(variable) = self.resources.get(&object.id) {
            return Ok(*variable);
        }
        let ty = &*object.ty;
        let (group, space, inner) = match ty.kind {
            Kind::Sampler => (SAMPLERS, AddressSpace::Handle, TypeInner::Sampler { comparison: false }),
            Kind::SamplerComparison => {
                (SAMPLERS, AddressSpace::Handle, TypeInner::Sampler { comparison: true })
            }
            _ => match TextureShape::of_type(ty) {
                Some(shape) => {
                    let group = if shape.written { UNORDERED } else { RESOURCES };
                    (group, AddressSpace::Handle, self.image_type(object, shape, span)?)
                }
                None => self.buffer_type(object, span)?,
            },
        };
        let ty = self.add_type(None, inner);
        let variable = self.add_variable(object, (group, space), ty, span)?;
        self.resources.insert(object.id, variable);
        Ok(variable)
    }

    fn add_variable(
        &mut self,
        object: &KnownObject,
        (group, space): (u32, AddressSpace),
        ty: Handle<naga::Type>,
        span: Span,
    ) -> Lowered<Handle<GlobalVariable>> {
        let Some(binding) = self.bindings.objects.get(&object.id).copied() else {
            return Err(self.unsupported(span, "an object without a register"));
        };
        let name = &self.program[object.id.global].name;
        let name = match object.id.index {
            0 => name.to_string(),
            index => format!("{name}_{index}"),
        };
        let name = if group == COUNTERS { format!("{name}_count") } else { name };
        let variable = GlobalVariable {
            name: Some(name),
            space,
            binding: Some(ResourceBinding { group, binding }),
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        Ok(self.module.global_variables.append(variable, naga_span(span)))
    }

    /// Returns the hidden counter of a buffer. Adds it if necessary.
    pub(super) fn counter(&mut self, object: &KnownObject, span: Span) -> Lowered<Handle<GlobalVariable>> {
        if let Some(variable) = self.counters.get(&object.id) {
            return Ok(*variable);
        }
        // The buffer itself must also be bound.
        self.resource(object, span)?;
        let ty = self.add_type(None, TypeInner::Atomic(naga::Scalar::U32));
        let space = AddressSpace::Storage { access: StorageAccess::LOAD | StorageAccess::STORE };
        let variable = self.add_variable(object, (COUNTERS, space), ty, span)?;
        self.counters.insert(object.id, variable);
        Ok(variable)
    }

    fn image_type(&mut self, object: &KnownObject, shape: TextureShape, span: Span) -> Lowered<TypeInner> {
        let element = self.texel_type(&object.ty, span)?;
        let Some(kind) = image_kind(element.scalar) else {
            return Err(
                self.unsupported(span, "a texture or a typed buffer of doubles; use a structured buffer")
            );
        };
        let class = if shape.written {
            ImageClass::Storage { format: storage_format(kind, element), access: StorageAccess::empty() }
        } else if self.object_facts.compared.contains(&object.id) {
            ImageClass::Depth { multi: shape.has_samples() }
        } else {
            ImageClass::Sampled { kind, multi: shape.has_samples() }
        };
        Ok(TypeInner::Image { dim: shape.dim, arrayed: shape.arrayed, class })
    }

    /// Returns the numeric type of a texel.
    fn texel_type(&mut self, ty: &ObjectType, span: Span) -> Lowered<Numeric> {
        match self.program.texel(ty) {
            Some(texel) => Ok(texel),
            None => Err(self.unsupported(span, "a texture whose elements have components of several types")),
        }
    }

    fn buffer_type(&mut self, object: &KnownObject, span: Span) -> Lowered<(u32, AddressSpace, TypeInner)> {
        let written = is_written_buffer(object.ty.kind);
        let base = match (object.ty.kind, &object.ty.element) {
            (Kind::ByteAddressBuffer | Kind::RwByteAddressBuffer | Kind::RovByteAddressBuffer, _) => {
                let word = naga::Scalar::U32;
                let is_atomic = self.object_facts.is_atomic(object.id, &[]);
                self.add_type(None, if is_atomic { TypeInner::Atomic(word) } else { TypeInner::Scalar(word) })
            }
            (
                Kind::StructuredBuffer
                | Kind::RwStructuredBuffer
                | Kind::RovStructuredBuffer
                | Kind::AppendStructuredBuffer
                | Kind::ConsumeStructuredBuffer,
                Some(element),
            ) => self.storage_element(object.id, element, object.ty.packing, span)?,
            (kind, _) => return Err(self.unsupported(span, kind.name())),
        };
        let stride = self.stride_of(base);
        let access = if written { StorageAccess::LOAD | StorageAccess::STORE } else { StorageAccess::LOAD };
        let group = if written { UNORDERED } else { RESOURCES };
        let inner = TypeInner::Array { base, size: ArraySize::Dynamic, stride };
        Ok((group, AddressSpace::Storage { access }, inner))
    }

    /// Adds access flags to a writable texture.
    pub(super) fn allow(&mut self, variable: Handle<GlobalVariable>, more: StorageAccess) {
        let old = self.module.global_variables[variable].ty;
        let TypeInner::Image { dim, arrayed, class: ImageClass::Storage { format, access } } =
            self.module.types[old].inner
        else {
            return;
        };
        if access.contains(more) {
            return;
        }
        let class = ImageClass::Storage { format, access: access | more };
        let ty = self.add_type(None, TypeInner::Image { dim, arrayed, class });
        self.module.global_variables.get_mut(variable).ty = ty;
    }
}

impl Builder<'_, '_> {
    /// Returns the image of a texture or typed buffer.
    pub(super) fn texture(&mut self, object: &KnownObject, span: Span) -> Lowered<LoweredTexture> {
        let Some(shape) = TextureShape::of_type(&object.ty) else {
            return Err(self.unsupported(span, object.ty.kind.name()));
        };
        let variable = self.lowerer.resource(object, span)?;
        let image = self.add(Expression::GlobalVariable(variable));
        let element = self.lowerer.texel_type(&object.ty, span)?;
        let is_depth = self.lowerer.object_facts.compared.contains(&object.id);
        Ok(LoweredTexture { image, variable, shape, is_depth, element })
    }

    /// Returns the image of a texture that is sampled with a comparison.
    pub(super) fn compared_texture(&mut self, object: &KnownObject, span: Span) -> Lowered<LoweredTexture> {
        let is_made = self.lowerer.is_made(object);
        self.lowerer.object_facts.compare(object.id, is_made);
        self.texture(object, span)
    }

    pub(super) fn sampler(&mut self, object: &KnownObject, span: Span) -> Lowered<Value> {
        let variable = self.lowerer.resource(object, span)?;
        Ok(self.add(Expression::GlobalVariable(variable)))
    }
}

/// Returns whether a buffer has a `u` register.
fn is_written_buffer(kind: Kind) -> bool {
    !matches!(kind, Kind::StructuredBuffer | Kind::ByteAddressBuffer)
}

/// Returns the component kind of an image.
pub(super) fn image_kind(scalar: Scalar) -> Option<ScalarKind> {
    Some(match scalar {
        Scalar::Half | Scalar::Float | Scalar::Min16Float | Scalar::Min10Float => ScalarKind::Float,
        Scalar::Int | Scalar::Min16Int | Scalar::Min12Int => ScalarKind::Sint,
        Scalar::Uint | Scalar::Min16Uint | Scalar::Bool => ScalarKind::Uint,
        Scalar::Double => return None,
    })
}

/// Returns the type of an image's texel, which has four components.
pub(super) fn texel_of(kind: ScalarKind) -> Numeric {
    let scalar = match kind {
        ScalarKind::Sint => Scalar::Int,
        ScalarKind::Uint => Scalar::Uint,
        _ => Scalar::Float,
    };
    Numeric::vector(scalar, 4)
}

/// Returns the declared format. The driver replaces it with the format of the bound view.
fn storage_format(kind: ScalarKind, element: Numeric) -> StorageFormat {
    use StorageFormat as F;

    match (kind, element.components()) {
        (ScalarKind::Sint, 1) => F::R32Sint,
        (ScalarKind::Sint, 2) => F::Rg32Sint,
        (ScalarKind::Sint, _) => F::Rgba32Sint,
        (ScalarKind::Uint, 1) => F::R32Uint,
        (ScalarKind::Uint, 2) => F::Rg32Uint,
        (ScalarKind::Uint, _) => F::Rgba32Uint,
        (_, 1) => F::R32Float,
        (_, 2) => F::Rg32Float,
        _ => F::Rgba32Float,
    }
}
