//! Vertex types: structs that define the input layout and the stride.

use std::borrow::Cow;

use bytemuck::NoUninit;
use onze_ddi::{Format, InputElementDesc};

use super::{Device, InputLayout, VertexShader};
use crate::report::Error;

/// The element type of a vertex buffer, defining the elements of the input layout. No D3D11 counterpart: it
/// replaces the `D3D11_INPUT_ELEMENT_DESC`s of a slot.
///
/// Derive it with the feature `derive`, which is enabled by default:
///
/// ```
/// # #[cfg(feature = "derive")] {
/// use onze::prelude::*;
///
/// #[derive(Clone, Copy, NoUninit, Vertex)]
/// #[bytemuck(crate = "onze::bytemuck")] // Not needed in a package that depends on `bytemuck` itself.
/// #[repr(C)]
/// struct SceneVertex {
///     position: [f32; 3],  // POSITION 0, R32G32B32_FLOAT
///     texcoord1: [f32; 2], // TEXCOORD 1, R32G32_FLOAT
///     color: [u8; 4],      // COLOR 0, R8G8B8A8_UNORM
///     #[vertex(semantic = "BLENDINDICES", format = R8G8B8A8_UINT)]
///     joints: [u8; 4],
/// }
///
/// assert_eq!(SceneVertex::ELEMENTS[1].semantic_index, 1);
/// assert_eq!(SceneVertex::ELEMENTS[2].aligned_byte_offset, 20);
/// assert_eq!(SceneVertex::ELEMENTS[3].format, Format::R8G8B8A8_UINT);
/// # }
/// ```
///
/// A field's name is its semantic: as for shader inputs, digits at the end of the name are the index, and
/// case does not matter. A field's type determines the format ([`VertexField`]). Arguments of `#[vertex(..)]`
/// override these rules:
///
/// | on | argument | meaning |
/// | --- | --- | --- |
/// | a field | `semantic = "TEXCOORD"` | the name of the semantic; its index is 0 unless `index` is given |
/// | a field | `index = 1` | the semantic's index |
/// | a field | `format = R16G16_FLOAT` | the format, at most as long as the field |
/// | a field | `location = 3` | supplies the WGSL input `@location(3)`, whatever its name is |
/// | a field | `skip` | excludes the field (padding, or data that only the application uses) |
/// | the struct | `per_instance` | the buffer advances per instance instead of per vertex |
/// | the struct | `step_rate = 2` | with `per_instance`: instances per element (default 1; 0 means all) |
/// | the struct | `crate = "path"` | the path of `onze`, if it is not `::onze` |
///
/// Invalid elements cause compiler errors at the field:
///
/// ```compile_fail,E0277
/// # use onze::prelude::*;
/// #[derive(Clone, Copy, NoUninit, Vertex)]
/// #[bytemuck(crate = "onze::bytemuck")]
/// #[repr(C)]
/// struct Wrong {
///     position: [f64; 3], // `[f64; 3]` has no vertex format
/// }
/// ```
///
/// ```compile_fail,E0080
/// # use onze::prelude::*;
/// #[derive(Clone, Copy, NoUninit, Vertex)]
/// #[bytemuck(crate = "onze::bytemuck")]
/// #[repr(C)]
/// struct Wrong {
///     position: [f32; 3],
///     id: [u8; 2], // the struct is not a multiple of 4 bytes
/// }
/// ```
///
/// ```compile_fail
/// # use onze::prelude::*;
/// #[derive(Clone, Copy, NoUninit, Vertex)]
/// #[bytemuck(crate = "onze::bytemuck")]
/// #[repr(C)]
/// struct Wrong {
///     texcoord: [f32; 2],
///     #[vertex(semantic = "TEXCOORD")] // there is a TEXCOORD 0 already
///     detail: [f32; 2],
/// }
/// ```
///
/// ```compile_fail,E0080
/// # use onze::prelude::*;
/// #[derive(Clone, Copy, NoUninit, Vertex)]
/// #[bytemuck(crate = "onze::bytemuck")]
/// #[repr(C)]
/// struct Wrong {
///     #[vertex(format = R32G32B32_FLOAT)] // longer than the field
///     position: [f32; 2],
/// }
/// ```
pub trait Vertex: NoUninit {
    /// The elements, in slot 0, with their offsets in bytes. The stride is the size of the type.
    const ELEMENTS: &'static [InputElementDesc];
}

/// A field type of a [`Vertex`] that does not need a `format`.
///
/// * 32-bit numbers keep their type: `[f32; 3]` becomes `R32G32B32_FLOAT`, and `u32` becomes `R32_UINT`.
/// * 8-bit and 16-bit integers are normalized to the range 0 to 1 or -1 to 1, for colours, texture
///   coordinates and packed normals: `[u8; 4]` becomes `R8G8B8A8_UNORM`, and `[i16; 2]` becomes
///   `R16G16_SNORM`. If the shader needs integers, such as joint indices, write `#[vertex(format =
///   R8G8B8A8_UINT)]`.
/// * With the feature `glam`, `glam` vectors of `f32`, `u32` and `i32` are supported.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no vertex format",
    label = "no vertex buffer format corresponds to this type",
    note = "set the format with `#[vertex(format = R16G16_FLOAT)]`, leave the field out with `#[vertex(skip)]`, or \
            use `f32`, `u32` or `i32`, an array of 2 to 4 of them, or an array of 2 or 4 smaller integers"
)]
pub trait VertexField {
    /// The format of the field's values in the vertex buffer.
    const FORMAT: Format;
}

