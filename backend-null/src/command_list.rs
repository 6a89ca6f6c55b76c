//! Command lists: the commands that a deferred context records, and how a list executes them.

use std::{any::Any, ops::Range};

use onze_ddi::{Box3d, DriverObject, MapPage};

use crate::{
    query::NullQuery,
    resource::{NullResource, Region},
};

/// A command that changes the contents of a resource or a query. It refers to objects by their slots in the
/// command buffer's table (see [`crate::page`]). Draws and clears are not commands, because they are only
/// counted.
#[derive(Debug)]
pub(crate) enum Command {
    /// Writes bytes, which are stored in the command, to a region of a subresource.
    Update { dst: u32, subresource: u32, region: Region, bytes: Vec<u8> },
    /// Replaces a dynamic subresource with memory that the application wrote while recording.
    Upload { dst: u32, subresource: u32, upload: u32 },
    /// Replaces a byte range of a buffer with memory that the application wrote while recording.
    UploadRange { dst: u32, upload: u32, range: Range<u32> },
    /// Copies all subresources of a resource to another resource of the same size.
    Copy { dst: u32, src: u32 },
    /// Copies a box of a subresource to another subresource, or the whole source without a box.
    CopyRegion {
        dst: u32,
        dst_subresource: u32,
        dst_at: [u32; 3],
        src: u32,
        src_subresource: u32,
        src_box: Option<Box3d>,
    },
    /// Ends the query in this slot, so that its result is available when the submission completes.
    EndQuery(u32),
    /// Executes the list in this slot, even in a recording, so lists can be nested.
    Execute(u32),
}

impl Command {
    /// Whether the command depends on the bound predicate, as all commands except writes through maps do.
    pub(crate) const fn is_predicated(&self) -> bool {
        matches!(self, Self::Update { .. } | Self::Copy { .. } | Self::CopyRegion { .. })
    }

    pub(crate) fn run(&self, objects: &[DriverObject], uploads: &[Option<MapPage>], submission: u64) {
        fn object<T: Any>(objects: &[DriverObject], slot: u32) -> Option<&T> {
            objects.get(slot as usize)?.downcast_ref()
        }
        let resource = |slot: &u32| object::<NullResource>(objects, *slot);
        match self {
            Self::Update { dst, subresource, region, bytes } => {
                if let Some(dst) = resource(dst) {
                    dst.write(*subresource, *region, bytes, submission);
                }
            }
            Self::Upload { dst, subresource, upload } => {
                if let (Some(dst), Some(Some(page))) = (resource(dst), uploads.get(*upload as usize)) {
                    dst.replace(*subresource, page, submission);
                }
            }
            Self::UploadRange { dst, upload, range } => {
                if let (Some(dst), Some(Some(page))) = (resource(dst), uploads.get(*upload as usize)) {
                    let region = dst.region(0, Some(Box3d::bytes(range.clone())));
                    let bytes: &[u8] = bytemuck::cast_slice(page);
                    let bytes = bytes.get(range.start as usize..range.end as usize).unwrap_or_default();
                    dst.write(0, region, bytes, submission);
                }
            }
            Self::Copy { dst, src } => {
                if let (Some(dst), Some(src)) = (resource(dst), resource(src)) {
                    for subresource in 0..src.desc.subresources() {
                        let whole = src.region(subresource, None);
                        dst.copy((subresource, whole), src, (subresource, whole), submission);
                    }
                }
            }
            Self::CopyRegion { dst, dst_subresource, dst_at, src, src_subresource, src_box } => {
                if let (Some(dst), Some(src)) = (resource(dst), resource(src)) {
                    let [left, top, front] = *dst_at;
                    let corner = Box3d { left, top, front, right: left, bottom: top, back: front };
                    let at = dst.region(*dst_subresource, Some(corner));
                    let part = src.region(*src_subresource, *src_box);
                    dst.copy((*dst_subresource, at), src, (*src_subresource, part), submission);
                }
            }
            Self::EndQuery(query) => {
                if let Some(query) = object::<NullQuery>(objects, *query) {
                    query.end(submission);
                }
            }
            Self::Execute(list) => {
                if let Some(list) = object::<NullCommandList>(objects, *list) {
                    list.recording.run(submission);
                }
            }
        }
    }
}

/// The memory of a recording, which becomes the list's memory when the recording is finished.
#[derive(Debug, Default)]
pub(crate) struct Recording {
    pub(crate) objects: Vec<DriverObject>,
    pub(crate) commands: Vec<Command>,
    /// The memory that the application wrote through DISCARD maps, with `None` for memory that is still
    /// mapped. Executions of a list only read this memory, so each execution writes the same bytes to the
    /// resources.
    pub(crate) uploads: Vec<Option<MapPage>>,
    pub(crate) count: u32,
    pub(crate) draws: u32,
}

impl Recording {
    fn run(&self, submission: u64) {
        for command in &self.commands {
            command.run(&self.objects, &self.uploads, submission);
        }
    }

    pub(crate) fn clear(&mut self) {
        self.objects.clear();
        self.commands.clear();
        self.uploads.clear();
        self.count = 0;
        self.draws = 0;
    }
}

#[derive(Debug, Default)]
pub(crate) struct NullCommandList {
    pub(crate) recording: Recording,
}
