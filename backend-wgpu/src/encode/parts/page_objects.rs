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

/// A page's objects, as commands name them.
#[derive(Copy, Clone, Debug)]
pub(in crate::encode) struct PageObjects<'r> {
    table: &'r ObjectTable,
    imports: &'r [Identity],
}

impl<'r> PageObjects<'r> {
    pub(in crate::encode) fn new(page: &'r RunPage) -> Self {
        Self { table: &page.objects, imports: &page.imports }
    }

    #[inline]
    fn get(&self, object: ObjectIndex) -> Option<&'r PageObject> {
        self.table.get(object)
    }

    fn import(&self, import: u32) -> Option<&'r Identity> {
        self.imports.get(import as usize)
    }

    /// The storage of a buffer, and a byte of it: `offset` is absolute for storage, relative for an import.
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

    /// A part of a buffer that a view sees; `offset` as for [`PageObjects::storage`], the format as in the command.
    pub(in crate::encode) fn part(
        &self,
        object: ObjectIndex,
        offset: u32,
        size: u32,
        format: ViewFormat,
    ) -> Option<BufferPart<'r>> {
        let (storage, offset) = self.storage(object, offset.into())?;
        Some(BufferPart { storage, offset: u32::try_from(offset).ok()?, size, format: format.get() })
    }

    /// A part of a buffer; `offset` as for [`PageObjects::storage`].
    pub(in crate::encode) fn buffer(
        &self,
        object: ObjectIndex,
        offset: u64,
        size: u64,
    ) -> Option<BufferRange<'r>> {
        let (storage, offset) = self.storage(object, offset)?;
        Some(BufferRange { buffer: &storage.buffer, id: storage.buffer_id, offset, size })
    }

    /// A view of a texture.
    pub(in crate::encode) fn view(&self, object: ObjectIndex) -> Option<&'r View> {
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

    /// A texture as the source or destination of a copy.
    pub(in crate::encode) fn texture(&self, object: ObjectIndex) -> Option<&'r Arc<TextureMemory>> {
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

/// One accessor for each kind of object that has one meaning: `None` for an empty slot. All kinds are named, so that a
/// new one is not forgotten.
macro_rules! accessors {
    ($kinds:tt $($name:ident: $variant:ident => $type:ty;)*) => {
        impl<'r> PageObjects<'r> {
            $(accessors! { @one $kinds $name: $variant => $type })*
        }
    };
    (@one [$($kind:ident)*] $name:ident: $variant:ident => $type:ty) => {
        pub(in crate::encode) fn $name(&self, object: ObjectIndex) -> Option<&'r $type> {
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
