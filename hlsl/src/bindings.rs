//! Which registers the constant buffers, resources and samplers of an entry point have.

mod assign;
mod constant_buffers;
mod memory;
mod objects;
mod reservations;

use crate::hash::{HashMap, HashSet};

use crate::{
    profile::Profile,
    session::Session,
    source::Span,
    tree::{BufferId, FunctionId, GlobalId, Intrinsic, LocalId, Method, Program},
};

pub(crate) use self::objects::{
    MOST_OBJECTS, ObjectPart, RegisterClass, Variable, object_count, object_part, objects,
    objects_before_field,
};

/// An object of a variable: the variable, and the number of the object among those in the variable's type, counted in the
/// order of fields and elements. A variable of an object type is its own object 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ObjectId {
    pub(crate) global: GlobalId,
    pub(crate) index: u32,
}

/// What an entry point uses, directly or through the functions that it calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Usage {
    /// Functions that are called, callees before callers, with the entry point as the last.
    pub(crate) functions: Vec<FunctionId>,
    /// Variables that are read or written.
    pub(crate) globals: HashSet<GlobalId>,
    /// Objects of variables that are used.
    pub(crate) objects: HashSet<ObjectId>,
    /// Samplers that `tex2D` and its like read textures through.
    pub(crate) combined: HashSet<ObjectId>,
    /// The variables that these are in, in the order in which they are first used so.
    pub(crate) combined_order: Vec<GlobalId>,
    /// Calls of functions of the language and of methods of objects, and `discard`s.
    pub(crate) built_in: Vec<(BuiltIn, Span)>,
    /// Variables of the entry point that its body names.
    pub(crate) entry_locals: HashSet<LocalId>,
}

/// What the language has by itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum BuiltIn {
    Intrinsic(Intrinsic),
    Method(Method),
    Discard,
}

/// The registers of an entry point, and where its uniform variables lie.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    /// `b` registers of constant buffers that are used, `t` registers of `tbuffer`s.
    pub(crate) buffers: HashMap<BufferId, u32>,
    /// `t`, `s` and `u` registers of objects; the objects of an array have consecutive ones.
    pub(crate) objects: HashMap<ObjectId, u32>,
    /// `t` registers of the textures that `tex2D` and its like read through a sampler.
    pub(crate) combined: HashMap<ObjectId, u32>,
    /// The byte at which a uniform variable begins in its buffer. Those of unused buffers are there, too.
    pub(crate) offsets: HashMap<GlobalId, u32>,
    /// Bytes of a constant buffer, a multiple of 16.
    pub(crate) sizes: HashMap<BufferId, u32>,
    /// What has registers, class by class, in the order of declaration.
    pub(crate) ranges: Vec<Range>,
}

/// Consecutive registers of a variable or a constant buffer.
#[derive(Clone, Debug)]
pub(crate) struct Range {
    pub(crate) of: Bound,
    pub(crate) class: RegisterClass,
    pub(crate) register: u32,
    pub(crate) count: u32,
}

/// What registers belong to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bound {
    Buffer(BufferId),
    /// The objects of one class in a variable.
    Variable(GlobalId),
    /// The textures that are read through the samplers in a variable.
    Combined(GlobalId),
}

/// Gives registers to all that an entry point uses, as FXC does.
///
/// What names a register has it. The others have the lowest free ones, in the order of declaration, but for these:
/// arrays and structures of samplers come before single samplers, and textures that are read through samplers alone come
/// before the others, those with the most registers first. What is not used has none, but a register that it names stays
/// free.
///
/// `targets` is how many render targets a pixel shader has: its `u` registers begin behind them.
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
