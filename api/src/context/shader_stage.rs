//! The shader stages: shaders, constant buffers, shader resources and samplers.
//!
//! The six stages have the same calls, and one macro (`stage!`) defines them. [`DeviceContext::bind_slots`]
//! handles all three classes of slots, because they store bindings and pass them to the driver in the same
//! way.

use onze_ddi::*;

use super::{
    DeviceContext,
    bound::{BoundSlots, SlotStore},
    object_use::{Call, ObjectUse, setter_prefix},
};
use crate::{
    device_core::{HandleState, ObjectFlags},
    objects::{
        Buffer, ComputeShader, DomainShader, GeometryShader, HullShader, Nullable, Object, PixelShader,
        SamplerState, ShaderResourceView, Slots, VertexShader, sealed::Sealed as _,
    },
    report::MessageId,
};

/// A range of a constant buffer, in constants of 16 bytes (D3D11: one element each of `pFirstConstant` and
/// `pNumConstants`).
#[doc(alias = "pFirstConstant")]
#[doc(alias = "pNumConstants")]
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ConstantRange {
    /// Index of the first constant, a multiple of 16.
    pub first_constant: u32,
    /// Number of constants, a multiple of 16 and at most 4096.
    pub num_constants: u32,
}

impl ConstantRange {
    /// Creates a range from an offset and a size in bytes, both multiples of 256.
    pub const fn bytes(offset: u32, size: u32) -> Self {
        Self { first_constant: offset / 16, num_constants: size / 16 }
    }

    const fn is_valid(self) -> bool {
        self.first_constant.is_multiple_of(16)
            && self.num_constants.is_multiple_of(16)
            && self.num_constants <= ConstantBufferBinding::MAX_CONSTANTS
    }
}

impl DeviceContext {
    pub(super) fn slots_fit(
        &self,
        id: MessageId,
        used: ObjectUse,
        class: SlotClass,
        start: u32,
        count: usize,
    ) -> bool {
        let limit = class.slots();
        let fits = (start as usize).checked_add(count).is_some_and(|end| end <= limit as usize);
        if !fits {
            let text = format_args!(
                "{used} was given {count} to bind from slot {start} on; slots are 0 to {}",
                limit - 1
            );
            self.report(id, text);
        }
        fits
    }

    /// Stores bindings in consecutive slots of a class and passes the changes to the driver.
    #[inline(never)]
    pub(crate) fn bind_slots<C: BoundSlots>(
        &mut self,
        stage: ShaderStage,
        start: usize,
        bindings: impl Iterator<Item = C::Binding>,
    ) {
        let slots = C::of_mut(&mut self.core.rt.bound.stages[stage]);
        let Some((first, end)) = slots.store(start, bindings) else { return };
        // A driver call borrows the context, so the slots are copied. Most calls change only a few of them.
        if let Some(few) = slots.few(first, end) {
            self.core.rt.binding_changed(stage);
            self.core.with(move |f, cx| {
                let changed = few.get(..end - first).unwrap_or_default();
                C::set(f, cx.entry(), stage, first as u32, changed);
            });
        } else {
            let copy = slots.clone();
            self.core.rt.binding_changed(stage);
            self.core.with(move |f, cx| {
                let changed = copy.get(Some(first as u32..end as u32));
                C::set(f, cx.entry(), stage, first as u32, changed);
            });
        }
    }

    /// Returns the objects of `count` slots of a class.
    pub(super) fn get_slots<C: BoundSlots, T: Object>(
        &self,
        stage: ShaderStage,
        start: u32,
        count: u32,
        key: impl Fn(C::Binding) -> Option<Key>,
    ) -> Vec<Option<T>> {
        let slots = C::of(&self.core.rt.bound.stages[stage]);
        (start..start.saturating_add(count).min(C::CLASS.slots()))
            .map(|slot| self.core.object(key(slots.at(slot as usize))))
            .collect()
    }

