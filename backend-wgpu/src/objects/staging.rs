//! Staging resources: memory that the CPU maps, with a mirror buffer for GPU copies.
//!
//! A mapped wgpu buffer must not be used by a submission, so the application does not map wgpu buffers but
//! *shadows*, one page of memory for each subresource. The *mirror* is a wgpu buffer that contains all
//! subresources, and GPU copies use only the mirror.
//!
//! * If a map wrote to a shadow, the unmap sends the written bytes to the mirror with a queue write, which
//!   takes effect before the next submission and after all earlier submissions.
//! * A submission that writes the mirror reads it back at its end, so that a map need not wait if the GPU has
//!   finished.
//! * A map copies the bytes that have arrived into the shadows.
//!
//! Only the immediate context's thread uses this state.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU8, Ordering},
};

use onze_ddi::{
    BufferDesc, CreateError, Format, MapPage, MapType, MappedMemory, OutOfMemory, ResourceDesc,
    SubresourceData, TextureDesc, Written, zeroed_page,
};

use crate::{
    objects::allocator::{Storage, own_storage},
    services::{gpu::Gpu, sync::lock},
};

/// Row alignment in bytes that wgpu requires for copies between buffers and textures.
pub(crate) const ROW_ALIGNMENT: u32 = wgpu::COPY_BYTES_PER_ROW_ALIGNMENT;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Footprint {
    pub(crate) offset: u32,
    /// Bytes from one row of blocks to the next or, for a buffer, its size.
    pub(crate) row_pitch: u32,
    /// Bytes in a row, without the padding up to `row_pitch`.
    pub(crate) row_bytes: u32,
    pub(crate) rows: u32,
    pub(crate) slices: u32,
}

impl Footprint {
    pub(crate) const fn size(&self) -> u32 {
        self.depth_pitch() * self.slices
    }

    pub(crate) const fn depth_pitch(&self) -> u32 {
        self.row_pitch * self.rows
    }

    /// Returns the footprint of a mip level at `offset`, or `None` if it ends after 4 GiB.
    pub(crate) fn of_texture(
        format: Format,
        (width, height, slices): (u32, u32, u32),
        offset: u32,
    ) -> Option<Self> {
        let row_bytes = format.row_pitch(width);
        let row_pitch = row_bytes.checked_next_multiple_of(ROW_ALIGNMENT)?;
        let rows = format.rows(height);
        row_pitch.checked_mul(rows)?.checked_mul(slices)?.checked_add(offset)?;
        Some(Self { offset, row_pitch, row_bytes, rows, slices })
    }

    /// Copies the rows and depth slices of `data` into `bytes`, whose first byte is the first byte of the
    /// footprint.
    pub(crate) fn fill(&self, bytes: &mut [u8], data: &SubresourceData<'_>) {
        let slices = bytes.chunks_mut(self.depth_pitch().max(1) as usize).take(self.slices as usize);
        for (slice, bytes) in slices.enumerate() {
            let data_of_slice = data.bytes.get(slice * data.depth_pitch as usize..).unwrap_or_default();
            let rows = bytes.chunks_mut(self.row_pitch.max(1) as usize).take(self.rows as usize);
            for (row, to) in rows.enumerate() {
                // Rows are copied one at a time, because they may overlap, and the pitch is undefined if
                // there is only one row.
                let from = data_of_slice.get(row * data.row_pitch as usize..).unwrap_or_default();
                let length = to.len().min(from.len()).min(self.row_bytes as usize);
                to[..length].copy_from_slice(&from[..length]);
            }
        }
    }
}

#[derive(Debug)]
struct Readback {
    buffer: wgpu::Buffer,
    /// The last submission whose writes are included in this readback.
    written_at: u64,
    /// The submission that copies the bytes, or `None` before it is submitted.
    submission: Option<wgpu::SubmissionIndex>,
    state: Arc<AtomicU8>,
}

const WAITING: u8 = 0;
const ARRIVED: u8 = 1;
const FAILED: u8 = 2;

