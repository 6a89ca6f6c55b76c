//! Translation of HLSL to naga modules, from source or from compiled bytes.

use std::{path::Path, sync::Arc};

use onze_ddi::{
    InputPrimitive, OutputValue, ShaderStage, StreamTopology, SystemOutput, TessellatorDomain,
    TessellatorOutput, TessellatorPartitioning,
};
use onze_hlsl::{
    CompileOptions, Compiled, Diagnostics, FolderIncludes, Profile, ShaderModel,
    reflection::{self, Reflection, SystemValue},
};

use super::{DomainStage, EmulatedStage, GeometryStage, HullStage, ParsedShader, ShaderError};

/// File name for messages about a program that was not read from a file.
const NO_FILE: &str = "shader.hlsl";

/// Compiles a program for a stage, and passes warnings to `warn`.
pub(super) fn parse(
    text: &str,
    entry_point: &str,
    options: Option<&CompileOptions<'_>>,
    stage: ShaderStage,
    warn: &mut dyn FnMut(String),
) -> Result<ParsedShader, ShaderError> {
    let options = options.copied().unwrap_or_default();
    parsed(onze_hlsl::compile(text, NO_FILE, entry_point, profile(stage), &options), entry_point, warn)
}

/// Reads and compiles a file for a stage, and passes warnings to `warn`.
pub(super) fn parse_file(
    path: &Path,
    entry_point: &str,
    options: Option<&CompileOptions<'_>>,
    stage: ShaderStage,
    warn: &mut dyn FnMut(String),
) -> Result<ParsedShader, ShaderError> {
    let text = std::fs::read(path).map_err(|error| ShaderError::Parse {
        line: 0,
        column: 0,
        message: format!("{}: {error}", path.display()),
    })?;
    let text = String::from_utf8_lossy(&text);
    let includes = FolderIncludes::new(path.parent().unwrap_or(Path::new("")));
    let mut options = options.copied().unwrap_or_default();
    options.preprocess.include.get_or_insert(&includes);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    parsed(onze_hlsl::compile(&text, &name, entry_point, profile(stage), &options), entry_point, warn)
}

/// Loads a shader that the HLSL compiler has compiled in advance.
#[cfg(feature = "hlsl-compiled")]
pub(super) fn load(bytes: &[u8]) -> Result<ParsedShader, ShaderError> {
    match Compiled::from_bytes(bytes) {
        Ok(compiled) => Ok(compiled.into()),
        Err(error) => Err(ShaderError::Parse { line: 0, column: 0, message: error.to_string() }),
    }
}

impl From<Compiled> for ParsedShader {
    fn from(compiled: Compiled) -> Self {
        let Compiled { module, entry_point, reflection, .. } = compiled;
        let emulated = emulated_stage(&reflection);
        let stage = module.entry_points.first().map(|entry_point| entry_point.stage);
        let mut system_outputs = match (&emulated, stage) {
            // The outputs of a hull shader have no effect on the rasterizer.
            (Some(EmulatedStage::Hull(_)), _) | (_, Some(naga::ShaderStage::Fragment)) => Vec::new(),
            _ => system_outputs(&reflection),
        };
        if !matches!(emulated, Some(EmulatedStage::Geometry(_))) {
            // Vertex and domain shaders have clip distances as an output of their own.
            system_outputs.retain(|output| !matches!(output.value, OutputValue::ClipDistance(_)));
        }
        Self { module, entry_point, emulated, system_outputs, hlsl: Some(Arc::new(reflection)) }
    }
}

/// Returns the components of all outputs that are system values, with distances numbered in the order of their
/// semantics.
fn system_outputs(reflection: &Reflection) -> Vec<SystemOutput> {
    let mut outputs: Vec<_> = reflection.outputs.iter().collect();
    outputs.sort_by_key(|output| (output.stream, output.semantic_index));
    let mut all = Vec::new();
    let (mut stream, mut clip, mut cull) = (0, 0, 0);
    for output in outputs {
        if output.stream != stream {
            (stream, clip, cull) = (output.stream, 0, 0);
        }
        let Some(location) = output.register else { continue };
        for component in (0..4).filter(|component| output.mask & 1 << component != 0) {
            let next = |number: &mut u32| {
                *number += 1;
                *number - 1
            };
            let value = match output.system_value {
                SystemValue::ClipDistance => OutputValue::ClipDistance(next(&mut clip)),
                SystemValue::CullDistance => OutputValue::CullDistance(next(&mut cull)),
                SystemValue::RenderTargetArrayIndex => OutputValue::RenderTargetArrayIndex,
                SystemValue::ViewportArrayIndex => OutputValue::ViewportArrayIndex,
                SystemValue::PrimitiveId => OutputValue::PrimitiveId,
                _ => continue,
            };
            all.push(SystemOutput { value, stream, location, component });
        }
    }
    all
}

