//! Outputs and variables that are never assigned, or not on every path.
//!
//! For the first analysis, every assignment in a function counts, regardless of its position, unless the
//! statement is known to be dead. An `out` or `inout` argument of a call counts as an assignment, and an
//! assignment to an element with an unknown index counts for the whole array or vector. For the second
//! analysis, [`UnsetAnalysis`] follows the control flow.
//!
//! A variable is treated as a list of at most 64 *units*, with one bit each: the components of numbers, and
//! the fields of structures one after another. An array is one unit. Units beyond the first 64 always count
//! as assigned.

use crate::{
    check::tree::{
        Case, Direction, Expr, ExprKind, Function, LocalId, Loop, LoopTest, Program, Statement,
        StatementKind, Storage, StructId, Type, visit,
    },
    interface::bindings::Usage,
    session::{Session, code::Code, hash::HashMap, source::Span},
    syntax::ast::BinaryOp,
};

use super::{
    known::{KnownValues, StepBudget},
    unset::UnsetAnalysis,
};

/// Reports `out` parameters that are not assigned, which is an error, and reads of variables that are never
/// assigned, which is a warning.
pub(super) fn check(session: &mut Session, program: &Program, usage: &Usage) {
    let steps = StepBudget::default();
    let mut units = VariableUnits { program, of_structs: HashMap::default() };
    for id in &usage.functions {
        let function = &program[*id];
        let Some(body) = &function.body else { continue };
        let mut walk = AssignmentWalk {
            program,
            units: &mut units,
            known: KnownValues::new(program, function, &steps),
            watched: watched(function),
            assigned: vec![0; function.locals.len()],
            changed: vec![0; function.locals.len()],
            reads: Vec::new(),
            unset: UnsetAnalysis::default(),
            unset_reads: Vec::new(),
            outputs: Vec::new(),
            function,
            is_entry: usage.roots.contains(id),
        };
        if walk.watched.iter().any(|watched| *watched) {
            walk.declare_outputs(function);
            walk.statements(&body.statements);
            walk.end(function.span);
            walk.report(session, function);
        }
    }
}

/// Returns for each [`LocalId`] whether it is an `out` parameter or a variable without an initial value.
fn watched(function: &Function) -> Vec<bool> {
    let mut watched = vec![false; function.locals.len()];
    let mut watch = |local: LocalId| {
        if let Some(watched) = watched.get_mut(local.0 as usize) {
            *watched = true;
        }
    };
    let outputs = function.parameters.iter().filter(|parameter| parameter.direction == Direction::Out);
    outputs.for_each(|parameter| watch(parameter.local));
    if let Some(body) = &function.body {
        visit::nested_statements(&body.statements, &mut |statement| {
            if let StatementKind::Declare(local, None) = statement.kind {
                watch(local);
            }
        });
    }
    watched
}

/// A set of units of a variable.
type UnitMask = u64;

/// Returns a mask of `count` units, beginning with the unit `first`.
fn mask(first: u32, count: u32) -> UnitMask {
    let below = |end: u32| if end < UnitMask::BITS { (1 << end) - 1 } else { UnitMask::MAX };
    below(first.saturating_add(count)) & !below(first)
}

/// The numbers of units of types.
struct VariableUnits<'a> {
    program: &'a Program,
    of_structs: HashMap<StructId, u32>,
}