#[derive(Debug, Default)]
struct StagingState {
    /// The shadow of each subresource, or `None` while it is mapped.
    shadows: Vec<Option<MapPage>>,
    /// Number of the last submission whose commands use the mirror, possibly the submission that is currently
    /// being recorded.
    used_at: u64,
    /// Number of the last submission whose commands write the mirror, or 0 for none, possibly the submission
    /// that is currently being recorded.
    written_at: u64,
    /// Number of the submission whose writes the shadows contain, so the shadows are stale if `written_at` is
    /// later.
    shown: u64,
    readback: Option<Readback>,
    spare: Option<wgpu::Buffer>,
}

#[derive(Debug)]
pub(crate) struct Staging {
    mirror: Arc<Storage>,
    footprints: Vec<Footprint>,
    state: Mutex<StagingState>,
}

impl Staging {
    /// Creates the memory, with contents if any are given, on any thread. Returns an error if memory is
    /// exhausted or the resource exceeds the maximum size of a wgpu buffer.
    pub(crate) fn new(
        gpu: &Gpu,
        desc: &ResourceDesc,
        initial_data: &[SubresourceData<'_>],
    ) -> Result<Self, CreateError> {
        let footprints = match desc {
            ResourceDesc::Buffer(desc) => vec![buffer_footprint(desc)],
            ResourceDesc::Texture(desc) => texture_footprints(desc).ok_or(CreateError::OutOfMemory)?,
        };
        let size = footprints.last().map_or(0, |last| u64::from(last.offset) + u64::from(last.size()));
        let usages = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let mirror = own_storage(&gpu.device, desc.label(), size, usages)
            .map_err(|OutOfMemory| CreateError::OutOfMemory)?;
        let mut shadows: Vec<_> = footprints.iter().map(|at| zeroed_page(at.size() as usize)).collect();
        for ((shadow, at), data) in shadows.iter_mut().zip(&footprints).zip(initial_data) {
            let is_buffer = matches!(desc, ResourceDesc::Buffer(_));
            let row_pitch = if is_buffer { at.row_pitch } else { data.row_pitch };
            at.fill(bytemuck::cast_slice_mut(shadow), &SubresourceData { row_pitch, ..*data });
            let bytes: &[u8] = bytemuck::cast_slice(shadow);
            let length = (at.size() as usize).next_multiple_of(4);
            if let Some(bytes) = bytes.get(..length) {
                gpu.queue.write_buffer(&mirror.buffer, at.offset.into(), bytes);
            }
        }
        let state =
            StagingState { shadows: shadows.into_iter().map(Some).collect(), ..StagingState::default() };
        Ok(Self { mirror, footprints, state: Mutex::new(state) })
    }

    /// Locks the state, so that tests can detect threads that wait for it.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        lock(&self.state)
    }

    pub(crate) fn mirror(&self) -> &Arc<Storage> {
        &self.mirror
    }

    pub(crate) fn footprint(&self, subresource: u32) -> Option<Footprint> {
        self.footprints.get(subresource as usize).copied()
    }

    /// Marks the mirror as used by a future submission, and returns true for the submission's first write,
    /// after which the submission must read the mirror back.
    pub(crate) fn mark(&self, submission: u64, written: bool) -> bool {
        let mut state = lock(&self.state);
        state.used_at = submission;
        written && std::mem::replace(&mut state.written_at, submission) != submission
    }

    /// Whether commands of this submission use the mirror.
    pub(crate) fn is_used_by(&self, submission: u64) -> bool {
        lock(&self.state).used_at == submission
    }

    /// Whether the GPU has written, or will write, data that the shadows do not contain.
    pub(crate) fn is_stale(&self) -> bool {
        let state = lock(&self.state);
        state.written_at > state.shown
    }

