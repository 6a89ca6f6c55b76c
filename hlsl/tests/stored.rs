//! The programs in `programs/` can be stored and loaded.
#![cfg(feature = "serde")]

use std::{fs, path::Path};

use onze_hlsl::{
    CompileOptions, Compiled, FolderIncludes, Macro, PreprocessOptions, Profile, ShaderModel, ShaderStage,
    compile,
};

/// Returns the shaders of a program and their stages, where a line such as `//= [pixel shader]` begins a
/// shader and any other `//=` line ends it.
fn shaders(text: &str) -> Vec<(ShaderStage, String)> {
    let mut shaders: Vec<(ShaderStage, String)> = Vec::new();
    let mut is_shader = false;
    for line in text.lines() {
        if let Some(line) = line.strip_prefix("//=") {
            let stages = [
                ("[vertex shader]", ShaderStage::Vertex),
                ("[hull shader]", ShaderStage::Hull),
                ("[domain shader]", ShaderStage::Domain),
                ("[pixel shader]", ShaderStage::Pixel),
                ("[compute shader]", ShaderStage::Compute),
            ];
            let found = stages.into_iter().find(|(name, _)| line.trim() == *name);
            is_shader = found.is_some();
            shaders.extend(found.map(|(_, stage)| (stage, String::new())));
        } else if let (true, Some((_, text))) = (is_shader, shaders.last_mut()) {
            text.push_str(line);
            text.push('\n');
        }
    }
    shaders
}

#[test]
fn loaded_programs_equal_the_stored_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let includes = FolderIncludes::new(&folder);
    let macros = [Macro::new("INPUT", "uniform")];
    let preprocess = PreprocessOptions { macros: &macros, include: Some(&includes) };
    let options = CompileOptions { preprocess, ..CompileOptions::default() };
    let mut count = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).unwrap();
        let options =
            CompileOptions { backwards_compatible: text.contains("//= options: backcompat"), ..options };
        for (stage, text) in shaders(&text) {
            let profile = Profile::new(stage, ShaderModel::V5_0);
            let compiled = compile(&text, &name, "main", profile, &options).unwrap();
            let bytes = compiled.to_bytes().unwrap();
            let loaded = Compiled::from_bytes(&bytes).unwrap();
            assert_eq!(loaded.wgsl().unwrap(), compiled.wgsl().unwrap(), "{name}");
            assert!(loaded.to_bytes().unwrap() == bytes, "{name}");
            assert_eq!(loaded.reflection, compiled.reflection, "{name}");
            assert_eq!(loaded.entry_point, "main", "{name}");
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}
