//! Objects: the data that all clones of a `Buffer`, a `VertexShader` and so on share.
//!
//! An application object consists of a key and an [`Owner`]. A bind needs only the key: the context finds the
//! object's [`HandleState`] in its own handle storage, without accessing memory that other threads share.
//! Clones share the owner. If nothing else uses the object, dropping the last clone destroys it. Otherwise,
//! the drop pushes the [`ObjectShared`] onto the device's queue of released objects
//! (`concurrent/release_queue.rs`), which does not block.
//!
//! Every other user of an object has an `Arc<ObjectShared>`: a view refers to its resource, a context to each
//! object that it has opened, and a command list to the objects that its commands use. Dropping the last
//! `Arc` calls the driver's destroy entry, on any thread.

use std::sync::{
    Arc, LazyLock, Mutex, PoisonError, Weak,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use onze_ddi::{
    BlendDesc, DepthStencilDesc, DriverObject, ElementDesc, HandleType, Key, QueryDesc, RasterizerDesc,
    ResourceDesc, SamplerDesc, ShaderStage, ViewDesc,
};

use super::{
    CoreShard, DeviceCore,
    attachments::Attachments,
    handle_state::{HandleState, ObjectFlags, PrivateBytes},
};
use crate::{concurrent::ownership::Ownership, shader::Shader, validate};

/// The descriptor of an object, as the getters return it.
#[derive(Debug)]
pub(crate) enum ObjectData {
    Resource(ResourceDesc),
    View(ViewDesc),
    Shader(Shader),
    InputLayout(InputLayoutData),
    Blend(BlendDesc),
    DepthStencil(DepthStencilDesc),
    Rasterizer(RasterizerDesc),
    Sampler(SamplerDesc),
    Query(QueryDesc),
}

/// The elements of an input layout that the vertex shader reads.
#[derive(Debug)]
pub(crate) struct InputLayoutData {
    pub(crate) elements: Vec<ElementDesc>,
    /// The semantics of the elements that the application has specified by semantic instead of by location.
    pub(crate) semantics: Vec<FedSemantic>,
}

/// The semantic of an element, and the location of the input that it supplies.
#[derive(Debug)]
pub(crate) struct FedSemantic {
    pub(crate) location: u32,
    pub(crate) name: String,
    pub(crate) index: u32,
}

/// The data of an object that contexts, lists and other objects share.
pub(crate) struct ObjectShared {
    pub(crate) key: Key,
    pub(crate) kind: HandleType,
    /// The driver's read-only half; `None` after its destruction.
    driver: Option<DriverObject>,
    pub(crate) data: ObjectData,
    pub(crate) attachments: Attachments,
    pub(crate) depends_on: Option<Arc<ObjectShared>>,
    /// Number of private bytes that a handle has in a deferred context.
    pub(crate) deferred_size: usize,
    /// Initial flags of the object's handle in each context.
    pub(crate) flags: ObjectFlags,
    /// Private bytes with which the immediate handle is opened.
    pub(crate) immediate: PrivateBytes,
    owner: Ownership<Owner>,
    /// `Some` for a back buffer, which is destroyed in the immediate context's domain.
    primary: Option<Primary>,
    destroyed: AtomicBool,
    /// True if a context has opened the object, so commands may use it.
    used: AtomicBool,
    /// True if the query was ended on the immediate context, so its result can be requested.
    issued: AtomicBool,
    /// True if a call may have written to the resource since its creation, which the debug layer checks for
    /// depth buffers.
    written: AtomicBool,
    /// The bits of the texture's minimum mip level, a float.
    min_lod: AtomicU32,
    /// Declared last, so that the last object of a device drops its driver half before the driver's device is
    /// destroyed.
    pub(crate) device: Arc<CoreShard>,
}

#[derive(Default)]
struct Primary {
    /// The views of the back buffer, so that a failed resize can name the view that is still in use.
    views: Mutex<Vec<Weak<ObjectShared>>>,
}

impl std::fmt::Debug for ObjectShared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Object")
            .field("kind", &self.kind)
            .field("label", &self.label())
            .finish_non_exhaustive()
    }
}

