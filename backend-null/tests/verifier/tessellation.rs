//! Tests that breach the contract's rule for the stages around the tessellator.

use onze_ddi::{verifier::Rule, *};

use crate::{
    Case,
    common::{Runtime, faulty::Fault},
};

/// Draws with shaders in some of the hull, domain and geometry stages.
fn draw(r: &mut Runtime, stages: [bool; 3], topology: PrimitiveTopology) {
    // The verifier does not know the stage of a shader.
    let shader = r.compute_shader();
    r.ctx.layer.patch_shaders = stages.map(|is_bound| is_bound.then(|| shader.handle()));
    r.ctx.layer.topology = topology;
    r.immediate.draw(r.ctx.entry(), 3, 0);
    r.immediate.draw_instanced(r.ctx.entry(), 3, 1, 0, 0);
    r.ctx.layer.patch_shaders = [None; 3];
}

const PATCHES: PrimitiveTopology = PrimitiveTopology::PatchList3;
const TRIANGLES: PrimitiveTopology = PrimitiveTopology::TriangleList;

pub(crate) const TESSELLATION: &[Case] = &[
    (Rule::WholeTessellation, Fault::None, |driver| {
        draw(&mut Runtime::new(driver), [true, false, false], PATCHES);
    }),
    (Rule::WholeTessellation, Fault::None, |driver| {
        draw(&mut Runtime::new(driver), [false, true, true], PATCHES);
    }),
    (Rule::WholeTessellation, Fault::None, |driver| {
        draw(&mut Runtime::new(driver), [true, true, true], TRIANGLES);
    }),
    (Rule::WholeTessellation, Fault::None, |driver| {
        draw(&mut Runtime::new(driver), [false, false, false], PATCHES);
    }),
];

/// Draws that follow the rule are not reported.
#[test]
fn whole_tessellation_is_not_reported() {
    let (verifier, driver) = crate::watched(Fault::None);
    let mut r = Runtime::new(&driver);
    for (stages, topology) in [
        ([true, true, false], PATCHES),
        ([true, true, true], PATCHES),
        ([false, false, true], PATCHES),
        ([false, false, true], TRIANGLES),
        ([false, false, false], TRIANGLES),
    ] {
        draw(&mut r, stages, topology);
    }
    assert!(verifier.breaches().is_empty(), "{:?}", verifier.breaches());
}
