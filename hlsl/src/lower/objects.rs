//! The objects that expressions refer to.
//!
//! Objects are not values at run time. Each variable refers to the objects that were last assigned to it.

mod unknown;

use std::{collections::BTreeMap, sync::Arc};

use crate::{
    check::tree::{
        Direction, Expr, ExprKind, Function, GlobalId, Loop, LoopTest, ObjectSet, ObjectType, Program,
        StatementKind, Storage, Type, visit,
    },
    interface::{
        bindings::{
            MOST_OBJECTS, ObjectId, ObjectPart, VariableId, object_count, object_part, objects,
            objects_before_field,
        },
        stores::object_stores,
    },
    lower::{
        builder::Builder,
        jumps::{JumpTarget, Jumped},
        known_objects::{KnownObject, KnownObjects, ObjectExit, Objects},
        known_variables::KnownVariables,
        result::{Lowered, LoweringFailed},
    },
    session::{
        code::Code,
        hash::{HashMap, HashSet},
        source::Span,
    },
};

/// The objects of variables that code may replace.
pub(super) type Replaced = BTreeMap<VariableId, ObjectSet>;

impl Builder<'_, '_> {
    /// Returns the object that an expression refers to.
    pub(crate) fn object(&mut self, expr: &Expr) -> Lowered<KnownObject> {
        match self.objects_in(expr)?.into_iter().next().flatten() {
            Some(object) => {
                let kind = self.lowerer.object_facts.kind_of(&object);
                if kind == object.ty.kind {
                    return Ok(object);
                }
                Ok(KnownObject { ty: Arc::new(ObjectType { kind, ..(*object.ty).clone() }), ..object })
            }
            None => Err(self.unknown_object(expr)),
        }
    }

    /// Returns the number of objects in the type of an expression.
    fn objects_of(&self, expr: &Expr) -> usize {
        object_count(self.lowerer.program, &expr.ty).min(MOST_OBJECTS) as usize
    }

    /// Returns the objects in the value of an expression.
    pub(super) fn objects_in(&mut self, expr: &Expr) -> Lowered<KnownObjects> {
        let count = self.objects_of(expr);
        if count == 0 {
            return Ok(Vec::new());
        }
        let mut all = self.deeper(expr.span, |builder| builder.list_objects(expr))?;
        all.resize(count, None);
        Ok(all)
    }

    fn list_objects(&mut self, expr: &Expr) -> Lowered<KnownObjects> {
        let program = self.lowerer.program;
        match &*expr.kind {
            ExprKind::Local(local) => {
                Ok(self.objects.get(&VariableId::Local(*local)).cloned().unwrap_or_default())
            }
            ExprKind::Global(global) => match self.objects.get(&VariableId::Global(*global)) {
                Some(known) => Ok(known.clone()),
                None => self.first_objects(*global),
            },
            ExprKind::Field(base, field) => {
                let first = objects_before_field(program, &base.ty, *field) as usize;
                let all = self.objects_in(base)?;
                Ok(all.into_iter().skip(first).collect())
            }
            ExprKind::Index(base, index) => {
                let Some(known) = self.known_integer(index) else {
                    let message = format!(
                        "array index of textures, buffers or samplers must be a literal expression{}",
                        self.why_unknown(index)
                    );
                    // Shader Model 5.1 allows such indices, but Direct3D 11 does not.
                    let (code, message) = match self.lowerer.has_spaces {
                        true => (Code::Unsupported, format!("not supported: {message}")),
                        false => (Code::IndexNotLiteral, message),
                    };
                    return Err(self.error(code, index.span, message));
                };
                let size = self.objects_of(expr);
                let all = self.objects_in(base)?;
                let count = base.ty.indices();
                let Some(known) = u32::try_from(known).ok().filter(|known| *known < count) else {
                    return Err(self.lowerer.index_out_of_bounds(index.span, known, count));
                };
                Ok(all.into_iter().skip(size.saturating_mul(known as usize)).collect())
            }
            ExprKind::Construct(parts) => {
                let mut all = Vec::new();
                for part in parts {
                    all.extend(self.objects_in(part)?);
                }
                Ok(all)
            }
            ExprKind::Convert(inner) => self.objects_in(inner),
            ExprKind::Comma(first, inner) => {
                // If the value contains numbers, both operands were already evaluated.
                if !self.evaluated.remove(&site(expr)) {
                    self.effect(first)?;
                }
                self.objects_in(inner)
            }
            ExprKind::Assign(target, _) => {
                if !self.lowerer.has_data(&target.ty) {
                    self.effect(expr)?;
                }
                self.objects_in(target)
            }
            ExprKind::Call(function, arguments) => {
                // If the value contains numbers, the call was already lowered.
                if !self.lowerer.has_data(&expr.ty) || !self.returned.contains_key(&site(expr)) {
                    self.call(*function, arguments, expr.span, site(expr))?;
                }
                Ok(self.returned.remove(&site(expr)).unwrap_or_default())
            }
            ExprKind::Conditional(condition, accept, reject) => match self.known(condition) {
                Some(known) => {
                    let chosen = known.bits.first().is_some_and(|bits| *bits != 0);
                    self.objects_in(if chosen { accept } else { reject })
                }
                None => Err(self.chosen_object(expr.span)),
            },
            _ => Err(self.unsupported(expr.span, "such an object")),
        }
    }

