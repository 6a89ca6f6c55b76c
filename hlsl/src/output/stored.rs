//! Compiled programs as bytes, which can be stored in a file and loaded without the source.
//!
//! The bytes begin with a signature and three sections, each preceded by its length: the versions of this
//! crate and of naga, the program's checksum, and the program. The program consists of the module, the name
//! of the entry point and the reflection, encoded as MessagePack. The reader has a depth limit, so malicious
//! bytes cannot exhaust the stack, and naga's validator checks each loaded module.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use serde::{Deserialize, Serialize};

use crate::{Compiled, Diagnostics, output::reflection::Reflection};

/// The first bytes of a stored program, which distinguish it from other files.
const MAGIC: &[u8; 8] = b"onzehlsl";

/// The versions of this crate and of naga that wrote the bytes, which both matter because the module types
/// differ between versions of naga.
const WRITER: &str = concat!(env!("CARGO_PKG_VERSION"), " with naga 30");

/// Maximum nesting of stored values. The grammar allows about 60 nested blocks, and a block of a `switch`
/// takes four levels, so this limit leaves some headroom.
const MOST_DEPTH: usize = 272;

/// Maximum nesting that is read on the caller's thread. Reading takes about 10 KiB of stack per level, so
/// deeper programs are read on a separate thread.
const MOST_DEPTH_HERE: usize = 96;

/// Stack size in bytes of the thread that reads deeper programs.
const DEEP_STACK: usize = 8 << 20;

/// The reason why bytes could not be loaded or a program could not be stored.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredError {
    /// The bytes do not begin with the signature that [`Compiled::to_bytes`] writes.
    #[error("these bytes are not a stored shader: store one with Compiled::to_bytes")]
    NotStored,
    /// Another version of this crate or of naga wrote the bytes, so the program must be compiled again.
    #[error("the shader was stored by onze-hlsl {found}, but this is {expected}: compile it again")]
    OtherVersion {
        /// The version that wrote the bytes, from their header.
        found: String,
        /// The version that this crate writes, which is the only one that it loads.
        expected: &'static str,
    },
    /// The bytes are incomplete, or were modified after they were written.
    #[error("the stored shader is damaged: {reason}; compile it again")]
    Damaged {
        /// The failed check, or the error message of the reader or of naga's validator.
        reason: String,
    },
    /// The blocks of the program are nested too deeply to be stored and loaded again.
    #[error("the shader cannot be stored: its blocks are nested too deeply")]
    TooDeep,
    /// The stored program could not be loaded again for a reason other than its nesting depth.
    #[error("the shader cannot be stored: {reason}")]
    NotStorable {
        /// The error message of the writer, the reader or the validator.
        reason: String,
    },
}

fn damaged(reason: impl ToString) -> StoredError {
    StoredError::Damaged { reason: reason.to_string() }
}

fn not_storable(reason: impl ToString) -> StoredError {
    StoredError::NotStorable { reason: reason.to_string() }
}

#[derive(Serialize)]
struct ProgramWriter<'a> {
    module: &'a naga::Module,
    entry_point: &'a str,
    reflection: &'a Reflection,
}

#[derive(Deserialize)]
struct ProgramReader {
    module: naga::Module,
    entry_point: String,
    reflection: Reflection,
}

impl Compiled {
    /// Stores the program as bytes that [`Compiled::from_bytes`] of the same version of this crate can load.
    ///
    /// The bytes contain neither the warnings nor the module's source positions. They have the same purpose
    /// as the blob from D3D11's `D3DCompile`, but a different format.
    ///
    /// ```
    /// use onze_hlsl::{CompileOptions, Compiled, compile};
    ///
    /// let text = "float4 main() : SV_Target { return 1; }";
    /// let compiled = compile(text, "white.hlsl", "main", "ps_5_0".parse()?, &CompileOptions::default())?;
    /// let bytes = compiled.to_bytes()?;
    /// let loaded = Compiled::from_bytes(&bytes)?;
    /// assert_eq!(loaded.wgsl()?, compiled.wgsl()?);
    /// assert_eq!(loaded.reflection, compiled.reflection);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`StoredError::TooDeep`] if the program is nested too deeply to be loaded again, and
    /// [`StoredError::NotStorable`] if it cannot be written or loaded for another reason.
    #[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
    pub fn to_bytes(&self) -> Result<Vec<u8>, StoredError> {
        let Compiled { module, entry_point, reflection, warnings: _ } = self;
        let body =
            rmp_serde::to_vec(&ProgramWriter { module, entry_point, reflection }).map_err(not_storable)?;
        // The program is read back, because only the reader detects values that are nested too deeply.
        read(&body).map_err(|error| match error {
            rmp_serde::decode::Error::DepthLimitExceeded => StoredError::TooDeep,
            error => not_storable(error),
        })?;
        let mut bytes = MAGIC.to_vec();
        for part in [WRITER.as_bytes(), &checksum(&body).to_le_bytes(), &body] {
            bytes.extend((part.len() as u64).to_le_bytes());
            bytes.extend(part);
        }
        Ok(bytes)
    }