impl VariableUnits<'_> {
    fn count(&mut self, ty: &Type) -> u32 {
        match ty {
            Type::Numeric(numeric) => numeric.components() as u32,
            Type::Array(array) => self.count(&array.element).min(1),
            Type::Struct(id) => {
                if let Some(count) = self.of_structs.get(id) {
                    return *count;
                }
                let count = self.before(*id, u32::MAX);
                self.of_structs.insert(*id, count);
                count
            }
            Type::Error | Type::Void | Type::Object(_) | Type::String => 0,
        }
    }

    /// Returns the number of units of the fields before a field. Counting stops at the number of tracked
    /// units.
    fn before(&mut self, id: StructId, field: u32) -> u32 {
        let mut count = 0_u32;
        for field in self.program[id].fields.iter().take(field as usize) {
            count = count.saturating_add(self.count(&field.ty));
            if count >= UnitMask::BITS {
                break;
            }
        }
        count
    }

    /// Returns the path from a variable to the first missing unit, as it is written in HLSL. If a vector or
    /// matrix is completely missing, the path ends there.
    fn path(&mut self, ty: &Type, missing: UnitMask) -> String {
        let first = missing.trailing_zeros();
        let (mut path, mut ty, mut unit) = (String::new(), ty, first);
        while let Type::Struct(id) = ty {
            let mut inner = None;
            for field in &self.program[*id].fields {
                let count = self.count(&field.ty);
                if unit < count {
                    inner = Some(field);
                    break;
                }
                unit -= count;
            }
            let Some(field) = inner else { break };
            path.push('.');
            path.push_str(&field.name);
            ty = &field.ty;
        }
        if let Type::Numeric(numeric) = ty {
            let (count, columns) = (numeric.components() as u32, numeric.columns() as u32);
            let all = mask(first.saturating_sub(unit), count);
            if missing & all == all {
                return path;
            }
            if numeric.rows() > 1 {
                path.push_str(&format!("._m{}{}", unit / columns, unit % columns));
            } else if let Some(name) = ["x", "y", "z", "w"].get(unit as usize) {
                path.push_str(&format!(".{name}"));
            }
        }
        path
    }
}

/// A part of a variable.
struct AssignedPart {
    local: LocalId,
    /// The units that the part certainly contains.
    sure: UnitMask,
    /// The units that the part may contain.
    may: UnitMask,
}

/// A read of a variable.
struct VariableRead {
    local: LocalId,
    mask: UnitMask,
    /// Whether one assigned unit is sufficient, because the other units may never be used.
    one_is_enough: bool,
    span: Span,
}

struct AssignmentWalk<'u, 'a> {
    program: &'a Program,
    units: &'u mut VariableUnits<'a>,
    known: KnownValues<'a>,
    watched: Vec<bool>,
    /// For each [`LocalId`], the assigned units.
    assigned: Vec<UnitMask>,
    /// For each [`LocalId`], the units that compound assignments, increments and decrements change.
    changed: Vec<UnitMask>,
    reads: Vec<VariableRead>,
    /// The units that may have no value on a path to the current statement.
    unset: UnsetAnalysis,
    /// The reads of units that may have no value.
    unset_reads: Vec<(LocalId, UnitMask, Span)>,
    /// The `out` parameters. They count as read where the function ends.
    outputs: Vec<LocalId>,
    function: &'a Function,
    is_entry: bool,
}

