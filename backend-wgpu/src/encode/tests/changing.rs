//! Pairs of draws between which a single field of the state changes.
//!
//! Draws add their colours, so the picture shows both draws even if one covers the other.

use std::sync::Arc;

use onze_ddi::{
    Blend, BlendDesc, ColorWrite, ComparisonFunc, CullMode, DepthStencilDesc, DepthStencilOpDesc, DsvFlags,
    ElementDesc, Filter, Format, InputClassification, PrimitiveTopology, RasterizerDesc, Rect,
    RenderTargetBlendDesc, SamplerDesc, ShaderStage, TextureAddressMode, Viewport,
};

use super::{
    copying::upload,
    scene::{Bench, Recording},
};
use crate::{
    objects::{
        allocator::Storage,
        resource::Resource,
        shader::Shader,
        state::{BlendState, DepthStencilState, ElementLayout, RasterizerState, Sampler},
        view::View,
    },
    record::{
        command::{Bind, Command, NO_OBJECT, SideRange},
        object_table::PageObject,
        page::BlendFactor,
    },
};

const RGBA8: Format = Format::R8G8B8A8_UNORM;

/// Positions from a buffer, scaled and moved by constants.
const PLACED: &str = "
    @group(0) @binding(0) var<uniform> place: vec4f;
    @vertex fn main(@location(0) position: vec2f) -> @builtin(position) vec4f {
        return vec4f(position * place.xy + place.zw, 0.5, 1.0);
    }";

/// The sum of two constants and a texel from beyond the right edge of a texture.
const MIXED: &str = "
    struct Two { a: vec4f, b: vec4f }
    @group(0) @binding(0) var<uniform> two: Two;
    @group(1) @binding(0) var image: texture_2d<f32>;
    @group(2) @binding(0) var image_sampler: sampler;
    @fragment fn main() -> @location(0) vec4f {
        return two.a + two.b + textureSampleLevel(image, image_sampler, vec2f(1.25, 0.5), 0.0);
    }";

pub(super) const PLAIN: Command = Command::Draw { vertex_count: 3, start_vertex: 0 };
pub(super) const INDEXED: Command = Command::DrawIndexed { index_count: 3, start_index: 0, base_vertex: 0 };

/// Commands that change the state between two draws of a page.
pub(super) type Change<'a> = &'a dyn Fn(&Scene, &mut Recording);

/// Returns channels in units of 1/255, because sums of these are exact in the target.
fn units(values: [u8; 4]) -> Vec<u8> {
    values.iter().flat_map(|n| (f32::from(*n) / 255.0).to_le_bytes()).collect()
}

/// Creates a state that tests depth and stencil but never writes them.
fn depth_state(bench: &Bench, depth: ComparisonFunc, stencil: ComparisonFunc) -> Arc<DepthStencilState> {
    let face = DepthStencilOpDesc { stencil_func: stencil, ..DepthStencilOpDesc::default() };
    let desc = DepthStencilDesc {
        depth_write: false,
        depth_func: depth,
        stencil_enable: true,
        front_face: face,
        back_face: face,
        ..DepthStencilDesc::default()
    };
    DepthStencilState::new(&bench.device.gpu, &desc)
}

pub(super) struct Scene {
    pub(super) bench: Bench,
    pub(super) target: Arc<Resource>,
    pub(super) views: [Arc<View>; 2],
    /// Depth targets. Draws fail the depth test against the cleared first one and pass it against the second
    /// one.
    depths: [Arc<View>; 2],
    vertex: [Arc<Shader>; 2],
    /// The third shader reads only the first of the two constants.
    pixel: [Arc<Shader>; 3],
    /// Layouts of one position element, at offset 0 and at offset 16.
    layouts: [Arc<ElementLayout>; 2],
    pub(super) vertices: [Arc<Storage>; 2],
    /// Six 16-bit indices of two triangles, followed in the first buffer by three 32-bit indices.
    pub(super) indices: [Arc<Storage>; 2],
    pub(super) constants: [Arc<Storage>; 2],
    pub(super) textures: [Arc<Resource>; 2],
    pub(super) images: [Arc<View>; 2],
    /// States without a test, with a depth test, and with a stencil test.
    depth_states: [Arc<DepthStencilState>; 3],
}

