//! A command-line compiler, for example `hlslc shader.hlsl -E main -T ps_5_0 --wgsl`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;
use onze_hlsl::{
    CompileOptions, Compiled, FolderIncludes, Macro, PreprocessOptions, Profile, compile,
    reflection::{DomainReflection, GeometryDesc, HullReflection, Reflection, SignatureParameter, Variable},
};
use rspirv::binary::Disassemble as _;

/// Compiles an HLSL shader.
#[derive(Parser)]
struct Arguments {
    /// The HLSL source file.
    file: PathBuf,
    /// The entry point.
    #[arg(short = 'E', long, default_value = "main")]
    entry: String,
    /// The profile, which is a stage and a shader model: vs_5_0, ps_4_0, cs_5_0 and so on.
    #[arg(short = 'T', long)]
    profile: Profile,
    /// Define a macro: NAME or NAME=VALUE.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
    /// Search a folder for included files.
    #[arg(short = 'I', value_name = "FOLDER")]
    include: Vec<PathBuf>,
    /// Pack matrices by rows.
    #[arg(long)]
    row_major: bool,
    /// Enable the functions and semantics of Direct3D 9.
    #[arg(long)]
    backwards_compatible: bool,
    /// Treat warnings as errors.
    #[arg(long)]
    warnings_are_errors: bool,
    /// Accept barriers and derivatives in varying control flow (X3663 and X3570).
    #[arg(long)]
    allow_varying_flow: bool,
    /// Print the shader as WGSL. This is the default if no other output is requested.
    #[arg(long)]
    wgsl: bool,
    /// Print the shader as SPIR-V assembly. FXC: `/Fc`.
    #[arg(long)]
    assembly: bool,
    /// Write the shader to a file as SPIR-V.
    #[arg(long, value_name = "FILE")]
    spirv: Option<PathBuf>,
    /// Write the shader to a file for `Compiled::from_bytes`. FXC: `/Fo`.
    #[cfg(feature = "serde")]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print inputs, outputs, constant buffers and resources.
    #[arg(long)]
    reflection: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let name = arguments.file.display().to_string();
    let text = fs::read(&arguments.file).map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8_lossy(&text);
    let macros: Vec<Macro> = arguments
        .define
        .iter()
        .map(|define| {
            let (name, value) = define.split_once('=').unwrap_or((define, "1"));
            Macro::new(name, value)
        })
        .collect();
    let includes = arguments.include.iter().fold(FolderIncludes::new(""), FolderIncludes::with_folder);
    let options = CompileOptions {
        preprocess: PreprocessOptions { macros: &macros, include: Some(&includes) },
        pack_matrices_by_rows: arguments.row_major,
        backwards_compatible: arguments.backwards_compatible,
        warnings_are_errors: arguments.warnings_are_errors,
        allow_varying_flow: arguments.allow_varying_flow,
        ..CompileOptions::default()
    };
    let compiled = compile(&text, &name, &arguments.entry, arguments.profile, &options)?;
    if !compiled.warnings.is_empty() {
        eprintln!("{}", compiled.warnings);
    }
    if arguments.reflection {
        print_reflection(&compiled.reflection);
    }
    let mut is_silent = !arguments.reflection;
    if let Some(path) = &arguments.spirv {
        write(path, &spirv(&compiled)?.into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>())?;
        is_silent = false;
    }
    #[cfg(feature = "serde")]
    if let Some(path) = &arguments.output {
        write(path, &compiled.to_bytes()?)?;
        is_silent = false;
    }
    if arguments.assembly {
        let module = rspirv::dr::load_words(spirv(&compiled)?).map_err(|error| error.to_string())?;
        println!("{}", module.disassemble());
        is_silent = false;
    }
    if arguments.wgsl || is_silent {
        print!("{}", compiled.wgsl()?);
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the words of the SPIR-V module.
fn spirv(compiled: &Compiled) -> Result<Vec<u32>, Box<dyn std::error::Error>> {
    use naga::valid::{Capabilities, ValidationFlags, Validator};
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&compiled.module)?;
    // Pipeline constants keep their default values.
    let constants = naga::back::PipelineConstants::default();
    let (module, info) =
        naga::back::pipeline_constants::process_overrides(&compiled.module, &info, None, &constants)?;
    Ok(naga::back::spv::write_vec(&module, &info, &naga::back::spv::Options::default(), None)?)
}

fn print_reflection(reflection: &Reflection) {
    println!("{}", reflection.profile());
    for (title, parameters) in [("inputs", &reflection.inputs), ("outputs", &reflection.outputs)] {
        println!("{title}:");
        for parameter in parameters {
            print_parameter(parameter);
        }
    }
    for buffer in &reflection.constant_buffers {
        println!("{}, {} bytes:", buffer.name, buffer.size);
        for Variable { name, offset, size, used, ty, default_value, .. } in &buffer.variables {
            let used = if *used { "" } else { ", not used" };
            let default = default_value.as_ref().map(|bytes| format!(", by default {bytes:02x?}"));
            println!(
                "  {name}: {:?} of {:?} at {offset}, {size} bytes{used}{}",
                ty.class,
                ty.kind,
                default.unwrap_or_default()
            );
        }
    }
    println!("registers:");
    for resource in &reflection.resources {
        println!("  {}: {:?} at {}, {} of them", resource.name, resource.kind, resource.slot, resource.count);
    }
    if let Some(geometry) = &reflection.geometry {
        let GeometryDesc { input, max_vertex_count, instance_count, streams, .. } = geometry;
        println!("primitive: {input:?}, {instance_count} instances of at most {max_vertex_count} vertices");
        for (number, topology) in streams.iter().enumerate() {
            println!("stream {number}: {topology:?}");
        }
    }
    if !reflection.patch_constants.is_empty() {
        println!("patch constants:");
        reflection.patch_constants.iter().for_each(print_parameter);
    }
    if let Some(hull) = &reflection.hull {
        let HullReflection { domain, partitioning, output, max_tess_factor, .. } = hull;
        let (inputs, outputs) = (hull.input_control_points, hull.output_control_points);
        println!("patches: {inputs} control points to {outputs}");
        println!(
            "tessellator: {domain:?}, {partitioning:?}, {output:?}, factors of at most {max_tess_factor}"
        );
    }
    if let Some(DomainReflection { domain, control_points, .. }) = &reflection.domain {
        let points = control_points.map_or("any number of".to_owned(), |count| count.to_string());
        println!("patch: {domain:?}, {points} control points");
    }
    if let Some([x, y, z]) = reflection.thread_group_size {
        println!("threads of a group: {x} x {y} x {z}");
    }
}

fn print_parameter(parameter: &SignatureParameter) {
    let SignatureParameter { semantic_name, semantic_index, system_value, component_kind, mask, .. } =
        parameter;
    let components: String =
        "xyzw".chars().enumerate().filter(|(index, _)| mask >> index & 1 == 1).map(|(_, c)| c).collect();
    let register =
        parameter.register.map_or("no register".to_owned(), |register| format!("register {register}"));
    let stream = if parameter.stream == 0 { String::new() } else { format!(", stream {}", parameter.stream) };
    println!(
        "  {semantic_name}{semantic_index}: {register}, {components}, {component_kind:?}, {system_value:?}{stream}"
    );
}
