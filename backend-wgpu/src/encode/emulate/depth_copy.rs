//! Copies between buffers and depth-stencil textures that wgpu forbids.
//!
//! wgpu cannot copy a buffer into 32-bit depth, and it cannot copy 24-bit depth in either direction. It
//! copies stencil as separate bytes. Therefore a compute shader reads depth and a draw writes it, one slice
//! at a time.

use crate::encode::{
    emulate_hooks::{ByteCopies, DepthCopies},
    encoder::Encoder,
    own_pipelines::{CoverPipeline, OwnCompute},
    parts::{
        locations::{TexelRows, TextureLocation, texel_bytes},
        prologue::CommandPlace,
    },
};

/// Returns the shader's number for the memory layout of a format.
fn memory_format(format: wgpu::TextureFormat) -> u32 {
    match format {
        wgpu::TextureFormat::Depth24PlusStencil8 | wgpu::TextureFormat::Depth24Plus => 0,
        wgpu::TextureFormat::Depth32FloatStencil8 => 1,
        _ => 2,
    }
}

const LOST: &str = "a copy of depth is lost: the adapter has no compute shaders";

fn slice<'r, 'b>(
    texels: TextureLocation<'r>,
    rows: TexelRows<'b>,
    height: u32,
    slice: u32,
) -> (TextureLocation<'r>, TexelRows<'b>) {
    let [x, y, first] = texels.origin;
    let image = u64::from(rows.pitch) * u64::from(height);
    (
        TextureLocation { origin: [x, y, first + slice], ..texels },
        TexelRows { offset: rows.offset + image * u64::from(slice), ..rows },
    )
}

/// Copies rows of texels between two locations in memory.
fn copy_rows(encoder: &mut Encoder<'_>, src: TexelRows<'_>, dst: TexelRows<'_>, bytes: u32, height: u32) {
    for row in (0..height).map(u64::from) {
        let at = |rows: TexelRows<'_>| rows.offset + row * u64::from(rows.pitch);
        encoder.copy_bytes(CommandPlace::Run, (src.buffer, at(src)), (dst.buffer, at(dst)), u64::from(bytes));
    }
}

impl<'r> DepthCopies<'r> for Encoder<'r> {
    fn read_part_of_depth(&mut self, src: TextureLocation<'r>, dst: TexelRows<'_>, extent: [u32; 3]) {
        let [width, height, slices] = extent;
        for at in 0..slices {
            let (src, dst) = slice(src, dst, height, at);
            self.with_whole_depth(src, false, |encoder, whole, texel| {
                copy_rows(encoder, whole, dst, width * texel, height);
            });
        }
    }

    fn write_part_of_depth(&mut self, src: TexelRows<'_>, dst: TextureLocation<'r>, extent: [u32; 3]) {
        let [width, height, slices] = extent;
        for at in 0..slices {
            let (dst, src) = slice(dst, src, height, at);
            self.with_whole_depth(dst, true, |encoder, whole, texel| {
                copy_rows(encoder, src, whole, width * texel, height);
            });
        }
    }

    fn read_depth(
        &mut self,
        src: TextureLocation<'r>,
        dst: TexelRows<'_>,
        [width, height, slices]: [u32; 3],
    ) {
        if !self.has_compute() {
            return;
        }
        for at in 0..slices {
            let (src, dst) = slice(src, dst, height, at);
            self.read_depth_slice(src, dst, width, height);
        }
    }

    fn write_depth(
        &mut self,
        src: TexelRows<'_>,
        dst: TextureLocation<'r>,
        [width, height, slices]: [u32; 3],
    ) {
        if !self.has_compute() {
            return;
        }
        for at in 0..slices {
            let (dst, src) = slice(dst, src, height, at);
            self.write_depth_slice(src, dst, width, height);
        }
    }
}

impl<'r> Encoder<'r> {
    /// Reads a whole slice into memory and, if `write` is set, writes it back. In between, `work` receives
    /// the location of the first texel in memory and the size of a texel in bytes.
    fn with_whole_depth(
        &mut self,
        texels: TextureLocation<'r>,
        write: bool,
        work: impl FnOnce(&mut Self, TexelRows<'_>, u32),
    ) {
        let (width, height) = texels.texture.mip_size(texels.mip);
        let texel = texel_bytes(texels.texture.format);
        let pitch = (width * texel).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let memory = self.temporary(u64::from(pitch) * u64::from(height), wgpu::BufferUsages::empty());
        let rows = TexelRows { buffer: &memory, id: 0, offset: 0, pitch };
        let [x, y, slice] = texels.origin;
        let whole = TextureLocation { origin: [0, 0, slice], ..texels };
        // The caller has declared the accesses, so all commands stay in the run and begin no section.
        self.end_pass();
        // These functions know which formats wgpu can copy itself.
        self.texture_to_buffer(whole, rows, [width, height, 1]);
        let first = u64::from(y) * u64::from(pitch) + u64::from(x) * u64::from(texel);
        work(self, TexelRows { offset: first, ..rows }, texel);
        if write {
            self.buffer_to_texture(rows, whole, [width, height, 1]);
        }
    }

    fn has_compute(&mut self) -> bool {
        let has = self.gpu.downlevel.flags.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS);
        if !has {
            self.report(LOST);
        }
        has
    }