/// The arguments of [`ObjectShared::new`].
pub(crate) struct NewObject {
    pub(crate) key: Key,
    pub(crate) kind: HandleType,
    pub(crate) driver: DriverObject,
    pub(crate) immediate: PrivateBytes,
    pub(crate) data: ObjectData,
    pub(crate) attachments: Attachments,
    pub(crate) depends_on: Option<Arc<ObjectShared>>,
    pub(crate) primary: bool,
}

impl ObjectShared {
    pub(crate) fn new(device: &Arc<CoreShard>, new: NewObject) -> Arc<Self> {
        let mut flags = flags_of(&new.data, new.depends_on.as_deref());
        flags |= if new.primary { ObjectFlags::RENAMABLE } else { ObjectFlags::empty() };
        flags.set(ObjectFlags::REPLACED, is_replaced(&new.data, device.caps.max_replaced_buffer));
        let deferred_size = device.funcs().calc_deferred_context_handle_size(new.kind, &new.driver);
        device.live_objects.add(1);
        let object = Arc::new(Self {
            key: new.key,
            kind: new.kind,
            device: device.clone(),
            driver: Some(new.driver),
            data: new.data,
            attachments: new.attachments,
            depends_on: new.depends_on,
            deferred_size,
            flags,
            immediate: new.immediate,
            owner: Ownership::new(),
            primary: new.primary.then(Primary::default),
            destroyed: AtomicBool::new(false),
            used: AtomicBool::new(false),
            issued: AtomicBool::new(false),
            written: AtomicBool::new(false),
            min_lod: AtomicU32::new(0),
        });
        if let Some(live) = &device.live {
            live.add(&object);
        }
        if let Some(primary) = object.depends_on.as_ref().and_then(|seen| seen.primary.as_ref()) {
            let mut views = primary.views.lock().unwrap_or_else(PoisonError::into_inner);
            views.retain(|view| view.strong_count() > 0);
            views.push(Arc::downgrade(&object));
        }
        object
    }

    pub(crate) fn views(&self) -> Vec<Arc<Self>> {
        let Some(primary) = &self.primary else { return Vec::new() };
        let views = primary.views.lock().unwrap_or_else(PoisonError::into_inner);
        views.iter().filter_map(Weak::upgrade).collect()
    }

    /// Returns the owner that the application's clones share, or a new owner if clones are absent, which
    /// happens if a getter retrieves an object that the application has dropped.
    pub(crate) fn owner(self: &Arc<Self>) -> Arc<Owner> {
        self.owner.owner(|| Owner { shared: self.clone() })
    }

    /// Returns whether the application has a reference to the object.
    pub(crate) fn is_owned(&self) -> bool {
        self.owner.is_owned()
    }

    /// Returns the number of clones that the application has.
    pub(crate) fn clones(&self) -> usize {
        self.owner.owners()
    }

    /// Works like [`Self::is_owned`] without waiting, and returns `None` while another thread is requesting the owner.
    pub(crate) fn try_is_owned(&self) -> Option<bool> {
        self.owner.try_is_owned()
    }

