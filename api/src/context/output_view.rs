//! Clearing and discarding of whole views or of rectangles in views (D3D11.1: `ClearView`, `DiscardView`).

use onze_ddi::{
    BindFlags, Box3d, ClearFlags, DsvFlags, Format, Handle, Rect, ResourceDesc, Texture2dDesc, Usage,
    ViewDesc,
};

use super::{
    DeviceContext,
    object_use::{Call, ObjectUse},
};
use crate::{
    device_core::ObjectShared,
    objects::{
        Buffer, DepthStencilView, RenderTargetView, Resource, UnorderedAccessView, sealed::Sealed as _,
    },
    report::{Error, MessageId},
    validate::{self, DepthStencilViewDesc, RenderTargetViewDesc, UnorderedAccessViewDesc},
};

/// An output view, for [`DeviceContext::clear_view`] and [`DeviceContext::discard_view`] (D3D11: an
/// `ID3D11View` of one of these types).
///
/// A reference to an output view converts to this type: `context.clear_view(&view, color, &[])`.
#[doc(alias = "ID3D11View")]
#[derive(Copy, Clone, Debug)]
pub enum OutputView<'a> {
    /// A view of a colour target.
    RenderTarget(&'a RenderTargetView),
    /// A view of a depth-stencil target.
    DepthStencil(&'a DepthStencilView),
    /// A view that shaders can write through.
    UnorderedAccess(&'a UnorderedAccessView),
}

impl<'a> From<&'a RenderTargetView> for OutputView<'a> {
    fn from(view: &'a RenderTargetView) -> Self {
        Self::RenderTarget(view)
    }
}

impl<'a> From<&'a DepthStencilView> for OutputView<'a> {
    fn from(view: &'a DepthStencilView) -> Self {
        Self::DepthStencil(view)
    }
}

impl<'a> From<&'a UnorderedAccessView> for OutputView<'a> {
    fn from(view: &'a UnorderedAccessView) -> Self {
        Self::UnorderedAccess(view)
    }
}

impl OutputView<'_> {
    fn shared(&self) -> &ObjectShared {
        match self {
            Self::RenderTarget(view) => &view.owner().shared,
            Self::DepthStencil(view) => &view.owner().shared,
            Self::UnorderedAccess(view) => &view.owner().shared,
        }
    }

    /// Returns the bind flag that a texture needs for this type of view.
    const fn bind_flag(&self) -> BindFlags {
        match self {
            Self::RenderTarget(_) => BindFlags::RENDER_TARGET,
            Self::DepthStencil(_) => BindFlags::DEPTH_STENCIL,
            Self::UnorderedAccess(_) => BindFlags::UNORDERED_ACCESS,
        }
    }
}

