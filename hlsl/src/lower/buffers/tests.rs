use std::sync::Arc;

use naga::ShaderStage;

use crate::{
    check::tree::{
        BufferId, Field, Global, GlobalId, Numeric, ObjectType, Program, Storage, StructId, StructType, Type,
    },
    interface::bindings::ObjectId,
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        places::{BufferElement, ElementIndex, PathStep, PathStepKind, ValuePath},
        result::Lowered,
        testing::{entry, keep, unknown},
    },
    session::source::Span,
    syntax::{
        ast::ModifierFlags,
        builtin::{Object as Kind, Scalar, Shape},
    },
    text::token::Packing,
};

const UINT: Numeric = Numeric::scalar(Scalar::Uint);

fn structure(fields: &[Type], packing: Packing) -> StructType {
    let fields = fields.iter().enumerate().map(|(index, ty)| Field {
        name: Arc::from(format!("f{index}")),
        ty: ty.clone(),
        packing,
        semantic: None,
        flags: ModifierFlags::empty(),
        span: Span::default(),
    });
    StructType {
        name: Arc::from("S"),
        base: None,
        fields: fields.collect(),
        methods: Vec::new(),
        interfaces: Vec::new(),
        interface: false,
        span: Span::default(),
    }
}

fn object(kind: Kind, element: Option<Type>, packing: Packing) -> KnownObject {
    let ty = ObjectType { kind, element, packing, norm: None, count: 0, coherent: false };
    KnownObject { id: ObjectId { global: GlobalId(0), index: 0 }, ty: Arc::new(ty) }
}

/// Builds a shader with a buffer in register `u2` and returns WGSL.
fn shader(
    mut program: Program,
    object: &KnownObject,
    build: impl Fn(&mut Builder<'_, '_>) -> Lowered<()>,
) -> String {
    program.globals.push(Global {
        name: Arc::from("items"),
        ty: Type::Object(object.ty.clone()),
        packing: Packing::ColumnMajor,
        storage: Storage::Uniform { buffer: BufferId(0), offset: None },
        constant: false,
        assigned: false,
        registers: Vec::new(),
        semantic: None,
        value: None,
        span: Span::default(),
    });
    entry(&program, &[(object.id, 2)], ShaderStage::Compute, build)
}

fn element(builder: &mut Builder<'_, '_>, object: &KnownObject) -> BufferElement {
    let place = unknown(builder, UINT);
    let ty = object.ty.element.clone().unwrap();
    BufferElement { object: object.clone(), place, level: None, ty }
}

/// Builds a shader that loads an element and stores it again.
fn copy(program: Program, element_type: &Type, packing: Packing) -> String {
    let object = object(Kind::RwStructuredBuffer, Some(element_type.clone()), packing);
    shader(program, &object, |builder| {
        let element = element(builder, &object);
        let value = builder.load_element(&element, &ValuePath::default(), Span::default())?;
        builder.store_element(&element, &ValuePath::default(), value, Span::default())
    })
}

fn vector(size: u8) -> Type {
    Type::vector(Scalar::Float, size)
}

fn matrix(scalar: Scalar, rows: u8, columns: u8) -> Type {
    Type::Numeric(Numeric { scalar, shape: Shape::Matrix { rows, columns } })
}

#[test]
fn aligned_vectors_are_naga_vectors() {
    let text = copy(Program::default(), &vector(4), Packing::ColumnMajor);
    assert!(text.contains("@group(3) @binding(2)"), "{text}");
    assert!(text.contains("array<vec4<f32>>"), "{text}");
    let text = copy(Program::default(), &vector(3), Packing::ColumnMajor);
    assert!(text.contains("array<array<f32, 3>>"), "{text}");
}

#[test]
fn all_element_types_are_valid() {
    for packing in [Packing::RowMajor, Packing::ColumnMajor] {
        for scalar in [Scalar::Float, Scalar::Uint, Scalar::Bool] {
            for (rows, columns) in [(1, 3), (3, 1), (2, 2), (3, 3), (4, 3), (3, 4), (4, 4)] {
                copy(Program::default(), &matrix(scalar, rows, columns), packing);
                copy(Program::default(), &Type::array(matrix(scalar, rows, columns), 2), packing);
            }
            for size in 1..=4 {
                copy(Program::default(), &Type::vector(scalar, size), packing);
            }
        }
        let mut program = Program::default();
        program.structs.push(structure(&[vector(3), Type::BOOL, matrix(Scalar::Float, 3, 3)], packing));
        let inner = Type::Struct(StructId(0));
        program.structs.push(structure(
            &[vector(2), inner.clone(), Type::array(inner, 3), vector(4), Type::array(vector(3), 2)],
            packing,
        ));
        copy(program, &Type::Struct(StructId(1)), packing);
    }
}

#[test]
fn parts_of_elements_can_be_loaded_and_stored() {
    for packing in [Packing::RowMajor, Packing::ColumnMajor] {
        let mut program = Program::default();
        let whole = [vector(3), matrix(Scalar::Float, 3, 2), Type::array(vector(2), 4)];
        program.structs.push(structure(&whole, packing));
        let ty = Type::Struct(StructId(0));
        let object = object(Kind::RwStructuredBuffer, Some(ty), packing);
        shader(program, &object, |builder| {
            let element = element(builder, &object);
            let index = ElementIndex::Value(unknown(builder, UINT));
            let field = |number: u32| PathStep {
                kind: PathStepKind::Field(StructId(0), number),
                ty: whole[number as usize].clone(),
            };
            let step = |kind, ty: &Type| PathStep { kind, ty: ty.clone() };
            let paths = [
                vec![field(0), step(PathStepKind::Swizzle(vec![2, 0]), &vector(2))],
                vec![field(0), step(PathStepKind::Index(index), &Type::FLOAT)],
                vec![field(1), step(PathStepKind::Index(ElementIndex::Known(2)), &vector(2))],
                vec![field(1), step(PathStepKind::Index(index), &vector(2))],
                vec![
                    field(1),
                    step(PathStepKind::Index(index), &vector(2)),
                    step(PathStepKind::Index(index), &Type::FLOAT),
                ],
                vec![field(1), step(PathStepKind::Elements(vec![(0, 1), (2, 0), (1, 1)]), &vector(3))],
                vec![field(2), step(PathStepKind::Index(index), &vector(2))],
                vec![
                    field(2),
                    step(PathStepKind::Index(ElementIndex::Known(3)), &vector(2)),
                    step(PathStepKind::Swizzle(vec![1]), &Type::FLOAT),
                ],
            ];
            for steps in paths {
                let ty = steps.last().and_then(|step| step.ty.numeric()).unwrap();
                let path = ValuePath { steps };
                let value = builder.load_element(&element, &path, Span::default())?;
                keep(builder, value, ty);
                builder.store_element(&element, &path, value, Span::default())?;
            }
            Ok(())
        });
    }
}

#[test]
fn counters_are_atomics_in_group_4() {
    let object = object(Kind::RwStructuredBuffer, Some(Type::FLOAT), Packing::ColumnMajor);
    let text = shader(Program::default(), &object, |builder| {
        let before = builder.increment_counter(&object, Span::default())?;
        keep(builder, before, UINT);
        let after = builder.decrement_counter(&object, Span::default())?;
        keep(builder, after, UINT);
        Ok(())
    });
    assert!(
        text.contains("@group(4) @binding(2) \nvar<storage, read_write> items_count: atomic<u32>"),
        "{text}"
    );
}
