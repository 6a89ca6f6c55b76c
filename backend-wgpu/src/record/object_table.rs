//! Object tables: the objects that commands name by index, alive until the commands are encoded and submitted.
//!
//! A page of the immediate context has a table of its own, because it is encoded while the next one is recorded. The
//! pages of a list share one table. So a recording counts one reference to an object, however many pages it fills, and
//! threads that record with the same objects do not share their counts.

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

/// Objects after which a table is full, less than indices can tell apart: those of one more entry must fit in any
/// case.
const FULL: usize = 60_000;

/// One object of a table.
#[derive(Clone, Debug)]
pub(crate) enum PageObject {
    /// Buffer storage that was known when the page was recorded. Offsets in commands are absolute in
    /// `storage.buffer`.
    Buffer(Arc<Storage>),
    /// A buffer, back buffer or view of a back buffer of a list, whose identity is resolved when the list is
    /// executed: an index into the list's imports. Offsets in commands are relative to the identity's.
    Import(u32),
    /// A resource as the source or destination of a copy; a texture that is no back buffer.
    Resource(Arc<Resource>),
    /// The texture that a back buffer meant when the page was recorded, as the source or destination of a copy.
    Texture(Arc<TextureMemory>),
    /// A view of any kind. Of a back buffer it is the view of the texture that the back buffer meant when the page was
    /// recorded.
    View(Arc<View>),
    /// A shader of any stage.
    Shader(Arc<Shader>),
    /// An input layout.
    ElementLayout(Arc<ElementLayout>),
    /// A blend state.
    BlendState(Arc<BlendState>),
    /// A depth-stencil state.
    DepthStencilState(Arc<DepthStencilState>),
    /// A rasterizer state.
    RasterizerState(Arc<RasterizerState>),
    /// A sampler.
    Sampler(Arc<Sampler>),
}

/// The objects of a page, or of the pages of a list; see the [module](self).
#[derive(Debug, Default)]
pub(crate) struct ObjectTable {
    objects: Vec<PageObject>,
    recycle_to: Option<Arc<RecycleQueue<Self>>>,
}

impl ObjectTable {
    /// Adds an object.
    pub(crate) fn enter(&mut self, object: PageObject) -> ObjectIndex {
        // No entry adds so many that a table overflows. If one did, they would be missing, and no others.
        let index = ObjectIndex::try_from(self.objects.len()).unwrap_or(NO_OBJECT);
        self.objects.push(object);
        index
    }

    /// The object that a command names.
    #[inline]
    pub(crate) fn get(&self, object: ObjectIndex) -> Option<&PageObject> {
        // No table has so many objects that `NO_OBJECT` is the place of one.
        self.objects.get(usize::from(object))
    }

    /// How many there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there might not be room for those of one more entry.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.objects.len() >= FULL
    }

    /// All of them.
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
