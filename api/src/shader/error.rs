//! The reasons for rejecting a shader, with the names of the variables, inputs and outputs involved.
//!
//! `Display` uses the terms of WGSL, while [`ShaderError::message`] uses the terms of the shader's language.

use onze_ddi::ShaderStage;

use crate::report::Error;

/// The reason why a shader could not be created, with names from the source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShaderError {
    /// The source does not parse as a program of its language.
    #[error("the shader does not compile: {message}")]
    Parse {
        /// The line of the first mistake, counted from 1, or 0 if the position is unknown.
        line: u32,
        /// The column of the first mistake, counted from 1, or 0 if the position is unknown.
        column: u32,
        /// The compiler's description of the mistake, with the affected lines of the source.
        message: String,
    },
    /// The program is in a language other than the one that the constructor expects.
    #[error("`{constructor}` was given {found}; {cure}")]
    ForeignLanguage {
        /// The detected language, with the word of the source that identifies it.
        found: String,
        /// The constructor of [`ShaderSource`](crate::ShaderSource) that was called.
        constructor: &'static str,
        /// Advice that names the right constructor, and also the crate feature that it needs if the feature
        /// is off.
        cure: String,
    },
    /// The program has no entry point with the given name.
    #[error("the source has no entry point `{entry_point}`; {}", list(.available))]
    EntryPointNotFound {
        /// The name that the application passed to the constructor of the source.
        entry_point: String,
        /// Names and stages of the entry points in the source.
        available: Vec<(String, &'static str)>,
    },
    /// The entry point belongs to a stage other than the shader's.
    #[error(
        "the entry point `{entry_point}` is a {found} shader, not a {expected} shader; name another entry point, or \
         call `create_{found}_shader`"
    )]
    WrongStage {
        /// The name of the entry point, which exists in the source.
        entry_point: String,
        /// The name of the stage that the shader is created for.
        expected: &'static str,
        /// The name of the stage that the entry point has in the source.
        found: &'static str,
    },
    /// The language has no shaders for the stage.
    #[error("{stage} shaders cannot be written in this language")]
    NoSuchStage {
        /// The name of the stage that the shader was to be created for.
        stage: &'static str,
    },
    /// A geometry shader in WGSL does not follow the convention of
    /// [`ShaderSource::wgsl_geometry`](crate::ShaderSource::wgsl_geometry).
    #[error("the geometry shader cannot be created: {reason}")]
    Geometry {
        /// The rule that the shader breaks, with the name of the function or the number.
        reason: String,
    },
    /// A hull shader in WGSL does not follow the convention of
    /// [`ShaderSource::wgsl_hull`](crate::ShaderSource::wgsl_hull).
    #[error("the hull shader cannot be created: {reason}")]
    Hull {
        /// The rule that the shader breaks, with the name of the function or the number.
        reason: String,
    },
    /// A domain shader in WGSL does not follow the convention of
    /// [`ShaderSource::wgsl_domain`](crate::ShaderSource::wgsl_domain).
    #[error("the domain shader cannot be created: {reason}")]
    Domain {
        /// The rule that the shader breaks, with the name of the function or the number.
        reason: String,
    },
    /// The program breaks a rule of its language, or needs a capability that the device does not have.
    #[error("the shader is not valid: {message}")]
    Invalid {
        /// The compiler's description of the mistake, with the affected lines of the source.
        message: String,
    },
    /// The entry point uses 64-bit floating-point numbers, an optional feature of Direct3D 11 that no device
    /// of this library supports.
    ///
    /// Direct3D 11 rejects such a shader if `D3D11_FEATURE_DATA_DOUBLES` is false.
    #[error(
        "the shader uses 64-bit floating-point numbers (`double` in HLSL, `f64` in WGSL), which the device does not \
         support: use 32-bit numbers, or keep the two words of a number in a vector of two `uint`s"
    )]
    Doubles,
    /// The entry point uses a pipeline-overridable constant, which Direct3D 11 does not have. The only
    /// exception is `override render_target_sample_count: u32 = 1` in a pixel shader, a constant that drivers
    /// set.
    #[error("`override {name}` cannot be set: use `const`, or a constant buffer")]
    Override {
        /// The name of the constant in the source.
        name: String,
    },
    /// A variable is in a group for another kind of resource.
    #[error(
        "`{variable}` is {kind} and belongs in @group({expected}), the {registers} registers, \
         not in @group({group})"
    )]
    WrongGroup {
        /// The name of the variable in the source.
        variable: String,
        /// The kind of the variable with an article, for the error message.
        kind: &'static str,
        /// The number of the group in which the source declares the variable.
        group: u32,
        /// The number of the group that Onze uses for variables of this kind.
        expected: u32,
        /// The letter of the expected group's registers: `b`, `t`, `s` or `u`.
        registers: char,
    },
    /// A variable's slot is outside Direct3D 11's range for its kind.
    #[error(
        "`{variable}` is in slot {registers}{slot}; the slots are {registers}0 to {registers}{}, so give it \
         another @binding", .slots - 1
    )]
    SlotOutOfRange {
        /// The name of the variable in the source.
        variable: String,
        /// The letter of the slot's registers: `b`, `t`, `s` or `u`.
        registers: char,
        /// The number of the slot, which is at least `slots`.
        slot: u32,
        /// The number of slots of this kind.
        slots: u32,
    },
    /// Two variables that the entry point uses are in the same slot.
    #[error("`{first}` and `{second}` are both in slot {registers}{slot}; give one of them another @binding")]
    DuplicateSlot {
        /// The name of one of the two variables.
        first: String,
        /// The name of the other variable.
        second: String,
        /// The letter of the slot's registers: `b`, `t`, `s` or `u`.
        registers: char,
        /// The number of the slot that both variables use.
        slot: u32,
    },
    /// A variable in the group for counters is not declared as a counter.
    #[error(
        "`{variable}` is in @group(4), which is for the counters of the u registers; declare the counter of u{slot} as \
         `@group(4) @binding({slot}) var<storage, read_write> {variable}: atomic<u32>;`, or use another group"
    )]
    NoCounter {
        /// The name of the variable in the source.
        variable: String,
        /// The number of the `u` register that the counter belongs to.
        slot: u32,
    },
    /// Two variables are declared as the counter of the same register.
    #[error("`{first}` and `{second}` are both the counter of u{slot}; declare it once")]
    DuplicateCounter {
        /// The name of one of the two variables.
        first: String,
        /// The name of the other variable.
        second: String,
        /// The number of the `u` register that the counter belongs to.
        slot: u32,
    },
    /// A variable is an array of resources, which has no counterpart in Direct3D 11's model of slots.
    #[error("`{variable}` is an array of bindings: give each resource a slot of its own")]
    BindingArray {
        /// The name of the variable in the source.
        variable: String,
    },
    /// A shader outside the pixel and compute stages uses a writable variable, although only these two stages
    /// have unordered-access views.
    #[error(
        "`{variable}` is {kind}, which needs an unordered-access view (the u registers, \
         @group(3)); pixel and compute shaders have them"
    )]
    UnorderedAccess {
        /// The name of the variable in the source.
        variable: String,
        /// The kind of the variable with an article, for the error message.
        kind: &'static str,
    },
    /// A 1D texture is sampled at an offset, which `texture_1d` does not support.
    #[error(
        "`{variable}` is a `texture_1d`, which cannot be sampled at an offset; add the offset to the coordinate"
    )]
    Offset1d {
        /// The name of the variable in the source.
        variable: String,
    },
    /// A variable has a kind that does not exist in Direct3D 11.
    #[error("`{variable}` is {kind}, which Direct3D 11 does not have")]
    UnsupportedResource {
        /// The name of the variable in the source.
        variable: String,
        /// The kind of the variable with an article, for the error message.
        kind: &'static str,
    },
    /// A constant buffer is larger than the 64 KiB that a shader can access.
    #[error(
        "the constant buffer `{variable}` has {size} bytes; a shader can access at most 65536, so move data to a \
         structured buffer or a texture"
    )]
    ConstantBufferTooLarge {
        /// The name of the variable in the source.
        variable: String,
        /// The size of the constant buffer in bytes, which exceeds 65536.
        size: u32,
    },
    /// A compute shader's group has more threads than Direct3D 11 allows.
    #[error(
        "a group has {x} x {y} x {z} threads; the limits are 1024 x 1024 x 64, and 1024 in total, so make \
         @workgroup_size smaller and dispatch more groups"
    )]
    GroupTooLarge {
        /// Number of threads in x, with a limit of 1024.
        x: u32,
        /// Number of threads in y, with a limit of 1024.
        y: u32,
        /// Number of threads in z, with a limit of 64.
        z: u32,
    },
    /// A compute shader uses more group-shared memory than Direct3D 11 allows.
    #[error(
        "the `var<workgroup>` variables take {bytes} bytes; a group can share at most {most}, so make them smaller, or \
         use a buffer"
    )]
    GroupMemoryTooLarge {
        /// Size of the group-shared variables in bytes.
        bytes: u32,
        /// Maximum size of the group-shared variables in bytes.
        most: u32,
    },
    /// The location of an input or output is out of range.
    #[error(
        "{what}{} is at location {location}; the locations are 0 to {}, so choose one of them",
        quoted(.name), .locations - 1
    )]
    LocationOutOfRange {
        /// The kind of item at the location: "the input", "the output" or "the colour".
        what: &'static str,
        /// The name of the input or output, which may be empty.
        name: String,
        /// The location in the source, which is at least `locations`.
        location: u32,
        /// The number of available locations.
        locations: u32,
    },
    /// A vertex shader has more outputs than Direct3D 11 has registers.
    #[error(
        "the vertex shader has {values} outputs; at most {most} fit beside the position, so combine several into a vector \
         of four components"
    )]
    TooManyOutputs {
        /// The number of outputs with locations, not including the position.
        values: u32,
        /// The maximum number of outputs with locations, not including the position.
        most: u32,
    },
    /// Two inputs of a vertex shader have the same semantic, so an input layout cannot distinguish them.
    #[error(
        "the inputs `{first}` and `{second}` have the same semantic {semantic}{index}; rename one of them"
    )]
    DuplicateSemantic {
        /// The name of one of the two inputs.
        first: String,
        /// The name of the other input.
        second: String,
        /// The name of the semantic that both inputs have.
        semantic: String,
        /// The index of the semantic that both inputs have.
        index: u32,
    },
}

impl ShaderError {
    /// Creates the error of a shader of one of the stages that WGSL lacks.
    pub(super) const fn of_stage(stage: ShaderStage, reason: String) -> Self {
        match stage {
            ShaderStage::Hull => Self::Hull { reason },
            ShaderStage::Domain => Self::Domain { reason },
            ShaderStage::Geometry | ShaderStage::Vertex | ShaderStage::Pixel | ShaderStage::Compute => {
                Self::Geometry { reason }
            }
        }
    }
}

/// Returns advice that lists the entry points of the source.
fn list(points: &[(String, &'static str)]) -> String {
    let names: Vec<_> = points.iter().map(|(name, stage)| format!("`{name}` ({stage})")).collect();
    match names.split_last() {
        None => "mark a function with `@vertex`, `@fragment` or `@compute`".to_owned(),
        Some((last, [])) => format!("the only one is {last}"),
        Some((last, others)) => format!("choose from {} and {last}", others.join(", ")),
    }
}

/// Formats a name in backticks after a space, or returns an empty string if the name is empty.
fn quoted(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" `{name}`") }
}

impl From<ShaderError> for Error {
    fn from(error: ShaderError) -> Self {
        Self::InvalidArg(error.to_string())
    }
}
