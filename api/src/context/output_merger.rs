//! The output merger: targets, blend and depth-stencil state.

use onze_ddi::{
    BlendBinding, DepthStencilBinding, DepthStencilViewHandle, Handle, RenderTargetViewHandle, ResourceDesc,
    TargetsBinding, Texture2dDesc, TextureViewDesc,
};

use super::{
    DeviceContext,
    bound::RENDER_TARGET_SLOTS,
    draw_checks::DrawPart,
    hazard::Hazardous,
    object_use::{Call, ObjectUse},
};
use crate::{
    device_core::ObjectShared,
    objects::{
        BlendState, DepthStencilState, DepthStencilView, Nullable, RenderTargetView, Slots,
        sealed::Sealed as _,
    },
    report::MessageId,
};

/// A view with its texture.
fn texture_view(shared: &ObjectShared) -> Option<(&TextureViewDesc, &Texture2dDesc, &ObjectShared)> {
    let (view, resource) = shared.view()?;
    match resource.resource_desc()? {
        ResourceDesc::Texture2d(desc) => Some((view.texture()?, desc, resource)),
        ResourceDesc::Buffer(_) => None,
    }
}

impl DeviceContext {
    /// Binds up to eight colour targets and a depth-stencil target. Replaces all that were bound.
    /// D3D11: `OMSetRenderTargets`.
    ///
    /// The targets must agree in size, slices and samples (the depth-stencil target may be larger), and
    /// no subresource may be bound twice: otherwise nothing changes and
    /// [`MessageId::SetRenderTargetsInvalid`] is reported. Shader resources and unordered-access views that
    /// see a target are unbound ([`MessageId::SetRenderTargetsHazard`]).
    #[doc(alias = "OMSetRenderTargets")]
    pub fn om_set_render_targets<'a>(
        &mut self,
        targets: impl Slots<RenderTargetView>,
        depth_stencil: impl Nullable<'a, DepthStencilView>,
    ) {
        let depth_stencil = depth_stencil.object();
        let id = MessageId::SetRenderTargetsInvalid;
        if targets.count() > RENDER_TARGET_SLOTS {
            let count = targets.count();
            self.report(
                id,
                format_args!("{count} targets were given; at most {RENDER_TARGET_SLOTS} can be bound"),
            );
            return;
        }
        let used = ObjectUse::of(Call::OmSetRenderTargets);
        let mut views = [None; RENDER_TARGET_SLOTS];
        for (i, target) in (0..targets.count()).filter_map(|i| Some((i, targets.get(i)?))) {
            if self.handle_state_for(target, used.in_slot(i)).is_none() {
                return;
            }
            views[i] = Some(Handle::new(target.key()));
        }
        if let Some(view) = depth_stencil
            && self.handle_state_for(view, used.as_depth_stencil()).is_none()
        {
            return;
        }
        let color = (0..targets.count()).filter_map(|i| targets.get(i)).map(|t| &*t.owner().shared);
        if let Err(reason) = check_targets(color, depth_stencil.map(|d| &*d.owner().shared)) {
            self.report(id, reason);
            return;
        }
        let depth_stencil = depth_stencil.map(|d| Handle::new(d.key()));
        let outputs = views.iter().flatten().map(|h| h.key()).chain(depth_stencil.map(|h| h.key()));
        let mut hazardous = Hazardous::default();
        outputs.for_each(|key| hazardous.add(self, key));
        self.unbind_inputs_of(&hazardous, MessageId::SetRenderTargetsHazard);
        self.unbind_unordered_access_of(&hazardous, MessageId::SetRenderTargetsHazard);
        self.core.rt.bound.unbound_by_present = None;
        self.bind_render_targets(&views[..targets.count()], depth_stencil);
    }

    pub(crate) fn bind_render_targets(
        &mut self,
        color: &[Option<RenderTargetViewHandle>],
        depth_stencil: Option<DepthStencilViewHandle>,
    ) {
        let bound = &mut self.core.rt.bound;
        let mut changed = bound.depth_stencil_view != depth_stencil;
        bound.depth_stencil_view = depth_stencil;
        for slot in 0..RENDER_TARGET_SLOTS {
            changed |= bound.render_targets.set(slot, color.get(slot).copied().flatten());
        }
        bound.render_targets.trim();
        if changed {
            self.core.rt.draw.binding_changed(DrawPart::OUTPUT);
            let high = self.core.rt.bound.render_targets.high();
            let copy = self.core.rt.bound.render_targets.copy(0..high);
            self.core.with(move |f, cx| {
                f.om_set_render_targets(cx.entry(), TargetsBinding { color: &copy[..high], depth_stencil });
            });
        }
    }

    /// The eight colour targets and the depth-stencil target. D3D11: `OMGetRenderTargets`.
    #[doc(alias = "OMGetRenderTargets")]
    pub fn om_get_render_targets(&self) -> (Vec<Option<RenderTargetView>>, Option<DepthStencilView>) {
        let bound = &self.core.rt.bound;
        let color =
            (0..RENDER_TARGET_SLOTS).map(|i| self.core.object(bound.render_targets.at(i).map(|h| h.key())));
        (color.collect(), self.core.object(bound.depth_stencil_view.map(|h| h.key())))
    }

    /// Binds a blend state, or the default one, with the blend factor and the samples that may be
    /// written. D3D11: `OMSetBlendState`; pass `[1.0; 4]` where it takes a null factor, and `u32::MAX`
    /// for all samples.
    #[doc(alias = "OMSetBlendState")]
    pub fn om_set_blend_state<'a>(
        &mut self,
        state: impl Nullable<'a, BlendState>,
        blend_factor: [f32; 4],
        sample_mask: u32,
    ) {
        let state = state.object();
        let handle = state.map(|state| Handle::new(state.key()));
        let used = ObjectUse::of(Call::OmSetBlendState);
        if handle != self.core.rt.bound.blend_state.state && !self.is_known_for(state, used) {
            return;
        }
        self.bind_blend(BlendBinding { state: handle, factor: blend_factor, sample_mask });
    }

    /// Binds a blend state, or the default one, with a blend factor of one and for all samples. Stands for
    /// `OMSetBlendState` with a null factor and a sample mask of `0xffffffff`.
    ///
    /// As [`om_set_blend_state`](Self::om_set_blend_state).
    #[doc(alias = "OMSetBlendState")]
    pub fn om_set_blend<'a>(&mut self, state: impl Nullable<'a, BlendState>) {
        self.om_set_blend_state(state, [1.0; 4], u32::MAX);
    }

    pub(crate) fn bind_blend(&mut self, blend: BlendBinding) {
        // Bit by bit, as that is shorter: what is equal and has other bits does no harm.
        let key = |b: &BlendBinding| (b.state, b.sample_mask, b.factor.map(f32::to_bits));
        if key(&self.core.rt.bound.blend_state) != key(&blend) {
            self.core.rt.bound.blend_state = blend;
            self.core.rt.draw.binding_changed(DrawPart::OUTPUT);
            self.core.with(move |f, cx| f.om_set_blend_state(cx.entry(), blend));
        }
    }

    /// The blend state (`None` for the default one), blend factor and sample mask.
    /// D3D11: `OMGetBlendState`.
    #[doc(alias = "OMGetBlendState")]
    pub fn om_get_blend_state(&self) -> (Option<BlendState>, [f32; 4], u32) {
        let b = self.core.rt.bound.blend_state;
        (self.core.object(b.state.map(|h| h.key())), b.factor, b.sample_mask)
    }

    /// Binds a depth-stencil state, or the default one, with the reference value of the stencil test.
    /// D3D11: `OMSetDepthStencilState`; only the low eight bits of the reference count.
    #[doc(alias = "OMSetDepthStencilState")]
    pub fn om_set_depth_stencil_state<'a>(
        &mut self,
        state: impl Nullable<'a, DepthStencilState>,
        stencil_ref: u32,
    ) {
        let state = match state.object() {
            None => None,
            Some(state) => match self.handle_state_for(state, ObjectUse::of(Call::OmSetDepthStencilState)) {
                Some(_) => Some(Handle::new(state.key())),
                None => return,
            },
        };
        self.bind_depth_stencil(DepthStencilBinding { state, stencil_ref: stencil_ref as u8 });
    }

    /// Binds a depth-stencil state, or the default one, with 0 as the reference value. Stands for
    /// `OMSetDepthStencilState` with a `StencilRef` of 0.
    ///
    /// As [`om_set_depth_stencil_state`](Self::om_set_depth_stencil_state).
    #[doc(alias = "OMSetDepthStencilState")]
    pub fn om_set_depth_stencil<'a>(&mut self, state: impl Nullable<'a, DepthStencilState>) {
        self.om_set_depth_stencil_state(state, 0);
    }

    pub(crate) fn bind_depth_stencil(&mut self, binding: DepthStencilBinding) {
        if self.core.rt.bound.depth_stencil_state != binding {
            self.core.rt.bound.depth_stencil_state = binding;
            self.core.rt.draw.binding_changed(DrawPart::OUTPUT);
            self.core.with(move |f, cx| f.om_set_depth_stencil_state(cx.entry(), binding));
        }
    }

    /// The depth-stencil state (`None` for the default one) and the reference value.
    /// D3D11: `OMGetDepthStencilState`.
    #[doc(alias = "OMGetDepthStencilState")]
    pub fn om_get_depth_stencil_state(&self) -> (Option<DepthStencilState>, u32) {
        let b = self.core.rt.bound.depth_stencil_state;
        (self.core.object(b.state.map(|h| h.key())), b.stencil_ref.into())
    }
}

