//! Views, which bind resources to the pipeline (D3D11: `ID3D11View` and derived interfaces).

use std::sync::Arc;

use onze_ddi::{Handle, ObjectDesc, ObjectRef, ResourceDesc, TextureShape, ViewDesc};

use super::{Buffer, Device, Resource, Texture1d, Texture2d, Texture3d, object, sealed::Sealed as _};
use crate::{
    device_core::{ObjectData, ObjectShared},
    report::{Error, MessageId},
    validate::{
        self, DepthStencilViewDesc, RenderTargetViewDesc, ShaderResourceViewDesc, UnorderedAccessViewDesc,
    },
};

object! {
    /// A view of a texture or buffer, for reading in shaders (D3D11: `ID3D11ShaderResourceView`).
    #[doc(alias = "ID3D11ShaderResourceView")]
    ShaderResourceView
}
object! {
    /// A view of a texture as a colour target (D3D11: `ID3D11RenderTargetView`).
    #[doc(alias = "ID3D11RenderTargetView")]
    RenderTargetView
}
object! {
    /// A view of a texture as a depth-stencil target (D3D11: `ID3D11DepthStencilView`).
    #[doc(alias = "ID3D11DepthStencilView")]
    DepthStencilView
}
object! {
    /// A view of a texture or buffer, for reading and writing in shaders (D3D11:
    /// `ID3D11UnorderedAccessView`).
    #[doc(alias = "ID3D11UnorderedAccessView")]
    UnorderedAccessView
}