    pub(crate) fn bind_shader(&mut self, stage: ShaderStage, shader: Option<ShaderHandle>) {
        let bound = &mut self.core.rt.bound.stages[stage].shader;
        if *bound != shader {
            *bound = shader;
            self.core.rt.shader_changed(stage);
            self.core.with(move |f, cx| f.set_shader(cx.entry(), stage, shader));
        }
    }

    fn set_shader<T: Object>(&mut self, stage: ShaderStage, shader: Option<&T>) {
        let handle = shader.map(|shader| Handle::new(shader.key()));
        if handle.is_none() && stage == ShaderStage::Pixel {
            self.core.rt.bound.no_pixel_shader_is_meant = true;
        }
        // The call is redundant if the shader is already bound.
        let used = ObjectUse::of(Call::SetShader).of_stage(stage);
        if handle == self.core.rt.bound.stages[stage].shader || !self.is_known_for(shader, used) {
            return;
        }
        self.bind_shader(stage, handle);
    }

    #[inline]
    fn set_constant_buffers(&mut self, stage: ShaderStage, start: u32, buffers: &impl Slots<Buffer>) {
        if buffers.count() == 1 {
            let binding = ConstantBufferBinding::whole(buffers.get(0).map(|b| Handle::new(b.key())));
            // The call is redundant if the slot already has this binding.
            if self.core.rt.bound.stages[stage].constant_buffers.holds(start as usize, binding) {
                return;
            }
            if self.set_constant_buffer(stage, start, &binding) {
                return;
            }
        }
        self.set_any_constant_buffers(stage, start, buffers);
    }

    #[inline(never)]
    fn set_any_constant_buffers(&mut self, stage: ShaderStage, start: u32, buffers: &impl Slots<Buffer>) {
        let used = ObjectUse::of(Call::SetConstantBuffers).of_stage(stage);
        if self.check_constant_buffers(MessageId::SetConstantBuffersInvalid, used, start, buffers) {
            let binding = |i| ConstantBufferBinding::whole(buffers.get(i).map(|b| Handle::new(b.key())));
            self.bind_slots::<ConstantBuffers>(stage, start as usize, (0..buffers.count()).map(binding));
        }
    }

    /// The fast path, for a single slot and a constant buffer that is open in this context. Returns false,
    /// without any effect, if the slow path is needed.
    fn set_constant_buffer(
        &mut self,
        stage: ShaderStage,
        slot: u32,
        binding: &ConstantBufferBinding,
    ) -> bool {
        let slots = &mut self.core.rt.bound.stages[stage].constant_buffers;
        let Some(buffer) = binding.buffer else { return false };
        let Some(state) = self.core.handles.runtime::<HandleState>(buffer.key()) else { return false };
        if state.flags & ObjectFlags::CONSTANT_BUFFER.bits() == 0 || slot >= SlotClass::ConstantBuffer.slots()
        {
            return false;
        }
        if !slots.set(slot as usize, *binding) {
            return true;
        }
        self.core.rt.binding_changed(stage);
        let binding = std::slice::from_ref(binding);
        self.core.with(move |f, cx| f.set_constant_buffers(cx.entry(), stage, slot, binding));
        true
    }

    fn check_constant_buffers(
        &mut self,
        id: MessageId,
        used: ObjectUse,
        start: u32,
        buffers: &impl Slots<Buffer>,
    ) -> bool {
        if !self.slots_fit(id, used, SlotClass::ConstantBuffer, start, buffers.count()) {
            return false;
        }
        for (i, buffer) in (0..buffers.count()).filter_map(|i| Some((i, buffers.get(i)?))) {
            let used = used.in_slot(start as usize + i);
            let Ok(state) = self.handle_state_for(buffer, used) else { return false };
            if state.flags & ObjectFlags::CONSTANT_BUFFER.bits() == 0 {
                self.report_lacks(id, buffer, used, "CONSTANT_BUFFER");
                return false;
            }
        }
        true
    }

