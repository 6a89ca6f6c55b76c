//! The signature of an entry point: the elements of its parameters and its result.

mod flatten;
mod geometry;
mod patches;
mod registers;
mod system;

use std::sync::Arc;

use self::{
    flatten::{Flattener, SignatureItem},
    system::SignaturePoint,
};
use crate::{
    check::tree::{Direction, Function, FunctionId, Numeric, Parameter, Program, Type},
    interface::bindings::RegisterClass,
    session::{
        Session,
        profile::{Profile, ShaderStage},
        source::Span,
    },
    syntax::builtin::{Object, Scalar},
    text::token::Packing,
};

pub use self::system::SystemValue;
pub(crate) use self::{
    geometry::stream,
    patches::{PatchConstants, PatchPoint, is_factor, passed_patch, patch},
    system::is_system_name,
};

#[derive(Clone, Debug)]
pub(crate) struct SignatureElement {
    /// The semantic's name as it is written in the source, although names are compared without regard to
    /// case.
    pub(crate) name: Arc<str>,
    pub(crate) index: u32,
    pub(crate) system: SystemValue,
    pub(crate) scalar: Scalar,
    pub(crate) components: u8,
    /// The register, or `None` for values without one, such as the depth.
    pub(crate) register: Option<u32>,
    pub(crate) start: u8,
    pub(crate) interpolation: Interpolation,
    /// The components that the program reads or writes, with the element's first component in bit 0.
    pub(crate) used: u8,
    /// The stream of a geometry shader's output, otherwise 0.
    pub(crate) stream: u8,
    /// Whether the element must begin a register, although later elements may still share the register.
    aligned: bool,
    /// Whether the element is a row of a row-major matrix, which is not treated like a vector.
    row: bool,
    pub(crate) span: Span,
}

impl SignatureElement {
    pub(crate) fn all(&self) -> u8 {
        (1 << self.components) - 1
    }

    /// Returns the index in the register after the last used component, or 0 if no component is used.
    pub(crate) fn used_end(&self) -> u8 {
        let used = (u8::BITS - self.used.leading_zeros()) as u8;
        if used == 0 { 0 } else { self.start + used }
    }
}

