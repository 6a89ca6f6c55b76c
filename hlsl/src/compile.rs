//! The `compile` function, which runs all steps from the source to a naga module and its reflection.

use std::sync::Arc;

use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::{
    Diagnostics, PreprocessOptions, Profile,
    check::{
        self, CheckOptions,
        tree::{FunctionId, Program},
    },
    interface::{
        Analysis, availability, bindings, candidates,
        entry::{self, ParameterOrigin},
        flow, reads, stages, stores, usage,
    },
    lower::{EntryPoint, Lowerer, ObjectFacts, WrittenComponents},
    output::{compiled::Compiled, reflect, reflection::Reflection},
    session::{Session, code::Code, source::Span, stack::with_enough_stack},
    syntax,
    text::{
        preprocess,
        token::{Packing, Token},
    },
};

/// Options of a compilation (D3D11: the flags of `D3DCompile`).
#[derive(Clone, Copy, Debug, Default)]
pub struct CompileOptions<'a> {
    /// The predefined macros, and the handler that finds included files.
    pub preprocess: PreprocessOptions<'a>,
    /// Whether matrices declared without `row_major` or `column_major` are stored row by row in buffers. The
    /// default is column by column. D3D11: `D3DCOMPILE_PACK_MATRIX_ROW_MAJOR`.
    #[doc(alias = "D3DCOMPILE_PACK_MATRIX_ROW_MAJOR")]
    pub pack_matrices_by_rows: bool,
    /// Whether redeclaring a variable of a `for` loop is an error instead of a warning. D3D11:
    /// `D3DCOMPILE_ENABLE_STRICTNESS`.
    #[doc(alias = "D3DCOMPILE_ENABLE_STRICTNESS")]
    pub strict: bool,
    /// Whether Direct3D 9 functions such as `tex2D` are accepted, and Direct3D 9 semantics such as `COLOR`
    /// for a render target. D3D11: `D3DCOMPILE_ENABLE_BACKWARDS_COMPATIBILITY`.
    #[doc(alias = "D3DCOMPILE_ENABLE_BACKWARDS_COMPATIBILITY")]
    pub backwards_compatible: bool,
    /// Whether a warning makes the compilation fail. D3D11: `D3DCOMPILE_WARNINGS_ARE_ERRORS`.
    #[doc(alias = "D3DCOMPILE_WARNINGS_ARE_ERRORS")]
    pub warnings_are_errors: bool,
    /// Whether barriers and derivatives in varying control flow are accepted. By default they are reported
    /// like in FXC. A group barrier that only some threads reach is error X3663. A derivative in a loop that
    /// pixels leave at different times is warning X3570.
    ///
    /// These checks only repeat FXC's strictness, because naga accepts such programs. Set this option for a
    /// program that is correct for all data that it receives. An example is a barrier under `i < n` if `n` is
    /// never less than the number of threads in a group. Otherwise the result of the barrier is undefined.
    /// Browsers have their own checks, which this option does not affect.
    pub allow_varying_flow: bool,
}

impl CompileOptions<'_> {
    pub(crate) fn check(&self) -> CheckOptions {
        let packing = if self.pack_matrices_by_rows { Packing::RowMajor } else { Packing::ColumnMajor };
        CheckOptions {
            packing,
            backwards_compatible: self.backwards_compatible,
            strict: self.strict,
            allow_varying_flow: self.allow_varying_flow,
        }
    }
}

/// Compiles a program for a stage, as D3D11's `D3DCompile` does.
///
/// `name` is the file name that messages, `__FILE__` and `#include` use, and `entry` is the name of the entry
/// point.
///
/// ```
/// use onze_hlsl::{CompileOptions, compile};
///
/// let text = "float4 main(float4 color : COLOR) : SV_Target { return color; }";
/// let compiled = compile(text, "color.hlsl", "main", "ps_5_0".parse()?, &CompileOptions::default())?;
/// assert_eq!(compiled.module.entry_points.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Returns the errors of the program, with FXC's numbers, and an error for each feature of Direct3D 11 that
/// naga cannot express.
#[doc(alias = "D3DCompile")]
pub fn compile(
    source: &str,
    name: &str,
    entry: &str,
    profile: Profile,
    options: &CompileOptions<'_>,
) -> Result<Compiled, Diagnostics> {
    let mut session = Session::default();
    let compiled = compile_in(&mut session, source, name, entry, profile, options);
    let diagnostics = session.diagnostics;
    let is_refused =
        if options.warnings_are_errors { !diagnostics.is_empty() } else { diagnostics.has_errors() };
    match compiled {
        Some((module, reflection)) if !is_refused => {
            Ok(Compiled { module, entry_point: entry.to_owned(), reflection, warnings: diagnostics })
        }
        _ => Err(diagnostics),
    }
}

fn compile_in(
    session: &mut Session,
    source: &str,
    name: &str,
    entry: &str,
    profile: Profile,
    options: &CompileOptions<'_>,
) -> Option<(naga::Module, Reflection)> {
    let tokens = preprocess::preprocess_tokens(session, name, source, &options.preprocess);
    let options = options.check();
    with_enough_stack(session, |session| {
        let mut analysis = analyse(session, &tokens, entry, profile, options);
        session.too_deep |= analysis.as_ref().is_some_and(|analysis| analysis.program.too_deep.get());
        compile_analysis(session, analysis.as_mut()?, profile)
    })
}

