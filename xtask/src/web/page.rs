//! The web page: the gallery, and a page with source and statistics for each example.

use std::path::Path;

use serde_json::{Value, json};

use super::at;
use crate::error::Error;
use crate::examples::{Example, GROUPS};

/// The web page, in which a list replaces the word `GALLERY`.
const PAGE: &str = include_str!("page.html");

/// Writes the web page of these examples, their sources and their pictures into a folder.
pub(super) fn write(root: &Path, examples: &[&Example], folder: &Path) -> Result<(), Error> {
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).map_err(|error| at(&path, &error))
    };
    let read = |path: &Path| std::fs::read(path).map_err(|error| at(path, &error));
    for example in examples {
        for file in example.files(root) {
            write(&source_name(example, &title(root, example, &file)), &read(&file)?)?;
        }
        let picture = format!("{}.png", example.name);
        write(&picture, &read(&root.join("examples/references").join(&picture))?)?;
    }
    write("index.html", PAGE.replace("GALLERY", &gallery(root, examples).to_string()).as_bytes())
}

/// Returns the displayed name of an example's file: its path within the example's folder.
fn title(root: &Path, example: &Example, file: &Path) -> String {
    let place = file.strip_prefix(example.folder(root)).unwrap_or(file);
    place.display().to_string().replace('\\', "/")
}

fn source_name(example: &Example, title: &str) -> String {
    format!("{}-{}.txt", example.name, title.replace('/', "-"))
}

/// Returns the content of the web page: the groups of the built examples.
fn gallery(root: &Path, examples: &[&Example]) -> Value {
    let describe = |example: &Example| {
        let files = example.files(root);
        let sources = files.iter().map(|file| {
            let title = title(root, example, file);
            json!({ "name": title, "address": source_name(example, &title) })
        });
        json!({ "name": example.name, "about": example.about, "sources": sources.collect::<Vec<_>>() })
    };
    let is_there = |example: &&Example| examples.iter().any(|there| there.name == example.name);
    let groups = GROUPS.iter().map(|group| {
        let examples = group.examples.iter().filter(is_there).map(describe).collect::<Vec<_>>();
        json!({ "title": group.title, "examples": examples })
    });
    groups.filter(|group| group["examples"].as_array().is_some_and(|all| !all.is_empty())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::workspace_root;
    use crate::examples;

    #[test]
    fn the_page_lists_the_built_examples_and_their_sources() {
        let two: Vec<_> = examples::all().filter(|one| ["oit", "asteroids"].contains(&one.name)).collect();
        let gallery = gallery(&workspace_root(), &two);
        assert_eq!(gallery.as_array().unwrap().len(), 2, "{gallery}");
        let oit = &gallery[0]["examples"][0];
        assert_eq!(oit["name"], "oit");
        assert_eq!(oit["sources"][1], json!({ "name": "oit.wgsl", "address": "oit-oit.wgsl.txt" }));
        let game = &gallery[1]["examples"][0]["sources"];
        assert_eq!(game[0]["name"], "main.rs");
        let shader = json!({ "name": "render/sky.wgsl", "address": "asteroids-render-sky.wgsl.txt" });
        assert!(game.as_array().unwrap().contains(&shader), "{game}");
        assert_eq!(PAGE.matches("GALLERY").count(), 1);
    }
}
