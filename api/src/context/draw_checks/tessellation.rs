//! Checks of a draw with a hull and a domain shader.

use onze_ddi::{
    DomainProgram, HullProgram, InputPrimitive, PrimitiveTopology, ShaderProgram, ShaderStage,
    TessellatorOutput,
};

use crate::{
    context::{DeviceContext, bound::Bound, draw_checks::geometry::shader_data},
    device_core::ObjectShared,
    report::MessageId,
};

/// The bound hull shader and the bound domain shader.
pub(in crate::context) struct Tessellation<'a> {
    hull: &'a ObjectShared,
    hull_program: &'a HullProgram,
    domain: &'a ObjectShared,
    domain_program: &'a DomainProgram,
}

fn hull_program(shader: &ObjectShared) -> Option<&HullProgram> {
    match &shader_data(shader)?.code.program {
        ShaderProgram::Hull(program) => Some(program),
        ShaderProgram::EntryPoint(_) | ShaderProgram::Geometry(_) | ShaderProgram::Domain(_) => None,
    }
}

fn domain_program(shader: &ObjectShared) -> Option<&DomainProgram> {
    match &shader_data(shader)?.code.program {
        ShaderProgram::Domain(program) => Some(program),
        ShaderProgram::EntryPoint(_) | ShaderProgram::Geometry(_) | ShaderProgram::Hull(_) => None,
    }
}

impl DeviceContext {
    /// Returns the bound hull and domain shaders, or `None` if neither is bound. One without the other is a mistake.
    pub(in crate::context) fn tessellation(&self) -> Result<Option<Tessellation<'_>>, (MessageId, String)> {
        let hull = self.stage_shader(ShaderStage::Hull);
        let domain = self.stage_shader(ShaderStage::Domain);
        let alone = |bound: &ObjectShared, stage: &str, other: &str, prefix: char| {
            let text = format!(
                "{} is bound without a {other} shader; bind one with `{prefix}s_set_shader`, or unbind the {stage} shader",
                bound.name()
            );
            Err((MessageId::DrawHullXorDomainShader, text))
        };
        match (hull, domain) {
            (None, None) => Ok(None),
            (Some(hull), None) => alone(hull, "hull", "domain", 'd'),
            (None, Some(domain)) => alone(domain, "domain", "hull", 'h'),
            (Some(hull), Some(domain)) => {
                Ok(hull_program(hull).zip(domain_program(domain)).map(|(hull_program, domain_program)| {
                    Tessellation { hull, hull_program, domain, domain_program }
                }))
            }
        }
    }
}

impl Tessellation<'_> {
    /// Checks the topology, and whether both shaders are made for the same patches.
    pub(in crate::context) fn check(&self, topology: PrimitiveTopology) -> Result<(), (MessageId, String)> {
        let Self { hull, hull_program, domain, domain_program } = self;
        let wanted = hull_program.input_points;
        if topology.control_points().is_none_or(|points| wanted != 0 && points != wanted) {
            let (reads, cure) = match wanted {
                0 => ("patches".to_owned(), "a patch list".to_owned()),
                points => (
                    format!("patches of {points} control points"),
                    format!("PrimitiveTopology::PatchList{points}"),
                ),
            };
            let text = format!(
                "{} reads {reads}, but the topology is PrimitiveTopology::{topology:?}; set {cure} with \
                 `ia_set_primitive_topology`, or unbind the hull and the domain shader",
                hull.name()
            );
            return Err((MessageId::DrawHullTopologyMismatch, text));
        }
        if hull_program.domain != domain_program.domain {
            let text = format!(
                "{} is for TessellatorDomain::{:?}, and {} is for TessellatorDomain::{:?}; declare the same domain in both",
                hull.name(),
                hull_program.domain,
                domain.name(),
                domain_program.domain
            );
            return Err((MessageId::DrawTessellatorDomainMismatch, text));
        }
        if let Some(points) = domain_program.points.filter(|points| *points != hull_program.output_points) {
            let text = format!(
                "{} outputs patches of {} control points, and {} reads patches of {points}; declare the same number in both",
                hull.name(),
                hull_program.output_points,
                domain.name()
            );
            return Err((MessageId::DrawControlPointCountMismatch, text));
        }
        Ok(())
    }

    /// Checks that the vertices have a position if they are rasterized.
    pub(in crate::context) fn check_position(&self, bound: &Bound) -> Result<(), (MessageId, String)> {
        if is_rasterized(bound) && !self.domain_program.has_position {
            let text = format!("{} returns vertices without a position", self.domain.name());
            return Err((MessageId::DrawNoPosition, text));
        }
        Ok(())
    }

    /// Checks that a geometry shader processes the primitives of the tessellator.
    pub(in crate::context) fn check_input(
        &self,
        geometry: &ObjectShared,
        input: InputPrimitive,
    ) -> Result<(), (MessageId, String)> {
        let (wanted, what) = match self.hull_program.output {
            TessellatorOutput::Point => (InputPrimitive::Point, "points"),
            TessellatorOutput::Line => (InputPrimitive::Line, "lines"),
            TessellatorOutput::TriangleCw | TessellatorOutput::TriangleCcw => {
                (InputPrimitive::Triangle, "triangles")
            }
        };
        if input == wanted {
            return Ok(());
        }
        let text = format!(
            "{} processes {}, but {} makes the tessellator generate {what}; bind a geometry shader for {what}, or change the \
             output primitive of the hull shader",
            geometry.name(),
            super::geometry::primitive_name(input),
            self.hull.name()
        );
        Err((MessageId::DrawGeometryInputMismatch, text))
    }
}

/// Whether a draw has something to rasterize, which needs positions.
pub(super) fn is_rasterized(bound: &Bound) -> bool {
    bound.stages[ShaderStage::Pixel].shader.is_some() || bound.depth_stencil_view.is_some()
}
