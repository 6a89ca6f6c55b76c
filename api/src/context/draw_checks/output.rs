//! Checks whether a draw can write to its targets, based on the targets, the viewports and the output-merger
//! states.

use onze_ddi::{
    BlendDesc, ComparisonFunc, DepthStencilDesc, DsvFlags, Key, QueryType, RasterizerDesc, ResourceDesc,
    ShaderReflection, ShaderStage, StreamOutputDesc, TextureViewDesc, Viewport,
};

use super::{DrawPart, geometry::stream_output, scalar_kind};
use crate::{
    context::{
        DeviceContext, Skipped,
        draw::{reflection, terms},
    },
    device_core::{ObjectData, ObjectShared},
    report::MessageId,
    shader::SourceLanguage,
};

impl DeviceContext {
    /// Reports draws that write nothing, and outputs whose type differs from the type of their target.
    pub(super) fn check_output(&self) {
        let bound = &self.core.rt.bound;
        let has_depth = bound.depth_stencil_view.is_some();
        if let Some(stream_output) = self.check_stream_slots()
            && (stream_output.rasterized_stream.is_none()
                || (bound.render_targets.high() == 0 && !has_depth && bound.unbound_by_present.is_none()))
        {
            return;
        }
        if bound.viewports.is_empty() {
            self.report(MessageId::DrawViewportNotSet, "set one with `rs_set_viewports`");
        }
        if let Some(back_buffer) = bound.unbound_by_present {
            let is_made = has_depth || self.is_counted();
            let id = if is_made { MessageId::DrawBackBufferUnbound } else { MessageId::DrawNoTargets };
            let text = format_args!(
                "a present has unbound {}, as the flip model does; bind `SwapChain::render_target_view` with \
                 `om_set_render_targets` in each frame",
                self.name_of(Some(back_buffer))
            );
            self.report(id, text);
            return;
        }
        let pixel = self.stage_shader(ShaderStage::Pixel).and_then(|s| Some((s, reflection(s)?)));
        let writes_views = pixel.is_some_and(|(_, code)| code.writes_views());
        if bound.render_targets.high() == 0 && !has_depth {
            if writes_views || self.is_counted() {
                return;
            }
            let text = "bind a render target, a depth-stencil view or both with `om_set_render_targets`";
            self.report(MessageId::DrawNoTargets, text);
            return;
        }
        self.check_clipping();
        let is_written = writes_views || self.check_writes();
        self.check_depth_contents();
        self.check_stencil();
        if let Some((pixel, code)) = pixel {
            self.check_output_types(pixel, code);
            if is_written {
                self.check_output_slots(pixel, code);
            }
        }
    }

    /// Reports empty slots that the bound shader writes vertices to. Returns the shader's stream output.
    fn check_stream_slots(&self) -> Option<&StreamOutputDesc> {
        let shader = self.stage_shader(ShaderStage::Geometry)?;
        let desc = stream_output(shader)?;
        let targets = &self.core.rt.bound.stream_targets;
        let is_empty = |slot: &u32| targets.at(*slot as usize).is_none();
        let mut slots = desc.entries.iter().map(|entry| entry.slot);
        if let Some(slot) = slots.find(is_empty) {
            let text = format_args!(
                "{} writes vertices to slot {slot}, which is empty; bind a buffer there with `so_set_targets`",
                shader.name()
            );
            self.report_about(MessageId::DrawStreamTargetNotSet, shader.key, text);
        }
        Some(desc)
    }

    /// Records the end of a query, after which a draw without targets has no effect unless another query
    /// counts it.
    pub(in crate::context) fn query_ended(&mut self, query: QueryType) {
        let bound = &self.core.rt.bound;
        let has_targets = bound.render_targets.high() > 0 || bound.depth_stencil_view.is_some();
        if !has_targets && sees_draws(query) {
            self.core.rt.draw.binding_changed(DrawPart::OUTPUT);
        }
    }

    /// Returns whether a query that counts draws has begun in this context.
    fn is_counted(&self) -> bool {
        let is_seeing = |key: &Key| match self.core.shared(*key).map(|query| &query.data) {
            Some(ObjectData::Query(desc)) => sees_draws(desc.query),
            _ => false,
        };
        self.core.rt.begun.iter().any(is_seeing)
    }

    /// Returns the bound targets: the slot, the view and the object.
    fn targets(&self) -> impl Iterator<Item = (usize, &TextureViewDesc, &ObjectShared)> {
        let targets = self.core.rt.bound.render_targets.get(None).iter().enumerate();
        targets.filter_map(|(slot, target)| {
            let (view, shared) = self.texture_view(target.as_ref()?.key())?;
            Some((slot, view, shared))
        })
    }