impl Scene {
    pub(super) fn new() -> Option<Self> {
        let bench = Bench::new()?;
        let [target, other] = [(); 2].map(|()| bench.target(RGBA8, 4, 4));
        let views = [&target, &other].map(|texture| bench.rtv(texture, RGBA8));
        let depths = [(); 2].map(|()| {
            let depth = bench.depth(Format::R24G8_TYPELESS, 4, 4);
            bench.dsv(&depth, Format::D24_UNORM_S8_UINT, DsvFlags::empty())
        });
        let layouts = [0, 16].map(|offset| {
            let class = InputClassification::PerVertexData;
            let element = ElementDesc {
                location: 0,
                format: Format::R32G32_FLOAT,
                input_slot: 0,
                offset,
                class,
                step_rate: 0,
            };
            ElementLayout::new(&bench.device.gpu, &[element]).unwrap()
        });
        // A triangle over the whole target, then one over its upper left half.
        let corners = [[-1.0f32, 1.0], [3.0, 1.0], [-1.0, -3.0], [-1.0, 1.0], [1.0, 1.0], [-1.0, -1.0]];
        let mut turned = corners;
        turned.rotate_left(3);
        let vertices = [corners, turned].map(|corners| bench.buffer(bytemuck::cast_slice(&corners)));
        let indices = [[0u16, 1, 2, 3, 4, 5, 0, 0, 1, 0, 2, 0], [3, 4, 5, 0, 1, 2, 0, 0, 0, 0, 0, 0]];
        let mut constants = Vec::new();
        for [a, b] in [[[1, 0, 0, 0], [0, 1, 0, 0]], [[2, 0, 0, 0], [0, 3, 0, 0]]] {
            constants.extend([units(a), units(b), vec![0; 224]].concat());
        }
        // Transformations of the positions: first the identity, then a shift downwards by one half of the
        // target.
        for place in [[1.0f32, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, -1.0]] {
            constants.extend_from_slice(bytemuck::cast_slice(&place));
            constants.extend([0; 240]);
        }
        let mut others = constants.clone();
        others[..16].copy_from_slice(&units([4, 0, 0, 0]));
        others[256..272].copy_from_slice(&units([5, 0, 0, 0]));
        others[512..528].copy_from_slice(bytemuck::cast_slice(&[1.0f32, 1.0, 0.0, -0.5]));
        let textures = [(); 2].map(|()| bench.target(RGBA8, 2, 1));
        let depth_states = [
            (ComparisonFunc::Always, ComparisonFunc::Always),
            (ComparisonFunc::Less, ComparisonFunc::Always),
            (ComparisonFunc::Always, ComparisonFunc::Equal),
        ]
        .map(|(depth, stencil)| depth_state(&bench, depth, stencil));
        let mut scene = Self {
            target,
            views,
            depths,
            vertex: [
                bench.vertex(PLACED),
                bench.vertex(&PLACED.replace("position * place", "position * 0.5 * place")),
            ],
            pixel: [
                bench.pixel(MIXED),
                bench.pixel(&MIXED.replace("two.a +", "two.a * 2.0 +")),
                bench.pixel(&MIXED.replace("b: vec4f", "").replace("two.b +", "")),
            ],
            layouts,
            vertices,
            indices: indices.map(|indices| bench.buffer(bytemuck::cast_slice(&indices))),
            constants: [bench.buffer(&constants), bench.buffer(&others)],
            images: textures.each_ref().map(|image| bench.srv(image, RGBA8)),
            textures,
            depth_states,
            bench,
        };
        for (image, texels) in
            scene.textures.clone().iter().zip([[0, 0, 1, 0, 0, 0, 3, 0], [0, 0, 0, 2, 0, 0, 0, 5]])
        {
            let mut row = vec![0; 256];
            row[..8].copy_from_slice(&texels);
            let row = scene.bench.buffer(&row);
            let mut page = Recording::default();
            upload(&mut page, &row, image, [2, 1, 1]);
            scene.bench.run(vec![page]);
        }
        Some(scene)
    }

