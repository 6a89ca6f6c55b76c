//! Draws whose pixel shader writes through unordered-access views.
//!
//! Each draw sees what the draws before it wrote. Within a render pass wgpu orders nothing, and it lets a buffer that a
//! draw of the pass may write be nothing else in that pass. So a pass has one set of parts that its draws may write
//! ([`PassWrites`]), and it ends before a draw
//!
//! * that may write another part;
//! * that reads or overwrites what another draw of the pass wrote, unless both only count ([`VariableTouch`]);
//! * that reads, through whatever it is bound, a buffer or a texture of the set.
//!
//! Draws without any target that write so, or that an open query sees, need a pass all the same, which wgpu makes of
//! targets only: they get a *stand-in*, a target that nothing is written to. It is as large as the draw's area. While
//! samples are counted, the sample counter is the stand-in ([`super::emulate::sample_counts`]).

use onze_ddi::{ScalarKind, UnorderedAccessKind};

use crate::{
    encode::{
        bind::GraphicsBindPoint,
        encoder::Encoder,
        parts::{
            accesses::AccessRange,
            ranges::{BufferPart, TARGETS},
            targets::{CounterKey, STAND_IN_FORMAT},
            vertices::DrawArea,
        },
    },
    objects::{
        shader::{Shader, VariableTouch},
        stage::PIXEL,
    },
};

/// A target for draws that have none.
#[derive(Clone, Debug)]
pub(super) struct StandIn {
    view: wgpu::TextureView,
    size: [u32; 2],
}

impl StandIn {
    /// The attachment of a pass.
    pub(super) fn attachment(&self) -> wgpu::RenderPassColorAttachment<'_> {
        wgpu::RenderPassColorAttachment {
            view: &self.view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                store: wgpu::StoreOp::Discard,
            },
        }
    }
}

/// The size of a new stand-in with at least some pixels, in place of one that may be too small; `None` if that has them.
/// Areas that grow little by little make few of them.
pub(super) fn outgrown(before: Option<[u32; 2]>, least: [u32; 2], most: u32) -> Option<[u32; 2]> {
    let before = before.unwrap_or_default();
    let grown = |at: usize| before[at].max(least[at]).next_power_of_two().min(most);
    (before[0] < least[0] || before[1] < least[1]).then(|| [grown(0), grown(1)])
}

/// The pixels of the smallest target with all of an area.
fn extent(area: &DrawArea) -> [u32; 2] {
    let [x, y, width, height] = area.scissor;
    [x + width, y + height]
}