    /// Holds the object's lock, so that a test sees which calls wait for it.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        self.owner.hold_lock()
    }

    /// Returns the initial state of the handle that a context opens for the object.
    pub(crate) fn handle_state(&self) -> HandleState {
        let byte_width = match self.resource_desc() {
            Some(ResourceDesc::Buffer(desc)) => desc.byte_width,
            Some(ResourceDesc::Texture(_)) | None => 0,
        };
        HandleState { flags: self.flags.bits(), byte_width, discarded: 0, mapped: 0 }
    }

    pub(crate) fn driver(&self) -> &DriverObject {
        // The driver's half is taken out only in `drop`, after the last call of this function.
        static NOTHING: LazyLock<DriverObject> = LazyLock::new(|| Arc::new(()));
        self.driver.as_ref().unwrap_or(&NOTHING)
    }

    pub(crate) fn resource_desc(&self) -> Option<&ResourceDesc> {
        match &self.data {
            ObjectData::Resource(desc) => Some(desc),
            _ => None,
        }
    }

    pub(crate) fn view(&self) -> Option<(&ViewDesc, &Arc<Self>)> {
        match &self.data {
            ObjectData::View(desc) => Some((desc, self.depends_on.as_ref()?)),
            _ => None,
        }
    }

    pub(crate) fn is_of(&self, device: &Arc<DeviceCore>) -> bool {
        Arc::ptr_eq(&**self.device, device)
    }

    pub(crate) fn set_query_issued(&self) {
        self.issued.store(true, Ordering::Relaxed);
    }

    /// Records that the resource, or the resource of a view, may no longer contain its initial zeros.
    pub(crate) fn set_written(&self) {
        self.resource().written.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_written(&self) -> bool {
        self.resource().written.load(Ordering::Relaxed)
    }

    /// Returns the minimum mip level that shaders can access in a texture.
    pub(crate) fn min_lod(&self) -> f32 {
        f32::from_bits(self.min_lod.load(Ordering::Relaxed))
    }

    pub(crate) fn set_min_lod(&self, min_lod: f32) {
        self.min_lod.store(min_lod.to_bits(), Ordering::Relaxed);
    }

    /// Returns the resource of a view, or the object itself if it is not a view.
    fn resource(&self) -> &Self {
        self.depends_on.as_deref().unwrap_or(self)
    }

    pub(crate) fn is_query_issued(&self) -> bool {
        self.issued.load(Ordering::Relaxed)
    }

    pub(crate) fn set_used(&self) {
        self.used.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_primary(&self) -> bool {
        self.primary.is_some()
    }

    /// Returns true for the single caller that must destroy the driver's half.
    pub(crate) fn claim_destruction(&self) -> bool {
        !self.destroyed.swap(true, Ordering::AcqRel)
    }

    /// Returns the current name, or for a view without a name the name of its resource.
    pub(crate) fn label(&self) -> String {
        match (&self.depends_on, self.attachments.given_name()) {
            (Some(resource), None) => resource.label(),
            _ => self.attachments.name(),
        }
    }

    /// Replaces the name in a resource's descriptor with the resource's current name.
    pub(crate) fn renamed(&self, mut desc: ResourceDesc) -> ResourceDesc {
        if let Some(name) = self.attachments.given_name() {
            let label = match &mut desc {
                ResourceDesc::Buffer(desc) => &mut desc.label,
                ResourceDesc::Texture(desc) => &mut desc.label,
            };
            *label = Some(name.as_ref().to_owned().into());
        }
        desc
    }

    /// Returns the kind and the label of the object for messages, for example `buffer "camera"` or `a buffer
    /// without a label`.
    pub(crate) fn name(&self) -> String {
        let kind = self.kind_name();
        let given = self.attachments.given_name();
        match (&self.depends_on, &self.data, given) {
            (Some(_), _, Some(label)) => validate::named(kind, &label),
            (Some(resource), _, None) => format!("the {kind} of {}", resource.name()),
            (None, ObjectData::Query(desc), _) => match &*self.label() {
                "" => format!("a query of {:?}", desc.query),
                label => format!("{} of {:?}", validate::named(kind, label), desc.query),
            },
            (None, ..) => validate::named(kind, &self.label()),
        }
    }

    /// Returns the kind of the object, for messages.
    pub(crate) fn kind_name(&self) -> &'static str {
        match (&self.data, self.kind) {
            (ObjectData::Resource(ResourceDesc::Buffer(_)), _) => "buffer",
            (ObjectData::Resource(ResourceDesc::Texture(_)), _) => "texture",
            (ObjectData::Shader(shader), _) => shader_name(shader.code.reflection.stage),
            (ObjectData::InputLayout(_), _) => "input layout",
            (ObjectData::Blend(_), _) => "blend state",
            (ObjectData::DepthStencil(_), _) => "depth-stencil state",
            (ObjectData::Rasterizer(_), _) => "rasterizer state",
            (ObjectData::Sampler(_), _) => "sampler",
            (ObjectData::Query(_), _) => "query",
            (ObjectData::View(_), HandleType::RenderTargetView) => "render-target view",
            (ObjectData::View(_), HandleType::DepthStencilView) => "depth-stencil view",
            (ObjectData::View(_), HandleType::UnorderedAccessView) => "unordered-access view",
            (ObjectData::View(_), _) => "shader-resource view",
        }
    }
}