/// Defines the create calls and the getters of one type of view.
macro_rules! view {
    ($object:ident $kind:ident $create:ident $d3d11:literal $desc:ident $validate:ident $id:ident
        $what:literal of $($of:ident)*) => {
        impl Device {
            #[doc = concat!("Creates a view of a resource ", $what, ".")]
            #[doc = concat!("D3D11: `ID3D11Device::", $d3d11, "`.")]
            ///
            /// Without a descriptor, a view has the format of the resource. Shader-resource views and views
            /// of buffers then contain the whole resource, whereas other views of textures contain all slices
            /// of mip level 0.
            ///
            /// # Errors
            /// [`Error::InvalidArg`] if the resource lacks the bind flag, or if the descriptor does not match
            /// the resource; [`Error::Unsupported`] if the adapter lacks a feature. The error names the
            /// feature.
            #[doc(alias = $d3d11)]
            pub fn $create<'a>(
                &self,
                resource: &impl Resource,
                desc: impl Into<Option<&'a $desc>>,
            ) -> Result<$object, Error> {
                let desc = desc.into();
                let core = &self.core;
                let shared = &resource.owner().shared;
                let result = self.own(shared).and_then(|()| {
                    if shared.is_primary() {
                        validate::back_buffer_view(&resource.resource_desc(), validate::ViewKind::$kind)?;
                    }
                    let view = validate::$validate(&resource.resource_desc(), desc)?;
                    let kind = validate::ViewKind::$kind;
                    match &view {
                        ViewDesc::Texture(view) => {
                            let support = self.check_format_support(view.format);
                            validate::view_support(kind, view, &core.caps, support)?;
                        }
                        ViewDesc::Buffer(view) => {
                            let support = self.check_format_support(view.format);
                            validate::buffer_view_support(kind, view, &core.caps, support)?;
                        }
                    }
                    let resource = ObjectRef { handle: Handle::new(shared.key), object: shared.driver() };
                    let args = ObjectDesc::$object { resource, desc: &view };
                    self.here()
                        .create_object(&args, ObjectData::View(view), "", Some(shared.clone()))
                        .map_err(|error| match error {
                            // The checks above have shown that the view is valid in Direct3D, so the device
                            // does not support it.
                            Error::InvalidArg(reason) => Error::Unsupported(reason),
                            other => other,
                        })
                });
                Ok($object::from_shared(&core.reject(MessageId::$id, result)?.shared))
            }
        }

        $(impl $of {
            #[doc = concat!("Creates a view of the whole ", $what, ".")]
            #[doc = concat!("Stands for `ID3D11Device::", $d3d11, "` without a descriptor.")]
            ///
            /// # Errors
            #[doc = concat!("Fails with the same errors as [`Device::", stringify!($create), "`].")]
            #[doc(alias = $d3d11)]
            pub fn $create(&self) -> Result<$object, Error> {
                self.device().$create(self, None)
            }
        })*

        impl $object {
            /// Returns the descriptor, with all defaults resolved (D3D11: `GetDesc`).
            #[doc(alias = "GetDesc")]
            pub fn desc(&self) -> Option<&ViewDesc> {
                self.owner.shared.view().map(|(desc, _)| desc)
            }

            /// Returns a descriptor that creates an identical view of the same resource or of a similar
            /// resource (D3D11: `GetDesc`, `GetDesc1`).
            ///
            /// All fields have explicit values, even if the view was created from defaults.
            #[doc(alias = "GetDesc")]
            #[doc(alias = "GetDesc1")]
            pub fn to_desc(&self) -> $desc {
                self.desc().map_or_else($desc::default, $desc::from)
            }

            /// Returns the viewed resource if it is a buffer (D3D11: `ID3D11View::GetResource`).
            #[doc(alias = "GetResource")]
            pub fn buffer(&self) -> Option<Buffer> {
                let (_, resource) = self.owner.shared.view()?;
                matches!(resource.resource_desc()?, ResourceDesc::Buffer(_))
                    .then(|| Buffer::from_shared(resource))
            }

            /// Returns the viewed resource if it is a 1D texture (D3D11: `ID3D11View::GetResource`).
            #[doc(alias = "GetResource")]
            pub fn texture_1d(&self) -> Option<Texture1d> {
                self.texture_of(TextureShape::D1).map(Texture1d::from_shared)
            }

            /// Returns the viewed resource if it is a 2D texture (D3D11: `ID3D11View::GetResource`).
            #[doc(alias = "GetResource")]
            pub fn texture_2d(&self) -> Option<Texture2d> {
                self.texture_of(TextureShape::D2).map(Texture2d::from_shared)
            }

            /// Returns the viewed resource if it is a 3D texture (D3D11: `ID3D11View::GetResource`).
            #[doc(alias = "GetResource")]
            pub fn texture_3d(&self) -> Option<Texture3d> {
                self.texture_of(TextureShape::D3).map(Texture3d::from_shared)
            }

            fn texture_of(&self, shape: TextureShape) -> Option<&Arc<ObjectShared>> {
                let (_, resource) = self.owner.shared.view()?;
                matches!(resource.resource_desc()?, ResourceDesc::Texture(desc) if desc.shape == shape)
                    .then_some(resource)
            }
        }
    };
}

view!(ShaderResourceView ShaderResource create_shader_resource_view "CreateShaderResourceView"
    ShaderResourceViewDesc shader_resource_view CreateShaderResourceViewInvalid
    "for shaders to read" of Buffer Texture1d Texture2d Texture3d);
view!(RenderTargetView RenderTarget create_render_target_view "CreateRenderTargetView"
    RenderTargetViewDesc render_target_view CreateRenderTargetViewInvalid
    "to draw into" of Texture1d Texture2d Texture3d);
view!(DepthStencilView DepthStencil create_depth_stencil_view "CreateDepthStencilView"
    DepthStencilViewDesc depth_stencil_view CreateDepthStencilViewInvalid
    "to test depth and stencil with" of Texture1d Texture2d);
view!(UnorderedAccessView UnorderedAccess create_unordered_access_view "CreateUnorderedAccessView"
    UnorderedAccessViewDesc unordered_access_view CreateUnorderedAccessViewInvalid
    "for shaders to read and write" of Buffer Texture1d Texture2d Texture3d);
