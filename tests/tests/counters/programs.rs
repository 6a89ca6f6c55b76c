//! Random programs of counter operations, compared with a model of the rules.

use onze::prelude::*;
use onze_tests::{CommandPath, Random, gpu_matrix, on_each};

use super::{KEEP, count, end_page, read, words};

#[derive(Clone, Debug)]
enum Step {
    /// Binds the numbered views from slot 1 on, with or without an initial count for each.
    Bind(Vec<Option<usize>>, Option<Vec<u32>>),
    /// Runs groups of four threads that increment or decrement the counters in slots 1 and 2.
    Count { up: bool, groups: u32 },
    /// Copies the counter of a view to a buffer.
    Copy(usize),
    /// Ends the command page if pages are limited to one draw.
    EndPage,
}

/// Number of views in a program, the last one without a counter.
const VIEWS: usize = 4;

fn program(r: &mut Random) -> Vec<Step> {
    let step = |r: &mut Random| match r.below(8) {
        0..3 => {
            let first = r.below(VIEWS as u32) as usize;
            let second = (first + 1 + r.below(VIEWS as u32 - 1) as usize) % VIEWS;
            let mut views = vec![Some(first), Some(second)];
            views[r.below(2) as usize].take_if(|_| r.one_in(4));
            views.truncate(1 + r.below(2) as usize);
            let counts = views.iter().map(|_| if r.one_in(3) { KEEP } else { r.below(1000) }).collect();
            Step::Bind(views, r.one_in(2).then_some(counts))
        }
        3..5 => Step::Count { up: r.one_in(2), groups: r.below(4) },
        5..7 => Step::Copy(r.below(VIEWS as u32 - 1) as usize),
        _ => Step::EndPage,
    };
    (0..60).map(|_| step(r)).collect()
}

fn model(program: &[Step], counters: &mut [u32; VIEWS]) -> Vec<u32> {
    let (mut bound, mut copies) = ([None; 2], Vec::new());
    for step in program {
        match step {
            Step::Bind(views, counts) => {
                for (slot, view) in views.iter().enumerate() {
                    // Binding a view to a slot unbinds the view from its previous slot.
                    for other in &mut bound {
                        other.take_if(|bound| Some(*bound) == *view);
                    }
                    bound[slot] = *view;
                    let count = counts.as_ref().map_or(KEEP, |counts| counts[slot]);
                    if let Some(view) = view.filter(|_| count != KEEP) {
                        counters[view] = count;
                    }
                }
            }
            Step::Count { up, groups } => {
                for view in bound.into_iter().flatten() {
                    let change = if *up { 4 * groups } else { 0_u32.wrapping_sub(4 * groups) };
                    counters[view] = counters[view].wrapping_add(change);
                }
            }
            Step::Copy(view) => copies.push(counters[*view]),
            Step::EndPage => {}
        }
    }
    copies
}

#[test]
fn random_programs_count_as_the_rules_say() {
    const BOTH: &str = "
        @group(4) @binding(1) var<storage, read_write> one: atomic<u32>;
        @group(4) @binding(2) var<storage, read_write> two: atomic<u32>;
        @compute @workgroup_size(4) fn up() { atomicAdd(&one, 1u); atomicAdd(&two, 1u); }
        @compute @workgroup_size(4) fn down() { atomicSub(&one, 1u); atomicSub(&two, 1u); }";
    on_each(&gpu_matrix(), |h| {
        h.watch.allow(&[
            MessageId::DispatchUnorderedAccessMismatch,
            MessageId::DispatchUnorderedAccessNotSet,
            MessageId::SetUnorderedAccessViewsHazard,
        ]);
        let [up, down] = ["up", "down"]
            .map(|name| h.device.create_compute_shader(ShaderSource::wgsl(BOTH, name)).unwrap());
        let end_page = end_page(h);
        for seed in 0..6 {
            let mut r = Random::new(seed);
            let program = program(&mut r);
            for how in CommandPath::ALL {
                let desc = BufferDesc::structured(4, 4, BindFlags::UNORDERED_ACCESS);
                let buffer = h.device.create_buffer(&desc, None).unwrap();
                let views: [_; VIEWS] = std::array::from_fn(|n| {
                    let desc = if n + 1 < VIEWS {
                        UnorderedAccessViewDesc::counted_buffer(n as u32, 1)
                    } else {
                        UnorderedAccessViewDesc::buffer(n as u32, 1)
                    };
                    h.device.create_unordered_access_view(&buffer, Some(&desc)).unwrap()
                });
                let mut counters = [0; VIEWS];
                let expected = model(&program, &mut counters);
                let copies = words(h, expected.len() as u32);
                h.record(how, |cx| {
                    let mut at = 0;
                    for step in &program {
                        match step {
                            Step::Bind(bound, counts) => {
                                let bound: Vec<_> =
                                    bound.iter().map(|view| view.map(|n| &views[n])).collect();
                                match counts {
                                    Some(counts) => {
                                        cx.cs_set_unordered_access_views_with_counts(1, &bound[..], counts);
                                    }
                                    None => cx.cs_set_unordered_access_views(1, &bound[..]),
                                }
                            }
                            Step::Count { up: is_up, groups } => {
                                cx.cs_set_shader(if *is_up { &up } else { &down });
                                cx.dispatch(*groups, 1, 1);
                            }
                            Step::Copy(view) => {
                                cx.copy_structure_count(&copies, 4 * at, &views[*view]);
                                at += 1;
                            }
                            Step::EndPage => end_page(cx),
                        }
                    }
                });
                assert_eq!(read(h, &copies), expected, "seed {seed}, {how:?}");
                for (n, expected) in counters.into_iter().enumerate().take(VIEWS - 1) {
                    assert_eq!(count(h, &views[n]), expected, "view {n}, seed {seed}, {how:?}");
                }
            }
        }
    });
}
