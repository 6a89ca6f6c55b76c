//! Tests of the rules with all of their inputs, whose results are compared with oracles that follow the text
//! of the rules.

mod buffer;
mod buffer_view;
mod clear;
mod copy;
mod input_layout;
mod map;
mod raster;
mod resolve;
mod state;
mod stream_output;
mod texture;
mod view;

use onze_ddi::{
    BindFlags, CpuAccessFlags, FeatureLevel, Features, FormatSupport, MiscFlags, PipelineCaps, Usage,
};

use crate::report::Error;

/// Capabilities of a device that supports everything.
fn full() -> PipelineCaps {
    PipelineCaps {
        feature_levels: vec![FeatureLevel::Level11_1],
        features: Features::all(),
        max_texture_2d: 16384,
        max_texture_3d: 2048,
        max_array_slices: 2048,
        max_buffer: u64::MAX,
        max_constant_buffer_view: 65536,
        max_vertex_buffers: 32,
        max_input_elements: 32,
        max_render_targets: 8,
        max_replaced_buffer: 0,
    }
}

/// Capabilities of a device that supports everything except these features.
fn without(features: Features) -> PipelineCaps {
    PipelineCaps { features: Features::all().difference(features), ..full() }
}

/// Format support of a format that has all uses.
const EVERYTHING: FormatSupport = FormatSupport::all();

const USAGES: [Usage; 4] = [Usage::Default, Usage::Immutable, Usage::Dynamic, Usage::Staging];

/// Returns every combination of the bind flags.
fn all_bind_flags() -> impl Iterator<Item = BindFlags> {
    (0..=BindFlags::all().bits()).map(BindFlags::from_bits_retain)
}

/// Returns every combination of the flags for CPU access.
fn all_cpu_flags() -> [CpuAccessFlags; 4] {
    [CpuAccessFlags::empty(), CpuAccessFlags::WRITE, CpuAccessFlags::READ, CpuAccessFlags::all()]
}

/// Returns every combination of the miscellaneous flags.
fn all_misc_flags() -> impl Iterator<Item = MiscFlags> {
    (0..=MiscFlags::all().bits()).map(MiscFlags::from_bits_retain).filter(|m| MiscFlags::all().contains(*m))
}

/// Classifies the result of a validation for comparison with an oracle.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Verdict {
    Valid,
    Invalid,
    Unsupported,
    NotImplemented,
    OutOfMemory,
    NoInitialDiscard,
}

fn verdict<T: std::fmt::Debug>(result: &Result<T, Error>) -> Verdict {
    match result {
        Ok(_) => Verdict::Valid,
        Err(Error::InvalidArg(_)) => Verdict::Invalid,
        Err(Error::Unsupported(_)) => Verdict::Unsupported,
        Err(Error::NotImplemented(_)) => Verdict::NotImplemented,
        Err(Error::OutOfMemory(_)) => Verdict::OutOfMemory,
        Err(Error::DeferredContextMapWithoutInitialDiscard(_)) => Verdict::NoInitialDiscard,
        Err(other) => panic!("a verdict that no rule gives: {other:?}"),
    }
}

/// Returns the message of the expected error, in which tests look for names.
fn reason<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    result.expect_err("must be refused").to_string()
}

/// Returns whether Direct3D 11 allows a combination of usage, bind flags and CPU access.
///
/// Default usage allows all bind flags and no CPU access, whereas staging usage requires CPU access and
/// allows no bind flags. Immutable and dynamic usage require bind flags of inputs only. Dynamic usage also
/// requires CPU access for writing, and immutable usage allows no CPU access.
fn usage_oracle(usage: Usage, bind: BindFlags, cpu: CpuAccessFlags) -> bool {
    let outputs = BindFlags::STREAM_OUTPUT.bits()
        | BindFlags::RENDER_TARGET.bits()
        | BindFlags::DEPTH_STENCIL.bits()
        | BindFlags::UNORDERED_ACCESS.bits();
    let only_inputs = bind.bits() != 0 && bind.bits() & outputs == 0;
    match (usage, cpu.bits()) {
        (Usage::Default, 0) => true,
        (Usage::Immutable, 0) => only_inputs,
        (Usage::Dynamic, 0x10000) => only_inputs,
        (Usage::Staging, 0x10000 | 0x20000 | 0x30000) => bind.bits() == 0,
        _ => false,
    }
}
