//! Reflection of an entry point's bindings, inputs and outputs.
//!
//! The module has been compacted, so it only contains variables that the entry point uses. Bindings are read
//! before the final validation, because the errors of this file name the variables. Signatures are read after
//! the final validation, which guarantees that they are well-formed.

use naga::valid::ModuleInfo;
use naga::{
    AddressSpace, Binding, BuiltIn, GlobalVariable, Handle, ImageClass, ImageDimension, Module,
    StorageAccess, StorageFormat, Type, TypeInner,
};
use onze_ddi::{
    COUNTER_GROUP, ConstantBufferSlot, CounterSlot, ResourceKind, ResourceSlot, SampleKind, SampledPair,
    SamplerSlot, ScalarKind, ShaderInput, ShaderOutput, ShaderReflection, ShaderStage, SlotClass,
    TextureDimension, UnorderedAccessKind, UnorderedAccessSlot,
};

use super::{ShaderError, semantic};

/// Maximum size of a constant buffer in a shader, in bytes: 4096 constants of 16 bytes.
const CONSTANT_BUFFER_BYTES: u32 = 4096 * 16;
/// Number of locations for a stage's inputs, and for its outputs to the next stage (D3D11:
/// `D3D11_VS_INPUT_REGISTER_COUNT` and `D3D11_PS_INPUT_REGISTER_COUNT`).
const STAGE_LOCATIONS: u32 = 32;
/// Number of locations for a pixel shader's colours (D3D11: `D3D11_SIMULTANEOUS_RENDER_TARGET_COUNT`).
const TARGETS: u32 = 8;

/// Returns the stride of a buffer's elements and the minimum size of the buffer, in bytes.
fn elements(module: &Module, inner: &TypeInner) -> (u32, u32) {
    let size = inner.try_size(module.to_ctx()).unwrap_or(u32::MAX);
    (element_stride(module, inner).unwrap_or(size), size)
}

/// Returns Direct3D 11's name for naga's stage.
pub(super) fn stage_name(stage: naga::ShaderStage) -> &'static str {
    match stage {
        naga::ShaderStage::Vertex => "vertex",
        naga::ShaderStage::Fragment => "pixel",
        naga::ShaderStage::Compute => "compute",
        naga::ShaderStage::Task => "task",
        naga::ShaderStage::Mesh => "mesh",
        _ => "ray-tracing",
    }
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
pub(super) struct EntryBindings {
    constant_buffers: Vec<ConstantBufferSlot>,
    resources: Vec<ResourceSlot>,
    samplers: Vec<SamplerSlot>,
    unordered_access: Vec<UnorderedAccessSlot>,
    counters: Vec<CounterSlot>,
}

