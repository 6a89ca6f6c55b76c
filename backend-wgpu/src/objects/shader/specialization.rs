//! The specialiser: rewrites a shader's module for what wgpu does otherwise than Direct3D 11.
//!
//! Each rewrite is a pass in a file of its own. [`Specialization`] has a field for each and is the key of the modules
//! that are made. What a pass needs to know at run time is in the [driver constants](super::driver_constants).
//! Specialised modules are made with the pipelines that use them, on the threads that compile.

use std::{
    borrow::Cow,
    sync::{Arc, Mutex},
};

use onze_ddi::{ScalarKind, ShaderCode, ShaderStage};

use crate::{
    objects::stage::lane_of_shader,
    services::{gpu::Gpu, sync::lock},
};

#[cfg(target_arch = "wasm32")]
use super::browser;
use super::{
    by_index::{self, ByIndex},
    clamps::{self, Clamps},
    constant_rows::{self, SeenRows},
    counts, depth,
    driver_constants::{self, DriverBlock},
    fitted_viewport,
    locations::{self, Locations},
    other_kinds::{self, OtherKinds},
    outputs::{self, Outputs},
    place, position_w,
    pull::{self, VertexPull},
    ranges, sample_count, sample_counter,
    sampling::{self, Samplings},
    single_samples, starts, typed,
    varyings::{self, Varying},
    view_slots::{SeenSlots, ViewSlot},
};

/// What the code of a shader depends on of what is bound.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct SeenBindings {
    /// The kinds and formats of the views in slots whose code depends on them ([`super::view_slots`]). A shader that has any is
    /// rewritten without views, too.
    pub(crate) views: SeenSlots,
    /// How textures are sampled that wgpu does not sample as Direct3D 11 ([`super::sampling`]).
    pub(crate) samplings: Samplings,
    /// The `t` slots that are declared with several samples and whose textures have one ([`super::single_samples`]), as
    /// bits.
    pub(crate) single: u128,
    /// The textures with a least level ([`super::clamps`]).
    pub(crate) clamps: Clamps,
    /// The textures whose views are of a kind other than the declared one ([`super::other_kinds`]).
    pub(crate) others: OtherKinds,
    /// The constant buffers with more rows than declared ([`super::constant_rows`]).
    pub(crate) rows: SeenRows,
}

/// What is rewritten in a module, besides its bindings and the [accesses of buffers](super::ranges).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Specialization {
    /// With the driver constants, sizes of textures and lengths of buffers are those of Direct3D 11
    /// ([`super::counts`]), and so are the indices of vertices and instances in indirect draws ([`super::starts`]).
    pub(crate) block: Option<DriverBlock>,
    /// The location that gets the depth, as there is no depth target ([`super::depth`]).
    pub(crate) depth_location: Option<u32>,
    /// What becomes of what a pixel shader gives ([`super::outputs`]).
    pub(crate) outputs: Outputs,
    /// The location that gets a 1 for each sample ([`super::sample_counter`]).
    pub(crate) count_location: Option<u32>,
    /// The kind of the zeros that location 0 gets ([`super::sample_counter`]).
    pub(crate) fills_first: Option<ScalarKind>,
    /// The number of samples of the targets, if the shader asks for it ([`super::sample_count`]).
    pub(crate) samples: Option<u32>,
    /// What is bound.
    pub(crate) seen: SeenBindings,
    /// The constant buffers that are chosen by the draw's index ([`super::by_index`]).
    pub(crate) by_index: Option<ByIndex>,
    /// What a vertex shader reads of vertex buffers by itself ([`super::pull`]).
    pub(crate) pull: Option<Arc<VertexPull>>,
    /// How outputs of a vertex shader vary that it says otherwise of ([`super::varyings`]).
    pub(crate) varyings: Vec<Varying>,
    /// The positions of a vertex shader move into a smaller viewport ([`super::fitted_viewport`]).
    pub(crate) is_fitted: bool,
    /// The locations between the stages have other numbers ([`super::locations`]).
    pub(crate) locations: Locations,
}

