use super::{
    ArgumentSlot, MethodCall, MethodError, element_type,
    kinds::{Access, TextureKind},
    numbers, status,
};
use crate::{
    check::{
        Checker,
        tree::{Expr, Method, ObjectType, Type},
    },
    session::code::Code,
    syntax::builtin::Scalar,
};

/// The range of an offset that must be known at compile time, in texels.
const LITERAL: [i64; 2] = [-8, 7];
/// The range of the offsets of `Gather` and similar methods, in texels.
const GATHERED: [i64; 2] = [-32, 31];

struct Sampling {
    sampler: ArgumentSlot,
    more: Vec<ArgumentSlot>,
    /// Whether the method has an optional minimum level as its last argument.
    clamp: bool,
}

impl Checker<'_> {
    pub(super) fn texture_method(
        &mut self,
        call: MethodCall,
        ty: &ObjectType,
        texture: TextureKind,
    ) -> Result<Expr, MethodError> {
        let sampled = matches!(texture.access, Access::Sampled | Access::Cube);
        match call.method {
            Method::GetDimensions => self.texture_dimensions(call, texture),
            Method::Load if texture.access != Access::Cube => self.texture_load(call, ty, texture),
            Method::GetSamplePosition if texture.access == Access::Multisampled => {
                self.finish_method(call, &[ArgumentSlot::In(Type::INT)], 1, Type::vector(Scalar::Float, 2))
            }
            Method::CalculateLevelOfDetail | Method::CalculateLevelOfDetailUnclamped if sampled => {
                let slots = [ArgumentSlot::Sampler, ArgumentSlot::numbers(Scalar::Float, texture.dimensions)];
                self.finish_method(call, &slots, 2, Type::FLOAT)
            }
            _ if sampled => match sampling(call.method, texture) {
                Some(sampling) => self.sample(call, ty, texture, sampling),
                None => self.gather(call, ty, texture),
            },
            _ => Err(MethodError::NoSuchMethod),
        }
    }

    fn texture_dimensions(&mut self, call: MethodCall, texture: TextureKind) -> Result<Expr, MethodError> {
        // A cube texture has no depth that could be returned.
        let sizes = if texture.access == Access::Cube { 2 } else { texture.dimensions };
        let samples = texture.access == Access::Multisampled;
        let counts = usize::from(sizes) + usize::from(texture.array) + usize::from(samples);
        let levels = matches!(texture.access, Access::Sampled | Access::Cube);
        self.get_dimensions(call, counts, levels)
    }

    fn texture_load(
        &mut self,
        call: MethodCall,
        ty: &ObjectType,
        texture: TextureKind,
    ) -> Result<Expr, MethodError> {
        let level = u8::from(texture.access == Access::Sampled);
        let mut slots = vec![ArgumentSlot::numbers(Scalar::Int, texture.place() + level)];
        if texture.access == Access::Multisampled {
            slots.push(ArgumentSlot::In(Type::INT));
        }
        let required = slots.len();
        if texture.access != Access::Written {
            slots.push(ArgumentSlot::Offset(texture.offset(), LITERAL));
        }
        slots.push(status());
        self.finish_method(call, &slots, required, element_type(ty))
    }

    fn sample(
        &mut self,
        call: MethodCall,
        ty: &ObjectType,
        texture: TextureKind,
        sampling: Sampling,
    ) -> Result<Expr, MethodError> {
        let compares = matches!(sampling.sampler, ArgumentSlot::ComparisonSampler);
        let mut slots = vec![sampling.sampler, ArgumentSlot::numbers(Scalar::Float, texture.place())];
        slots.extend(sampling.more);
        let required = slots.len();
        if texture.offset() > 0 {
            slots.push(ArgumentSlot::Offset(texture.offset(), LITERAL));
        }
        if sampling.clamp {
            slots.push(ArgumentSlot::In(Type::FLOAT));
        }
        slots.push(status());
        let element = element_type(ty);
        let scalar = self.tree.texel(ty).map_or(Scalar::Float, |texel| texel.scalar);
        if !scalar.is_float() {
            let message = "cannot sample from non-floating point texture formats; use Load";
            self.error(Code::SampleOfIntegers, call.span, message);
            return Err(MethodError::Reported);
        }
        let result = if compares { Type::scalar(scalar) } else { element };
        self.finish_method(call, &slots, required, result)
    }

    /// Checks `Gather` and similar methods, which return one component of four texels.
    fn gather(
        &mut self,
        call: MethodCall,
        ty: &ObjectType,
        texture: TextureKind,
    ) -> Result<Expr, MethodError> {
        let (component, compares) = match call.method {
            Method::Gather | Method::GatherRed => (0, false),
            Method::GatherGreen => (1, false),
            Method::GatherBlue => (2, false),
            Method::GatherAlpha => (3, false),
            Method::GatherCmp | Method::GatherCmpRed => (0, true),
            Method::GatherCmpGreen => (1, true),
            Method::GatherCmpBlue => (2, true),
            Method::GatherCmpAlpha => (3, true),
            _ => return Err(MethodError::NoSuchMethod),
        };
        if texture.access == Access::Sampled && texture.dimensions != 2 {
            return Err(MethodError::NoSuchMethod);
        }
        let Some(element) = element_type(ty).numeric() else { return Err(MethodError::NoSuchMethod) };
        if component >= element.components() {
            let message = format!(
                "'{}': the texture's element type {} has no such component",
                call.method.name(),
                element.name()
            );
            self.error(Code::NoMatchingFunction, call.span, message);
            return Err(MethodError::Reported);
        }
        let sampler = if compares { ArgumentSlot::ComparisonSampler } else { ArgumentSlot::Sampler };
        let mut slots = vec![sampler, ArgumentSlot::numbers(Scalar::Float, texture.place())];
        if compares {
            slots.push(ArgumentSlot::In(Type::FLOAT));
        }
        let required = slots.len();
        if texture.offset() > 0 {
            let offset = ArgumentSlot::Offset(texture.offset(), GATHERED);
            let named = !matches!(call.method, Method::Gather | Method::GatherCmp);
            let offsets = if named && call.arguments.len() >= required + 4 { 4 } else { 1 };
            slots.extend(vec![offset; offsets]);
        }
        slots.push(status());
        self.finish_method(call, &slots, required, numbers(element.scalar, 4))
    }
}

/// Returns the arguments of a sampling method, or `None` for other methods.
fn sampling(method: Method, texture: TextureKind) -> Option<Sampling> {
    let number = || ArgumentSlot::In(Type::FLOAT);
    let plain = |more, clamp| Sampling { sampler: ArgumentSlot::Sampler, more, clamp };
    // A three-dimensional texture has no comparison methods.
    let compared = texture.dimensions != 3 || texture.access == Access::Cube;
    match method {
        Method::Sample => Some(plain(vec![], true)),
        Method::SampleBias => Some(plain(vec![number()], true)),
        Method::SampleLevel => Some(plain(vec![number()], false)),
        Method::SampleGrad => {
            Some(plain(vec![ArgumentSlot::numbers(Scalar::Float, texture.dimensions); 2], true))
        }
        Method::SampleCmp | Method::SampleCmpLevelZero if compared => Some(Sampling {
            sampler: ArgumentSlot::ComparisonSampler,
            more: vec![number()],
            clamp: method == Method::SampleCmp,
        }),
        _ => None,
    }
}
