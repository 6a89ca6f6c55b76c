use crate::{
    check::tree::{Expr, ExprKind, GlobalId, LocalId, ObjectSet, ObjectType, Program, Type},
    session::profile::Profile,
    syntax::builtin::{Object, ObjectFamily},
};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum RegisterClass {
    Constants,
    Resources,
    Samplers,
    Unordered,
}

impl RegisterClass {
    pub(crate) const ALL: [RegisterClass; 4] = [
        RegisterClass::Constants,
        RegisterClass::Resources,
        RegisterClass::Samplers,
        RegisterClass::Unordered,
    ];

    /// Returns the register class of a `tbuffer` if `texture` is set, and of a constant buffer otherwise.
    pub(crate) fn of_buffer(texture: bool) -> RegisterClass {
        if texture { RegisterClass::Resources } else { RegisterClass::Constants }
    }

    pub(crate) fn letter(self) -> char {
        match self {
            RegisterClass::Constants => 'b',
            RegisterClass::Resources => 't',
            RegisterClass::Samplers => 's',
            RegisterClass::Unordered => 'u',
        }
    }

    pub(crate) fn limit(self, profile: Profile) -> u32 {
        match self {
            RegisterClass::Unordered if !profile.is_5() => 1,
            _ => self.limit_of_all(),
        }
    }

    pub(crate) fn limit_of_all(self) -> u32 {
        match self {
            RegisterClass::Constants => 14,
            RegisterClass::Resources => 128,
            RegisterClass::Samplers => 16,
            // Direct3D 11.1 has 64 registers, but devices of feature level 11.0 have only 8.
            RegisterClass::Unordered => 64,
        }
    }

    /// Returns the register class of an object, or `None` for streams, patches and effect objects.
    pub(crate) fn of(object: Object) -> Option<RegisterClass> {
        Some(match object.family() {
            ObjectFamily::Sampler => RegisterClass::Samplers,
            ObjectFamily::AnyTexture
            | ObjectFamily::Texture
            | ObjectFamily::TypedBuffer
            | ObjectFamily::StructuredBuffer
            | ObjectFamily::ByteBuffer => RegisterClass::Resources,
            ObjectFamily::WrittenTexture
            | ObjectFamily::WrittenTypedBuffer
            | ObjectFamily::WrittenStructuredBuffer
            | ObjectFamily::List
            | ObjectFamily::WrittenByteBuffer => RegisterClass::Unordered,
            ObjectFamily::Constants | ObjectFamily::Vertices | ObjectFamily::Effect => return None,
        })
    }
}

/// Maximum number of objects that are examined in a variable. It exceeds the number of registers of every
/// class, so a program that uses more objects is invalid.
pub(crate) const MOST_OBJECTS: u32 = ObjectSet::MOST;

/// Returns the number of objects in a type, counting each element of an array.
pub(crate) fn object_count(program: &Program, ty: &Type) -> u32 {
    match ty {
        Type::Object(_) => 1,
        Type::Array(array) => object_count(program, &array.element).saturating_mul(array.length),
        Type::Struct(id) => program[*id]
            .fields
            .iter()
            .fold(0, |sum: u32, field| sum.saturating_add(object_count(program, &field.ty))),
        Type::Error | Type::Void | Type::Numeric(_) | Type::String => 0,
    }
}

/// Returns the number of objects in a structure before a field.
pub(crate) fn objects_before_field(program: &Program, ty: &Type, field: u32) -> u32 {
    match ty {
        Type::Struct(id) => program[*id]
            .fields
            .iter()
            .take(field as usize)
            .fold(0, |sum: u32, field| sum.saturating_add(object_count(program, &field.ty))),
        _ => 0,
    }
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum VariableId {
    Local(LocalId),
    Global(GlobalId),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ObjectPart {
    pub(crate) variable: VariableId,
    pub(crate) first: u32,
    /// The number of objects, including all objects that an unknown index might select.
    pub(crate) count: u32,
}

/// Returns the objects that an expression refers to, or `None` if the expression is not part of a variable.
/// `known` returns the values of indices.
pub(crate) fn object_part(
    program: &Program,
    expr: &Expr,
    known: &dyn Fn(&Expr) -> Option<i64>,
) -> Option<ObjectPart> {
    let own = object_count(program, &expr.ty);
    let inner = |base: &Expr, before: Option<u32>| {
        let part = object_part(program, base, known)?;
        // If an earlier index is not known, the result still contains all objects that the index might
        // select.
        let is_exact = part.count == object_count(program, &base.ty);
        Some(match before {
            Some(before) if is_exact => {
                ObjectPart { first: part.first.saturating_add(before), count: own, ..part }
            }
            _ => part,
        })
    };
    match &*expr.kind {
        ExprKind::Local(id) => Some(ObjectPart { variable: VariableId::Local(*id), first: 0, count: own }),
        ExprKind::Global(id) => Some(ObjectPart { variable: VariableId::Global(*id), first: 0, count: own }),
        ExprKind::Field(base, field) => inner(base, Some(objects_before_field(program, &base.ty, *field))),
        ExprKind::Index(base, index) => {
            let length = if let Type::Array(array) = &base.ty { array.length } else { 1 };
            let index =
                known(index).and_then(|index| u32::try_from(index).ok()).filter(|index| *index < length);
            inner(base, index.map(|index| own.saturating_mul(index)))
        }
        // A derived structure begins with the fields of its base.
        ExprKind::Convert(derived) => match (&derived.ty, &expr.ty) {
            (Type::Struct(id), Type::Struct(base)) if program.is_derived(*id, *base) => {
                inner(derived, Some(0))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Returns the objects of a type in order, but at most [`MOST_OBJECTS`] of them.
pub(crate) fn objects<'a>(program: &'a Program, ty: &'a Type) -> Vec<&'a ObjectType> {
    let mut list = Vec::new();
    collect(program, ty, &mut list);
    list
}

fn collect<'a>(program: &'a Program, ty: &'a Type, list: &mut Vec<&'a ObjectType>) {
    match ty {
        Type::Object(object) if list.len() < MOST_OBJECTS as usize => list.push(object),
        Type::Array(array) if object_count(program, &array.element) > 0 => {
            for _ in 0..array.length.min(MOST_OBJECTS) {
                collect(program, &array.element, list);
            }
        }
        Type::Struct(id) => {
            for field in &program[*id].fields {
                collect(program, &field.ty, list);
            }
        }
        _ => {}
    }
}