    /// Appends the readback to a submission that writes the mirror, after which [`Staging::receive`] must be
    /// called.
    pub(crate) fn read_back(&self, device: &wgpu::Device, encoder: &mut wgpu::CommandEncoder) {
        let mut state = lock(&self.state);
        // A readback that was never requested is dropped here, and its buffer is reused if its bytes have
        // arrived.
        if let Some(readback) = state.readback.take()
            && readback.state.load(Ordering::Acquire) == ARRIVED
        {
            readback.buffer.unmap();
            state.spare = Some(readback.buffer);
        }
        let buffer = state.spare.take().unwrap_or_else(|| readback_buffer(device, self.mirror.size));
        encoder.copy_buffer_to_buffer(&self.mirror.buffer, self.mirror.offset, &buffer, 0, self.mirror.size);
        let written_at = state.written_at;
        let arrived = Arc::new(AtomicU8::new(WAITING));
        state.readback = Some(Readback { buffer, written_at, submission: None, state: arrived });
    }

    /// Requests the bytes after the submission that contains the copies of [`Staging::read_back`]. Without a
    /// submission, the readback fails, because the bytes will never arrive.
    pub(crate) fn receive(&self, submission: Option<&wgpu::SubmissionIndex>) {
        let Some(readback) = &mut lock(&self.state).readback else { return };
        readback.submission = submission.cloned();
        let arrived = readback.state.clone();
        if submission.is_none() {
            arrived.store(FAILED, Ordering::Release);
            return;
        }
        readback.buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            arrived.store(if result.is_ok() { ARRIVED } else { FAILED }, Ordering::Release);
        });
    }

    /// Returns the submission whose completion delivers the latest bytes, or `None` if it has not been
    /// submitted yet.
    pub(crate) fn arrives_with(&self) -> Option<wgpu::SubmissionIndex> {
        let state = lock(&self.state);
        let readback = state.readback.as_ref().filter(|r| r.written_at == state.written_at);
        readback?.submission.clone()
    }

    /// Copies the bytes that have arrived to the shadows, and returns whether the shadows are then up to
    /// date, or an error if the bytes will never arrive because the device is lost.
    pub(crate) fn show(&self) -> Result<bool, ()> {
        let mut guard = lock(&self.state);
        let state = &mut *guard;
        let Some(readback) = &state.readback else {
            return Ok(state.written_at <= state.shown);
        };
        match readback.state.load(Ordering::Acquire) {
            WAITING => return Ok(false),
            ARRIVED => {}
            _ => return Err(()),
        }
        let view = readback.buffer.get_mapped_range(..).map_err(|_| ())?;
        for (shadow, at) in state.shadows.iter_mut().zip(&self.footprints) {
            // A mapped subresource is skipped, because the GPU does not write to it during the map.
            let Some(shadow) = shadow else { continue };
            let from = view.get(at.offset as usize..(at.offset + at.size()) as usize);
            let to = bytemuck::cast_slice_mut::<_, u8>(shadow).get_mut(..at.size() as usize);
            if let (Some(from), Some(to)) = (from, to) {
                to.copy_from_slice(from);
            }
        }
        drop(view);
        readback.buffer.unmap();
        state.shown = readback.written_at;
        state.spare = state.readback.take().map(|readback| readback.buffer);
        Ok(state.written_at <= state.shown)
    }

    /// Lends a shadow to a map, or returns `None` if the subresource is already mapped.
    pub(crate) fn lend(&self, subresource: u32, map_type: MapType) -> Option<MappedMemory> {
        let at = self.footprint(subresource)?;
        let shadow = lock(&self.state).shadows.get_mut(subresource as usize)?.take()?;
        let cookie = u64::from(map_type != MapType::Read);
        Some(MappedMemory::new(shadow, 0..at.size() as usize, cookie, at.row_pitch, at.depth_pitch()))
    }

    /// Takes a shadow back and sends the written bytes to the mirror.
    pub(crate) fn take_back(
        &self,
        queue: &wgpu::Queue,
        subresource: u32,
        memory: MappedMemory,
        written: &Written,
    ) {
        let Some(at) = self.footprint(subresource) else {
            return;
        };
        let (shadow, cookie) = memory.into_page();
        let range = written.hull(at.size());
        let range = range.start & !3..range.end.next_multiple_of(4);
        if cookie != 0
            && let Some(bytes) =
                bytemuck::cast_slice::<_, u8>(&shadow).get(range.start as usize..range.end as usize)
            && !bytes.is_empty()
        {
            let offset = self.mirror.offset + u64::from(at.offset + range.start);
            queue.write_buffer(&self.mirror.buffer, offset, bytes);
        }
        if let Some(place) = lock(&self.state).shadows.get_mut(subresource as usize) {
            *place = Some(shadow);
        }
    }
}

