//! Casts: textures that a run uses through several [members](crate::objects::family).
//!
//! Each view or copy that uses a typeless texture with shadows declares its use here. Writes of the run
//! through other members that the used member lacks are copied first. A member that a run uses for the first
//! time is already up to date with everything before the run. The submission ensures that with
//! [`copy_lacking`], because it knows the order of the runs.

use std::sync::Arc;

use onze_ddi::{DsvFlags, SubresourceRange};

use crate::{
    encode::{
        device_encoding::DeviceEncoding,
        emulate_hooks::MemberCopies,
        encoder::Encoder,
        own_pipelines::CoverPipeline,
        parts::{
            accesses::{AccessKind, AccessRange},
            clears::PendingClear,
            member_uses::CastRead,
        },
    },
    objects::{
        cast_log::{CastWrite, MissingCast},
        family::{Member, Members},
        texture::TextureMemory,
        view::View,
    },
    services::gpu::Gpu,
};

impl<'r> MemberCopies<'r> for Encoder<'r> {
    #[inline]
    fn reads_members(&mut self, view: &'r View) {
        if view.memory.family.is_some() {
            self.casts.note(view);
            if view.memory.has_shadows() {
                let range = view.desc.range;
                self.use_member(&view.memory, view.member, &range, AccessKind::Read, Members::default());
            }
        }
    }

    #[inline]
    fn writes_members(&mut self, view: &'r View, range: &SubresourceRange) {
        if view.memory.has_shadows() {
            self.use_member(
                &view.memory,
                view.member,
                range,
                AccessKind::Write,
                view.memory.untouched(view.desc.flags),
            );
        }
    }

    fn clears_members(&mut self, clear: &PendingClear<'r>) {
        let PendingClear { view, depth, stencil, .. } = *clear;
        if view.memory.has_shadows() {
            let mut flags = view.desc.flags;
            flags.set(DsvFlags::READ_ONLY_DEPTH, depth.is_none());
            flags.set(DsvFlags::READ_ONLY_STENCIL, stencil.is_none());
            let has = view.memory.untouched(flags);
            self.use_member(&view.memory, view.member, &view.desc.range, AccessKind::Write, has);
        }
    }

    #[cold]
    fn depth_apart(&self, view: &'r View) -> Option<&'r View> {
        let is_read_only = self.targets.read_only().contains(DsvFlags::READ_ONLY_DEPTH);
        let is_target = self.targets.depth().is_some_and(|target| target.texture == view.texture);
        if is_read_only && is_target { view.depth_apart(self.gpu) } else { None }
    }

    fn reads_noted_members(&mut self, reads: &[CastRead]) {
        for read in reads {
            if let Some(memory) = read.memory.upgrade().filter(|memory| memory.has_shadows()) {
                self.use_member(&memory, read.member, &read.range, AccessKind::Read, Members::default());
            }
        }
    }

    #[inline(never)]
    fn use_member(
        &mut self,
        memory: &Arc<TextureMemory>,
        member: Member,
        range: &SubresourceRange,
        access: AccessKind,
        mut has: Members,
    ) {
        let range = memory.subresources(range);
        let used = self.casts.find(memory);
        used.needs.add(Members::one(member));
        // A member that writes is first brought up to date everywhere, so that its log entry hides no newer
        // entry.
        let part = if access == AccessKind::Write { memory.whole() } else { range };
        let lacking = used.log.bring(member, &part);
        if access == AccessKind::Write {
            has.add(Members::one(member));
            used.log.add(CastWrite { range, source: member, has });
        }
        let encoding = self.encoding;
        if !lacking.is_empty() {
            let is_drawn = memory.is_stencil(member);
            let encoder = if is_drawn { self.outside_for_pass() } else { self.outside() };
            copy_lacking(encoding, encoder, memory, member, &lacking);
            for MissingCast { range, .. } in &lacking {
                // The write of the range may be in an earlier section of the run.
                self.adds_write(AccessRange::subresources(memory.id, range));
            }
        }
        if access == AccessKind::Write || !lacking.is_empty() {
            // The next draw and the next dispatch must resolve their resources again.
            self.bindings.change_resources();
        }
    }
}

/// Copies into a member the writes to other members that it lacks.
pub(crate) fn copy_lacking(
    encoding: &DeviceEncoding,
    encoder: &mut wgpu::CommandEncoder,
    memory: &TextureMemory,
    member: Member,
    lacking: &[MissingCast],
) {
    for MissingCast { range, source } in lacking {
        for mip in range.first_mip..range.first_mip + range.mips {
            if memory.is_stencil(member) {
                for slice in range.first_slice..range.first_slice + range.slices {
                    draw_stencil(encoding, encoder, memory, mip, slice);
                }
            } else if memory.is_depth(member) {
                copy_depth(encoder, memory, mip, range);
            } else {
                copy_bits(&encoding.gpu, encoder, (memory, *source, member), mip, range);
            }
        }
    }
}

