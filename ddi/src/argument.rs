//! Arguments of entries, and access to the handles that they contain.
//!
//! ```
//! use std::num::NonZeroU32;
//!
//! use onze_ddi::{Argument, ConstantBufferBinding, Key, ResourceHandle};
//!
//! let buffer = ResourceHandle::new(Key::new(3, NonZeroU32::MIN));
//! let mut handles = Vec::new();
//! ConstantBufferBinding::whole(Some(buffer)).for_each_handle(&mut |_, key| handles.push(key));
//! assert_eq!(handles, [buffer.key()]);
//! ```

use crate::*;

/// An argument of an entry, for code that handles all entries in the same way.
pub trait Argument {
    /// Visits every handle in the argument, once for each occurrence.
    fn for_each_handle(&self, visit: &mut (impl FnMut(HandleType, Key) + ?Sized));
}

/// Implements [`Argument`] for types that contain no handle.
macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Argument for $type {
            fn for_each_handle(&self, _visit: &mut (impl FnMut(HandleType, Key) + ?Sized)) {}
        }
    )*};
}
plain! {
    u8 u32 i32 f32 [f32; 4] [u32; 3] [u32; 4] &str
    ShaderStage PrimitiveTopology Viewport Rect ClearFlags Box3d SubresourceData<'_> MapType Format
}

impl<K: HandleKind> Argument for Handle<K> {
    fn for_each_handle(&self, visit: &mut (impl FnMut(HandleType, Key) + ?Sized)) {
        visit(K::TYPE, self.key());
    }
}

impl<T: Argument> Argument for Option<T> {
    fn for_each_handle(&self, visit: &mut (impl FnMut(HandleType, Key) + ?Sized)) {
        self.iter().for_each(|argument| argument.for_each_handle(visit));
    }
}

impl<T: Argument> Argument for &[T] {
    fn for_each_handle(&self, visit: &mut (impl FnMut(HandleType, Key) + ?Sized)) {
        self.iter().for_each(|argument| argument.for_each_handle(visit));
    }
}

/// Implements [`Argument`] for types with one field that contains a handle.
macro_rules! bindings {
    ($($type:ident.$field:ident)*) => {$(
        impl Argument for $type {
            fn for_each_handle(&self, visit: &mut (impl FnMut(HandleType, Key) + ?Sized)) {
                self.$field.for_each_handle(visit);
            }
        }
    )*};
}
bindings! {
    VertexBufferBinding.buffer IndexBufferBinding.buffer ConstantBufferBinding.buffer BlendBinding.state
    DepthStencilBinding.state PredicationBinding.predicate
}

impl Argument for TargetsBinding<'_> {
    fn for_each_handle(&self, visit: &mut (impl FnMut(HandleType, Key) + ?Sized)) {
        self.color.for_each_handle(visit);
        self.depth_stencil.for_each_handle(visit);
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn handles(argument: &impl Argument) -> Vec<(HandleType, u32)> {
        let mut handles = Vec::new();
        argument.for_each_handle(&mut |kind, key| handles.push((kind, key.index())));
        handles
    }

    #[test]
    fn arguments_visit_every_handle_that_they_contain() {
        let key = |index| Key::new(index, NonZeroU32::MIN);
        let binding = VertexBufferBinding { buffer: Some(Handle::new(key(3))), ..Default::default() };
        let bindings = &[binding, VertexBufferBinding::default(), binding][..];
        assert_eq!(handles(&bindings), [(HandleType::Resource, 3), (HandleType::Resource, 3)]);
        let color = [None, Some(Handle::new(key(1)))];
        let targets = TargetsBinding { color: &color, depth_stencil: Some(Handle::new(key(2))) };
        let expected = [(HandleType::RenderTargetView, 1), (HandleType::DepthStencilView, 2)];
        assert_eq!(handles(&targets), expected);
        assert_eq!(handles(&Some(7_u32)), []);
    }
}
