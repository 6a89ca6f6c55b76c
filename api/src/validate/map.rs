//! Which maps a resource allows, on which kind of context.

use onze_ddi::{BindFlags, CpuAccessFlags, MapType, ResourceDesc, Usage};

use super::flag_names;
use crate::report::Error;

/// The map table of Direct3D 11.
///
/// `deferred` tells the kind of context. `has_discarded` says whether this recording has already mapped
/// the resource with [`MapType::WriteDiscard`]; it matters to deferred contexts only. `interface_11_1`
/// says whether runtime and driver speak the interface in which constant and shader-resource buffers
/// can be mapped with [`MapType::WriteNoOverwrite`].
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
            "a deferred context maps with WriteDiscard and WriteNoOverwrite only; use the immediate one"
        );
    }
    if desc.usage() != Usage::Staging {
        return invalid!(
            "reading and writing need Usage::Staging, found {:?}; copy to or from a staging resource, or write a dynamic \
             one with WriteDiscard",
            desc.usage()
        );
    }
    if !desc.cpu_access_flags().contains(access) {
        return invalid!(
            "it was created without CpuAccessFlags::{}, found {}; add the flag to its descriptor",
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
            "discarding and not overwriting need Usage::Dynamic, found Default; make it dynamic, or write it with \
             `update_subresource`"
        ),
        other => invalid!(
            "discarding and not overwriting need Usage::Dynamic, found {other:?}; make it of that usage"
        ),
    }
}

/// The further conditions of `WriteNoOverwrite`, for a resource of dynamic usage.
fn no_overwrite(desc: &ResourceDesc, lacks_discard: bool, interface_11_1: bool) -> Result<(), Error> {
    if !matches!(desc, ResourceDesc::Buffer(_)) {
        return invalid!("a dynamic texture is mapped with WriteDiscard only");
    }
    let newer = desc.bind_flags() & (BindFlags::CONSTANT_BUFFER | BindFlags::SHADER_RESOURCE);
    if !newer.is_empty() && !interface_11_1 {
        return invalid!(
            "a buffer with {} needs the driver interface 11.1 for this; use WriteDiscard",
            flag_names(newer)
        );
    }
    if lacks_discard {
        return Err(Error::DeferredContextMapWithoutInitialDiscard(
            "a deferred context must map with WriteDiscard first, once in each recording".to_owned(),
        ));
    }
    Ok(())
}
