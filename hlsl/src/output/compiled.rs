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
    /// naga has no hull and domain stages either. The module of a hull shader has these functions:
    ///
    /// * `onze.control_point` returns an output control point. Its arguments are the index of the point and the number of
    ///   the patch. It is absent if the control points have no elements, and if the shader passes its input on because its
    ///   main function has an `InputPatch` but no outputs.
    /// * `onze.patch_constants` returns the patch constants of the patch with the given number. The result begins with all
    ///   tessellation factors of the domain, each an `f32` without a binding: first those of the edges, then those of the
    ///   inside. Factors that the program does not write are 0.
    /// * `onze.input_point` and `onze.output_point` return a control point with the given index. The latter is for the
    ///   patch constants, which depend on the output control points.
    ///
    /// The module of a domain shader has these functions:
    ///
    /// * `onze.domain` returns a vertex with the structure that the result of a vertex shader with these outputs would
    ///   have. Its arguments are the location in the domain, a `vec3<f32>` whose last component is used only in triangles,
    ///   and the number of the patch.
    /// * `onze.point` returns a control point with the given index.
    /// * `onze.constants` returns the patch constants, with all factors at the beginning.
    ///
    /// A driver replaces the bodies of `onze.input_point`, `onze.output_point`, `onze.point` and `onze.constants`, which
    /// return zeros. Each is absent if the shader does not read it, and its result contains only elements that the shader
    /// reads. Control points with an index that is out of range are never read. The entry point is a compute shader that
    /// only calls these.
    ///
    /// `static` variables are private variables of the module. They keep their values from one call of the shader's
    /// functions to the next, so a driver that calls a function several times gives them their initial values again.
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
