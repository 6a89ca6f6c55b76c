//! The components of an entry point's inputs that the program reads.
//!
//! In Direct3D 11, only the inputs that a shader reads must match outputs of the previous stage, so a pixel
//! shader may declare further inputs that the vertex shader does not write. The analysis ignores the order of
//! statements: a component counts as read if any expression uses it. It follows arguments into called
//! functions. A copy of a structure reads the whole structure.
//!
//! A variable is treated as a list of scalars in the order of fields and elements, with one bit for each
//! scalar. Scalars with an index of [`MOST`] or more always count as read.

use std::sync::Arc;

use crate::{
    check::tree::{Direction, Expr, ExprKind, Function, FunctionId, LocalId, Program, StructId, Type, visit},
    interface::{
        bindings::Usage,
        signature::{ElementLayout, Signature, passed_patch, patch},
    },
    session::hash::{HashMap, HashSet},
    syntax::builtin::Object,
    text::token::Packing,
};

type ScalarSet = u128;

/// Maximum number of scalars of a variable that are tracked individually: a stage has 32 registers of 4
/// components.
const MOST: u32 = ScalarSet::BITS;

pub(crate) fn mark_inputs(program: &Program, usage: &Usage, entry: FunctionId, signature: &mut Signature) {
    let constants = signature.constants.take();
    let vertices = function_vertices(&program[entry], signature);
    let mut reads = Reads { program, functions: HashMap::default(), entry, vertices };
    // The list contains each function after its callees.
    for id in &usage.functions {
        let found = reads.function(*id);
        reads.functions.insert(*id, found);
    }
    let mut used = vec![0; signature.inputs.len()];
    reads.parameters(entry, &signature.parameters, |_| true, &mut used);
    if let Some(mut constants) = constants {
        let own = Arc::make_mut(&mut constants);
        let (is_input, is_output) =
            (|ty: &Type| is_patch(ty, Object::InputPatch), |ty: &Type| is_patch(ty, Object::OutputPatch));
        reads.parameters(own.function, &own.parameters, is_input, &mut used);
        reads.parameters(own.function, &own.parameters, is_output, &mut own.point_reads);
        let mut generated = vec![0; own.inputs.len()];
        reads.parameters(own.function, &own.parameters, |ty| patch(ty).is_none(), &mut generated);
        for (element, used) in own.inputs.iter_mut().zip(generated) {
            element.used = used;
        }
        signature.constants = Some(constants);
    }
    // A hull shader that passes its control points on reads them all.
    if passed_patch(&program[entry]).is_some() {
        let points = signature.inputs.iter().take(signature.vertex_inputs);
        used.iter_mut().zip(points).for_each(|(used, element)| *used = element.all());
    }
    for (element, used) in signature.inputs.iter_mut().zip(used) {
        element.used = used;
    }
}

fn is_patch(ty: &Type, kind: Object) -> bool {
    patch(ty).is_some_and(|object| object.kind == kind)
}

/// Returns the parameters that are primitives.
fn function_vertices(function: &Function, signature: &Signature) -> HashSet<LocalId> {
    let parameters = function.parameters.iter().zip(&signature.parameters);
    let primitives = parameters.filter(|(_, (input, _))| matches!(input, Some(ElementLayout::Vertices(_))));
    primitives.map(|(parameter, _)| parameter.local).collect()
}

fn mask(first: u32, count: u32) -> ScalarSet {
    let below = |end: u32| if end < MOST { (1 << end) - 1 } else { ScalarSet::MAX };
    below(first.saturating_add(count)) & !below(first)
}

#[derive(Default)]
struct FunctionReads {
    is_entry: bool,
    of_locals: HashMap<LocalId, ScalarSet>,
    assigned: HashSet<LocalId>,
}

struct LocalPart {
    local: LocalId,
    scalars: ScalarSet,
    /// The index of the first scalar, or `None` for a swizzle or if an index is not a constant.
    first: Option<u32>,
}

struct Reads<'a> {
    program: &'a Program,
    functions: HashMap<FunctionId, FunctionReads>,
    entry: FunctionId,
    /// The parameters of the entry point that are primitives. All their vertices have the same elements, so only the
    /// scalars of one vertex are tracked. The same is true of patches, in all functions.
    vertices: HashSet<LocalId>,
}

