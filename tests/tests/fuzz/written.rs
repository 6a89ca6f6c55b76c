//! Draws that write through unordered-access views of the pixel stage, with and without targets.
//!
//! The order of pixels within a draw is undefined, so the results of these pixel shaders do not depend on it,
//! but the order of draws is defined.

use onze::*;
use onze_tests::Random;

use crate::world::{World, maybe, odd};

pub(crate) fn command(w: &World, r: &mut Random, cx: &mut DeviceContext) {
    // The draws do not write arguments of indirect draws, because an indirect draw with arbitrary arguments
    // could take a very long time.
    let known: Vec<_> = w.compute.views.iter().filter(|view| !w.indirect.is_seen_by(view)).collect();
    let views: Vec<_> = (0..1 + r.below(2)).map(|_| maybe(r, &known).copied()).collect();
    let start = if r.one_in(16) { odd(r, 10) } else { 6 + r.below(2) };
    let shown: Vec<_> = views.iter().map(|view| view.and_then(UnorderedAccessView::desc)).collect();
    if r.one_in(2) {
        w.say(format_args!("written {start} {shown:?}"));
        cx.om_set_unordered_access_views(start, &views[..]);
        return;
    }
    let targets: Vec<_> = (0..r.below(3)).map(|_| maybe(r, &w.targets)).collect();
    let depth = if r.one_in(2) { maybe(r, &w.depths) } else { None };
    let counts: Vec<_> = if r.one_in(2) { Vec::new() } else { views.iter().map(|_| r.below(9)).collect() };
    let drawn: Vec<_> = targets.iter().map(|view| view.and_then(RenderTargetView::desc)).collect();
    w.say(format_args!(
        "targets {drawn:?} {:?}, written {start} {shown:?}, counts {counts:?}",
        depth.and_then(DepthStencilView::desc)
    ));
    cx.om_set_render_targets_and_unordered_access_views(&targets[..], depth, start, &views[..], &counts);
}
