//! The check that an adapter has what a shader binds. The driver's own bindings count, too.

use onze_ddi::{ResourceKind, ResourceSlot, ShaderReflection, UnorderedAccessKind};

use super::ViewSlot;

/// The bindings of a stage, by the kinds that wgpu counts. What is declared as a 1D texture may be one or a typed buffer, so it
/// counts as both.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bindings {
    /// Constant buffers, without those of the driver.
    pub(crate) constants: u32,
    /// The driver constants, which say where typed buffers begin.
    pub(crate) driver_constants: u32,
    /// Structured, raw and typed buffers, and counters.
    pub(crate) buffers: u32,
    pub(crate) textures: u32,
    pub(crate) written_textures: u32,
    pub(crate) samplers: u32,
}

impl Bindings {
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

    /// Checks that the adapter has so many.
    pub(crate) fn check(&self, limits: &wgpu::Limits) -> Result<(), String> {
        let Self { constants, driver_constants, buffers, textures, written_textures, samplers } = *self;
        let constant_words = match driver_constants {
            0 => "constant buffers",
            _ => "constant buffers, one of them for its typed buffers and written textures",
        };
        let constants = constants + driver_constants;
        for (count, most, what) in [
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
                return Err(format!("the shader uses {count} {what}, and the adapter has {most} per stage"));
            }
        }
        Ok(())
    }
}

/// Checks that targets of these formats fit the adapter's memory for the samples of a pass.
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

/// Bytes of one sample of targets, as wgpu counts them.
pub(crate) fn bytes_per_sample(formats: impl IntoIterator<Item = wgpu::TextureFormat>) -> u32 {
    formats.into_iter().fold(0_u32, |bytes, format| {
        let first = bytes.next_multiple_of(format.target_component_alignment().unwrap_or(1));
        first + format.target_pixel_byte_cost().unwrap_or(16)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Bindings = Bindings {
        constants: 0,
        driver_constants: 0,
        buffers: 0,
        textures: 0,
        written_textures: 0,
        samplers: 0,
    };

    #[test]
    fn a_shader_with_more_bindings_than_an_adapter_is_refused() {
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
                Bindings { constants: 12, ..NONE },
                Bindings { constants: 13, ..NONE },
                "13 constant buffers, and the adapter has 12",
            ),
            (
                Bindings { constants: 11, driver_constants: 1, ..NONE },
                Bindings { constants: 12, driver_constants: 1, ..NONE },
                "13 constant buffers, one of them",
            ),
            (
                Bindings { textures: 16, ..NONE },
                Bindings { textures: 17, ..NONE },
                "17 textures, and the adapter has 16",
            ),
            (
                Bindings { written_textures: 4, ..NONE },
                Bindings { written_textures: 5, ..NONE },
                "5 textures that it writes, and the adapter has 4",
            ),
            (Bindings { buffers: 8, ..NONE }, Bindings { buffers: 9, ..NONE }, "9 structured"),
            (Bindings { samplers: 16, ..NONE }, Bindings { samplers: 17, ..NONE }, "17 samplers"),
            (
                Bindings { constants: 10, buffers: 8, ..NONE },
                Bindings { constants: 11, buffers: 8, ..NONE },
                "19 buffers of all kinds, and the adapter has 18",
            ),
        ] {
            assert_eq!(most.check(&limits), Ok(()), "{most:?}");
            let error = above.check(&limits).err().unwrap_or_default();
            assert!(error.contains(words), "{above:?}: {error}");
        }
    }

    #[test]
    fn targets_are_counted_as_wgpu_counts_them() {
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
