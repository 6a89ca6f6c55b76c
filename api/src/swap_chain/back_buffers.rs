//! The back buffers: their creation, and their replacement in a resize.

use std::sync::Arc;

use onze_ddi::{DriverObject, HandleType, ObjectDesc, ResourceDesc, Texture2dDesc, TextureDesc};

use super::{
    SwapChain, SwapChainDesc,
    desc::{check_desc, check_size},
    first_color_space, no_presenting_half,
};
use crate::{
    Device, Error, ImmediateContext, Texture2d,
    device_core::{Attachments, NewObject, ObjectData, ObjectShared, PrivateBytes},
    objects::sealed::Sealed as _,
    report::MessageId,
};

impl SwapChain {
    fn unbind(&self, context: &mut ImmediateContext) {
        for buffer in &self.back_buffers {
            context.unbind_views_of(buffer.key());
        }
    }

    /// Gives the back buffers a new size and discards their contents (D3D11:
    /// `IDXGISwapChain::ResizeBuffers`).
    ///
    /// The call unbinds the old back buffer from the immediate context, as D3D11's flip model does at each present.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if the application, a deferred context or a command list still uses the old
    /// back buffer or a view of it. The error message lists these users. Otherwise returns the same errors as
    /// [`ImmediateContext::create_swap_chain`].
    #[doc(alias = "ResizeBuffers")]
    pub fn resize_buffers(
        &mut self,
        context: &mut ImmediateContext,
        width: u32,
        height: u32,
    ) -> Result<(), Error> {
        let result = self.try_resize(context, width, height);
        self.device.reject(MessageId::ResizeBuffersInvalid, result)
    }

    fn try_resize(&mut self, context: &mut ImmediateContext, width: u32, height: u32) -> Result<(), Error> {
        self.check_context(context)?;
        let desc = SwapChainDesc { width, height, ..self.desc.clone() };
        check_size(&self.device, &desc)?;
        self.drop_back_buffers(context)?;
        let Some(driver) = &self.driver else { return Err(no_presenting_half()) };
        if let Some(resized) =
            context.core.with_immediate(|f, cx| f.resize_swap_chain(cx.entry(), driver, width, height))
        {
            resized.map_err(|error| self.device.driver_error(error))?;
        }
        self.desc = desc;
        self.create_back_buffers(context)
    }

    /// Replaces the description of the swap chain, and keeps its window (DXGI: `ResizeBuffers` with all its
    /// arguments). The description contains the size, number, format and usage of the back buffers, and the
    /// swap effect. The contents of the back buffers are lost.
    ///
    /// Otherwise the call works like [`resize_buffers`](Self::resize_buffers), but the label applies only to
    /// the new back buffers.
    ///
    /// # Errors
    /// Returns the same errors as [`resize_buffers`](Self::resize_buffers) and
    /// [`ImmediateContext::create_swap_chain`]. If the window refuses the description, the swap chain has no
    /// back buffer until a later call passes a description that the window accepts.
    #[doc(alias = "ResizeBuffers")]
    pub fn resize_buffers_with(
        &mut self,
        context: &mut ImmediateContext,
        desc: &SwapChainDesc,
    ) -> Result<(), Error> {
        let result = self.try_resize_with(context, desc);
        self.device.reject(MessageId::ResizeBuffersInvalid, result)
    }

    fn try_resize_with(&mut self, context: &mut ImmediateContext, desc: &SwapChainDesc) -> Result<(), Error> {
        self.check_context(context)?;
        self.device.check_removed()?;
        check_desc(&self.device, desc)?;
        self.drop_back_buffers(context)?;
        // The old driver half is destroyed first, because a window can have only one swap chain.
        if let Some(driver) = self.driver.take() {
            self.device.release_swap_chain(driver);
            context.flush();
        }
        let created = context.create_presenting_half(&self.device, self.window.clone(), desc)?;
        self.driver = Some(created.object);
        self.desc = SwapChainDesc { format: created.format, ..desc.clone() };
        self.color_space = first_color_space(&created.color_spaces, created.format);
        self.color_spaces = created.color_spaces;
        self.create_back_buffers(context)
    }