    #[inline]
    fn set_constant_buffers1(
        &mut self,
        stage: ShaderStage,
        start: u32,
        buffers: &impl Slots<Buffer>,
        ranges: &[ConstantRange],
    ) {
        if let [range] = ranges
            && range.is_valid()
            && buffers.count() == 1
            && self.core.device.version.has_constant_buffer_offsets()
        {
            let buffer = buffers.get(0).map(|b| Handle::new(b.key()));
            let (first_constant, num_constants) = (range.first_constant, range.num_constants);
            let binding = ConstantBufferBinding { buffer, first_constant, num_constants };
            if self.set_constant_buffer(stage, start, &binding) {
                return;
            }
        }
        self.set_any_constant_buffers1(stage, start, buffers, ranges);
    }

    #[inline(never)]
    fn set_any_constant_buffers1(
        &mut self,
        stage: ShaderStage,
        start: u32,
        buffers: &impl Slots<Buffer>,
        ranges: &[ConstantRange],
    ) {
        let id = MessageId::SetConstantBuffers1Invalid;
        let used = ObjectUse::of(Call::SetConstantBuffers1).of_stage(stage);
        if !self.core.device.version.has_constant_buffer_offsets() {
            let text = format_args!(
                "{used} needs a driver with constant buffer offsets (`check_feature_support` tells); use \
                 `{}_set_constant_buffers`",
                setter_prefix(stage)
            );
            self.report(id, text);
            return;
        }
        if ranges.len() != buffers.count() {
            let (buffers, ranges) = (buffers.count(), ranges.len());
            let text = format_args!(
                "{used} was given {buffers} buffers and {ranges} ranges; give one range for each"
            );
            self.report(id, text);
            return;
        }
        if let Some(range) = ranges.iter().find(|r| !r.is_valid()) {
            let text = format_args!(
                "{used} was given {} constants from constant {} on; both are multiples of 16 constants, which are 256 \
                 bytes, and at most 4096 constants are bound",
                range.num_constants, range.first_constant
            );
            self.report(id, text);
            return;
        }
        if self.check_constant_buffers(id, used, start, buffers) {
            let binding = |(i, range): (usize, &ConstantRange)| ConstantBufferBinding {
                buffer: buffers.get(i).map(|b| Handle::new(b.key())),
                first_constant: range.first_constant,
                num_constants: range.num_constants,
            };
            self.bind_slots::<ConstantBuffers>(stage, start as usize, ranges.iter().enumerate().map(binding));
        }
    }

    /// Like [`Self::set_constant_buffer`], but for shader resources.
    fn set_shader_resource(&mut self, stage: ShaderStage, slot: u32, view: ShaderResourceViewHandle) -> bool {
        let slots = &mut self.core.rt.bound.stages[stage].shader_resources;
        if slot >= SlotClass::ShaderResource.slots() {
            return false;
        }
        if slots.holds(slot as usize, Some(view)) {
            return true;
        }
        let Some(state) = self.core.handles.runtime::<HandleState>(view.key()) else { return false };
        if state.flags & ObjectFlags::HAZARDOUS.bits() != 0 {
            return false;
        }
        slots.put(slot as usize, Some(view));
        self.core.rt.binding_changed(stage);
        self.core.with(move |f, cx| f.set_shader_resources(cx.entry(), stage, slot, &[Some(view)]));
        true
    }

    #[inline]
    fn set_shader_resources(
        &mut self,
        stage: ShaderStage,
        start: u32,
        views: &impl Slots<ShaderResourceView>,
    ) {
        if views.count() == 1
            && let Some(view) = views.get(0)
            && self.set_shader_resource(stage, start, Handle::new(view.key()))
        {
            return;
        }
        self.set_any_shader_resources(stage, start, views);
    }

