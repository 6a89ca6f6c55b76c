//! Tests of the table of maps with every resource that can exist.

use onze_ddi::{BindFlags, BufferDesc, CpuAccessFlags, Format, MapType, ResourceDesc, Texture2dDesc, Usage};

use super::*;
use crate::validate::{MapPlace, NoOverwriteBuffers, map};

const TYPES: [MapType; 5] =
    [MapType::Read, MapType::Write, MapType::ReadWrite, MapType::WriteDiscard, MapType::WriteNoOverwrite];

const PLACES: [MapPlace; 3] = [MapPlace::Immediate, MapPlace::DeferredFirst, MapPlace::DeferredDiscarded];

/// Returns whether Direct3D 11's table allows a map of a resource, given its usage and type.
fn oracle(
    resource: &ResourceDesc,
    place: MapPlace,
    map_type: MapType,
    buffers: NoOverwriteBuffers,
) -> Verdict {
    use MapType as M;
    let is_buffer = matches!(resource, ResourceDesc::Buffer(_));
    let cpu = resource.cpu_access_flags().bits();
    let (write, read) = (cpu & 0x10000 != 0, cpu & 0x20000 != 0);
    let newer = resource.bind_flags().bits() & (0x4 | 0x8) != 0;
    let deferred = place != MapPlace::Immediate;
    let valid = match (deferred, resource.usage(), is_buffer, map_type) {
        (false, Usage::Staging, _, M::Read) => read,
        (false, Usage::Staging, _, M::Write) => write,
        (false, Usage::Staging, _, M::ReadWrite) => read && write,
        (_, Usage::Dynamic, _, M::WriteDiscard) => true,
        (_, Usage::Dynamic, true, M::WriteNoOverwrite)
            if newer && buffers == NoOverwriteBuffers::Geometry =>
        {
            false
        }
        (_, Usage::Dynamic, true, M::WriteNoOverwrite) if place == MapPlace::DeferredFirst => {
            return Verdict::NoInitialDiscard;
        }
        (_, Usage::Dynamic, true, M::WriteNoOverwrite) => true,
        _ => false,
    };
    if valid { Verdict::Valid } else { Verdict::Invalid }
}

fn resources() -> Vec<ResourceDesc> {
    let mut all = Vec::new();
    for usage in USAGES {
        for cpu_access_flags in all_cpu_flags() {
            for bind_flags in all_bind_flags().filter(|b| usage_oracle(usage, *b, cpu_access_flags)) {
                all.push(ResourceDesc::Buffer(BufferDesc {
                    usage,
                    cpu_access_flags,
                    ..BufferDesc::new(64, bind_flags)
                }));
                all.push(ResourceDesc::from(Texture2dDesc {
                    usage,
                    cpu_access_flags,
                    bind_flags,
                    mip_levels: 1,
                    ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 4, 4)
                }));
            }
        }
    }
    all
}

#[test]
fn the_map_table() {
    let mut allowed = [0; PLACES.len()];
    for resource in resources() {
        for map_type in TYPES {
            for (i, place) in PLACES.into_iter().enumerate() {
                for buffers in [NoOverwriteBuffers::Geometry, NoOverwriteBuffers::All] {
                    let expected = oracle(&resource, place, map_type, buffers);
                    let result = map(&resource, place, map_type, buffers);
                    assert_eq!(
                        verdict(&result),
                        expected,
                        "{map_type:?}, {place:?}, {buffers:?}, {resource:?}: {result:?}"
                    );
                    allowed[i] += u32::from(result.is_ok());
                }
            }
        }
    }
    assert!(allowed.iter().all(|n| *n > 0), "{allowed:?}");
}

#[test]
fn deferred_no_overwrite_before_a_discard_has_its_own_error() {
    let vertices = ResourceDesc::Buffer(BufferDesc::dynamic(64, BindFlags::VERTEX_BUFFER));
    let error = map(&vertices, MapPlace::DeferredFirst, MapType::WriteNoOverwrite, NoOverwriteBuffers::All)
        .expect_err("no discard yet");
    assert_eq!(error.hresult(), 0x887c_0004);
}

#[test]
fn a_staging_resource_is_mapped_as_its_access_allows() {
    let read_only = ResourceDesc::Buffer(BufferDesc::staging(64, CpuAccessFlags::READ));
    let map = |map_type| map(&read_only, MapPlace::Immediate, map_type, NoOverwriteBuffers::All);
    assert!(map(MapType::Read).is_ok());
    let reason = reason(map(MapType::Write));
    assert!(reason.contains("WRITE"), "{reason}");
}
