//! Repeated execution of a list, where each execution must draw the same picture as the list's commands would
//! draw directly, whatever changed before the execution.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{Harness, Quad, Target, gpu_matrix, on_each};

const SIZE: u32 = 32;

/// Returns the texel at the pixel's position, multiplied by a tint, plus a colour.
const TEXTURED: &str = "
    struct Constants { color: vec4<f32>, rect: vec4<f32>, depth: vec4<f32> }
    @group(0) @binding(0) var<uniform> constants: Constants;
    @group(0) @binding(1) var<uniform> tint: vec4<f32>;
    @group(1) @binding(0) var image: texture_2d<f32>;

    @fragment
    fn ps_main(@builtin(position) at: vec4<f32>) -> @location(0) vec4<f32> {
        return textureLoad(image, vec2<i32>(at.xy), 0) * tint + constants.color;
    }
";

/// The objects of the commands. The picture also depends on the contents of `tint` and `image`, but the
/// commands do not write them.
struct Scene {
    quad: Quad,
    textured: PixelShader,
    target: Target,
    painted: Target,
    painted_view: ShaderResourceView,
    image_view: ShaderResourceView,
    image: Target,
    tint: Buffer,
    blend: BlendState,
}

impl Scene {
    fn new(device: &Device) -> Self {
        let [target, painted, image] = [(); 3].map(|()| Target::new(device, SIZE, SIZE));
        let view = |target: &Target| device.create_shader_resource_view(&target.texture, None).unwrap();
        let factor = RenderTargetBlendDesc {
            blend_enable: true,
            src_blend: Blend::BlendFactor,
            dest_blend: Blend::One,
            ..RenderTargetBlendDesc::default()
        };
        Self {
            quad: Quad::new(device),
            textured: device.create_pixel_shader(ShaderSource::wgsl(TEXTURED, "ps_main")).unwrap(),
            painted_view: view(&painted),
            image_view: view(&image),
            target,
            painted,
            image,
            tint: device.create_buffer(&BufferDesc::dynamic(16, BindFlags::CONSTANT_BUFFER), None).unwrap(),
            blend: device.create_blend_state(&BlendDesc::all(factor)).unwrap(),
        }
    }

    fn prepare(&self, cx: &mut DeviceContext, step: u8) {
        let shade = f32::from(step) / 16.0;
        cx.map(&self.tint, 0, MapType::WriteDiscard).unwrap().write(0, &[shade, 1.0 - shade, 0.5, 1.0]);
        cx.clear_render_target_view(&self.image.view, [1.0, shade, shade * 0.5, 1.0]);
    }

    fn row(&self, cx: &mut DeviceContext, y: f32) {
        for n in 0..20u8 {
            let x = f32::from(n) / 10.0 - 1.0;
            let color = [f32::from(n) / 64.0, 0.25, f32::from(n % 3) / 16.0, 0.0];
            self.quad.set(cx, color, [x, y, x + 0.3, y + 0.4], 0.0);
            cx.draw(4, 0);
        }
    }

    fn commands(&self, cx: &mut DeviceContext) {
        let Self { quad, target, painted, .. } = self;
        cx.clear_render_target_view(&target.view, [0.0, 0.0, 0.25, 1.0]);
        target.bind(cx);
        quad.bind(cx);
        self.row(cx, -1.0);
        // The texture is cleared before each of the two rows of draws that read it.
        cx.ps_set_shader(&self.textured);
        cx.ps_set_constant_buffers(1, &self.tint);
        for (n, color) in [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.5, 1.0]].into_iter().enumerate() {
            cx.clear_render_target_view(&painted.view, color);
            cx.ps_set_shader_resources(0, &self.painted_view);
            self.row(cx, -0.6 + n as f32 * 0.2);
        }
        cx.ps_set_shader_resources(0, &self.image_view);
        self.row(cx, -0.1);
        // Viewports and blend factors are not part of a bundle, so they may change between bundles.
        cx.rs_set_viewports(Viewport::sized(SIZE as f32 / 2.0, SIZE as f32));
        self.row(cx, 0.2);
        cx.om_set_blend_state(&self.blend, [0.5, 0.25, 1.0, 1.0], u32::MAX);
        self.row(cx, 0.3);
        cx.om_set_blend_state(&self.blend, [1.0, 1.0, 0.0, 1.0], u32::MAX);
        self.row(cx, 0.4);
        // Draws to another target, then returns to the first.
        painted.bind(cx);
        self.row(cx, -0.5);
        target.bind(cx);
        cx.om_set_blend_state(None, [1.0; 4], u32::MAX);
        cx.ps_set_shader_resources(0, &self.painted_view);
        self.row(cx, 0.6);
        cx.ps_set_constant_buffers(1, None);
        self.row(cx, 0.8);
    }
}

/// Some consecutive steps are equal, so nothing changes between them.
const STEPS: [u8; 9] = [3, 3, 3, 3, 9, 9, 9, 12, 3];

fn check(h: &mut Harness, scene: &Scene, list: &CommandList, each_prepared: bool) {
    let mut before = None;
    for (n, step) in STEPS.into_iter().enumerate() {
        // A discard allocates new memory even if it writes the same data.
        if each_prepared || before != Some(step) {
            scene.prepare(&mut h.immediate, step);
        }
        before = Some(step);
        h.immediate.execute_command_list(list, false);
        let picture = scene.target.read(h);
        h.immediate.clear_state();
        scene.commands(&mut h.immediate);
        let expected = scene.target.read(h);
        let wrong = picture.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(wrong, None, "execution {n}, step {step}");
        assert!(picture.iter().any(|texel| *texel != picture[0]), "something is drawn");
    }
}

