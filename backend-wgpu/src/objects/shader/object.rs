//! The shader object: the runtime's code, its modules, and the facts that draws look up.

use std::sync::{Arc, OnceLock};

use onze_ddi::{CreateError, PrimitiveTopology, ShaderCode, ShaderStage, StreamOutputDesc};

use crate::services::{cache_invalidation::CacheId, gpu::Gpu};

use super::{
    cost::function_cost,
    counts::{self, CountedBinding},
    limits::{StageBindingCounts, check_shader},
    modules::{ShaderModules, entry_point},
    own_point::reads_own_point,
    pass_through,
    patches::{self, hull_program},
    specialization::{
        constant_rows::{self, OpenConstants},
        geometry::{self, reads_primitive_number},
        streams::StreamOutput,
        view_slots::ViewSlot,
    },
    write_order::{self, VariableTouch},
};

/// Geometry shaders of the driver's own, one for each kind of primitive, or `None` where wgpu refuses them.
type PassThroughShaders = [OnceLock<Option<Arc<Shader>>>; 3];

/// The shaders that compute the parts of patches, which are created when they are first used.
#[derive(Debug, Default)]
struct PatchShaders {
    control_points: OnceLock<Option<Arc<Shader>>>,
    constants: OnceLock<Option<Arc<Shader>>>,
}

/// A shader of any stage.
#[derive(Debug)]
pub(crate) struct Shader {
    /// Identifies the shader in cache keys.
    pub(crate) id: CacheId,
    /// The modules, with the driver's bindings.
    pub(crate) modules: Arc<ShaderModules>,
    /// The runtime's module and reflection, which keep the slots of Direct3D 11.
    pub(crate) code: Arc<ShaderCode>,
    /// Whether the shader accesses buffers through views, or has [`Shader::open_constants`].
    pub(crate) uses_buffers: bool,
    /// The constant buffers whose rows the shader selects at run time, possibly beyond the declared array.
    pub(crate) open_constants: Box<[OpenConstants]>,
    /// The constant buffers in the form of bind group keys: size, slot, and whether the buffer is open.
    pub(crate) constant_keys: Box<[u64]>,
    /// The textures and buffers whose sizes the shader queries.
    pub(crate) counted: Box<[CountedBinding]>,
    /// A pixel shader's accesses to its `u` slots, followed by those to their counters.
    pub(crate) touches: Box<[VariableTouch]>,
    /// Whether a geometry shader reads `SV_PrimitiveID`.
    pub(crate) reads_primitive_number: bool,
    /// The slots for which the code depends on the bound view. Most shaders have none.
    pub(crate) view_slots: Box<[ViewSlot]>,
    /// The vertices that draws write to buffers. The shader is then bound to the geometry stage, even if it is a
    /// vertex shader.
    pub(crate) stream_output: Option<StreamOutput>,
    /// The streams of a geometry shader as an output without entries, for counting their primitives.
    counted_streams: OnceLock<StreamOutput>,
    /// The vertices of a geometry shader as an output, for storing them. `None` if they cannot be stored.
    stored_vertices: OnceLock<Option<StreamOutput>>,
    /// The estimated number of operations of an invocation.
    cost: OnceLock<u64>,
    /// For a vertex shader with the abilities of a geometry shader, a geometry shader for each kind of primitive, which
    /// is created when it is first used.
    pass_through: Option<Box<PassThroughShaders>>,
    /// For a hull shader, the shaders that compute the parts of its patches.
    patches: Option<Box<PatchShaders>>,
}

impl Shader {
    /// Creates a shader on any thread.
    ///
    /// # Errors
    ///
    /// wgpu lacks the stage, the adapter lacks a required feature, or wgpu rejects the shader and provides the
    /// message.
    pub(crate) fn new(
        gpu: &Gpu,
        code: &Arc<ShaderCode>,
        stream_output: Option<&Arc<StreamOutputDesc>>,
        label: &str,
    ) -> Result<Arc<Self>, CreateError> {
        gpu.check_alive()?;
        let stream_output = stream_output.map(|desc| StreamOutput::new(code, desc));
        let code = &stream_output.as_ref().map_or(code, |output| &output.code).clone();
        let entry_point = entry_point(code)?;
        check_shader(gpu, code)?;
        let modules = gpu.validated(|| ShaderModules::new(gpu, code, entry_point, label))?;
        let open_constants = constant_rows::open_constants(code);
        let constants = code.reflection.constant_buffers.iter().map(|constants| {
            let is_open = open_constants.iter().any(|open| open.slot == constants.slot);
            u64::from(constants.size) << 32 | u64::from(constants.slot) << 1 | u64::from(is_open)
        });
        Ok(Arc::new(Self {
            id: gpu.invalidation.new_id(),
            modules: Arc::new(modules),
            code: code.clone(),
            uses_buffers: code.reflection.uses_buffers() || !open_constants.is_empty(),
            constant_keys: constants.collect(),
            open_constants,
            counted: counts::counted(code),
            touches: match code.reflection.stage {
                ShaderStage::Pixel => write_order::touches(code),
                _ => Box::default(),
            },
            reads_primitive_number: reads_primitive_number(code),
            view_slots: ViewSlot::all(&code.reflection),
            stream_output,
            counted_streams: OnceLock::new(),
            stored_vertices: OnceLock::new(),
            cost: OnceLock::new(),
            pass_through: pass_through::is_needed(code).then(Box::default),
            patches: hull_program(code).map(|_| Box::default()),
        }))
    }
}

