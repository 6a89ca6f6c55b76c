//! Tests of shader compilation in build scripts.
#![cfg(feature = "serde")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use onze_hlsl::{
    CompileOptions, Compiled, FolderIncludes, Macro, PreprocessOptions, TextIncludes,
    build::{BuildError, Shaders},
};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let folder = std::env::temp_dir().join(format!("onze-hlsl-build-{name}-{}", std::process::id()));
        for (name, text) in files {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn compile(&self, shaders: &Shaders<'_>) -> (Vec<String>, Result<(), BuildError>) {
        let mut cargo = Vec::new();
        let result = shaders.compile_into(&self.0, &mut cargo);
        let cargo = String::from_utf8(cargo).unwrap().replace(&*self.0.to_string_lossy(), "DIR");
        (cargo.lines().map(str::to_owned).collect(), result)
    }

    fn load(&self, name: &str) -> Compiled {
        Compiled::from_bytes(&fs::read(self.path(name)).unwrap()).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const WAVES: &str = "#include \"lib/wave.hlsli\"
float4 VS(float2 place : POSITION) : SV_Position { return float4(place, wave(place.x), 1); }
float4 PS() : SV_Target { return TINT; }";

#[test]
fn shaders_are_stored_and_their_includes_reported_to_cargo() {
    let folder = Folder::new(
        "whole",
        &[
            ("waves.hlsl", WAVES),
            ("lib/wave.hlsli", "#include \"pi.hlsli\"\nfloat wave(float x) { return sin(PI * x); }"),
            ("lib/pi.hlsli", "#define PI 3.14159"),
            ("other/unused.hlsli", ""),
        ],
    );
    let white = [Macro::new("TINT", "1")];
    let options = CompileOptions {
        preprocess: PreprocessOptions { macros: &white, include: None },
        ..CompileOptions::default()
    };
    let shaders = Shaders::new()
        .options(options)
        .folder(folder.path("other"))
        .shader(folder.path("waves.hlsl"), "VS", "vs_5_0")
        .shader(folder.path("waves.hlsl"), "PS", "ps_4_0")
        .variant(
            "red",
            folder.path("waves.hlsl"),
            "PS",
            "ps_5_0",
            &[Macro::new("TINT", "float4(1, 0, 0, 1)")],
        );
    let (cargo, result) = folder.compile(&shaders);
    result.unwrap();
    assert_eq!(
        cargo,
        ["lib/pi.hlsli", "lib/wave.hlsli", "waves.hlsl"]
            .map(|file| format!("cargo::rerun-if-changed=DIR/{file}"))
    );
    assert_eq!(folder.load("waves.VS.shader").reflection.inputs[0].semantic_name, "POSITION");
    assert_eq!(folder.load("waves.PS.shader").reflection.profile().to_string(), "ps_4_0");
    let wgsl = |name: &str| folder.load(name).wgsl().unwrap();
    assert_ne!(wgsl("waves.PS.shader"), wgsl("red.shader"));
}

#[test]
fn files_of_an_include_handler_are_reported_to_cargo() {
    let folder = Folder::new("own", &[("a.hlsl", "#include <b.hlsli>\n"), ("lib/b.hlsli", WHITE)]);
    let includes = FolderIncludes::new(folder.path("lib"));
    let options = CompileOptions {
        preprocess: PreprocessOptions { include: Some(&includes), ..PreprocessOptions::default() },
        ..CompileOptions::default()
    };
    let shaders = Shaders::new().options(options).shader(folder.path("a.hlsl"), "main", "ps_5_0");
    let (cargo, result) = folder.compile(&shaders);
    result.unwrap();
    assert_eq!(cargo, ["a.hlsl", "lib/b.hlsli"].map(|file| format!("cargo::rerun-if-changed=DIR/{file}")));
}

const WHITE: &str = "float4 main() : SV_Target { return 1; }";

#[test]
fn errors_fail_the_build_with_the_compilers_messages() {
    let folder = Folder::new(
        "wrong",
        &[
            ("wrong.hlsl", "float4 VS() : SV_Position { return sun; }\nfloat4 PS() : SV_Target { return 1 }"),
            ("right.hlsl", "float4 PS() : SV_Target { float a = float4(1, 2, 3, 4); return a; }"),
        ],
    );
    let path = |name| folder.path(name);
    let shaders = Shaders::new()
        .shader(path("wrong.hlsl"), "VS", "vs_5_0")
        .shader(path("missing.hlsl"), "VS", "vs_5_0")
        .shader(path("right.hlsl"), "VS", "vs_6_0")
        .shader(path("right.hlsl"), "PS", "ps_5_0")
        .shader(path("right.hlsl"), "PS", "ps_4_0");
    let (cargo, result) = folder.compile(&shaders);
    let error = result.unwrap_err();
    let text = error.to_string().replace(&*folder.0.to_string_lossy(), "DIR");
    for expected in [
        "\nDIR/wrong.hlsl(2,36): error X3000: syntax error: unexpected token '}'; expected ';'\n",
        "\nDIR/missing.hlsl: ",
        "\nDIR/right.hlsl: the profile 'vs_6_0' is one of Direct3D 12",
        "\ntwo shaders are called right.PS",
    ] {
        assert!(text.contains(expected), "{text}");
    }
    assert_eq!(format!("{error:?}"), error.to_string());
    assert!(cargo[0].starts_with("cargo::warning=DIR/right.hlsl(1,37-54): warning X3206"), "{cargo:?}");
    for file in ["missing", "right", "wrong"] {
        assert!(cargo.contains(&format!("cargo::rerun-if-changed=DIR/{file}.hlsl")), "{cargo:?}");
    }
    assert_eq!(folder.load("right.PS.shader").entry_point, "PS");
    assert!(!path("wrong.VS.shader").exists());
}

#[test]
fn includes_without_files_are_not_reported_to_cargo() {
    let folder = Folder::new("texts", &[("waves.hlsl", WAVES)]);
    let texts =
        TextIncludes::new().with_text("lib/wave.hlsli", "#define TINT 1\nfloat wave(float x) { return x; }");
    let options = CompileOptions {
        preprocess: PreprocessOptions { include: Some(&texts), ..PreprocessOptions::default() },
        ..CompileOptions::default()
    };
    let shaders = Shaders::new().options(options).shader(folder.path("waves.hlsl"), "PS", "ps_5_0");
    let (cargo, result) = folder.compile(&shaders);
    result.unwrap();
    assert_eq!(cargo, ["cargo::rerun-if-changed=DIR/waves.hlsl"]);
    let nowhere = shaders.compile_into(Path::new("no/such/folder"), &mut Vec::new());
    assert!(nowhere.is_err_and(|error| error.to_string().contains("waves.PS.shader")));
}
