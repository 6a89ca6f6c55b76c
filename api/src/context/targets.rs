//! The outputs of draws: render targets, the depth-stencil target, and the unordered-access views of the pixel stage.
//!
//! Targets and unordered-access views share eight slots, and one call of Direct3D 11 binds both.

use onze_ddi::{
    DepthStencilViewHandle, Handle, RenderTargetViewHandle, ResourceDesc, ShaderStage, TargetsBinding,
    TextureDesc, TextureViewDesc, UnorderedAccessViewHandle, UnorderedAccessViews,
};

use super::{
    DeviceContext, Skipped,
    bound::{RENDER_TARGET_SLOTS, UNORDERED_ACCESS_SLOTS},
    draw_checks::DrawPart,
    hazard::Hazardous,
    object_use::{Call, ObjectUse},
    unordered_access::check_apart,
};
use crate::{
    device_core::ObjectShared,
    objects::{
        DepthStencilView, Nullable, RenderTargetView, Slots, UnorderedAccessView, sealed::Sealed as _,
    },
    report::MessageId,
};

/// The view handles of the eight colour target slots.
type TargetHandles = [Option<RenderTargetViewHandle>; RENDER_TARGET_SLOTS];

/// The view handles of the eight unordered-access slots.
type WrittenHandles = [Option<UnorderedAccessViewHandle>; UNORDERED_ACCESS_SLOTS];

/// Returns the descriptor of a view, the descriptor of its texture, and the texture.
fn texture_view(shared: &ObjectShared) -> Option<(&TextureViewDesc, &TextureDesc, &ObjectShared)> {
    let (view, resource) = shared.view()?;
    match resource.resource_desc()? {
        ResourceDesc::Texture(desc) => Some((view.texture()?, desc, resource)),
        ResourceDesc::Buffer(_) => None,
    }
}

