//! Checks the installed software, and installs packages on Debian, Ubuntu and systems derived from them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::command;
use crate::error::Error;

/// Installs packages, or returns an error that lists them. `missing` is the first part of the error message
/// and of the line that is printed before the installation.
pub(crate) fn install(missing: &'static str, packages: &[&str]) -> Result<(), Error> {
    let names = packages.join(" ");
    let privilege = privilege_for_apt().map_err(|reason| Error::Packages {
        missing,
        reason: reason.to_owned(),
        packages: names.clone(),
    })?;
    println!("set-up: {missing}; installing {names} with apt-get");
    let [update, install] = apt_commands(privilege, packages);
    // If one package source is unreachable, the update fails, but other sources may still provide the
    // packages, so only a failed installation is an error.
    if let Err(error) = command::run(&mut to_command(&update)) {
        println!("set-up: {error}; continuing with the existing package lists");
    }
    command::run(&mut to_command(&install))?;
    println!("set-up: installed {names}");
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Privilege {
    Root,
    Sudo,
}

/// Determines how packages can be installed, or returns the reason why they cannot.
fn privilege_for_apt() -> Result<Privilege, &'static str> {
    let os_release =
        ["/etc/os-release", "/usr/lib/os-release"].iter().find_map(|p| fs::read_to_string(p).ok());
    if !os_release.is_some_and(|text| is_debian_like(&text)) {
        return Err("this is neither Debian nor Ubuntu");
    }
    if !command::is_on_path("apt-get") {
        return Err("there is no apt-get");
    }
    // Running `id` avoids a system call that would need unsafe code in this crate.
    if command::output(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0") {
        return Ok(Privilege::Root);
    }
    if command::succeeds(Command::new("sudo").args(["-n", "true"])) {
        return Ok(Privilege::Sudo);
    }
    Err("this needs root or a sudo without a password")
}

/// Whether an `os-release` file belongs to Debian, Ubuntu or a derived system.
fn is_debian_like(os_release: &str) -> bool {
    let value = |key: &str| {
        let mut lines = os_release.lines().filter_map(|line| line.trim().split_once('='));
        // As in a shell, the last assignment takes effect.
        let text = lines.rfind(|(k, _)| *k == key).map_or("", |(_, v)| v);
        text.trim_matches(['"', '\'']).to_ascii_lowercase()
    };
    let (id, id_like) = (value("ID"), value("ID_LIKE"));
    id_like.split_whitespace().chain([id.as_str()]).any(|name| matches!(name, "debian" | "ubuntu"))
}

/// Returns the command lines that update the package lists and install the packages.
fn apt_commands(privilege: Privilege, packages: &[&str]) -> [Vec<String>; 2] {
    let apt = match privilege {
        Privilege::Root => &["env"][..],
        // sudo does not pass on the environment, so `env` sets the variable after it.
        Privilege::Sudo => &["sudo", "-n", "env"],
    };
    // A new machine may still be updating itself, so apt-get waits for the lock instead of failing.
    let common = ["DEBIAN_FRONTEND=noninteractive", "apt-get", "-o", "DPkg::Lock::Timeout=300"];
    let line = |words: &[&str]| [apt, &common, words].concat().into_iter().map(str::to_owned).collect();
    let install = [&["install", "-y", "--no-install-recommends"], packages].concat();
    [line(&["update"]), line(&install)]
}

fn to_command(line: &[String]) -> Command {
    let (program, args) = line.split_first().map_or(("true", line), |(p, a)| (p.as_str(), a));
    let mut command = Command::new(program);
    command.args(args);
    command
}

/// Whether the dynamic linker would find a shared library with this file name.
pub(crate) fn has_library(name: &str) -> bool {
    // Some users have no folder of system programs in `PATH`, so this also tries full paths.
    let listing = ["ldconfig", "/sbin/ldconfig", "/usr/sbin/ldconfig"]
        .iter()
        .find_map(|program| command::output(Command::new(program).arg("-p")));
    if listing.is_some_and(|text| lists_library(&text, name)) {
        return true;
    }
    let folders = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    std::env::split_paths(&folders)
        .filter(|folder| !folder.as_os_str().is_empty())
        .chain(["/usr/local/lib", "/usr/lib64", "/usr/lib", "/lib"].map(|p| Path::new(p).to_owned()))
        .any(|folder| folder.join(name).exists())
}

fn lists_library(listing: &str, name: &str) -> bool {
    listing.lines().any(|line| line.split_whitespace().next() == Some(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_ubuntu_and_derived_systems_are_recognised() {
        for (text, expected) in [
            ("PRETTY_NAME=\"Debian GNU/Linux 12\"\nNAME=\"Debian\"\nID=debian\n", true),
            ("NAME=Ubuntu\nID=ubuntu\nID_LIKE=debian\n", true),
            ("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n", true),
            ("ID=raspbian\nID_LIKE='debian'\n", true),
            ("ID=\"debian\"", true),
            ("ID=fedora\nVARIANT=\"not debian\"\n", false),
            ("ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n", false),
            ("ID=notdebian\n#ID=debian\n", false),
            ("VERSION_ID=debian\nBUG_REPORT_URL=ubuntu", false),
            ("", false),
        ] {
            assert_eq!(is_debian_like(text), expected, "{text:?}");
        }
    }

    #[test]
    fn apt_runs_without_questions_and_without_recommended_packages() {
        let joined = |privilege| apt_commands(privilege, &["one", "two"]).map(|line| line.join(" "));
        let apt = "env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300";
        let lines = [format!("{apt} update"), format!("{apt} install -y --no-install-recommends one two")];
        assert_eq!(joined(Privilege::Root), lines);
        assert_eq!(joined(Privilege::Sudo), lines.map(|line| format!("sudo -n {line}")));
    }

    #[test]
    fn a_library_is_found_by_its_whole_name() {
        let listing = "2 libs found in cache `/etc/ld.so.cache'\n\
            \tlibvulkan.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libvulkan.so.1\n\
            \tlibX11.so.6 (libc6,x86-64) => /lib/x86_64-linux-gnu/libX11.so.6\n";
        assert!(lists_library(listing, "libvulkan.so.1"));
        assert!(lists_library(listing, "libX11.so.6"));
        assert!(!lists_library(listing, "libvulkan.so"));
        assert!(!lists_library(listing, "libXi.so.6"));
        assert!(!has_library("libno-such-library-of-onze.so.1"));
    }
}
