//! The high score, stored in a file in the user's data folder, or in the browser's local storage. If it
//! cannot be read, it is 0, and if it cannot be written, it is lost, because that must not end the game.

#[cfg(not(target_arch = "wasm32"))]
pub(crate) use file::{load, save};
#[cfg(target_arch = "wasm32")]
pub(crate) use storage::{load, save};

/// Parses a stored high score, which may be invalid because other programs may have changed the text.
fn parse(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}

#[cfg(not(target_arch = "wasm32"))]
mod file {
    use std::path::{Path, PathBuf};

    /// Path of the file, or `None` if the user has no home folder.
    fn path() -> Option<PathBuf> {
        let folders = directories::ProjectDirs::from("", "", "onze-asteroids")?;
        Some(folders.data_dir().join("high-score.txt"))
    }

    pub(crate) fn load() -> u32 {
        path().map_or(0, |path| load_from(&path))
    }

    /// Saves a high score, but only prints errors to the terminal.
    pub(crate) fn save(score: u32) {
        let Some(path) = path() else { return };
        if let Err(error) = save_to(&path, score) {
            eprintln!("asteroids: the high score is not saved: {}: {error}", path.display());
        }
    }

    pub(super) fn load_from(path: &Path) -> u32 {
        std::fs::read_to_string(path).ok().and_then(|text| super::parse(&text)).unwrap_or(0)
    }

    pub(super) fn save_to(path: &Path, score: u32) -> std::io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, format!("{score}\n"))
    }
}

#[cfg(target_arch = "wasm32")]
mod storage {
    const KEY: &str = "onze-asteroids-high-score";

    fn storage() -> Option<web_sys::Storage> {
        web_sys::window()?.local_storage().ok()?
    }

    pub(crate) fn load() -> u32 {
        let text = storage().and_then(|storage| storage.get_item(KEY).ok()?);
        text.and_then(|text| super::parse(&text)).unwrap_or(0)
    }

    pub(crate) fn save(score: u32) {
        if let Some(storage) = storage() {
            drop(storage.set_item(KEY, &score.to_string()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::file::{load_from, save_to};

    #[test]
    fn a_score_is_read_as_it_was_saved_and_what_is_no_score_is_0() {
        let folder = std::env::temp_dir().join(format!("onze-asteroids-{}", std::process::id()));
        let path = folder.join("new").join("high-score.txt");
        assert_eq!(load_from(&path), 0);
        save_to(&path, 123_450).unwrap();
        assert_eq!(load_from(&path), 123_450);
        save_to(&path, 7).unwrap();
        assert_eq!(load_from(&path), 7);
        for other in ["", "many", "-5", "99999999999", "\u{0}"] {
            std::fs::write(&path, other).unwrap();
            assert_eq!(load_from(&path), 0, "{other:?}");
        }
        std::fs::write(&path, [0xFF, 0xFE]).unwrap();
        assert_eq!(load_from(&path), 0);
        assert!(save_to(&folder, 1).is_err());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