/// Whether targets can be bound together.
fn check_targets<'a>(
    color: impl Iterator<Item = &'a ObjectShared>,
    depth_stencil: Option<&'a ObjectShared>,
) -> Result<(), String> {
    let mut seen: [Option<(&TextureViewDesc, &Texture2dDesc, &ObjectShared)>; RENDER_TARGET_SLOTS] =
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
    (view, desc, resource): (&TextureViewDesc, &Texture2dDesc, &ObjectShared),
    (other_view, other_desc, other): (&TextureViewDesc, &Texture2dDesc, &ObjectShared),
    depth: bool,
) -> Result<(), String> {
    // Only who is told needs the names.
    let (name, other_name) = (|| resource.name(), || other.name());
    if resource.key == other.key && view.range.overlaps(&other_view.range) {
        return Err(format!(
            "a subresource of {} is given twice; make views of different subresources, or of copies",
            name()
        ));
    }
    if desc.sample_count != other_desc.sample_count {
        let (a, b) = (desc.sample_count, other_desc.sample_count);
        return Err(format!("{} has {a} samples and {} has {b}; make them alike", name(), other_name()));
    }
    if view.range.slices != other_view.range.slices {
        let (a, b) = (view.range.slices, other_view.range.slices);
        return Err(format!(
            "the view of {} has {a} slices and that of {} has {b}; give views of as many slices",
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
