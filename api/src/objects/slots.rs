//! Argument types of setters: a single optional object, or objects for consecutive slots.

use super::Object;

/// One object or `None`, for setters that bind a single object (D3D11: a pointer that may be null).
///
/// ```
/// # use onze::prelude::*;
/// # fn f(ctx: &mut DeviceContext, shader: &VertexShader, maybe: Option<VertexShader>) {
/// ctx.vs_set_shader(shader);
/// ctx.vs_set_shader(&maybe);
/// ctx.vs_set_shader(maybe.as_ref());
/// ctx.vs_set_shader(None);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "this call binds a `{T}`, but the argument is `{Self}`",
    label = "expected `&{T}` or `None`",
    note = "each setter binds one kind of object: shaders belong to their stage, and textures are bound by views"
)]
pub trait Nullable<'a, T> {
    /// Returns the object to bind, or `None` to unbind the current object.
    fn object(self) -> Option<&'a T>;
}

impl<'a, T: Object> Nullable<'a, T> for &'a T {
    #[inline]
    fn object(self) -> Option<&'a T> {
        Some(self)
    }
}

impl<'a, T: Object> Nullable<'a, T> for Option<&'a T> {
    #[inline]
    fn object(self) -> Option<&'a T> {
        self
    }
}

impl<'a, T: Object> Nullable<'a, T> for &'a Option<T> {
    #[inline]
    fn object(self) -> Option<&'a T> {
        self.as_ref()
    }
}

/// Objects for consecutive slots: one object, or an array or slice of objects or options.
///
/// ```
/// # use onze::prelude::*;
/// # fn f(ctx: &mut DeviceContext, a: &Buffer, b: &Buffer) {
/// ctx.vs_set_constant_buffers(0, a);
/// ctx.vs_set_constant_buffers(0, [a, b]);
/// ctx.vs_set_constant_buffers(0, &[Some(a), None, Some(b)]);
/// ctx.vs_set_constant_buffers(0, None);
/// // The result of a getter can be passed to the setter.
/// let before = ctx.vs_get_constant_buffers(0, 14);
/// ctx.vs_set_constant_buffers(0, &before);
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "these slots hold objects of type `{T}`, but the argument is `{Self}`",
    label = "expected `&{T}`, an array or a slice of them or of `Option<&{T}>`, or `None`",
    note = "textures and structured buffers are bound by views, which the `create_*_view` calls of `Device` create"
)]
pub trait Slots<T> {
    /// Returns the number of slots that the argument covers.
    fn count(&self) -> usize;
    /// Returns the object for the slot at `index`, or `None` to unbind the slot.
    fn get(&self, index: usize) -> Option<&T>;
}

impl<T: Object> Slots<T> for &T {
    fn count(&self) -> usize {
        1
    }
    fn get(&self, _index: usize) -> Option<&T> {
        Some(self)
    }
}

impl<T: Object> Slots<T> for Option<&T> {
    fn count(&self) -> usize {
        1
    }
    fn get(&self, _index: usize) -> Option<&T> {
        *self
    }
}

/// Implements [`Slots`] for arrays, slices and vectors, where each row has an expression that converts an
/// item to an optional object.
macro_rules! sequences {
    ($([$($generics:tt)*] $type:ty, $item:ident => $get:expr;)*) => {$(
        impl<$($generics)* T: Object> Slots<T> for $type {
            fn count(&self) -> usize {
                self.len()
            }
            fn get(&self, index: usize) -> Option<&T> {
                let items: &[_] = &self[..];
                items.get(index).and_then(|$item| $get)
            }
        }
    )*};
}
sequences! {
    ['a, const N: usize,] [&'a T; N], item => Some(*item);
    ['a, const N: usize,] &[&'a T; N], item => Some(*item);
    ['a,] &[&'a T], item => Some(*item);
    ['a, const N: usize,] [Option<&'a T>; N], item => *item;
    ['a, const N: usize,] &[Option<&'a T>; N], item => *item;
    ['a,] &[Option<&'a T>], item => *item;
    [const N: usize,] &[T; N], item => Some(item);
    [] &[T], item => Some(item);
    [] &Vec<T>, item => Some(item);
    ['a,] &Vec<&'a T>, item => Some(*item);
    ['a,] &Vec<Option<&'a T>>, item => *item;
    [] &Vec<Option<T>>, item => item.as_ref();
    [const N: usize,] &[Option<T>; N], item => item.as_ref();
    [] &[Option<T>], item => item.as_ref();
}
