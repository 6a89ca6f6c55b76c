//! Records draws, indirect dispatches, clears, mip generation and annotations in the open page.

use onze_ddi::{
    ClearFlags, DepthStencilViewHandle, RenderTargetViewHandle, ResourceHandle, ShaderResourceViewHandle,
    VertexBufferBinding,
};

use crate::record::{
    command::{Command, NO_OBJECT},
    object_table::PageObject,
    page::{IndexedDraw, InstancedDraw, PlainDraw},
    recorder::{PageSink, PageWriter},
};

impl<E: PageSink> PageWriter<'_, E> {
    // Consecutive draws form one command, whose arguments are in a side array. Because most draws are single
    // draws, arguments move to the array only when a second draw follows.

    #[inline(always)]
    pub(crate) fn draw(&mut self, vertex_count: u32, start_vertex: u32) {
        if vertex_count == 0 {
            return;
        }
        let page = &mut self.r.page;
        page.draws += 1;
        match page.commands.last_mut() {
            Some(Command::Draws { count, .. }) => {
                *count += 1;
                page.plain_draws.push(PlainDraw { count: vertex_count, start: start_vertex });
            }
            Some(Command::Draw { .. }) => page.join_plain_draws(vertex_count, start_vertex),
            _ => self.work(Command::Draw { vertex_count, start_vertex }),
        }
    }

    #[inline(always)]
    pub(crate) fn draw_indexed(&mut self, index_count: u32, start_index: u32, base_vertex: i32) {
        if index_count == 0 {
            return;
        }
        let page = &mut self.r.page;
        page.draws += 1;
        match page.commands.last_mut() {
            Some(Command::DrawsIndexed { count, .. }) => {
                *count += 1;
                page.indexed_draws.push(IndexedDraw { count: index_count, start: start_index, base_vertex });
            }
            Some(Command::DrawIndexed { .. }) => {
                page.join_indexed_draws(index_count, start_index, base_vertex);
            }
            _ => self.work(Command::DrawIndexed { index_count, start_index, base_vertex }),
        }
    }

    pub(crate) fn draw_instanced(&mut self, draw: InstancedDraw, indexed: bool) {
        if draw.count == 0 || draw.instance_count == 0 {
            return;
        }
        let page = &mut self.r.page;
        page.draws += 1;
        let first = page.instanced_draws.len() as u32;
        page.instanced_draws.push(draw);
        match (page.commands.last_mut(), indexed) {
            (Some(Command::DrawsInstanced { count, .. }), false)
            | (Some(Command::DrawsIndexedInstanced { count, .. }), true) => *count += 1,
            (_, false) => self.work(Command::DrawsInstanced { first, count: 1 }),
            (_, true) => self.work(Command::DrawsIndexedInstanced { first, count: 1 }),
        }
    }

    pub(crate) fn draw_indirect(&mut self, arguments: ResourceHandle, offset: u32, indexed: bool) {
        if let Ok(buffer) = self.buffer(arguments, |_| {}) {
            self.r.page.draws += 1;
            let offset = buffer.offset + offset;
            self.work(Command::DrawIndirect { indexed, object: buffer.object, offset });
        }
    }

    /// Records a draw of the vertices that stream output has written to a buffer.
    pub(crate) fn draw_auto(&mut self, binding: &VertexBufferBinding) {
        if let Some(buffer) = binding.buffer
            && binding.stride > 0
            && let Ok(object) = self.filled_size(buffer)
        {
            self.r.page.draws += 1;
            self.work(Command::DrawAuto { object, stride: binding.stride as u16, offset: binding.offset });
        }
    }

    pub(crate) fn dispatch_indirect(&mut self, arguments: ResourceHandle, offset: u32) {
        if let Ok(buffer) = self.buffer(arguments, |_| {}) {
            let offset = buffer.offset + offset;
            self.work(Command::DispatchIndirect { object: buffer.object, offset });
        }
    }

    pub(crate) fn clear_render_target(&mut self, view: RenderTargetViewHandle, value: [f32; 4]) {
        let object = self.object(Some(view), PageObject::View);
        if object != NO_OBJECT {
            let color = self.r.page.colors.len() as u32;
            self.r.page.colors.push(value);
            self.work(Command::ClearRenderTarget { object, color });
        }
    }

    pub(crate) fn clear_depth_stencil(
        &mut self,
        view: DepthStencilViewHandle,
        flags: ClearFlags,
        depth: f32,
        stencil: u8,
    ) {
        let object = self.object(Some(view), PageObject::View);
        if object != NO_OBJECT {
            self.work(Command::ClearDepthStencil { object, flags: flags.bits() as u8, stencil, depth });
        }
    }

    pub(crate) fn generate_mips(&mut self, view: ShaderResourceViewHandle) {
        let object = self.object(Some(view), PageObject::View);
        if object != NO_OBJECT {
            self.work(Command::GenerateMips(object));
        }
    }

    pub(crate) fn begin_event(&mut self, name: &str) {
        let index = self.name(name);
        self.work(Command::BeginEvent(index));
    }

    pub(crate) fn end_event(&mut self) {
        self.work(Command::EndEvent);
    }

    pub(crate) fn set_marker(&mut self, name: &str) {
        let index = self.name(name);
        self.work(Command::SetMarker(index));
    }

    fn name(&mut self, name: &str) -> u32 {
        self.r.page.names.push(name.into());
        self.r.page.names.len() as u32 - 1
    }
}
