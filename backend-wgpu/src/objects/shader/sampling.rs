//! The pass for samplers that wgpu does not have: a bias of the mip level, `MIRROR_ONCE`, any border colour, filters that
//! give the least or the greatest texel, and filters of what the adapter does not filter.
//!
//! Each expression that samples such a pair of a texture and a sampler becomes the call of a function:
//!
//! * A bias alone is added to the level; wgpu samples.
//! * For all else the function reads and filters the texels itself, by the rules of sections 7.18.5 to 7.18.15 of the
//!   functional specification ([`text`]). It needs nothing of the adapter, so these samplers work everywhere.
//!
//! Filters and address modes are in the key of the module, as branches would cost more than the few variants do. Numbers
//! (bias, limits of the level, border colour) are in the [driver constants](super::driver_constants), as there may be as
//! many as there are samplers. Shaders with other samplers are not rewritten.
//!
//! wgpu ignores the address modes for cube maps, as Direct3D 11 does, so cube maps are sampled by wgpu alone.

mod text;

pub(super) use text::ImageText;

use std::sync::Arc;

use naga::{
    Arena, Constant, Expression, GlobalVariable, Handle, Literal, Module, Range, ResourceBinding,
    SampleLevel, ScalarKind, Span, TypeInner,
};
use onze_ddi::{
    ComparisonFunc, ComponentKind, Filter, FilterReduction, Format, ResourceKind, SampleKind, SampledPair,
    SamplerDesc, ShaderReflection, TextureAddressMode, TextureDimension,
};

use self::text::{LevelArgument, PairText, SamplingOperation};
use crate::services::gpu::Gpu;

use super::{
    RESOURCE_GROUP, binding,
    calls::{self, ExpressionCalls, ReplacementCall},
    image_arguments, sampler_binding,
    snippet::Snippet,
};

/// What code samples a pair of a texture and a sampler.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sampling {
    /// wgpu's, with a bias.
    Biased,
    /// The driver's.
    Computed(SamplingVariant),
    /// No texture is bound: zeros, also beyond its edge and compared with something.
    Nothing,
    /// No level is left of the view: what is out of bounds, which is compared.
    Empty { components: u8, comparison: ComparisonFunc },
}

/// What the driver's code depends on. Of what does not matter it has a neutral value, so that there are few variants.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SamplingVariant {
    filter: Filter,
    address: [TextureAddressMode; 3],
    /// `Never` without a comparison.
    comparison: ComparisonFunc,
    texels: TexelValues,
    /// The texture has a least level.
    clamped: bool,
}

/// A view that is bound.
#[derive(Copy, Clone, Debug)]
pub(crate) struct SampledView {
    pub(crate) format: Format,
    /// The adapter filters it.
    pub(crate) is_filterable: bool,
    pub(crate) levels: ViewLevels,
}

/// The levels that the texture's least level has left of a view.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum ViewLevels {
    All,
    Some,
    None,
}

/// What values the texels of a format have.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TexelValues {
    /// Bit n: there is a component n.
    pub(crate) components: u8,
    numbers: ValueRange,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
enum ValueRange {
    /// 0 to 1, of so many bits; 0 where these do not matter.
    Unorm(u8),
    /// -1 to 1.
    Snorm,
    /// 0 and more.
    Positive,
    /// All numbers.
    Any,
    /// Integers from the first one to the last one.
    Integer(i32, u32),
}

impl TexelValues {
    /// Where it does not matter.
    const UNKNOWN: Self = Self { components: 0xf, numbers: ValueRange::Any };

    pub(crate) fn of(format: Format) -> Self {
        let bits = format.component_bits();
        let components = (0..4).filter(|n| bits[*n] != 0).fold(0, |all, n| all | 1 << n);
        let most = bits.into_iter().max().unwrap_or(0).clamp(1, 32);
        let numbers = match format.component_kind() {
            ComponentKind::Unorm => ValueRange::Unorm(bits[0]),
            ComponentKind::Snorm => ValueRange::Snorm,
            ComponentKind::Uint => ValueRange::Integer(0, u32::MAX >> (32 - most)),
            ComponentKind::Sint => {
                let greatest = u32::MAX >> (33 - u32::from(most)).min(31);
                ValueRange::Integer(-(greatest as i32) - 1, greatest)
            }
            _ if matches!(
                format,
                Format::R11G11B10_FLOAT | Format::R9G9B9E5_SHAREDEXP | Format::BC6H_UF16
            ) =>
            {
                ValueRange::Positive
            }
            ComponentKind::Float
            | ComponentKind::Depth
            | ComponentKind::Typeless
            | ComponentKind::Unknown => ValueRange::Any,
        };
        Self { components, numbers }
    }
}