    fn texture_view(&self, key: Key) -> Option<(&TextureViewDesc, &ObjectShared)> {
        let shared = self.core.shared(key)?;
        Some((shared.view()?.0.texture()?, shared))
    }

    /// Compares the viewport and the scissor rectangle with the size of the targets.
    fn check_clipping(&self) {
        let bound = &self.core.rt.bound;
        let depth = || self.texture_view(bound.depth_stencil_view?.key());
        let target = self.targets().next().map(|(_, view, shared)| (view, shared)).or_else(depth);
        let Some((view, shared)) = target else { return };
        let Some(ResourceDesc::Texture(texture)) = shared.view().and_then(|(_, r)| r.resource_desc()) else {
            return;
        };
        let (width, height) = texture.mip_size(view.range.first_mip);
        if let Some(viewport) = bound.viewports.first()
            && !covers(viewport, width, height)
        {
            let Viewport { top_left_x: x, top_left_y: y, width: w, height: h, .. } = viewport;
            let text = format_args!(
                "viewport 0 is {w} x {h} pixels at ({x}, {y}), and {} has {width} x {height}; set a viewport that \
                 covers the target",
                shared.name()
            );
            self.report_about(MessageId::DrawViewportEmpty, shared.key, text);
        }
        if !self.rasterizer().scissor_enable {
            return;
        }
        let text = match bound.scissor_rects.first() {
            None => "no scissor rectangle is set".to_owned(),
            Some(r)
                if r.left.max(0) >= r.right.min(width as i32)
                    || r.top.max(0) >= r.bottom.min(height as i32) =>
            {
                format!(
                    "scissor rectangle 0 goes from ({}, {}) to ({}, {}), right and bottom exclusive, and {} has \
                     {width} x {height} pixels",
                    r.left,
                    r.top,
                    r.right,
                    r.bottom,
                    shared.name()
                )
            }
            Some(_) => return,
        };
        let text =
            format_args!("{text}; set one with `rs_set_scissor_rects`, or a state without `scissor_enable`");
        self.report_about(MessageId::DrawScissorEmpty, shared.key, text);
    }

    /// Returns whether a draw can write anything, and reports it if it cannot.
    fn check_writes(&self) -> bool {
        let bound = &self.core.rt.bound;
        // The mask may select any samples of a multisampled target.
        let samples = self.samples();
        let all = if samples >= u32::BITS { u32::MAX } else { (1 << samples) - 1 };
        if bound.blend_state.sample_mask & all == 0 {
            let text = format_args!(
                "the sample mask is {:#x}, which leaves out all samples of the targets; pass u32::MAX to \
                 `om_set_blend_state`",
                bound.blend_state.sample_mask
            );
            self.report(MessageId::DrawNothingWritten, text);
            return false;
        }
        let Some((first, _, target)) = self.targets().next() else { return true };
        let pixel = self.stage_shader(ShaderStage::Pixel).and_then(|s| Some((s, reflection(s)?)));
        let blend = self.blend();
        let writes = |slot: usize| blend_mask(&blend, slot);
        let is_masked = self.targets().all(|(slot, ..)| !writes(slot));
        let is_given = |slot: usize| pixel.is_none_or(|(_, code)| code.output(slot as u32).is_some());
        if self.targets().any(|(slot, ..)| is_given(slot) && writes(slot)) && pixel.is_some() {
            return true;
        }
        // A query may count draws that write nothing to the targets. For a deferred context, such a query may
        // have begun on the context that executes the list.
        let is_streamed = self.stage_shader(ShaderStage::Geometry).and_then(stream_output).is_some();
        let is_counted = self.is_counted() || self.is_deferred() || is_streamed;
        let is_useful = self.writes_depth() || is_counted;
        match pixel {
            None if is_useful && (is_masked || bound.no_pixel_shader_is_meant) => return true,
            Some(_) if is_useful => return true,
            _ if is_masked => {
                let text = format_args!(
                    "the blend state has an empty render_target_write_mask for {} in slot {first}, and nothing else \
                     is written; make it with ColorWrite::ALL",
                    target.name()
                );
                self.report_about(MessageId::DrawNothingWritten, target.key, text);
            }
            None => {
                let text = format_args!(
                    "{} is bound in slot {first}; set one with `ps_set_shader`, or pass it `None` to draw depth alone",
                    target.name()
                );
                self.report_about(MessageId::DrawNoPixelShader, target.key, text);
            }
            Some((shader, _)) => {
                let text = format_args!(
                    "{} gives nothing at {}, where {} is bound; give the colour there, or bind the target in the slot \
                     that the shader writes",
                    shader.name(),
                    language(shader).target(first as u32),
                    target.name()
                );
                self.report_about(MessageId::DrawNothingWritten, [shader.key, target.key], text);
            }
        }
        false
    }

