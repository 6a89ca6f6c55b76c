//! Exchange of a context's complete state (D3D11.1: `ID3DDeviceContextState`).

use std::sync::Arc;

use super::{ImmediateContext, bound::Bound};
use crate::{
    device_core::{Attachments, DeviceCore, ObjectShared, attachments},
    objects::Device,
    report::MessageId,
};

/// A set of bindings that can be exchanged with all bindings of a context (D3D11.1:
/// `ID3DDeviceContextState`).
///
/// Use it in code that draws with another component's context and must not change the bindings of that
/// component. A state keeps its bound objects alive.
///
/// ```
/// # use onze::prelude::*;
/// # fn main() -> Result<(), onze::Error> {
/// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
/// let mut overlay = device.create_device_context_state();
/// context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
///
/// context.swap_device_context_state(&mut overlay);
/// context.ia_set_primitive_topology(PrimitiveTopology::LineList); // and more, and draws
/// context.swap_device_context_state(&mut overlay);
///
/// assert_eq!(context.ia_get_primitive_topology(), PrimitiveTopology::TriangleStrip);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "ID3DDeviceContextState")]
pub struct DeviceContextState {
    bound: Bound,
    /// The bound objects, which the state keeps alive.
    objects: Vec<Arc<ObjectShared>>,
    attachments: Attachments,
    /// Declared last because it must be dropped last; see [`ObjectShared::device`].
    device: Arc<DeviceCore>,
}

attachments!(DeviceContextState);

impl DeviceContextState {
    /// Returns the device that the state belongs to (D3D11: `ID3D11DeviceChild::GetDevice`).
    #[doc(alias = "GetDevice")]
    pub fn device(&self) -> Device {
        Device::from_core(&self.device)
    }

    fn attachments(&self) -> &Attachments {
        &self.attachments
    }

    fn current_label(&self) -> String {
        self.attachments.name()
    }
}

impl std::fmt::Debug for DeviceContextState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceContextState").field("objects", &self.objects.len()).finish_non_exhaustive()
    }
}

impl Device {
    /// Creates a state with the default bindings, for [`ImmediateContext::swap_device_context_state`]
    /// (D3D11.1: `ID3D11Device1::CreateDeviceContextState`).
    #[doc(alias = "CreateDeviceContextState")]
    pub fn create_device_context_state(&self) -> DeviceContextState {
        DeviceContextState {
            bound: Bound::default(),
            objects: Vec::new(),
            attachments: Attachments::default(),
            device: self.core.clone(),
        }
    }
}

impl ImmediateContext {
    /// Exchanges all bindings of the context with those of `state` (D3D11.1: `SwapDeviceContextState`).
    ///
    /// A second call with the same state restores the original bindings, whereas Direct3D 11 returns the old
    /// state as a separate object. Active queries, open groups and maps are not part of the state. If the
    /// state belongs to another device, the call is skipped and reported as [`MessageId::ForeignObject`].
    #[doc(alias = "SwapDeviceContextState")]
    pub fn swap_device_context_state(&mut self, state: &mut DeviceContextState) {
        if !Arc::ptr_eq(&state.device, &self.core.device) {
            let text = "`swap_device_context_state` was given a state of another device";
            self.report(MessageId::ForeignObject, text);
            return;
        }
        let mut bound = self.core.rt.bound.clone();
        bound.trim();
        let mut keys = bound.keys();
        keys.sort_unstable();
        keys.dedup();
        let objects = keys.into_iter().filter_map(|key| self.core.shared_arc(key)).collect();
        for object in &state.objects {
            if !self.core.ensure_open(object) {
                return;
            }
        }
        self.apply_state(&state.bound);
        state.bound = bound;
        // Replaced last, because until now only this list has kept the new bindings alive.
        state.objects = objects;
    }
}
