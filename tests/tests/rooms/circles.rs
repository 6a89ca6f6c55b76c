//! Finds import circles: sets of files that all import each other, directly or through other files of the set.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Crate,
    imports::{Imports, ModulePath},
};

/// The largest number of files that an import circle of a crate may have. Files that depend on each other can only be
/// understood together, so a larger circle should be broken by moving the shared names into a file that imports none
/// of the others. In `ddi`, tables and callbacks name each other.
pub(crate) const LARGEST_CIRCLES: [(&str, usize); 4] =
    [("api", 8), ("backend-wgpu", 8), ("ddi", 10), ("hlsl", 8)];

/// Returns the circles of a crate, each sorted, the largest first.
pub(crate) fn circles(krate: &Crate) -> Vec<Vec<String>> {
    let imports: Vec<_> = krate.files.iter().map(Imports::of).collect();
    let tests: Vec<_> = imports.iter().flat_map(|imports| &imports.test_modules).collect();
    let is_test = |module: &ModulePath| tests.iter().any(|test| module.starts_with(test));
    let modules: BTreeSet<_> = krate.files.iter().map(|file| &file.module).filter(|m| !is_test(m)).collect();
    let mut edges = BTreeMap::<&ModulePath, BTreeSet<&ModulePath>>::new();
    for (file, imports) in krate.files.iter().zip(&imports).filter(|(file, _)| !is_test(&file.module)) {
        for path in imports.paths.iter().flat_map(|path| krate.root_names.resolve(path)) {
            // The longest prefix of the path that is a file defines the imported name.
            let prefixes = (0..=path.len()).rev().map(|length| path[..length].to_vec());
            let target = prefixes.into_iter().find_map(|prefix| modules.get(&prefix).copied());
            edges.entry(&file.module).or_default().extend(target.filter(|target| **target != file.module));
        }
    }
    let reachable: BTreeMap<_, _> = modules.iter().map(|module| (*module, reach(&edges, module))).collect();
    let mut circles = BTreeSet::new();
    for (module, others) in &reachable {
        let circle: Vec<_> =
            others.iter().filter(|other| reachable[**other].contains(module)).map(|m| m.join("::")).collect();
        if circle.len() > 1 {
            circles.insert(circle);
        }
    }
    let mut circles: Vec<_> = circles.into_iter().collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

/// Returns the modules that can be reached from one by imports, which include the module itself only if it is in a
/// circle.
fn reach<'a>(
    edges: &BTreeMap<&'a ModulePath, BTreeSet<&'a ModulePath>>,
    from: &ModulePath,
) -> BTreeSet<&'a ModulePath> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<_> = edges.get(from).into_iter().flatten().copied().collect();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(edges.get(module).into_iter().flatten());
        }
    }
    reached
}