/// Of each of a shader's sampled pairs, in their order, what code samples it; `None` for wgpu's alone. `None` for all if
/// wgpu samples all of them.
pub(crate) type Samplings = Option<Arc<[Option<Sampling>]>>;

/// The colours that wgpu has for borders.
const PLAIN_BORDERS: [[f32; 4]; 3] = [[0.0; 4], [0.0, 0.0, 0.0, 1.0], [1.0; 4]];

impl SamplingVariant {
    /// Of what matters for a texture with so many axes.
    fn new(
        format: Format,
        sampler: &SamplerDesc,
        address: [TextureAddressMode; 3],
        axes: usize,
        clamped: bool,
    ) -> Self {
        let mut filter = sampler.filter;
        // Only of 2D textures (7.18.11); the parts are linear.
        filter.anisotropic &= axes == 2;
        // References are compared in the format's precision.
        let mut texels = TexelValues::of(format);
        let is_rounded = filter.is_comparison() && matches!(texels.numbers, ValueRange::Unorm(_));
        if !address.contains(&TextureAddressMode::Border) && !is_rounded {
            // What is out of bounds of a clamped texture has the components of the format.
            let components = if clamped { texels.components } else { TexelValues::UNKNOWN.components };
            texels = TexelValues { components, ..TexelValues::UNKNOWN };
        }
        if let ValueRange::Unorm(bits) = &mut texels.numbers
            && !is_rounded
        {
            *bits = 0;
        }
        Self { filter, address, comparison: sampler.comparison_func, texels, clamped }
    }
}

/// What wgpu has on an adapter.
#[derive(Copy, Clone, Debug)]
pub(crate) struct SamplingAbilities {
    /// Samplers have borders.
    pub(crate) has_borders: bool,
    /// Shaders load texels of depth textures, which GLSL cannot say.
    pub(crate) loads_depth: bool,
}

impl SamplingAbilities {
    pub(crate) fn of(gpu: &Gpu) -> Self {
        Self {
            has_borders: gpu.features.contains(wgpu::Features::ADDRESS_MODE_CLAMP_TO_BORDER),
            loads_depth: gpu.info.backend != wgpu::Backend::Gl,
        }
    }
}

/// A sampler has what no code gives.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inexact;

impl Sampling {
    /// What code samples a texture that a shader declares as `kind`, with a view if there is one, through a sampler.
    ///
    /// # Errors
    /// There is no such code: wgpu samples, as far as it can.
    pub(crate) fn of(
        kind: &ResourceKind,
        view: Option<SampledView>,
        sampler: &SamplerDesc,
        abilities: SamplingAbilities,
    ) -> Result<Option<Self>, Inexact> {
        let ResourceKind::Texture { dimension, multisampled: false, sample } = *kind else { return Ok(None) };
        let axes = match dimension {
            TextureDimension::Cube | TextureDimension::CubeArray => 0,
            TextureDimension::D1 => 1,
            TextureDimension::D2 | TextureDimension::D2Array => 2,
            TextureDimension::D3 => 3,
        };
        let modes = [sampler.address_u, sampler.address_v, sampler.address_w];
        let mut address = [TextureAddressMode::Clamp; 3];
        address.iter_mut().zip(modes).take(axes).for_each(|(address, mode)| *address = mode);
        let is_border = address.contains(&TextureAddressMode::Border);
        let Some(SampledView { format, is_filterable, levels }) = view else {
            return Ok((is_border || sampler.filter.is_comparison()).then_some(Self::Nothing));
        };
        if levels == ViewLevels::None {
            let TexelValues { components, .. } = TexelValues::of(format);
            return Ok(Some(Self::Empty { components, comparison: sampler.comparison_func }));
        }
        let is_integer = matches!(sample, SampleKind::Sint | SampleKind::Uint);
        let lacks_border = is_border
            && (!abilities.has_borders || is_integer || !PLAIN_BORDERS.contains(&sampler.border_color));
        let is_biased = sampler.mip_lod_bias != 0.0 && !is_integer;
        let is_filtered = sampler.filter.to_u32() != 0 && sample == SampleKind::Float;
        let is_computed = address.contains(&TextureAddressMode::MirrorOnce)
            || lacks_border
            || levels == ViewLevels::Some
            || matches!(sampler.filter.reduction, FilterReduction::Minimum | FilterReduction::Maximum)
            || is_filtered && !is_filterable
            // WGSL has no bias for these.
            || is_biased && (sample == SampleKind::Depth || dimension == TextureDimension::D1);
        if !is_computed {
            return Ok(is_biased.then_some(Self::Biased));
        }
        if axes == 0 || sample == SampleKind::Depth && !abilities.loads_depth {
            return Err(Inexact);
        }
        Ok(Some(Self::Computed(SamplingVariant::new(
            format,
            sampler,
            address,
            axes,
            levels == ViewLevels::Some,
        ))))
    }

