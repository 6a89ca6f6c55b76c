//! `tex2D` and similar functions of Direct3D 9. Their samplers are combined with textures that have their own
//! `t` registers.

use naga::{
    AddressSpace, BinaryOperator as Op, Expression, GlobalVariable, Handle, ImageClass, ImageDimension,
    ResourceBinding, SampleLevel, ScalarKind, TypeInner,
};

use crate::{
    check::tree::{Expr, Intrinsic, Numeric},
    lower::{
        builder::Builder,
        known_objects::KnownObject,
        lowerer::Lowerer,
        resources::RESOURCES,
        result::{Lowered, Value, naga_span},
    },
    session::source::Span,
    syntax::builtin::Scalar,
};

/// The selection of the mip level, and the meaning of the last coordinate.
#[derive(Clone, Copy)]
enum LevelMode {
    Plain,
    Bias,
    Level,
    Gradients,
    Projected,
}

/// Returns the dimension of a function's texture, and its mode.
fn kind(which: Intrinsic) -> Option<(ImageDimension, LevelMode)> {
    use ImageDimension::{Cube, D1, D2, D3};
    use Intrinsic as I;

    Some(match which {
        I::Tex1D => (D1, LevelMode::Plain),
        I::Tex1DBias => (D1, LevelMode::Bias),
        I::Tex1DGrad => (D1, LevelMode::Gradients),
        I::Tex1DLod => (D1, LevelMode::Level),
        I::Tex1DProj => (D1, LevelMode::Projected),
        I::Tex2D => (D2, LevelMode::Plain),
        I::Tex2DBias => (D2, LevelMode::Bias),
        I::Tex2DGrad => (D2, LevelMode::Gradients),
        I::Tex2DLod => (D2, LevelMode::Level),
        I::Tex2DProj => (D2, LevelMode::Projected),
        I::Tex3D => (D3, LevelMode::Plain),
        I::Tex3DBias => (D3, LevelMode::Bias),
        I::Tex3DGrad => (D3, LevelMode::Gradients),
        I::Tex3DLod => (D3, LevelMode::Level),
        I::Tex3DProj => (D3, LevelMode::Projected),
        I::TexCube => (Cube, LevelMode::Plain),
        I::TexCubeBias => (Cube, LevelMode::Bias),
        I::TexCubeGrad => (Cube, LevelMode::Gradients),
        I::TexCubeLod => (Cube, LevelMode::Level),
        I::TexCubeProj => (Cube, LevelMode::Projected),
        _ => return None,
    })
}

impl Lowerer<'_> {
    /// Returns the texture of a combined sampler. Adds it if necessary.
    fn combined(
        &mut self,
        sampler: &KnownObject,
        dim: ImageDimension,
        span: Span,
    ) -> Lowered<Handle<GlobalVariable>> {
        if let Some(variable) = self.combined.get(&sampler.id) {
            return Ok(*variable);
        }
        let Some(binding) = self.bindings.combined.get(&sampler.id).copied() else {
            return Err(self.unsupported(span, "a sampler without a texture"));
        };
        let class = ImageClass::Sampled { kind: ScalarKind::Float, multi: false };
        let ty = self.add_type(None, TypeInner::Image { dim, arrayed: false, class });
        let name = &self.program[sampler.id.global].name;
        let name = match sampler.id.index {
            0 => format!("{name}_texture"),
            index => format!("{name}_texture_{index}"),
        };
        let variable = GlobalVariable {
            name: Some(name),
            space: AddressSpace::Handle,
            binding: Some(ResourceBinding { group: RESOURCES, binding }),
            ty,
            init: None,
            memory_decorations: naga::MemoryDecorations::empty(),
        };
        let variable = self.module.global_variables.append(variable, naga_span(span));
        self.combined.insert(sampler.id, variable);
        Ok(variable)
    }
}

impl Builder<'_, '_> {
    /// Lowers `tex2D` and similar functions. Returns `None` for all other functions.
    pub(crate) fn legacy_sample(
        &mut self,
        which: Intrinsic,
        arguments: &[Expr],
        span: Span,
    ) -> Lowered<Option<Value>> {
        let (Some((dim, mode)), [sampler, place, rest @ ..]) = (kind(which), arguments) else {
            return Ok(None);
        };
        let object = self.object(sampler)?;
        let id = object.id.global;
        if dim == ImageDimension::D2 {
            let is_made = self.lowerer.combined.keys().any(|made| made.global == id);
            self.lowerer.object_facts.flatten(id, is_made);
        }
        let is_flat = dim == ImageDimension::D1 && self.lowerer.object_facts.is_flat(id);
        let texture = if is_flat { ImageDimension::D2 } else { dim };
        let variable = self.lowerer.combined(&object, texture, span)?;
        let image = self.add(Expression::GlobalVariable(variable));
        let sampler = self.sampler(&object, span)?;
        let size = match dim {
            ImageDimension::D1 => 1,
            ImageDimension::D2 => 2,
            ImageDimension::D3 | ImageDimension::Cube => 3,
        };
        let coordinates = Numeric::vector(Scalar::Float, size);
        let wide = Numeric::vector(Scalar::Float, 4);
        let (coordinate, level) = match mode {
            LevelMode::Plain => (self.value_of(place, coordinates)?, SampleLevel::Auto),
            LevelMode::Gradients => {
                let [x, y, ..] = rest else { return Err(self.unsupported(span, which.name())) };
                let coordinate = self.value_of(place, coordinates)?;
                let x = self.value_of(x, coordinates)?;
                let y = self.value_of(y, coordinates)?;
                (coordinate, SampleLevel::Gradient { x, y })
            }
            LevelMode::Bias | LevelMode::Level | LevelMode::Projected => {
                let place = self.value_of(place, wide)?;
                let last = self.access(place, 3);
                let coordinate = self.convert(place, wide, coordinates);
                match mode {
                    LevelMode::Level => (coordinate, SampleLevel::Exact(last)),
                    LevelMode::Projected => {
                        let last = self.fill(last, coordinates);
                        (self.binary(Op::Divide, coordinate, last), SampleLevel::Auto)
                    }
                    _ if dim == ImageDimension::D1 => {
                        let (x, y) = self.biased_changes(coordinate, last, 1);
                        (coordinate, SampleLevel::Gradient { x, y })
                    }
                    _ => (coordinate, SampleLevel::Bias(last)),
                }
            }
        };
        let (coordinate, level) =
            if is_flat { self.flattened(coordinate, level) } else { (coordinate, level) };
        Ok(Some(self.add(Expression::ImageSample {
            image,
            sampler,
            gather: None,
            coordinate,
            array_index: None,
            offset: None,
            level,
            depth_ref: None,
            clamp_to_edge: false,
        })))
    }

    /// Converts coordinates and level of a 1D texture to those in the first row of a 2D texture.
    fn flattened(&mut self, coordinate: Value, level: SampleLevel) -> (Value, SampleLevel) {
        let zero = self.float(0.0);
        let in_row = |builder: &mut Self, x| builder.vector(naga::Scalar::F32, vec![x, zero]);
        let coordinate = in_row(self, coordinate);
        let level = match level {
            SampleLevel::Gradient { x, y } => {
                SampleLevel::Gradient { x: in_row(self, x), y: in_row(self, y) }
            }
            level => level,
        };
        (coordinate, level)
    }
}
