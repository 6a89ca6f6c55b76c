//! Measures creating and dropping a thousand objects, and opening their handles in a context.
//!
//! Also measures a submission with its amortized processing, both without releases and after the release of
//! many objects with open handles.
#![allow(missing_docs, reason = "criterion's macros make public functions")]
#![allow(clippy::expect_used, reason = "a benchmark may stop")]

use std::cell::RefCell;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use onze::prelude::*;
use onze_benches::onze_side::Objects;
use onze_benches::workload::Workload;

const OBJECTS: u32 = 1000;

fn drivers() -> [(&'static str, DriverType); 2] {
    [("null", DriverType::Null), ("noop", DriverType::Custom(onze_wgpu::noop_driver()))]
}

fn constants() -> BufferDesc {
    BufferDesc::dynamic(256, BindFlags::CONSTANT_BUFFER)
}

fn create_and_drop(criterion: &mut Criterion) {
    for (name, driver_type) in drivers() {
        let desc = DeviceDesc { driver_type, debug: false, ..Default::default() };
        let (device, mut immediate) = create_device(&desc).expect("a device");
        let mut group = criterion.benchmark_group(format!("create_and_drop/{name}"));
        group.throughput(Throughput::Elements(u64::from(OBJECTS)));
        let kinds = [
            ("constant_buffer", constants()),
            ("vertex_buffer", BufferDesc::new(1024, BindFlags::VERTEX_BUFFER)),
        ];
        for (kind, desc) in kinds {
            group.bench_function(kind, |b| {
                b.iter(|| {
                    (0..OBJECTS).for_each(|_| drop(device.create_buffer(&desc, None).expect("a buffer")));
                    immediate.flush();
                });
            });
        }
        group.bench_function("state", |b| {
            let desc = RasterizerDesc::default();
            b.iter(|| {
                for _ in 0..OBJECTS {
                    drop(device.create_rasterizer_state(&desc).expect("a state"));
                }
                immediate.flush();
            });
        });
        group.finish();
    }
}

fn open_handles(criterion: &mut Criterion) {
    for (name, driver_type) in drivers() {
        let desc = DeviceDesc { driver_type, debug: false, ..Default::default() };
        let (device, _immediate) = create_device(&desc).expect("a device");
        let buffer = |_| device.create_buffer(&constants(), None).expect("a buffer");
        let buffers: Vec<_> = (0..OBJECTS).map(buffer).collect();
        let mut deferred = device.create_deferred_context().expect("a deferred context");
        let bind_all = |ctx: &mut DeviceContext| {
            buffers.iter().for_each(|buffer| ctx.vs_set_constant_buffers(0, buffer));
        };
        let mut group = criterion.benchmark_group(format!("handles/{name}"));
        group.throughput(Throughput::Elements(u64::from(OBJECTS)));
        group.bench_function("open_and_close", |b| {
            b.iter(|| {
                bind_all(&mut deferred);
                deferred.finish_command_list(false).expect("a list")
            });
        });
        bind_all(&mut deferred);
        group.bench_function("open_already", |b| b.iter(|| bind_all(&mut deferred)));
        group.finish();
    }
}

fn amortized(criterion: &mut Criterion) {
    for (name, driver_type) in drivers() {
        let desc = DeviceDesc { driver_type, debug: false, ..Default::default() };
        let (device, immediate) = create_device(&desc).expect("a device");
        let immediate = RefCell::new(immediate);
        let objects = Objects::new(&device, Workload::new(1, false)).expect("objects");
        let mut group = criterion.benchmark_group(format!("amortized/{name}"));
        let submit = |immediate: &mut ImmediateContext| {
            objects.begin(immediate);
            objects.draw(immediate);
            immediate.flush();
        };
        group.bench_function("submit", |b| b.iter(|| submit(&mut immediate.borrow_mut())));
        group.bench_function("submit_after_spike", |b| {
            b.iter_batched(
                || {
                    for _ in 0..OBJECTS {
                        let buffer = device.create_buffer(&constants(), None).expect("a buffer");
                        immediate.borrow_mut().vs_set_constant_buffers(0, &buffer);
                    }
                },
                |()| submit(&mut immediate.borrow_mut()),
                criterion::BatchSize::PerIteration,
            );
        });
        group.finish();
    }
}

criterion_group!(benches, create_and_drop, open_handles, amortized);
criterion_main!(benches);
