//! Comparison of drawn pictures with references that are stored as PNG files in the repository.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use ::image::{ImageBuffer, Rgba, RgbaImage};

use crate::{CommandPath, Config, Harness, Target, on_each};

/// If this environment variable is set, drawn pictures are stored as the new references.
const UPDATE: &str = "ONZE_UPDATE_REFERENCES";

/// Draws a picture on each path in each configuration, and compares all results with one stored reference.
pub fn draw_everywhere<S>(
    name: &str,
    configs: &[Config],
    (width, height): (u32, u32),
    setup: impl Fn(&Harness) -> S,
    draw: impl Fn(&S, &Target, &mut onze::DeviceContext),
) {
    on_each(configs, |h| {
        let scene = setup(h);
        let target = Target::new(&h.device, width, height);
        for how in CommandPath::ALL {
            h.record(how, |cx| draw(&scene, &target, cx));
            let texels = h.read(&target.texture, 0);
            eprintln!("{name}, {how:?}");
            assert_image(name, width, height, &texels, 1);
        }
    });
}

/// Asserts that a picture equals `tests/references/NAME.png` within `tolerance` per channel. The picture has
/// four bytes per pixel, red first, row by row.
///
/// # Panics
/// Panics if the picture differs or the reference is missing. Before that, stores the actual picture, the
/// expected picture and their difference as PNG files in `target/image-tests`, as far as they exist.
pub fn assert_image(name: &str, width: u32, height: u32, rgba: &[u8], tolerance: u8) {
    assert_image_in("tests/references", name, width, height, rgba, tolerance);
}

/// Compares a picture like [`assert_image`], but with `FOLDER/NAME.png` relative to the workspace root.
///
/// # Panics
/// Panics under the same conditions as [`assert_image`], and stores the same files.
pub fn assert_image_in(folder: &str, name: &str, width: u32, height: u32, rgba: &[u8], tolerance: u8) {
    let references = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let reference = references.join(format!("{name}.png"));
    if std::env::var_os(UPDATE).is_some() && first_time(name) {
        std::fs::create_dir_all(&references).unwrap();
        picture(width, height, rgba).save(&reference).unwrap();
        println!("stored {}", reference.display());
    }
    if let Err(text) = compare(name, &reference, &picture(width, height, rgba), tolerance, &failures()) {
        panic!("{text}");
    }
}

fn failures() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target")).join("image-tests")
}

/// Returns whether this process has not stored the reference yet. Only the first picture is stored, and all
/// later pictures must equal it.
fn first_time(name: &str) -> bool {
    static STORED: Mutex<Option<HashSet<String>>> = Mutex::new(None);
    let mut stored = STORED.lock().unwrap_or_else(PoisonError::into_inner);
    stored.get_or_insert_default().insert(name.to_owned())
}

fn picture(width: u32, height: u32, rgba: &[u8]) -> RgbaImage {
    ImageBuffer::from_raw(width, height, rgba.to_vec()).expect("four bytes per pixel")
}

/// Returns a description of the difference as an error, with the paths of the stored pictures.
fn compare(
    name: &str,
    reference: &Path,
    actual: &RgbaImage,
    tolerance: u8,
    failures: &Path,
) -> Result<(), String> {
    let file = |what: &str| failures.join(format!("{name}-{what}.png"));
    let store = |what: &str, picture: &RgbaImage| {
        std::fs::create_dir_all(failures).unwrap();
        picture.save(file(what)).unwrap();
    };
    let expected = match ::image::open(reference) {
        Ok(expected) => expected.into_rgba8(),
        Err(error) => {
            store("actual", actual);
            return Err(format!(
                "no reference {}: {error}. Look at {}; if it is right, run again with {UPDATE}=1",
                reference.display(),
                file("actual").display()
            ));
        }
    };
    if expected.dimensions() != actual.dimensions() {
        store("expected", &expected);
        store("actual", actual);
        return Err(format!(
            "{name} is {:?}, the reference is {:?}: see {}",
            actual.dimensions(),
            expected.dimensions(),
            failures.display()
        ));
    }
    let mut wrong = Vec::new();
    let difference = ImageBuffer::from_fn(actual.width(), actual.height(), |x, y| {
        let (e, a) = (expected.get_pixel(x, y), actual.get_pixel(x, y));
        let by: Vec<u8> = e.0.iter().zip(a.0).map(|(e, a)| e.abs_diff(a)).collect();
        if by.iter().any(|by| *by > tolerance) {
            wrong.push((x, y, e.0, a.0));
        }
        // The difference is amplified and stored as opaque, because the alpha channel's own difference would
        // hide it.
        let visible = |i: usize| by[i].max(by[3]).saturating_mul(8);
        Rgba([visible(0), visible(1), visible(2), 255])
    });
    let Some((x, y, e, a)) = wrong.first() else { return Ok(()) };
    store("expected", &expected);
    store("actual", actual);
    store("difference", &difference);
    Err(format!(
        "{name}: {} of {} pixels differ by more than {tolerance}; the first is ({x}, {y}): expected {e:?}, got {a:?}\n\
         expected:   {}\nactual:     {}\ndifference: {}",
        wrong.len(),
        actual.width() * actual.height(),
        file("expected").display(),
        file("actual").display(),
        file("difference").display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_different_picture_fails_and_leaves_three_files() {
        let folder = std::env::temp_dir().join(format!("onze-image-test-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let reference = folder.join("reference.png");
        let mut one = RgbaImage::from_pixel(4, 3, Rgba([10, 20, 30, 255]));
        one.save(&reference).unwrap();
        assert_eq!(compare("same", &reference, &one, 0, &folder), Ok(()));

        one.put_pixel(2, 1, Rgba([12, 20, 30, 255]));
        assert_eq!(compare("close", &reference, &one, 2, &folder), Ok(()));
        let text = compare("off", &reference, &one, 1, &folder).unwrap_err();
        assert!(text.contains("1 of 12 pixels") && text.contains("(2, 1)"), "{text}");
        for what in ["expected", "actual", "difference"] {
            let stored = ::image::open(folder.join(format!("off-{what}.png"))).unwrap().into_rgba8();
            assert_eq!(stored.dimensions(), (4, 3));
            if what == "difference" {
                assert_eq!(
                    (stored.get_pixel(2, 1).0, stored.get_pixel(0, 0).0),
                    ([16, 0, 0, 255], [0, 0, 0, 255])
                );
            }
        }
        assert!(!folder.join("close-actual.png").exists());

        let small = RgbaImage::from_pixel(3, 3, Rgba([10, 20, 30, 255]));
        assert!(compare("small", &reference, &small, 255, &folder).is_err());
        let text = compare("new", &folder.join("missing.png"), &small, 0, &folder).unwrap_err();
        assert!(text.contains("no reference") && text.contains("new-actual.png"), "{text}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
