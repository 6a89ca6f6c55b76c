//! The example `textured_cube`, written with macroquad, without mips and lighting because macroquad lacks
//! both.

use macroquad::prelude::*;

const IMAGE: &[u8] = include_bytes!("../../../assets/crate.png");

fn window() -> Conf {
    Conf { window_title: "Textured cube".to_owned(), ..Default::default() }
}

#[macroquad::main(window)]
async fn main() {
    let image = Texture2D::from_file_with_format(IMAGE, None);
    while !is_key_pressed(KeyCode::Escape) {
        clear_background(Color::new(0.05, 0.06, 0.09, 1.0));
        let angle = get_time() as f32 * 0.8 + 0.6;
        set_camera(&Camera3D {
            position: vec3(-5.0 * angle.sin(), 2.4, 5.0 * angle.cos()),
            target: Vec3::ZERO,
            up: Vec3::Y,
            ..Default::default()
        });
        draw_cube(Vec3::ZERO, Vec3::splat(2.0), Some(&image), WHITE);
        next_frame().await;
    }
}
