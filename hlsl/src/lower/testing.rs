//! Test helpers that build modules, validate them and write them with all naga writers.

use naga::{
    AddressSpace, EntryPoint, Expression, Module, ShaderStage,
    back::{hlsl, msl, spv, wgsl},
    valid::{Capabilities, ValidationFlags, Validator},
};

use crate::{
    check::tree::{Numeric, Program},
    interface::bindings::{Bindings, ObjectId},
    lower::{
        builder::Builder,
        lowerer::Lowerer,
        object_facts::ObjectFacts,
        result::{Lowered, Value},
    },
    session::Session,
};

/// Validates a module, writes it in all languages and returns the WGSL.
pub(super) fn written(module: &Module) -> String {
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(module)
        .unwrap_or_else(|error| panic!("{}", error.emit_to_string("")));
    let spirv = spv::Options { lang_version: (1, 3), ..spv::Options::default() };
    spv::write_vec(module, &info, &spirv, None).unwrap();
    let metal = msl::Options { lang_version: (3, 1), fake_missing_bindings: true, ..msl::Options::default() };
    msl::write_string(module, &info, &metal, &msl::PipelineOptions::default()).unwrap();
    let options = hlsl::Options {
        shader_model: hlsl::ShaderModel::V6_0,
        fake_missing_bindings: true,
        ..hlsl::Options::default()
    };
    let mut text = String::new();
    hlsl::Writer::new(&mut text, &options, &hlsl::PipelineOptions::default())
        .write(module, &info, None)
        .unwrap();
    wgsl::write_string(module, &info, wgsl::WriterFlags::empty()).unwrap()
}

/// Builds an entry point and returns the module as WGSL.
pub(super) fn entry(
    program: &Program,
    objects: &[(ObjectId, u32)],
    stage: ShaderStage,
    build: impl Fn(&mut Builder<'_, '_>) -> Lowered<()>,
) -> String {
    let mut session = Session::default();
    let bindings = Bindings { objects: objects.iter().copied().collect(), ..Bindings::default() };
    let mut facts = ObjectFacts::default();
    loop {
        let mut lowerer = Lowerer::new(&mut session, program, &bindings);
        lowerer.object_facts = facts;
        let mut builder = Builder::new(&mut lowerer, "main");
        let built = build(&mut builder);
        let function = builder.finish();
        facts = std::mem::take(&mut lowerer.object_facts);
        let mut module = std::mem::take(&mut lowerer.module);
        assert!(built.is_ok(), "{}", session.diagnostics);
        if facts.take_late() {
            continue;
        }
        module.entry_points.push(EntryPoint {
            name: "main".into(),
            stage,
            early_depth_test: None,
            workgroup_size: if stage == ShaderStage::Compute { [1; 3] } else { [0; 3] },
            workgroup_size_overrides: None,
            function,
            mesh_info: None,
            task_payload: None,
            incoming_ray_payload: None,
        });
        return written(&module);
    }
}

/// Returns a value that the compiler does not know, because it is loaded from a variable.
pub(super) fn unknown(builder: &mut Builder<'_, '_>, ty: Numeric) -> Value {
    let ty = builder.numeric_type(ty);
    let variable = naga::GlobalVariable {
        name: Some("given".into()),
        space: AddressSpace::Private,
        binding: None,
        ty,
        init: None,
        memory_decorations: naga::MemoryDecorations::empty(),
    };
    let variable = builder.lowerer.module.global_variables.append(variable, naga::Span::UNDEFINED);
    let pointer = builder.add(Expression::GlobalVariable(variable));
    builder.load(pointer)
}

/// Stores a value in a variable of a type, so that the validator checks the value's type.
pub(super) fn keep(builder: &mut Builder<'_, '_>, value: Value, ty: Numeric) {
    let ty = builder.numeric_type(ty);
    let variable = builder.variable("kept", ty);
    builder.store(variable, value);
}

fn program(text: &str, profile: &str, backwards_compatible: bool) -> String {
    let options = crate::CompileOptions { backwards_compatible, ..crate::CompileOptions::default() };
    match crate::compile(text, "t.hlsl", "main", profile.parse().unwrap(), &options) {
        Ok(compiled) => written(&compiled.module),
        Err(diagnostics) => panic!("{diagnostics}"),
    }
}

/// Compiles a pixel shader and returns WGSL.
pub(super) fn pixel(text: &str) -> String {
    program(text, "ps_5_0", false)
}

/// Compiles a compute shader and returns WGSL.
pub(super) fn compute(text: &str) -> String {
    program(text, "cs_5_0", false)
}

/// Compiles a pixel shader that uses Direct3D 9 functions, and returns WGSL.
pub(super) fn legacy(text: &str) -> String {
    program(text, "ps_5_0", true)
}