/// Rewrites the module of a shader.
pub(super) fn specialize(code: &ShaderCode, specialization: &Specialization) -> naga::Module {
    let Specialization {
        block,
        depth_location,
        count_location,
        fills_first,
        outputs,
        samples,
        ref seen,
        ref by_index,
        ref pull,
        ref varyings,
        is_fitted,
        ref locations,
    } = *specialization;
    let stage = code.reflection.stage;
    let mut module = code.module.clone();
    onze_ddi::remap_bindings(&mut module, |group, slot| place(stage, group, slot));
    if let Some(rows) = &seen.rows {
        constant_rows::apply(&mut module, lane_of_shader(stage), rows);
    }
    if let Some(samples) = samples {
        sample_count::apply(&mut module, samples);
    }
    let mut variable = None;
    if let Some(block) = block {
        let block_variable = driver_constants::declare(&mut module, lane_of_shader(stage), block);
        variable = Some(block_variable);
        counts::apply(&mut module, code, block_variable);
        if block != DriverBlock::Counts && stage == ShaderStage::Vertex {
            starts::apply(&mut module, block_variable);
        }
    }
    if let Some(others) = &seen.others {
        other_kinds::apply(&mut module, lane_of_shader(stage), others);
    }
    if let Some(clamps) = &seen.clamps {
        clamps::apply(&mut module, lane_of_shader(stage), clamps, variable);
    }
    if let Some(samplings) = &seen.samplings {
        sampling::apply(&mut module, &code.reflection, lane_of_shader(stage), samplings, variable);
    }
    if seen.single != 0 {
        single_samples::apply(&mut module, lane_of_shader(stage), seen.single);
    }
    if let Some(location) = depth_location {
        depth::apply(&mut module, location);
    }
    if outputs != Outputs::default() {
        outputs::apply(&mut module, &outputs);
    }
    if let Some(kind) = fills_first {
        sample_counter::fill_first(&mut module, kind);
    }
    if let Some(location) = count_location {
        sample_counter::apply(&mut module, location);
    }
    if !varyings.is_empty() {
        varyings::apply(&mut module, varyings);
    }
    // The loads of rows in the functions that compare are those that the index of a draw changes.
    ranges::apply(&mut module);
    if is_fitted {
        fitted_viewport::apply(&mut module);
    }
    by_index::mark_position(&mut module);
    if let Some(by_index) = by_index {
        by_index::apply(&mut module, lane_of_shader(stage), by_index);
    }
    let slots = ViewSlot::all(&code.reflection);
    if !slots.is_empty() {
        typed::apply(&mut module, &slots, &seen.views, variable);
    }
    if let Some(pull) = pull {
        let starts = variable.filter(|_| block == Some(DriverBlock::CountsAndStarts));
        pull::apply(&mut module, pull, starts);
    }
    if let Some(locations) = locations {
        locations::apply(&mut module, locations);
    }
    #[cfg(test)]
    let _languages = super::tests::write_in_all_languages(code, &module);
    module
}

/// The modules of a shader.
#[derive(Debug)]
pub(crate) struct ShaderModules {
    /// What the runtime gave: with the entry point's name, and the reflection, in slots.
    pub(crate) code: Arc<ShaderCode>,
    /// The module with nothing rewritten but its bindings and what reaches into buffers, which most pipelines use.
    plain: wgpu::ShaderModule,
    specialized: Mutex<Vec<(Specialization, wgpu::ShaderModule)>>,
}

impl ShaderModules {
    /// Makes the plain module. The caller catches wgpu's errors.
    pub(super) fn new(gpu: &Gpu, code: &Arc<ShaderCode>, label: &str) -> Self {
        let plain = make(gpu, code, &Specialization::default(), label);
        Self { code: code.clone(), plain, specialized: Mutex::default() }
    }

    /// The module for a pipeline, made now if it is a new one. The caller catches wgpu's errors.
    pub(crate) fn get(&self, gpu: &Gpu, specialization: &Specialization) -> wgpu::ShaderModule {
        if *specialization == Specialization::default() {
            return self.plain.clone();
        }
        let mut specialized = lock(&self.specialized);
        if let Some((_, module)) = specialized.iter().find(|(of, _)| of == specialization) {
            return module.clone();
        }
        let module = make(gpu, &self.code, specialization, "specialized");
        specialized.push((specialization.clone(), module.clone()));
        module
    }

    /// Holds the lock, to show which threads wait for it.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        lock(&self.specialized)
    }
}

fn make(gpu: &Gpu, code: &ShaderCode, specialization: &Specialization, label: &str) -> wgpu::ShaderModule {
    let mut module = specialize(code, specialization);
    if gpu.info.backend == wgpu::Backend::Dx12 {
        position_w::apply(&mut module);
    }
    #[cfg(target_arch = "wasm32")]
    let text = (gpu.info.backend == wgpu::Backend::BrowserWebGpu).then(|| browser::text(&module)).flatten();
    #[cfg(not(target_arch = "wasm32"))]
    let text: Option<String> = None;
    let source = match text {
        Some(text) => wgpu::ShaderSource::Wgsl(Cow::Owned(text)),
        None => wgpu::ShaderSource::Naga(Cow::Owned(module)),
    };
    gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: Some(label), source })
}