    #[inline(never)]
    fn set_any_shader_resources(
        &mut self,
        stage: ShaderStage,
        start: u32,
        views: &impl Slots<ShaderResourceView>,
    ) {
        let id = MessageId::SetShaderResourcesInvalid;
        let used = ObjectUse::of(Call::SetShaderResources).of_stage(stage);
        if !self.slots_fit(id, used, SlotClass::ShaderResource, start, views.count()) {
            return;
        }
        // A view of a resource that is bound as an output is skipped, but the other views of the call are
        // bound.
        let mut hazards = 0_u128;
        for (i, view) in (0..views.count()).filter_map(|i| Some((i, views.get(i)?))) {
            let used = used.in_slot(start as usize + i);
            let Ok(state) = self.handle_state_for(view, used) else { return };
            if state.flags & ObjectFlags::HAZARDOUS.bits() != 0 && self.is_output(view) {
                hazards |= 1 << i;
                let text = format_args!(
                    "{used} was given {}, which a bound target or unordered-access view may write",
                    view.owner().shared.name()
                );
                self.report_about(MessageId::SetShaderResourcesHazard, view.key(), text);
            }
        }
        let bound = |i| views.get(i).filter(|_| hazards & 1 << i == 0).map(|v| Handle::new(v.key()));
        self.bind_slots::<ShaderResources>(stage, start as usize, (0..views.count()).map(bound));
    }

    fn set_samplers(&mut self, stage: ShaderStage, start: u32, samplers: &impl Slots<SamplerState>) {
        let slots = &self.core.rt.bound.stages[stage].samplers;
        let handle = |i| samplers.get(i).map(|s| Handle::new(s.key()));
        if samplers.count() == 1 && slots.holds(start as usize, handle(0)) {
            return;
        }
        let used = ObjectUse::of(Call::SetSamplers).of_stage(stage);
        if !self.slots_fit(MessageId::SetSamplersInvalid, used, SlotClass::Sampler, start, samplers.count()) {
            return;
        }
        for (i, sampler) in (0..samplers.count()).filter_map(|i| Some((i, samplers.get(i)?))) {
            if self.handle_state_for(sampler, used.in_slot(start as usize + i)).is_err() {
                return;
            }
        }
        self.bind_slots::<Samplers>(stage, start as usize, (0..samplers.count()).map(handle));
    }

    fn get_constant_buffers1(
        &self,
        stage: ShaderStage,
        start: u32,
        count: u32,
    ) -> (Vec<Option<Buffer>>, Vec<ConstantRange>) {
        let slots = &self.core.rt.bound.stages[stage].constant_buffers;
        (start..start.saturating_add(count).min(SlotClass::ConstantBuffer.slots()))
            .map(|slot| {
                let b = slots.at(slot as usize);
                let range =
                    ConstantRange { first_constant: b.first_constant, num_constants: b.num_constants };
                (self.core.object(b.buffer.map(|h| h.key())), range)
            })
            .unzip()
    }
}