    /// Binds everything that a draw needs.
    pub(super) fn bind(&self, page: &mut Recording) {
        let [depth, _] = &self.depths;
        page.targets(&[Some(&self.views[0])], Some(depth)).shaders(&self.vertex[0], Some(&self.pixel[0]));
        page.layout(&self.layouts[0]).vertices(&self.vertices[0], 8, 0, 48);
        page.indices(&self.indices[0], false, 0, 24);
        page.constants(ShaderStage::Vertex, &self.constants[0], 512, 16);
        page.constants(ShaderStage::Pixel, &self.constants[0], 0, 32);
        self.image(page, 0);
        self.sampler(page, TextureAddressMode::Wrap);
        self.blend(page, RenderTargetBlendDesc::default());
        self.depth_state(page, 0, 0);
        self.rasterizer(page, RasterizerDesc::default());
        page.page.rects.extend([
            Rect { left: 0, top: 0, right: 2, bottom: 4 },
            Rect { left: 1, top: 0, right: 4, bottom: 1 },
        ]);
        page.push(Command::SetScissorRects(SideRange { first: 0, count: 1 }));
    }

    fn pixel_shader(&self, page: &mut Recording, shader: usize) {
        let object = page.object(PageObject::Shader(self.pixel[shader].clone()));
        page.push(Bind::Shader { stage: ShaderStage::Pixel, object });
    }

    fn image(&self, page: &mut Recording, image: usize) {
        let object = page.view(&self.images[image]);
        page.push(Bind::ShaderResource { stage: ShaderStage::Pixel, slot: 0, object });
    }

    fn sampler(&self, page: &mut Recording, address: TextureAddressMode) {
        let desc = SamplerDesc::new(Filter::MIN_MAG_MIP_POINT, address);
        let object = page.object(PageObject::Sampler(Sampler::new(&self.bench.device.gpu, &desc).unwrap()));
        page.push(Bind::Sampler { stage: ShaderStage::Pixel, slot: 0, object });
    }

    /// Binds a blend state that adds the colours of draws to the target.
    fn blend(&self, page: &mut Recording, desc: RenderTargetBlendDesc) {
        let desc = RenderTargetBlendDesc {
            blend_enable: true,
            dest_blend: Blend::One,
            dest_blend_alpha: Blend::One,
            ..desc
        };
        let state = BlendState::new(&self.bench.device.gpu, &BlendDesc::all(desc)).unwrap();
        let object = page.object(PageObject::BlendState(state));
        page.push(Bind::BlendState(object));
    }

    fn factor(page: &mut Recording, factor: [f32; 4], sample_mask: u32) {
        page.page.blend_factors.push(BlendFactor { factor, sample_mask });
        let at = page.page.blend_factors.len() as u32 - 1;
        page.push(Command::SetBlendFactor(at));
    }

    fn depth_state(&self, page: &mut Recording, state: usize, stencil_ref: u8) {
        let object = page.object(PageObject::DepthStencilState(self.depth_states[state].clone()));
        page.push(Bind::DepthStencilState { stencil_ref, object });
    }

    /// Binds a rasterizer state, which disables culling if `desc` has the default cull mode.
    fn rasterizer(&self, page: &mut Recording, desc: RasterizerDesc) {
        let cull_mode = if desc.cull_mode == CullMode::Back { CullMode::None } else { desc.cull_mode };
        let state =
            RasterizerState::new(&self.bench.device.gpu, &RasterizerDesc { cull_mode, ..desc }).unwrap();
        let object = page.object(PageObject::RasterizerState(state));
        page.push(Bind::RasterizerState(object));
    }

    /// Returns a page that clears the colour and depth targets.
    pub(super) fn clears(&self) -> Recording {
        let mut page = Recording::default();
        page.clear(&self.views[0], [0.0; 4]).clear(&self.views[1], [0.0; 4]);
        for (view, depth) in self.depths.iter().zip([0.25, 1.0]) {
            page.clear_depth(view, 3, depth, 7);
        }
        page
    }

