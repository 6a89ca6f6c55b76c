//! What the encoder's core calls where wgpu lacks a feature.

use std::sync::Arc;

use onze_ddi::{Format, SubresourceRange, Viewport};

use crate::{
    encode::parts::{
        accesses::AccessKind,
        clears::PendingClear,
        enlarged_targets::BorrowedTarget,
        hash::SlabIndex,
        locations::{TexelRows, TextureLocation},
        member_uses::CastRead,
        pulled::{PulledBuffers, PulledFetch},
        ranges::{BufferOffset, BufferRange, TARGETS},
        sample_counter::CounterKey,
        vertices::DrawArea,
    },
    objects::{
        family::{Member, Members},
        state::ElementLayout,
        texture::TextureMemory,
        view::View,
    },
    record::page::{FillElement, InstancedDraw},
};

/// Draws of topologies with adjacency, made without the adjacent vertices.
pub(in crate::encode) trait AdjacencyRemoval<'r> {
    /// The indices that a draw without indices has instead, and how many of them; `None` if it draws nothing.
    fn adjacent_sequence(&mut self, vertices: u32) -> Option<(wgpu::Buffer, u32)>;

    /// The indices that a draw with indices has instead, and how many of them; `None` if it draws nothing.
    fn gather_indices(&mut self, args: &InstancedDraw) -> Option<(wgpu::Buffer, u32)>;

    /// The indices that an indirect draw with indices has instead, and its arguments.
    fn gather_indirect(&mut self, arguments: BufferRange<'r>) -> Option<(wgpu::Buffer, wgpu::Buffer)>;
}

