//! Compiles the shader of the program `hlsl_compiled`, and generates HLSL variants of the programs of the
//! chapter "Start". The binary `start_hlsl` contains these variants.

use std::{env, error::Error, fmt::Write as _, fs, path::Path};

use onze_hlsl::build::Shaders;

/// The programs of the chapter "Start" that have shaders.
const STEPS: [&str; 9] = [
    "start_02_triangle",
    "start_03_vertices",
    "start_04_constants",
    "start_05_cube",
    "start_06_texture",
    "start_07_light",
    "start_08_camera",
    "start_09_model",
    "start_10_textured_model",
];

fn main() -> Result<(), Box<dyn Error>> {
    Shaders::new()
        .shader("programs/hlsl_compiled.hlsl", "VS", "vs_5_0")
        .shader("programs/hlsl_compiled.hlsl", "PS", "ps_5_0")
        .compile()?;
    let root = env::var("CARGO_MANIFEST_DIR")?;
    let (mut modules, mut arms) = (String::new(), String::new());
    for step in STEPS {
        let path = Path::new(&root).join("programs").join(step).with_extension("rs");
        println!("cargo::rerun-if-changed={}", path.display());
        let program = in_hlsl(&fs::read_to_string(path)?, &root, step).ok_or(step)?;
        writeln!(modules, "mod {step} {{\n{program}\n}}")?;
        writeln!(arms, "{step:?} => {step}::main(args),")?;
    }
    let run = format!(
        "fn run(step: &str, args: onze_winit::WindowArgs) -> onze_winit::Result<()> {{
            match step {{ {arms} other => Err(format!(\"there is no step {{other}}\").into()) }}
        }}"
    );
    fs::write(Path::new(&env::var("OUT_DIR")?).join("start_hlsl.rs"), modules + &run)?;
    Ok(())
}

/// Returns a program with its HLSL shader, and with a `main` that takes the window's options as an argument.
/// Returns `None` if a string to replace is missing.
fn in_hlsl(program: &str, root: &str, step: &str) -> Option<String> {
    const SHADER: &str = "const SHADER: &str = ";
    let code: String =
        program.lines().filter(|line| !line.starts_with("//!")).map(|line| format!("{line}\n")).collect();
    let (before, shader) = code.split_once(SHADER)?;
    let (_, after) = shader.split_once("\";\n")?;
    let file = format!("{root}/programs/{step}.hlsl");
    let code = format!("{before}{SHADER}include_str!({file:?});\n{after}");
    let replaced = [
        ("fn main()", "pub(super) fn main(args: onze_winit::WindowArgs)".to_owned()),
        (".with_args()", ".with(args)".to_owned()),
        ("ShaderSource::wgsl(", "ShaderSource::hlsl(".to_owned()),
    ];
    let code = replaced
        .iter()
        .try_fold(code, |code, (from, to)| code.contains(from).then(|| code.replace(from, to)))?;
    Some(code.replace("include_bytes!(\"../../..", &format!("include_bytes!(\"{root}/../..")))
}
