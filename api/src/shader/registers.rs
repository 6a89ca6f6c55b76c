//! The limit on a vertex shader's outputs, which Direct3D 11 counts in registers.

use onze_ddi::{ShaderReflection, ShaderStage};

use super::ShaderError;

/// Number of registers for a vertex shader's outputs (D3D11: `D3D11_VS_OUTPUT_REGISTER_COUNT`).
const VS_OUTPUT_REGISTERS: u32 = 32;

/// Rejects a vertex shader whose outputs need more registers than remain besides the position.
pub(super) fn check_registers(shader: &ShaderReflection) -> Result<(), ShaderError> {
    let values = shader.outputs.len() as u32;
    // Every output uses one register, and the position uses one more.
    let most = VS_OUTPUT_REGISTERS - 1;
    if shader.stage == ShaderStage::Vertex && values > most {
        return Err(ShaderError::TooManyOutputs { values, most });
    }
    Ok(())
}
