//! Checks of shaders and render targets against the adapter's limits. The driver's own bindings count as
//! well.

use onze_ddi::{
    CreateError, ResourceKind, ResourceSlot, ShaderCode, ShaderReflection, TextureDimension,
    UnorderedAccessKind,
};

use crate::services::gpu::Gpu;

use super::specialization::{locations, view_slots::ViewSlot};

/// The number of bindings of a stage, by wgpu's categories. A 1D texture in the source may be bound as a
/// typed buffer, so it counts as a texture and as a buffer.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct StageBindingCounts {
    /// Constant buffers, without the driver constants.
    pub(crate) constants: u32,
    /// 1 if the shader needs the driver constants for the offsets of typed buffers, otherwise 0.
    pub(crate) driver_constants: u32,
    /// Structured, raw and typed buffers, and counters.
    pub(crate) buffers: u32,
    pub(crate) textures: u32,
    pub(crate) written_textures: u32,
    pub(crate) samplers: u32,
}

impl StageBindingCounts {
    pub(crate) fn of(shader: &ShaderReflection) -> Self {
        let read = |is_counted: fn(&ResourceSlot) -> bool| {
            shader.resources.iter().filter(|resource| is_counted(resource)).count() as u32
        };
        let written = |is_counted: fn(&UnorderedAccessKind) -> bool| {
            shader.unordered_access.iter().filter(|slot| is_counted(&slot.kind)).count() as u32
        };
        let is_buffer = |resource: &ResourceSlot| matches!(resource.kind, ResourceKind::Buffer { .. });
        let is_typed = |resource: &ResourceSlot| resource.kind.typed_buffer().is_some();
        let buffers = read(is_buffer)
            + read(is_typed)
            + written(|kind| !matches!(kind, UnorderedAccessKind::Texture { .. }))
            + shader.counters.len() as u32;
        Self {
            constants: shader.constant_buffers.len() as u32,
            driver_constants: (!ViewSlot::all(shader).is_empty()).into(),
            buffers,
            textures: shader.resources.len() as u32 - read(is_buffer),
            written_textures: written(|kind| !matches!(kind, UnorderedAccessKind::Buffer { .. })),
            samplers: shader.samplers.len() as u32,
        }
    }

    /// Returns the bindings of two shaders that share a stage of wgpu.
    pub(crate) const fn plus(&self, other: &Self) -> Self {
        Self {
            constants: self.constants + other.constants,
            driver_constants: self.driver_constants + other.driver_constants,
            buffers: self.buffers + other.buffers,
            textures: self.textures + other.textures,
            written_textures: self.written_textures + other.written_textures,
            samplers: self.samplers + other.samplers,
        }
    }

    /// Compares each number with the adapter's limit. A message about a number begins with `users`.
    pub(crate) fn check(&self, users: &str, limits: &wgpu::Limits) -> Result<(), String> {
        let Self { constants, driver_constants, buffers, textures, written_textures, samplers } = *self;
        let constant_words = match driver_constants {
            0 => "constant buffers",
            _ => "constant buffers, one of them for its typed buffers and written textures",
        };
        let constants = constants + driver_constants;
        for (count, most, kind) in [
            (constants, limits.max_uniform_buffers_per_shader_stage, constant_words),
            (textures, limits.max_sampled_textures_per_shader_stage, "textures"),
            (written_textures, limits.max_storage_textures_per_shader_stage, "textures that it writes"),
            (
                buffers,
                limits.max_storage_buffers_per_shader_stage,
                "structured, raw and typed buffers, and counters",
            ),
            (samplers, limits.max_samplers_per_shader_stage, "samplers"),
            (
                constants + buffers,
                limits.max_buffers_and_acceleration_structures_per_shader_stage,
                "buffers of all kinds",
            ),
        ] {
            if count > most {
                return Err(format!("{users} {count} {kind}, and the adapter has {most} per stage"));
            }
        }
        Ok(())
    }
}