impl DeviceContext {
    /// Binds up to eight colour targets and a depth-stencil target, and replaces all bound targets (D3D11:
    /// `OMSetRenderTargets`). Unordered-access views of the pixel stage stay bound in slots without a target.
    ///
    /// The targets must have the same size, number of slices and sample count, except that the depth-stencil
    /// target may be larger. No subresource may be bound twice. A call that breaks one of these rules is
    /// skipped and reported as [`MessageId::SetRenderTargetsInvalid`]. Shader resources and unordered-access
    /// views that overlap with a target are unbound ([`MessageId::SetRenderTargetsHazard`]).
    ///
    /// With a larger depth-stencil target, draws are limited to the area that all targets share. If the
    /// driver's passes need targets of equal size, the driver copies the render targets before and after each
    /// pass.
    #[doc(alias = "OMSetRenderTargets")]
    pub fn om_set_render_targets<'a>(
        &mut self,
        targets: impl Slots<RenderTargetView>,
        depth_stencil: impl Nullable<'a, DepthStencilView>,
    ) {
        let id = MessageId::SetRenderTargetsInvalid;
        let used = ObjectUse::of(Call::OmSetRenderTargets);
        let depth_stencil = depth_stencil.object();
        let Ok(color) = self.target_handles(used, &targets, depth_stencil) else { return };
        let given = || (0..targets.count()).filter_map(|i| targets.get(i)).map(|t| &*t.owner().shared);
        if let Err(reason) = check_targets(given(), depth_stencil.map(|d| &*d.owner().shared)) {
            self.report(id, reason);
            return;
        }
        let depth_stencil = depth_stencil.map(|d| Handle::new(d.key()));
        let mut outputs = Hazardous::default();
        color.iter().flatten().for_each(|view| outputs.add(self, view.key()));
        depth_stencil.iter().for_each(|view| outputs.add(self, view.key()));
        let id = MessageId::SetRenderTargetsHazard;
        self.unbind_inputs_of(&outputs, id);
        for stage in UnorderedAccessView::STAGES {
            self.unbind_unordered_access_of(stage, &outputs, 0..0, id);
        }
        let shared =
            targets.count().min(self.core.rt.bound.stages[ShaderStage::Pixel].unordered_access_views.high());
        self.bind_slots::<UnorderedAccessViews>(ShaderStage::Pixel, 0, std::iter::repeat_n(None, shared));
        self.core.rt.bound.unbound_by_present = None;
        self.bind_render_targets(&color[..targets.count()], depth_stencil);
    }

    /// Binds targets like [`om_set_render_targets`](Self::om_set_render_targets), and binds unordered-access
    /// views to consecutive `u` slots of the pixel stage, starting at slot `start` (D3D11:
    /// `OMSetRenderTargetsAndUnorderedAccessViews`). All targets and all unordered-access views of the pixel
    /// stage are replaced.
    ///
    /// Targets and views share eight slots, and the targets come first, so `start` must be after the last
    /// target, and `start` plus the number of views must be at most 8. The targets must meet the requirements
    /// of [`om_set_render_targets`](Self::om_set_render_targets), and no two of the targets and views may
    /// overlap. A call that breaks one of these rules is skipped and reported as
    /// [`MessageId::SetRenderTargetsInvalid`]. Other bindings of the same resources are unbound
    /// ([`MessageId::SetRenderTargetsHazard`]). Without any target, the first viewport determines the pixels
    /// of a draw.
    ///
    /// The initial counts are set as in
    /// [`cs_set_unordered_access_views_with_counts`](Self::cs_set_unordered_access_views_with_counts): there
    /// is one count for each view, and `u32::MAX` leaves a counter unchanged. An empty slice leaves all
    /// counters unchanged.
    ///
    /// [`om_set_unordered_access_views`](Self::om_set_unordered_access_views) binds views and keeps the targets;
    /// `om_set_render_targets` binds targets and keeps the views.
    #[doc(alias = "OMSetRenderTargetsAndUnorderedAccessViews")]
    #[doc(alias = "D3D11_KEEP_UNORDERED_ACCESS_VIEWS")]
    pub fn om_set_render_targets_and_unordered_access_views<'a>(
        &mut self,
        targets: impl Slots<RenderTargetView>,
        depth_stencil: impl Nullable<'a, DepthStencilView>,
        start: u32,
        views: impl Slots<UnorderedAccessView>,
        initial_counts: &[u32],
    ) {
        let id = MessageId::SetRenderTargetsInvalid;
        let call = Call::OmSetRenderTargetsAndUnorderedAccessViews;
        let used = ObjectUse::of(call);
        if !self.counts_fit(id, call, &views, initial_counts) {
            return;
        }
        let depth_stencil = depth_stencil.object();
        let Ok(color) = self.target_handles(used, &targets, depth_stencil) else { return };
        let taken = color.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        if (start as usize) < taken {
            let text = format_args!(
                "a target was given for slot {}, and unordered-access views from slot {start} on; targets and views share \
                 the slots, so begin the views after the targets",
                taken - 1
            );
            self.report(id, text);
            return;
        }
        let Ok(written) = self.written_handles(id, used, start, &views) else { return };
        let given = || (0..targets.count()).filter_map(|i| targets.get(i)).map(|t| &*t.owner().shared);
        let depth = depth_stencil.map(|d| &*d.owner().shared);
        let given_views = || (0..views.count()).filter_map(|i| views.get(i)).map(|v| &*v.owner().shared);
        let checked =
            check_targets(given(), depth).and_then(|()| check_apart(given_views(), given().chain(depth)));
        if let Err(reason) = checked {
            self.report(id, reason);
            return;
        }
        let depth_stencil = depth_stencil.map(|d| Handle::new(d.key()));
        let mut outputs = Hazardous::default();
        color.iter().flatten().for_each(|view| outputs.add(self, view.key()));
        depth_stencil.iter().for_each(|view| outputs.add(self, view.key()));
        written.iter().flatten().for_each(|view| outputs.add(self, view.key()));
        let id = MessageId::SetRenderTargetsHazard;
        self.unbind_inputs_of(&outputs, id);
        self.unbind_stream_targets_of(&outputs, id);
        self.unbind_unordered_access_of(ShaderStage::Compute, &outputs, 0..0, id);
        self.core.rt.bound.unbound_by_present = None;
        self.bind_render_targets(&color[..targets.count()], depth_stencil);
        self.bind_slots::<UnorderedAccessViews>(ShaderStage::Pixel, 0, written.into_iter());
        self.set_structure_counts(&views, initial_counts);
    }

    /// Binds unordered-access views to consecutive `u` slots of the pixel stage, and replaces all such views
    /// (D3D11: `OMSetRenderTargetsAndUnorderedAccessViews` with
    /// `D3D11_KEEP_RENDER_TARGETS_AND_DEPTH_STENCIL`). The counters of the views stay unchanged.
    ///
    /// The call keeps the targets, except for two cases. Targets and views share eight slots, so targets in
    /// slot `start` and later slots are unbound, as are targets that overlap with a view. A call with slots
    /// out of range, or with two overlapping views, is skipped and reported as
    /// [`MessageId::SetUnorderedAccessViewsInvalid`]. Other bindings of the same resources are unbound
    /// ([`MessageId::SetUnorderedAccessViewsHazard`]).
    #[doc(alias = "OMSetRenderTargetsAndUnorderedAccessViews")]
    #[doc(alias = "D3D11_KEEP_RENDER_TARGETS_AND_DEPTH_STENCIL")]
    pub fn om_set_unordered_access_views(&mut self, start: u32, views: impl Slots<UnorderedAccessView>) {
        let id = MessageId::SetUnorderedAccessViewsInvalid;
        let used = ObjectUse::of(Call::OmSetUnorderedAccessViews);
        let Ok(written) = self.written_handles(id, used, start, &views) else { return };
        let given = (0..views.count()).filter_map(|i| views.get(i)).map(|v| &*v.owner().shared);
        if let Err(reason) = check_apart(given, std::iter::empty()) {
            self.report(id, reason);
            return;
        }
        let mut outputs = Hazardous::default();
        written.iter().flatten().for_each(|view| outputs.add(self, view.key()));
        let id = MessageId::SetUnorderedAccessViewsHazard;
        self.unbind_inputs_of(&outputs, id);
        self.unbind_unordered_access_of(ShaderStage::Compute, &outputs, 0..0, id);
        self.unbind_targets_of(&outputs, id);
        self.unbind_stream_targets_of(&outputs, id);
        let bound = &self.core.rt.bound;
        let (depth_stencil, high) = (bound.depth_stencil_view, bound.render_targets.high());
        if views.count() > 0 && high > start as usize {
            let color: TargetHandles = std::array::from_fn(|slot| bound.render_targets.at(slot));
            self.bind_render_targets(&color[..start as usize], depth_stencil);
        }
        self.bind_slots::<UnorderedAccessViews>(ShaderStage::Pixel, 0, written.into_iter());
    }

    /// Returns the handles of targets. If there are too many targets, or if a target cannot be used in this
    /// context, reports the reason and returns [`Skipped`].
    fn target_handles(
        &mut self,
        used: ObjectUse,
        targets: &impl Slots<RenderTargetView>,
        depth_stencil: Option<&DepthStencilView>,
    ) -> Result<TargetHandles, Skipped> {
        if targets.count() > RENDER_TARGET_SLOTS {
            let count = targets.count();
            let text = format_args!("{count} targets were given; at most {RENDER_TARGET_SLOTS} can be bound");
            self.report(MessageId::SetRenderTargetsInvalid, text);
            return Err(Skipped);
        }
        let mut handles = [None; RENDER_TARGET_SLOTS];
        for (i, target) in (0..targets.count()).filter_map(|i| Some((i, targets.get(i)?))) {
            self.handle_state_for(target, used.in_slot(i))?;
            handles[i] = Some(Handle::new(target.key()));
        }
        if let Some(view) = depth_stencil {
            self.handle_state_for(view, used.as_depth_stencil())?;
        }
        Ok(handles)
    }

    /// Returns the handles of views for slot `start` and the following slots. If there are too many views, or
    /// if a view cannot be used in this context, reports the reason and returns [`Skipped`].
    fn written_handles(
        &mut self,
        id: MessageId,
        used: ObjectUse,
        start: u32,
        views: &impl Slots<UnorderedAccessView>,
    ) -> Result<WrittenHandles, Skipped> {
        if !self.slots_fit(id, used, onze_ddi::SlotClass::UnorderedAccess, start, views.count()) {
            return Err(Skipped);
        }
        let mut handles = [None; UNORDERED_ACCESS_SLOTS];
        for (i, view) in (0..views.count()).filter_map(|i| Some((i, views.get(i)?))) {
            let slot = start as usize + i;
            self.handle_state_for(view, used.in_slot(slot))?;
            handles[slot] = Some(Handle::new(view.key()));
        }
        Ok(handles)
    }

    pub(crate) fn bind_render_targets(
        &mut self,
        color: &[Option<RenderTargetViewHandle>],
        depth_stencil: Option<DepthStencilViewHandle>,
    ) {
        let bound = &mut self.core.rt.bound;
        let had_depth_stencil = bound.depth_stencil_view.is_some();
        let mut changed = bound.depth_stencil_view != depth_stencil;
        bound.depth_stencil_view = depth_stencil;
        for slot in 0..RENDER_TARGET_SLOTS {
            changed |= bound.render_targets.set(slot, color.get(slot).copied().flatten());
        }
        bound.render_targets.trim();
        if changed {
            // The vertices of a domain or geometry shader need a position only if something is rasterized.
            let makes_vertices =
                |stage: ShaderStage| -> bool { self.core.rt.bound.stages[stage].shader.is_some() };
            if had_depth_stencil != depth_stencil.is_some()
                && (makes_vertices(ShaderStage::Geometry) || makes_vertices(ShaderStage::Domain))
            {
                self.core.rt.draw.changed();
            }
            self.core.rt.draw.binding_changed(DrawPart::OUTPUT);
            let high = self.core.rt.bound.render_targets.high();
            let copy = self.core.rt.bound.render_targets.copy(0..high);
            self.core.with(move |f, cx| {
                f.om_set_render_targets(cx.entry(), TargetsBinding { color: &copy[..high], depth_stencil });
            });
        }
    }

    /// Returns the eight colour targets and the depth-stencil target (D3D11: `OMGetRenderTargets`).
    #[doc(alias = "OMGetRenderTargets")]
    pub fn om_get_render_targets(&self) -> (Vec<Option<RenderTargetView>>, Option<DepthStencilView>) {
        let bound = &self.core.rt.bound;
        let color =
            (0..RENDER_TARGET_SLOTS).map(|i| self.core.object(bound.render_targets.at(i).map(|h| h.key())));
        (color.collect(), self.core.object(bound.depth_stencil_view.map(|h| h.key())))
    }

    /// Returns the eight colour targets, the depth-stencil target, and the unordered-access views in `count`
    /// `u` slots of the pixel stage (D3D11: `OMGetRenderTargetsAndUnorderedAccessViews`).
    #[doc(alias = "OMGetRenderTargetsAndUnorderedAccessViews")]
    pub fn om_get_render_targets_and_unordered_access_views(
        &self,
        start: u32,
        count: u32,
    ) -> (Vec<Option<RenderTargetView>>, Option<DepthStencilView>, Vec<Option<UnorderedAccessView>>) {
        let (color, depth_stencil) = self.om_get_render_targets();
        (color, depth_stencil, self.get_unordered_access_views(ShaderStage::Pixel, start, count))
    }
}