impl Shader {
    /// Returns whether primitives are rasterized, which is false for some shaders with stream output.
    pub(crate) fn is_rasterized(&self) -> bool {
        self.stream_output.as_ref().is_none_or(|output| output.is_rasterized)
    }

    /// Returns the streams of a geometry shader, without entries.
    pub(crate) fn counted_streams(&self) -> &StreamOutput {
        self.counted_streams.get_or_init(|| StreamOutput::without_entries(&self.code, self.is_rasterized()))
    }

    /// Returns the vertices of a geometry shader as an output with whole vertices, or `None` if the driver cannot store
    /// them.
    pub(crate) fn stored_vertices(&self) -> Option<&StreamOutput> {
        self.stored_vertices.get_or_init(|| StreamOutput::of_vertices(&self.code)).as_ref()
    }

    /// Returns the estimated number of operations of an invocation.
    pub(crate) fn cost(&self) -> u64 {
        *self.cost.get_or_init(|| {
            let module = &self.code.module;
            let function = match geometry::program(&self.code) {
                Some(program) => Some(&module.functions[program.function]),
                None => module.entry_points.first().map(|entry_point| &entry_point.function),
            };
            function.map_or(0, |function| function_cost(module, function))
        })
    }

    /// Returns whether draws with this vertex shader need a geometry shader.
    #[inline]
    pub(crate) const fn needs_geometry(&self) -> bool {
        self.pass_through.is_some()
    }

    /// Returns the geometry shader for draws with this vertex shader, if they need one.
    pub(crate) fn pass_through(&self, gpu: &Gpu, topology: PrimitiveTopology) -> Option<&Self> {
        let number = pass_through::primitive(topology)?;
        let shader = self.pass_through.as_ref()?.get(number)?.get_or_init(|| {
            let code = pass_through::create(&self.code, *pass_through::PRIMITIVES.get(number)?)?;
            Self::new(gpu, &Arc::new(code), None, "pass-through").ok()
        });
        shader.as_deref()
    }

    /// Returns the shader that computes the output control points of a hull shader, if it has any.
    pub(crate) fn control_points(&self, gpu: &Gpu) -> Option<&Self> {
        let make = || {
            let shader = Self::part_of_patch(gpu, patches::control_points(&self.code)?)?;
            let reads_own_point = reads_own_point(&shader.code);
            shader.stored_vertices.get_or_init(|| {
                Some(StreamOutput { reads_own_point, ..StreamOutput::of_vertices(&shader.code)? })
            });
            Some(shader)
        };
        self.patches.as_ref()?.control_points.get_or_init(make).as_deref()
    }

    /// Returns the shader that computes the patch constants of a hull shader.
    pub(crate) fn patch_constants(&self, gpu: &Gpu) -> Option<&Self> {
        let make = || {
            let shader = Self::part_of_patch(gpu, patches::patch_constants(&self.code)?)?;
            let reads_points = hull_program(&self.code)?.output_point.is_some();
            let points = self.control_points(gpu).filter(|_| reads_points).and_then(Self::stored_vertices);
            let points = points.cloned().map(Arc::new);
            shader
                .stored_vertices
                .get_or_init(|| Some(StreamOutput { points, ..StreamOutput::of_vertices(&shader.code)? }));
            Some(shader)
        };
        self.patches.as_ref()?.constants.get_or_init(make).as_deref()
    }

    fn part_of_patch(gpu: &Gpu, code: ShaderCode) -> Option<Arc<Self>> {
        Self::new(gpu, &Arc::new(code), None, "part of a patch").ok()
    }

    /// Returns the maximum number of bindings of the shader.
    pub(crate) fn bindings(&self) -> StageBindingCounts {
        StageBindingCounts::of(&self.code.reflection)
    }
}