fn compile_analysis(
    session: &mut Session,
    analysis: &mut Analysis,
    profile: Profile,
) -> Option<(naga::Module, Reflection)> {
    let (module, written) = lower(session, analysis, profile)?;
    let signature = &mut analysis.entry.signature;
    for (element, written) in signature.outputs.iter_mut().zip(written.outputs) {
        element.used = written;
    }
    if let Some(constants) = &mut signature.constants {
        let outputs = &mut Arc::make_mut(constants).outputs;
        outputs.iter_mut().zip(written.constants).for_each(|(element, written)| element.used = written);
    }
    let reflection = reflect::reflect(analysis, profile, &module);
    Some((module, reflection))
}

/// Runs the steps between the preprocessor and the lowering. Returns `None` if there are errors.
pub(crate) fn analyse(
    session: &mut Session,
    tokens: &[Token],
    entry: &str,
    profile: Profile,
    options: CheckOptions,
) -> Option<Analysis> {
    session.has_buffer_types = profile.has_spaces();
    let syntax = syntax::parse(session, tokens);
    if session.diagnostics.has_errors() {
        return None;
    }
    let mut program = check::check(session, &syntax, options);
    if session.diagnostics.has_errors() {
        return None;
    }
    stores::find(&mut program);
    let Some(function) = program.entry(entry) else {
        let span = tokens.first().map_or(Span::default(), |token| token.span.beginning());
        let hint = entry_point_hint(session, &program, entry);
        session.error(Code::EntryPointNotFound, span, format!("'{entry}': entrypoint not found{hint}"));
        return None;
    };
    let mut entry = entry::prepare(session, &mut program, function, profile, options.backwards_compatible);
    let constants = entry.signature.constants.as_ref().map(|constants| constants.function);
    let mut usage = usage::usage(session, &program, function, constants, &entry.origins);
    availability::check(session, &usage, profile);
    stages::check(session, &program, &usage, function, profile, &entry);
    flow::check(session, &program, &usage);
    if !options.allow_varying_flow {
        flow::check_uniformity(session, &program, &usage, function, profile, entry.threads);
    }
    for origin in &entry.origins {
        if let ParameterOrigin::Uniform(global) = origin {
            usage.add_numbers(&program, *global);
        }
    }
    let bindings = bindings::assign(session, &program, &usage, profile, entry.signature.targets());
    if session.diagnostics.has_errors() {
        note_likely_stage(session, &program, function, profile);
        return None;
    }
    reads::mark_inputs(&program, &usage, function, &mut entry.signature);
    Some(Analysis { program, function, entry, usage, bindings })
}

/// Returns the end of a message about a missing entry point, which suggests a function with a similar name or
/// lists the likely entry points.
fn entry_point_hint(session: &Session, program: &Program, entry: &str) -> String {
    let functions =
        program.functions.iter().filter(|function| function.object.is_none() && function.body.is_some());
    let hint = session.did_you_mean(entry, functions.map(|function| &*function.name));
    if !hint.is_empty() {
        return hint;
    }
    candidates::describe(program).map(|list| format!("; the program has {list}")).unwrap_or_default()
}

/// Adds a note if a refused entry point looks like it belongs to a stage other than the profile's.
fn note_likely_stage(session: &mut Session, program: &Program, function: FunctionId, profile: Profile) {
    let function = &program[function];
    let likely = candidates::likely_stage(program, function).filter(|stage| *stage != profile.stage);
    if let Some(stage) = likely {
        let note = format!(
            "'{}' looks like a {}, but it is compiled as a {}",
            function.name,
            stage.name(),
            profile.stage.name()
        );
        session.note(function.span, note);
        session.diagnostics.set_likely_stage(stage);
    }
}

/// Lowers the program to a module, and also returns a mask of the possibly written components for each output
/// element.
fn lower(
    session: &mut Session,
    analysis: &Analysis,
    profile: Profile,
) -> Option<(naga::Module, WrittenComponents)> {
    let Analysis { program, function, entry, bindings, .. } = analysis;
    let entry_point = EntryPoint {
        function: *function,
        profile,
        signature: &entry.signature,
        origins: &entry.origins,
        threads: entry.threads,
    };
    let mut facts = ObjectFacts::default();
    let (lowered, mut module, written) = loop {
        let mut lowerer = Lowerer::new(session, program, bindings);
        lowerer.object_facts = facts;
        let lowered = lowerer.entry_point(&entry_point);
        facts = lowerer.object_facts;
        if lowered.is_err() || !facts.take_late() {
            break (lowered, lowerer.module, lowerer.written);
        }
    };
    if session.diagnostics.has_errors() {
        return None;
    }
    let span = program[*function].span;
    if lowered.is_err() {
        session.error(Code::Internal, span, "internal error: the program was refused without a reason");
        return None;
    }
    naga::compact::compact(&mut module, naga::compact::KeepUnused::No);
    validate(session, &module, span).then_some((module, written))
}

/// Reports errors that naga's validator finds, because such errors are bugs of this compiler.
fn validate(session: &mut Session, module: &naga::Module, entry: Span) -> bool {
    let result = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(module);
    let Err(error) = result else { return true };
    let span = error
        .spans()
        .filter_map(|(span, _)| span.to_range())
        .map(|range| Span::new(range.start as u32, range.end as u32))
        .find(|span| span.start < span.end)
        .unwrap_or(entry);
    let mut message = format!("internal error: {}", error.as_inner());
    let mut cause = std::error::Error::source(error.as_inner());
    while let Some(inner) = cause {
        message.push_str(": ");
        message.push_str(&inner.to_string());
        cause = inner.source();
    }
    session.error(Code::Internal, span, message);
    false
}