const fn shader_name(stage: ShaderStage) -> &'static str {
    match stage {
        ShaderStage::Vertex => "vertex shader",
        ShaderStage::Hull => "hull shader",
        ShaderStage::Domain => "domain shader",
        ShaderStage::Geometry => "geometry shader",
        ShaderStage::Pixel => "pixel shader",
        ShaderStage::Compute => "compute shader",
    }
}

impl Drop for ObjectShared {
    fn drop(&mut self) {
        self.device.live_objects.sub(1);
        if self.claim_destruction()
            && let Some(driver) = self.driver.take()
        {
            if self.primary.is_some() {
                self.device.destroy_primary(self.kind, driver);
            } else {
                let _serial = self.device.serial.enter();
                if *self.used.get_mut() {
                    self.device.funcs().destroy(self.kind, driver);
                } else {
                    self.device.funcs().destroy_unused(self.kind, driver);
                }
            }
        }
        self.device.free_index(self.key);
    }
}

/// Returns whether the driver can replace the whole contents of a buffer in one call.
fn is_replaced(data: &ObjectData, most: u32) -> bool {
    let ObjectData::Resource(ResourceDesc::Buffer(desc)) = data else { return false };
    use onze_ddi::BindFlags;
    desc.usage == onze_ddi::Usage::Dynamic
        && (desc.bind_flags == BindFlags::CONSTANT_BUFFER || desc.bind_flags == BindFlags::SHADER_RESOURCE)
        && desc.byte_width <= most
}

fn flags_of(data: &ObjectData, resource: Option<&ObjectShared>) -> ObjectFlags {
    match data {
        ObjectData::Resource(desc) => {
            let mut flags = ObjectFlags::from_bits_retain(desc.bind_flags().bits());
            flags.set(ObjectFlags::RENAMABLE, desc.is_renamable());
            let dynamic = matches!(desc, ResourceDesc::Buffer(d) if d.usage == onze_ddi::Usage::Dynamic);
            flags.set(ObjectFlags::DYNAMIC_BUFFER, dynamic);
            let updated = desc.usage() == onze_ddi::Usage::Default
                && desc.bind_flags().contains(onze_ddi::BindFlags::CONSTANT_BUFFER);
            flags.set(ObjectFlags::UPDATED_WHOLE, updated && matches!(desc, ResourceDesc::Buffer(_)));
            flags
        }
        ObjectData::View(_) => {
            let binds = resource.map_or(ObjectFlags::empty(), |r| r.flags);
            let outputs = ObjectFlags::RENDER_TARGET
                | ObjectFlags::DEPTH_STENCIL
                | ObjectFlags::STREAM_OUTPUT
                | ObjectFlags::UNORDERED_ACCESS;
            let ways = binds & (outputs | ObjectFlags::SHADER_RESOURCE);
            // Unordered access alone is enough to make a view hazardous, because pixel and compute shaders
            // have separate slots.
            if binds.contains(ObjectFlags::UNORDERED_ACCESS)
                || (binds.intersects(outputs) && ways.bits().count_ones() > 1)
            {
                ObjectFlags::HAZARDOUS
            } else {
                ObjectFlags::empty()
            }
        }
        ObjectData::Shader(_)
        | ObjectData::InputLayout(_)
        | ObjectData::Blend(_)
        | ObjectData::DepthStencil(_)
        | ObjectData::Rasterizer(_)
        | ObjectData::Sampler(_)
        | ObjectData::Query(_) => ObjectFlags::empty(),
    }
}

/// The data that the application's clones of an object share; see the [module](self).
pub(crate) struct Owner {
    pub(crate) shared: Arc<ObjectShared>,
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.shared.device.release(&self.shared);
    }
}
