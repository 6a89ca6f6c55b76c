//! The shader object: the runtime's code, its modules, and the facts that draws look up.

use std::sync::Arc;

use onze_ddi::{CreateError, ShaderCode, ShaderStage};

use crate::services::{cache_invalidation::CacheId, gpu::Gpu};

use super::{
    counts::{self, CountedBinding},
    limits::{StageBindingCounts, check_shader},
    modules::{ShaderModules, entry_point},
    specialization::{
        constant_rows::{self, OpenConstants},
        view_slots::ViewSlot,
    },
    write_order::{self, VariableTouch},
};

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
    /// The slots for which the code depends on the bound view. Most shaders have none.
    pub(crate) view_slots: Box<[ViewSlot]>,
}

impl Shader {
    /// Creates a shader on any thread.
    ///
    /// # Errors
    ///
    /// wgpu lacks the stage, the adapter lacks a required feature, or wgpu rejects the shader and provides the
    /// message.
    pub(crate) fn new(gpu: &Gpu, code: &Arc<ShaderCode>, label: &str) -> Result<Arc<Self>, CreateError> {
        gpu.check_alive()?;
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
            view_slots: ViewSlot::all(&code.reflection),
        }))
    }
}

impl Shader {
    /// Returns the maximum number of bindings of the shader.
    pub(crate) fn bindings(&self) -> StageBindingCounts {
        StageBindingCounts::of(&self.code.reflection)
    }
}
