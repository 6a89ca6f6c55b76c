use crate::{
    check::{
        evaluate,
        tree::{Expr, ExprKind, FunctionId, GlobalId, Intrinsic, LocalId, Program, Storage, visit},
    },
    interface::{
        bindings::{
            BuiltIn, MOST_OBJECTS, ObjectId, ObjectPart, Usage, VariableId, object_count, object_part,
        },
        entry::ParameterOrigin,
        layout::has_numbers,
    },
    session::{Session, code::Code, hash::HashMap, source::Span},
};

/// Collects the functions, variables and objects that an entry point and the function `constants` use, and reports
/// recursion and calls of functions without a body.
///
/// `origins` contains the variable of each entry point parameter.
pub(crate) fn usage(
    session: &mut Session,
    program: &Program,
    entry: FunctionId,
    constants: Option<FunctionId>,
    origins: &[ParameterOrigin],
) -> Usage {
    let parameters = program[entry].parameters.iter().zip(origins);
    let parameters = parameters.filter_map(|(parameter, origin)| Some((parameter.local, origin.global()?)));
    let mut finder = UsageFinder {
        program,
        usage: Usage::default(),
        calls: Vec::new(),
        pending: Vec::new(),
        all_combined: false,
        entry,
        is_entry: false,
        parameters: parameters.collect(),
        dimensions: HashMap::default(),
        mixed: Vec::new(),
    };
    let mut state = vec![VisitState::New; program.functions.len()];
    // The depth-first search has an explicit stack, because a chain of calls may be as long as the source.
    let roots: Vec<_> = constants.into_iter().chain([entry]).collect();
    let mut stack: Vec<CallFrame> = Vec::new();
    let mut next = roots.iter();
    loop {
        let Some(frame) = stack.last_mut() else {
            let Some(root) = next.next() else { break };
            if matches!(state[root.0 as usize], VisitState::New) {
                state[root.0 as usize] = VisitState::Open;
                stack.push(CallFrame::new(*root, finder.function(*root)));
            }
            continue;
        };
        let Some((callee, span)) = frame.calls.pop() else {
            state[frame.function.0 as usize] = VisitState::Done;
            finder.usage.functions.push(frame.function);
            stack.pop();
            continue;
        };
        let name = &program[callee].name;
        match state[callee.0 as usize] {
            VisitState::Done => {}
            VisitState::Open => {
                session.error(
                    Code::NotAddressable,
                    span,
                    format!("'{name}': recursive functions not allowed in HLSL"),
                );
            }
            VisitState::New if program[callee].body.is_none() => {
                let is_abstract = program[callee].object.is_some_and(|object| program[object].interface);
                let (code, message) = if is_abstract {
                    (
                        Code::Unsupported,
                        format!(
                            "not supported: the call of '{name}' through an interface (dynamic linkage); call it on an object \
                         of a class that implements the interface"
                        ),
                    )
                } else {
                    (Code::UndeclaredIdentifier, format!("function '{name}' is declared, but has no body"))
                };
                session.error(code, span, message);
                state[callee.0 as usize] = VisitState::Done;
            }
            VisitState::New => {
                state[callee.0 as usize] = VisitState::Open;
                stack.push(CallFrame::new(callee, finder.function(callee)));
            }
        }
    }
    let UsageFinder { mut usage, all_combined, mixed, .. } = finder;
    usage.roots = roots;
    for span in mixed {
        let message = "a sampler is used with textures of different dimensions; declare one sampler for each";
        session.error(Code::TypeMismatch, span, message);
    }
    if all_combined {
        let mut objects: Vec<_> = usage.objects.iter().copied().collect();
        objects.sort();
        objects.into_iter().for_each(|object| usage.combine(object));
    }
    usage
}

impl Usage {
    fn combine(&mut self, sampler: ObjectId) {
        if self.combined.insert(sampler) && !self.combined_order.contains(&sampler.global) {
            self.combined_order.push(sampler.global);
        }
    }

    pub(crate) fn add_numbers(&mut self, program: &Program, global: GlobalId) {
        if has_numbers(program, &program[global].ty) {
            self.globals.insert(global);
        }
    }
}

#[derive(Clone, Copy)]
enum VisitState {
    New,
    Open,
    Done,
}

struct CallFrame {
    function: FunctionId,
    /// The calls of the function that are not analysed yet, in reverse order.
    calls: Vec<(FunctionId, Span)>,
}

impl CallFrame {
    fn new(function: FunctionId, mut calls: Vec<(FunctionId, Span)>) -> CallFrame {
        calls.reverse();
        CallFrame { function, calls }
    }
}

struct UsageFinder<'a> {
    program: &'a Program,
    usage: Usage,
    calls: Vec<(FunctionId, Span)>,
    pending: Vec<GlobalId>,
    /// Whether a sampler parameter is used as a combined sampler, so that any used sampler may be one.
    all_combined: bool,
    entry: FunctionId,
    /// Whether the analysed function is the entry point.
    is_entry: bool,
    /// The variables that represent parameters of the entry point or the objects in parameters.
    parameters: HashMap<LocalId, GlobalId>,
    dimensions: HashMap<GlobalId, Dimensions>,
    /// The spans where a sampler reads textures of different dimensions, which is an error.
    mixed: Vec<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Dimensions {
    Two,
    Three,
    Cube,
}

