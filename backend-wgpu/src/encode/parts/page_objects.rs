//! The objects of a page, resolved from the indices in its commands.

use std::sync::Arc;

use crate::{
    encode::parts::ranges::{BufferPart, BufferRange},
    objects::{
        allocator::Storage,
        identity::Identity,
        shader::Shader,
        state::{BlendState, DepthStencilState, ElementLayout, RasterizerState, Sampler},
        texture::TextureMemory,
        view::View,
    },
    record::{
        command::{ObjectIndex, ViewFormat},
        object_table::{ObjectTable, PageObject},
        run_page::RunPage,
    },
};

/// The objects of a page, which commands refer to by index.
#[derive(Copy, Clone, Debug)]
pub(crate) struct PageObjects<'r> {
    table: &'r ObjectTable,
    imports: &'r [Identity],
}

impl<'r> PageObjects<'r> {
    pub(crate) fn new(page: &'r RunPage) -> Self {
        Self { table: &page.objects, imports: &page.imports }
    }

    #[inline]
    fn get(&self, object: ObjectIndex) -> Option<&'r PageObject> {
        self.table.get(object)
    }

    fn import(&self, import: u32) -> Option<&'r Identity> {
        self.imports.get(import as usize)
    }

    /// Returns the storage of a buffer and an absolute offset in it, given an offset that is absolute for
    /// storage and relative for an import.
    #[inline(always)]
    fn storage(&self, object: ObjectIndex, offset: u64) -> Option<(&'r Storage, u64)> {
        match self.get(object)? {
            PageObject::Buffer(storage) => Some((storage, offset)),
            PageObject::Import(import) => {
                let identity = self.import(*import)?.buffer()?;
                Some((&identity.storage, identity.offset + offset))
            }
            PageObject::Resource(_)
            | PageObject::Texture(_)
            | PageObject::View(_)
            | PageObject::Shader(_)
            | PageObject::ElementLayout(_)
            | PageObject::BlendState(_)
            | PageObject::DepthStencilState(_)
            | PageObject::RasterizerState(_)
            | PageObject::Sampler(_) => None,
        }
    }

    /// Returns the part of a buffer that a view covers, with `offset` interpreted as in
    /// [`PageObjects::storage`] and the format of the command.
    pub(crate) fn part(
        &self,
        object: ObjectIndex,
        offset: u32,
        size: u32,
        format: ViewFormat,
    ) -> Option<BufferPart<'r>> {
        let (storage, offset) = self.storage(object, offset.into())?;
        Some(BufferPart { storage, offset: u32::try_from(offset).ok()?, size, format: format.get() })
    }

    /// Returns a range of a buffer, with `offset` interpreted as in [`PageObjects::storage`].
    pub(crate) fn buffer(&self, object: ObjectIndex, offset: u64, size: u64) -> Option<BufferRange<'r>> {
        let (storage, offset) = self.storage(object, offset)?;
        Some(BufferRange { buffer: &storage.buffer, id: storage.buffer_id, offset, size })
    }

    pub(crate) fn view(&self, object: ObjectIndex) -> Option<&'r View> {
        match self.get(object)? {
            PageObject::View(view) => Some(view),
            PageObject::Import(import) => self.import(*import)?.view(),
            PageObject::Buffer(_)
            | PageObject::Resource(_)
            | PageObject::Texture(_)
            | PageObject::Shader(_)
            | PageObject::ElementLayout(_)
            | PageObject::BlendState(_)
            | PageObject::DepthStencilState(_)
            | PageObject::RasterizerState(_)
            | PageObject::Sampler(_) => None,
        }
    }

    /// Returns the texture that is the source or destination of a copy.
    pub(crate) fn texture(&self, object: ObjectIndex) -> Option<&'r Arc<TextureMemory>> {
        match self.get(object)? {
            PageObject::Resource(resource) => resource.texture(),
            PageObject::Texture(memory) => Some(memory),
            PageObject::Import(import) => self.import(*import)?.texture(),
            PageObject::Buffer(_)
            | PageObject::View(_)
            | PageObject::Shader(_)
            | PageObject::ElementLayout(_)
            | PageObject::BlendState(_)
            | PageObject::DepthStencilState(_)
            | PageObject::RasterizerState(_)
            | PageObject::Sampler(_) => None,
        }
    }
}

/// Generates an accessor for each object type that has only one variant, which returns `None` for an empty
/// slot. All variants are listed, so the compiler finds the places that a new variant affects.
macro_rules! accessors {
    ($kinds:tt $($name:ident: $variant:ident => $type:ty;)*) => {
        impl<'r> PageObjects<'r> {
            $(accessors! { @one $kinds $name: $variant => $type })*
        }
    };
    (@one [$($kind:ident)*] $name:ident: $variant:ident => $type:ty) => {
        pub(crate) fn $name(&self, object: ObjectIndex) -> Option<&'r $type> {
            match self.get(object)? {
                PageObject::$variant(object) => Some(object),
                #[allow(unreachable_patterns, reason = "the kind itself is among all of them")]
                $(PageObject::$kind(_))|* => None,
            }
        }
    };
}

accessors! {
    [Buffer Import Resource Texture View Shader ElementLayout BlendState DepthStencilState RasterizerState Sampler]
    shader: Shader => Shader;
    element_layout: ElementLayout => ElementLayout;
    blend_state: BlendState => BlendState;
    depth_stencil_state: DepthStencilState => DepthStencilState;
    rasterizer_state: RasterizerState => RasterizerState;
    sampler: Sampler => Sampler;
}
