//! Validation of buffer descriptors, against the rules of `D3D11_BUFFER_DESC` and the device's features.

use onze_ddi::{BindFlags, BufferDesc, Features, MiscFlags, PipelineCaps, Usage};

use super::{
    flag_names, named, need,
    usage::{not_shared, usage},
};
use crate::report::Error;

/// Maximum size of one element of a structured buffer, in bytes (D3D11:
/// `D3D11_REQ_MULTI_ELEMENT_STRUCTURE_SIZE_IN_BYTES`).
const MAX_STRUCTURE_STRIDE: u32 = 2048;

/// Checks a buffer's descriptor and contents, and returns the descriptor that `GetDesc` reports, with a
/// stride of 0 unless the buffer is structured.
///
/// Constant buffers may be larger than the 64 KiB window that a shader can access at once.
pub(crate) fn buffer(
    desc: &BufferDesc,
    contents: Option<&[u8]>,
    caps: &PipelineCaps,
) -> Result<BufferDesc, Error> {
    rules(desc, contents)
        .and_then(|()| available(desc, caps))
        .map_err(|e| e.about(named("buffer", desc.label.as_deref().unwrap_or_default())))?;
    let mut desc = desc.clone();
    if !desc.misc_flags.contains(MiscFlags::BUFFER_STRUCTURED) {
        desc.structure_byte_stride = 0;
    }
    Ok(desc)
}

/// Checks the rules of Direct3D 11 that apply to every device.
fn rules(desc: &BufferDesc, contents: Option<&[u8]>) -> Result<(), Error> {
    let BufferDesc { byte_width, bind_flags: bind, misc_flags: misc, .. } = *desc;
    if byte_width == 0 {
        return invalid!("byte_width is 0; a buffer has at least one byte");
    }
    usage(desc.usage, bind, desc.cpu_access_flags, misc, contents.is_some())?;
    if bind.contains(BindFlags::CONSTANT_BUFFER) {
        if bind != BindFlags::CONSTANT_BUFFER {
            return invalid!(
                "CONSTANT_BUFFER cannot be combined with other bind flags, found {}; make a buffer for each use",
                flag_names(bind)
            );
        }
        if !byte_width.is_multiple_of(16) {
            return invalid!(
                "a constant buffer's byte_width is a multiple of 16, found {byte_width}; make it {}",
                byte_width.checked_next_multiple_of(16).unwrap_or(byte_width)
            );
        }
    }
    misc_rules(desc)?;
    match contents {
        Some(bytes) if bytes.len() < byte_width as usize => {
            invalid!(
                "the contents have {} bytes and byte_width is {byte_width}; give at least as many",
                bytes.len()
            )
        }
        _ => Ok(()),
    }
}

fn misc_rules(desc: &BufferDesc) -> Result<(), Error> {
    let misc = desc.misc_flags;
    let for_textures = misc & (MiscFlags::GENERATE_MIPS | MiscFlags::TEXTURECUBE | MiscFlags::RESOURCE_CLAMP);
    if !for_textures.is_empty() {
        return invalid!("{} is for textures only; remove it", flag_names(for_textures));
    }
    let views = BindFlags::SHADER_RESOURCE | BindFlags::UNORDERED_ACCESS;
    if misc.contains(MiscFlags::BUFFER_ALLOW_RAW_VIEWS) && !desc.bind_flags.intersects(views) {
        return invalid!(
            "BUFFER_ALLOW_RAW_VIEWS needs SHADER_RESOURCE or UNORDERED_ACCESS, found {}; add one of them to the bind \
             flags",
            flag_names(desc.bind_flags)
        );
    }
    if misc.contains(MiscFlags::DRAWINDIRECT_ARGS) {
        if desc.usage != Usage::Default {
            return invalid!(
                "DRAWINDIRECT_ARGS needs Usage::Default, found {:?}; copy the arguments into a buffer of that usage",
                desc.usage
            );
        }
        if desc.bind_flags.contains(BindFlags::CONSTANT_BUFFER) {
            return invalid!(
                "CONSTANT_BUFFER and DRAWINDIRECT_ARGS exclude each other; make a buffer for each use"
            );
        }
    }
    if !misc.contains(MiscFlags::BUFFER_STRUCTURED) {
        return Ok(());
    }
    for other in [MiscFlags::BUFFER_ALLOW_RAW_VIEWS, MiscFlags::DRAWINDIRECT_ARGS] {
        if misc.contains(other) {
            return invalid!(
                "BUFFER_STRUCTURED and {} exclude each other; make a buffer for each use",
                flag_names(other)
            );
        }
    }
    let stride = desc.structure_byte_stride;
    if stride == 0 || stride > MAX_STRUCTURE_STRIDE || !stride.is_multiple_of(4) {
        return invalid!(
            "structure_byte_stride is a multiple of 4 from 4 to {MAX_STRUCTURE_STRIDE}, found {stride}; pad the \
             structure, or use several buffers"
        );
    }
    Ok(())
}

/// Checks a valid descriptor against the features and limits of this device.
fn available(desc: &BufferDesc, caps: &PipelineCaps) -> Result<(), Error> {
    let BufferDesc { byte_width, bind_flags: bind, misc_flags: misc, .. } = *desc;
    not_shared(misc)?;
    if bind.contains(BindFlags::STREAM_OUTPUT) {
        need(caps, Features::STREAM_OUTPUT, "STREAM_OUTPUT")?;
    }
    if bind.contains(BindFlags::UNORDERED_ACCESS) {
        need(caps, Features::COMPUTE, "UNORDERED_ACCESS")?;
    }
    let structured = misc.contains(MiscFlags::BUFFER_STRUCTURED);
    let raw = misc.contains(MiscFlags::BUFFER_ALLOW_RAW_VIEWS);
    let (of_views, words) = match (structured, raw) {
        (true, _) => (Features::STRUCTURED_BUFFERS, "a structured buffer"),
        (false, true) => (Features::RAW_BUFFERS, "a buffer with BUFFER_ALLOW_RAW_VIEWS"),
        (false, false) => (Features::BUFFER_VIEWS, "a buffer that is not structured"),
    };
    for flag in [BindFlags::SHADER_RESOURCE, BindFlags::UNORDERED_ACCESS] {
        if bind.contains(flag) {
            need(caps, of_views, format_args!("{words} with {}", flag_names(flag))).map_err(|error| match error {
                Error::Unsupported(text) if !structured && !raw => Error::Unsupported(format!(
                    "{text}; use `BufferDesc::structured` or `BufferDesc::raw` for buffers that shaders read"
                )),
                other => other,
            })?;
        }
    }
    if bind.contains(BindFlags::RENDER_TARGET) {
        return unsupported!(
            "a buffer with RENDER_TARGET: render-target views of buffers do not exist yet; shaders write buffers \
             through unordered-access views"
        );
    }
    if structured {
        need(caps, Features::STRUCTURED_BUFFERS, "BUFFER_STRUCTURED")?;
    }
    if misc.contains(MiscFlags::BUFFER_ALLOW_RAW_VIEWS) {
        need(caps, Features::RAW_BUFFERS, "BUFFER_ALLOW_RAW_VIEWS")?;
    }
    if misc.contains(MiscFlags::DRAWINDIRECT_ARGS) {
        need(caps, Features::INDIRECT_DRAWS, "DRAWINDIRECT_ARGS")?;
    }
    if u64::from(byte_width) > caps.max_buffer {
        return unsupported!(
            "byte_width is {byte_width}; this device's largest buffer has {} bytes",
            caps.max_buffer
        );
    }
    Ok(())
}