pub(crate) fn readback_buffer(device: &wgpu::Device, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size,
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    })
}

fn buffer_footprint(desc: &BufferDesc) -> Footprint {
    Footprint { offset: 0, row_pitch: desc.byte_width, row_bytes: desc.byte_width, rows: 1, slices: 1 }
}

/// Returns the footprints of all subresources in sequence, each beginning at a multiple of 512 bytes, which
/// is sufficiently aligned for any copy.
fn texture_footprints(desc: &TextureDesc) -> Option<Vec<Footprint>> {
    let mut offset = 0u32;
    (0..desc.subresources())
        .map(|subresource| {
            let extent = desc.mip_extent(desc.mip_and_slice(subresource).0);
            let at = Footprint::of_texture(desc.format, extent, offset)?;
            offset = offset.checked_add(at.size())?.checked_next_multiple_of(512)?;
            Some(at)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may stop")]

    use onze_ddi::Texture2dDesc;

    use super::*;

    #[test]
    fn subresources_do_not_overlap_and_rows_are_aligned() {
        let desc = Texture2dDesc { array_size: 2, ..Texture2dDesc::new(Format::R8G8B8A8_UNORM, 70, 33) };
        let footprints = texture_footprints(&desc.into()).unwrap();
        assert_eq!(footprints.len(), 14);
        assert_eq!(
            footprints[0],
            Footprint { offset: 0, row_pitch: 512, row_bytes: 280, rows: 33, slices: 1 }
        );
        for pair in footprints.windows(2) {
            assert!(pair[0].offset + pair[0].size() <= pair[1].offset && pair[1].offset % 512 == 0);
        }
    }

    #[test]
    fn a_compressed_texture_has_rows_of_blocks() {
        let desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::BC1_UNORM, 20, 8) };
        let at = texture_footprints(&desc.into()).unwrap()[0];
        assert_eq!(at, Footprint { offset: 0, row_pitch: 256, row_bytes: 40, rows: 2, slices: 1 });
    }

    #[test]
    fn rows_are_repacked_to_the_pitch_and_short_data_does_no_harm() {
        let at = Footprint { offset: 0, row_pitch: 8, row_bytes: 3, rows: 3, slices: 1 };
        let mut bytes = [9; 24];
        let data = |bytes, depth_pitch| SubresourceData { bytes, row_pitch: 4, depth_pitch };
        at.fill(&mut bytes, &data(&[1, 2, 3, 0, 4, 5, 6, 0, 7], 0));
        assert_eq!(bytes[..3], [1, 2, 3]);
        assert_eq!(bytes[3], 9);
        assert_eq!(bytes[8..11], [4, 5, 6]);
        assert_eq!(bytes[16..18], [7, 9]);
        let at = Footprint { row_bytes: 2, rows: 1, slices: 3, ..at };
        at.fill(&mut bytes, &data(&[1, 2, 0, 0, 0, 3, 4, 0, 0, 0, 5], 5));
        assert_eq!([bytes[0..2].as_ref(), &bytes[8..10], &bytes[16..18]].concat(), [1, 2, 3, 4, 5, 9]);
    }

    #[test]
    fn a_texture_beyond_four_gibibytes_has_no_footprints() {
        let desc =
            Texture2dDesc { array_size: 8, ..Texture2dDesc::new(Format::R32G32B32A32_FLOAT, 16384, 16384) };
        assert!(texture_footprints(&desc.into()).is_none());
    }
}