/// Returns the properties of a shader whose stage naga lacks.
fn emulated_stage(reflection: &Reflection) -> Option<EmulatedStage> {
    let geometry = reflection.geometry.as_ref().map(|desc| EmulatedStage::Geometry(geometry(desc)));
    let hull = reflection.hull.as_ref().map(|desc| EmulatedStage::Hull(hull(desc)));
    let of_domain = |desc: &reflection::DomainReflection| {
        EmulatedStage::Domain(DomainStage { domain: domain(desc.domain), points: desc.control_points })
    };
    geometry.or(hull).or(reflection.domain.as_ref().map(of_domain))
}

fn hull(desc: &reflection::HullReflection) -> HullStage {
    HullStage {
        input_points: desc.input_control_points,
        output_points: desc.output_control_points,
        domain: domain(desc.domain),
        partitioning: match desc.partitioning {
            reflection::TessellatorPartitioning::Integer => TessellatorPartitioning::Integer,
            reflection::TessellatorPartitioning::Pow2 => TessellatorPartitioning::Pow2,
            reflection::TessellatorPartitioning::FractionalOdd => TessellatorPartitioning::FractionalOdd,
            reflection::TessellatorPartitioning::FractionalEven => TessellatorPartitioning::FractionalEven,
        },
        output: match desc.output {
            reflection::TessellatorOutput::Point => TessellatorOutput::Point,
            reflection::TessellatorOutput::Line => TessellatorOutput::Line,
            reflection::TessellatorOutput::TriangleCw => TessellatorOutput::TriangleCw,
            reflection::TessellatorOutput::TriangleCcw => TessellatorOutput::TriangleCcw,
        },
        max_tess_factor: desc.max_tess_factor,
    }
}

const fn domain(domain: reflection::TessellatorDomain) -> TessellatorDomain {
    match domain {
        reflection::TessellatorDomain::Isoline => TessellatorDomain::Isoline,
        reflection::TessellatorDomain::Triangle => TessellatorDomain::Triangle,
        reflection::TessellatorDomain::Quad => TessellatorDomain::Quad,
    }
}

fn geometry(desc: &reflection::GeometryDesc) -> GeometryStage {
    let streams = desc.streams.iter().map(|topology| match topology {
        reflection::StreamTopology::LineStrips => StreamTopology::LineStrips,
        reflection::StreamTopology::TriangleStrips => StreamTopology::TriangleStrips,
        _ => StreamTopology::Points,
    });
    GeometryStage {
        input: match desc.input {
            reflection::InputPrimitive::Line => InputPrimitive::Line,
            reflection::InputPrimitive::Triangle => InputPrimitive::Triangle,
            reflection::InputPrimitive::LineAdjacency => InputPrimitive::LineAdjacency,
            reflection::InputPrimitive::TriangleAdjacency => InputPrimitive::TriangleAdjacency,
            reflection::InputPrimitive::Patch(control_points) => InputPrimitive::Patch(control_points),
            _ => InputPrimitive::Point,
        },
        max_vertex_count: desc.max_vertex_count,
        instance_count: desc.instance_count,
        streams: streams.collect(),
    }
}

/// Returns the Shader Model 5.0 profile for a stage.
fn profile(stage: ShaderStage) -> Profile {
    let stage = match stage {
        ShaderStage::Vertex => onze_hlsl::ShaderStage::Vertex,
        ShaderStage::Hull => onze_hlsl::ShaderStage::Hull,
        ShaderStage::Domain => onze_hlsl::ShaderStage::Domain,
        ShaderStage::Geometry => onze_hlsl::ShaderStage::Geometry,
        ShaderStage::Pixel => onze_hlsl::ShaderStage::Pixel,
        ShaderStage::Compute => onze_hlsl::ShaderStage::Compute,
    };
    Profile::new(stage, ShaderModel::V5_0)
}

const fn stage_name(stage: onze_hlsl::ShaderStage) -> &'static str {
    match stage {
        onze_hlsl::ShaderStage::Vertex => "vertex",
        onze_hlsl::ShaderStage::Hull => "hull",
        onze_hlsl::ShaderStage::Domain => "domain",
        onze_hlsl::ShaderStage::Geometry => "geometry",
        onze_hlsl::ShaderStage::Pixel => "pixel",
        onze_hlsl::ShaderStage::Compute => "compute",
    }
}

fn parsed(
    compiled: Result<Compiled, Diagnostics>,
    entry_point: &str,
    warn: &mut dyn FnMut(String),
) -> Result<ParsedShader, ShaderError> {
    match compiled {
        Ok(compiled) => {
            compiled.warnings.iter().map(ToString::to_string).for_each(warn);
            Ok(compiled.into())
        }
        Err(diagnostics) => {
            let (line, column) =
                diagnostics.errors().next().map_or((0, 0), |first| (first.place.line, first.place.column));
            let mut message = diagnostics.to_string();
            if let Some(stage) = diagnostics.likely_stage() {
                let (entry_point, stage) = (entry_point, stage_name(stage));
                message.push_str(&format!(
                    "\n`{entry_point}` looks like a {stage} shader: call `create_{stage}_shader`"
                ));
            }
            Err(ShaderError::Parse { line, column, message })
        }
    }
}
