//! The signature of a geometry shader: the elements of the primitive's vertices, of all other inputs, and of the
//! vertices of each stream.

use super::{
    ElementLayout, Signature, SignatureElement, StreamSignature,
    flatten::{Flattener, SignatureItem},
    is_uniform,
    system::{SignaturePoint, is_system_name},
    takes,
};
use crate::{
    check::tree::{Direction, Function, FunctionId, ObjectType, Parameter, Program, Type},
    session::{Session, profile::Profile},
    syntax::builtin::Object,
};

/// Finds the signature of a geometry shader. The elements of vertices precede all other inputs, and the outputs
/// are those of all streams.
pub(super) fn signature(
    session: &mut Session,
    program: &Program,
    entry: FunctionId,
    profile: Profile,
    backwards_compatible: bool,
) -> Signature {
    let function = &program[entry];
    let parameters = function.parameters.iter().map(|_| (None, None)).collect();
    let mut finder = SignatureFinder {
        session,
        of: EntryFunction { program, function, profile, backwards_compatible },
        signature: Signature { parameters, ..Signature::default() },
    };
    finder.vertices();
    finder.other_inputs();
    finder.streams();
    finder.signature
}

#[derive(Copy, Clone)]
struct EntryFunction<'a> {
    program: &'a Program,
    function: &'a Function,
    profile: Profile,
    backwards_compatible: bool,
}

impl<'a> EntryFunction<'a> {
    fn inputs(self, session: &'a mut Session, point: SignaturePoint) -> Flattener<'a> {
        self.flattener(session, (point, false))
    }

    fn outputs(self, session: &'a mut Session, point: SignaturePoint) -> Flattener<'a> {
        self.flattener(session, (point, true))
    }

    fn flattener(self, session: &'a mut Session, point: (SignaturePoint, bool)) -> Flattener<'a> {
        let Self { program, function, profile, backwards_compatible } = self;
        Flattener::new(session, program, function, profile, point, backwards_compatible)
    }
}

struct SignatureFinder<'a> {
    session: &'a mut Session,
    of: EntryFunction<'a>,
    signature: Signature,
}

impl SignatureFinder<'_> {
    fn vertices(&mut self) {
        let function = self.of.function;
        let mut vertices = self.of.inputs(self.session, SignaturePoint::GeometryVertexInput);
        for (parameter, (input, _)) in function.parameters.iter().zip(&mut self.signature.parameters) {
            let local = function.local(parameter.local);
            if let Some(ty) = vertex_type(parameter, &local.ty) {
                let place = SignatureItem::parameter(local, parameter);
                let vertex = vertices.part(ty, &place, &mut parameter.semantic.clone(), false);
                *input = Some(ElementLayout::Vertices(Box::new(vertex)));
            }
        }
        self.signature.inputs = vertices.finish();
        self.signature.vertex_inputs = self.signature.inputs.len();
    }

    /// Finds the inputs that the pipeline generates. They are not in registers.
    fn other_inputs(&mut self) {
        let (function, first) = (self.of.function, self.signature.vertex_inputs);
        let mut others = self.of.inputs(self.session, SignaturePoint::GeometryInput);
        for (parameter, (input, _)) in function.parameters.iter().zip(&mut self.signature.parameters) {
            let local = function.local(parameter.local);
            let semantic = parameter.semantic.as_ref();
            let is_system = semantic.is_some_and(|semantic| is_system_name(&semantic.name));
            let is_value = is_system && local.ty.object().is_none() && !is_uniform(function, parameter);
            if input.is_none() && is_value && takes(function, parameter, Direction::In) {
                let place = SignatureItem::parameter(local, parameter);
                let mut part = others.part(&local.ty, &place, &mut parameter.semantic.clone(), false);
                part.move_elements(first);
                *input = Some(part);
            }
        }
        let others = others.finish().into_iter();
        self.signature.inputs.extend(others.map(|element| SignatureElement { register: None, ..element }));
    }

    fn streams(&mut self) {
        let EntryFunction { program, function, .. } = self.of;
        for parameter in &function.parameters {
            let local = function.local(parameter.local);
            let Some((object, _)) = stream(program, &local.ty) else { continue };
            let Some(ty) = &object.element else { continue };
            let place = SignatureItem::parameter(local, parameter);
            let mut outputs = self.of.outputs(self.session, SignaturePoint::GeometryOutput);
            let mut vertex = outputs.part(ty, &place, &mut parameter.semantic.clone(), false);
            let elements = outputs.finish().into_iter();
            let signature = &mut self.signature;
            vertex.move_elements(signature.outputs.len());
            // More than four streams are reported elsewhere.
            let stream = signature.streams.len() as u8;
            signature.outputs.extend(elements.map(|element| SignatureElement { stream, ..element }));
            signature.streams.push(StreamSignature { kind: object.kind, vertex });
        }
    }
}

/// Returns the type of a vertex if the parameter is a primitive.
fn vertex_type<'t>(parameter: &Parameter, ty: &'t Type) -> Option<&'t Type> {
    match (ty, parameter.primitive) {
        (Type::Array(array), Some(_)) => Some(&array.element),
        _ => ty.object().filter(|object| object.kind == Object::InputPatch)?.element.as_ref(),
    }
}

/// Returns the stream in a type, and whether the type contains nothing else.
pub(crate) fn stream<'a>(program: &'a Program, ty: &'a Type) -> Option<(&'a ObjectType, bool)> {
    match ty {
        Type::Object(object) => {
            let streams = [Object::PointStream, Object::LineStream, Object::TriangleStream];
            streams.contains(&object.kind).then_some((&**object, true))
        }
        Type::Array(array) => {
            let (object, alone) = stream(program, &array.element)?;
            Some((object, alone && array.length == 1))
        }
        Type::Struct(id) => {
            let fields = &program[*id].fields;
            let (object, alone) = fields.iter().find_map(|field| stream(program, &field.ty))?;
            Some((object, alone && fields.len() == 1))
        }
        _ => None,
    }
}
