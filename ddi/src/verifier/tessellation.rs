//! The verifier's check of the stages around the tessellator.

use super::{
    breach::{Rule, ensure},
    context::VerifiedTable,
};
use crate::*;

impl<T: ContextFuncs + ?Sized> VerifiedTable<T> {
    /// Checks, before a draw, that a hull shader, a domain shader and patches come together. Without the first two, a
    /// shader at the geometry stage reads the patches.
    pub(super) fn check_tessellation(&self, entry: &'static str, cx: &Entry<'_>) {
        let [hull, domain, geometry] = [ShaderStage::Hull, ShaderStage::Domain, ShaderStage::Geometry]
            .map(|stage| cx.core.shader(stage).is_some());
        let topology = cx.core.primitive_topology();
        let has_patches = topology.control_points().is_some();
        let is_whole = hull == domain && if hull { has_patches } else { !has_patches || geometry };
        let words = || format!("hull {hull}, domain {domain}, geometry {geometry}, {topology:?}");
        self.record(entry, ensure(is_whole, Rule::WholeTessellation, words));
    }
}
