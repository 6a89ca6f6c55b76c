//! Copies between memory and textures of formats that wgpu does not have
//! ([`packing`](crate::services::packing)). A compute shader widens texels into a buffer, which wgpu copies
//! into the texture, or narrows texels that wgpu has copied out of it.

use crate::{
    encode::{
        emulate_hooks::{ByteCopies, TexelRepacking},
        encoder::Encoder,
        own_pipelines::OwnCompute,
        parts::{
            accesses::AccessKind,
            locations::{TexelRows, TextureLocation},
            prologue::CommandPlace,
        },
    },
    services::packing::Packing,
};

struct Repack<'r> {
    texels: TextureLocation<'r>,
    extent: [u32; 3],
    row: u32,
    /// Size of the packed texels in memory, from the first to the last byte.
    bytes: u64,
    /// Bytes from one row of wide texels to the next.
    wide_pitch: u32,
}

impl<'r> Repack<'r> {
    fn new(
        packing: Packing,
        texels: TextureLocation<'r>,
        pitch: u32,
        [width, height, slices]: [u32; 3],
    ) -> Self {
        // A block of two texels may extend beyond a mip level that is one texel wide.
        let (most_wide, _) = texels.texture.mip_size(texels.mip);
        let width = width.min(most_wide.saturating_sub(texels.origin[0]));
        let row = width.div_ceil(packing.block()) * packing.bytes();
        let rows = height * slices;
        let bytes = u64::from(pitch) * u64::from(rows.saturating_sub(1)) + u64::from(row);
        let wide_row = width * packing.wide_words() * 4;
        let wide_pitch = wide_row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        Self { texels, extent: [width, height, slices], row, bytes, wide_pitch }
    }

    const fn rows(&self) -> u32 {
        self.extent[1] * self.extent[2]
    }

    fn wide_bytes(&self) -> u64 {
        u64::from(self.wide_pitch) * u64::from(self.rows())
    }

    fn parameters(&self, packing: Packing, pitch: u32) -> [u32; 8] {
        let [width, ..] = self.extent;
        [width, self.rows(), pitch, self.wide_pitch / 4, packing as u32, 0, 0, 0]
    }

    fn size(&self) -> wgpu::Extent3d {
        let [width, height, slices] = self.extent;
        wgpu::Extent3d { width, height, depth_or_array_layers: slices }
    }
}

impl<'r> TexelRepacking<'r> for Encoder<'r> {
    fn repacks(
        &mut self,
        texels: TextureLocation<'r>,
        memory: TexelRows<'_>,
        extent: [u32; 3],
        access: AccessKind,
    ) -> bool {
        let Some(packing) = texels.texture.packing else { return false };
        let (part, bytes) = (texels.part(extent[2]), memory.part(extent[1], extent[2]));
        match access {
            AccessKind::Read => {
                self.reads(part);
                self.writes(bytes);
                self.narrow(packing, texels, memory, extent);
            }
            AccessKind::Write => {
                self.reads(bytes);
                self.writes(part);
                self.widen(packing, memory, texels, extent);
            }
        }
        true
    }
}

impl<'r> Encoder<'r> {
    pub(crate) fn widen(
        &mut self,
        packing: Packing,
        src: TexelRows<'_>,
        dst: TextureLocation<'r>,
        extent: [u32; 3],
    ) {
        let copy = Repack::new(packing, dst, src.pitch, extent);
        let memory = self.temporary(copy.bytes, wgpu::BufferUsages::STORAGE);
        self.copy_bytes(CommandPlace::Run, (src.buffer, src.offset), (&memory, 0), copy.bytes);
        let wide = self.temporary(copy.wide_bytes(), wgpu::BufferUsages::STORAGE);
        let params = self.parameters(&copy.parameters(packing, src.pitch));
        let lost = "a copy of packed texels is lost: the adapter has no compute shaders";
        let Some(made) = self.own_compute(OwnCompute::WidenTexels, lost) else { return };
        let bindings = [params.as_entire_binding(), memory.as_entire_binding(), wide.as_entire_binding()];
        self.run_own_groups(
            CommandPlace::Run,
            made,
            &bindings,
            [copy.extent[0].div_ceil(8), copy.rows().div_ceil(8)],
        );
        let rows = TexelRows { buffer: &wide, id: 0, offset: 0, pitch: copy.wide_pitch };
        let to = copy.texels.info(wgpu::TextureAspect::All);
        self.outside().copy_buffer_to_texture(rows.info(extent[1]), to, copy.size());
    }

    pub(crate) fn narrow(
        &mut self,
        packing: Packing,
        src: TextureLocation<'r>,
        dst: TexelRows<'_>,
        extent: [u32; 3],
    ) {
        let copy = Repack::new(packing, src, dst.pitch, extent);
        let wide = self.temporary(copy.wide_bytes(), wgpu::BufferUsages::STORAGE);
        let rows = TexelRows { buffer: &wide, id: 0, offset: 0, pitch: copy.wide_pitch };
        let from = copy.texels.info(wgpu::TextureAspect::All);
        self.outside().copy_texture_to_buffer(from, rows.info(extent[1]), copy.size());
        // Rows begin at whole words in this buffer, regardless of their offsets in the destination.
        let pitch = copy.row.next_multiple_of(4);
        let bytes = u64::from(pitch) * u64::from(copy.rows());
        let memory = self.temporary(bytes, wgpu::BufferUsages::STORAGE);
        let params = self.parameters(&copy.parameters(packing, pitch));
        let lost = "a copy of packed texels is lost: the adapter has no compute shaders";
        let Some(made) = self.own_compute(OwnCompute::NarrowTexels, lost) else { return };
        let bindings = [params.as_entire_binding(), wide.as_entire_binding(), memory.as_entire_binding()];
        self.run_own_groups(
            CommandPlace::Run,
            made,
            &bindings,
            [(pitch / 4).div_ceil(8), copy.rows().div_ceil(8)],
        );
        for row in (0..copy.rows()).map(u64::from) {
            let (from, to) = (row * u64::from(pitch), dst.offset + row * u64::from(dst.pitch));
            self.copy_bytes(CommandPlace::Run, (&memory, from), (dst.buffer, to), copy.row.into());
        }
    }
}
