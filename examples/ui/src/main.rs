//! An egui user interface over a scene, with panels that change a knot and show the device's statistics. Drag
//! the ball in a panel to move the light, and drag the background to turn the camera. Escape closes the
//! window.
//!
//! `egui-winit` converts the window's events to egui's input, and `onze_egui::Painter` draws egui's output. A
//! run with `--out` has no window, so egui's input then contains only the size and the time.

use std::{collections::VecDeque, sync::Arc};

use egui::{Color32, Pos2, Rect, Sense, Stroke, Ui, vec2};
use glam::camera::rh::{proj::directx::perspective, view::look_at_mat4};
use glam::{Mat3, Mat4, Quat, Vec2, Vec3, Vec4};
use onze::prelude::*;
use onze_egui::{Callback, Painter};
use onze_winit::{
    Frame, Game, Setup, WindowDesc,
    winit::{event::WindowEvent, keyboard::KeyCode, window::Window},
};

const SHADER: &str = include_str!("ui.wgsl");

/// Number of the knot's vertices: the shader's cells along the tube times the cells around it, with six
/// vertices per cell.
const KNOT: u32 = 480 * 20 * 6;

const HISTORY: usize = 90;

/// Minimum height of the user interface in points, egui's unit, below which the interface is scaled down.
const POINTS: f32 = 360.0;

#[derive(Clone, Copy, Default, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Constants {
    to_clip: Mat4,
    eye: Vec4,
    light: Vec4,
    ball_light: Vec4,
    colors: [Vec4; 2],
    background: Vec4,
    windings: Vec2,
    thickness: f32,
    gloss: f32,
    stripes: f32,
    _padding: [f32; 3],
}

struct Settings {
    around_axis: u8,
    around_ring: u8,
    thickness: f32,
    gloss: f32,
    stripes: bool,
    turns: bool,
    /// Linear colours for the shaders, which egui's colour button converts to sRGB for display.
    colors: [[f32; 3]; 2],
    background: [f32; 3],
    light: Vec3,
    /// Angles of the camera in radians: around the vertical axis, and above the horizon.
    angles: Vec2,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            around_axis: 2,
            around_ring: 3,
            thickness: 0.48,
            gloss: 0.6,
            stripes: true,
            turns: true,
            colors: [[0.9, 0.22, 0.04], [0.95, 0.75, 0.45]],
            background: [0.03, 0.09, 0.16],
            light: Vec3::new(-0.45, 0.55, 0.7).normalize(),
            angles: Vec2::new(0.5, 0.85),
        }
    }
}

/// The shaders and constants of the sky, the knot and the ball.
#[derive(Clone)]
struct Scene {
    sky: (VertexShader, PixelShader),
    knot: (VertexShader, PixelShader),
    ball: (VertexShader, PixelShader),
    constants: ConstantBuffer<Constants>,
    both_sides: RasterizerState,
}

impl Scene {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let shaders = |vs, ps| -> Result<_, onze::Error> {
            let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, vs))?;
            Ok((vs, device.create_pixel_shader(ShaderSource::wgsl(SHADER, ps))?))
        };
        let both_sides = RasterizerDesc { cull_mode: CullMode::None, ..Default::default() };
        Ok(Self {
            sky: shaders("vs_sky", "ps_sky")?,
            knot: shaders("vs_knot", "ps_knot")?,
            ball: shaders("vs_ball", "ps_ball")?,
            constants: device.create_constant_buffer(&Constants::default())?,
            both_sides: device.create_rasterizer_state(&both_sides)?,
        })
    }

    fn draw(&self, frame: &mut Frame<'_>, settings: &Settings) -> Result<(), onze::Error> {
        let from = Quat::from_rotation_y(settings.angles.x) * Quat::from_rotation_x(-settings.angles.y);
        let eye = from * Vec3::new(0.0, 0.0, 11.0);
        let camera = look_at_mat4(eye, Vec3::ZERO, Vec3::Y);
        let projection = perspective(40_f32.to_radians(), frame.aspect_ratio(), 0.1, 100.0);
        // Move the knot to the right, because egui's panels cover the left.
        let aside = Mat4::from_translation(Vec3::new(0.12, -0.05, 0.0));
        let color = |[r, g, b]: [f32; 3]| Vec4::new(r, g, b, 1.0);
        let constants = Constants {
            to_clip: aside * projection * camera,
            eye: eye.extend(1.0),
            light: (Mat3::from_quat(from) * settings.light).extend(0.0),
            ball_light: settings.light.extend(0.0),
            colors: settings.colors.map(color),
            background: color(settings.background),
            windings: Vec2::new(settings.around_axis.into(), settings.around_ring.into()),
            thickness: settings.thickness,
            gloss: settings.gloss,
            stripes: if settings.stripes { 1.0 } else { 0.0 },
            _padding: [0.0; 3],
        };
        // Bind all state in each frame, because egui's painter leaves its own state bound.
        let context = frame.begin([0.0, 0.0, 0.0, 1.0]);
        context.update(&self.constants, &constants)?;
        context.om_set_blend(None);
        context.rs_set_state(&self.both_sides);
        context.ia_set_input_layout(None);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.vs_set_constant_buffers(0, &self.constants);
        context.ps_set_constant_buffers(0, &self.constants);
        for ((vs, ps), vertices) in [(&self.sky, 3), (&self.knot, KNOT)] {
            context.vs_set_shader(vs);
            context.ps_set_shader(ps);
            context.draw(vertices, 0);
        }
        Ok(())
    }

    /// Draws the ball as part of egui's output, with the viewport and the blend state that the painter has
    /// set.
    fn draw_ball(&self, context: &mut DeviceContext) {
        context.ia_set_input_layout(None);
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleStrip);
        context.vs_set_constant_buffers(0, &self.constants);
        context.ps_set_constant_buffers(0, &self.constants);
        context.vs_set_shader(&self.ball.0);
        context.ps_set_shader(&self.ball.1);
        context.draw(4, 0);
    }
}