/// Defines the calls of one stage, because the calls of the stages differ only in their names.
macro_rules! stage {
    ($stage:ident $shader:ident
        $set_shader:ident $set_shader_d3d11:literal $get_shader:ident $get_shader_d3d11:literal
        $set_cb:ident $set_cb_d3d11:literal $set_cb1:ident $set_cb1_d3d11:literal
        $get_cb:ident $get_cb_d3d11:literal $get_cb1:ident $get_cb1_d3d11:literal
        $set_srv:ident $set_srv_d3d11:literal $get_srv:ident $get_srv_d3d11:literal
        $set_samplers:ident $set_samplers_d3d11:literal $get_samplers:ident $get_samplers_d3d11:literal) => {
        impl DeviceContext {
            #[doc = concat!("Binds the shader of the stage; `None` unbinds it. D3D11: `", $set_shader_d3d11, "`.")]
            ///
            /// A shader of another device is skipped and reported as [`MessageId::ForeignObject`].
            #[doc(alias = $set_shader_d3d11)]
            pub fn $set_shader<'a>(&mut self, shader: impl Nullable<'a, $shader>) {
                self.set_shader(ShaderStage::$stage, shader.object());
            }

            #[doc = concat!("Returns the shader of the stage. D3D11: `", $get_shader_d3d11, "`.")]
            #[doc(alias = $get_shader_d3d11)]
            pub fn $get_shader(&self) -> Option<$shader> {
                self.core.object(self.core.rt.bound.stages[ShaderStage::$stage].shader.map(|h| h.key()))
            }

            #[doc = concat!("Binds constant buffers to consecutive `b` slots. D3D11: `", $set_cb_d3d11, "`.")]
            ///
            /// Slots must be within `0..14`, and every buffer needs
            /// [`BindFlags::CONSTANT_BUFFER`](crate::BindFlags::CONSTANT_BUFFER). Otherwise the call is
            /// skipped and reported as [`MessageId::SetConstantBuffersInvalid`]. Shaders can access at most
            /// 64 KiB of each buffer, and reads outside the buffer return 0. The call executes no atomic
            /// operation.
            #[doc(alias = $set_cb_d3d11)]
            pub fn $set_cb(&mut self, start: u32, buffers: impl Slots<Buffer>) {
                self.set_constant_buffers(ShaderStage::$stage, start, &buffers);
            }

            #[doc = concat!("Binds parts of constant buffers. D3D11.1: `", $set_cb1_d3d11, "`.")]
            ///
            /// There must be one range for each buffer, and each range must begin and end at a multiple of 16
            /// constants. A call with an invalid range is skipped and reported as
            /// [`MessageId::SetConstantBuffers1Invalid`], as is every call if the device does not support
            /// offsets (`check_feature_support`).
            #[doc(alias = $set_cb1_d3d11)]
            pub fn $set_cb1(&mut self, start: u32, buffers: impl Slots<Buffer>, ranges: &[ConstantRange]) {
                self.set_constant_buffers1(ShaderStage::$stage, start, &buffers, ranges);
            }

            #[doc = concat!("Returns the constant buffers of `count` slots. D3D11: `", $get_cb_d3d11, "`.")]
            #[doc(alias = $get_cb_d3d11)]
            pub fn $get_cb(&self, start: u32, count: u32) -> Vec<Option<Buffer>> {
                self.get_slots::<ConstantBuffers, _>(ShaderStage::$stage, start, count, |b| {
                    Some(b.buffer?.key())
                })
            }

            #[doc = concat!("Returns the constant buffers and their ranges. D3D11.1: `", $get_cb1_d3d11, "`.")]
            ///
            #[doc = concat!("[`", stringify!($set_cb1), "`](Self::", stringify!($set_cb1), ") accepts both lists.")]
            #[doc(alias = $get_cb1_d3d11)]
            pub fn $get_cb1(&self, start: u32, count: u32) -> (Vec<Option<Buffer>>, Vec<ConstantRange>) {
                self.get_constant_buffers1(ShaderStage::$stage, start, count)
            }

            #[doc = concat!("Binds views to consecutive `t` slots. D3D11: `", $set_srv_d3d11, "`.")]
            ///
            /// Slots must be within `0..128`; otherwise the call is skipped and reported as
            /// [`MessageId::SetShaderResourcesInvalid`]. If the resource of a view is bound as a render target, as the
            /// depth-stencil target or for unordered access, the view's slot becomes empty
            /// ([`MessageId::SetShaderResourcesHazard`]).
            #[doc(alias = $set_srv_d3d11)]
            pub fn $set_srv(&mut self, start: u32, views: impl Slots<ShaderResourceView>) {
                self.set_shader_resources(ShaderStage::$stage, start, &views);
            }

            #[doc = concat!("Returns the views of `count` slots. D3D11: `", $get_srv_d3d11, "`.")]
            #[doc(alias = $get_srv_d3d11)]
            pub fn $get_srv(&self, start: u32, count: u32) -> Vec<Option<ShaderResourceView>> {
                self.get_slots::<ShaderResources, _>(ShaderStage::$stage, start, count, |view| {
                    Some(view?.key())
                })
            }

            #[doc = concat!("Binds samplers to consecutive `s` slots. D3D11: `", $set_samplers_d3d11, "`.")]
            ///
            /// Slots must be within `0..16`; otherwise the call is skipped and reported as
            /// [`MessageId::SetSamplersInvalid`]. An empty slot uses the default sampler.
            #[doc(alias = $set_samplers_d3d11)]
            pub fn $set_samplers(&mut self, start: u32, samplers: impl Slots<SamplerState>) {
                self.set_samplers(ShaderStage::$stage, start, &samplers);
            }

            #[doc = concat!("Returns the samplers of `count` slots. D3D11: `", $get_samplers_d3d11, "`.")]
            #[doc(alias = $get_samplers_d3d11)]
            pub fn $get_samplers(&self, start: u32, count: u32) -> Vec<Option<SamplerState>> {
                self.get_slots::<Samplers, _>(ShaderStage::$stage, start, count, |sampler| {
                    Some(sampler?.key())
                })
            }
        }
    };
}