    /// Returns the objects that a global variable contains before any assignment.
    fn first_objects(&mut self, global: GlobalId) -> Lowered<KnownObjects> {
        let program = self.lowerer.program;
        match (program[global].storage, &program[global].value) {
            (Storage::Uniform { .. }, _) => {
                let types = objects(program, &program[global].ty);
                let object = |(index, ty): (u32, &ObjectType)| {
                    Some(KnownObject { id: ObjectId { global, index }, ty: Arc::new(ty.clone()) })
                };
                Ok((0..).zip(types).map(object).collect())
            }
            (_, Some(value)) => self.objects_in(value),
            _ => Ok(Vec::new()),
        }
    }

    /// Records the objects of an assignment.
    pub(super) fn bind_objects(&mut self, target: &Expr, value: &Expr) -> Lowered<()> {
        if self.objects_of(target) == 0 {
            return Ok(());
        }
        let objects = self.objects_in(value)?;
        self.bind(target, objects)
    }

    fn bind(&mut self, target: &Expr, objects: KnownObjects) -> Lowered<()> {
        let program = self.lowerer.program;
        let part = object_part(program, target, &|index| self.known_integer(index));
        let is_exact = |part: &ObjectPart| {
            part.count == object_count(program, &target.ty)
                && part.first.saturating_add(part.count) <= MOST_OBJECTS
        };
        let Some(part) = part.filter(is_exact) else {
            if let Some((index, number, length)) = self.bad_index(target) {
                self.lowerer.session.index_out_of_bounds(index, number, length);
                return Err(LoweringFailed);
            }
            return Err(self.unsupported(target.span, "an assignment to such an object"));
        };
        let all = match (self.objects.get(&part.variable), part.variable) {
            (None, VariableId::Global(global)) => self.first_objects(global)?,
            (known, _) => known.cloned().unwrap_or_default(),
        };
        let changed = overlaid(all.clone(), part.first as usize, objects);
        if changed != all {
            self.objects.insert(part.variable, changed);
        }
        Ok(())
    }

    /// Returns an out-of-range index, with its position, its value and the number of elements.
    fn bad_index(&self, expr: &Expr) -> Option<(Span, i64, u32)> {
        match &*expr.kind {
            ExprKind::Field(base, _) | ExprKind::Convert(base) => self.bad_index(base),
            ExprKind::Index(base, index) => {
                let Type::Array(array) = &base.ty else { return None };
                let number =
                    self.known_integer(index).filter(|number| !(0..i64::from(array.length)).contains(number));
                number.map(|number| (index.span, number, array.length)).or_else(|| self.bad_index(base))
            }
            _ => None,
        }
    }

    /// Merges the objects of another path. Objects that differ become unknown.
    pub(super) fn join_objects(&mut self, before: &Objects) -> Lowered<()> {
        // This includes variables that are assigned only on the other path.
        for variable in before.keys() {
            if let VariableId::Global(global) = *variable
                && !self.objects.contains_key(variable)
            {
                let first = self.first_objects(global)?;
                self.objects.insert(*variable, first);
            }
        }
        let variables: Vec<_> = self.objects.keys().copied().collect();
        for variable in variables {
            let old = match (before.get(&variable), variable) {
                (Some(old), _) => old.clone(),
                (None, VariableId::Global(global)) => self.first_objects(global)?,
                (None, VariableId::Local(_)) => continue,
            };
            if let Some(all) = self.objects.get_mut(&variable) {
                join(all, &old);
            }
        }
        Ok(())
    }