    /// Reports a depth test that rejects everything because the depth buffer still contains the zeros from
    /// its creation. Zero is the nearest depth, so nothing passes `Less`, but `LessEqual` and `Equal` are not
    /// reported, because flat pictures use a depth of zero. The check runs only on the immediate context,
    /// because a list may be executed after other lists that write depth.
    fn check_depth_contents(&self) {
        let Some((_, target)) =
            self.core.rt.bound.depth_stencil_view.and_then(|h| self.texture_view(h.key()))
        else {
            return;
        };
        let state = self.depth_stencil();
        if target.is_written() || !state.depth_enable {
            return;
        }
        match state.depth_func {
            ComparisonFunc::Less => {
                if !self.is_deferred() {
                    let text = format_args!(
                        "{} holds 0, the nearest depth, everywhere; clear it with `clear_depth_stencil` before the \
                         first draw of each frame",
                        target.name()
                    );
                    self.report_about(MessageId::DrawDepthNotCleared, target.key, text);
                }
            }
            // Draws with these functions do not change the initial zeros of the depth buffer.
            ComparisonFunc::LessEqual | ComparisonFunc::Equal | ComparisonFunc::Never => {}
            // Draws with other functions may write other depths.
            _ => target.set_written(),
        }
    }

    /// Checks that, if the blend state uses a second source, the shader writes that source and only one
    /// target is bound. A mistake is reported, because the draw is not possible.
    pub(in crate::context) fn check_dual_source(&self) -> Result<(), Skipped> {
        let state = self.core.rt.bound.blend_state.state.and_then(|h| self.core.shared(h.key()));
        let pixel = self.stage_shader(ShaderStage::Pixel).and_then(|s| Some((s, reflection(s)?)));
        let (Some(state), Some((pixel, code)), true) = (state, pixel, is_dual_source(&self.blend())) else {
            return Ok(());
        };
        let second = self.targets().find(|(slot, ..)| *slot > 0);
        let text = match second {
            Some((slot, _, target)) => format!(
                "{} takes a second output of the pixel shader, which leaves one target, and {} is bound in slot {slot}; \
                 unbind it, or use factors other than Src1Color, Src1Alpha and their inverses",
                state.name(),
                target.name()
            ),
            None if code.gives_two_sources() => return Ok(()),
            None => format!(
                "{} takes a second output of the pixel shader, and {} writes one colour; write a second one, or use factors \
                 other than Src1Color, Src1Alpha and their inverses",
                state.name(),
                pixel.name()
            ),
        };
        self.report_about(MessageId::DrawDualSourceInvalid, [state.key, pixel.key], text);
        Err(Skipped)
    }

    /// Reports an enabled stencil test if the depth-stencil target has no stencil.
    fn check_stencil(&self) {
        let state = self.core.rt.bound.depth_stencil_state.state.and_then(|h| self.core.shared(h.key()));
        let Some(state) = state else { return };
        if !self.depth_stencil().stencil_enable {
            return;
        }
        let target = self.core.rt.bound.depth_stencil_view.and_then(|h| self.texture_view(h.key()));
        let Some((view, target)) = target else { return };
        if !view.format.has_stencil() {
            let text = format_args!(
                "{} has stencil_enable, and {} has the format {:?}; make the target in a format with stencil, such as \
                 D24_UNORM_S8_UINT, or bind a state without stencil_enable",
                state.name(),
                target.name(),
                view.format
            );
            self.report_about(MessageId::DrawStencilNotSet, [state.key, target.key], text);
        }
    }

    /// Reports outputs of the pixel shader whose slots have no target. A draw without any colour target is
    /// not reported, because it is a depth pass, which often uses the shader of the colour pass.
    fn check_output_slots(&self, pixel: &ObjectShared, code: &ShaderReflection) {
        let targets = &self.core.rt.bound.render_targets;
        let blend = self.blend();
        if targets.high() == 0 {
            return;
        }
        for output in &code.outputs {
            let slot = output.location as usize;
            let is_second_source = output.blend_src == Some(1) || (slot == 1 && is_dual_source(&blend));
            if targets.at(slot).is_some() || is_second_source || !blend_mask(&blend, slot) {
                continue;
            }
            let text = format_args!(
                "{} writes a colour for slot {slot}, which is empty; bind a target there with `om_set_render_targets`, leave the \
                 output out, or bind a blend state whose render_target_write_mask for the slot is empty",
                pixel.name()
            );
            self.report_about(MessageId::DrawRenderTargetNotSet, pixel.key, text);
        }
    }