/// The device's statistics of the last frame, and the durations of recent frames.
#[derive(Default)]
struct Report {
    before: Statistics,
    frame: Statistics,
    seconds: VecDeque<f32>,
}

impl Report {
    /// Computes the change of the statistics since the last frame, and appends the frame's duration to the
    /// history.
    fn update(&mut self, device: &Device, delta: f32) {
        let now = device.statistics();
        self.frame = now - self.before;
        self.before = now;
        if delta > 0.0 {
            self.seconds.push_back(delta); // there is no duration before the first frame
        }
        if self.seconds.len() > HISTORY {
            self.seconds.pop_front();
        }
    }

    fn show(&self, ui: &mut Ui) {
        let Statistics { draws, passes, uploaded_bytes, live_objects, .. } = self.frame;
        for (name, value) in [
            ("draws", draws.to_string()),
            ("render passes", passes.to_string()),
            ("uploaded", format!("{:.1} KiB", uploaded_bytes as f64 / 1024.0)),
            ("objects", live_objects.to_string()),
        ] {
            ui.horizontal(|ui| {
                ui.label(name);
                ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| ui.monospace(value));
            });
        }
        self.history(ui);
    }

    fn history(&self, ui: &mut Ui) {
        let mean =
            self.seconds.iter().fold(0.0, |sum, seconds| sum + seconds) / self.seconds.len().max(1) as f32;
        ui.label(format!("{:.1} ms per frame", mean * 1000.0));
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 44.0), Sense::hover());
        let painter = ui.painter().with_clip_rect(rect);
        painter.rect_filled(rect, 3.0, ui.visuals().extreme_bg_color);
        let height = |seconds: f32| rect.bottom() - rect.height() * seconds * 30.0;
        painter.hline(rect.x_range(), height(1.0 / 60.0), Stroke::new(1.0, Color32::DARK_GRAY));
        let x = |n: usize| {
            rect.right() - rect.width() * (self.seconds.len() - 1 - n) as f32 / (HISTORY - 1) as f32
        };
        let curve = self.seconds.iter().enumerate().map(|(n, seconds)| Pos2::new(x(n), height(*seconds)));
        painter.line(curve.collect(), Stroke::new(1.5, Color32::from_rgb(240, 150, 60)));
    }
}

fn show(ui: &mut Ui, settings: &mut Settings, report: &Report, scene: &Scene) {
    // Discard the first pass, because egui measures new panels in it.
    if ui.ctx().cumulative_pass_nr() == 0 {
        ui.ctx().request_discard("the windows are new");
    }
    // A drag that starts outside egui's panels turns the camera.
    let background = ui.interact(ui.max_rect(), egui::Id::unique("camera"), Sense::drag());
    settings.angles -= Vec2::new(background.drag_delta().x, -background.drag_delta().y) * 0.01;
    settings.angles.y = settings.angles.y.clamp(-1.5, 1.5);

    let window = |title| egui::Window::new(title).auto_sized().default_size([200.0; 2]).fade_in(false);
    window("Knot").default_pos([10.0, 10.0]).show(ui.ctx(), |ui| {
        ui.spacing_mut().slider_width = 80.0;
        ui.add(egui::Slider::new(&mut settings.around_axis, 1..=7).text("around the axis"));
        ui.add(egui::Slider::new(&mut settings.around_ring, 1..=9).text("around the ring"));
        ui.add(egui::Slider::new(&mut settings.thickness, 0.05..=0.8).text("thickness"));
        ui.add(egui::Slider::new(&mut settings.gloss, 0.0..=1.0).text("gloss"));
        ui.horizontal(|ui| {
            ui.checkbox(&mut settings.stripes, "stripes");
            ui.checkbox(&mut settings.turns, "turns");
        });
        ui.horizontal(|ui| {
            let [first, second] = &mut settings.colors;
            for color in [first, second, &mut settings.background] {
                ui.color_edit_button_rgb(color);
            }
            ui.label("colors");
        });
        ui.horizontal(|ui| {
            light(ui, &mut settings.light, scene);
            ui.vertical(|ui| {
                ui.label("light: drag it");
                if ui.button("Reset all").clicked() {
                    *settings = Settings::default();
                }
            });
        });
    });
    let corner = (egui::Align2::RIGHT_TOP, [-10.0, 10.0]);
    window("Statistics").anchor(corner.0, corner.1).show(ui.ctx(), |ui| {
        ui.set_width(140.0);
        report.show(ui);
    });
}

