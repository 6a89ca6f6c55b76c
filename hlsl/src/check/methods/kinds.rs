use crate::{
    check::tree::Method,
    syntax::builtin::{Object, ObjectFamily},
};

#[derive(Clone, Copy, Debug)]
pub(super) struct TextureKind {
    /// The number of dimensions, not counting the array dimension.
    pub(super) dimensions: u8,
    pub(super) array: bool,
    pub(super) access: Access,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Sampled,
    Cube,
    Multisampled,
    Written,
}

impl TextureKind {
    pub(super) fn place(self) -> u8 {
        self.dimensions + u8::from(self.array)
    }

    /// Returns the number of coordinates of an offset, or 0 if the methods of the texture take no offset.
    pub(super) fn offset(self) -> u8 {
        if self.access == Access::Cube { 0 } else { self.dimensions }
    }
}

/// Returns the properties of a texture, or `None` for other objects and for the type `texture`, which has no
/// dimension.
pub(super) fn texture(kind: Object) -> Option<TextureKind> {
    use Access::{Cube, Multisampled, Sampled, Written};
    let (dimensions, array, access) = match kind {
        Object::Texture1D => (1, false, Sampled),
        Object::Texture1DArray => (1, true, Sampled),
        Object::Texture2D => (2, false, Sampled),
        Object::Texture2DArray => (2, true, Sampled),
        Object::Texture2DMS => (2, false, Multisampled),
        Object::Texture2DMSArray => (2, true, Multisampled),
        Object::Texture3D => (3, false, Sampled),
        Object::TextureCube => (3, false, Cube),
        Object::TextureCubeArray => (3, true, Cube),
        Object::RwTexture1D | Object::RovTexture1D => (1, false, Written),
        Object::RwTexture1DArray | Object::RovTexture1DArray => (1, true, Written),
        Object::RwTexture2D | Object::RovTexture2D => (2, false, Written),
        Object::RwTexture2DArray | Object::RovTexture2DArray => (2, true, Written),
        Object::RwTexture3D | Object::RovTexture3D => (3, false, Written),
        _ => return None,
    };
    Some(TextureKind { dimensions, array, access })
}

/// Returns whether a message may suggest a method for objects of a kind. Similar kinds have the same
/// suggestions.
pub(super) fn may_have(kind: Object, method: Method) -> bool {
    let name = method.name();
    let begins = |list: &[&str]| list.iter().any(|beginning| name.starts_with(beginning));
    match kind.family() {
        ObjectFamily::Texture => {
            begins(&["Sample", "Gather", "Load", "Get", "Calculate"]) && !is_of_bytes(name)
        }
        ObjectFamily::WrittenTexture
        | ObjectFamily::TypedBuffer
        | ObjectFamily::WrittenTypedBuffer
        | ObjectFamily::StructuredBuffer => {
            matches!(method, Method::Load | Method::GetDimensions)
        }
        ObjectFamily::WrittenStructuredBuffer => {
            matches!(method, Method::Load | Method::GetDimensions) || name.ends_with("Counter")
        }
        ObjectFamily::List => matches!(method, Method::Append | Method::Consume | Method::GetDimensions),
        ObjectFamily::ByteBuffer => begins(&["Load", "GetDimensions"]),
        ObjectFamily::WrittenByteBuffer => begins(&["Load", "Store", "Interlocked", "GetDimensions"]),
        ObjectFamily::Vertices => matches!(method, Method::Append | Method::RestartStrip),
        ObjectFamily::Sampler | ObjectFamily::AnyTexture | ObjectFamily::Constants | ObjectFamily::Effect => {
            false
        }
    }
}

/// Returns whether a method reads or writes several words of a byte address buffer, as `Load2` does.
fn is_of_bytes(name: &str) -> bool {
    name.ends_with(|last: char| last.is_ascii_digit())
}
