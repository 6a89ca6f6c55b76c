//! Which usages, bind flags and processor accesses go together.

use onze_ddi::{BindFlags, CpuAccessFlags, MiscFlags, Usage};

use super::flag_names;

use crate::report::Error;

/// What the GPU only reads.
const INPUTS: BindFlags = BindFlags::VERTEX_BUFFER
    .union(BindFlags::INDEX_BUFFER)
    .union(BindFlags::CONSTANT_BUFFER)
    .union(BindFlags::SHADER_RESOURCE);

/// The rule of `D3D11_USAGE` for buffers and textures alike.
///
/// Default: nothing for the processor. Immutable: an input with contents, nothing for the processor.
/// Dynamic: an input that the processor writes. Staging: bound nowhere, for the processor.
pub(super) fn usage(
    usage: Usage,
    bind: BindFlags,
    cpu: CpuAccessFlags,
    misc: MiscFlags,
    has_contents: bool,
) -> Result<(), Error> {
    known_flags(bind, cpu, misc)?;
    let only_inputs = !bind.is_empty() && INPUTS.contains(bind);
    let (has, accesses, inputs) = (|| flag_names(bind), || flag_names(cpu), || flag_names(INPUTS));
    match usage {
        Usage::Default if !cpu.is_empty() => {
            invalid!(
                "default usage has no processor access, found {}; use dynamic or staging usage",
                accesses()
            )
        }
        Usage::Immutable if !cpu.is_empty() => {
            invalid!(
                "immutable usage has no processor access, found {}; use dynamic or staging usage",
                accesses()
            )
        }
        Usage::Immutable if !only_inputs => {
            invalid!(
                "immutable usage needs bind flags that the GPU only reads ({}), found {}; use default usage for what it writes",
                inputs(),
                has()
            )
        }
        Usage::Immutable if !has_contents => {
            invalid!(
                "immutable usage needs its contents at creation, and there are none; give them, or use default usage"
            )
        }
        Usage::Dynamic if cpu != CpuAccessFlags::WRITE => {
            invalid!(
                "dynamic usage has CpuAccessFlags::WRITE and nothing else, found {}; set `cpu_access_flags` to it",
                accesses()
            )
        }
        Usage::Dynamic if !only_inputs => {
            invalid!(
                "dynamic usage needs bind flags that the GPU only reads ({}), found {}; use default usage for what it writes",
                inputs(),
                has()
            )
        }
        Usage::Staging if !bind.is_empty() => invalid!(
            "staging usage cannot be bound, found {}; leave the bind flags empty and copy to or from it",
            has()
        ),
        Usage::Staging if cpu.is_empty() => {
            invalid!("staging usage needs CpuAccessFlags::READ, WRITE or both, found none")
        }
        Usage::Default | Usage::Immutable | Usage::Dynamic | Usage::Staging => Ok(()),
    }
}

/// Flags may be made from any number, so a number may have bits without a meaning.
fn known_flags(bind: BindFlags, cpu: CpuAccessFlags, misc: MiscFlags) -> Result<(), Error> {
    for (what, unknown) in [
        ("bind", bind.difference(BindFlags::all()).bits()),
        ("processor access", cpu.difference(CpuAccessFlags::all()).bits()),
        ("miscellaneous", misc.difference(MiscFlags::all()).bits()),
    ] {
        if unknown != 0 {
            return invalid!("the {what} flags have unknown bits {unknown:#x}");
        }
    }
    Ok(())
}

/// Sharing is valid in Direct3D 11 and does not exist here yet, on any device.
pub(super) fn not_shared(misc: MiscFlags) -> Result<(), Error> {
    if misc.contains(MiscFlags::SHARED) {
        return Err(Error::NotImplemented(
            "sharing resources between devices (`MiscFlags::SHARED`)".to_owned(),
        ));
    }
    Ok(())
}
