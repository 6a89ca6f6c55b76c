//! Command lists, recorded by the driver or by the runtime. Measures recording a thousand draws, ending the
//! recording, and executing a short list and a long list.
#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::expect_used, reason = "a benchmark may stop")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use onze::prelude::*;
use onze_benches::onze_side::{Objects, Recorder};
use onze_benches::workload::{Variant, Workload};

const DRAWS: usize = 1000;
const MANY_DRAWS: usize = 10_000;

/// Sums the time that `turn` returns over a number of turns.
fn timed(turns: u64, mut turn: impl FnMut() -> Duration) -> Duration {
    (0..turns).map(|_| turn()).sum()
}

fn lists(criterion: &mut Criterion) {
    let noop = || DriverType::Custom(onze_wgpu::noop_driver());
    let kinds = [
        ("null/driver", DriverType::Null, ThreadingCaps::CommandLists),
        ("null/software", DriverType::Null, ThreadingCaps::FreeThreaded),
        ("noop/driver", noop(), ThreadingCaps::CommandLists),
        ("noop/software", noop(), ThreadingCaps::FreeThreaded),
    ];
    for (name, driver_type, max_threading) in kinds {
        let desc = DeviceDesc { driver_type, max_threading, debug: false, ..Default::default() };
        let (device, mut immediate) = create_device(&desc).expect("a device");
        let objects = Objects::new(&device, Workload::new(MANY_DRAWS as u32, false)).expect("objects");
        let objects = Arc::new(objects);
        let recorder = |draws| Recorder::new(&objects, Variant::V1, 0..draws).expect("a recorder");
        let mut deferred = device.create_deferred_context().expect("a deferred context");
        let mut group = criterion.benchmark_group(format!("lists/{name}"));
        group.bench_function(format!("record/{DRAWS}"), |b| {
            let recorder = recorder(DRAWS);
            b.iter_custom(|turns| {
                timed(turns, || {
                    let start = Instant::now();
                    recorder.record(&mut deferred).expect("recorded");
                    let time = start.elapsed();
                    deferred.finish_command_list(false).expect("a list");
                    time
                })
            });
        });
        group.bench_function(format!("finish/{DRAWS}"), |b| {
            let recorder = recorder(DRAWS);
            b.iter_custom(|turns| {
                timed(turns, || {
                    recorder.record(&mut deferred).expect("recorded");
                    let start = Instant::now();
                    let list = deferred.finish_command_list(false).expect("a list");
                    let time = start.elapsed();
                    drop(list);
                    time
                })
            });
        });
        for draws in [100, MANY_DRAWS] {
            group.bench_function(format!("execute/{draws}"), |b| {
                recorder(draws).record(&mut deferred).expect("recorded");
                let list = deferred.finish_command_list(false).expect("a list");
                b.iter_custom(|turns| {
                    timed(turns, || {
                        let start = Instant::now();
                        immediate.execute_command_list(&list, false);
                        let time = start.elapsed();
                        immediate.flush();
                        time
                    })
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, lists);
criterion_main!(benches);
