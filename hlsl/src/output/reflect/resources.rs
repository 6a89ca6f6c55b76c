use crate::{
    check::tree::{GlobalId, Norm, ObjectType, Program, Type},
    interface::{
        bindings::{Bindings, RegisterClass, RegisterOwner, RegisterRange},
        layout::LayoutRules,
        signature::{ComponentKind, component_kind},
    },
    output::reflection::{BoundResource, Dimension, ResourceKind, ReturnKind},
    syntax::builtin::{Object, Scalar},
};

pub(super) fn resources(program: &Program, bindings: &Bindings, counters: &[u32]) -> Vec<BoundResource> {
    let mut list = Vec::new();
    // Direct3D lists resources in this order: samplers, read-only resources, writable resources, constant
    // buffers.
    for class in [
        RegisterClass::Samplers,
        RegisterClass::Resources,
        RegisterClass::Unordered,
        RegisterClass::Constants,
    ] {
        let start = list.len();
        for range in bindings.ranges.iter().filter(|range| range.class == class) {
            add_range(program, range, counters, &mut list);
        }
        list[start..].sort_by_key(|resource: &BoundResource| resource.slot);
    }
    list
}

fn add_range(program: &Program, range: &RegisterRange, counters: &[u32], list: &mut Vec<BoundResource>) {
    match range.of {
        RegisterOwner::Buffer(id) => list.push(BoundResource {
            name: program[id].name.to_string(),
            kind: if program[id].texture {
                ResourceKind::TextureBuffer
            } else {
                ResourceKind::ConstantBuffer
            },
            slot: range.register,
            count: 1,
            return_kind: program[id].texture.then_some(ReturnKind::Float),
            components: if program[id].texture { 4 } else { 0 },
            dimension: if program[id].texture { Dimension::Buffer } else { Dimension::Unknown },
            samples: 0,
            stride: 0,
        }),
        RegisterOwner::Combined(id) => list.push(BoundResource {
            name: program[id].name.to_string(),
            kind: ResourceKind::Texture,
            slot: range.register,
            count: range.count,
            return_kind: Some(ReturnKind::Float),
            components: 4,
            dimension: Dimension::Unknown,
            samples: 0,
            stride: 0,
        }),
        RegisterOwner::Variable(id) => {
            let mut slot = range.register;
            let end = range.register + range.count;
            for (name, object, count) in members(program, id, range.class) {
                if slot < end {
                    let count = count.min(end - slot);
                    list.push(bound_object(program, name, object, (slot, count), counters));
                    slot += count;
                }
            }
        }
    }
}

/// Returns the objects of a class in a variable with their names, and the objects of an array as one entry.
fn members(program: &Program, id: GlobalId, class: RegisterClass) -> Vec<(String, &ObjectType, u32)> {
    let mut list = Vec::new();
    collect(program, &program[id].ty, program[id].name.to_string(), class, &mut list);
    list
}

fn collect<'a>(
    program: &'a Program,
    ty: &'a Type,
    name: String,
    class: RegisterClass,
    list: &mut Vec<(String, &'a ObjectType, u32)>,
) {
    match ty {
        Type::Object(object) if RegisterClass::of(object.kind) == Some(class) => list.push((name, object, 1)),
        Type::Array(array) => {
            let mut element = &array.element;
            let mut length = array.length;
            while let Type::Array(inner) = element {
                length = length.saturating_mul(inner.length);
                element = &inner.element;
            }
            if let Type::Object(object) = element {
                if RegisterClass::of(object.kind) == Some(class) {
                    list.push((name, object, length));
                }
            } else if crate::interface::bindings::object_count(program, element) > 0 {
                for index in 0..length.min(class.limit_of_all()) {
                    collect(program, element, format!("{name}[{index}]"), class, list);
                }
            }
        }
        Type::Struct(id) => {
            for field in &program[*id].fields {
                collect(program, &field.ty, format!("{name}.{}", field.name), class, list);
            }
        }
        _ => {}
    }
}