    /// Returns a page that binds everything, then applies each change and draws `draws` times after it.
    pub(super) fn page(&self, parts: &[Change<'_>], draw: Command, draws: u32) -> Recording {
        let mut page = Recording::default();
        self.bind(&mut page);
        for (n, part) in parts.iter().enumerate() {
            part(self, &mut page);
            // The first change only prepares the state, so no draw follows it.
            if n > 0 {
                (0..draws).for_each(|_| _ = page.push(draw));
                page.page.draws += draws;
            }
        }
        page
    }

    /// Draws a page on cleared targets and returns the texels of the first one.
    pub(super) fn picture(&mut self, page: Recording) -> Vec<u8> {
        let clears = self.clears();
        self.bench.run(vec![clears, page]);
        self.bench.texels(&self.target, 0, 0)
    }

    /// Draws a command list's page three times and returns the texels of each execution.
    fn pictures_of_list(&mut self, mut page: Recording) -> Vec<Vec<u8>> {
        page.page.is_listed = true;
        let page = page.finish();
        let execute = |_| {
            let pages = vec![self.clears().finish(), page.clone()];
            self.bench.run_pages(pages);
            self.bench.texels(&self.target, 0, 0)
        };
        (0..3).map(execute).collect()
    }

    /// Checks that draws see a change, where `first` and `then` bind the state before and after it.
    fn check(&mut self, what: &str, first: Change<'_>, then: Change<'_>, draw: Command) {
        let nothing: Change<'_> = &|_, _| ();
        let before = self.picture(self.page(&[first, nothing], draw, 1));
        let both: Change<'_> = &|scene, page| {
            first(scene, page);
            then(scene, page);
        };
        let after = self.picture(self.page(&[both, nothing], draw, 1));
        assert_ne!(before, after, "{what}, {draw:?}: nothing is seen of it");
        let sum = |n: u8| before.iter().zip(&after).map(|(a, b)| a * n + b * n).collect::<Vec<_>>();
        for draws in [1, 2] {
            let found = self.picture(self.page(&[first, nothing, then], draw, draws));
            assert_eq!(found, sum(draws as u8), "{what}, {draw:?}, {draws} draws");
        }
        for found in self.pictures_of_list(self.page(&[first, nothing, then], draw, 16)) {
            assert_eq!(found, sum(16), "{what}, {draw:?}, in a list");
        }
    }
}

/// Checks that plain and indexed draws see each of the changes.
fn check_all(changes: &[(&str, Change<'_>, Change<'_>)]) {
    let Some(mut scene) = Scene::new() else { return };
    for (what, first, then) in changes {
        for draw in [PLAIN, INDEXED] {
            scene.check(what, first, then, draw);
        }
    }
}

pub(super) const NOTHING: Change<'static> = &|_, _| ();

#[test]
fn one_changed_field_of_a_vertex_buffer_is_seen() {
    check_all(&[
        ("the stride", NOTHING, &|s, page| _ = page.vertices(&s.vertices[0], 16, 0, 48)),
        ("the offset", NOTHING, &|s, page| _ = page.vertices(&s.vertices[0], 8, 24, 24)),
        ("the buffer", NOTHING, &|s, page| _ = page.vertices(&s.vertices[1], 8, 0, 48)),
        ("whether there is one", NOTHING, &|_, page| {
            let (slot, object, stride, offset, size) = (0, NO_OBJECT, 8, 0, 0);
            page.push(Command::SetVertexBuffer { slot, object, stride, offset, size });
        }),
        ("the layout", NOTHING, &|s, page| _ = page.layout(&s.layouts[1])),
        ("the topology", NOTHING, &|_, page| _ = page.push(Bind::Topology(PrimitiveTopology::LineList))),
    ]);
    let Some(mut scene) = Scene::new() else { return };
    // The vertices that an indexed draw reads are unknown, so this is checked only for plain draws.
    let size: Change<'_> = &|s, page| _ = page.vertices(&s.vertices[0], 8, 0, 16);
    scene.check("the size", NOTHING, size, PLAIN);
}

