//! Draws all windows of egui's demo with this painter and with egui's own painter for wgpu on the same
//! device, and compares the pictures.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use std::path::{Path, PathBuf};

use egui::{Event, FullOutput, PointerButton, Pos2, RawInput, Rect, Shape, Ui, vec2};
use egui_demo_lib::{ColorTest, DemoWindows, View as _, WidgetGallery};
use image::{Rgba, RgbaImage};
use onze::Format;
use onze_egui::Painter;
use onze_tests::{Config, Harness, Target, on_each};
use onze_wgpu::interop;

/// Maximum difference per channel, in 8-bit steps, between pixels that are considered equal.
const TOLERANCE: u8 = 2;

/// At most one in this many pixels may differ by more than [`TOLERANCE`].
const PIXELS_OF_A_DIFFERENT_ONE: usize = 200;

const BACKGROUND: f32 = 0.25;

/// egui's painter for wgpu, and one of Onze's render targets that it draws into.
struct Reference {
    device: wgpu::Device,
    queue: wgpu::Queue,
    renderer: egui_wgpu::Renderer,
    target: Target,
    view: wgpu::TextureView,
}

impl Reference {
    fn new(h: &Harness, format: Format, (width, height): (u32, u32)) -> Self {
        let (device, queue) = interop::device_and_queue(&h.device.driver_object()).unwrap();
        let target = Target::with_format(&h.device, format, width, height);
        let texture = interop::texture(&target.texture.driver_object()).unwrap();
        let view = interop::texture_view(&target.view.driver_object()).unwrap();
        let renderer = egui_wgpu::Renderer::new(&device, texture.format(), Default::default());
        Self { device, queue, renderer, target, view }
    }

    fn paint(
        &mut self,
        pixels_per_point: f32,
        textures: &egui::TexturesDelta,
        primitives: &[egui::ClippedPrimitive],
    ) {
        for (id, changes) in &textures.set {
            for change in changes {
                self.renderer.update_texture(&self.device, &self.queue, *id, change);
            }
        }
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: [self.target.width, self.target.height],
            pixels_per_point,
        };
        let mut encoder = self.device.create_command_encoder(&Default::default());
        let _ = self.renderer.update_buffers(&self.device, &self.queue, &mut encoder, primitives, &screen);
        let grey = f64::from(BACKGROUND);
        let clear = wgpu::LoadOp::Clear(wgpu::Color { r: grey, g: grey, b: grey, a: 1.0 });
        let attachment = wgpu::RenderPassColorAttachment {
            view: &self.view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load: clear, store: wgpu::StoreOp::Store },
        };
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(attachment)],
            ..Default::default()
        });
        self.renderer.render(&mut pass.forget_lifetime(), primitives, &screen);
        self.queue.submit([encoder.finish()]);
        for id in &textures.free {
            self.renderer.free_texture(id);
        }
    }
}

/// An egui context, and the two painters that draw its output.
struct Both<'a> {
    h: &'a mut Harness,
    egui: egui::Context,
    pixels_per_point: f32,
    frames: u32,
    ours: Painter,
    target: Target,
    reference: Reference,
}

impl<'a> Both<'a> {
    fn new(h: &'a mut Harness, format: Format, size: (u32, u32), pixels_per_point: f32) -> Self {
        let reference = Reference::new(h, format, size);
        let ours = Painter::new(&h.device).unwrap();
        let target = Target::with_format(&h.device, format, size.0, size.1);
        Self { egui: egui::Context::default(), pixels_per_point, frames: 0, ours, target, reference, h }
    }

