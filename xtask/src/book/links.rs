//! Checks the links between the web pages of a folder, because each link must lead to a file and, if it has a
//! fragment, to an element in that file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use html5gum::{Token, Tokenizer};

use crate::error::Error;

/// Web pages that repeat other pages, or whose links are relative to another location.
const SKIPPED: [&str; 3] = ["404.html", "print.html", "toc.html"];

#[derive(Debug, Default, PartialEq, Eq)]
struct Page {
    places: BTreeSet<String>,
    links: Vec<String>,
}

fn read(html: &str) -> Page {
    let mut page = Page::default();
    for Ok(token) in Tokenizer::new(html) {
        let Token::StartTag(tag) = token else { continue };
        for (name, value) in tag.attributes {
            let value = String::from_utf8_lossy(&value).into_owned();
            match name.as_slice() {
                b"id" => drop(page.places.insert(value)),
                b"href" | b"src" => page.links.push(value),
                _ => {}
            }
        }
    }
    page
}

/// Checks all links between the web pages of a folder and returns their number.
pub(super) fn check(folder: &Path) -> Result<usize, Error> {
    let mut pages = BTreeMap::new();
    find(folder, &mut pages)?;
    let mut count = 0;
    let mut wrong = Vec::new();
    for (path, page) in &pages {
        for link in page.links.iter().filter(|link| is_local(link)) {
            count += 1;
            if !leads_somewhere(path, link, &pages) {
                wrong.push(format!("{}: {link}", path.strip_prefix(folder).unwrap_or(path).display()));
            }
        }
    }
    match wrong.is_empty() {
        true => Ok(count),
        false => Err(Error::Book(format!("broken links:\n{}", wrong.join("\n")))),
    }
}

fn find(folder: &Path, pages: &mut BTreeMap<PathBuf, Page>) -> Result<(), Error> {
    let failed = |error| Error::Book(format!("{}: {error}", folder.display()));
    for entry in folder.read_dir().map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            find(&path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "html")
            && !SKIPPED.iter().any(|name| path.ends_with(name))
        {
            let html = std::fs::read_to_string(&path).map_err(failed)?;
            pages.insert(path, read(&html));
        }
    }
    Ok(())
}

fn is_local(link: &str) -> bool {
    !link.contains("://") && !["data:", "mailto:", "javascript:"].iter().any(|kind| link.starts_with(kind))
}

fn leads_somewhere(page: &Path, link: &str, pages: &BTreeMap<PathBuf, Page>) -> bool {
    let (file, place) = link.split_once('#').map_or((link, None), |(file, place)| (file, Some(place)));
    let target = match file {
        "" => page.to_owned(),
        file => resolve(page.parent().unwrap_or(Path::new("")), file),
    };
    match (place, pages.get(&target)) {
        (Some(place), Some(target)) if !place.is_empty() => target.places.contains(place),
        _ => target.exists(),
    }
}

fn resolve(folder: &Path, path: &str) -> PathBuf {
    let mut resolved = folder.to_owned();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(resolved.pop()),
            part => resolved.push(part),
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_files_and_to_places_in_them() {
        let pages =
            [("b/one.html", "<h1 id=top>1</h1><a href='two.html#end'>"), ("b/two.html", "<p id=\"end\">")];
        let pages = pages.into_iter().map(|(path, html)| (PathBuf::from(path), read(html))).collect();
        let one = Path::new("b/one.html");
        for (link, expected) in [
            ("#top", true),
            ("two.html#end", true),
            ("../b/./two.html#end", true),
            ("two.html#top", false),
            ("#end", false),
            ("three.html", false),
        ] {
            assert_eq!(leads_somewhere(one, link, &pages), expected, "{link}");
        }
        assert_eq!(pages[one].links, ["two.html#end"]);
    }

    #[test]
    fn only_links_within_the_folder_are_followed() {
        assert!(is_local("two.html") && is_local("#top"));
        assert!(!is_local("https://example.org/") && !is_local("data:,"));
    }
}