fn check_targets<'a>(
    color: impl Iterator<Item = &'a ObjectShared>,
    depth_stencil: Option<&'a ObjectShared>,
) -> Result<(), String> {
    let mut seen: [Option<(&TextureViewDesc, &TextureDesc, &ObjectShared)>; RENDER_TARGET_SLOTS] =
        [None; RENDER_TARGET_SLOTS];
    for (count, target) in color.filter_map(texture_view).take(RENDER_TARGET_SLOTS).enumerate() {
        for other in seen.iter().flatten() {
            check_pair(target, *other, false)?;
        }
        seen[count] = Some(target);
    }
    if let (Some(depth), Some(first)) = (depth_stencil.and_then(texture_view), seen[0]) {
        check_pair(depth, first, true)?;
    }
    Ok(())
}

fn check_pair(
    (view, desc, resource): (&TextureViewDesc, &TextureDesc, &ObjectShared),
    (other_view, other_desc, other): (&TextureViewDesc, &TextureDesc, &ObjectShared),
    depth: bool,
) -> Result<(), String> {
    // Computed lazily, because only error messages need the names.
    let (name, other_name) = (|| resource.name(), || other.name());
    if resource.key == other.key && view.range.overlaps(&other_view.range) {
        return Err(format!(
            "a subresource of {} is given twice; make views of different subresources, or of copies",
            name()
        ));
    }
    if desc.sample_count != other_desc.sample_count {
        let (a, b) = (desc.sample_count, other_desc.sample_count);
        return Err(format!("{} has {a} samples and {} has {b}; make them equal", name(), other_name()));
    }
    let (slices, other_slices) = (view.range.layers().len(), other_view.range.layers().len());
    if slices != other_slices {
        let (a, b) = (slices, other_slices);
        return Err(format!(
            "the view of {} has {a} slices and that of {} has {b}; give views with equal numbers of slices",
            name(),
            other_name()
        ));
    }
    let (w, h) = desc.mip_size(view.range.first_mip);
    let (ow, oh) = other_desc.mip_size(other_view.range.first_mip);
    let fits = if depth { w >= ow && h >= oh } else { w == ow && h == oh };
    if fits {
        return Ok(());
    }
    let rule = if depth {
        "make the depth-stencil texture at least as large as the render target"
    } else {
        "make all targets of one size"
    };
    Err(format!("{} is {w} x {h} texels and {} is {ow} x {oh}; {rule}", name(), other_name()))
}