    /// Runs a frame of 1/60 second, in which both painters receive the frame's textures, and draw the frame's
    /// shapes if `drawn` is true.
    fn run(
        &mut self,
        events: Vec<Event>,
        drawn: bool,
        ui: impl FnMut(&mut Ui),
    ) -> Vec<egui::epaint::ClippedShape> {
        let size = vec2(self.target.width as f32, self.target.height as f32) / self.pixels_per_point;
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, size)),
            time: Some(f64::from(self.frames) / 60.0),
            focused: true,
            events,
            ..Default::default()
        };
        let root = input.viewports.get_mut(&egui::ViewportId::ROOT).unwrap();
        root.native_pixels_per_point = Some(self.pixels_per_point);
        self.frames += 1;
        let FullOutput { shapes, textures_delta, pixels_per_point, .. } = self.egui.run_ui(input, ui);
        assert_eq!(pixels_per_point, self.pixels_per_point);
        let primitives =
            if drawn { self.egui.tessellate(shapes.clone(), pixels_per_point) } else { Vec::new() };
        self.reference.paint(pixels_per_point, &textures_delta, &primitives);
        let context = &mut self.h.immediate;
        context.clear_render_target_view(&self.target.view, [BACKGROUND, BACKGROUND, BACKGROUND, 1.0]);
        self.ours.paint(context, &self.target.view, pixels_per_point, textures_delta, &primitives).unwrap();
        context.flush();
        shapes
    }

    fn frame(&mut self, events: Vec<Event>, ui: impl FnMut(&mut Ui)) -> Vec<egui::epaint::ClippedShape> {
        self.run(events, false, ui)
    }

    /// Presses and releases the primary pointer button at a position.
    fn click(&mut self, at: Pos2, mut ui: impl FnMut(&mut Ui)) {
        let button = |pressed| Event::PointerButton {
            pos: at,
            button: PointerButton::Primary,
            pressed,
            modifiers: Default::default(),
        };
        self.frame(vec![Event::PointerMoved(at)], &mut ui);
        self.frame(vec![button(true)], &mut ui);
        self.frame(vec![button(false)], &mut ui);
    }

    /// Draws a frame, and fails if the two pictures differ.
    fn compare(&mut self, name: &str, ui: impl FnMut(&mut Ui)) {
        self.run(Vec::new(), true, ui);
        let read = |h: &mut Harness, target: &Target| {
            let pixels = h.read(&target.texture, 0);
            RgbaImage::from_raw(target.width, target.height, pixels).unwrap()
        };
        let actual = read(self.h, &self.target);
        let expected = read(self.h, &self.reference.target);
        let mut colors: Vec<_> = expected.pixels().collect();
        colors.sort_by_key(|color| color.0);
        colors.dedup();
        assert!(colors.len() > 100, "{name}: egui's painter has drawn {} colours", colors.len());
        let mut wrong = 0;
        let difference = RgbaImage::from_fn(actual.width(), actual.height(), |x, y| {
            let (expected, actual) = (expected.get_pixel(x, y).0, actual.get_pixel(x, y).0);
            let by: [u8; 4] = std::array::from_fn(|channel| expected[channel].abs_diff(actual[channel]));
            wrong += usize::from(by.iter().any(|by| *by > TOLERANCE));
            // The difference is amplified, and its alpha is 255 because a low alpha would hide it.
            let [r, g, b] = [0, 1, 2].map(|channel: usize| by[channel].max(by[3]).saturating_mul(20));
            Rgba([r, g, b, 255])
        });
        let pixels = (actual.width() * actual.height()) as usize;
        if wrong * PIXELS_OF_A_DIFFERENT_ONE <= pixels {
            return;
        }
        let folder = failures();
        std::fs::create_dir_all(&folder).unwrap();
        for (what, picture) in [("expected", &expected), ("actual", &actual), ("difference", &difference)] {
            picture.save(folder.join(format!("{name}-{what}.png"))).unwrap();
        }
        panic!(
            "{name}: {wrong} of {pixels} pixels differ by more than {TOLERANCE}: see {}",
            folder.display()
        );
    }
}

fn failures() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target")).join("egui-tests")
}

/// Collects the strings in shapes, each with the centre of its rectangle.
fn texts(shapes: &[egui::epaint::ClippedShape]) -> Vec<(String, Pos2)> {
    fn add(shape: &Shape, all: &mut Vec<(String, Pos2)>) {
        match shape {
            Shape::Text(text) => {
                all.push((text.galley.text().to_owned(), text.visual_bounding_rect().center()));
            }
            Shape::Vec(shapes) => shapes.iter().for_each(|shape| add(shape, all)),
            _ => {}
        }
    }
    let mut all = Vec::new();
    shapes.iter().for_each(|clipped| add(&clipped.shape, &mut all));
    all
}

const UNORM: Format = Format::R8G8B8A8_UNORM;
const SRGB: Format = Format::R8G8B8A8_UNORM_SRGB;

