//! Measures recording a thousand calls on the application's thread, with immediate and deferred contexts.
//!
//! The benchmarks use the null driver (only the API and its runtime), the null driver under the verifier, and
//! the wgpu driver with wgpu's noop backend (no GPU work). The wgpu driver is measured with and without the
//! debug layer.
#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::expect_used, reason = "a benchmark may stop")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use onze::prelude::*;
use onze_benches::onze_side::Objects;
use onze_benches::workload::Workload;

const DRAWS: u32 = 1000;

type Step = fn(&Objects, &mut DeviceContext, usize);

const STEPS: [(&str, Step); 6] = [
    ("draw", |objects, ctx, _| objects.draw(ctx)),
    ("bind", |objects, ctx, draw| objects.bind_texture(ctx, draw)),
    ("map", |objects, ctx, draw| objects.map_constants(ctx, draw).expect("mapped")),
    ("map_and_draw", |objects, ctx, draw| {
        objects.map_constants(ctx, draw).expect("mapped");
        objects.draw(ctx);
    }),
    ("update_and_draw", |objects, ctx, draw| {
        objects.update_constants(ctx, draw);
        objects.draw(ctx);
    }),
    ("bind_and_draw", |objects, ctx, _| {
        objects.bind_there_and_back(ctx);
        objects.draw(ctx);
    }),
];

fn record(criterion: &mut Criterion) {
    let noop = || DriverType::Custom(onze_wgpu::noop_driver());
    let drivers = [
        ("null", DriverType::Null, false, false),
        ("verified", DriverType::Null, true, false),
        ("noop", noop(), false, false),
        ("debug", noop(), false, true),
    ];
    for (name, driver_type, verify_driver, debug) in drivers {
        let desc = DeviceDesc { driver_type, verify_driver, debug, ..Default::default() };
        let (device, mut immediate) = create_device(&desc).expect("a device");
        let objects = Objects::new(&device, Workload::new(DRAWS, false)).expect("objects");
        let mut deferred = device.create_deferred_context().expect("a deferred context");
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(u64::from(DRAWS)));
        for (step_name, step) in STEPS {
            group.bench_function(format!("immediate/{step_name}"), |b| {
                objects.begin(&mut immediate);
                b.iter(|| (0..DRAWS as usize).for_each(|draw| step(&objects, &mut immediate, draw)));
                immediate.flush();
            });
            group.bench_function(format!("deferred/{step_name}"), |b| {
                b.iter(|| {
                    objects.begin(&mut deferred);
                    (0..DRAWS as usize).for_each(|draw| step(&objects, &mut deferred, draw));
                    deferred.finish_command_list(false).expect("a list")
                });
            });
        }
        group.finish();
    }
}

criterion_group!(benches, record);
criterion_main!(benches);