/// Adds a ball that is lit like the knot, and that sets the direction of the light when it is dragged.
fn light(ui: &mut Ui, light: &mut Vec3, scene: &Scene) {
    let (rect, response) = ui.allocate_exact_size(vec2(72.0, 72.0), Sense::drag());
    if let Some(pointer) = response.interact_pointer_pos() {
        let at = (pointer - rect.center()) / (rect.width() * 0.5);
        let at = Vec2::new(at.x, -at.y).clamp_length_max(0.99);
        *light = at.extend((1.0 - at.length_squared()).sqrt());
    }
    let scene = scene.clone();
    ui.painter().add(Callback::at(rect, move |context, _| {
        scene.draw_ball(context);
        Ok(())
    }));
}

struct Input {
    window: Arc<Window>,
    state: egui_winit::State,
}

struct Example {
    egui: egui::Context,
    input: Option<Input>,
    painter: Painter,
    scene: Scene,
    settings: Settings,
    report: Report,
}

impl Example {
    fn new(setup: &Setup<'_>) -> onze_winit::Result<Self> {
        let egui = egui::Context::default();
        egui.set_theme(egui::Theme::Dark); // ignore the desktop's theme, because the scene is dark
        let input = setup.window.map(|window| {
            let scale = window.scale_factor() as f32;
            let id = egui::ViewportId::ROOT;
            let state = egui_winit::State::new(egui.clone(), id, window, Some(scale), window.theme(), None);
            Input { window: window.clone(), state }
        });
        Ok(Self {
            egui,
            input,
            painter: Painter::new(setup.device)?,
            scene: Scene::new(setup.device)?,
            settings: Settings::default(),
            report: Report::default(),
        })
    }

    fn input(&mut self, frame: &Frame<'_>) -> egui::RawInput {
        let native = self.input.as_ref().map_or(1.0, |input| input.window.scale_factor() as f32);
        let zoom = (frame.height as f32 / native / POINTS).min(1.0);
        self.egui.options_mut(|options| options.zoom_factor = zoom);
        if let Some(Input { window, state }) = &mut self.input {
            return state.take_egui_input(window);
        }
        let size = vec2(frame.width as f32, frame.height as f32) / zoom;
        egui::RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
            time: Some(frame.time.into()),
            ..Default::default()
        }
    }
}

impl Game for Example {
    fn event(&mut self, event: &WindowEvent) {
        if let Some(Input { window, state }) = &mut self.input {
            // Ignore whether egui consumed the event, because the camera gets its drags from egui.
            let _ = state.on_window_event(window, event);
        }
    }

    fn frame(&mut self, frame: &mut Frame<'_>) -> onze_winit::Result<()> {
        if frame.input.key_pressed(KeyCode::Escape) {
            frame.exit();
        }
        self.report.update(frame.device, frame.delta);
        let input = self.input(frame);
        let (settings, report, scene) = (&mut self.settings, &self.report, &self.scene);
        let output = self.egui.run_ui(input, |ui| show(ui, settings, report, scene));
        if settings.turns {
            settings.angles.x += frame.delta * 0.4;
        }
        scene.draw(frame, settings)?;
        let primitives = self.egui.tessellate(output.shapes, output.pixels_per_point);
        let textures = output.textures_delta;
        self.painter.paint(frame.context, frame.target, output.pixels_per_point, textures, &primitives)?;
        if let Some(Input { window, state }) = &mut self.input {
            state.handle_platform_output(window, output.platform_output);
        }
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    let desc = WindowDesc::new("User interface", 960, 540).with_depth().with_args();
    onze_winit::run(desc, |setup| Example::new(setup))
}
