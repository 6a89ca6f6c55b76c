//! Tests that breach the contract's rules for stream output.

use std::sync::Arc;

use onze_ddi::{verifier::Rule, *};

use crate::{
    Case,
    common::{Object, Runtime, faulty::Fault},
};

/// Creates a buffer of 64 bytes.
fn buffer(r: &mut Runtime, flags: BindFlags) -> Object {
    r.buffer(BufferDesc::new(64, flags), &[])
}

/// Binds targets, which the state callback also returns.
fn set_targets(r: &mut Runtime, targets: &[&Object]) {
    let targets: Vec<_> = targets.iter().map(|target| Some(target.r())).collect();
    r.ctx.layer.streams.clone_from(&targets);
    r.immediate.so_set_targets(r.ctx.entry(), &targets);
}

/// Creates a stream-output shader from a vertex shader without outputs but the position.
fn create_shader(r: &mut Runtime, desc: StreamOutputDesc) {
    let source = "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }";
    let code = Runtime::shader_code(source, ShaderStage::Vertex);
    let desc = ObjectDesc::Shader { code: &code, stream_output: Some(&Arc::new(desc)), label: "main" };
    r.create(&desc, None).unwrap();
}

/// Writes positions to slot 0.
fn positions() -> StreamOutputDesc {
    let entry = StreamOutputEntry {
        stream: 0,
        slot: 0,
        register: OutputRegister::Position,
        first_component: 0,
        component_count: 4,
        offset: 0,
    };
    StreamOutputDesc { entries: vec![entry], strides: [16, 0, 0, 0], rasterized_stream: Some(0) }
}

pub(crate) const STREAM_OUTPUT: &[Case] = &[
    (Rule::StreamTargets, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let target = buffer(&mut r, BindFlags::VERTEX_BUFFER);
        set_targets(&mut r, &[&target]);
    }),
    (Rule::StreamTargets, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let target = buffer(&mut r, BindFlags::STREAM_OUTPUT);
        set_targets(&mut r, &[&target, &target]);
    }),
    (Rule::StreamTargets, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let target = buffer(&mut r, BindFlags::STREAM_OUTPUT | BindFlags::VERTEX_BUFFER);
        set_targets(&mut r, &[&target]);
        r.ctx.layer.vertex = vec![VertexBufferBinding { buffer: Some(target.r()), stride: 16, offset: 0 }];
        r.immediate.draw(r.ctx.entry(), 3, 0);
    }),
    (Rule::StreamTargets, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let flags = BindFlags::STREAM_OUTPUT | BindFlags::SHADER_RESOURCE;
        let target = r.buffer(BufferDesc::structured(16, 4, flags), &[]);
        let view = r.read_view(&target);
        set_targets(&mut r, &[&target]);
        r.ctx.layer.views = vec![Some(view.handle())];
        r.immediate.draw(r.ctx.entry(), 3, 0);
    }),
    (Rule::StateShowsNewBinding, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let target = buffer(&mut r, BindFlags::STREAM_OUTPUT);
        r.immediate.so_set_targets(r.ctx.entry(), &[Some(target.r())]);
    }),
    (Rule::StreamOffset, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let target = buffer(&mut r, BindFlags::VERTEX_BUFFER);
        r.immediate.so_set_offset(r.ctx.entry(), target.r(), 0);
    }),
    (Rule::StreamOffset, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let target = buffer(&mut r, BindFlags::STREAM_OUTPUT);
        r.immediate.so_set_offset(r.ctx.entry(), target.r(), 6);
    }),
    (Rule::StreamDeclaration, Fault::None, |driver| {
        let mut desc = positions();
        desc.entries[0].register = OutputRegister::Location(0);
        create_shader(&mut Runtime::new(driver), desc);
    }),
    (Rule::StreamDeclaration, Fault::None, |driver| {
        create_shader(&mut Runtime::new(driver), StreamOutputDesc { strides: [12, 0, 0, 0], ..positions() });
    }),
    (Rule::StreamDeclaration, Fault::None, |driver| {
        create_shader(
            &mut Runtime::new(driver),
            StreamOutputDesc { rasterized_stream: Some(1), ..positions() },
        );
    }),
    (Rule::AutoSource, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        r.immediate.draw_auto(r.ctx.entry());
    }),
    (Rule::AutoSource, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let source = buffer(&mut r, BindFlags::VERTEX_BUFFER);
        r.ctx.layer.vertex = vec![VertexBufferBinding { buffer: Some(source.r()), stride: 16, offset: 0 }];
        r.immediate.draw_auto(r.ctx.entry());
    }),
    (Rule::StreamQuery, Fault::None, |driver| {
        let mut r = Runtime::new(driver);
        let desc =
            QueryDesc { misc_flags: QueryMiscFlags::PREDICATEHINT, ..QueryType::SoOverflowPredicate.into() };
        r.create(&ObjectDesc::Query(desc), None).unwrap();
    }),
];

/// Calls of all entries that follow the rules are not reported.
#[test]
fn correct_stream_output_is_not_reported() {
    let (verifier, driver) = crate::watched(Fault::None);
    let mut r = Runtime::new(&driver);
    let flags = BindFlags::STREAM_OUTPUT | BindFlags::VERTEX_BUFFER;
    let (target, source) = (buffer(&mut r, flags), buffer(&mut r, flags));
    create_shader(&mut r, positions());
    set_targets(&mut r, &[&target]);
    r.immediate.so_set_offset(r.ctx.entry(), target.r(), 1 << 20);
    r.ctx.layer.vertex = vec![VertexBufferBinding { buffer: Some(source.r()), stride: 16, offset: 0 }];
    r.immediate.draw_auto(r.ctx.entry());
    set_targets(&mut r, &[]);
    assert!(verifier.breaches().is_empty(), "{:?}", verifier.breaches());
}