/// The interpolation mode of a value between stages, by default perspective-correct at the pixel centre.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Interpolation {
    pub(crate) flat: bool,
    pub(crate) without_perspective: bool,
    pub(crate) centroid: bool,
    pub(crate) sample: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum ElementLayout {
    Element(usize),
    Matrix(Numeric, Packing, Vec<usize>),
    List(Vec<ElementLayout>),
    /// The vertices of a primitive. Each vertex has these elements.
    Vertices(Box<ElementLayout>),
    Nothing,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Signature {
    pub(crate) inputs: Vec<SignatureElement>,
    pub(crate) outputs: Vec<SignatureElement>,
    /// The mapping of each parameter of the entry point to inputs and to outputs.
    pub(crate) parameters: Vec<(Option<ElementLayout>, Option<ElementLayout>)>,
    pub(crate) result: Option<ElementLayout>,
    /// Number of inputs that are elements of a primitive's vertices. They precede all other inputs.
    pub(crate) vertex_inputs: usize,
    /// The streams of a geometry shader, in the order of its parameters.
    pub(crate) streams: Vec<StreamSignature>,
    /// The control points that a hull or domain shader can read.
    pub(crate) points: Vec<PatchPoint>,
    /// The patch constant function of a hull shader.
    pub(crate) constants: Option<Arc<PatchConstants>>,
}

impl ElementLayout {
    /// Adds a number to the indices of all elements, because they follow other elements.
    fn move_elements(&mut self, by: usize) {
        match self {
            Self::Element(element) => *element += by,
            Self::Matrix(.., elements) => elements.iter_mut().for_each(|element| *element += by),
            Self::List(parts) => parts.iter_mut().for_each(|part| part.move_elements(by)),
            Self::Vertices(vertex) => vertex.move_elements(by),
            Self::Nothing => {}
        }
    }
}

/// A stream of a geometry shader, whose elements are among the outputs.
#[derive(Clone, Debug)]
pub(crate) struct StreamSignature {
    pub(crate) kind: Object,
    /// The elements of a vertex.
    pub(crate) vertex: ElementLayout,
}

impl Signature {
    pub(crate) fn runs_per_sample(&self) -> bool {
        let is_sample = |element: &SignatureElement| {
            element.system == SystemValue::SampleIndex || element.interpolation.sample
        };
        self.inputs.iter().any(|element| element.used != 0 && is_sample(element))
    }

    /// Returns the number of render targets that the outputs require.
    pub(crate) fn targets(&self) -> u32 {
        let targets = self.outputs.iter().filter(|element| element.system == SystemValue::Target);
        targets.map(|element| element.index.saturating_add(1)).max().unwrap_or(0)
    }
}

/// Finds the signature of an entry point, and reports parameters without semantics, semantics that the stage
/// does not have, and duplicate outputs.
pub(crate) fn signature(
    session: &mut Session,
    program: &Program,
    entry: FunctionId,
    profile: Profile,
    backwards_compatible: bool,
) -> Signature {
    match profile.stage {
        ShaderStage::Hull | ShaderStage::Domain => {
            return patches::signature(session, program, entry, profile, backwards_compatible);
        }
        ShaderStage::Geometry => {
            return geometry::signature(session, program, entry, profile, backwards_compatible);
        }
        ShaderStage::Vertex | ShaderStage::Pixel | ShaderStage::Compute => {}
    }
    let function = &program[entry];
    let point = |output| (SignaturePoint::of(profile.stage, output), output);
    let mut inputs = Flattener::new(session, program, function, profile, point(false), backwards_compatible);
    let mut parameters: Vec<(Option<ElementLayout>, Option<ElementLayout>)> = Vec::new();
    for parameter in &function.parameters {
        let local = function.local(parameter.local);
        let part = takes(function, parameter, Direction::In).then(|| {
            let place = SignatureItem::parameter(local, parameter);
            inputs.part(&local.ty, &place, &mut parameter.semantic.clone(), false)
        });
        parameters.push((part, None));
    }
    let inputs = inputs.finish();
    let mut outputs = Flattener::new(session, program, function, profile, point(true), backwards_compatible);
    // The result gets the first registers, before the `out` parameters.
    let result = (function.result != Type::Void).then(|| {
        let place = SignatureItem::result(function);
        outputs.part(&function.result, &place, &mut function.result_semantic.clone(), false)
    });
    for (parameter, parts) in function.parameters.iter().zip(&mut parameters) {
        let local = function.local(parameter.local);
        let is_object = parameter.direction != Direction::In && is_object(&local.ty);
        if is_object || takes(function, parameter, Direction::Out) {
            let place = SignatureItem::parameter(local, parameter);
            parts.1 = Some(outputs.part(&local.ty, &place, &mut parameter.semantic.clone(), false));
        }
    }
    let outputs = outputs.finish();
    Signature { inputs, outputs, parameters, result, ..Signature::default() }
}

/// Returns whether a parameter belongs to the signature in a direction.
fn takes(function: &Function, parameter: &Parameter, direction: Direction) -> bool {
    !is_uniform(function, parameter)
        && (parameter.direction == direction || parameter.direction == Direction::InOut)
}

/// Returns whether a parameter of an entry point is a uniform variable, because it is declared `uniform` or
/// is an object.
pub(crate) fn is_uniform(function: &Function, parameter: &Parameter) -> bool {
    parameter.uniform || is_object(&function.local(parameter.local).ty)
}

/// Returns whether a type is an object with a register, or an array of such objects.
fn is_object(ty: &Type) -> bool {
    match ty {
        Type::Object(object) => RegisterClass::of(object.kind).is_some(),
        Type::Array(array) => is_object(&array.element),
        _ => false,
    }
}

/// The type of a component in a register (D3D11: `D3D_REGISTER_COMPONENT_TYPE`).
#[doc(alias = "D3D_REGISTER_COMPONENT_TYPE")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ComponentKind {
    /// Components of type `float`, or of a lower-precision type such as `min16float`.
    Float,
    /// Components of type `int`, or of a lower-precision type such as `min16int`.
    Int,
    /// Components of type `uint`, `bool` or `min16uint`.
    Uint,
}

pub(crate) fn component_kind(scalar: Scalar) -> ComponentKind {
    match scalar {
        Scalar::Bool | Scalar::Uint | Scalar::Min16Uint => ComponentKind::Uint,
        Scalar::Int | Scalar::Min16Int | Scalar::Min12Int => ComponentKind::Int,
        Scalar::Half | Scalar::Float | Scalar::Double | Scalar::Min16Float | Scalar::Min10Float => {
            ComponentKind::Float
        }
    }
}

/// The minimum precision of a component (D3D11: `D3D_MIN_PRECISION`), although the hardware may use a higher
/// precision.
#[doc(alias = "D3D_MIN_PRECISION")]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum MinPrecision {
    /// The full precision: 32 bits, or 64 bits for a `double` (`D3D_MIN_PRECISION_DEFAULT`).
    #[default]
    Default,
    /// The precision of `min16float`, a float of at least 16 bits (`D3D_MIN_PRECISION_FLOAT_16`).
    Float16,
    /// The precision of `min10float`, a number of at least 10 bits (`D3D_MIN_PRECISION_FLOAT_2_8`).
    Float2_8,
    /// The precision of `min16int` and `min12int`, an integer of at least 16 bits
    /// (`D3D_MIN_PRECISION_SINT_16`).
    Sint16,
    /// The precision of `min16uint`, an integer of at least 16 bits (`D3D_MIN_PRECISION_UINT_16`).
    Uint16,
}

pub(crate) fn min_precision(scalar: Scalar) -> MinPrecision {
    match scalar {
        Scalar::Min16Float => MinPrecision::Float16,
        Scalar::Min10Float => MinPrecision::Float2_8,
        Scalar::Min16Int | Scalar::Min12Int => MinPrecision::Sint16,
        Scalar::Min16Uint => MinPrecision::Uint16,
        Scalar::Bool | Scalar::Uint | Scalar::Int | Scalar::Half | Scalar::Float | Scalar::Double => {
            MinPrecision::Default
        }
    }
}