impl AssignmentWalk<'_, '_> {
    fn statements(&mut self, list: &[Statement]) {
        for statement in list {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement) {
        match &statement.kind {
            StatementKind::Expression(expr) => self.effect(expr),
            StatementKind::Declare(local, value) => match value {
                Some(value) => self.expr(value),
                None => self.begin(*local),
            },
            StatementKind::Return(value) => {
                match value.as_ref().and_then(|value| Some((self.part(value)?, value.span))) {
                    // The whole returned value is an output.
                    Some((part, span)) if self.is_entry => self.read(&part, false, span),
                    _ => value.iter().for_each(|value| self.expr(value)),
                }
                self.end(statement.span);
                self.unset.leave();
            }
            StatementKind::Block(block) => self.statements(&block.statements),
            StatementKind::If { condition, then, otherwise, .. } => {
                self.expr(condition);
                let known = self.known.condition(condition);
                let before = self.unset.fork();
                if known != Some(false) {
                    self.statements(&then.statements);
                }
                if known == Some(true) {
                    return;
                }
                let after = self.unset.switch_to(before);
                self.statements(&otherwise.statements);
                if known != Some(false) {
                    self.unset.join(after);
                }
            }
            StatementKind::Loop(part) => self.any_loop(part),
            StatementKind::Switch { selector, cases, .. } => self.switch(selector, cases),
            StatementKind::Break => self.unset.jump_out(),
            StatementKind::Continue => self.unset.jump_on(),
            StatementKind::Discard => self.unset.leave(),
        }
    }

    fn any_loop(&mut self, part: &Loop) {
        self.statements(&part.start);
        let may_skip = part.test == LoopTest::Before
            && part.condition.as_ref().is_some_and(|condition| self.depends_on_inputs(condition));
        let before = self.unset.fork();
        self.unset.begin(true);
        if part.test == LoopTest::Before {
            part.condition.iter().for_each(|condition| self.expr(condition));
        }
        self.statements(&part.body.statements);
        self.unset.join_continues();
        part.step.iter().for_each(|step| self.effect(step));
        if part.test == LoopTest::After {
            part.condition.iter().for_each(|condition| self.expr(condition));
        }
        // A loop whose condition is always true ends only with `break`.
        let known = part.condition.as_ref().map_or(Some(true), |condition| self.known.condition(condition));
        if known == Some(true) {
            self.unset.leave();
        }
        let breaks = self.unset.end();
        self.unset.join(breaks);
        if may_skip {
            self.unset.join(before);
        }
    }

    fn switch(&mut self, selector: &Expr, cases: &[Case]) {
        self.expr(selector);
        let has_default = cases.iter().any(|case| case.labels.contains(&None));
        let labels: usize = cases.iter().map(|case| case.labels.len()).sum();
        let before = self.unset.fork();
        self.unset.begin(false);
        for case in cases {
            self.unset.switch_to(before.clone());
            self.statements(&case.body.statements);
            self.unset.jump_out();
        }
        let breaks = self.unset.end();
        self.unset.switch_to(breaks);
        if !has_default && !has_all_values(selector, labels) {
            self.unset.join(before);
        }
    }

    /// Returns whether the value of a condition depends on uniforms, buffers or textures.
    fn depends_on_inputs(&self, condition: &Expr) -> bool {
        let mut depends = false;
        visit::expressions(condition, &mut |part| {
            depends |= match *part.kind {
                ExprKind::Global(id) => matches!(self.program[id].storage, Storage::Uniform { .. }),
                ExprKind::Element { .. } | ExprKind::Method(..) => true,
                _ => false,
            };
        });
        depends
    }

    /// Records that the `out` parameters initially have no values.
    fn declare_outputs(&mut self, function: &Function) {
        for parameter in function.parameters.iter().filter(|one| one.direction == Direction::Out) {
            self.begin(parameter.local);
            self.outputs.push(parameter.local);
        }
    }

    fn begin(&mut self, local: LocalId) {
        let Some(variable) = self.function.locals.get(local.0 as usize) else { return };
        let units = mask(0, self.units.count(&variable.ty));
        self.unset.declare(local, units);
    }

    /// Records the reads of the `out` parameters where the function ends.
    fn end(&mut self, span: Span) {
        for index in 0..self.outputs.len() {
            let local = self.outputs[index];
            let unset = self.unset.of(local);
            if unset != 0 {
                self.unset_reads.push((local, unset, span));
            }
        }
    }

    /// Analyses an expression whose value is not used.
    fn effect(&mut self, expr: &Expr) {
        // A statement such as `x;` reads nothing.
        if !matches!(*expr.kind, ExprKind::Local(_)) {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        if let Some(part) = self.part(expr) {
            let one_is_enough = expr.ty.numeric().is_none();
            self.read(&part, one_is_enough, expr.span);
            return self.indices(expr);
        }
        let mut targets: Vec<&Expr> = Vec::new();
        visit::outputs(self.program, expr, &mut |target| targets.push(target));
        let written: Vec<_> = targets.iter().filter_map(|target| self.write(expr, target)).collect();
        visit::parts(expr, &mut |part| {
            if targets.first().is_some_and(|target| std::ptr::eq(*target, part)) {
                // Targets are in the order of subexpressions.
                targets.remove(0);
                self.indices(part);
            } else {
                self.expr(part);
            }
        });
        written.into_iter().for_each(|(local, units)| self.unset.assign(local, units));
    }

    /// Analyses the indices in a part of a variable.
    fn indices(&mut self, expr: &Expr) {
        match &*expr.kind {
            ExprKind::Index(of, index) => {
                self.expr(index);
                self.indices(of);
            }
            ExprKind::Field(of, _)
            | ExprKind::Swizzle(of, _)
            | ExprKind::Elements(of, _)
            | ExprKind::Convert(of) => self.indices(of),
            ExprKind::Local(_) => {}
            _ => self.expr(expr),
        }
    }

    fn read(&mut self, part: &AssignedPart, one_is_enough: bool, span: Span) {
        if self.is_watched(part.local) && part.sure != 0 {
            self.reads.push(VariableRead { local: part.local, mask: part.sure, one_is_enough, span });
            let unset = self.unset.of(part.local) & part.sure;
            if unset != 0 && (!one_is_enough || unset == part.sure) {
                self.unset_reads.push((part.local, unset, span));
            }
        }
    }

    /// Records a store to a target. Returns the units that it may assign.
    fn write(&mut self, expr: &Expr, target: &Expr) -> Option<(LocalId, UnitMask)> {
        let part = match (self.part(target), &*visit::root(target).kind) {
            (Some(part), _) => part,
            (None, ExprKind::Local(local)) => AssignedPart { local: *local, sure: 0, may: UnitMask::MAX },
            _ => return None,
        };
        let index = part.local.0 as usize;
        if !self.is_watched(part.local) {
            return None;
        }
        if let ExprKind::Update(..) | ExprKind::Step(..) = *expr.kind {
            self.read(&part, false, target.span);
            if let Some(changed) = self.changed.get_mut(index) {
                *changed |= part.may;
            }
        } else if let Some(assigned) = self.assigned.get_mut(index) {
            *assigned |= part.may;
        }
        Some((part.local, part.may))
    }

    fn is_watched(&self, local: LocalId) -> bool {
        self.watched.get(local.0 as usize).copied().unwrap_or(false)
    }

    /// Returns the part of a variable that an expression refers to.
    fn part(&mut self, expr: &Expr) -> Option<AssignedPart> {
        match &*expr.kind {
            ExprKind::Swizzle(of, components) => {
                let place = self.place(of)?;
                let taken = components.iter().map(|component| place.unit(u32::from(*component)));
                Some(place.part(taken.fold(0, |all, unit| all | unit)))
            }
            ExprKind::Elements(of, places) => {
                let place = self.place(of)?;
                let columns = of.ty.numeric()?.columns() as u32;
                let taken = places
                    .iter()
                    .map(|(row, column)| place.unit(u32::from(*row) * columns + u32::from(*column)));
                Some(place.part(taken.fold(0, |all, unit| all | unit)))
            }
            _ => {
                let place = self.place(expr)?;
                let count = if place.is_element { 1 } else { self.units.count(&expr.ty) };
                Some(place.part(mask(place.first, count)))
            }
        }
    }

    fn place(&mut self, expr: &Expr) -> Option<PartStart> {
        match &*expr.kind {
            ExprKind::Local(local) => {
                Some(PartStart { local: *local, first: 0, is_element: false, unknown: None })
            }
            ExprKind::Field(of, field) => {
                let mut place = self.place(of)?;
                let Type::Struct(id) = of.ty else { return None };
                if !place.is_element {
                    place.first = place.first.saturating_add(self.units.before(id, *field));
                }
                Some(place)
            }
            ExprKind::Index(of, index) => {
                let mut place = self.place(of)?;
                let Some(numeric) = of.ty.numeric() else {
                    place.is_element = true;
                    return Some(place);
                };
                if place.is_element {
                    return Some(place);
                }
                let known = match &*index.kind {
                    ExprKind::Constant(known) => {
                        known.as_integer().and_then(|known| u32::try_from(known).ok())
                    }
                    _ => None,
                };
                let each = if numeric.rows() > 1 { numeric.columns() as u32 } else { 1 };
                match known {
                    Some(known) => place.first = place.first.saturating_add(known.saturating_mul(each)),
                    None => {
                        let whole = mask(place.first, numeric.components() as u32);
                        place.unknown = Some(place.unknown.unwrap_or(whole));
                    }
                }
                Some(place)
            }
            _ => None,
        }
    }

    /// Reports missing assignments, once for each variable.
    fn report(&mut self, session: &mut Session, function: &Function) {
        for parameter in function.parameters.iter().filter(|one| one.direction == Direction::Out) {
            let (local, index) = (function.local(parameter.local), parameter.local.0 as usize);
            let written = self.assigned.get(index).copied().unwrap_or(0)
                | self.changed.get(index).copied().unwrap_or(0);
            let missing = mask(0, self.units.count(&local.ty)) & !written;
            if missing != 0 {
                let path = self.units.path(&local.ty, missing);
                let message = format!(
                    "'{}': output parameter '{}' not completely initialized: assign a value to '{}{path}'",
                    function.name, local.name, local.name
                );
                session.error(Code::OutputNotInitialized, local.span, message);
                if let Some(watched) = self.watched.get_mut(index) {
                    *watched = false;
                }
            }
        }
        self.report_unassigned(session, function);
        for (local, unset, span) in std::mem::take(&mut self.unset_reads) {
            if self.is_watched(local) {
                let variable = function.local(local);
                let path = self.units.path(&variable.ty, unset);
                let message = format!(
                    "use of potentially uninitialized variable ({}): on a path to this place nothing assigns to '{}{path}'",
                    variable.name, variable.name
                );
                session.warn(Code::Uninitialized, span, message);
                if let Some(watched) = self.watched.get_mut(local.0 as usize) {
                    *watched = false;
                }
            }
        }
    }

    /// Reports reads of units that are never assigned.
    fn report_unassigned(&mut self, session: &mut Session, function: &Function) {
        for VariableRead { local, mask, one_is_enough, span } in std::mem::take(&mut self.reads) {
            let index = local.0 as usize;
            let missing = mask & !self.assigned.get(index).copied().unwrap_or(UnitMask::MAX);
            if self.is_watched(local) && missing != 0 && (!one_is_enough || missing == mask) {
                let variable = function.local(local);
                let path = self.units.path(&variable.ty, missing);
                let message = format!(
                    "variable '{}' used without having been completely initialized: nothing assigns to '{}{path}'",
                    variable.name, variable.name
                );
                session.warn(Code::Uninitialized, span, message);
                if let Some(watched) = self.watched.get_mut(index) {
                    *watched = false;
                }
            }
        }
    }
}

/// Returns whether this number of labels covers every value of a selector. For example, `x & 3` has four
/// values.
fn has_all_values(selector: &Expr, labels: usize) -> bool {
    let mut selector = selector;
    while let ExprKind::Convert(inner) = &*selector.kind {
        selector = inner;
    }
    let ExprKind::Binary(op, _, limit) = &*selector.kind else { return false };
    let ExprKind::Constant(limit) = &*limit.kind else { return false };
    let Some(limit) = limit.as_integer().and_then(|limit| usize::try_from(limit).ok()) else { return false };
    match op {
        BinaryOp::And => labels > limit,
        BinaryOp::Modulo => labels >= limit,
        _ => false,
    }
}

/// The start of a part in its variable.
struct PartStart {
    local: LocalId,
    first: u32,
    /// Whether the part is inside an array, which is a single unit.
    is_element: bool,
    /// The units that an unknown index may select.
    unknown: Option<UnitMask>,
}

impl PartStart {
    fn unit(&self, component: u32) -> UnitMask {
        let component = if self.is_element { 0 } else { component };
        mask(self.first.saturating_add(component), 1)
    }

    fn part(&self, units: UnitMask) -> AssignedPart {
        match self.unknown {
            Some(whole) => AssignedPart { local: self.local, sure: 0, may: whole },
            None => AssignedPart { local: self.local, sure: units, may: units },
        }
    }
}