    /// Whether the code reads the driver constants.
    pub(crate) const fn reads_constants(&self) -> bool {
        matches!(self, Self::Biased | Self::Computed(_))
    }
}

/// The variables of a pair, and its code.
struct RewrittenPair {
    image: Handle<GlobalVariable>,
    sampler: Handle<GlobalVariable>,
    pair: PairText,
}

/// Rewrites a module for what is bound. `block` is the variable of the driver constants, which a module has if the code
/// of any pair reads them.
pub(super) fn apply(
    module: &mut Module,
    reflection: &ShaderReflection,
    lane: usize,
    samplings: &[Option<Sampling>],
    block: Option<Handle<GlobalVariable>>,
) {
    let pairs: Vec<_> = reflection
        .sampled_pairs
        .iter()
        .zip(samplings)
        .filter_map(|(pair, sampling)| rewritten(module, lane, *pair, (*sampling)?))
        .collect();
    image_arguments::resolve(module, &|variable| {
        pairs.iter().any(|pair| [pair.image, pair.sampler].contains(&variable))
    });
    // What is rewritten where: the place in `operations`, and what the function is given.
    let mut sites = Vec::new();
    let mut operations: Vec<SamplingOperation> = Vec::new();
    for place in calls::places(module) {
        let Some(function) = calls::function_at(module, place) else { continue };
        let all: Vec<_> =
            function.expressions.iter().map(|(handle, found)| (handle, found.clone())).collect();
        for (handle, expression) in all {
            let Some((operation, given)) = sampled(module, place, &expression, &pairs) else { continue };
            let at = operations.iter().position(|known| *known == operation).unwrap_or_else(|| {
                operations.push(operation);
                operations.len() - 1
            });
            sites.push((place, handle, at, given));
        }
    }
    let text = text::text(&pairs.iter().map(|pair| &pair.pair).collect::<Vec<_>>(), &operations);
    let names: Vec<_> = pairs
        .iter()
        .flat_map(|pair| [(pair.pair.image.name.clone(), pair.image), (pair.pair.sampler(), pair.sampler)])
        .collect();
    let variables = names.iter().map(|(name, variable)| (name.as_str(), Some(*variable)));
    let variables: Vec<_> = variables.chain([("driver_constants", block)]).collect();
    let mut functions = Arena::new();
    let by_name = Snippet::new(module, &text, &variables).import(&mut functions);
    let mut calls = ExpressionCalls::new();
    for (place, handle, at, SamplingArguments { arguments, emits }) in sites {
        let Some(&function) = by_name.get(&text::name(at)) else { continue };
        calls.insert((place, handle), ReplacementCall { function, arguments, emits, result: Some(handle) });
    }
    calls::insert(module, functions, &calls, &mut |_, _| None);
}

/// The variables of a pair: they are found by their bindings, as other passes may have moved them.
fn rewritten(module: &Module, lane: usize, pair: SampledPair, sampling: Sampling) -> Option<RewrittenPair> {
    let variable = |binding: u32| {
        let place = ResourceBinding { group: RESOURCE_GROUP as u32, binding };
        module.global_variables.iter().find(|(_, variable)| variable.binding == Some(place))
    };
    let (image, variable_of_image) = variable(binding(lane, pair.resource))?;
    let (sampler, variable_of_sampler) = variable(sampler_binding(lane, pair.sampler))?;
    let TypeInner::Image { dim, arrayed, class } = module.types[variable_of_image.ty].inner else {
        return None;
    };
    let TypeInner::Sampler { comparison } = module.types[variable_of_sampler.ty].inner else { return None };
    let image_text = ImageText { name: format!("texture_{}", pair.resource), dim, arrayed, class };
    let pair = PairText { slots: pair, image: image_text, comparison, sampling };
    Some(RewrittenPair { image, sampler, pair })
}