fn bound_object(
    program: &Program,
    name: String,
    object: &ObjectType,
    (slot, count): (u32, u32),
    counters: &[u32],
) -> BoundResource {
    let kind = kind(object.kind, counters.contains(&slot));
    let is_structured = matches!(
        kind,
        ResourceKind::Structured
            | ResourceKind::ReadWriteStructured
            | ResourceKind::ReadWriteStructuredWithCounter
            | ResourceKind::Append
            | ResourceKind::Consume
    );
    let stride = match &object.element {
        Some(element) if is_structured => {
            LayoutRules::Structured.array_stride(program, element, object.packing)
        }
        _ => 0,
    };
    let is_typed = matches!(kind, ResourceKind::Texture | ResourceKind::ReadWriteTyped);
    BoundResource {
        name,
        kind,
        slot,
        count,
        return_kind: if is_typed { Some(return_kind(program, object)) } else { None },
        components: if is_typed {
            program.texel(object).map_or(4, |texel| texel.components() as u8)
        } else {
            0
        },
        dimension: dimension(object.kind),
        samples: object.count,
        stride,
    }
}

fn kind(object: Object, has_counter: bool) -> ResourceKind {
    match object {
        Object::Sampler => ResourceKind::Sampler,
        Object::SamplerComparison => ResourceKind::ComparisonSampler,
        Object::StructuredBuffer => ResourceKind::Structured,
        Object::RwStructuredBuffer | Object::RovStructuredBuffer if has_counter => {
            ResourceKind::ReadWriteStructuredWithCounter
        }
        Object::RwStructuredBuffer | Object::RovStructuredBuffer => ResourceKind::ReadWriteStructured,
        Object::AppendStructuredBuffer => ResourceKind::Append,
        Object::ConsumeStructuredBuffer => ResourceKind::Consume,
        Object::ByteAddressBuffer => ResourceKind::ByteAddress,
        Object::RwByteAddressBuffer | Object::RovByteAddressBuffer => ResourceKind::ReadWriteByteAddress,
        _ if RegisterClass::of(object) == Some(RegisterClass::Unordered) => ResourceKind::ReadWriteTyped,
        _ => ResourceKind::Texture,
    }
}

fn return_kind(program: &Program, object: &ObjectType) -> ReturnKind {
    match object.norm {
        Some(Norm::Unorm) => return ReturnKind::Unorm,
        Some(Norm::Snorm) => return ReturnKind::Snorm,
        None => {}
    }
    match program.texel(object).map(|texel| texel.scalar) {
        Some(Scalar::Double) => ReturnKind::Double,
        Some(scalar) => match component_kind(scalar) {
            ComponentKind::Float => ReturnKind::Float,
            ComponentKind::Int => ReturnKind::Int,
            ComponentKind::Uint => ReturnKind::Uint,
        },
        None => ReturnKind::Float,
    }
}

fn dimension(object: Object) -> Dimension {
    match object {
        Object::Texture1D | Object::RwTexture1D | Object::RovTexture1D => Dimension::Texture1D,
        Object::Texture1DArray | Object::RwTexture1DArray | Object::RovTexture1DArray => {
            Dimension::Texture1DArray
        }
        Object::Texture | Object::Texture2D | Object::RwTexture2D | Object::RovTexture2D => {
            Dimension::Texture2D
        }
        Object::Texture2DArray | Object::RwTexture2DArray | Object::RovTexture2DArray => {
            Dimension::Texture2DArray
        }
        Object::Texture2DMS => Dimension::Texture2DMultisampled,
        Object::Texture2DMSArray => Dimension::Texture2DMultisampledArray,
        Object::Texture3D | Object::RwTexture3D | Object::RovTexture3D => Dimension::Texture3D,
        Object::TextureCube => Dimension::TextureCube,
        Object::TextureCubeArray => Dimension::TextureCubeArray,
        Object::Sampler | Object::SamplerComparison => Dimension::Unknown,
        _ => Dimension::Buffer,
    }
}