impl DeviceContext {
    /// Sets rectangles of a view to a colour, or the whole view if `rects` is empty (D3D11: `ClearView`).
    ///
    /// * For a view of a texture, the rectangles are in pixels of the view's mip level, are clipped to that
    ///   level, and are cleared in all slices of the view.
    /// * For a typed view of a buffer, a rectangle covers the elements from `left` up to but not including
    ///   `right`, and has a `top` of 0 and a `bottom` of 1.
    /// * For a depth-stencil view without stencil, `color[0]` is the depth, clamped to the range 0 to 1.
    ///
    /// The colour is converted to the view's format, as for a render target. For integer formats, the
    /// components are truncated and clamped to the format's range, and NaN becomes 0. The view does not have
    /// to be bound.
    ///
    /// As in Direct3D 11, structured and raw buffer views cannot be cleared because they have no format, nor
    /// can depth-stencil views with stencil. Calls with such views are skipped and reported as
    /// [`MessageId::ClearViewInvalid`].
    ///
    /// ```
    /// # use onze::{prelude::*, Rect};
    /// # fn main() -> Result<(), onze::Error> {
    /// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
    /// let atlas = device.create_render_target(Format::R8G8B8A8_UNORM, 256, 256)?;
    /// let tile = Rect { left: 64, top: 0, right: 128, bottom: 64 };
    /// context.clear_view(&atlas.render_target_view, [0.0, 0.0, 0.0, 1.0], &[tile]);
    /// # Ok(())
    /// # }
    /// ```
    #[doc(alias = "ClearView")]
    pub fn clear_view<'a>(&mut self, view: impl Into<OutputView<'a>>, color: [f32; 4], rects: &[Rect]) {
        let view = view.into();
        if !self.is_known_output(&view, Call::ClearView) {
            return;
        }
        if let Err(reason) = self.try_clear_view(&view, color, rects) {
            let text = format_args!("{}: {reason}", view.shared().name());
            self.report_about(MessageId::ClearViewInvalid, view.shared().key, text);
        }
    }

    fn is_known_output(&mut self, view: &OutputView<'_>, call: Call) -> bool {
        let used = ObjectUse::of(call);
        match view {
            OutputView::RenderTarget(view) => self.handle_state_for(*view, used).is_ok(),
            OutputView::DepthStencil(view) => self.handle_state_for(*view, used).is_ok(),
            OutputView::UnorderedAccess(view) => self.handle_state_for(*view, used).is_ok(),
        }
    }

    fn try_clear_view(
        &mut self,
        view: &OutputView<'_>,
        color: [f32; 4],
        rects: &[Rect],
    ) -> Result<(), String> {
        let Some((desc, resource)) = view.shared().view() else { return Ok(()) };
        match (desc, resource.resource_desc()) {
            (ViewDesc::Texture(part), Some(ResourceDesc::Texture(texture))) => {
                let color = validate::clear_view_color(part.format, color)?;
                let size = texture.mip_size(part.range.first_mip);
                let Some(boxes) = validate::clear_boxes(rects, size) else {
                    self.clear_whole(view, desc, color);
                    return Ok(());
                };
                self.clear_parts(view, desc, color, &boxes).map_err(|error| error.to_string())
            }
            (ViewDesc::Buffer(part), _) => {
                let Some(format) = part.typed() else {
                    let kind = if part.raw { "raw" } else { "structured" };
                    return Err(format!(
                        "a view of a {kind} buffer has no format to convert a colour to; use \
                         `clear_unordered_access_view_uint`"
                    ));
                };
                let color = validate::clear_view_color(format, color)?;
                let Some(boxes) = validate::clear_boxes(rects, (part.elements, 1)) else {
                    self.clear_whole(view, desc, color);
                    return Ok(());
                };
                for elements in &boxes {
                    let (first, count) = (part.first_element + elements.left, elements.right - elements.left);
                    let seen = UnorderedAccessViewDesc::typed_buffer(format, first, count);
                    let buffer = Buffer::from_shared(resource);
                    let seen = self.device().create_unordered_access_view(&buffer, &seen);
                    let seen = seen.map_err(|error| error.to_string())?;
                    if let Some(desc) = seen.desc() {
                        self.clear_whole(&OutputView::UnorderedAccess(&seen), desc, color);
                    }
                }
                Ok(())
            }
            _ => Err("views of such a resource cannot be cleared, as in Direct3D 11".to_owned()),
        }
    }

    /// Clears the whole view to a colour that its format can represent.
    fn clear_whole(&mut self, view: &OutputView<'_>, desc: &ViewDesc, color: [f32; 4]) {
        match view {
            OutputView::RenderTarget(view) => self.clear_render_target_view(view, color),
            OutputView::DepthStencil(view) => {
                self.clear_depth_stencil_view(view, ClearFlags::DEPTH, color[0], 0);
            }
            OutputView::UnorderedAccess(view) => {
                let words = validate::clear_view_words(desc, color);
                self.clear_unordered_access_view_uint(view, words);
            }
        }
    }

    /// Clears regions of a texture by copying from another texture that is cleared as a whole, so the texels
    /// are bit-identical to the texels of a whole clear.
    fn clear_parts(
        &mut self,
        view: &OutputView<'_>,
        desc: &ViewDesc,
        color: [f32; 4],
        boxes: &[Box3d],
    ) -> Result<(), Error> {
        let (Some((_, resource)), ViewDesc::Texture(part)) = (view.shared().view(), desc) else {
            return Ok(());
        };
        let most = |side: fn(&Box3d) -> u32| boxes.iter().map(side).max().unwrap_or(0);
        let (width, height) = (most(|b| b.right - b.left), most(|b| b.bottom - b.top));
        if width == 0 || height == 0 {
            return Ok(());
        }
        let Some(ResourceDesc::Texture(texture)) = resource.resource_desc() else { return Ok(()) };
        let source = Texture2dDesc {
            mip_levels: 1,
            bind_flags: view.bind_flag(),
            ..Texture2dDesc::new(part.format, width, height)
        };
        let source = match texture.sample_count {
            1 => source,
            sample_count => with_samples(source, texture.format, sample_count),
        };
        let device = self.device();
        let source = device.create_texture_2d(&source, None)?;
        match view {
            OutputView::RenderTarget(_) => {
                let whole = RenderTargetViewDesc::format(part.format);
                let whole = device.create_render_target_view(&source, Some(&whole))?;
                self.clear_whole(&OutputView::RenderTarget(&whole), desc, color);
            }
            OutputView::DepthStencil(_) => {
                let whole = DepthStencilViewDesc::format(part.format);
                let whole = device.create_depth_stencil_view(&source, Some(&whole))?;
                self.clear_whole(&OutputView::DepthStencil(&whole), desc, color);
            }
            OutputView::UnorderedAccess(_) => {
                let whole = device.create_unordered_access_view(&source, None)?;
                self.clear_whole(&OutputView::UnorderedAccess(&whole), desc, color);
            }
        }
        if self.handle_state(&source).is_err() {
            return Ok(());
        }
        self.note_contents(resource.key);
        let mips = texture.mip_levels;
        let (to, from) = (Handle::new(resource.key), Handle::new(source.key()));
        for slice in part.range.first_slice..part.range.first_slice + part.range.slices {
            let subresource = part.range.first_mip + slice * mips;
            for b in boxes {
                let (at, size) = ([b.left, b.top, 0], Box3d::rect(0, 0, b.right - b.left, b.bottom - b.top));
                self.core.with(move |f, cx| {
                    f.resource_copy_region(cx.entry(), to, subresource, at, from, 0, Some(size));
                });
            }
        }
        Ok(())
    }

    /// Discards the contents of a resource, which are undefined until they are written again (D3D11:
    /// `DiscardResource`).
    ///
    /// If the resource has neither default nor dynamic usage, the call is reported as
    /// [`MessageId::DiscardInvalid`]. Unlike [`discard_view`](Self::discard_view), this call does not improve
    /// performance here.
    #[doc(alias = "DiscardResource")]
    pub fn discard_resource(&mut self, resource: &impl Resource) {
        if self.handle_state_for(resource, ObjectUse::of(Call::DiscardResource)).is_err() {
            return;
        }
        let shared = &resource.owner().shared;
        match shared.resource_desc().map(ResourceDesc::usage) {
            Some(Usage::Default | Usage::Dynamic) | None => {}
            Some(usage) => {
                let name = shared.name();
                let text =
                    format_args!("{name} has usage {usage:?}; only Default and Dynamic can be discarded");
                self.report_about(MessageId::DiscardInvalid, shared.key, text);
            }
        }
    }

    /// Discards the texels of a view, which are undefined until they are written again (D3D11:
    /// `DiscardView`).
    ///
    /// The next pass that draws into the view does not load them from memory, which saves time on mobile GPUs.
    #[doc(alias = "DiscardView")]
    pub fn discard_view<'a>(&mut self, view: impl Into<OutputView<'a>>) {
        self.discard_view1(view, &[]);
    }

    /// Works like [`discard_view`](Self::discard_view), but discards rectangles, in pixels of the view's mip
    /// level, or the whole view if `rects` is empty (D3D11: `DiscardView1`). Discarding rectangles does not
    /// improve performance here.
    #[doc(alias = "DiscardView1")]
    pub fn discard_view1<'a>(&mut self, view: impl Into<OutputView<'a>>, rects: &[Rect]) {
        let view = view.into();
        if !self.is_known_output(&view, Call::DiscardView) {
            return;
        }
        let Some((ViewDesc::Texture(part), resource)) = view.shared().view() else { return };
        let Some(ResourceDesc::Texture(texture)) = resource.resource_desc() else { return };
        let is_whole = validate::clear_boxes(rects, texture.mip_size(part.range.first_mip)).is_none();
        if !is_whole || part.range.slices > 1 {
            return;
        }
        // Clears the view, because a pass that begins with a clear loads nothing, and wgpu has no safe way to
        // begin a pass with neither a load nor a clear.
        match view {
            OutputView::RenderTarget(view) => self.clear_render_target_view(view, [0.0; 4]),
            OutputView::DepthStencil(view) if part.flags == DsvFlags::empty() => {
                let handle = Handle::new(view.key());
                let both = ClearFlags::DEPTH | ClearFlags::STENCIL;
                self.core.with(move |f, cx| f.clear_depth_stencil_view(cx.entry(), handle, both, 0.0, 0));
            }
            OutputView::DepthStencil(_) | OutputView::UnorderedAccess(_) => {}
        }
    }
}

/// Adapts a descriptor to a multisampled texture. A shader copies such textures, and only between textures of
/// the same format.
fn with_samples(desc: Texture2dDesc, format: Format, sample_count: u32) -> Texture2dDesc {
    // Shaders cannot read these depth formats, so the texture gets the corresponding typeless format.
    let format = match format {
        Format::D32_FLOAT => Format::R32_TYPELESS,
        Format::D16_UNORM => Format::R16_TYPELESS,
        other => other,
    };
    let mut bind_flags = desc.bind_flags;
    if bind_flags == BindFlags::DEPTH_STENCIL {
        bind_flags |= BindFlags::SHADER_RESOURCE;
    }
    Texture2dDesc { format, bind_flags, sample_count, ..desc }
}
