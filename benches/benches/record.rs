//! What recording a thousand draws costs the application's thread: on the null driver (API and runtime
//! alone), the same under the verifier, and on the wgpu driver with wgpu's noop backend (no GPU work), with
//! immediate and deferred contexts.
#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::expect_used, reason = "a benchmark may stop")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use onze::prelude::*;
use onze_benches::Workload;

const DRAWS: u32 = 1000;

fn record(criterion: &mut Criterion) {
    let noop = || DriverType::Custom(onze_wgpu::noop_driver());
    let drivers =
        [("null", DriverType::Null, false), ("verified", DriverType::Null, true), ("noop", noop(), false)];
    for (name, driver_type, verify_driver) in drivers {
        let desc = DeviceDesc { driver_type, verify_driver, ..Default::default() };
        let (device, mut immediate) = create_device(&desc).expect("a device");
        let work = Workload::new(&device).expect("objects");
        let mut deferred = device.create_deferred_context().expect("a deferred context");
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(u64::from(DRAWS)));

        type Step = fn(&Workload, &mut DeviceContext, u32);
        let steps: [(&str, Step); 3] = [
            ("draw", |w, ctx, _| w.draw(ctx)),
            ("map_and_draw", |w, ctx, i| w.map_and_draw(ctx, i).expect("mapped")),
            ("bind_and_draw", |w, ctx, _| w.bind_and_draw(ctx)),
        ];
        for (step_name, step) in steps {
            group.bench_function(format!("immediate/{step_name}"), |b| {
                work.begin(&mut immediate);
                b.iter(|| (0..DRAWS).for_each(|i| step(&work, &mut immediate, i)));
                immediate.flush();
            });
            group.bench_function(format!("deferred/{step_name}"), |b| {
                b.iter(|| {
                    work.begin(&mut deferred);
                    (0..DRAWS).for_each(|i| step(&work, &mut deferred, i));
                    deferred.finish_command_list(false).expect("a list")
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, record);
criterion_main!(benches);
