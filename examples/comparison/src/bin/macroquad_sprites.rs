//! The example `sprite_batch`, written with macroquad instead of Onze to compare the number of lines.

use macroquad::prelude::*;

const IMAGE: &[u8] = include_bytes!("../../../assets/crate.png");
const COUNT: u32 = 1000;

/// Returns the position of a point that has moved `way` back and forth between 0 and `end`.
fn bounce(way: f32, end: f32) -> f32 {
    end - (way.rem_euclid(2.0 * end.max(1.0)) - end).abs()
}

#[macroquad::main("Sprite batch")]
async fn main() {
    let image = Texture2D::from_file_with_format(IMAGE, None);
    loop {
        clear_background(Color::new(0.05, 0.06, 0.09, 1.0));
        let (time, width, height) = (get_time() as f32, screen_width(), screen_height());
        for n in 0..COUNT {
            let hash = n.wrapping_mul(0x9E37_79B1);
            let bytes = (hash ^ hash >> 15).wrapping_mul(0x85EB_CA6B).to_le_bytes();
            let [a, b, c, d] = bytes.map(|byte| f32::from(byte) / 255.0);
            let (x, y) = (a * width + time * (40.0 + 160.0 * c), b * height + time * (40.0 + 160.0 * d));
            let size = 12.0 + 20.0 * d;
            let (left, top) = (bounce(x, width) - size / 2.0, bounce(y, height) - size / 2.0);
            let color = Color::new(0.5 + a * 0.5, 0.5 + b * 0.5, 0.5 + c * 0.5, 1.0);
            let params = DrawTextureParams {
                dest_size: Some(Vec2::splat(size)),
                rotation: time * (c - 0.5) * 6.0 + a * 6.0,
                ..Default::default()
            };
            draw_texture_ex(&image, left, top, color, params);
        }
        next_frame().await;
    }
}