/// Copies the bits of slices of a mip level from one member to another, through a buffer.
fn copy_bits(
    gpu: &Gpu,
    encoder: &mut wgpu::CommandEncoder,
    (memory, source, member): (&TextureMemory, Member, Member),
    mip: u32,
    range: &SubresourceRange,
) {
    let (from, to) = (memory.member(source), memory.member(member));
    let format = to.format();
    let (block_width, block_height) = format.block_dimensions();
    let (width, height) = memory.mip_size(mip);
    let slices = match from.dimension() {
        wgpu::TextureDimension::D3 => (from.depth_or_array_layers() >> mip).max(1),
        wgpu::TextureDimension::D1 | wgpu::TextureDimension::D2 => range.slices,
    };
    let size = wgpu::Extent3d {
        width: width.next_multiple_of(block_width),
        height: height.next_multiple_of(block_height),
        depth_or_array_layers: slices,
    };
    let rows = size.height / block_height;
    let row = size.width / block_width * format.block_copy_size(None).unwrap_or(4);
    let pitch = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("between members"),
        size: u64::from(pitch) * u64::from(rows) * u64::from(slices),
        usage: wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let layout =
        wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(pitch), rows_per_image: Some(rows) };
    let texels = |texture, aspect| wgpu::TexelCopyTextureInfo {
        texture,
        mip_level: mip,
        origin: wgpu::Origin3d { x: 0, y: 0, z: range.first_slice },
        aspect,
    };
    let aspect = if from.format().has_depth_aspect() {
        wgpu::TextureAspect::DepthOnly
    } else {
        wgpu::TextureAspect::All
    };
    let between = wgpu::TexelCopyBufferInfo { buffer: &buffer, layout };
    encoder.copy_texture_to_buffer(texels(from, aspect), between, size);
    encoder.copy_buffer_to_texture(between, texels(to, wgpu::TextureAspect::All), size);
}

/// Copies slices of a mip level of a depth-stencil texture.
fn copy_depth(
    encoder: &mut wgpu::CommandEncoder,
    memory: &TextureMemory,
    mip: u32,
    range: &SubresourceRange,
) {
    let (width, height) = memory.mip_size(mip);
    let texels = |texture| wgpu::TexelCopyTextureInfo {
        texture,
        mip_level: mip,
        origin: wgpu::Origin3d { x: 0, y: 0, z: range.first_slice },
        aspect: wgpu::TextureAspect::All,
    };
    let size = wgpu::Extent3d { width, height, depth_or_array_layers: range.slices };
    encoder.copy_texture_to_texture(texels(&memory.texture), texels(memory.member(Member::DEPTH)), size);
}

fn draw_stencil(
    encoding: &DeviceEncoding,
    encoder: &mut wgpu::CommandEncoder,
    memory: &TextureMemory,
    mip: u32,
    slice: u32,
) {
    let gpu = &*encoding.gpu;
    let to = memory.member(Member::STENCIL);
    let format = to.format();
    let which = CoverPipeline::Stencil { format };
    let Some(pipeline) = encoding.own_pipelines.cover(&encoding.compilers, which) else {
        gpu.core.report_unsupported("shaders do not see stencil: the adapter cannot draw it".into());
        return;
    };
    let one = |texture: &wgpu::Texture, aspect, usage| {
        texture.create_view(&wgpu::TextureViewDescriptor {
            label: Some("stencil to read"),
            dimension: Some(wgpu::TextureViewDimension::D2),
            usage: Some(usage),
            aspect,
            base_mip_level: mip,
            mip_level_count: Some(1),
            base_array_layer: slice,
            array_layer_count: Some(1),
            ..wgpu::TextureViewDescriptor::default()
        })
    };
    let read = one(&memory.texture, wgpu::TextureAspect::StencilOnly, wgpu::TextureUsages::TEXTURE_BINDING);
    let drawn = one(to, wgpu::TextureAspect::All, wgpu::TextureUsages::RENDER_ATTACHMENT);
    let group = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &[wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::TextureView(&read) }],
    });
    let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        label: Some("stencil to read"),
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: &drawn,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Store,
            },
        })],
        ..wgpu::RenderPassDescriptor::default()
    });
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.draw(0..3, 0..1);
}
