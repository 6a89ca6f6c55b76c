//! The traits through which the encoder's core calls its emulations of features that wgpu lacks.
//!
//! [`super::emulate`] implements each trait for the encoder in a separate file, and the core imports only the
//! traits.

use std::sync::Arc;

use onze_ddi::{Format, SubresourceRange, Viewport};

use crate::{
    encode::draw::DrawCall,
    encode::parts::{
        accesses::AccessKind,
        clears::PendingClear,
        enlarged_targets::BorrowedTarget,
        hash::SlabIndex,
        locations::{TexelRows, TextureLocation},
        member_uses::CastRead,
        page_objects::PageObjects,
        prologue::CommandPlace,
        pulled::{PulledBuffers, PulledDraw, PulledFetch},
        ranges::{BufferOffset, BufferRange, TARGETS},
        sample_counter::CounterKey,
        skipped::Skipped,
        streams::StreamArguments,
        vertices::DrawArea,
    },
    objects::{
        family::{Member, Members},
        state::ElementLayout,
        texture::TextureMemory,
        view::View,
    },
    record::{
        command::Command,
        page::{FillElement, InstancedDraw, Page},
    },
};

/// Draws of topologies with adjacency, which are drawn without the adjacent vertices.
pub(crate) trait AdjacencyRemoval<'r> {
    /// Returns an index buffer for a draw without indices, and its number of indices, or `None` if the draw
    /// has no whole primitive or was reported.
    fn adjacent_sequence(&mut self, vertices: u32) -> Option<(wgpu::Buffer, u32)>;

    /// Returns an index buffer that replaces the draw's own, and its number of indices, or `None` if the draw
    /// has no whole primitive or was reported.
    fn gather_indices(&mut self, args: &InstancedDraw) -> Option<(wgpu::Buffer, u32)>;

    /// Returns an index buffer and arguments that replace those of an indirect draw, or `None` if the draw
    /// was reported.
    fn gather_indirect(&mut self, arguments: BufferRange<'r>) -> Option<(wgpu::Buffer, wgpu::Buffer)>;
}

