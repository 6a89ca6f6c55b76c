//! Whole states that are exchanged. D3D11.1: `ID3DDeviceContextState`.

use std::sync::Arc;

use super::{ImmediateContext, bound::Bound};
use crate::{
    device_core::{Attachments, DeviceCore, ObjectShared, attachments},
    objects::Device,
    report::MessageId,
};

/// All that can be bound in a context. D3D11.1: `ID3DDeviceContextState`.
///
/// For code that draws with a context of others, and shall leave nothing behind. What is bound in a state lives as long
/// as it does.
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
    /// What is bound, which must not go meanwhile.
    objects: Vec<Arc<ObjectShared>>,
    attachments: Attachments,
    /// The last field: see [`ObjectShared::device`].
    device: Arc<DeviceCore>,
}

attachments!(DeviceContextState);

impl DeviceContextState {
    /// The device that it belongs to. D3D11: `ID3D11DeviceChild::GetDevice`.
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
    /// Makes a state in which nothing is bound, for [`ImmediateContext::swap_device_context_state`].
    /// D3D11.1: `ID3D11Device1::CreateDeviceContextState`.
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
    /// Exchanges all that is bound with a state: the context has what the state had, and the state what was bound.
    /// D3D11.1: `SwapDeviceContextState`.
    ///
    /// So a second call brings everything back. Direct3D 11 returns the old state instead, as an object of its own.
    /// Queries that are begun, open groups and maps are no part of it. A state of another device is ignored
    /// ([`MessageId::ForeignObject`]).
    #[doc(alias = "SwapDeviceContextState")]
    pub fn swap_device_context_state(&mut self, state: &mut DeviceContextState) {
        if !Arc::ptr_eq(&state.device, &self.core.device) {
            let text = "`swap_device_context_state` was given a state that another device made";
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
        // Not before: only this has kept the objects that are bound now.
        state.objects = objects;
    }
}