/// Opens all windows of the demo, and compares the pictures before and after.
fn all_windows(name: &str, format: Format, size: (u32, u32), pixels_per_point: f32) {
    on_each(&[Config::GPU], |h| {
        let mut both = Both::new(h, format, size, pixels_per_point);
        let mut demo = DemoWindows::default();
        let mut ui = |ui: &mut Ui| demo.ui(ui);
        both.frame(Vec::new(), &mut ui);
        let shapes = both.frame(Vec::new(), &mut ui);
        both.compare(&format!("{name}-at-first"), &mut ui);
        // A panel on the right lists the demos by name, and a click on a name opens or closes the demo's
        // window.
        let panel = size.0 as f32 / pixels_per_point - 160.0;
        let is_open =
            |name: &str| ["About egui", "Code Example", "Widget Gallery"].iter().any(|n| name.ends_with(n));
        let is_switch =
            |name: &str| !["Demos", "Tests", "Organize windows"].contains(&name) && !is_open(name);
        let switches: Vec<_> =
            texts(&shapes).into_iter().filter(|(text, at)| at.x > panel && is_switch(text)).collect();
        assert!(switches.len() > 20, "{switches:?}");
        let windows = |both: &Both<'_>| both.egui.memory(|memory| memory.areas().visible_layer_ids().len());
        let before = windows(&both);
        for (_, at) in &switches {
            both.click(*at, &mut ui);
        }
        for _ in 0..30 {
            both.frame(Vec::new(), &mut ui); // they fade in
        }
        both.compare(&format!("{name}-all-windows"), &mut ui);
        assert!(windows(&both) >= before + switches.len() * 3 / 4, "{} windows", windows(&both));
    });
}

#[test]
fn the_demo_is_the_same_at_one_pixel_per_point() {
    all_windows("demo-1", UNORM, (1600, 1200), 1.0);
}

#[test]
fn the_demo_is_the_same_at_one_and_a_half() {
    all_windows("demo-1.5", SRGB, (1920, 1440), 1.5);
}

#[test]
fn the_demo_is_the_same_at_two() {
    all_windows("demo-2", UNORM, (2000, 1700), 2.0);
}

#[test]
fn the_rendering_test_is_the_same() {
    for (name, format, pixels_per_point) in [
        ("colors-1", UNORM, 1.0),
        ("colors-1-srgb", SRGB, 1.0),
        ("colors-1.5", UNORM, 1.5),
        ("colors-2-srgb", SRGB, 2.0),
    ] {
        on_each(&[Config::GPU], |h| {
            let mut both = Both::new(h, format, (1100, 2200), pixels_per_point);
            let mut test = ColorTest::default();
            let mut ui = |ui: &mut Ui| {
                egui::CentralPanel::default().show(ui, |ui| {
                    egui::ScrollArea::both().auto_shrink(false).show(ui, |ui| test.ui(ui));
                });
            };
            both.frame(Vec::new(), &mut ui);
            let shapes = both.frame(Vec::new(), &mut ui);
            let all = texts(&shapes);
            let (_, header) = all.iter().find(|(text, _)| text == "Color test").unwrap();
            both.click(*header, &mut ui);
            for _ in 0..20 {
                both.frame(Vec::new(), &mut ui); // it unfolds
            }
            both.compare(name, &mut ui);
        });
    }
}

#[test]
fn the_widget_gallery_is_the_same_in_both_themes() {
    for (theme, format, pixels_per_point) in [
        (egui::Theme::Light, UNORM, 1.0),
        (egui::Theme::Light, SRGB, 1.5),
        (egui::Theme::Dark, SRGB, 2.0),
        (egui::Theme::Dark, Format::B8G8R8A8_UNORM, 1.0),
    ] {
        on_each(&[Config::GPU], |h| {
            let mut both = Both::new(h, format, (901, 701), pixels_per_point);
            both.egui.set_theme(theme);
            let mut gallery = WidgetGallery::default();
            let mut ui = |ui: &mut Ui| {
                egui::CentralPanel::default().show(ui, |ui| gallery.ui(ui));
            };
            for _ in 0..3 {
                both.frame(vec![Event::PointerMoved(Pos2::new(200.0, 100.0))], &mut ui);
            }
            both.compare(&format!("gallery-{theme:?}-{pixels_per_point}"), &mut ui);
        });
    }
}