#[test]
fn one_changed_field_of_an_index_buffer_is_seen() {
    let Some(mut scene) = Scene::new() else { return };
    let changes: [(&str, Change<'_>, Change<'_>); 6] = [
        // Read as 16-bit indices, the entries select only two vertices, so no triangle is drawn.
        ("the width", &|s, page| _ = page.indices(&s.indices[0], false, 12, 12), &|s, page| {
            page.indices(&s.indices[0], true, 12, 12);
        }),
        ("the offset", NOTHING, &|s, page| _ = page.indices(&s.indices[0], false, 6, 18)),
        ("the size", NOTHING, &|s, page| _ = page.indices(&s.indices[0], false, 0, 4)),
        ("the buffer", NOTHING, &|s, page| _ = page.indices(&s.indices[1], false, 0, 24)),
        // The width is also part of the key of pipelines for strips.
        (
            "the width for a strip",
            &|s, page| {
                page.indices(&s.indices[0], false, 12, 12);
                page.push(Bind::Topology(PrimitiveTopology::TriangleStrip));
            },
            &|s, page| _ = page.indices(&s.indices[0], true, 12, 12),
        ),
        ("whether there is one", NOTHING, &|_, page| {
            page.push(Command::SetIndexBuffer { wide: false, object: NO_OBJECT, offset: 0, size: 0 });
        }),
    ];
    for (what, first, then) in changes {
        scene.check(what, first, then, INDEXED);
    }
}

#[test]
fn one_changed_field_of_a_shader_binding_is_seen() {
    let pixel = ShaderStage::Pixel;
    check_all(&[
        ("where the constants are", NOTHING, &|s, page| {
            page.constants(pixel, &s.constants[0], 256, 32);
        }),
        ("how many constants there are", NOTHING, &|s, page| {
            page.constants(pixel, &s.constants[0], 0, 16);
        }),
        ("where too few constants are", NOTHING, &|s, page| {
            page.constants(pixel, &s.constants[0], 256, 16);
        }),
        (
            "that there are enough constants",
            &|s, page| _ = page.constants(pixel, &s.constants[0], 0, 16),
            &|s, page| {
                page.constants(pixel, &s.constants[0], 0, 32);
            },
        ),
        ("the constant buffer", NOTHING, &|s, page| _ = page.constants(pixel, &s.constants[1], 0, 32)),
        ("the constants of the other stage", NOTHING, &|s, page| {
            page.constants(ShaderStage::Vertex, &s.constants[0], 768, 16);
        }),
        ("the other stage's constant buffer", NOTHING, &|s, page| {
            page.constants(ShaderStage::Vertex, &s.constants[1], 512, 16);
        }),
        ("the texture", NOTHING, &|s, page| s.image(page, 1)),
        ("whether there is a texture", NOTHING, &|_, page| {
            page.push(Bind::ShaderResource { stage: pixel, slot: 0, object: NO_OBJECT });
        }),
        ("the sampler", NOTHING, &|s, page| s.sampler(page, TextureAddressMode::Clamp)),
        ("the pixel shader", NOTHING, &|s, page| s.pixel_shader(page, 1)),
        ("how many constants a shader reads", &|s, page| s.pixel_shader(page, 2), &|s, page| {
            s.pixel_shader(page, 0);
        }),
        ("how few constants a shader reads", NOTHING, &|s, page| s.pixel_shader(page, 2)),
        ("the vertex shader", NOTHING, &|s, page| {
            let object = page.object(PageObject::Shader(s.vertex[1].clone()));
            page.push(Bind::Shader { stage: ShaderStage::Vertex, object });
        }),
    ]);
}

#[test]
fn one_changed_field_of_the_covered_area_is_seen() {
    let scissor = |s: &Scene, page: &mut Recording| {
        s.rasterizer(page, RasterizerDesc { scissor_enable: true, ..RasterizerDesc::default() });
    };
    let below = |s: &Scene, page: &mut Recording| s.depth_state(page, 1, 0);
    let marked = |s: &Scene, page: &mut Recording| s.depth_state(page, 2, 0);
    check_all(&[
        ("what is culled", NOTHING, &|s, page| {
            s.rasterizer(page, RasterizerDesc { cull_mode: CullMode::Front, ..RasterizerDesc::default() });
        }),
        ("whether the rectangle counts", NOTHING, &scissor),
        ("the rectangle", &scissor, &|_, page| {
            _ = page.push(Command::SetScissorRects(SideRange { first: 1, count: 1 }));
        }),
        ("the viewport", NOTHING, &|_, page| _ = page.viewport(Viewport::sized(2.0, 3.0))),
        ("the depth test", NOTHING, &below),
        // Draws fail the depth test against the cleared first target and pass it against the second one.
        ("the depth target", &below, &|s, page| {
            page.targets(&[Some(&s.views[0])], Some(&s.depths[1]));
        }),
        ("the stencil test", NOTHING, &marked),
        ("the stencil reference", &marked, &|s, page| s.depth_state(page, 2, 7)),
    ]);
}

