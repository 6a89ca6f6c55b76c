//! Checks whether Onze can use a graphics adapter, and installs a software driver if necessary.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;

use crate::command::{self, cargo, workspace_root};
use crate::error::Error;
use crate::packages;

/// The program that prints one line per adapter that Onze finds.
pub(crate) const PROBE: &str = "adapters";

const PROBE_FOUND_NONE: i32 = 3;

/// The packages of Mesa's software Vulkan driver and of the loader for Vulkan drivers.
const PACKAGES: &[&str] = &["mesa-vulkan-drivers", "libvulkan1"];

/// Ensures that Onze finds an adapter, and installs a software driver if there is none.
pub(crate) fn ensure_adapter() -> Result<(), Error> {
    // Searching for files is cheap, but building the probe can take minutes, so obviously missing packages
    // are installed first. The probe still has the final say, because an adapter may be available through an
    // API other than Vulkan.
    let installed = install_missing_driver();
    if has_adapter()? {
        return Ok(());
    }
    if !cfg!(target_os = "linux") {
        return Err(Error::NoAdapterHere);
    }
    if !installed {
        packages::install("no GPU adapter was found", PACKAGES)?;
        if has_adapter()? {
            return Ok(());
        }
    }
    Err(Error::NoAdapter { packages: PACKAGES.join(" ") })
}

/// Installs a software driver if no Vulkan driver is found, and returns true if it was installed.
pub(crate) fn install_missing_driver() -> bool {
    if !cfg!(target_os = "linux") || has_vulkan() {
        return false;
    }
    match packages::install("no Vulkan driver was found", PACKAGES) {
        Ok(()) => return true,
        // The caller reports the packages to install if it finds no adapter of another API.
        Err(Error::Packages { .. }) => println!("set-up: no Vulkan driver was found"),
        Err(error) => println!("set-up: {error}"),
    }
    false
}

pub(crate) fn has_adapter() -> Result<bool, Error> {
    println!("set-up: looking for GPU adapters");
    let mut probe = cargo();
    probe.args(["run", "--bin", PROBE]).current_dir(workspace_root());
    let child = probe.stdin(Stdio::null()).stderr(Stdio::inherit()).stdout(Stdio::piped()).spawn();
    let output = child
        .and_then(std::process::Child::wait_with_output)
        .map_err(|source| Error::Start { command: command::describe(&probe), source })?;
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        println!("set-up: adapter: {line}");
    }
    match output.status.code() {
        Some(0) => Ok(true),
        Some(PROBE_FOUND_NONE) => {
            println!("set-up: no GPU adapter was found");
            Ok(false)
        }
        _ => Err(Error::Failed { command: command::describe(&probe), status: output.status.to_string() }),
    }
}

fn has_vulkan() -> bool {
    packages::has_library("libvulkan.so.1")
        && manifest_places(|name| env::var_os(name)).iter().any(|place| holds_manifest(place))
}

/// Returns the files and folders that the Vulkan loader searches for driver manifests.
fn manifest_places(var: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let paths = |value: &OsStr| {
        let paths: Vec<_> = env::split_paths(value).collect();
        paths.into_iter().filter(|path| !path.as_os_str().is_empty())
    };
    let set = |name| var(name).filter(|value| !value.is_empty());
    // Either variable replaces the default search, because the second is the older name of the first.
    if let Some(value) = set("VK_DRIVER_FILES").or_else(|| set("VK_ICD_FILENAMES")) {
        return paths(&value).collect();
    }
    let home = set("XDG_DATA_HOME")
        .map(PathBuf::from)
        .or_else(|| set("HOME").map(|home| Path::new(&home).join(".local/share")));
    let data = set("XDG_DATA_DIRS").unwrap_or_else(|| "/usr/local/share:/usr/share".into());
    let fixed = ["/etc", "/usr/share"].map(PathBuf::from);
    let roots = home.into_iter().chain(paths(&data)).chain(fixed);
    roots.map(|root| root.join("vulkan/icd.d")).collect()
}

fn holds_manifest(place: &Path) -> bool {
    let is_manifest = |path: &Path| path.extension() == Some(OsStr::new("json")) && path.is_file();
    is_manifest(place)
        || place
            .read_dir()
            .is_ok_and(|mut entries| entries.any(|entry| entry.is_ok_and(|entry| is_manifest(&entry.path()))))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[cfg(unix)]
    fn places(vars: &[(&str, &str)]) -> Vec<PathBuf> {
        let get = |name: &str| vars.iter().find(|(key, _)| *key == name).map(|(_, v)| v.into());
        manifest_places(get)
    }

    #[cfg(unix)]
    #[test]
    fn a_driver_variable_replaces_the_search() {
        assert_eq!(places(&[("VK_DRIVER_FILES", "/a.json:/b")]), ["/a.json", "/b"].map(PathBuf::from));
        assert_eq!(places(&[("VK_ICD_FILENAMES", "/c.json")]), [PathBuf::from("/c.json")]);
        let both = [("VK_ICD_FILENAMES", "/old.json"), ("VK_DRIVER_FILES", "/new.json")];
        assert_eq!(places(&both), [PathBuf::from("/new.json")]);
    }

    #[cfg(unix)]
    #[test]
    fn without_a_driver_variable_the_loaders_folders_are_searched() {
        let folders = |roots: &[&str]| -> Vec<PathBuf> {
            roots.iter().map(|root| Path::new(root).join("vulkan/icd.d")).collect()
        };
        let found = places(&[("HOME", "/home/me"), ("VK_DRIVER_FILES", "")]);
        let roots = ["/home/me/.local/share", "/usr/local/share", "/usr/share", "/etc", "/usr/share"];
        assert_eq!(found, folders(&roots));
        let found = places(&[("XDG_DATA_HOME", "/data"), ("XDG_DATA_DIRS", "/x::/y")]);
        assert_eq!(found, folders(&["/data", "/x", "/y", "/etc", "/usr/share"]));
    }

    #[test]
    fn a_manifest_is_found_by_its_path_or_in_its_folder() {
        let folder = env::temp_dir().join(format!("onze-xtask-manifests-{}", std::process::id()));
        let (with, without) = (folder.join("with"), folder.join("without"));
        fs::create_dir_all(&with).unwrap();
        fs::create_dir_all(&without).unwrap();
        fs::write(with.join("driver.json"), "{}").unwrap();
        fs::write(without.join("readme.txt"), "").unwrap();

        let found = [&with, &with.join("driver.json"), &without, &folder.join("none")]
            .map(|place| holds_manifest(place));
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(found, [true, true, false, false]);
    }
}
