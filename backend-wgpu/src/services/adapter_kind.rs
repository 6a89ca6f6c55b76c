//! Derives an adapter's kind and the cost of its pass splits from wgpu's adapter information.

use onze_ddi::AdapterKind;

pub(crate) fn kind_of(info: &wgpu::AdapterInfo) -> AdapterKind {
    match (info.backend, info.device_type) {
        (wgpu::Backend::Noop, _) => AdapterKind::Null,
        (_, wgpu::DeviceType::DiscreteGpu) => AdapterKind::Discrete,
        (_, wgpu::DeviceType::IntegratedGpu) => AdapterKind::Integrated,
        (_, wgpu::DeviceType::VirtualGpu) => AdapterKind::Virtual,
        (_, wgpu::DeviceType::Cpu) => AdapterKind::Software,
        (_, wgpu::DeviceType::Other) => AdapterKind::Other,
    }
}

/// Whether it is expensive to end a pass and to continue with the same targets in another pass. This applies
/// to software adapters and to tile-based GPUs, which are recognized by wgpu's report that transient
/// attachments save memory.
pub(crate) fn pass_splits_are_expensive(info: &wgpu::AdapterInfo) -> bool {
    kind_of(info) == AdapterKind::Software || info.transient_saves_memory == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pass_splits_are_expensive_on_tiles_and_on_the_cpu() {
        let mut gpu = wgpu::AdapterInfo::new(wgpu::DeviceType::DiscreteGpu, wgpu::Backend::Vulkan);
        assert!(!pass_splits_are_expensive(&gpu));
        gpu.transient_saves_memory = Some(true);
        assert!(pass_splits_are_expensive(&gpu));
        let software = |backend| wgpu::AdapterInfo::new(wgpu::DeviceType::Cpu, backend);
        assert!(pass_splits_are_expensive(&software(wgpu::Backend::Vulkan)));
        assert!(!pass_splits_are_expensive(&software(wgpu::Backend::Noop)), "the null adapter has no passes");
    }
}