impl<'r> Encoder<'r> {
    /// The pixel shader of the next draw, if it writes through views.
    fn writing_shader(&self) -> Option<&'r Shader> {
        self.state.bindings.stages[PIXEL].shader.filter(|shader| !shader.touches.is_empty())
    }

    /// Whether the next draw, or one before it in the pass, writes through views.
    pub(super) fn minds_writes(&self) -> bool {
        !self.pass_writes.is_empty() || self.writing_shader().is_some()
    }

    /// Whether the next draw writes through views.
    pub(super) fn draw_writes(&self) -> bool {
        self.writing_shader().is_some()
    }

    /// Opens the pass for a draw, when all else is resolved; another one than the open pass, if the draw must not be
    /// made in that. `arguments` is the buffer of an indirect draw's.
    pub(super) fn open_pass_for_draw(&mut self, arguments: Option<u64>) {
        if !self.minds_writes() {
            return self.open_pass();
        }
        let writes = self.written_parts();
        if self.pass.is_render() && !(self.pass_writes.allows(&writes) && self.may_read(arguments)) {
            self.end_pass();
        }
        self.open_pass();
        if self.pass_writes.is_empty() {
            self.pass_writes.0 = writes;
        }
    }

    /// After a draw that writes through views.
    pub(super) fn after_writes(&mut self) {
        self.copy_back::<GraphicsBindPoint>();
        self.buffers_changed();
    }

    /// What the next draw may write.
    fn written_parts(&self) -> Vec<(AccessRange, VariableTouch)> {
        let Some(shader) = self.writing_shader() else { return Vec::new() };
        let (bindings, reflection) = (&self.state.bindings, &shader.code.reflection);
        let bytes = |part: BufferPart<'_>| {
            AccessRange::bytes(part.storage.buffer_id, part.offset.into(), part.size.into())
        };
        let slots = reflection.unordered_access.iter().map(|slot| match slot.kind {
            UnorderedAccessKind::Buffer { .. } => bindings.unordered.get(slot.slot).map(bytes),
            // Of a typed buffer there may be a 1D texture.
            UnorderedAccessKind::TypedBuffer { .. } | UnorderedAccessKind::Texture { .. } => {
                if let Some(part) = bindings.unordered.get(slot.slot) {
                    return Some(bytes(part));
                }
                let view_slot = shader.view_slots.iter().find(|of| of.unordered && of.slot == slot.slot)?;
                self.written_texture::<GraphicsBindPoint>(view_slot).map(AccessRange::seen)
            }
        });
        let counters =
            reflection.counters.iter().map(|counter| bindings.counters.get(counter.slot).map(bytes));
        let parts = slots.chain(counters).zip(&shader.touches);
        parts.filter_map(|(part, touch)| Some((part?, *touch))).collect()
    }

    /// Whether the pass allows all that the next draw reads. wgpu keeps one state for a whole buffer.
    fn may_read(&self, arguments: Option<u64>) -> bool {
        if self.pass_writes.is_empty() {
            return true;
        }
        let bindings = &self.state.bindings;
        let index = self.state.index.range.map(|range| range.id);
        let vertex = self.state.vertex.iter().filter_map(|slot| slot.range).map(|range| range.id);
        let whole = |id: u64| self.pass_writes.allows_reading(&AccessRange::buffer(id));
        arguments.into_iter().chain(index).chain(vertex).all(whole)
            && bindings.stages.iter().flat_map(|stage| stage.buffers.ids()).all(whole)
            && bindings.stages.iter().all(|stage| {
                let slots = stage.shader.into_iter().flat_map(|shader| &shader.code.reflection.resources);
                let mut views = slots.filter_map(|slot| *stage.textures.get(slot.slot as usize)?);
                views.all(|view| self.pass_writes.allows_reading(&AccessRange::seen(view)))
            })
    }

    /// Where nothing is bound as a target: whether the next draw is made all the same, as it writes through views or is
    /// seen by a query.
    pub(super) fn resolve_stand_in(&mut self) -> bool {
        let is_made = self.draw_writes() || self.queries.sees_draws();
        let (stand_in, counter) = if is_made { self.choose_stand_in() } else { (None, None) };
        if (self.targets.stand_in, self.targets.counter) != (stand_in, counter) {
            self.end_pass();
            (self.targets.stand_in, self.targets.counter) = (stand_in, counter);
            self.targets.colors = stand_in.map_or(0, |slot| slot + 1);
            self.state.dirty_setting();
            self.state.area_dirty = true;
            let most = self.gpu.limits.max_texture_dimension_2d;
            (self.targets.width, self.targets.height, self.targets.samples) = (most, most, 1);
            self.targets.size = [most, most];
        }
        stand_in.is_some()
    }

    /// The slot of the stand-in for the next draw, and the sample counter in it.
    fn choose_stand_in(&mut self) -> (Option<usize>, Option<CounterKey>) {
        let code = self.state.bindings.stages[PIXEL].shader.map(|shader| &shader.code.reflection);
        let output = |slot: &usize| code.and_then(|code| code.output(*slot as u32));
        // A second output for blending suffers no target but the first.
        let blends_two = self.state.blend.is_some_and(|blend| blend.dual_source);
        let is_dual = code.is_some_and(|code| code.dual_source || blends_two && code.gives_two_sources());
        let free = (0..TARGETS).find(|slot| !is_dual && output(slot).is_none());
        // What the shader gives there may be written, as nothing reads it; numbers of other kinds do not fit.
        let takes = |slot: &usize| output(slot).is_some_and(|output| output.kind == ScalarKind::Float);
        let slot = free.or_else(|| (0..TARGETS).find(takes));
        if slot.is_none() {
            self.report(
                "draws without a target are skipped whose pixel shader gives integers to all 8 targets; take one of the \
                 outputs out of the shader",
            );
        }
        let counter = if self.queries.counts_samples() { self.counter_alone(free) } else { None };
        (slot, counter)
    }

    /// Before a draw to a stand-in: one that is large enough. The pass ends if it has a smaller one.
    pub(super) fn fit_stand_in(&mut self, area: &DrawArea) {
        let (least, most) = (extent(area), self.gpu.limits.max_texture_dimension_2d);
        if self.targets.counter.is_some() {
            return self.fit_counter(least, most);
        }
        let before = self.caches.stand_in.as_ref().map(|stand_in| stand_in.size);
        let Some(size) = outgrown(before, least, most) else { return };
        self.end_pass();
        let texture = self.gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("stand-in for a target"),
            size: wgpu::Extent3d { width: size[0], height: size[1], depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: STAND_IN_FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT,
            view_formats: &[],
        });
        let view = texture.create_view(&wgpu::TextureViewDescriptor::default());
        self.caches.stand_in = Some(StandIn { view, size });
    }
}