    fn read_depth_slice(&mut self, src: TextureLocation<'r>, dst: TexelRows<'_>, width: u32, height: u32) {
        let format = src.texture.format;
        // Shaders may be unable to read the depth target, so they read a copy.
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        let copy = self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("depth to read"),
            size,
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format,
            usage: wgpu::TextureUsages::COPY_DST | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        self.outside().copy_texture_to_texture(
            src.info(wgpu::TextureAspect::All),
            copy.as_image_copy(),
            size,
        );
        let view = |aspect| {
            copy.create_view(&wgpu::TextureViewDescriptor {
                aspect,
                ..wgpu::TextureViewDescriptor::default()
            })
        };
        let (depth, stencil) = (view(wgpu::TextureAspect::DepthOnly), view(wgpu::TextureAspect::StencilOnly));
        let bytes = u64::from(dst.pitch) * u64::from(height - 1) + u64::from(width * texel_bytes(format));
        let packed = self.temporary(bytes, wgpu::BufferUsages::STORAGE);
        let params = self.parameters(&[width, height, dst.pitch / 4, 0, memory_format(format), 0, 0, 0]);
        let Some(pipeline) = self.own_compute(OwnCompute::PackDepth, LOST) else { return };
        let bindings = [
            params.as_entire_binding(),
            wgpu::BindingResource::TextureView(&depth),
            wgpu::BindingResource::TextureView(&stencil),
            packed.as_entire_binding(),
        ];
        self.run_own_groups(CommandPlace::Run, pipeline, &bindings, [width.div_ceil(8), height.div_ceil(8)]);
        self.copy_bytes(CommandPlace::Run, (&packed, 0), (dst.buffer, dst.offset), bytes);
    }

    fn write_depth_slice(&mut self, src: TexelRows<'_>, dst: TextureLocation<'r>, width: u32, height: u32) {
        let format = dst.texture.format;
        let bytes = u64::from(src.pitch) * u64::from(height - 1) + u64::from(width * texel_bytes(format));
        let texels = self.temporary(bytes, wgpu::BufferUsages::STORAGE);
        self.copy_bytes(CommandPlace::Run, (src.buffer, src.offset), (&texels, 0), bytes);
        let params = self.parameters(&[width, height, src.pitch / 4, 0, memory_format(format), 0, 0, 0]);
        if format.has_stencil_aspect() {
            self.write_stencil(&params, &texels, dst, width, height);
        }
        let Some(pipeline) = self.own_cover(CoverPipeline::Depth { format }, LOST) else { return };
        let group = self.gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: params.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: texels.as_entire_binding() },
            ],
        });
        let view = dst.texture.texture.create_view(&wgpu::TextureViewDescriptor {
            dimension: Some(wgpu::TextureViewDimension::D2),
            usage: Some(wgpu::TextureUsages::RENDER_ATTACHMENT),
            base_mip_level: dst.mip,
            mip_level_count: Some(1),
            base_array_layer: dst.origin[2],
            array_layer_count: Some(1),
            ..wgpu::TextureViewDescriptor::default()
        });
        let keep = format.has_stencil_aspect();
        let mut pass = self.outside_for_pass().begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("unpack depth"),
            color_attachments: &[],
            depth_stencil_attachment: Some(wgpu::RenderPassDepthStencilAttachment {
                view: &view,
                depth_ops: Some(crate::encode::parts::clears::operations(None)),
                stencil_ops: keep.then(|| crate::encode::parts::clears::operations(None)),
            }),
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.draw(0..3, 0..1);
    }

    fn write_stencil(
        &mut self,
        params: &wgpu::Buffer,
        texels: &wgpu::Buffer,
        dst: TextureLocation<'r>,
        width: u32,
        height: u32,
    ) {
        let pitch = width.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let bytes = self.temporary(u64::from(pitch) * u64::from(height), wgpu::BufferUsages::STORAGE);
        let Some(pipeline) = self.own_compute(OwnCompute::UnpackStencil, LOST) else { return };
        let bindings = [params.as_entire_binding(), texels.as_entire_binding(), bytes.as_entire_binding()];
        self.run_own_groups(
            CommandPlace::Run,
            pipeline,
            &bindings,
            [(pitch / 4).div_ceil(8), height.div_ceil(8)],
        );
        let rows = TexelRows { buffer: &bytes, id: 0, offset: 0, pitch };
        let size = wgpu::Extent3d { width, height, depth_or_array_layers: 1 };
        self.outside().copy_buffer_to_texture(
            rows.info(height),
            dst.info(wgpu::TextureAspect::StencilOnly),
            size,
        );
    }
}