    fn check_output_types(&self, pixel: &ObjectShared, code: &ShaderReflection) {
        let blend = self.blend();
        for (slot, view, target) in self.targets() {
            let Some(output) = code.output(slot as u32).filter(|_| blend_mask(&blend, slot)) else {
                continue;
            };
            let kind = scalar_kind(view.format.component_kind());
            if kind != output.kind {
                let language = language(pixel);
                let text = format_args!(
                    "{} gives {} at {}, and {} has the format {:?}, which takes {}; give the colour as {}, or make a \
                     target of another format",
                    pixel.name(),
                    language.value_type(output.kind, output.components),
                    language.target(slot as u32),
                    target.name(),
                    view.format,
                    language.scalar_type(kind),
                    language.value_type(kind, output.components)
                );
                self.report_about(MessageId::DrawRenderTargetMismatch, [pixel.key, target.key], text);
            }
        }
    }

    fn samples(&self) -> u32 {
        let key = self.core.rt.bound.depth_stencil_view.map(|h| h.key());
        let depth = || self.core.shared(key?);
        let target = self.targets().next().map(|(_, _, shared)| shared).or_else(depth);
        match target.and_then(|t| t.view()?.1.resource_desc()) {
            Some(ResourceDesc::Texture(texture)) => texture.sample_count,
            Some(ResourceDesc::Buffer(_)) | None => 1,
        }
    }

    /// Returns whether a draw may change the depth-stencil target.
    fn writes_depth(&self) -> bool {
        let bound = &self.core.rt.bound;
        let Some((view, _)) = bound.depth_stencil_view.and_then(|h| self.texture_view(h.key())) else {
            return false;
        };
        let desc = self.depth_stencil();
        let depth = desc.depth_enable && desc.depth_write && !view.flags.contains(DsvFlags::READ_ONLY_DEPTH);
        let stencil = desc.stencil_enable && !view.flags.contains(DsvFlags::READ_ONLY_STENCIL);
        depth || (stencil && view.format.has_stencil())
    }

    fn depth_stencil(&self) -> DepthStencilDesc {
        let state = self.core.rt.bound.depth_stencil_state.state.and_then(|h| self.core.shared(h.key()));
        match state.map(|s| &s.data) {
            Some(ObjectData::DepthStencil(desc)) => *desc,
            _ => DepthStencilDesc::default(),
        }
    }

    fn blend(&self) -> BlendDesc {
        let state = self.core.rt.bound.blend_state.state.and_then(|h| self.core.shared(h.key()));
        match state.map(|s| &s.data) {
            Some(ObjectData::Blend(desc)) => *desc,
            _ => BlendDesc::default(),
        }
    }

    fn rasterizer(&self) -> RasterizerDesc {
        let state = self.core.rt.bound.rasterizer_state.and_then(|h| self.core.shared(h.key()));
        match state.map(|s| &s.data) {
            Some(ObjectData::Rasterizer(desc)) => *desc,
            _ => RasterizerDesc::default(),
        }
    }
}

fn language(shader: &ObjectShared) -> SourceLanguage {
    terms(shader).map_or(SourceLanguage::Wgsl, |terms| terms.language)
}

/// Returns whether draws that write nothing to their targets can still change a query's result.
const fn sees_draws(query: QueryType) -> bool {
    matches!(query, QueryType::Occlusion | QueryType::OcclusionPredicate | QueryType::PipelineStatistics)
}

/// Returns whether a blend state writes any component of a target.
fn blend_mask(blend: &BlendDesc, slot: usize) -> bool {
    let slot = if blend.independent_blend_enable { slot } else { 0 };
    blend.render_target.get(slot).is_some_and(|target| !target.render_target_write_mask.is_empty())
}

/// Returns whether the blend state of the first target uses a second output of the pixel shader.
fn is_dual_source(blend: &BlendDesc) -> bool {
    let target = &blend.render_target[0];
    let factors = [target.src_blend, target.dest_blend, target.src_blend_alpha, target.dest_blend_alpha];
    target.blend_enable && factors.iter().any(|factor| factor.is_dual_source())
}

/// Returns whether a viewport covers at least one pixel of a target.
fn covers(viewport: &Viewport, width: u32, height: u32) -> bool {
    let Viewport { top_left_x: x, top_left_y: y, width: w, height: h, .. } = *viewport;
    w > 0.0 && h > 0.0 && x < width as f32 && y < height as f32 && x + w > 0.0 && y + h > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_viewport_without_a_pixel_covers_nothing() {
        let at =
            |x, y, width, height| Viewport { top_left_x: x, top_left_y: y, ..Viewport::sized(width, height) };
        for (viewport, expected) in [
            (at(0.0, 0.0, 8.0, 8.0), true),
            (at(-4.0, 7.0, 5.0, 5.0), true),
            (at(4.0, 4.0, 0.0, 4.0), false),
            (at(4.0, 4.0, 4.0, 0.0), false),
            (at(8.0, 0.0, 8.0, 8.0), false),
            (at(0.0, -8.0, 8.0, 8.0), false),
        ] {
            assert_eq!(covers(&viewport, 8, 8), expected, "{viewport:?}");
        }
    }
}