/// Checks that the adapter supports a shader, and names the missing feature or limit otherwise.
pub(crate) fn check_shader(gpu: &Gpu, code: &ShaderCode) -> Result<(), CreateError> {
    let shader = &code.reflection;
    let limits = &gpu.limits;
    let refused = |words: String| Err(CreateError::Application(words.into()));
    StageBindingCounts::of(shader).check("the shader uses", limits).or_else(refused)?;
    locations::check(limits, shader.stage, &code.module).or_else(refused)?;
    for resource in &shader.resources {
        match resource.kind {
            ResourceKind::Buffer { .. } => {}
            ResourceKind::Texture { dimension: TextureDimension::CubeArray, .. }
                if !gpu.downlevel.flags.contains(wgpu::DownlevelFlags::CUBE_ARRAY_TEXTURES) =>
            {
                return refused(format!("t{}: the adapter has no Features::CUBE_ARRAYS", resource.slot));
            }
            ResourceKind::Texture { dimension, multisampled: true, .. }
                if dimension != TextureDimension::D2 =>
            {
                return refused(format!("t{}: arrays of several samples do not work", resource.slot));
            }
            ResourceKind::Texture { .. } => {}
        }
    }
    let [x, y, z] = shader.workgroup_size;
    let most = limits.max_compute_invocations_per_workgroup;
    if u64::from(x) * u64::from(y) * u64::from(z) > u64::from(most)
        || x > limits.max_compute_workgroup_size_x
        || y > limits.max_compute_workgroup_size_y
        || z > limits.max_compute_workgroup_size_z
    {
        return refused(format!(
            "a group has {x} x {y} x {z} threads; the adapter runs at most {most}, and {} x {} x {}",
            limits.max_compute_workgroup_size_x,
            limits.max_compute_workgroup_size_y,
            limits.max_compute_workgroup_size_z,
        ));
    }
    let (bytes, most) = (code.group_shared_bytes(), limits.max_compute_workgroup_storage_size);
    if bytes > most {
        return refused(format!("a group shares {bytes} bytes of memory, and the adapter has {most}"));
    }
    if shader.dual_source && !gpu.features.contains(wgpu::Features::DUAL_SOURCE_BLENDING) {
        return refused("the shader has a second output, which needs Features::DUAL_SOURCE_BLEND".into());
    }
    if shader.runs_per_sample && !gpu.downlevel.flags.contains(wgpu::DownlevelFlags::MULTISAMPLED_SHADING) {
        return refused("the adapter cannot run pixel shaders per sample".into());
    }
    Ok(())
}

/// Checks that targets of these formats fit the adapter's limit of bytes per sample.
pub(crate) fn check_targets(
    limits: &wgpu::Limits,
    formats: impl IntoIterator<Item = wgpu::TextureFormat>,
) -> Result<(), String> {
    let (bytes, most) = (bytes_per_sample(formats), limits.max_color_attachment_bytes_per_sample);
    if bytes <= most {
        return Ok(());
    }
    Err(format!(
        "the bound targets take {bytes} bytes for each sample, and the adapter has {most}; bind fewer targets, or targets of \
         smaller formats"
    ))
}

/// Returns the bytes of one sample of all targets, by wgpu's rules for size and alignment.
pub(crate) fn bytes_per_sample(formats: impl IntoIterator<Item = wgpu::TextureFormat>) -> u32 {
    formats.into_iter().fold(0_u32, |bytes, format| {
        let first = bytes.next_multiple_of(format.target_component_alignment().unwrap_or(1));
        first + format.target_pixel_byte_cost().unwrap_or(16)
    })
}

#[cfg(test)]
mod tests {
    use onze_ddi::{SampleKind, ScalarKind, ShaderStage, TextureDimension, UnorderedAccessSlot};

    use super::*;
    use crate::testing::shader_code;

    const NONE: StageBindingCounts = StageBindingCounts {
        constants: 0,
        driver_constants: 0,
        buffers: 0,
        textures: 0,
        written_textures: 0,
        samplers: 0,
    };