    /// Loads a program from bytes that [`Compiled::to_bytes`] returned, without its warnings.
    ///
    /// Loading validates the module but does not run the compiler.
    ///
    /// # Errors
    ///
    /// Returns an error if [`Compiled::to_bytes`] did not write the bytes, if another version wrote them, or
    /// if they are damaged.
    #[cfg_attr(docsrs, doc(cfg(feature = "serde")))]
    pub fn from_bytes(bytes: &[u8]) -> Result<Compiled, StoredError> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(StoredError::NotStored)?;
        let writer = String::from_utf8_lossy(part(&mut rest)?);
        if writer != WRITER {
            return Err(StoredError::OtherVersion { found: writer.into_owned(), expected: WRITER });
        }
        let sum = part(&mut rest)?;
        let body = part(&mut rest)?;
        if !rest.is_empty() {
            return Err(damaged(format!("{} bytes follow its end", rest.len())));
        }
        if sum != checksum(body).to_le_bytes() {
            return Err(damaged("its checksum is wrong"));
        }
        load(body)
    }
}

/// Splits a section, preceded by its length, from the beginning of the bytes.
fn part<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], StoredError> {
    let short = || damaged("its end is missing");
    let (length, rest) = bytes.split_first_chunk().ok_or_else(short)?;
    let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| short())?;
    let (part, rest) = rest.split_at_checked(length).ok_or_else(short)?;
    *bytes = rest;
    Ok(part)
}

/// Computes the 64-bit FNV-1a checksum, which detects damage but not deliberate changes.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Reads the stored values. Deeply nested values are read on a thread with a larger stack, and are an error
/// if the platform cannot start threads.
fn read(body: &[u8]) -> Result<ProgramReader, rmp_serde::decode::Error> {
    use rmp_serde::decode::Error::DepthLimitExceeded;

    match read_here(body, MOST_DEPTH_HERE) {
        Err(DepthLimitExceeded) => std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(DEEP_STACK);
            let reading = thread.spawn_scoped(scope, || read_here(body, MOST_DEPTH));
            let reading = reading.ok().and_then(|reading| reading.join().ok());
            reading.unwrap_or(Err(DepthLimitExceeded))
        }),
        result => result,
    }
}

fn read_here(body: &[u8], most_depth: usize) -> Result<ProgramReader, rmp_serde::decode::Error> {
    let mut reader = rmp_serde::Deserializer::from_read_ref(body);
    reader.set_max_depth(most_depth);
    ProgramReader::deserialize(&mut reader)
}

/// Loads the program if its module is valid and contains the entry point.
fn load(body: &[u8]) -> Result<Compiled, StoredError> {
    let ProgramReader { module, entry_point, reflection } = read(body).map_err(damaged)?;
    if !module.entry_points.iter().any(|point| point.name == entry_point) {
        return Err(damaged("its entry point is missing"));
    }
    if !is_well_founded(&module) {
        return Err(damaged("a function uses a missing argument, or calls itself or a later function"));
    }
    Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| damaged(error.into_inner()))?;
    Ok(Compiled { module, entry_point, reflection, warnings: Diagnostics::default() })
}

/// Returns whether functions access only existing arguments and call only functions that precede them,
/// because naga's validator assumes both and panics otherwise.
fn is_well_founded(module: &naga::Module) -> bool {
    let functions = module.functions.iter().map(|(handle, function)| (handle.index(), function));
    let points = module.entry_points.iter().map(|point| (module.functions.len(), &point.function));
    functions.chain(points).all(|(place, function)| {
        let has_arguments = function.expressions.iter().all(|(_, expression)| match expression {
            naga::Expression::FunctionArgument(index) => (*index as usize) < function.arguments.len(),
            _ => true,
        });
        has_arguments && calls_before(&function.body, place)
    })
}

fn calls_before(block: &naga::Block, place: usize) -> bool {
    block.iter().all(|statement| match statement {
        naga::Statement::Call { function, .. } => function.index() < place,
        naga::Statement::Block(block) => calls_before(block, place),
        naga::Statement::If { accept, reject, .. } => {
            calls_before(accept, place) && calls_before(reject, place)
        }
        naga::Statement::Switch { cases, .. } => cases.iter().all(|case| calls_before(&case.body, place)),
        naga::Statement::Loop { body, continuing, .. } => {
            calls_before(body, place) && calls_before(continuing, place)
        }
        _ => true,
    })
}

#[cfg(test)]
mod tests;
