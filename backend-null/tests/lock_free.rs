//! Checks that the driver has no locks, so that contexts do not wait for other threads.
#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::path::Path;

#[test]
fn the_driver_has_no_locks() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = 0;
    for entry in std::fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        assert!(path.is_file(), "the test covers only files, not folders");
        let text = std::fs::read_to_string(&path).unwrap();
        for lock in ["Mutex", "RwLock", "Condvar", "Barrier", "mpsc"] {
            assert!(!text.contains(lock), "{lock} in {}", path.display());
        }
        files += 1;
    }
    assert!(files > 5);
}