#[test]
fn a_list_draws_the_same_at_every_execution() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferNotSet]);
        let scene = Scene::new(&h.device);
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.commands(&mut deferred);
        let list = deferred.finish_command_list(false).unwrap();
        check(h, &scene, &list, false);
        check(h, &scene, &list, true);
        // Executes the list several times in one submission, with and without a change in between.
        for step in [5, 5, 11] {
            scene.prepare(&mut h.immediate, step);
            (0..3).for_each(|_| h.immediate.execute_command_list(&list, false));
        }
        let picture = scene.target.read(h);
        h.immediate.clear_state();
        scene.commands(&mut h.immediate);
        assert!(picture == scene.target.read(h), "the last of many");
    });
}

/// Makes many draws of each type without a change in between. Draws that read past the end of the index
/// buffer cannot be in a bundle, so the bundles end in the middle of a command.
#[test]
fn each_of_many_equal_draws_is_made_once_per_execution() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawIndexBufferTooSmall]);
        let scene = Scene::new(&h.device);
        let indices = h.device.create_buffer_with(BindFlags::INDEX_BUFFER, &[3_u16, 2, 1, 0]).unwrap();
        let record = |cx: &mut DeviceContext, indexed: &dyn Fn(u32) -> u32| {
            cx.clear_render_target_view(&scene.target.view, [0.0; 4]);
            scene.target.bind(cx);
            scene.quad.bind(cx);
            // Each draw adds to the target's contents, so that a repeated or missing draw is detected.
            cx.om_set_blend_state(&scene.blend, [1.0; 4], u32::MAX);
            cx.ia_set_index_buffer(&indices, Format::R16_UINT, 0);
            scene.quad.set(cx, [1.0 / 255.0, 0.0, 0.0, 0.0], Quad::ALL, 0.0);
            (0..65).for_each(|n| cx.draw_indexed(indexed(n), 0, 0));
            (0..20).for_each(|n| cx.draw(4, n % 2));
            (0..20).for_each(|_| cx.draw_indexed_instanced(4, 2, 0, 0, 0));
            (0..20).for_each(|_| cx.draw_instanced(4, 2, 0, 0));
        };
        let beyond: [&dyn Fn(u32) -> u32; 4] = [
            &|_| 4,
            &|n| if n % 25 == 20 { 6 } else { 4 },
            &|n| if n == 0 || n == 64 { 6 } else { 4 },
            &|n| if n % 2 == 0 { 6 } else { 4 },
        ];
        for (n, indexed) in beyond.into_iter().enumerate() {
            let mut deferred = h.device.create_deferred_context().unwrap();
            record(&mut deferred, indexed);
            let list = deferred.finish_command_list(false).unwrap();
            for execution in 0..4 {
                h.immediate.execute_command_list(&list, false);
                let picture = scene.target.read(h);
                let wrong = picture.iter().find(|texel| **texel != 65 + 20 + 40 + 40);
                assert_eq!(wrong, None, "list {n}, execution {execution}");
            }
        }
    });
}

#[test]
fn a_nested_list_draws_the_same_at_every_execution() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferNotSet]);
        let scene = Scene::new(&h.device);
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.commands(&mut deferred);
        let inner = deferred.finish_command_list(false).unwrap();
        deferred.execute_command_list(&inner, false);
        deferred.execute_command_list(&inner, false);
        let outer = deferred.finish_command_list(false).unwrap();
        check(h, &scene, &outer, false);
    });
}

#[test]
fn each_execution_sees_the_writes_before_it() {
    const STEPS: [u8; 6] = [3, 3, 9, 3, 12, 12];
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DrawConstantBufferNotSet]);
        let scene = Scene::new(&h.device);
        let mut deferred = h.device.create_deferred_context().unwrap();
        scene.commands(&mut deferred);
        let list = deferred.finish_command_list(false).unwrap();
        // A list that was executed before may use another replay path.
        scene.prepare(&mut h.immediate, 1);
        h.immediate.execute_command_list(&list, false);
        h.immediate.flush();
        let kept = STEPS.map(|_| [(); 2].map(|()| Target::new(&h.device, SIZE, SIZE)));
        for (step, [listed, drawn]) in STEPS.into_iter().zip(&kept) {
            scene.prepare(&mut h.immediate, step);
            h.immediate.execute_command_list(&list, false);
            h.immediate.copy_resource(&listed.texture, &scene.target.texture);
            // The draws between executions read the same buffers.
            scene.commands(&mut h.immediate);
            h.immediate.copy_resource(&drawn.texture, &scene.target.texture);
            h.immediate.clear_state();
        }
        for (step, [listed, drawn]) in STEPS.into_iter().zip(&kept) {
            let (listed, drawn) = (listed.read(h), drawn.read(h));
            assert!(listed == drawn, "step {step}");
            assert!(drawn.iter().any(|texel| *texel != drawn[0]), "something is drawn");
        }
        assert!(kept[0][0].read(h) != kept[2][0].read(h), "steps differ");
    });
}
