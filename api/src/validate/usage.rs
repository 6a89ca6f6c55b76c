//! Valid combinations of usage, bind flags and CPU access.

use onze_ddi::{BindFlags, CpuAccessFlags, MiscFlags, Usage};

use super::flag_names;

use crate::report::Error;

/// The bind flags for resources that the GPU only reads.
const INPUTS: BindFlags = BindFlags::VERTEX_BUFFER
    .union(BindFlags::INDEX_BUFFER)
    .union(BindFlags::CONSTANT_BUFFER)
    .union(BindFlags::SHADER_RESOURCE);

/// Checks the rules of `D3D11_USAGE`, which buffers and textures share.
///
/// * Default: any bind flags, no CPU access.
/// * Immutable: read-only bind flags, initial contents, no CPU access.
/// * Dynamic: read-only bind flags, CPU access for writing only.
/// * Staging: no bind flags, CPU access for reading, writing or both.
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
                "default usage does not allow CPU access, found {}; use dynamic or staging usage",
                accesses()
            )
        }
        Usage::Immutable if !cpu.is_empty() => {
            invalid!(
                "immutable usage does not allow CPU access, found {}; use dynamic or staging usage",
                accesses()
            )
        }
        Usage::Immutable if !only_inputs => {
            invalid!(
                "immutable usage needs read-only bind flags ({}), found {}; use default usage for resources that the GPU writes",
                inputs(),
                has()
            )
        }
        Usage::Immutable if !has_contents => {
            invalid!("immutable usage needs initial contents, found none; pass them, or use default usage")
        }
        Usage::Dynamic if cpu != CpuAccessFlags::WRITE => {
            invalid!(
                "dynamic usage needs exactly CpuAccessFlags::WRITE, found {}; set `cpu_access_flags` to it",
                accesses()
            )
        }
        Usage::Dynamic if !only_inputs => {
            invalid!(
                "dynamic usage needs read-only bind flags ({}), found {}; use default usage for resources that the GPU writes",
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

/// Rejects undefined bits, which are possible in flags that were created from a number.
fn known_flags(bind: BindFlags, cpu: CpuAccessFlags, misc: MiscFlags) -> Result<(), Error> {
    for (what, unknown) in [
        ("bind", bind.difference(BindFlags::all()).bits()),
        ("CPU access", cpu.difference(CpuAccessFlags::all()).bits()),
        ("miscellaneous", misc.difference(MiscFlags::all()).bits()),
    ] {
        if unknown != 0 {
            return invalid!("the {what} flags have unknown bits {unknown:#x}");
        }
    }
    Ok(())
}

/// Rejects sharing between devices, a feature of Direct3D 11 that this library does not implement.
pub(super) fn not_shared(misc: MiscFlags) -> Result<(), Error> {
    if misc.contains(MiscFlags::SHARED) {
        return Err(Error::NotImplemented(
            "sharing resources between devices (`MiscFlags::SHARED`)".to_owned(),
        ));
    }
    Ok(())
}