/// What the function of an expression is given.
struct SamplingArguments {
    arguments: Vec<Handle<Expression>>,
    /// Those of the arguments that nothing else emits.
    emits: Option<Range<Expression>>,
}

/// What an expression does if its pair is rewritten, and what the function for it is given, some of which is added.
fn sampled(
    module: &mut Module,
    place: calls::ModuleFunction,
    expression: &Expression,
    pairs: &[RewrittenPair],
) -> Option<(SamplingOperation, SamplingArguments)> {
    let &Expression::ImageSample {
        image,
        sampler,
        gather,
        coordinate,
        array_index,
        offset,
        level,
        depth_ref,
        clamp_to_edge: false,
    } = expression
    else {
        return None;
    };
    let offset = offset.map_or(Some([0; 3]), |offset| offset_of(module, place, offset))?;
    let function = calls::function_at(module, place)?;
    let variable = |handle| match function.expressions.try_get(handle) {
        Ok(Expression::GlobalVariable(variable)) => Some(*variable),
        _ => None,
    };
    let (image, sampler) = (variable(image)?, variable(sampler)?);
    let at = pairs.iter().position(|pair| (pair.image, pair.sampler) == (image, sampler))?;
    let pair = &pairs[at].pair;
    let before = function.expressions.len();
    let mut as_float = |expr| {
        let float = Expression::As { expr, kind: ScalarKind::Float, convert: Some(4) };
        function.expressions.append(float, Span::UNDEFINED)
    };
    let mut arguments = vec![coordinate];
    arguments.extend(array_index.map(&mut as_float));
    let level = match (gather, level) {
        (Some(component), _) => LevelArgument::Gather(component),
        (None, SampleLevel::Auto) => LevelArgument::Auto,
        (None, SampleLevel::Zero) => LevelArgument::Zero,
        (None, SampleLevel::Exact(level)) => {
            // Levels of depth textures are integers in WGSL.
            let is_depth = pair.image.is_depth();
            arguments.push(if is_depth { as_float(level) } else { level });
            LevelArgument::Exact
        }
        (None, SampleLevel::Bias(bias)) => {
            arguments.push(bias);
            LevelArgument::Bias
        }
        (None, SampleLevel::Gradient { x, y }) => {
            arguments.extend([x, y]);
            LevelArgument::Gradient
        }
    };
    arguments.extend(depth_ref);
    let emits = (function.expressions.len() > before).then(|| function.expressions.range_from(before));
    Some((SamplingOperation { pair: at, level, offset }, SamplingArguments { arguments, emits }))
}

/// The components of an offset, which is constant.
fn offset_of(
    module: &mut Module,
    place: calls::ModuleFunction,
    offset: Handle<Expression>,
) -> Option<[i32; 3]> {
    let constants = module.constants.clone();
    let globals = module.global_expressions.clone();
    let function = calls::function_at(module, place)?;
    let mut components = Vec::new();
    constant_components(&function.expressions, &constants, &globals, offset, &mut components)?;
    let mut offset = [0; 3];
    offset.iter_mut().zip(components).for_each(|(to, from)| *to = from);
    Some(offset)
}

/// Adds the integers of a constant expression.
fn constant_components(
    expressions: &Arena<Expression>,
    constants: &Arena<Constant>,
    globals: &Arena<Expression>,
    expression: Handle<Expression>,
    found: &mut Vec<i32>,
) -> Option<()> {
    match expressions.try_get(expression).ok()? {
        Expression::Literal(Literal::I32(value)) => found.push(*value),
        Expression::Literal(Literal::U32(value)) => found.push(*value as i32),
        Expression::Literal(Literal::AbstractInt(value)) => found.push(*value as i32),
        Expression::ZeroValue(_) => {}
        Expression::Splat { value, .. } => {
            constant_components(expressions, constants, globals, *value, found)?;
            found.extend(found.last().copied().map(|value| [value; 2]).into_iter().flatten());
        }
        Expression::Compose { components, .. } => {
            for component in components {
                constant_components(expressions, constants, globals, *component, found)?;
            }
        }
        Expression::Constant(constant) => {
            let init = constants.try_get(*constant).ok()?.init;
            constant_components(globals, constants, globals, init, found)?;
        }
        // The front ends have worked out all others.
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests;
