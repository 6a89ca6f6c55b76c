//! Device-dependent counters, of which no driver has any: what a program that looks for them is told.

use super::Device;
use crate::report::Error;

/// D3D11: `D3D11_COUNTER_DEVICE_DEPENDENT_0`.
const DEVICE_DEPENDENT_0: u32 = 0x4000_0000;

/// A counter of the GPU, by its number. D3D11: `D3D11_COUNTER_DESC`.
#[doc(alias = "D3D11_COUNTER_DESC")]
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub struct CounterDesc {
    /// The number, from 0x4000_0000 on. `Counter`.
    pub counter: u32,
    /// 0. `MiscFlags`.
    pub misc_flags: u32,
}

/// Which counters a device has. D3D11: `D3D11_COUNTER_INFO`.
#[doc(alias = "D3D11_COUNTER_INFO")]
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct CounterInfo {
    /// The greatest number; 0 without counters. `LastDeviceDependentCounter`.
    pub last_device_dependent_counter: u32,
    /// How many can count at once. `NumSimultaneousCounters`.
    pub num_simultaneous_counters: u32,
    /// Units of the GPU that work in parallel. `NumDetectableParallelUnits`.
    pub num_detectable_parallel_units: u8,
}

/// A counter of the GPU: no device has one. D3D11: `ID3D11Counter`.
///
/// [`QueryType::PipelineStatistics`](onze_ddi::QueryType) and timestamps measure without them.
#[doc(alias = "ID3D11Counter")]
#[derive(Clone, Debug)]
pub enum Counter {}

impl Device {
    /// The device-dependent counters: none. D3D11: `ID3D11Device::CheckCounterInfo`.
    #[doc(alias = "CheckCounterInfo")]
    pub fn check_counter_info(&self) -> CounterInfo {
        CounterInfo::default()
    }

    /// Makes a counter. D3D11: `ID3D11Device::CreateCounter`.
    ///
    /// # Errors
    /// [`Error::Unsupported`], as Direct3D 11 answers where [`check_counter_info`](Self::check_counter_info) names none;
    /// [`Error::InvalidArg`] for a number or flags that are none of a counter.
    #[doc(alias = "CreateCounter")]
    pub fn create_counter(&self, desc: &CounterDesc) -> Result<Counter, Error> {
        let CounterDesc { counter, misc_flags } = *desc;
        if counter < DEVICE_DEPENDENT_0 || misc_flags != 0 {
            return Err(Error::InvalidArg(format!(
                "counters have numbers from {DEVICE_DEPENDENT_0:#x} on and no flags, found {counter:#x} and \
                 {misc_flags:#x}"
            )));
        }
        Err(Error::Unsupported(format!(
            "there is no counter {counter:#x}: `check_counter_info` names none; measure with QueryType::PipelineStatistics \
             or QueryType::Timestamp"
        )))
    }
}
