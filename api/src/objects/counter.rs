//! Device-dependent counters, which no driver supports, so the calls report that a device has no counters.

use super::Device;
use crate::report::Error;

/// The smallest number of a device-dependent counter (D3D11: `D3D11_COUNTER_DEVICE_DEPENDENT_0`).
const DEVICE_DEPENDENT_0: u32 = 0x4000_0000;

/// A GPU counter, identified by its number (D3D11: `D3D11_COUNTER_DESC`).
#[doc(alias = "D3D11_COUNTER_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct CounterDesc {
    /// The number of the counter, at least 0x4000_0000 for device-dependent counters (`Counter`).
    pub counter: u32,
    /// Reserved for flags, and must be 0 because Direct3D 11 defines no flags (`MiscFlags`).
    pub misc_flags: u32,
}

/// The device-dependent counters of a device, where the default value describes a device without counters
/// (D3D11: `D3D11_COUNTER_INFO`).
#[doc(alias = "D3D11_COUNTER_INFO")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterInfo {
    /// The largest counter number, or 0 for a device without counters (`LastDeviceDependentCounter`).
    pub last_device_dependent_counter: u32,
    /// Maximum number of counters that can run at once (`NumSimultaneousCounters`).
    pub num_simultaneous_counters: u32,
    /// Number of GPU units that work in parallel (`NumDetectableParallelUnits`).
    pub num_detectable_parallel_units: u8,
}

/// A GPU counter, a type without values because no device has counters (D3D11: `ID3D11Counter`).
///
/// To measure the GPU, use [`QueryType::PipelineStatistics`](onze_ddi::QueryType) or timestamps instead.
#[doc(alias = "ID3D11Counter")]
#[derive(Clone, Debug)]
pub enum Counter {}

impl Device {
    /// Returns the device-dependent counters, with all fields 0 because no device has any (D3D11:
    /// `ID3D11Device::CheckCounterInfo`).
    #[doc(alias = "CheckCounterInfo")]
    pub fn check_counter_info(&self) -> CounterInfo {
        CounterInfo::default()
    }

    /// Always fails, because no device has counters (D3D11: `ID3D11Device::CreateCounter`).
    ///
    /// # Errors
    /// [`Error::InvalidArg`] if the number or the flags are not valid for a counter; otherwise
    /// [`Error::Unsupported`], as in Direct3D 11 on a device without counters.
    #[doc(alias = "CreateCounter")]
    pub fn create_counter(&self, desc: &CounterDesc) -> Result<Counter, Error> {
        let CounterDesc { counter, misc_flags } = *desc;
        if counter < DEVICE_DEPENDENT_0 || misc_flags != 0 {
            return Err(Error::InvalidArg(format!(
                "counters have numbers of at least {DEVICE_DEPENDENT_0:#x} and no flags, found {counter:#x} and \
                 {misc_flags:#x}"
            )));
        }
        Err(Error::Unsupported(format!(
            "there is no counter {counter:#x}: `check_counter_info` lists none; measure with QueryType::PipelineStatistics \
             or QueryType::Timestamp"
        )))
    }
}
