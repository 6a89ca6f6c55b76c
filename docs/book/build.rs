//! Compiles the shader of the program `hlsl_compiled`.

use onze_hlsl::build::{BuildError, Shaders};

fn main() -> Result<(), BuildError> {
    Shaders::new()
        .shader("programs/hlsl_compiled.hlsl", "VS", "vs_5_0")
        .shader("programs/hlsl_compiled.hlsl", "PS", "ps_5_0")
        .compile()
}
