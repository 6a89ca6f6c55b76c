//! The bindings of an entry point, sorted into slot classes.

use naga::{
    AddressSpace, GlobalVariable, Handle, ImageClass, ImageDimension, Module, StorageAccess, StorageFormat,
    TypeInner,
};
use onze_ddi::{
    COUNTER_GROUP, ConstantBufferSlot, CounterSlot, ResourceKind, ResourceSlot, SampleKind, SamplerSlot,
    ScalarKind, ShaderStage, SlotClass, TextureDimension, UnorderedAccessKind, UnorderedAccessSlot,
};

use crate::shader::ShaderError;

/// Maximum size of a constant buffer in a shader, in bytes: 4096 constants of 16 bytes.
const CONSTANT_BUFFER_BYTES: u32 = 4096 * 16;

/// Returns the stride of a buffer's elements and the minimum size of the buffer, in bytes.
fn elements(module: &Module, inner: &TypeInner) -> (u32, u32) {
    let size = inner.try_size(module.to_ctx()).unwrap_or(u32::MAX);
    (element_stride(module, inner).unwrap_or(size), size)
}

/// Checks that a variable is in the group of `class` and in range, and returns its slot.
fn slot_of(class: SlotClass, variable: &BoundVariable<'_>, kind: &'static str) -> Result<u32, ShaderError> {
    if variable.group != class.group() {
        return Err(ShaderError::WrongGroup {
            variable: variable.name.clone(),
            kind,
            group: variable.group,
            expected: class.group(),
            registers: class.letter(),
        });
    }
    if variable.slot >= class.slots() {
        return Err(ShaderError::SlotOutOfRange {
            variable: variable.name.clone(),
            registers: class.letter(),
            slot: variable.slot,
            slots: class.slots(),
        });
    }
    Ok(variable.slot)
}

/// A global variable of a module with a group and a binding.
struct BoundVariable<'a> {
    handle: Handle<GlobalVariable>,
    name: String,
    group: u32,
    slot: u32,
    space: AddressSpace,
    inner: &'a TypeInner,
}

/// The bindings of the entry point, sorted into slot classes.
#[derive(Default)]
pub(in crate::shader) struct EntryBindings {
    pub(super) constant_buffers: Vec<ConstantBufferSlot>,
    pub(super) resources: Vec<ResourceSlot>,
    pub(super) samplers: Vec<SamplerSlot>,
    pub(super) unordered_access: Vec<UnorderedAccessSlot>,
    pub(super) counters: Vec<CounterSlot>,
}

impl EntryBindings {
    /// Reads the bound variables of a compacted module, which only contains variables that the entry point
    /// uses.
    pub(in crate::shader) fn of(module: &Module, stage: ShaderStage) -> Result<Self, ShaderError> {
        let mut bindings = Self::default();
        for (handle, global) in module.global_variables.iter() {
            // A variable without a binding is private or shared by a thread group, or is rejected by
            // validation.
            let Some(place) = global.binding else {
                continue;
            };
            bindings.add(
                module,
                stage,
                BoundVariable {
                    handle,
                    name: global.name.clone().unwrap_or_default(),
                    group: place.group,
                    slot: place.binding,
                    space: global.space,
                    inner: &module.types[global.ty].inner,
                },
            )?;
        }
        bindings.constant_buffers.sort_by_key(|b| b.slot);
        bindings.resources.sort_by_key(|t| t.slot);
        bindings.samplers.sort_by_key(|s| s.slot);
        bindings.unordered_access.sort_by_key(|u| u.slot);
        bindings.counters.sort_by_key(|counter| counter.slot);
        let name = |b: &ConstantBufferSlot| (b.slot, b.name.clone());
        refuse_duplicates(SlotClass::ConstantBuffer, bindings.constant_buffers.iter().map(name))?;
        let name = |t: &ResourceSlot| (t.slot, t.name.clone());
        refuse_duplicates(SlotClass::ShaderResource, bindings.resources.iter().map(name))?;
        let name = |s: &SamplerSlot| (s.slot, s.name.clone());
        refuse_duplicates(SlotClass::Sampler, bindings.samplers.iter().map(name))?;
        let name = |u: &UnorderedAccessSlot| (u.slot, u.name.clone());
        refuse_duplicates(SlotClass::UnorderedAccess, bindings.unordered_access.iter().map(name))?;
        for pair in bindings.counters.windows(2) {
            if let [first, second] = pair
                && first.slot == second.slot
            {
                let (first, second, slot) = (first.name.clone(), second.name.clone(), second.slot);
                return Err(ShaderError::DuplicateCounter { first, second, slot });
            }
        }
        Ok(bindings)
    }