impl<'a> UsageFinder<'a> {
    fn function(&mut self, id: FunctionId) -> Vec<(FunctionId, Span)> {
        let program = self.program;
        self.is_entry = id == self.entry;
        if let Some(body) = &program[id].body {
            visit::roots(&body.statements, &mut |expr| self.expr(expr));
            visit::discards(&body.statements, &mut |span| {
                self.usage.built_in.push((BuiltIn::Discard, span));
            });
        }
        while let Some(global) = self.pending.pop() {
            if let Some(value) = &program[global].value {
                self.expr(value);
            }
        }
        std::mem::take(&mut self.calls)
    }

    fn expr(&mut self, expr: &'a Expr) {
        if let Some((global, first, count)) = self.part_of_global(expr) {
            self.part(global, first, count, expr);
        }
        match &*expr.kind {
            // The variable itself was recorded above as a part.
            ExprKind::Field(base, _) => return self.base(base),
            ExprKind::Index(base, index) => {
                self.base(base);
                return self.expr(index);
            }
            ExprKind::Local(id) if self.is_entry => {
                self.usage.entry_locals.insert(*id);
            }
            ExprKind::Intrinsic(which, parts) => {
                self.usage.built_in.push((BuiltIn::Intrinsic(*which), expr.span));
                if let Some(sampler) = parts.first()
                    && sampler.ty.object().is_some()
                    && which.name().starts_with("tex")
                {
                    self.combined(*which, sampler);
                }
            }
            ExprKind::Call(function, _) => self.calls.push((*function, expr.span)),
            ExprKind::Method(method, ..) => {
                self.usage.built_in.push((BuiltIn::Method(*method), expr.span));
            }
            _ => {}
        }
        visit::parts(expr, &mut |part| self.expr(part));
    }

    /// Records that `tex2D` or a similar function reads a texture through a combined sampler.
    fn combined(&mut self, which: Intrinsic, sampler: &Expr) {
        match self.part_of_global(sampler) {
            Some((global, first, count)) => {
                // A 1D texture is treated as a 2D texture.
                let dimensions = match which.name().get(3..5) {
                    Some("1D" | "2D") => Dimensions::Two,
                    Some("3D") => Dimensions::Three,
                    _ => Dimensions::Cube,
                };
                if *self.dimensions.entry(global).or_insert(dimensions) != dimensions {
                    self.mixed.push(sampler.span);
                }
                let end = first.saturating_add(count.min(MOST_OBJECTS));
                for index in first..end {
                    self.usage.combine(ObjectId { global, index });
                }
            }
            None => self.all_combined = true,
        }
    }

    /// Analyses the subexpressions and indices of the base of a part, but not the variable.
    fn base(&mut self, expr: &'a Expr) {
        match &*expr.kind {
            ExprKind::Global(_) => {}
            ExprKind::Local(id) => {
                if self.is_entry {
                    self.usage.entry_locals.insert(*id);
                }
            }
            ExprKind::Field(base, _) => self.base(base),
            ExprKind::Index(base, index) => {
                self.base(base);
                self.expr(index);
            }
            _ => self.expr(expr),
        }
    }

    /// Returns the global variable that an expression is a part of, with the first object and the number of
    /// objects that the part may contain.
    fn part_of_global(&self, expr: &Expr) -> Option<(GlobalId, u32, u32)> {
        let known = |index: &Expr| evaluate(self.program, index, &|_| None)?.as_integer();
        let ObjectPart { variable, first, count } = object_part(self.program, expr, &known)?;
        match variable {
            VariableId::Global(id) => Some((id, first, count)),
            VariableId::Local(id) if self.is_entry => Some((*self.parameters.get(&id)?, first, count)),
            VariableId::Local(_) => None,
        }
    }

    fn part(&mut self, id: GlobalId, first: u32, count: u32, part: &Expr) {
        let (global, ty) = (&self.program[id], &part.ty);
        // Numeric parameters are recorded elsewhere.
        let is_parameter = matches!(*visit::root(part).kind, ExprKind::Local(_));
        let numbers = !is_parameter && has_numbers(self.program, ty);
        let is_uniform = matches!(global.storage, Storage::Uniform { .. });
        let is_new = (numbers || !is_uniform) && self.usage.globals.insert(id);
        if is_new && !is_uniform {
            self.pending.push(id);
        }
        if object_count(self.program, ty) > 0 {
            let all = object_count(self.program, &global.ty).min(MOST_OBJECTS);
            let end = first.saturating_add(count).min(all);
            self.usage.objects.extend((first..end).map(|index| ObjectId { global: id, index }));
        }
    }
}