#[test]
fn one_changed_field_of_the_output_state_is_seen() {
    let factor = |s: &Scene, page: &mut Recording| {
        s.blend(page, RenderTargetBlendDesc { src_blend: Blend::BlendFactor, ..Default::default() });
        Scene::factor(page, [1.0; 4], u32::MAX);
    };
    check_all(&[
        ("the blend state", NOTHING, &|s, page| {
            let render_target_write_mask = ColorWrite::GREEN;
            s.blend(page, RenderTargetBlendDesc { render_target_write_mask, ..Default::default() });
        }),
        ("the blend factor", &factor, &|_, page| Scene::factor(page, [0.0, 1.0, 1.0, 1.0], u32::MAX)),
        ("the sample mask", &factor, &|_, page| Scene::factor(page, [1.0; 4], 0)),
        ("the colour target", NOTHING, &|s, page| {
            page.targets(&[Some(&s.views[1])], Some(&s.depths[0]));
        }),
        ("the slot of the colour target", NOTHING, &|s, page| {
            page.targets(&[None, Some(&s.views[0])], Some(&s.depths[0]));
        }),
    ]);
}

/// Both draws have the same state, so the second one is made without changes to the pass.
#[test]
fn indices_are_counted_in_their_own_width() {
    let Some(mut scene) = Scene::new() else { return };
    for (wide, offset) in [(false, 0), (true, 12)] {
        // The buffer has exactly three indices, so the others read as index 0.
        let size = if wide { 12 } else { 6 };
        let three: Change<'_> = &|s, page| _ = page.indices(&s.indices[0], wide, offset, size);
        let once = scene.picture(scene.page(&[three, NOTHING], INDEXED, 1));
        let mut page = scene.page(&[three, NOTHING], INDEXED, 1);
        page.push(Command::DrawIndexed { index_count: 6, start_index: 0, base_vertex: 0 });
        let twice: Vec<_> = once.iter().map(|n| n * 2).collect();
        assert_eq!(scene.picture(page), twice, "wide: {wide}");
    }
}

/// The second draw is made without changes to the pass, if the bound buffers contain everything that it
/// reads.
#[test]
fn one_changed_field_of_a_draw_call_is_seen() {
    let Some(mut scene) = Scene::new() else { return };
    let plain = |vertex_count, start_vertex| Command::Draw { vertex_count, start_vertex };
    let indexed = |index_count, start_index, base_vertex| Command::DrawIndexed {
        index_count,
        start_index,
        base_vertex,
    };
    // There are six vertices and six indices, and reads beyond them return zeros.
    let indices: Change<'_> = &|s, page| _ = page.indices(&s.indices[0], false, 0, 12);
    for (first, then) in [
        (plain(3, 0), plain(6, 0)),
        (plain(3, 0), plain(3, 3)),
        (plain(3, 0), plain(3, 4)),
        (plain(3, 3), plain(6, 3)),
        (plain(3, 0), plain(0, 0)),
        (indexed(3, 0, 0), indexed(6, 0, 0)),
        (indexed(3, 0, 0), indexed(3, 3, 0)),
        (indexed(3, 0, 0), indexed(3, 0, 3)),
        (indexed(3, 0, 0), indexed(3, 4, 0)),
        (indexed(3, 0, 0), indexed(9, 0, 0)),
    ] {
        let alone = [first, then].map(|draw| scene.picture(scene.page(&[indices, NOTHING], draw, 1)));
        let sum: Vec<_> = alone[0].iter().zip(&alone[1]).map(|(a, b)| a + b).collect();
        let mut page = scene.page(&[indices, NOTHING], first, 1);
        page.push(then);
        assert_eq!(scene.picture(page), sum, "{first:?}, then {then:?}");
    }
}