    fn add(
        &mut self,
        module: &Module,
        stage: ShaderStage,
        variable: BoundVariable<'_>,
    ) -> Result<(), ShaderError> {
        if matches!(variable.inner, TypeInner::BindingArray { .. }) {
            return Err(ShaderError::BindingArray { variable: variable.name });
        }
        if variable.group == COUNTER_GROUP {
            return self.add_counter(stage, variable);
        }
        match variable.space {
            AddressSpace::Uniform => self.add_constant_buffer(module, variable),
            AddressSpace::Storage { access: StorageAccess::LOAD } => self.add_buffer(module, variable),
            AddressSpace::Storage { .. } => self.add_written_buffer(module, stage, variable),
            _ => match *variable.inner {
                TypeInner::Sampler { comparison } => self.add_sampler(variable, comparison),
                TypeInner::Image { dim, arrayed, class: ImageClass::Storage { format, access } } => {
                    self.add_written_image(stage, variable, (dim, arrayed), (format, access))
                }
                TypeInner::Image { dim, arrayed, class } => self.add_texture(variable, dim, arrayed, class),
                _ => Err(ShaderError::UnsupportedResource {
                    variable: variable.name,
                    kind: "a resource of another kind than buffers, textures and samplers",
                }),
            },
        }
    }

    fn add_constant_buffer(
        &mut self,
        module: &Module,
        variable: BoundVariable<'_>,
    ) -> Result<(), ShaderError> {
        let slot = slot_of(SlotClass::ConstantBuffer, &variable, "a uniform buffer")?;
        let size = variable.inner.try_size(module.to_ctx()).unwrap_or(u32::MAX);
        if size > CONSTANT_BUFFER_BYTES {
            return Err(ShaderError::ConstantBufferTooLarge { variable: variable.name, size });
        }
        self.constant_buffers.push(ConstantBufferSlot {
            slot,
            name: variable.name,
            size,
            binding: variable.handle,
        });
        Ok(())
    }

    fn add_buffer(&mut self, module: &Module, variable: BoundVariable<'_>) -> Result<(), ShaderError> {
        let slot = slot_of(SlotClass::ShaderResource, &variable, "a read-only storage buffer")?;
        let (stride, size) = elements(module, variable.inner);
        let kind = ResourceKind::Buffer { stride, size };
        self.resources.push(ResourceSlot { slot, name: variable.name, kind, binding: variable.handle });
        Ok(())
    }

    fn add_written_buffer(
        &mut self,
        module: &Module,
        stage: ShaderStage,
        variable: BoundVariable<'_>,
    ) -> Result<(), ShaderError> {
        let kind = "a storage buffer that can be written";
        if !matches!(stage, ShaderStage::Pixel | ShaderStage::Compute) {
            return Err(ShaderError::UnorderedAccess { variable: variable.name, kind });
        }
        let slot = slot_of(SlotClass::UnorderedAccess, &variable, kind)?;
        let (stride, size) = elements(module, variable.inner);
        let atomic = atomic_elements(module, variable.inner);
        let kind = UnorderedAccessKind::Buffer { stride, size, atomic };
        let slot = UnorderedAccessSlot { slot, name: variable.name, kind, binding: variable.handle };
        self.unordered_access.push(slot);
        Ok(())
    }

    fn add_counter(&mut self, stage: ShaderStage, variable: BoundVariable<'_>) -> Result<(), ShaderError> {
        let is_written = matches!(variable.space, AddressSpace::Storage { access } if access.contains(StorageAccess::STORE));
        let is_counter =
            matches!(variable.inner, TypeInner::Atomic(scalar) if *scalar == naga::Scalar::U32) && is_written;
        if !is_counter {
            return Err(ShaderError::NoCounter { variable: variable.name, slot: variable.slot });
        }
        if !matches!(stage, ShaderStage::Pixel | ShaderStage::Compute) {
            let kind = "the counter of an unordered-access view";
            return Err(ShaderError::UnorderedAccess { variable: variable.name, kind });
        }
        let class = SlotClass::UnorderedAccess;
        if variable.slot >= class.slots() {
            return Err(ShaderError::SlotOutOfRange {
                variable: variable.name,
                registers: class.letter(),
                slot: variable.slot,
                slots: class.slots(),
            });
        }
        let BoundVariable { slot, name, handle: binding, .. } = variable;
        self.counters.push(CounterSlot { slot, name, binding });
        Ok(())
    }

