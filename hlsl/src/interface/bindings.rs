//! The registers of an entry point's constant buffers, resources and samplers.

mod assign;
mod constant_buffers;
mod memory;
mod objects;
mod reservations;

use crate::{
    check::tree::{BufferId, FunctionId, GlobalId, Intrinsic, LocalId, Method, Program},
    session::{
        Session,
        hash::{HashMap, HashSet},
        profile::Profile,
        source::Span,
    },
};

pub(crate) use self::objects::{
    MOST_OBJECTS, ObjectPart, RegisterClass, VariableId, object_count, object_part, objects,
    objects_before_field,
};

/// An object of a variable. The index numbers the objects in the variable's type, in the order of fields and
/// elements, so the only object of a variable of an object type has index 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ObjectId {
    pub(crate) global: GlobalId,
    pub(crate) index: u32,
}

/// The functions, variables and objects that an entry point uses, either directly or through called
/// functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    /// The functions that the pipeline calls: the entry point, preceded by the patch constant function of a hull
    /// shader.
    pub(crate) roots: Vec<FunctionId>,
    /// The called functions in callees-first order, so the last one is usually the entry point.
    pub(crate) functions: Vec<FunctionId>,
    pub(crate) globals: HashSet<GlobalId>,
    pub(crate) objects: HashSet<ObjectId>,
    pub(crate) combined: HashSet<ObjectId>,
    /// The variables that contain combined samplers, in the order of their first use by `tex2D` or a similar
    /// function.
    pub(crate) combined_order: Vec<GlobalId>,
    /// Calls of intrinsics, method calls on objects, and `discard` statements, each with its span for
    /// messages.
    pub(crate) built_in: Vec<(BuiltIn, Span)>,
    pub(crate) entry_locals: HashSet<LocalId>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum BuiltIn {
    Intrinsic(Intrinsic),
    Method(Method),
    Discard,
}

/// The registers of an entry point, and the offsets of its uniform variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    /// The `b` registers of used constant buffers, and the `t` registers of used `tbuffer`s.
    pub(crate) buffers: HashMap<BufferId, u32>,
    /// The `t`, `s` and `u` registers of objects. The objects of an array have consecutive registers.
    pub(crate) objects: HashMap<ObjectId, u32>,
    /// The `t` registers of the textures that `tex2D` and similar functions read through a sampler.
    pub(crate) combined: HashMap<ObjectId, u32>,
    /// The offset of each uniform variable in its buffer in bytes, including the variables of unused buffers.
    pub(crate) offsets: HashMap<GlobalId, u32>,
    /// The size of each constant buffer in bytes, a multiple of 16.
    pub(crate) sizes: HashMap<BufferId, u32>,
    /// All assigned registers, sorted by class and then by the order of declaration.
    pub(crate) ranges: Vec<RegisterRange>,
}

#[derive(Clone, Debug)]
pub(crate) struct RegisterRange {
    pub(crate) of: RegisterOwner,
    pub(crate) class: RegisterClass,
    pub(crate) register: u32,
    pub(crate) count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RegisterOwner {
    Buffer(BufferId),
    Variable(GlobalId),
    Combined(GlobalId),
}

/// Assigns registers to everything that an entry point uses, as FXC does.
///
/// A declaration that names a register gets this register, and all other declarations get the lowest free
/// registers in the order of declaration, with two exceptions. Arrays and structures of samplers come before
/// single samplers, and textures that are read only through a combined sampler come before other textures.
/// Among these textures, those with the most registers come first. An unused declaration gets no register,
/// but a register that it names stays free.
///
/// `targets` is the number of a pixel shader's render targets, because its `u` registers begin after the
/// targets.
pub(crate) fn assign(
    session: &mut Session,
    program: &Program,
    usage: &Usage,
    profile: Profile,
    targets: u32,
) -> Bindings {
    let mut bindings = Bindings::default();
    reservations::check(session, program, profile);
    memory::check(session, program, usage, profile);
    constant_buffers::lay_out(session, program, usage, profile, &mut bindings);
    for class in RegisterClass::ALL {
        assign::assign_class(session, program, usage, profile, (class, targets), &mut bindings);
    }
    bindings
}