/// Implements [`VertexField`] for each type with the given format.
macro_rules! fields {
    ($($(#[$feature:meta])* $type:ty => $format:ident,)*) => {$(
        $(#[$feature])*
        impl VertexField for $type {
            const FORMAT: Format = Format::$format;
        }
    )*};
}
fields! {
    f32 => R32_FLOAT,
    [f32; 1] => R32_FLOAT,
    [f32; 2] => R32G32_FLOAT,
    [f32; 3] => R32G32B32_FLOAT,
    [f32; 4] => R32G32B32A32_FLOAT,
    u32 => R32_UINT,
    [u32; 1] => R32_UINT,
    [u32; 2] => R32G32_UINT,
    [u32; 3] => R32G32B32_UINT,
    [u32; 4] => R32G32B32A32_UINT,
    i32 => R32_SINT,
    [i32; 1] => R32_SINT,
    [i32; 2] => R32G32_SINT,
    [i32; 3] => R32G32B32_SINT,
    [i32; 4] => R32G32B32A32_SINT,
    [u8; 2] => R8G8_UNORM,
    [u8; 4] => R8G8B8A8_UNORM,
    [i8; 2] => R8G8_SNORM,
    [i8; 4] => R8G8B8A8_SNORM,
    [u16; 2] => R16G16_UNORM,
    [u16; 4] => R16G16B16A16_UNORM,
    [i16; 2] => R16G16_SNORM,
    [i16; 4] => R16G16B16A16_SNORM,
    #[cfg(feature = "glam")] glam::Vec2 => R32G32_FLOAT,
    #[cfg(feature = "glam")] glam::Vec3 => R32G32B32_FLOAT,
    #[cfg(feature = "glam")] glam::Vec4 => R32G32B32A32_FLOAT,
    #[cfg(feature = "glam")] glam::UVec2 => R32G32_UINT,
    #[cfg(feature = "glam")] glam::UVec3 => R32G32B32_UINT,
    #[cfg(feature = "glam")] glam::UVec4 => R32G32B32A32_UINT,
    #[cfg(feature = "glam")] glam::IVec2 => R32G32_SINT,
    #[cfg(feature = "glam")] glam::IVec3 => R32G32B32_SINT,
    #[cfg(feature = "glam")] glam::IVec4 => R32G32B32A32_SINT,
}

/// Vertex types for consecutive slots: one [`Vertex`] for slot 0, or a pair for slots 0 and 1. Pairs can be
/// nested: `((Position, Color), Instance)` describes three slots.
pub trait VertexSlots {
    /// Number of vertex buffer slots that the type describes.
    const SLOTS: u32;
    /// Appends the elements of the type, where `first` is the first slot.
    fn append(first: u32, elements: &mut Vec<InputElementDesc>);
}

impl<V: Vertex> VertexSlots for V {
    const SLOTS: u32 = 1;

    fn append(first: u32, elements: &mut Vec<InputElementDesc>) {
        elements.extend(V::ELEMENTS.iter().map(|element| InputElementDesc {
            semantic_name: Cow::clone(&element.semantic_name),
            input_slot: element.input_slot + first,
            ..*element
        }));
    }
}

impl<A: VertexSlots, B: VertexSlots> VertexSlots for (A, B) {
    const SLOTS: u32 = A::SLOTS + B::SLOTS;

    fn append(first: u32, elements: &mut Vec<InputElementDesc>) {
        A::append(first, elements);
        B::append(first + A::SLOTS, elements);
    }
}

impl Device {
    /// Creates the input layout for a [`Vertex`], or for several slots from nested pairs (D3D11:
    /// `ID3D11Device::CreateInputLayout` with the elements of the types).
    ///
    /// ```no_run
    /// # #[cfg(feature = "derive")]
    /// # fn f(device: &onze::Device, vs: &onze::VertexShader) -> Result<(), onze::Error> {
    /// use onze::prelude::*;
    ///
    /// #[derive(Clone, Copy, NoUninit, Vertex)]
    /// #[bytemuck(crate = "onze::bytemuck")]
    /// #[repr(C)]
    /// struct Corner {
    ///     position: [f32; 3],
    /// }
    ///
    /// #[derive(Clone, Copy, NoUninit, Vertex)]
    /// #[bytemuck(crate = "onze::bytemuck")]
    /// #[vertex(per_instance)]
    /// #[repr(C)]
    /// struct Instance {
    ///     offset: [f32; 3],
    ///     color: [u8; 4],
    /// }
    ///
    /// // Four instances in a row share a material.
    /// #[derive(Clone, Copy, NoUninit, Vertex)]
    /// #[bytemuck(crate = "onze::bytemuck")]
    /// #[vertex(per_instance, step_rate = 4)]
    /// #[repr(C)]
    /// struct Material {
    ///     material: u32,
    /// }
    ///
    /// let one = device.create_input_layout_of::<Corner>(vs)?;
    /// let two = device.create_input_layout_of::<(Corner, Instance)>(vs)?;
    /// let three = device.create_input_layout_of::<((Corner, Instance), Material)>(vs)?;
    /// assert_eq!(Material::ELEMENTS[0].instance_data_step_rate, 4);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Returns the same errors as [`create_input_layout`](Self::create_input_layout).
    #[doc(alias = "CreateInputLayout")]
    pub fn create_input_layout_of<V: VertexSlots>(
        &self,
        shader: &VertexShader,
    ) -> Result<InputLayout, Error> {
        let mut elements = Vec::new();
        V::append(0, &mut elements);
        self.create_input_layout(&elements, shader)
    }
}
