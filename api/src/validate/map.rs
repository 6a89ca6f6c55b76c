//! Validation of maps, which depends on the resource, the map type and the type of context.

use onze_ddi::{BindFlags, CpuAccessFlags, MapType, ResourceDesc, Usage};

use super::flag_names;
use crate::report::Error;

/// The context of a map, with the state that the rules for deferred contexts depend on.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum MapPlace {
    Immediate,
    /// A deferred context whose recording has not yet mapped the resource with [`MapType::WriteDiscard`].
    DeferredFirst,
    /// A deferred context whose recording has already mapped the resource with [`MapType::WriteDiscard`].
    DeferredDiscarded,
}

/// The buffers that can be mapped with [`MapType::WriteNoOverwrite`].
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoOverwriteBuffers {
    /// Vertex and index buffers, as in interface 11.0.
    Geometry,
    /// All buffers. The runtime and the driver have negotiated interface 11.1.
    All,
}

/// Checks a map against Direct3D 11's table of allowed map types for each usage and CPU access.
pub(crate) fn map(
    desc: &ResourceDesc,
    place: MapPlace,
    map_type: MapType,
    buffers: NoOverwriteBuffers,
) -> Result<(), Error> {
    let verdict = match map_type {
        MapType::Read => staging(desc, place, CpuAccessFlags::READ),
        MapType::Write => staging(desc, place, CpuAccessFlags::WRITE),
        MapType::ReadWrite => staging(desc, place, CpuAccessFlags::READ | CpuAccessFlags::WRITE),
        MapType::WriteDiscard => dynamic(desc),
        MapType::WriteNoOverwrite => dynamic(desc).and_then(|()| no_overwrite(desc, place, buffers)),
    };
    verdict.map_err(|e| e.about(format_args!("MapType::{map_type:?}")))
}

fn staging(desc: &ResourceDesc, place: MapPlace, access: CpuAccessFlags) -> Result<(), Error> {
    if place != MapPlace::Immediate {
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
fn no_overwrite(desc: &ResourceDesc, place: MapPlace, buffers: NoOverwriteBuffers) -> Result<(), Error> {
    if !matches!(desc, ResourceDesc::Buffer(_)) {
        return invalid!("a dynamic texture is mapped with WriteDiscard only");
    }
    let newer = desc.bind_flags() & (BindFlags::CONSTANT_BUFFER | BindFlags::SHADER_RESOURCE);
    if !newer.is_empty() && buffers == NoOverwriteBuffers::Geometry {
        return invalid!(
            "a buffer with {} needs driver interface 11.1 for WriteNoOverwrite; use WriteDiscard",
            flag_names(newer)
        );
    }
    if place == MapPlace::DeferredFirst {
        return Err(Error::DeferredContextMapWithoutInitialDiscard(
            "a deferred context must first map the resource with WriteDiscard, once in each recording"
                .to_owned(),
        ));
    }
    Ok(())
}
