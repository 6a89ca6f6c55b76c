//! Instructions of all threads for a draw, until it is submitted, on both sides.
//!
//! Both sides run on wgpu's noop backend and on one thread: Onze without encoding threads, which encodes in
//! the flush. The work is the same as with encoding threads, except that no thread is woken.

use std::sync::Arc;

use onze::{DeviceDesc, DrawsByIndex};
use onze_benches::backend::Backend;
use onze_benches::counted::{count, counted_work};
use onze_benches::error::Error;
use onze_benches::wgpu_side::Form;
use onze_benches::workload::{Variant, Workload};
use onze_benches::{onze_side, wgpu_side};

use crate::frames::{Context, WgpuDevice};

const DRAWS: u32 = 4000;
/// Number of warm-up frames, which are not counted.
const WARM_UP: u32 = 4;
/// Number of counted frames.
const COUNTED: u32 = 3;

/// The name of Onze's side.
const ONZE: &str = "onze";

/// Returns the instructions per draw of a variant for each side that has it.
pub(crate) fn of(variant: Variant) -> Result<Vec<(&'static str, f64)>, Error> {
    let mut sides = vec![ONZE];
    let (device, _) = Backend::Noop.onze_device(Some(0))?;
    if let Some(wgpu) = WgpuDevice::new(Backend::Noop, &device, Workload::new(1, false))? {
        sides.extend(wgpu.forms(Context::Immediate, variant).map(Form::name));
    }
    let per_draw = |side| {
        let all = count(["--count", side, variant.name()])?;
        Ok((side, all / f64::from(COUNTED * DRAWS)))
    };
    sides.into_iter().map(per_draw).collect()
}

/// Draws the frames of a counted run.
pub(crate) fn run(side: &str, variant: &str) -> Result<(), Error> {
    let unknown = || Error::NothingToMeasure(format!("{side} {variant}"));
    let variant = Variant::ALL.into_iter().find(|v| v.name() == variant).ok_or_else(unknown)?;
    if side == ONZE {
        return run_onze(variant);
    }
    let form = Form::ALL.into_iter().find(|form| form.name() == side).ok_or_else(unknown)?;
    run_wgpu(variant, form)
}

fn run_onze(variant: Variant) -> Result<(), Error> {
    // Draws by index are forced in all variants with changes, because without compiler threads such draws
    // wait for their pipelines, so that they are made by index from the first frame on.
    let draws_by_index = match variant {
        Variant::V0 => DrawsByIndex::Automatic,
        _ => DrawsByIndex::Always,
    };
    let desc = DeviceDesc { workers: Some(0), draws_by_index, ..DeviceDesc::default() };
    let (device, mut immediate) = Backend::Noop.onze_device_with(desc)?;
    let objects = Arc::new(onze_side::Objects::new(&device, Workload::new(DRAWS, false))?);
    let recorder = onze_side::Recorder::new(&objects, variant, 0..DRAWS as usize)?;
    frames(&mut || {
        recorder.record(&mut immediate)?;
        immediate.flush();
        Ok(())
    })
}

fn run_wgpu(variant: Variant, form: Form) -> Result<(), Error> {
    let (device, _) = Backend::Noop.onze_device(Some(0))?;
    let Some(wgpu) = WgpuDevice::new(Backend::Noop, &device, Workload::new(DRAWS, false))? else {
        return Err(Error::NotCounted("the backend has no wgpu side".to_owned()));
    };
    let all = 0..DRAWS as usize;
    let queue = wgpu.objects.queue();
    match form {
        Form::Draws | Form::Best => {
            let mut recorder = wgpu_side::Recorder::new(&wgpu.objects, variant, form, all);
            frames(&mut || {
                queue.submit([recorder.record()]);
                Ok(())
            })
        }
        Form::ByIndex | Form::MultiDraw => {
            let mut recorder = wgpu_side::IndexedRecorder::new(&wgpu.objects, variant, form, all);
            frames(&mut || {
                queue.submit([recorder.record()]);
                Ok(())
            })
        }
    }
}

fn frames(frame: &mut dyn FnMut() -> Result<(), Error>) -> Result<(), Error> {
    (0..WARM_UP).try_for_each(|_| frame())?;
    (0..COUNTED).try_for_each(|_| counted_work(frame))
}
