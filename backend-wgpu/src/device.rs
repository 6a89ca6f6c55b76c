//! The device, which all contexts share. It has one field for each room with shared data.

use std::sync::Arc;

use onze_ddi::{CreateDeviceArgs, CreateDeviceFlags, HardwareInfo, OutOfMemory};

use crate::{
    encode::DeviceEncoding,
    objects::DeviceObjects,
    services::gpu::Gpu,
    submit::{DeviceSubmission, run::RunLength},
};

pub(crate) struct Device {
    pub(crate) gpu: Arc<Gpu>,
    pub(crate) objects: Arc<DeviceObjects>,
    pub(crate) encoding: Arc<DeviceEncoding>,
    pub(crate) submission: Arc<DeviceSubmission>,
}

impl Device {
    pub(crate) fn new(
        instance: &wgpu::Instance,
        adapter: &wgpu::Adapter,
        made: (wgpu::Device, wgpu::Queue),
        args: &CreateDeviceArgs,
        hardware: &HardwareInfo,
    ) -> Result<Arc<Self>, OutOfMemory> {
        let gpu = Gpu::new(instance, adapter, made, args);
        let objects = DeviceObjects::new(&gpu)?;
        let encoding = DeviceEncoding::new(&objects);
        let workers = workers(args, hardware, gpu.policy.most_workers);
        let submission = DeviceSubmission::new(&encoding, RunLength::of(&gpu), workers);
        Ok(Arc::new(Self { gpu, objects, encoding, submission }))
    }
}

/// Returns the number of encoding threads, which is 0 if the platform lacks threads or the flags forbid
/// internal threads. Otherwise it is the application's tuning value or, without one, the number of CPU cores
/// minus one, but at least 1 and at most `most`.
fn workers(args: &CreateDeviceArgs, hardware: &HardwareInfo, most: u32) -> u32 {
    let without =
        CreateDeviceFlags::SINGLETHREADED | CreateDeviceFlags::PREVENT_INTERNAL_THREADING_OPTIMIZATIONS;
    if !hardware.threads || args.flags.intersects(without) {
        return 0;
    }
    args.tuning.workers.unwrap_or_else(|| hardware.processors.saturating_sub(1).max(1).min(most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{services::adapter_kind::pass_splits_are_expensive, testing};

    #[test]
    fn runs_are_long_where_pass_splits_are_expensive() {
        let Some((gpu, _runtime)) = testing::gpu() else { return };
        for device in [gpu, testing::noop().0] {
            let runs = &device.gpu.policy.runs;
            assert!(runs.long_draws > runs.draws);
            let is_expensive = pass_splits_are_expensive(&device.gpu.info);
            let expected = if is_expensive { runs.long_draws } else { runs.draws };
            assert_eq!(device.submission.run_length.beside(0), expected, "{:?}", device.gpu.info);
        }
    }

    #[test]
    fn worker_count_follows_machine_tuning_and_flags() {
        let runtime = testing::FakeRuntime::new();
        let hardware = |processors, threads| HardwareInfo { processors, threads, memory_budget: None };
        let mut args = testing::args(&runtime);
        for (processors, expected) in [(1, 1), (2, 1), (4, 3), (64, 4)] {
            assert_eq!(workers(&args, &hardware(processors, true), 4), expected);
        }
        assert_eq!(workers(&args, &hardware(8, false), 4), 0);
        args.tuning.workers = Some(7);
        assert_eq!(workers(&args, &hardware(2, true), 4), 7);
        args.flags = CreateDeviceFlags::PREVENT_INTERNAL_THREADING_OPTIMIZATIONS;
        assert_eq!(workers(&args, &hardware(8, true), 4), 0);
    }
}