/// Textures with several members, each of which gets the writes that it lacks before it is used.
pub(in crate::encode) trait MemberCopies<'r> {
    /// Before a command reads what a view sees.
    fn reads_members(&mut self, view: &'r View);

    /// Before a command writes a part of what a view sees.
    fn writes_members(&mut self, view: &'r View, range: &SubresourceRange);

    /// Before a clear happens.
    fn clears_members(&mut self, clear: &PendingClear<'r>);

    /// What a shader reads instead of a view of depth, while the targets of the pass write the stencil of the texture.
    fn depth_apart(&self, view: &'r View) -> Option<&'r View>;

    /// Before a command reads what a bundle's draws read.
    fn reads_noted_members(&mut self, reads: &[CastRead]);

    /// Before a command uses a part of a member: copies what it lacks. May end the pass.
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
pub(in crate::encode) trait DepthCopies<'r> {
    /// As [`Encoder::read_depth`], of a part.
    fn read_part_of_depth(&mut self, src: TextureLocation<'r>, dst: TexelRows<'_>, extent: [u32; 3]);

    /// As [`Encoder::write_depth`], of a part.
    fn write_part_of_depth(&mut self, src: TexelRows<'_>, dst: TextureLocation<'r>, extent: [u32; 3]);

    /// Packs depth and stencil into a buffer, as D3D11 lays them out.
    fn read_depth(&mut self, src: TextureLocation<'r>, dst: TexelRows<'_>, extent: [u32; 3]);

    /// Writes depth, and stencil if there is any, from D3D11's layout in a buffer.
    fn write_depth(&mut self, src: TexelRows<'_>, dst: TextureLocation<'r>, extent: [u32; 3]);
}

/// Render targets that are smaller than the depth-stencil target of their pass.
pub(in crate::encode) trait TargetEnlargement {
    /// Whether the render targets can be enlarged.
    fn can_enlarge(&self) -> bool;

    /// Before a pass whose depth is larger: gives each target a texture of its size, with what the target has. `clears`:
    /// the slots that the pass clears.
    fn enlarge(&mut self, clears: &[bool; TARGETS]) -> Vec<BorrowedTarget>;

    /// After a pass with enlarged targets: their texels go back.
    fn give_back(&mut self, borrowed: &[BorrowedTarget]);
}

/// Clears of unordered-access views.
pub(in crate::encode) trait Fills<'r> {
    /// Writes a value into all elements of a range of whole elements.
    fn fill_buffer(&mut self, range: &BufferRange<'_>, element: FillElement);

    /// Writes a value into all texels that a view sees: into a buffer, and from there to each slice.
    fn fill_texture(&mut self, view: &'r View, element: FillElement);
}

/// Viewports that are larger than wgpu accepts.
pub(in crate::encode) trait ViewportFitting {
    /// The viewport that draws get in place of a viewport. Pipelines change if positions begin or cease to move.
    fn fit_viewport(&mut self, viewport: Viewport, scissor: [u32; 4]) -> Viewport;

    /// Tells the vertex shader of the next draws how positions move.
    fn bind_fit(&mut self);
}

/// Copies of buffers that are shorter than the range that a command reads.
pub(in crate::encode) trait PaddedCopies {
    /// A new buffer of at least `size` bytes: byte n is byte `shift + n` of `range`, or 0 where that lies
    /// outside. Ends the pass.
    fn padded_copy(
        &mut self,
        range: BufferRange<'_>,
        shift: i64,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> wgpu::Buffer;

    /// The largest padded copy that is made.
    fn largest_copy(&self) -> u64;
}

/// Copies of bytes at any offset.
pub(in crate::encode) trait ByteCopies {
    /// Copies bytes. Both places may be in one buffer, and may overlap. Ends the pass.
    fn copy_bytes(&mut self, src: BufferOffset<'_>, dst: BufferOffset<'_>, size: u64);
}

/// `GenerateMips`, which wgpu lacks.
pub(in crate::encode) trait MipGeneration<'r> {
    /// Makes all levels of a view but the first from the first. sRGB levels are averaged as light.
    fn generate_mips(&mut self, view: &'r View);
}

/// Vertex buffers that the vertex shader reads itself.
pub(in crate::encode) trait VertexPulling {
    /// The storage buffers of the slots, if what is bound is to be pulled.
    fn pulled_buffers(&mut self, layout: &ElementLayout) -> Option<PulledBuffers>;

    /// Has the next draw pull its vertices; false if that cannot be.
    fn pull_vertices(&mut self) -> bool;

    /// Has wgpu read vertices again, where it can.
    fn fetch_vertices(&mut self);

    /// What the pipeline of the next draw pulls.
    fn pulled(&self) -> Option<&PulledFetch>;

    /// The bind group of the vertex buffers that the pipeline pulls, or nothing if it pulls none. `starts` is added to
    /// the shader's numbers of vertex and instance. `None` if the draw cannot be made.
    fn resolve_pulled(&mut self, starts: [u32; 2]) -> Option<Option<SlabIndex>>;

    /// Binds the group of vertex buffers unless the pass has it.
    fn bind_pulled(&mut self, place: SlabIndex);
}

/// Copies of texels whose format wgpu lacks.
pub(in crate::encode) trait TexelRepacking<'r> {
    /// Copies texels that wgpu cannot copy as they lie in memory; `false` for all others.
    fn repacks(
        &mut self,
        texels: TextureLocation<'r>,
        memory: TexelRows<'_>,
        extent: [u32; 3],
        access: AccessKind,
    ) -> bool;
}

/// `ResolveSubresource`.
pub(in crate::encode) trait Resolves<'r> {
    /// Averages the samples of a subresource, seen in a format, into another one of the same size.
    fn resolve(&mut self, src: TextureLocation<'r>, dst: TextureLocation<'r>, format: Format);
}

/// Occlusion queries that count samples.
pub(in crate::encode) trait SampleCounting {
    /// Whether the next draw needs other targets, now that its pixel shader or blend state is another one: shaders with a
    /// second output for blending suffer no other target.
    fn reconsider_counter(&mut self);

    /// Gives the resolved targets a sample counter, or takes it away. The open pass ends if it has other ones.
    fn resolve_counter(&mut self);

    /// The sample counter of draws without targets, in a slot that the pixel shader leaves free.
    fn counter_alone(&mut self, free: Option<usize>) -> Option<CounterKey>;

    /// Before a draw without targets that is counted: a counter with at least some pixels.
    fn fit_counter(&mut self, least: [u32; 2], most: u32);

    /// After a pass with a sample counter in which something was drawn: adds the counter up into a segment.
    fn sum_samples(&mut self);

    /// Before a query that counts samples begins or ends: what was drawn so far is added up, for those that are begun.
    fn cut_samples(&mut self);
}

/// Copies of parts of multisampled textures.
pub(in crate::encode) trait SampleCopies<'r> {
    /// Copies a part of a multisampled texture to one of the same format and number of samples.
    fn copy_samples(&mut self, src: TextureLocation<'r>, dst: TextureLocation<'r>, extent: [u32; 3]);
}

/// Draws without targets that need a pass all the same.
pub(in crate::encode) trait StandIns {
    /// Where nothing is bound as a target: whether the next draw is made all the same, as it writes through views or is
    /// seen by a query.
    fn resolve_stand_in(&mut self) -> bool;

    /// Before a draw to a stand-in: one that is large enough. The pass ends if it has a smaller one.
    fn fit_stand_in(&mut self, area: &DrawArea);
}