    // Jumps

    /// Begins a statement that `break` or `continue` can leave.
    pub(super) fn enter(&mut self, target: JumpTarget) {
        self.targets.push(target);
        self.jumps.push(Jumped::default());
    }

    /// Ends such a statement, and returns the states at its jumps.
    pub(super) fn exit(&mut self) -> Jumped {
        self.targets.pop();
        self.jumps.pop().unwrap_or_default()
    }

    /// Records the current state at a `break` or `continue`.
    pub(super) fn jump(&mut self, target: usize, breaks: bool) -> Lowered<()> {
        let mut jumped = std::mem::take(&mut self.jumps[target]);
        let known = if breaks { &mut jumped.breaks } else { &mut jumped.continues };
        *known = self.joined(known.take(), Some(self.state()))?;
        self.jumps[target] = jumped;
        Ok(())
    }

    // Loops

    /// Returns the objects that the iterations of a loop may replace.
    pub(super) fn replaced_objects(&self, part: &Loop) -> Replaced {
        let mut replaced = Replaced::new();
        visit::loop_rounds(part, &mut |expr| {
            object_stores(self.lowerer.program, expr, &mut |variable, objects| {
                replaced.entry(variable).or_default().extend(objects);
            });
        });
        replaced
    }

    /// Returns the objects that the condition before each iteration may replace. They may differ between the
    /// exit of the loop and the end of an iteration.
    pub(super) fn replaced_by_condition(&self, part: &Loop) -> Replaced {
        let condition = part.condition.iter().filter(|_| part.test == LoopTest::Before);
        let mut replaced = Replaced::new();
        for condition in condition {
            visit::expressions(condition, &mut |expr| {
                object_stores(self.lowerer.program, expr, &mut |variable, objects| {
                    replaced.entry(variable).or_default().extend(objects);
                });
            });
        }
        replaced
    }

    /// Returns the objects among `replaced` that differ from those at the beginning of the iteration.
    pub(super) fn changed_objects(&mut self, before: &Objects, replaced: &Replaced) -> Lowered<Replaced> {
        let mut changed = Replaced::new();
        for (variable, objects) in replaced {
            let (Some(old), Some(new)) =
                (self.objects_at(before, *variable)?, self.objects_at(&self.objects.clone(), *variable)?)
            else {
                continue;
            };
            let differs = |(index, old): &(u32, &Option<KnownObject>)| {
                objects.contains(*index) && old.is_some() && new.get(*index as usize) != Some(*old)
            };
            let mut set = ObjectSet::default();
            (0..).zip(&old).filter(differs).for_each(|(index, _)| set.extend(ObjectSet::range(index, 1)));
            if !set.is_empty() {
                changed.insert(*variable, set);
            }
        }
        Ok(changed)
    }

    /// Returns the objects of a variable in a state, or `None` if the variable does not exist there.
    fn objects_at(&mut self, state: &Objects, variable: VariableId) -> Lowered<Option<KnownObjects>> {
        match (state.get(&variable), variable) {
            (Some(known), _) => Ok(Some(known.clone())),
            (None, VariableId::Global(global)) => self.first_objects(global).map(Some),
            (None, VariableId::Local(_)) => Ok(None),
        }
    }

    /// Makes the objects that a loop may replace unknown before the loop.
    pub(super) fn forget_objects(&mut self, part: &Loop, replaced: &Replaced) -> Lowered<()> {
        let program = self.lowerer.program;
        for (variable, replaced) in replaced {
            let Some(all) = self.objects_at(&self.objects.clone(), *variable)? else { continue };
            if let Some(condition) = part.condition.as_ref().filter(|_| loses_count(program, part)) {
                self.lost.insert(*variable, condition.span);
            }
            let is_kept = |index: u32| !replaced.contains(index);
            let kept = (0..).zip(all).map(|(index, object)| object.filter(|_| is_kept(index)));
            self.objects.insert(*variable, kept.collect());
        }
        Ok(())
    }

    // Calls

    /// Returns the objects of global variables that were assigned.
    pub(super) fn global_objects(&self) -> BTreeMap<GlobalId, KnownObjects> {
        let global = |(variable, known): (&VariableId, &KnownObjects)| match variable {
            VariableId::Global(global) => Some((*global, known.clone())),
            VariableId::Local(_) => None,
        };
        self.objects.iter().filter_map(global).collect()
    }