impl EntryBindings {
    /// Reads the bound variables of a compacted module, which only contains variables that the entry point
    /// uses.
    pub(super) fn of(module: &Module, stage: ShaderStage) -> Result<Self, ShaderError> {
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

    /// Completes the reflection with the signature of the module's only entry point and the results of
    /// validation.
    pub(super) fn into_reflection(
        self,
        module: &Module,
        info: &ModuleInfo,
        stage: ShaderStage,
    ) -> Result<ShaderReflection, ShaderError> {
        let mut reflection = ShaderReflection {
            stage,
            constant_buffers: self.constant_buffers,
            resources: self.resources,
            samplers: self.samplers,
            unordered_access: self.unordered_access,
            counters: self.counters,
            sampled_pairs: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            workgroup_size: [0; 3],
            uses_vertex_index: false,
            uses_instance_index: false,
            uses_position: false,
            uses_front_facing: false,
            runs_per_sample: false,
            uses_sample_mask: false,
            writes_depth: false,
            writes_sample_mask: false,
            dual_source: false,
            discards: false,
        };
        let Some(entry_point) = module.entry_points.first() else {
            return Ok(reflection);
        };
        reflection.workgroup_size = entry_point.workgroup_size;
        let function = &entry_point.function;
        for argument in &function.arguments {
            let name = argument.name.as_deref();
            for_each_binding(module, name, argument.binding.as_ref(), argument.ty, |p| {
                add_input(&mut reflection, p);
            });
        }
        if let Some(result) = &function.result {
            for_each_binding(module, None, result.binding.as_ref(), result.ty, |p| {
                add_output(&mut reflection, p);
            });
        }
        let facts = info.get_entry_point(0);
        reflection.discards = facts.may_kill;
        reflection.sampled_pairs = sampled_pairs(module, facts);
        refuse_offsets_in_1d(module)?;
        reflection.inputs.sort_by_key(|i| i.location);
        reflection.outputs.sort_by_key(|o| (o.location, o.blend_src));
        check_signature(&reflection)?;
        Ok(reflection)
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

/// Rejects modules that sample a 1D texture at an offset, which SPIR-V and GLSL can express but WGSL cannot.
fn refuse_offsets_in_1d(module: &Module) -> Result<(), ShaderError> {
    let functions = module.functions.iter().map(|(_, function)| function);
    for function in functions.chain(module.entry_points.iter().map(|entry| &entry.function)) {
        for (_, expression) in function.expressions.iter() {
            let naga::Expression::ImageSample { image, offset: Some(_), .. } = *expression else { continue };
            let (ty, name) = match function.expressions[image] {
                naga::Expression::GlobalVariable(variable) => {
                    let variable = &module.global_variables[variable];
                    (variable.ty, variable.name.as_deref())
                }
                naga::Expression::FunctionArgument(at) => match function.arguments.get(at as usize) {
                    Some(argument) => (argument.ty, argument.name.as_deref()),
                    None => continue,
                },
                _ => continue,
            };
            if matches!(module.types[ty].inner, TypeInner::Image { dim: ImageDimension::D1, .. }) {
                return Err(ShaderError::Offset1d { variable: name.unwrap_or_default().to_owned() });
            }
        }
    }
    Ok(())
}

fn sampled_pairs(module: &Module, facts: &naga::valid::FunctionInfo) -> Vec<SampledPair> {
    let slot = |handle| {
        let variable: &GlobalVariable = &module.global_variables[handle];
        variable.binding.map(|place| place.binding)
    };
    let mut pairs: Vec<_> = facts
        .sampling_set
        .iter()
        .filter_map(|key| Some(SampledPair { resource: slot(key.image)?, sampler: slot(key.sampler)? }))
        .collect();
    pairs.sort_unstable();
    pairs
}

/// An argument or a result of an entry point, or a member of an argument or result that is a struct.
struct EntryParameter<'a> {
    name: &'a str,
    binding: &'a Binding,
    inner: &'a TypeInner,
}

/// Calls `f` with an argument or a result, or with each of its members if it is a struct.
fn for_each_binding<'a>(
    module: &'a Module,
    name: Option<&'a str>,
    binding: Option<&'a Binding>,
    ty: Handle<Type>,
    mut f: impl FnMut(EntryParameter<'a>),
) {
    let inner = &module.types[ty].inner;
    match (binding, inner) {
        (Some(binding), _) => f(EntryParameter { name: name.unwrap_or_default(), binding, inner }),
        (None, TypeInner::Struct { members, .. }) => {
            for member in members {
                if let Some(binding) = &member.binding {
                    f(EntryParameter {
                        name: member.name.as_deref().unwrap_or_default(),
                        binding,
                        inner: &module.types[member.ty].inner,
                    });
                }
            }
        }
        // Validation rejects all other arguments and results.
        (None, _) => {}
    }
}

fn add_input(reflection: &mut ShaderReflection, parameter: EntryParameter<'_>) {
    match *parameter.binding {
        Binding::BuiltIn(builtin) => match builtin {
            BuiltIn::VertexIndex => reflection.uses_vertex_index = true,
            BuiltIn::InstanceIndex => reflection.uses_instance_index = true,
            BuiltIn::Position { .. } => reflection.uses_position = true,
            BuiltIn::FrontFacing => reflection.uses_front_facing = true,
            BuiltIn::SampleIndex => reflection.runs_per_sample = true,
            BuiltIn::SampleMask => reflection.uses_sample_mask = true,
            _ => {}
        },
        Binding::Location { location, interpolation, sampling, .. } => {
            let Some((kind, components)) = component_type(parameter.inner) else {
                return;
            };
            if reflection.stage == ShaderStage::Pixel && sampling == Some(naga::Sampling::Sample) {
                reflection.runs_per_sample = true;
            }
            let (semantic_name, semantic_index) = semantic::split(parameter.name);
            reflection.inputs.push(ShaderInput {
                location,
                name: parameter.name.to_owned(),
                semantic_name,
                semantic_index,
                kind,
                components,
                interpolation,
                sampling,
            });
        }
    }
}

fn add_output(reflection: &mut ShaderReflection, parameter: EntryParameter<'_>) {
    match *parameter.binding {
        Binding::BuiltIn(builtin) => match builtin {
            BuiltIn::FragDepth => reflection.writes_depth = true,
            BuiltIn::SampleMask => reflection.writes_sample_mask = true,
            _ => {}
        },
        Binding::Location { location, interpolation, sampling, blend_src, .. } => {
            let Some((kind, components)) = component_type(parameter.inner) else {
                return;
            };
            if blend_src == Some(1) {
                reflection.dual_source = true;
            }
            let (semantic_name, semantic_index) = semantic::split(parameter.name);
            reflection.outputs.push(ShaderOutput {
                location,
                name: parameter.name.to_owned(),
                semantic_name,
                semantic_index,
                kind,
                components,
                interpolation,
                sampling,
                blend_src,
            });
        }
    }
}

/// Returns the scalar kind and the number of components of an input or output, because validation allows only
/// numbers and vectors of numbers.
fn component_type(inner: &TypeInner) -> Option<(ScalarKind, u8)> {
    let (scalar, components) = match *inner {
        TypeInner::Scalar(scalar) => (scalar, 1),
        TypeInner::Vector { size, scalar } => (scalar, size as u8),
        _ => return None,
    };
    let kind = match scalar.kind {
        naga::ScalarKind::Float => ScalarKind::Float,
        naga::ScalarKind::Sint => ScalarKind::Sint,
        naga::ScalarKind::Uint => ScalarKind::Uint,
        _ => return None,
    };
    Some((kind, components))
}

fn check_signature(reflection: &ShaderReflection) -> Result<(), ShaderError> {
    let check = |what, name: &str, location, locations| {
        if location < locations {
            return Ok(());
        }
        Err(ShaderError::LocationOutOfRange { what, name: name.to_owned(), location, locations })
    };
    for input in &reflection.inputs {
        check("the input", &input.name, input.location, STAGE_LOCATIONS)?;
    }
    let (what, locations) = match reflection.stage {
        ShaderStage::Pixel => ("the colour", TARGETS),
        ShaderStage::Vertex
        | ShaderStage::Hull
        | ShaderStage::Domain
        | ShaderStage::Geometry
        | ShaderStage::Compute => ("the output", STAGE_LOCATIONS),
    };
    for output in &reflection.outputs {
        check(what, &output.name, output.location, locations)?;
    }
    if reflection.stage == ShaderStage::Vertex {
        refuse_equal_semantics(&reflection.inputs)?;
    }
    Ok(())
}

fn refuse_equal_semantics(inputs: &[ShaderInput]) -> Result<(), ShaderError> {
    for (i, second) in inputs.iter().enumerate() {
        let same = |first: &&ShaderInput| {
            first.semantic_name == second.semantic_name && first.semantic_index == second.semantic_index
        };
        // Modules from other front ends may have no names, so their inputs are matched by location.
        if let Some(first) = inputs[..i].iter().find(same).filter(|_| !second.name.is_empty()) {
            return Err(ShaderError::DuplicateSemantic {
                first: first.name.clone(),
                second: second.name.clone(),
                semantic: second.semantic_name.clone(),
                index: second.semantic_index,
            });
        }
    }
    Ok(())
}
