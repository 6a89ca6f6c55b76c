//! The example `triangle_window`, written with macroquad instead of Onze to compare the number of lines.

use macroquad::models::{Mesh, Vertex, draw_mesh};
use macroquad::prelude::*;

#[macroquad::main("Triangle")]
async fn main() {
    loop {
        clear_background(Color::new(0.02, 0.02, 0.04, 1.0));
        let (width, height) = (screen_width(), screen_height());
        let corner = |x: f32, y: f32, color: Color| {
            Vertex::new((x + 1.0) / 2.0 * width, (1.0 - y) / 2.0 * height, 0.0, 0.0, 0.0, color)
        };
        let vertices = vec![
            corner(0.0, 0.7, Color::new(1.0, 0.2, 0.1, 1.0)),
            corner(0.7, -0.6, Color::new(0.1, 0.8, 0.2, 1.0)),
            corner(-0.7, -0.6, Color::new(0.2, 0.3, 1.0, 1.0)),
        ];
        draw_mesh(&Mesh { vertices, indices: vec![0, 1, 2], texture: None });
        next_frame().await;
    }
}
