//! Object tables, which contain the objects that commands refer to by index, and keep these objects alive
//! until the commands are encoded and submitted.
//!
//! Each page of the immediate context has a separate table, because the page is encoded while the next page
//! is recorded. The pages of a list share one table, so a recording adds only one reference to an object for
//! all its pages. Therefore threads that record with the same object rarely contend for its reference count.

use std::sync::Arc;

use crate::{
    objects::{
        allocator::Storage,
        resource::Resource,
        shader::Shader,
        state::{BlendState, DepthStencilState, ElementLayout, RasterizerState, Sampler},
        texture::TextureMemory,
        view::View,
    },
    record::{
        command::{NO_OBJECT, ObjectIndex},
        recycle::{Recycle, RecycleQueue},
    },
};

/// Number of objects at which a table is full, below the number of valid indices so that the objects of one
/// more call fit.
const FULL: usize = 60_000;

#[derive(Clone, Debug)]
pub(crate) enum PageObject {
    /// Buffer storage that was known when the page was recorded, with offsets in commands counted from the
    /// start of `storage.buffer`.
    Buffer(Arc<Storage>),
    /// Index into a list's imports. The import is a buffer, a back buffer or a view of a back buffer, and it
    /// is resolved when the list is executed. Offsets in commands count from the start of the resolved
    /// identity.
    Import(u32),
    /// The source or destination of a copy, if it is not a back buffer.
    Resource(Arc<Resource>),
    /// The texture that a back buffer had when the page was recorded, as the source or destination of a copy.
    Texture(Arc<TextureMemory>),
    /// A view of any type or, for a view of a back buffer, the view of the texture that the back buffer had
    /// when the page was recorded.
    View(Arc<View>),
    Shader(Arc<Shader>),
    ElementLayout(Arc<ElementLayout>),
    BlendState(Arc<BlendState>),
    DepthStencilState(Arc<DepthStencilState>),
    RasterizerState(Arc<RasterizerState>),
    Sampler(Arc<Sampler>),
}

/// The objects of a page or of the pages of a list; see the [module](self).
#[derive(Debug, Default)]
pub(crate) struct ObjectTable {
    objects: Vec<PageObject>,
    recycle_to: Option<Arc<RecycleQueue<Self>>>,
}

impl ObjectTable {
    pub(crate) fn enter(&mut self, object: PageObject) -> ObjectIndex {
        // One call does not add enough objects to overflow a table, but if it did, only the excess objects
        // would be missing.
        let index = ObjectIndex::try_from(self.objects.len()).unwrap_or(NO_OBJECT);
        self.objects.push(object);
        index
    }

    /// The object that a command refers to, or `None` for [`NO_OBJECT`].
    #[inline]
    pub(crate) fn get(&self, object: ObjectIndex) -> Option<&PageObject> {
        // A table does not contain enough objects for `NO_OBJECT` to be a valid index.
        self.objects.get(usize::from(object))
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.objects.len() >= FULL
    }

    #[cfg(test)]
    pub(crate) fn objects(&self) -> &[PageObject] {
        &self.objects
    }
}

#[cfg(test)]
impl From<Vec<PageObject>> for ObjectTable {
    fn from(objects: Vec<PageObject>) -> Self {
        Self { objects, recycle_to: None }
    }
}

impl Recycle for ObjectTable {
    const RETURNED: usize = 16;

    fn clear(&mut self) {
        self.objects.clear();
    }

    fn recycle_to(&mut self) -> &mut Option<Arc<RecycleQueue<Self>>> {
        &mut self.recycle_to
    }
}