    #[test]
    fn a_shader_with_too_many_bindings_is_refused() {
        let limits = wgpu::Limits {
            max_uniform_buffers_per_shader_stage: 12,
            max_sampled_textures_per_shader_stage: 16,
            max_storage_textures_per_shader_stage: 4,
            max_storage_buffers_per_shader_stage: 8,
            max_samplers_per_shader_stage: 16,
            max_buffers_and_acceleration_structures_per_shader_stage: 18,
            ..wgpu::Limits::default()
        };
        for (most, above, words) in [
            (
                StageBindingCounts { constants: 12, ..NONE },
                StageBindingCounts { constants: 13, ..NONE },
                "13 constant buffers, and the adapter has 12",
            ),
            (
                StageBindingCounts { constants: 11, driver_constants: 1, ..NONE },
                StageBindingCounts { constants: 12, driver_constants: 1, ..NONE },
                "13 constant buffers, one of them",
            ),
            (
                StageBindingCounts { textures: 16, ..NONE },
                StageBindingCounts { textures: 17, ..NONE },
                "17 textures, and the adapter has 16",
            ),
            (
                StageBindingCounts { written_textures: 4, ..NONE },
                StageBindingCounts { written_textures: 5, ..NONE },
                "5 textures that it writes, and the adapter has 4",
            ),
            (
                StageBindingCounts { buffers: 8, ..NONE },
                StageBindingCounts { buffers: 9, ..NONE },
                "9 structured",
            ),
            (
                StageBindingCounts { samplers: 16, ..NONE },
                StageBindingCounts { samplers: 17, ..NONE },
                "17 samplers",
            ),
            (
                StageBindingCounts { constants: 10, buffers: 8, ..NONE },
                StageBindingCounts { constants: 11, buffers: 8, ..NONE },
                "19 buffers of all kinds, and the adapter has 18",
            ),
        ] {
            assert_eq!(most.check("the shader uses", &limits), Ok(()), "{most:?}");
            let error = above.check("the shader uses", &limits).err().unwrap_or_default();
            assert!(error.contains(words), "{above:?}: {error}");
        }
    }

    /// Returns a reflection with a 1D and a 2D texture to read, and a structured buffer, a typed buffer and
    /// three textures to write.
    fn reflection() -> Option<ShaderReflection> {
        let text = "@group(0) @binding(0) var<uniform> any: vec4f; @fragment fn main() { _ = any; }";
        let code = shader_code(ShaderStage::Pixel, text, Vec::new());
        let (binding, _) = code.module.global_variables.iter().next()?;
        let texture = |slot, dimension| {
            let kind = ResourceKind::Texture { dimension, multisampled: false, sample: SampleKind::Float };
            ResourceSlot { slot, name: String::new(), kind, binding }
        };
        let (kind, access) = (ScalarKind::Float, naga::StorageAccess::STORE);
        let dimension = TextureDimension::D2;
        let written = [
            UnorderedAccessKind::Buffer { stride: 4, size: 4, atomic: None },
            UnorderedAccessKind::TypedBuffer { kind, access },
            UnorderedAccessKind::Texture { dimension, kind, access },
            UnorderedAccessKind::Texture { dimension, kind, access },
            UnorderedAccessKind::Texture { dimension, kind, access },
        ];
        let unordered = (0..).zip(written).map(|(slot, kind)| UnorderedAccessSlot {
            slot,
            name: String::new(),
            kind,
            binding,
        });
        Some(ShaderReflection {
            resources: vec![texture(0, TextureDimension::D1), texture(1, TextureDimension::D2)],
            unordered_access: unordered.collect(),
            ..code.reflection.clone()
        })
    }

    #[test]
    fn a_binding_counts_once_for_each_possible_kind() {
        let expected =
            StageBindingCounts { driver_constants: 1, buffers: 3, textures: 2, written_textures: 4, ..NONE };
        assert_eq!(reflection().map(|reflection| StageBindingCounts::of(&reflection)), Some(expected));
    }

    #[test]
    fn the_bytes_of_targets_follow_the_rules_of_wgpu() {
        use wgpu::TextureFormat as F;
        for (formats, bytes) in [
            (vec![], 0),
            (vec![F::Rgba8Unorm], 8),
            (vec![F::Rgba32Float; 2], 32),
            (vec![F::Rgba32Float; 8], 128),
            (vec![F::R8Unorm, F::R32Float], 8),
        ] {
            assert_eq!(bytes_per_sample(formats.iter().copied()), bytes, "{formats:?}");
            let limits = |most| wgpu::Limits {
                max_color_attachment_bytes_per_sample: most,
                ..wgpu::Limits::default()
            };
            assert_eq!(check_targets(&limits(bytes), formats.iter().copied()), Ok(()), "{formats:?}");
            if let Some(fewer) = bytes.checked_sub(1) {
                let error = check_targets(&limits(fewer), formats).err().unwrap_or_default();
                assert!(
                    error.contains(&format!("take {bytes} bytes")) && error.contains(&format!("has {fewer}")),
                    "{error}"
                );
            }
        }
    }
}
