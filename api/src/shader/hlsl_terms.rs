//! Names and declarations of an HLSL shader's resources, from the compiler's reflection.

use onze_ddi::{ResourceKind as Expected, ResourceSlot, SampleKind, SlotClass, UnorderedAccessSlot};
use onze_hlsl::reflection::{BoundResource, Dimension, Reflection, ResourceKind, ReturnKind};

const fn class_of(kind: ResourceKind) -> Option<SlotClass> {
    Some(match kind {
        ResourceKind::ConstantBuffer => SlotClass::ConstantBuffer,
        ResourceKind::TextureBuffer
        | ResourceKind::Texture
        | ResourceKind::Structured
        | ResourceKind::ByteAddress => SlotClass::ShaderResource,
        ResourceKind::Sampler | ResourceKind::ComparisonSampler => SlotClass::Sampler,
        ResourceKind::ReadWriteTyped
        | ResourceKind::ReadWriteStructured
        | ResourceKind::ReadWriteStructuredWithCounter
        | ResourceKind::Append
        | ResourceKind::Consume
        | ResourceKind::ReadWriteByteAddress => SlotClass::UnorderedAccess,
        _ => return None,
    })
}

fn at(hlsl: &Reflection, class: SlotClass, slot: u32) -> Option<&BoundResource> {
    let holds = |resource: &&BoundResource| {
        class_of(resource.kind) == Some(class) && slot.wrapping_sub(resource.slot) < resource.count
    };
    hlsl.resources.iter().find(holds)
}

/// Names the variable in a slot, for example `albedo`, `maps[2]` or `material.albedo`.
pub(super) fn variable(hlsl: &Reflection, class: SlotClass, slot: u32) -> Option<String> {
    let resource = at(hlsl, class, slot)?;
    Some(match resource.count {
        1 => resource.name.clone(),
        _ => format!("{}[{}]", resource.name, slot - resource.slot),
    })
}

/// Formats the declaration of a resource that the shader reads, for example `Texture2D<float4>`.
pub(super) fn resource(hlsl: &Reflection, read: &ResourceSlot) -> Option<String> {
    let declared = declaration(at(hlsl, SlotClass::ShaderResource, read.slot)?)?;
    let is_compared = matches!(read.kind, Expected::Texture { sample: SampleKind::Depth, .. });
    Some(if is_compared { format!("{declared} with `SampleCmp`") } else { declared })
}

/// Formats the declaration of a resource that the shader writes, for example `RWTexture2D<float4>`.
pub(super) fn unordered_access(hlsl: &Reflection, written: &UnorderedAccessSlot) -> Option<String> {
    declaration(at(hlsl, SlotClass::UnorderedAccess, written.slot)?)
}

fn declaration(resource: &BoundResource) -> Option<String> {
    let structured = |name: &str| format!("`{name}` of elements of {} bytes", resource.stride);
    Some(match resource.kind {
        ResourceKind::TextureBuffer => "`tbuffer`".to_owned(),
        ResourceKind::Texture => format!("`{}<{}>`", shape(resource.dimension)?, element(resource)?),
        ResourceKind::ReadWriteTyped => format!("`RW{}<{}>`", shape(resource.dimension)?, element(resource)?),
        ResourceKind::Structured => structured("StructuredBuffer"),
        ResourceKind::ReadWriteStructured | ResourceKind::ReadWriteStructuredWithCounter => {
            structured("RWStructuredBuffer")
        }
        ResourceKind::Append => structured("AppendStructuredBuffer"),
        ResourceKind::Consume => structured("ConsumeStructuredBuffer"),
        ResourceKind::ByteAddress => "`ByteAddressBuffer`".to_owned(),
        ResourceKind::ReadWriteByteAddress => "`RWByteAddressBuffer`".to_owned(),
        _ => return None,
    })
}

fn element(resource: &BoundResource) -> Option<String> {
    let scalar = match resource.return_kind? {
        ReturnKind::Unorm => "unorm float",
        ReturnKind::Snorm => "snorm float",
        ReturnKind::Float => "float",
        ReturnKind::Int => "int",
        ReturnKind::Uint => "uint",
        ReturnKind::Double => "double",
        _ => return None,
    };
    Some(if resource.components == 1 {
        scalar.to_owned()
    } else {
        format!("{scalar}{}", resource.components)
    })
}

const fn shape(dimension: Dimension) -> Option<&'static str> {
    Some(match dimension {
        Dimension::Buffer => "Buffer",
        Dimension::Texture1D => "Texture1D",
        Dimension::Texture1DArray => "Texture1DArray",
        Dimension::Texture2D => "Texture2D",
        Dimension::Texture2DArray => "Texture2DArray",
        Dimension::Texture2DMultisampled => "Texture2DMS",
        Dimension::Texture2DMultisampledArray => "Texture2DMSArray",
        Dimension::Texture3D => "Texture3D",
        Dimension::TextureCube => "TextureCube",
        Dimension::TextureCubeArray => "TextureCubeArray",
        _ => return None,
    })
}
