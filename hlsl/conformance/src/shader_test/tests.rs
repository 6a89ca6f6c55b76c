use super::*;

fn content(text: &str) -> Content {
    let mut test = ShaderTest::parse(text).unwrap();
    assert_eq!(test.blocks.len(), 1, "{text}");
    test.blocks.remove(0).content
}

fn commands(lines: &str) -> Vec<Command> {
    match content(&format!("[test]\n{lines}")) {
        Content::Test(steps) => steps.into_iter().map(|step| step.command).collect(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn comments_and_empty_lines_are_ignored() {
    let test =
        ShaderTest::parse("% a\n\n[pixel shader]\n% b\nfloat4\n\n  main\n[test]\n% c\ndraw quad % d\n")
            .unwrap();
    let lines: Vec<_> = test.blocks.iter().map(|block| block.line).collect();
    assert_eq!(lines, [3, 8]);
    let Content::Shader(shader) = &test.blocks[0].content else { panic!() };
    assert_eq!(shader.source, "float4\n  main\n");
    let Content::Test(steps) = &test.blocks[1].content else { panic!() };
    assert_eq!((steps[0].line, &steps[0].command), (10, &Command::DrawQuad));
}

#[test]
fn requirements_are_parsed() {
    let text = "[require]\nshader model >= 4.1\nshader model < 6\noptions: none\noptions: row-major backcompat\n\
                format r32-float uav-load\nfloat64";
    let expected = vec![
        Requirement::AtLeast(Model::Sm4_1),
        Requirement::Below(Model::Sm6_0),
        Requirement::Options(vec![]),
        Requirement::Options(vec!["row-major".to_owned(), "backcompat".to_owned()]),
        Requirement::Format(Format::R32Float, "uav-load".to_owned()),
        Requirement::Capability("float64".to_owned()),
    ];
    assert_eq!(content(text), Content::Require(expected));
}

#[test]
fn qualifiers_give_the_outcome_of_a_shader_for_each_model() {
    let text = "[hull shader todo fail(sm<5 | sm>=6.2) notimpl(sm>=5.1 & sm<6)]\nx";
    let Content::Shader(shader) = content(text) else { panic!() };
    assert_eq!((shader.stage, shader.todo.len(), &*shader.source), (Stage::Hull, 1, "x"));
    assert_eq!(shader.outcome(Model::Sm4_1), Outcome::Failure);
    assert_eq!(shader.outcome(Model::Sm5_0), Outcome::Success);
    assert_eq!(shader.outcome(Model::Sm5_1), Outcome::NotImplemented);
    assert_eq!(shader.outcome(Model::Sm6_0), Outcome::Success);
    assert_eq!(shader.outcome(Model::Sm6_2), Outcome::Failure);
    let Content::Shader(shader) = content("[pixel shader dxbc-tpf-hex]\n00") else { panic!() };
    assert_eq!(shader.binary.as_deref(), Some("dxbc-tpf-hex"));
}

#[test]
fn conditions_depend_on_models_and_tags() {
    let Content::Test(steps) = content("[test]\ntodo(msl & sm>=6) bug(!vulkan) if(sm<6) draw quad") else {
        panic!()
    };
    let step = &steps[0];
    assert!(step.expected_failures[0].holds(Model::Sm6_0, &["msl", "vulkan"]));
    assert!(!step.expected_failures[0].holds(Model::Sm5_0, &["msl"]));
    assert!(!step.expected_failures[1].holds(Model::Sm6_0, &["vulkan"]));
    assert!(step.only_if[0].holds(Model::Sm5_1, &[]));
    assert!(!step.only_if[0].holds(Model::Sm6_0, &[]));
}

#[test]
fn resources_are_parsed_with_size_and_data() {
    let text = "[uav 2]\nformat r32-uint\nsize (2darray, 4, 3, 2)\nlevels 2\n1 0x10 1.0\n-1";
    let Content::Resource(resource) = content(text) else { panic!() };
    assert_eq!(resource.binding, Binding::UnorderedAccess(2));
    assert_eq!(resource.format, Format::R32Uint);
    assert_eq!(resource.size, Some(Size::Texture2D { width: 4, height: 3, samples: 1, layers: 2 }));
    assert_eq!((resource.levels, resource.data), (2, vec![1, 16, 1f32.to_bits(), u32::MAX]));
    let Content::Resource(resource) = content("[srv 0]\nstride 16\nsize (buffer, 2)") else { panic!() };
    assert_eq!(
        (resource.stride, resource.format, resource.size),
        (Some(16), Format::Unknown, Some(Size::Buffer))
    );
    let Content::Resource(resource) = content("[dsv]\nsize (2dms, 4, 8, 8)") else { panic!() };
    assert_eq!(resource.format, Format::D32Float);
    assert_eq!(resource.size, Some(Size::Texture2D { width: 8, height: 8, samples: 4, layers: 1 }));
}

#[test]
fn samplers_and_layouts_are_parsed() {
    let text =
        "[sampler 1]\nfilter point linear point\naddress wrap mirror_once border\ncomparison less equal";
    let expected = Sampler {
        slot: 1,
        filter: [Filter::Point, Filter::Linear, Filter::Point],
        address: [Address::Wrap, Address::MirrorOnce, Address::Border],
        comparison: Some(Comparison::LessEqual),
    };
    assert_eq!(content(text), Content::Sampler(expected));
    let Content::InputLayout(elements) = content("[input layout]\n1 r32g32-float sv_x 2\n0 r32-sint y")
    else {
        panic!()
    };
    let first = InputElement { slot: 1, format: Format::R32G32Float, name: "sv_x".to_owned(), index: 2 };
    let second = InputElement { slot: 0, format: Format::R32Sint, name: "y".to_owned(), index: 0 };
    assert_eq!(elements, [first, second]);
}

#[test]
fn state_commands_are_parsed() {
    let lines = "uniform 4 float4 1.0 -2 0.5 1e2\nuniform 0 int -1\nuniform 1 uint4 1 2 0x3\n\
                 uniform 0 uint64_t2 0x100000002 3\nuniform 0 double2 1.0 0\nuniform 8 count 3\nclear rtv 1 0 0.5 1 1\nclear dsv 0.5\n\
                 depth not equal\nsample mask 0x3\nviewport 1 (0, 0.5, 64, 48)\nfog disable";
    let float = |value: f32| value.to_bits();
    let double = 1f64.to_bits();
    assert_eq!(
        commands(lines),
        [
            Command::Uniform { offset: 4, words: vec![float(1.0), float(-2.0), float(0.5), float(100.0)] },
            Command::Uniform { offset: 0, words: vec![u32::MAX] },
            Command::Uniform { offset: 1, words: vec![1, 2, 3, 0] },
            Command::Uniform { offset: 0, words: vec![2, 1, 3, 0] },
            Command::Uniform { offset: 0, words: vec![double as u32, (double >> 32) as u32, 0, 0] },
            Command::Uniform { offset: 8, words: vec![8, 9, 10] },
            Command::ClearRenderTarget { slot: 1, color: [0.0, 0.5, 1.0, 1.0] },
            Command::ClearDepth(0.5),
            Command::Depth(Comparison::NotEqual),
            Command::SampleMask(3),
            Command::Viewport { index: 1, rectangle: [0.0, 0.5, 64.0, 48.0] },
            Command::Other("fog disable".to_owned()),
        ]
    );
}

#[test]
fn draws_and_probes_are_parsed() {
    let lines = "draw triangle strip 4\ndraw 3 control point patch list 6 2\ndispatch 1 2 3\ncopy rtv 0 srv 1\n\
                 probe (1, 2) rgba(1, 2.5, nan, -inf) 4\nprobe uav 1 (3) u32 (0xffffffff)\nprobe (0, 1, 4, 5) f32(1.0)\n\
                 probe rtv 2 (1, 2, 3) i32(-1, 2, 3, 4)\nprobe dsv (0,0) f64 (0.5);";
    let commands = commands(lines);
    assert_eq!(commands[0], Command::Draw { topology: Topology::TriangleStrip, vertices: 4, instances: 1 });
    assert_eq!(commands[1], Command::Draw { topology: Topology::Patches(3), vertices: 6, instances: 2 });
    assert_eq!(commands[2], Command::Dispatch([1, 2, 3]));
    assert_eq!(commands[3], Command::Copy { from: Binding::RenderTarget(0), to: Binding::ShaderResource(1) });
    let Command::Probe { from, area, expected: Expected::F32(values), ulps } = &commands[4] else { panic!() };
    assert_eq!((*from, *ulps), (Binding::RenderTarget(0), 4));
    assert_eq!(*area, Area { left: 1, top: 2, right: 2, bottom: 3, layer: 0 });
    assert!(values[..2] == [1.0, 2.5] && values[2].is_nan() && values[3] == f32::NEG_INFINITY);
    let probe = |from, area, expected| Command::Probe { from, area, expected, ulps: 0 };
    let area = |left, top, right, bottom, layer| Area { left, top, right, bottom, layer };
    let expected = [
        probe(Binding::UnorderedAccess(1), area(3, 0, 4, 1, 0), Expected::U32(vec![u32::MAX])),
        probe(Binding::RenderTarget(0), area(0, 1, 4, 5, 0), Expected::F32(vec![1.0])),
        probe(Binding::RenderTarget(2), area(1, 2, 2, 3, 3), Expected::I32(vec![-1, 2, 3, 4])),
        probe(Binding::DepthStencil, area(0, 0, 1, 1, 0), Expected::F64(vec![0.5])),
    ];
    assert_eq!(commands[5..], expected);
}

#[test]
fn an_error_gives_the_line_that_cannot_be_parsed() {
    for (text, line) in [
        ("x", 1),
        ("[no]", 1),
        ("[test", 1),
        ("[test] x", 1),
        ("[pixel shader wrong]", 1),
        ("[pixel shader fail(sm>=9)]", 1),
        ("[test]\n\njump", 3),
        ("[test]\nprobe (0) rgba(1", 2),
        ("[test]\nuniform 0 mystery 1", 2),
        ("[srv 0]\nsize (4d, 1)", 2),
        ("[srv 0]\nformat r8-uint", 2),
        ("[sampler 0]\nfilter no", 2),
    ] {
        let error = ShaderTest::parse(text).unwrap_err();
        assert_eq!(error.line, line, "{text}: {error}");
    }
}