stage!(Vertex VertexShader
    vs_set_shader "VSSetShader" vs_get_shader "VSGetShader"
    vs_set_constant_buffers "VSSetConstantBuffers" vs_set_constant_buffers1 "VSSetConstantBuffers1"
    vs_get_constant_buffers "VSGetConstantBuffers" vs_get_constant_buffers1 "VSGetConstantBuffers1"
    vs_set_shader_resources "VSSetShaderResources" vs_get_shader_resources "VSGetShaderResources"
    vs_set_samplers "VSSetSamplers" vs_get_samplers "VSGetSamplers");
stage!(Hull HullShader
    hs_set_shader "HSSetShader" hs_get_shader "HSGetShader"
    hs_set_constant_buffers "HSSetConstantBuffers" hs_set_constant_buffers1 "HSSetConstantBuffers1"
    hs_get_constant_buffers "HSGetConstantBuffers" hs_get_constant_buffers1 "HSGetConstantBuffers1"
    hs_set_shader_resources "HSSetShaderResources" hs_get_shader_resources "HSGetShaderResources"
    hs_set_samplers "HSSetSamplers" hs_get_samplers "HSGetSamplers");
stage!(Domain DomainShader
    ds_set_shader "DSSetShader" ds_get_shader "DSGetShader"
    ds_set_constant_buffers "DSSetConstantBuffers" ds_set_constant_buffers1 "DSSetConstantBuffers1"
    ds_get_constant_buffers "DSGetConstantBuffers" ds_get_constant_buffers1 "DSGetConstantBuffers1"
    ds_set_shader_resources "DSSetShaderResources" ds_get_shader_resources "DSGetShaderResources"
    ds_set_samplers "DSSetSamplers" ds_get_samplers "DSGetSamplers");
stage!(Geometry GeometryShader
    gs_set_shader "GSSetShader" gs_get_shader "GSGetShader"
    gs_set_constant_buffers "GSSetConstantBuffers" gs_set_constant_buffers1 "GSSetConstantBuffers1"
    gs_get_constant_buffers "GSGetConstantBuffers" gs_get_constant_buffers1 "GSGetConstantBuffers1"
    gs_set_shader_resources "GSSetShaderResources" gs_get_shader_resources "GSGetShaderResources"
    gs_set_samplers "GSSetSamplers" gs_get_samplers "GSGetSamplers");
stage!(Pixel PixelShader
    ps_set_shader "PSSetShader" ps_get_shader "PSGetShader"
    ps_set_constant_buffers "PSSetConstantBuffers" ps_set_constant_buffers1 "PSSetConstantBuffers1"
    ps_get_constant_buffers "PSGetConstantBuffers" ps_get_constant_buffers1 "PSGetConstantBuffers1"
    ps_set_shader_resources "PSSetShaderResources" ps_get_shader_resources "PSGetShaderResources"
    ps_set_samplers "PSSetSamplers" ps_get_samplers "PSGetSamplers");
stage!(Compute ComputeShader
    cs_set_shader "CSSetShader" cs_get_shader "CSGetShader"
    cs_set_constant_buffers "CSSetConstantBuffers" cs_set_constant_buffers1 "CSSetConstantBuffers1"
    cs_get_constant_buffers "CSGetConstantBuffers" cs_get_constant_buffers1 "CSGetConstantBuffers1"
    cs_set_shader_resources "CSSetShaderResources" cs_get_shader_resources "CSGetShaderResources"
    cs_set_samplers "CSSetSamplers" cs_get_samplers "CSGetSamplers");
