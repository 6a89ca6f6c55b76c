//! Letters made of lines, like the letters on the vector display of the original game.

use glam::{Vec2, Vec3};

use crate::streak::Streak;

/// The characters and their lines, each a list of points on a grid, with x from 0 to 4 and y from 0 (bottom)
/// to 6. A space lifts the pen.
const GLYPHS: [(char, &str); 43] = [
    ('A', "0004264440 0242"),
    ('B', "00063645443342413000 0333"),
    ('C', "4536160501103041"),
    ('D', "00062644422000"),
    ('E', "46060040 0333"),
    ('F', "460600 0333"),
    ('G', "45361605011030414323"),
    ('H', "0006 4046 0343"),
    ('I', "1636 2620 1030"),
    ('J', "4641301001"),
    ('K', "0006 460340"),
    ('L', "060040"),
    ('M', "0006244640"),
    ('N', "00064046"),
    ('O', "100105163645413010"),
    ('P', "00063645443303"),
    ('Q', "100105163645413010 2240"),
    ('R', "00063645443303 2340"),
    ('S', "453616050413334241301001"),
    ('T', "0646 2620"),
    ('U', "060110304146"),
    ('V', "062046"),
    ('W', "0610233046"),
    ('X', "0046 0640"),
    ('Y', "062346 2320"),
    ('Z', "06460040"),
    ('0', "100105163645413010 1234"),
    ('1', "152620 1030"),
    ('2', "05163645440040"),
    ('3', "064623334241301001"),
    ('4', "30360242"),
    ('5', "460603334241301001"),
    ('6', "36160501103041423303"),
    ('7', "064610"),
    ('8', "13040516364544331302011030414233"),
    ('9', "43130405163645413010"),
    ('-', "1333"),
    ('+', "0343 2125"),
    ('.', "2021"),
    (',', "2110"),
    (':', "2122 2425"),
    ('/', "0046"),
    ('!', "2622 2021"),
];

const ADVANCE: f32 = 1.0;

pub(crate) fn width(text: &str) -> f32 {
    (text.chars().count() as f32 - 0.33) * ADVANCE * 0.95
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub(crate) size: f32,
    pub(crate) width: f32,
    pub(crate) color: Vec3,
}

/// Appends the strokes of a text that begins at `at`, runs along `axes.0` and is upright along `axes.1`.
pub(crate) fn write(streaks: &mut Vec<Streak>, text: &str, at: Vec3, axes: (Vec3, Vec3), style: Style) {
    let place = |n: usize, point: Vec2| {
        let across = n as f32 * ADVANCE * 0.95 + point.x / 4.0 * 0.62;
        at + (axes.0 * across + axes.1 * (point.y / 6.0)) * style.size
    };
    for (n, letter) in text.chars().enumerate() {
        let lines = GLYPHS.iter().find(|glyph| glyph.0 == letter).map_or("", |glyph| glyph.1);
        for line in lines.split(' ') {
            let digits: Vec<f32> = line.bytes().map(|digit| f32::from(digit - b'0')).collect();
            let points: Vec<Vec2> = digits.chunks_exact(2).map(Vec2::from_slice).collect();
            for pair in points.windows(2) {
                streaks.push(Streak::line(place(n, pair[0]), place(n, pair[1]), style.width, style.color));
            }
        }
    }
}