impl Reads<'_> {
    /// Marks the read components of the elements of those parameters whose type is chosen.
    fn parameters(
        &self,
        id: FunctionId,
        layouts: &[(Option<ElementLayout>, Option<ElementLayout>)],
        is_chosen: impl Fn(&Type) -> bool,
        used: &mut [u8],
    ) {
        let function = &self.program[id];
        for (parameter, (input, output)) in function.parameters.iter().zip(layouts) {
            let local = parameter.local;
            let ty = &function.local(local).ty;
            let Some(part) = input.as_ref().filter(|_| is_chosen(ty)) else { continue };
            // An `inout` parameter passes its value on to an output.
            let is_output = output.is_some();
            let read = if is_output { ScalarSet::MAX } else { self.of(id, local) };
            match part {
                ElementLayout::Vertices(vertex) => {
                    let Some((ty, _)) = ty.elements() else { continue };
                    self.mark(vertex, ty, read, &mut 0, used);
                }
                part => self.mark(part, ty, read, &mut 0, used),
            }
        }
    }

    fn function(&self, id: FunctionId) -> FunctionReads {
        let function = &self.program[id];
        let mut found = FunctionReads { is_entry: id == self.entry, ..FunctionReads::default() };
        let Some(body) = &function.body else { return found };
        found.assigned = visit::assigned_in(self.program, body);
        visit::roots(&body.statements, &mut |expr| self.expr(expr, &mut found));
        found
    }

    fn of(&self, function: FunctionId, local: LocalId) -> ScalarSet {
        let found = self.functions.get(&function);
        found.map_or(ScalarSet::MAX, |found| found.of_locals.get(&local).copied().unwrap_or(0))
    }

    fn expr(&self, expr: &Expr, found: &mut FunctionReads) {
        if let Some(part) = self.part(expr, found.is_entry) {
            *found.of_locals.entry(part.local).or_default() |= part.scalars;
            return self.indices(expr, found);
        }
        match &*expr.kind {
            ExprKind::Assign(target, value) if self.part(target, found.is_entry).is_some() => {
                self.indices(target, found);
                self.expr(value, found);
            }
            ExprKind::Call(callee, arguments) => {
                for (index, argument) in arguments.iter().enumerate() {
                    self.argument(*callee, index, argument, found);
                }
            }
            _ => visit::parts(expr, &mut |part| self.expr(part, found)),
        }
    }

    fn argument(&self, callee: FunctionId, index: usize, argument: &Expr, found: &mut FunctionReads) {
        let function = &self.program[callee];
        let (Some(parameter), Some(part)) =
            (function.parameters.get(index), self.part(argument, found.is_entry))
        else {
            return self.expr(argument, found);
        };
        if parameter.direction == Direction::Out {
            return self.indices(argument, found);
        }
        let is_changed = parameter.direction == Direction::InOut
            && self.functions.get(&callee).is_none_or(|of| of.assigned.contains(&parameter.local));
        let is_whole = function.local(parameter.local).ty == argument.ty;
        let Some(first) = part.first.filter(|_| is_whole && !is_changed) else {
            return self.expr(argument, found);
        };
        let mut read = self.of(callee, parameter.local);
        if found.is_entry
            && self.vertices.contains(&part.local)
            && patch(&argument.ty).is_none()
            && let Some((vertex, count)) = argument.ty.elements()
        {
            read = self.of_a_vertex(read, self.count(vertex), count);
        }
        let read = read.checked_shl(first).unwrap_or(0) & part.scalars;
        *found.of_locals.entry(part.local).or_default() |= read;
        self.indices(argument, found);
    }

    /// Returns the scalars of a vertex that are read in any vertex of a primitive.
    fn of_a_vertex(&self, read: ScalarSet, scalars: u32, vertices: u32) -> ScalarSet {
        let of = |vertex: u32| match scalars.saturating_mul(vertex) {
            first if first.saturating_add(scalars) <= MOST => read >> first & mask(0, scalars),
            _ => mask(0, scalars),
        };
        (0..vertices).fold(0, |all, vertex| all | of(vertex))
    }

    fn indices(&self, expr: &Expr, found: &mut FunctionReads) {
        match &*expr.kind {
            ExprKind::Index(of, index) => {
                self.expr(index, found);
                self.indices(of, found);
            }
            ExprKind::Field(of, _) | ExprKind::Swizzle(of, _) | ExprKind::Elements(of, _) => {
                self.indices(of, found);
            }
            _ => {}
        }
    }

    /// Returns the part of a local variable that an expression refers to.
    fn part(&self, expr: &Expr, is_entry: bool) -> Option<LocalPart> {
        let whole = |local, first: Option<u32>, all: ScalarSet| {
            let scalars = first.map_or(all, |first| mask(first, self.count(&expr.ty)));
            Some(LocalPart { local, scalars, first })
        };
        let chosen = |of: LocalPart, places: &mut dyn Iterator<Item = u32>| {
            let scalars = match of.first {
                Some(first) => places.fold(0, |all, place| all | mask(first.saturating_add(place), 1)),
                None => of.scalars,
            };
            Some(LocalPart { local: of.local, scalars, first: None })
        };
        match &*expr.kind {
            ExprKind::Local(local) => whole(*local, Some(0), 0),
            ExprKind::Field(base, field) => {
                let of = self.part(base, is_entry)?;
                let Type::Struct(id) = base.ty else { return None };
                let before = self.before(id, *field);
                whole(of.local, of.first.map(|first| first.saturating_add(before)), of.scalars)
            }
            ExprKind::Index(base, index) => {
                let of = self.part(base, is_entry)?;
                let known = match &*index.kind {
                    ExprKind::Constant(known) => known.as_integer().and_then(|at| u32::try_from(at).ok()),
                    _ => None,
                };
                let is_vertex = patch(&base.ty).is_some()
                    || matches!(*base.kind, ExprKind::Local(local) if is_entry && self.vertices.contains(&local));
                let known = known.filter(|_| !is_vertex).or(is_vertex.then_some(0));
                let before = known.map(|at| at.saturating_mul(self.count(&expr.ty)));
                let first = of.first.zip(before).map(|(first, before)| first.saturating_add(before));
                whole(of.local, first, of.scalars)
            }
            ExprKind::Swizzle(base, components) => chosen(
                self.part(base, is_entry)?,
                &mut components.iter().map(|component| u32::from(*component)),
            ),
            ExprKind::Elements(base, places) => {
                let columns = base.ty.numeric()?.columns() as u32;
                let place = |(row, column): &(u8, u8)| u32::from(*row) * columns + u32::from(*column);
                chosen(self.part(base, is_entry)?, &mut places.iter().map(place))
            }
            _ => None,
        }
    }

    fn count(&self, ty: &Type) -> u32 {
        match ty {
            Type::Numeric(numeric) => numeric.components() as u32,
            Type::Array(array) => self.count(&array.element).saturating_mul(array.length),
            Type::Struct(id) => self.before(*id, u32::MAX),
            Type::Object(_) => ty.elements().map_or(0, |(point, _)| self.count(point)),
            Type::Error | Type::Void | Type::String => 0,
        }
    }

    fn before(&self, id: StructId, field: u32) -> u32 {
        let fields = self.program[id].fields.iter().take(field as usize);
        fields.fold(0, |count, field| count.saturating_add(self.count(&field.ty)))
    }

    /// Marks the read components of the elements of a part whose first scalar has the index `first`.
    fn mark(&self, part: &ElementLayout, ty: &Type, read: ScalarSet, first: &mut u32, used: &mut [u8]) {
        let is_read = |scalar: u32| scalar >= MOST || read & mask(scalar, 1) != 0;
        let mut set = |element: usize, component: u32, scalar: u32| {
            if let Some(used) = used.get_mut(element).filter(|_| is_read(scalar)) {
                *used |= 1 << component;
            }
        };
        match (part, ty) {
            (ElementLayout::Element(element), _) => {
                (0..self.count(ty)).for_each(|at| set(*element, at, first.saturating_add(at)));
            }
            (ElementLayout::Matrix(numeric, packing, vectors), _) => {
                let (rows, columns) = (numeric.rows() as u32, numeric.columns() as u32);
                for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                    let (vector, component) = match packing {
                        Packing::RowMajor => (row, column),
                        Packing::ColumnMajor => (column, row),
                    };
                    if let Some(element) = vectors.get(vector as usize) {
                        set(*element, component, first.saturating_add(row * columns + column));
                    }
                }
            }
            (ElementLayout::List(parts), Type::Array(array)) => {
                return parts.iter().for_each(|part| self.mark(part, &array.element, read, first, used));
            }
            (ElementLayout::List(parts), Type::Struct(id)) => {
                let parts = parts.iter().zip(&self.program[*id].fields);
                return parts.for_each(|(part, field)| self.mark(part, &field.ty, read, first, used));
            }
            (ElementLayout::List(_) | ElementLayout::Vertices(_) | ElementLayout::Nothing, _) => {}
        }
        *first = first.saturating_add(self.count(ty));
    }
}
