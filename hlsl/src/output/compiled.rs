use naga::valid::{Capabilities, ValidationFlags, Validator};

use crate::{output::reflection::Reflection, session::diagnostic::Diagnostics};

/// A compiled program, with its interface and the compiler's warnings.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The naga module. It is valid and has one entry point.
    ///
    /// Bind group 0 contains the constant buffers, group 1 the resources of `t` registers, group 2 the
    /// samplers, group 3 the resources of `u` registers, and group 4 the hidden counters of the buffers in
    /// group 3. The binding number is the register number. Inputs of vertex shaders are named after their
    /// semantics, and locations between stages are Direct3D 11's registers. If the module has the pipeline
    /// constant [`RENDER_TARGET_SAMPLE_COUNT`], set it to the sample count of the render targets when you
    /// create the pipeline. Its default is 1.
    ///
    /// naga has no geometry stage. The module of a geometry shader therefore has a function `onze.geometry` with two
    /// arguments, the numbers of the primitive and of the instance. It calls `onze.vertex` with the index of a vertex
    /// of the primitive, `onze.append0` with a vertex for the first stream, and `onze.restart0` at the end of a strip,
    /// and the same functions with other numbers for the other streams. These functions do nothing, and a driver
    /// replaces their bodies. A function that the shader does not call is absent, and vertices without elements are
    /// not passed. The members of vertices have the locations of their registers, and the position is a built-in value.
    /// The entry point is a compute shader that only calls `onze.geometry`.
    ///
    /// [`RENDER_TARGET_SAMPLE_COUNT`]: crate::RENDER_TARGET_SAMPLE_COUNT
    pub module: naga::Module,
    /// The name of the module's only entry point, to select it in wgpu or in a naga writer.
    pub entry_point: String,
    /// The interface of the program: its signatures, constant buffers and resources.
    pub reflection: Reflection,
    /// The warnings of the compilation. A loaded program has none, because stored programs do not contain
    /// them.
    pub warnings: Diagnostics,
}

impl Compiled {
    /// Writes the program as WGSL (D3D11: `D3DDisassemble`, which writes assembly).
    ///
    /// # Errors
    ///
    /// Fails if WGSL cannot express the program.
    #[doc(alias = "D3DDisassemble")]
    pub fn wgsl(&self) -> Result<String, naga::back::wgsl::Error> {
        let info = Validator::new(ValidationFlags::all(), Capabilities::all())
            .validate(&self.module)
            .map_err(|error| naga::back::wgsl::Error::Custom(error.to_string()))?;
        naga::back::wgsl::write_string(&self.module, &info, naga::back::wgsl::WriterFlags::empty())
    }
}