    /// Drops the back buffers, or returns an error if something else uses them.
    fn drop_back_buffers(&mut self, context: &mut ImmediateContext) -> Result<(), Error> {
        self.unbind(context);
        context.flush();
        let held: Vec<_> =
            self.back_buffers.iter().flat_map(|buffer| self.holders(context, buffer)).collect();
        if !held.is_empty() {
            return Err(Error::InvalidCall(format!(
                "{}: the old back buffer is in use: {}. Drop this before the resize, and ask \
                 `SwapChain::render_target_view` for the view in each frame",
                self.name(),
                held.join("; ")
            )));
        }
        self.target = None;
        if !self.back_buffers.is_empty() {
            self.back_buffers.clear();
            context.flush();
        }
        Ok(())
    }

    /// Lists the users of a back buffer other than the swap chain and the immediate context.
    fn holders(&self, context: &ImmediateContext, buffer: &Texture2d) -> Vec<String> {
        let mut held = Vec::new();
        let shared = &buffer.owner().shared;
        if buffer.owner().clones() > 1 {
            held.push(format!("the application has {}, from `get_buffer`", shared.name()));
        }
        let mut is_used = false;
        let used = |what: String| format!("a deferred context or a command list uses {what}");
        let open_here = |object: &ObjectShared| usize::from(context.core.handles.contains(object.key));
        let views = shared.views();
        for view in &views {
            let what = view.name();
            let own = self.target.as_ref().filter(|target| target.key() == view.key);
            if own.map_or_else(|| view.is_owned(), |target| target.owner().clones() > 1) {
                held.push(format!("the application has {what}"));
            }
            // Expected references: the owner, the context's handle, and the list of views.
            if Arc::strong_count(view) > usize::from(view.is_owned()) + open_here(view) + 1 {
                held.push(used(what));
                is_used = true;
            }
        }
        // Expected references: the owner, the context's handle, and the views, because a use of a view is also a use of
        // the texture.
        if !is_used && Arc::strong_count(shared) > 1 + open_here(shared) + views.len() {
            held.push(used(shared.name()));
        }
        held
    }

    /// Creates all back buffers, or none of them if the driver cannot create one.
    pub(super) fn create_back_buffers(&mut self, context: &mut ImmediateContext) -> Result<(), Error> {
        let Some(driver) = &self.driver else { return Ok(()) };
        let made = (0..self.desc.created_buffers()).map(|_| self.create_back_buffer(driver, context));
        let made = made.collect::<Result<Vec<_>, _>>()?;
        if let Some(first) = made.first() {
            self.target = Some(Device::from_core(&self.device).create_render_target_view(first, None)?);
        }
        self.back_buffers = made;
        Ok(())
    }

    fn create_back_buffer(
        &self,
        driver: &DriverObject,
        context: &mut ImmediateContext,
    ) -> Result<Texture2d, Error> {
        let label = self.desc.label.clone().unwrap_or("back buffer".into());
        let desc = Texture2dDesc {
            bind_flags: self.desc.buffer_usage,
            mip_levels: 1,
            ..Texture2dDesc::new(self.desc.format, self.desc.width, self.desc.height)
        }
        .label(label.clone());
        let desc = TextureDesc::from(desc);
        let resource = ResourceDesc::Texture(desc.clone());
        let args = ObjectDesc::Resource { desc: &resource, initial_data: &[] };
        let mut immediate = PrivateBytes::zeroed(self.device.funcs().calc_private_size(&args));
        let created =
            context.core.with_immediate(|f, cx| f.create_primary(cx.entry(), driver, &desc, &mut immediate));
        let created = created
            .unwrap_or(Err(onze_ddi::CreateError::OutOfMemory))
            .map_err(|error| self.device.driver_error(error))?;
        let owner = Device::from_core(&self.device).here().adopt(NewObject {
            key: self.device.new_key(),
            kind: HandleType::Resource,
            driver: created,
            immediate,
            data: ObjectData::Resource(resource),
            attachments: Attachments::named(&label),
            depends_on: None,
            primary: true,
        });
        Ok(Texture2d::from_shared(&owner.shared))
    }
}