/// Textures with several [members](crate::objects::family). Before a member is used, it receives the writes
/// to other members that it lacks.
pub(crate) trait MemberCopies<'r> {
    /// Declares that the next command reads the texels of a view.
    fn reads_members(&mut self, view: &'r View);

    /// Declares that the next command writes subresources of a view.
    fn writes_members(&mut self, view: &'r View, range: &SubresourceRange);

    fn clears_members(&mut self, clear: &PendingClear<'r>);

    /// Returns the view through which shaders read depth while the texture is bound as a target with
    /// read-only depth, or `None` if the texture has no separate copy of its depth.
    fn depth_apart(&self, view: &'r View) -> Option<&'r View>;

    /// Declares the reads of the bundle that is executed next.
    fn reads_noted_members(&mut self, reads: &[CastRead]);

    /// Declares that the next command uses subresources of a member, and copies the writes that the member
    /// lacks, which may end the pass. `has` is the set of other members that a write leaves up to date.
    fn use_member(
        &mut self,
        memory: &Arc<TextureMemory>,
        member: Member,
        range: &SubresourceRange,
        access: AccessKind,
        has: Members,
    );
}

/// Copies between buffers and depth-stencil textures that wgpu forbids.
pub(crate) trait DepthCopies<'r> {
    /// Packs a rectangle of depth and stencil, in each slice of `extent`, into a buffer.
    fn read_part_of_depth(&mut self, src: TextureLocation<'r>, dst: TexelRows<'_>, extent: [u32; 3]);

    /// Writes a rectangle of depth and stencil, in each slice of `extent`, from a buffer.
    fn write_part_of_depth(&mut self, src: TexelRows<'_>, dst: TextureLocation<'r>, extent: [u32; 3]);

    /// Packs depth and stencil of whole slices into a buffer, in the memory layout of Direct3D 11.
    fn read_depth(&mut self, src: TextureLocation<'r>, dst: TexelRows<'_>, extent: [u32; 3]);

    /// Writes depth, and stencil if the format has it, to whole slices from a buffer in that layout.
    fn write_depth(&mut self, src: TexelRows<'_>, dst: TextureLocation<'r>, extent: [u32; 3]);
}

/// Render targets that are smaller than the depth-stencil target of their pass.
pub(crate) trait TargetEnlargement {
    /// Returns whether the adapter can enlarge the bound render targets.
    fn can_enlarge(&self) -> bool;

    /// Replaces each render target by a texture as large as the depth-stencil target, before a pass begins.
    /// The contents are copied, except in slots that `clears` marks, because the pass clears those targets.
    fn enlarge(&mut self, clears: &[bool; TARGETS]) -> Vec<BorrowedTarget>;

    /// Copies the texels back to the render targets after the pass.
    fn give_back(&mut self, borrowed: &[BorrowedTarget]);
}

/// Clears of unordered-access views to any value, because wgpu can clear buffers only to zero.
pub(crate) trait Fills<'r> {
    /// Writes a value to all elements of a range, which contains only whole elements. The wgpu buffer must
    /// have the usage `STORAGE`.
    fn fill_buffer(&mut self, range: &BufferRange<'_>, element: FillElement);

    fn fill_texture(&mut self, view: &'r View, element: FillElement);
}

/// Viewports that exceed wgpu's limits, which are replaced by smaller ones and transformed positions.
pub(crate) trait ViewportFitting {
    /// Returns the viewport that is set in wgpu instead of `viewport`. The pipeline changes whenever
    /// viewports begin or cease to be replaced.
    fn fit_viewport(&mut self, viewport: Viewport, scissor: [u32; 4]) -> Viewport;

    /// Binds the numbers that change the positions of the next draws.
    fn bind_vertex_end(&mut self);
}

/// Zero-padded copies of buffers that are shorter than the range that a command reads.
pub(crate) trait PaddedCopies {
    /// Returns a new buffer of at least `size` bytes. Byte n is byte `shift + n` of `range`, or 0 if that
    /// byte is outside the range. The copy is in the prologue, or it ends the pass.
    fn padded_copy(
        &mut self,
        range: BufferRange<'_>,
        shift: i64,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> wgpu::Buffer;

    /// Like [`PaddedCopies::padded_copy`], from the start of `range` and in a place that the caller has
    /// chosen.
    fn padded_copy_at(
        &mut self,
        place: CommandPlace,
        range: BufferRange<'_>,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> wgpu::Buffer;

    /// Returns the largest size of a padded copy, in bytes.
    fn largest_copy(&self) -> u64;
}

/// Buffer copies at any byte offset and of any size.
pub(crate) trait ByteCopies {
    /// Copies bytes between ranges that may overlap in one buffer, in a place that the caller has chosen.
    fn copy_bytes(&mut self, place: CommandPlace, src: BufferOffset<'_>, dst: BufferOffset<'_>, size: u64);
}

/// `GenerateMips`, which wgpu lacks, as draws from each mip level to the next smaller one.
pub(crate) trait MipGeneration<'r> {
    /// Draws all levels of a view except the first, each from the level before. sRGB texels are averaged in
    /// linear space.
    fn generate_mips(&mut self, view: &'r View);
}

/// Vertex buffers that the vertex shader reads as storage buffers.
pub(crate) trait VertexPulling {
    /// Returns the index of each slot's storage buffer, or `None` if wgpu can fetch from the bound buffers.
    fn pulled_buffers(&mut self, layout: &ElementLayout) -> Option<PulledBuffers>;

    /// Returns the index of each slot's storage buffer, and whether slots with the same buffer share one.
    fn storage_buffers(&self, layout: &ElementLayout) -> (PulledBuffers, bool);

    /// Makes the next draw pull its vertices, and returns `false` if that is impossible.
    fn pull_vertices(&mut self) -> bool;

    /// Makes the next draw fetch its vertices through wgpu again, if wgpu can.
    fn fetch_vertices(&mut self);

    /// Returns the vertex buffers that the pipeline of the next draw pulls, or `None` if wgpu fetches them.
    fn pulled(&self) -> Option<&PulledFetch>;

    /// Returns the bind group of the pulled vertex buffers, with the numbers of a draw, or `None` if the
    /// pipeline pulls none.
    fn resolve_pulled(&mut self, draw: &PulledDraw) -> Result<Option<SlabIndex>, Skipped>;

    /// Binds the group of pulled vertex buffers, unless the pass has it already.
    fn bind_pulled(&mut self, place: SlabIndex);
}

/// Draws with a geometry shader, which wgpu lacks.
pub(crate) trait GeometryDraws {
    /// Makes a draw with the bound geometry shader.
    fn draw_with_geometry(&mut self, call: &DrawCall);

    /// Binds the changed groups for draws with the bound geometry shader, unless something else has changed.
    fn rebind_expansion(&mut self);

    /// Begins to compile the pipeline of a draw with the bound geometry shader, with indices if an index buffer is bound.
    fn prepare_with_geometry(&mut self);

    /// Makes a draw with the bound geometry shader, whose arguments are in a buffer.
    fn draw_indirect_with_geometry(&mut self, arguments: BufferRange<'_>, indexed: bool);
}

/// Draws with a hull and a domain shader, which wgpu lacks.
pub(crate) trait TessellatedDraws {
    /// Makes a draw of patches.
    fn draw_tessellated(&mut self, arguments: StreamArguments<'_>, indexed: bool);

    /// Begins to compile the pipelines of a draw of patches of one instance, with indices if an index buffer is bound.
    fn prepare_tessellated(&mut self);
}

/// Dispatches that store vertices or patches for several draws.
pub(crate) trait SharedDispatches {
    /// Makes the dispatches that wait for further draws, at the end of the prologue.
    fn flush_batches(&mut self);
}

/// Draws whose primitives select slices of the targets, which need a pass for each slice.
pub(crate) trait SliceRanges<'r> {
    /// Encodes the commands that follow such a draw once for each slice, as far as possible, and returns their number.
    fn encode_slices(&mut self, page: &'r Page, objects: &PageObjects<'r>, commands: &[Command]) -> usize;

    /// Calls a function for each slice, in which draws are made to that slice only.
    fn in_each_slice(&mut self, encode: impl FnMut(&mut Self, u32));
}

/// Stream output, which wgpu lacks.
pub(crate) trait StreamOutputs<'r> {
    /// Writes the streams of a draw, and returns whether the draw is also rasterized.
    fn write_streams(&mut self, arguments: StreamArguments<'_>, indexed: bool) -> bool;

    /// Begins to compile the pipelines that write the streams of a draw of one instance, with indices if an index buffer
    /// is bound. Returns whether the draw is also rasterized.
    fn prepare_streams(&mut self) -> bool;

    /// Counts the primitives that the bound geometry shader appends in a draw, if statistics are open.
    fn measure_primitives(&mut self, arguments: StreamArguments<'_>, indexed: bool);

    /// Finds the arguments of an automatic draw, given the storage of a filled size and the offset and the stride of
    /// the buffer. Returns their range, or `None` if the draw was reported.
    fn find_auto_arguments(
        &mut self,
        filled: BufferRange<'r>,
        offset: u32,
        stride: u32,
    ) -> Option<BufferRange<'r>>;
}

/// Copies of texels whose format wgpu lacks, which compute shaders convert from or to a wider format.
pub(crate) trait TexelRepacking<'r> {
    /// Copies texels that wgpu stores in a wider format, and returns `false` without copying for all other
    /// formats.
    fn repacks(
        &mut self,
        texels: TextureLocation<'r>,
        memory: TexelRows<'_>,
        extent: [u32; 3],
        access: AccessKind,
    ) -> bool;
}

/// `ResolveSubresource`, with a resolve target if the adapter supports it for the format, and with a draw
/// otherwise.
pub(crate) trait Resolves<'r> {
    /// Averages the samples of a subresource, read in `format`, into another subresource of the same size.
    fn resolve(&mut self, src: TextureLocation<'r>, dst: TextureLocation<'r>, format: Format);
}

/// Occlusion queries that count samples, which pixel shaders add to an additional render target.
pub(crate) trait SampleCounting {
    /// Makes the next draw check again whether it can have a sample counter, because the pixel shader or the
    /// blend state has changed and dual-source blending allows only one target.
    fn reconsider_counter(&mut self);

    /// Adds a sample counter to the resolved targets, or removes it, and ends the open pass if that changes
    /// the targets.
    fn resolve_counter(&mut self);

    /// Returns the sample counter of draws without targets, or `None` if the pixel shader leaves no slot
    /// `free`.
    fn counter_alone(&mut self, free: Option<usize>) -> Option<CounterKey>;

    /// Replaces a sample counter that is smaller than the area of a draw without targets, given the required
    /// size in pixels (`least`) and the maximum of each side (`most`).
    fn fit_counter(&mut self, least: [u32; 2], most: u32);

    /// Sums the counter into a new query segment, after a pass in which something was drawn.
    fn sum_samples(&mut self);

    /// Ends the pass before a query that counts samples begins or ends, so that the samples drawn so far are
    /// summed.
    fn cut_samples(&mut self);
}

/// Copies of rectangles of multisampled textures, made by draws because wgpu copies only whole subresources.
pub(crate) trait SampleCopies<'r> {
    /// Copies a rectangle of a multisampled texture to a texture with the same format and sample count.
    fn copy_samples(&mut self, src: TextureLocation<'r>, dst: TextureLocation<'r>, extent: [u32; 3]);
}

/// Draws that need a pass although they have no target.
pub(crate) trait StandIns {
    /// Returns whether the next draw is encoded although no target is bound, because it writes through views
    /// or an open query counts it.
    fn resolve_stand_in(&mut self) -> bool;

    /// Replaces a placeholder that is smaller than the area of the next draw, and ends the pass if it uses
    /// the smaller one.
    fn fit_stand_in(&mut self, area: &DrawArea);
}