    /// Records the objects that the function passes to its caller, at one of the function's ends.
    pub(super) fn leave(&mut self, result: KnownObjects) -> Lowered<()> {
        let Some(source) = self.source else { return Ok(()) };
        let program = self.lowerer.program;
        let mut now = ObjectExit { result, parameters: HashMap::default(), globals: self.global_objects() };
        for parameter in &program[source].parameters {
            let known = self.objects.get(&VariableId::Local(parameter.local));
            if let Some(known) = known.filter(|_| parameter.direction != Direction::In) {
                now.parameters.insert(parameter.local, known.clone());
            }
        }
        let Some(mut exit) = self.exit.take() else {
            self.exit = Some(now);
            return Ok(());
        };
        join(&mut exit.result, &now.result);
        for (local, known) in &mut exit.parameters {
            join(known, now.parameters.get(local).unwrap_or(&Vec::new()));
        }
        let globals: Vec<_> = exit.globals.keys().chain(now.globals.keys()).copied().collect();
        for global in globals {
            let first = self.first_objects(global)?;
            let known = exit.globals.entry(global).or_insert_with(|| first.clone());
            join(known, now.globals.get(&global).unwrap_or(&first));
        }
        self.exit = Some(exit);
        Ok(())
    }

    /// Applies the object assignments of a called function.
    pub(super) fn take_objects(
        &mut self,
        source: &Function,
        arguments: &[Expr],
        befores: &[Option<KnownVariables>],
        exit: &ObjectExit,
    ) -> Lowered<()> {
        for (global, known) in &exit.globals {
            self.objects.insert(VariableId::Global(*global), known.clone());
        }
        for ((parameter, argument), before) in source.parameters.iter().zip(arguments).zip(befores) {
            let (Some(objects), Some(before)) = (exit.parameters.get(&parameter.local), before) else {
                continue;
            };
            if parameter.stores.objects.is_empty() {
                continue;
            }
            // The elements of arrays that the argument refers to were determined before the call.
            let after = std::mem::replace(&mut self.known, before.clone());
            // Changes that a method makes to a constant object are lost.
            let is_variable =
                object_part(self.lowerer.program, argument, &|index| self.known_integer(index)).is_some();
            let bound = if is_variable { self.bind(argument, objects.clone()) } else { Ok(()) };
            self.known = after;
            bound?;
        }
        Ok(())
    }
}

/// Returns whether the iterations of a loop cannot be counted because the condition depends on a variable
/// that the compiler does not follow: a `static` variable, or one that an inner loop or a `switch` changes.
fn loses_count(program: &Program, part: &Loop) -> bool {
    let mut unfollowed = HashSet::default();
    visit::nested_statements(&part.body.statements, &mut |statement| {
        if matches!(statement.kind, StatementKind::Loop(_) | StatementKind::Switch { .. }) {
            visit::statements(std::slice::from_ref(statement), &mut |expr| {
                visit::assigned_by(program, expr, &mut unfollowed);
            });
        }
    });
    let mut loses = false;
    if let Some(condition) = &part.condition {
        visit::expressions(condition, &mut |expr| match *expr.kind {
            ExprKind::Local(local) => loses |= unfollowed.contains(&local),
            ExprKind::Global(global) => {
                loses |= program[global].storage == Storage::Static && program[global].assigned;
            }
            _ => {}
        });
    }
    loses
}

/// Returns a number that identifies an expression: its address in the tree. Spans are not unique, because
/// expressions from one macro share a span.
pub(super) fn site(expr: &Expr) -> usize {
    std::ptr::from_ref(&*expr.kind).addr()
}

/// Replaces objects in a list, beginning with the index `first`.
fn overlaid(mut all: KnownObjects, first: usize, objects: KnownObjects) -> KnownObjects {
    all.resize(all.len().max(first + objects.len()), None);
    for (slot, object) in all.iter_mut().skip(first).zip(objects) {
        *slot = object;
    }
    all
}

/// Makes the objects unknown that differ from those of another path.
fn join(all: &mut KnownObjects, other: &KnownObjects) {
    for (index, slot) in all.iter_mut().enumerate() {
        if other.get(index) != Some(slot) {
            *slot = None;
        }
    }
}
