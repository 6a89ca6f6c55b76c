//! Validation of maps, which depends on the resource, the map type and the type of context.

use onze_ddi::{BindFlags, CpuAccessFlags, MapType, ResourceDesc, Usage};

use super::flag_names;
use crate::report::Error;

/// Checks a map against Direct3D 11's table of allowed map types for each usage and CPU access.
///
/// `deferred` is true on a deferred context. `has_discarded` matters only there: it is true if this recording
/// has already mapped the resource with [`MapType::WriteDiscard`]. `interface_11_1` is true if the runtime
/// and the driver negotiated interface 11.1, which allows maps of constant and shader-resource buffers with
/// [`MapType::WriteNoOverwrite`].
pub(crate) fn map(
    desc: &ResourceDesc,
    deferred: bool,
    map_type: MapType,
    has_discarded: bool,
    interface_11_1: bool,
) -> Result<(), Error> {
    let verdict = match map_type {
        MapType::Read => staging(desc, deferred, CpuAccessFlags::READ),
        MapType::Write => staging(desc, deferred, CpuAccessFlags::WRITE),
        MapType::ReadWrite => staging(desc, deferred, CpuAccessFlags::READ | CpuAccessFlags::WRITE),
        MapType::WriteDiscard => dynamic(desc),
        MapType::WriteNoOverwrite => {
            dynamic(desc).and_then(|()| no_overwrite(desc, deferred && !has_discarded, interface_11_1))
        }
    };
    verdict.map_err(|e| e.about(format_args!("MapType::{map_type:?}")))
}

fn staging(desc: &ResourceDesc, deferred: bool, access: CpuAccessFlags) -> Result<(), Error> {
    if deferred {
        return invalid!(
            "a deferred context maps with WriteDiscard and WriteNoOverwrite only; use the immediate context"
        );
    }
    if desc.usage() != Usage::Staging {
        return invalid!(
            "Read, Write and ReadWrite need Usage::Staging, found {:?}; copy to or from a staging resource, or write a \
             dynamic one with WriteDiscard",
            desc.usage()
        );
    }
    if !desc.cpu_access_flags().contains(access) {
        return invalid!(
            "the resource was created without CpuAccessFlags::{}, found {}; add the flag to its descriptor",
            flag_names(access),
            flag_names(desc.cpu_access_flags())
        );
    }
    Ok(())
}

fn dynamic(desc: &ResourceDesc) -> Result<(), Error> {
    match desc.usage() {
        Usage::Dynamic => Ok(()),
        Usage::Default => invalid!(
            "WriteDiscard and WriteNoOverwrite need Usage::Dynamic, found Default; create it as dynamic, or write it with \
             `update_subresource`"
        ),
        other => invalid!(
            "WriteDiscard and WriteNoOverwrite need Usage::Dynamic, found {other:?}; create it with that usage"
        ),
    }
}

/// Checks the additional conditions of `WriteNoOverwrite` for a dynamic resource.
fn no_overwrite(desc: &ResourceDesc, lacks_discard: bool, interface_11_1: bool) -> Result<(), Error> {
    if !matches!(desc, ResourceDesc::Buffer(_)) {
        return invalid!("a dynamic texture is mapped with WriteDiscard only");
    }
    let newer = desc.bind_flags() & (BindFlags::CONSTANT_BUFFER | BindFlags::SHADER_RESOURCE);
    if !newer.is_empty() && !interface_11_1 {
        return invalid!(
            "a buffer with {} needs driver interface 11.1 for WriteNoOverwrite; use WriteDiscard",
            flag_names(newer)
        );
    }
    if lacks_discard {
        return Err(Error::DeferredContextMapWithoutInitialDiscard(
            "a deferred context must first map the resource with WriteDiscard, once in each recording"
                .to_owned(),
        ));
    }
    Ok(())
}
