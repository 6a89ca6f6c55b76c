//! A short version of `cargo xtask bench --soak`. It is the only test in its program, so no other test
//! changes the process's memory.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_benches::soak;

#[test]
fn memory_is_flat_while_frames_discard_record_create_and_drop() {
    let noop = DriverType::Custom(onze_wgpu::noop_driver());
    // Run the soak on both drivers, and on wgpu's driver with and without encoding threads.
    for (driver_type, workers, frames) in
        [(DriverType::Null, 0, 10_000), (noop.clone(), 0, 2000), (noop, 2, 2000)]
    {
        let words = format!("{driver_type:?}, {workers} workers");
        let desc = DeviceDesc { driver_type, workers: Some(workers), debug: false, ..Default::default() };
        let (device, mut immediate) = create_device(&desc).unwrap();
        // A thread that is late may make a pool grow once, but a leak makes memory grow every time.
        let mut run = || {
            let result = soak::run(&device, &mut immediate, frames, |_| {}).unwrap();
            println!("{words}: {result:?}, {:+.3} %", 100.0 * result.growth());
            result.check()
        };
        let last = run().or_else(|_| run()).or_else(|_| run());
        last.unwrap_or_else(|error| panic!("{words}: {error}"));
    }
}
