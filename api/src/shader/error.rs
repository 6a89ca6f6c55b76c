//! Why a shader was refused.
//!
//! `Display` uses the terms of WGSL. [`ShaderError::message`] uses those of the shader's language.

use crate::report::Error;

/// Why a shader could not be created, in words and with the names of the source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShaderError {
    /// The text is not a program of its language.
    #[error("the shader does not compile: {message}")]
    Parse {
        /// The line of the first mistake, from 1; 0 if the mistake has no place.
        line: u32,
        /// The column of the first mistake, from 1; 0 if the mistake has no place.
        column: u32,
        /// What is wrong, with the lines it is about.
        message: String,
    },
    /// The program is of another language than the constructor takes.
    #[error("`{constructor}` was given {found}; {cure}")]
    ForeignLanguage {
        /// The language, with the word that shows it.
        found: String,
        /// The constructor of [`ShaderSource`](crate::ShaderSource) that was called.
        constructor: &'static str,
        /// The right constructor, with the feature of the crate if it is off.
        cure: String,
    },
    /// The program has no entry point of that name.
    #[error("the source has no entry point `{entry_point}`; {}", list(.available))]
    EntryPointNotFound {
        /// The name that was asked for.
        entry_point: String,
        /// Names and stages of the entry points that exist.
        available: Vec<(String, &'static str)>,
    },
    /// The entry point belongs to another stage.
    #[error(
        "the entry point `{entry_point}` is a {found} shader, not a {expected} shader; name another one, or \
         call `create_{found}_shader`"
    )]
    WrongStage {
        /// The name of the entry point.
        entry_point: String,
        /// The stage that the shader is created for.
        expected: &'static str,
        /// The stage that the source says.
        found: &'static str,
    },
    /// No language has shaders of the stage.
    #[error("{stage} shaders cannot be written in this language")]
    NoSuchStage {
        /// The stage.
        stage: &'static str,
    },
    /// The program breaks a rule of its language, or needs what the device does not have.
    #[error("the shader is not valid: {message}")]
    Invalid {
        /// What is wrong, with the lines it is about.
        message: String,
    },
    /// The entry point uses 64-bit floating-point numbers, an optional feature of Direct3D 11 that no device has here.
    ///
    /// Direct3D 11 refuses such a shader if `D3D11_FEATURE_DATA_DOUBLES` is false.
    #[error(
        "the shader uses 64-bit floating-point numbers (`double` in HLSL, `f64` in WGSL), which the device does not \
         support: use 32-bit numbers, or keep the two words of a number in a vector of two `uint`s"
    )]
    Doubles,
    /// The entry point uses a pipeline-overridable constant, for which Direct3D 11 has no counterpart. Only
    /// `override render_target_sample_count: u32 = 1` of a pixel shader is set.
    #[error("`override {name}` cannot be set: use `const`, or a constant buffer")]
    Override {
        /// The constant's name.
        name: String,
    },
    /// A variable is in a group that is not for its kind.
    #[error(
        "`{variable}` is {kind} and belongs in @group({expected}), the {registers} registers, \
         not in @group({group})"
    )]
    WrongGroup {
        /// The variable's name.
        variable: String,
        /// What the variable is.
        kind: &'static str,
        /// The group that it is in.
        group: u32,
        /// The group that it should be in.
        expected: u32,
        /// The letter of the registers of that group.
        registers: char,
    },
    /// A variable's slot does not exist.
    #[error(
        "`{variable}` is in slot {registers}{slot}; the slots are {registers}0 to {registers}{}, so give it \
         another @binding", .slots - 1
    )]
    SlotOutOfRange {
        /// The variable's name.
        variable: String,
        /// The letter of the registers.
        registers: char,
        /// The slot.
        slot: u32,
        /// How many slots there are.
        slots: u32,
    },
    /// Two variables that the entry point uses are in the same slot.
    #[error("`{first}` and `{second}` are both in slot {registers}{slot}; give one of them another @binding")]
    DuplicateSlot {
        /// One variable's name.
        first: String,
        /// The other variable's name.
        second: String,
        /// The letter of the registers.
        registers: char,
        /// The slot.
        slot: u32,
    },
    /// A variable in the group of the counters is none.
    #[error(
        "`{variable}` is in @group(4), which has the counters of the u registers; declare the counter of u{slot} as \
         `@group(4) @binding({slot}) var<storage, read_write> {variable}: atomic<u32>;`, or use another group"
    )]
    NoCounter {
        /// The variable's name.
        variable: String,
        /// The `u` register.
        slot: u32,
    },
    /// Two variables are the counter of the same register.
    #[error("`{first}` and `{second}` are both the counter of u{slot}; declare it once")]
    DuplicateCounter {
        /// One variable's name.
        first: String,
        /// The other variable's name.
        second: String,
        /// The `u` register.
        slot: u32,
    },
    /// A variable is an array of resources.
    #[error("`{variable}` is an array of bindings: give each resource a slot of its own")]
    BindingArray {
        /// The variable's name.
        variable: String,
    },
    /// A variable is written to, or could be: it needs an unordered-access view, which pixel and compute shaders have.
    #[error(
        "`{variable}` is {kind}, which needs an unordered-access view (the u registers, \
         @group(3)); pixel and compute shaders have them"
    )]
    UnorderedAccess {
        /// The variable's name.
        variable: String,
        /// What the variable is.
        kind: &'static str,
    },
    /// A 1D texture is sampled at an offset.
    #[error(
        "`{variable}` is a `texture_1d` and sampled at an offset, which does not work; add the offset to the coordinate"
    )]
    Offset1d {
        /// The variable's name.
        variable: String,
    },
    /// A variable is of a kind that Direct3D 11 does not have.
    #[error("`{variable}` is {kind}, which Direct3D 11 does not have")]
    UnsupportedResource {
        /// The variable's name.
        variable: String,
        /// What the variable is.
        kind: &'static str,
    },
    /// A constant buffer is larger than the part of a buffer that a shader sees.
    #[error(
        "the constant buffer `{variable}` has {size} bytes; a shader sees at most 65536, so put more into a \
         structured buffer or a texture"
    )]
    ConstantBufferTooLarge {
        /// The variable's name.
        variable: String,
        /// Its size in bytes.
        size: u32,
    },
    /// A compute shader's group has more threads than Direct3D 11 allows.
    #[error(
        "a group has {x} x {y} x {z} threads; at most 1024 x 1024 x 64 are possible, and 1024 in all, so make \
         @workgroup_size smaller and dispatch more groups"
    )]
    GroupTooLarge {
        /// Threads in x.
        x: u32,
        /// Threads in y.
        y: u32,
        /// Threads in z.
        z: u32,
    },
    /// A compute shader's group shares more memory than Direct3D 11 allows.
    #[error(
        "the `var<workgroup>` variables have {bytes} bytes; a group shares at most {most}, so make them smaller, or \
         use a buffer"
    )]
    GroupMemoryTooLarge {
        /// Their bytes.
        bytes: u32,
        /// The most that there may be.
        most: u32,
    },
    /// An input or output has a location that does not exist.
    #[error(
        "{what}{} is at location {location}; the locations are 0 to {}, so give it another one",
        quoted(.name), .locations - 1
    )]
    LocationOutOfRange {
        /// What the location is of: "the input", "the output" or "the colour".
        what: &'static str,
        /// The name of the input or output.
        name: String,
        /// The location.
        location: u32,
        /// How many locations there are.
        locations: u32,
    },
    /// A vertex shader gives more values than Direct3D 11 has registers for.
    #[error(
        "the vertex shader gives {values} values; at most {most} fit beside the position, so put several into a vector of \
         four components"
    )]
    TooManyOutputs {
        /// Values at locations.
        values: u32,
        /// The most that there may be.
        most: u32,
    },
    /// Two inputs of a vertex shader have the same semantic, so that an input layout could not
    /// tell them apart.
    #[error(
        "the inputs `{first}` and `{second}` have the same semantic {semantic}{index}; rename one of them"
    )]
    DuplicateSemantic {
        /// One input's name.
        first: String,
        /// The other input's name.
        second: String,
        /// The semantic's name.
        semantic: String,
        /// The semantic's index.
        index: u32,
    },
}

/// The entry points that there are, and what to do.
fn list(points: &[(String, &'static str)]) -> String {
    let names: Vec<_> = points.iter().map(|(name, stage)| format!("`{name}` ({stage})")).collect();
    match names.split_last() {
        None => "mark a function with `@vertex`, `@fragment` or `@compute`".to_owned(),
        Some((last, [])) => format!("name the one that it has, {last}"),
        Some((last, others)) => format!("name one of those that it has, {} and {last}", others.join(", ")),
    }
}

/// " `name`", or nothing: outputs need not have names.
fn quoted(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(" `{name}`") }
}

impl From<ShaderError> for Error {
    fn from(error: ShaderError) -> Self {
        Self::InvalidArg(error.to_string())
    }
}
