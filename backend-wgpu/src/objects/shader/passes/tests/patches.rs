//! Compute shaders that store the control points of patches.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use naga::{Block, Module, Statement};
use onze_ddi::{InputPrimitive, PrimitiveTopology, ShaderStage};

use super::languages::specialized;
use crate::{
    objects::shader::{
        Shader,
        rewrite::calls::inner_blocks,
        specialization::{
            Specialization,
            geometry::{Assembly, Expansion},
            pull::{PullSpace, VertexPull},
            streams::{StreamDispatch, StreamStage},
        },
    },
    testing::{hull_code, noop, shader_code},
};

/// Returns the number of calls of a function in a module.
fn calls(module: &Module, name: &str) -> usize {
    fn in_block(module: &Module, block: &Block, name: &str) -> usize {
        let of_statement = |statement: &Statement| {
            let is_call = matches!(statement, Statement::Call { function, .. }
                if module.functions[*function].name.as_deref() == Some(name));
            usize::from(is_call)
                + inner_blocks(statement).map(|block| in_block(module, block, name)).sum::<usize>()
        };
        block.iter().map(of_statement).sum()
    }
    module.functions.iter().map(|(_, function)| in_block(module, &function.body, name)).sum()
}

/// Each output control point is an invocation, so a patch with `n` points would have `n * n` vertex shaders.
#[test]
fn a_control_point_runs_one_vertex_shader_if_it_needs_one() {
    let (device, runtime) = noop();
    let vertex = "
        struct Vertex { @builtin(position) position: vec4f, @location(0) value: f32 }
        @vertex fn main(@builtin(vertex_index) n: u32) -> Vertex { return Vertex(vec4f(), f32(n)); }";
    let vertex = shader_code(ShaderStage::Vertex, vertex, Vec::new());
    for (value, expected) in [
        ("input_point(n).value", 1),
        ("input_point(min(n, 3u)).value * input_point(n).value", 1),
        ("f32(n + primitive)", 1),
        ("input_point(n).value + input_point(0u).value", 4),
        ("input_point(3u - n).value", 4),
    ] {
        let hull = Shader::new(&device.gpu, &hull_code(value), None, "hull").unwrap();
        let points = hull.control_points(&device.gpu).unwrap();
        let stage = StreamStage {
            id: 1,
            output: points.stored_vertices().unwrap().clone(),
            key: Specialization::default(),
            assembly: Assembly {
                topology: PrimitiveTopology::PatchList4,
                indices: None,
                is_tessellated: false,
            },
            input: InputPrimitive::Patch(4),
            has_instances: false,
            has_loop: false,
            dispatch: StreamDispatch::Store(Expansion::new(&points.code, false).unwrap()),
            gathered: Vec::new(),
        };
        let key = Specialization {
            pull: Some(Arc::new(VertexPull { slots: Vec::new(), space: PullSpace::Uniform })),
            streams: Some(Arc::new(stage)),
            ..Specialization::default()
        };
        assert_eq!(calls(&specialized(&vertex, &key), "load_vertex"), expected, "{value}");
    }
    runtime.assert_clean();
}
