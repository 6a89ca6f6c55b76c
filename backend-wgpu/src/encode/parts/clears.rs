//! Pending clears, which wait until a pass begins with their view or until another command uses the texture.

use crate::objects::view::View;

/// A clear that waits, of colour, of depth, of stencil, or of both.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PendingClear<'r> {
    pub(crate) view: &'r View,
    pub(crate) color: Option<wgpu::Color>,
    pub(crate) depth: Option<f32>,
    pub(crate) stencil: Option<u32>,
}

/// The waiting clears, oldest first and without overlap.
#[derive(Debug, Default)]
pub(crate) struct PendingClears<'r>(Vec<PendingClear<'r>>);

impl<'r> PendingClears<'r> {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn add(&mut self, clear: PendingClear<'r>) {
        self.0.push(clear);
    }

    /// Removes the clear of exactly the subresources of `view`, in its format.
    pub(crate) fn take_exact(&mut self, view: &View) -> Option<PendingClear<'r>> {
        let at = self.0.iter().position(|clear| is_exact(clear.view, view))?;
        Some(self.0.remove(at))
    }

    pub(crate) fn take(&mut self, wanted: impl Fn(&PendingClear<'r>) -> bool) -> Option<PendingClear<'r>> {
        let at = self.0.iter().position(wanted)?;
        Some(self.0.remove(at))
    }
}

pub(crate) fn is_exact(a: &View, b: &View) -> bool {
    a.id.get() == b.id.get()
        || (a.texture == b.texture && a.desc.range == b.desc.range && a.format == b.format)
}

/// Returns whether the load operations of a pass with `view` can replace the clear. They cannot clear an
/// aspect that is read-only.
pub(crate) fn can_load(clear: &PendingClear<'_>, view: &View) -> bool {
    let flags = view.desc.flags;
    let depth = clear.depth.is_none() || !flags.contains(onze_ddi::DsvFlags::READ_ONLY_DEPTH);
    let stencil = clear.stencil.is_none() || !flags.contains(onze_ddi::DsvFlags::READ_ONLY_STENCIL);
    depth && stencil
}

/// Returns operations that clear to `value`, or that load the contents if it is `None`.
pub(crate) fn operations<V>(value: Option<V>) -> wgpu::Operations<V> {
    let load = value.map_or(wgpu::LoadOp::Load, wgpu::LoadOp::Clear);
    wgpu::Operations { load, store: wgpu::StoreOp::Store }
}