    /// Adds a writable texture or typed buffer (typed buffers are declared as 1D images).
    fn add_written_image(
        &mut self,
        stage: ShaderStage,
        variable: BoundVariable<'_>,
        shape: (ImageDimension, bool),
        (format, access): (StorageFormat, StorageAccess),
    ) -> Result<(), ShaderError> {
        let name = "a storage texture";
        if !matches!(stage, ShaderStage::Pixel | ShaderStage::Compute) {
            return Err(ShaderError::UnorderedAccess { variable: variable.name, kind: name });
        }
        let slot = slot_of(SlotClass::UnorderedAccess, &variable, name)?;
        let unsupported =
            |kind| Err(ShaderError::UnsupportedResource { variable: variable.name.clone(), kind });
        let kind = match naga::Scalar::from(format) {
            naga::Scalar { kind: naga::ScalarKind::Float, .. } => ScalarKind::Float,
            naga::Scalar { kind: naga::ScalarKind::Sint, width: 4 } => ScalarKind::Sint,
            naga::Scalar { kind: naga::ScalarKind::Uint, width: 4 } => ScalarKind::Uint,
            _ => return unsupported("a storage texture of 64-bit numbers"),
        };
        let texture = |dimension| UnorderedAccessKind::Texture { dimension, kind, access };
        let kind = match shape {
            (ImageDimension::D1, false) => UnorderedAccessKind::TypedBuffer { kind, access },
            (ImageDimension::D2, false) => texture(TextureDimension::D2),
            (ImageDimension::D2, true) => texture(TextureDimension::D2Array),
            (ImageDimension::D3, false) => texture(TextureDimension::D3),
            (ImageDimension::D1 | ImageDimension::D3, true) => {
                return unsupported("a storage texture that is an array of 1D or 3D textures");
            }
            (ImageDimension::Cube, _) => return unsupported("a storage texture that is a cube"),
        };
        let slot = UnorderedAccessSlot { slot, name: variable.name, kind, binding: variable.handle };
        self.unordered_access.push(slot);
        Ok(())
    }

    fn add_sampler(&mut self, variable: BoundVariable<'_>, comparison: bool) -> Result<(), ShaderError> {
        let slot = slot_of(SlotClass::Sampler, &variable, "a sampler")?;
        self.samplers.push(SamplerSlot { slot, name: variable.name, comparison, binding: variable.handle });
        Ok(())
    }

    fn add_texture(
        &mut self,
        variable: BoundVariable<'_>,
        dim: ImageDimension,
        arrayed: bool,
        class: ImageClass,
    ) -> Result<(), ShaderError> {
        let (multisampled, sample) = match class {
            ImageClass::Sampled { kind, multi } => (multi, sample_kind(kind)),
            ImageClass::Depth { multi } => (multi, SampleKind::Depth),
            ImageClass::Storage { .. } => {
                return Err(ShaderError::UnorderedAccess {
                    variable: variable.name,
                    kind: "a storage texture",
                });
            }
            ImageClass::External => {
                return Err(ShaderError::UnsupportedResource {
                    variable: variable.name,
                    kind: "an external texture",
                });
            }
        };
        let dimension = match (dim, arrayed) {
            (ImageDimension::D1, false) => TextureDimension::D1,
            (ImageDimension::D2, false) => TextureDimension::D2,
            (ImageDimension::D2, true) => TextureDimension::D2Array,
            (ImageDimension::Cube, false) => TextureDimension::Cube,
            (ImageDimension::Cube, true) => TextureDimension::CubeArray,
            (ImageDimension::D3, false) => TextureDimension::D3,
            (ImageDimension::D1 | ImageDimension::D3, true) => {
                return Err(ShaderError::UnsupportedResource {
                    variable: variable.name,
                    kind: "an array of 1D or 3D textures",
                });
            }
        };
        let slot = slot_of(SlotClass::ShaderResource, &variable, "a texture")?;
        self.resources.push(ResourceSlot {
            slot,
            name: variable.name,
            kind: ResourceKind::Texture { dimension, multisampled, sample },
            binding: variable.handle,
        });
        Ok(())
    }
}

/// Returns the element stride, in bytes, of a buffer that is an array or ends with a runtime-sized array.
fn element_stride(module: &Module, inner: &TypeInner) -> Option<u32> {
    match inner {
        TypeInner::Array { stride, .. } => Some(*stride),
        TypeInner::Struct { members, .. } => match module.types[members.last()?.ty].inner {
            TypeInner::Array { stride, size: naga::ArraySize::Dynamic, .. } => Some(stride),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the kind of atomics in an array of 32-bit atomics, or `None` for other types.
fn atomic_elements(module: &Module, inner: &TypeInner) -> Option<ScalarKind> {
    let TypeInner::Array { base, .. } = inner else { return None };
    match module.types[*base].inner {
        TypeInner::Atomic(naga::Scalar::I32) => Some(ScalarKind::Sint),
        TypeInner::Atomic(naga::Scalar::U32) => Some(ScalarKind::Uint),
        _ => None,
    }
}

fn sample_kind(kind: naga::ScalarKind) -> SampleKind {
    match kind {
        naga::ScalarKind::Sint => SampleKind::Sint,
        naga::ScalarKind::Uint => SampleKind::Uint,
        // Of the remaining kinds, validation allows only floats.
        _ => SampleKind::Float,
    }
}

fn refuse_duplicates(
    class: SlotClass,
    sorted: impl Iterator<Item = (u32, String)>,
) -> Result<(), ShaderError> {
    let mut previous: Option<(u32, String)> = None;
    for (slot, name) in sorted {
        match previous {
            Some((same, first)) if same == slot => {
                return Err(ShaderError::DuplicateSlot {
                    first,
                    second: name,
                    registers: class.letter(),
                    slot,
                });
            }
            _ => previous = Some((slot, name)),
        }
    }
    Ok(())
}
