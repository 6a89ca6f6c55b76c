use std::{io, path::Path};

use super::{
    case::Case,
    mutations::mutate,
    pieces::{is_word, pieces},
    random::Random,
};
use crate::{
    corpora::{directxtk, dxc, effects, find_files, glslang, miniengine, samples},
    programs::{folder, programs},
    shader_test::ShaderTest,
    unit::Unit,
    vkd3d,
};

/// Profiles of all stages, some of them twice so that they are chosen more often.
const PROFILES: [&str; 14] = [
    "vs_4_0", "vs_5_0", "ps_4_0", "ps_4_1", "ps_5_0", "ps_5_0", "cs_4_0", "cs_5_0", "cs_5_0", "gs_4_0",
    "gs_5_0", "hs_5_0", "ds_5_0", "vs_4_1",
];

/// The original programs of a run, which are mutated to generate the inputs.
#[derive(Clone, Debug, Default)]
pub struct Pool {
    /// The original programs, which are copied and usually mutated to make the inputs.
    pub programs: Vec<Case>,
}

impl Pool {
    /// Collects the programs of this project.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read.
    pub fn of_project() -> io::Result<Pool> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut pool = Pool::default();
        for (name, test) in programs(&folder())? {
            pool.add(&vkd3d::units(&name, &test));
        }
        for folder in ["examples", "docs/book/programs"] {
            for path in find_files(&root.join(folder), "hlsl")? {
                let name = path.strip_prefix(&root).unwrap_or(&path).display().to_string();
                let text = Pool::of_text(&name, &std::fs::read_to_string(&path)?);
                pool.programs.extend(text.programs);
            }
        }
        Ok(pool)
    }

    /// Collects the shaders of all suites whose files are in a folder.
    ///
    /// # Errors
    ///
    /// Returns an error if the folder has no suite.
    pub fn of_suites(corpus: &Path) -> io::Result<Pool> {
        let mut pool = Pool::default();
        let suites =
            [directxtk::units, dxc::units, samples::units, miniengine::units, effects::units, glslang::units];
        for suite in suites {
            pool.add(&suite(corpus).unwrap_or_default());
        }
        for path in find_files(corpus, "shader_test")? {
            let name = path.strip_prefix(corpus).unwrap_or(&path).display().to_string();
            if let Ok(test) = ShaderTest::parse(&std::fs::read_to_string(&path)?) {
                pool.add(&vkd3d::units(&name, &test));
            }
        }
        if pool.programs.is_empty() {
            return Err(io::Error::other("the folder has no files of a test suite"));
        }
        Ok(pool)
    }

    /// Creates a case for each function in a source that may be an entry point.
    pub fn of_text(name: &str, text: &str) -> Pool {
        let case = Case {
            file: name.to_owned(),
            source: text.into(),
            folders: Vec::new(),
            macros: Vec::new(),
            entry: "main".to_owned(),
            profile: "ps_5_0".to_owned(),
            row_major: false,
            backwards_compatible: false,
            strict: false,
        };
        let stages = [("vs", "vs_5_0"), ("vertex", "vs_5_0"), ("cs", "cs_5_0"), ("compute", "cs_5_0")];
        let case = |entry: &String| {
            let stage = stages.iter().find(|(part, _)| entry.to_lowercase().contains(part));
            let is_compute = text.contains("numthreads");
            let profile = stage.map_or(if is_compute { "cs_5_0" } else { "ps_5_0" }, |(_, profile)| *profile);
            Case { entry: entry.clone(), profile: profile.to_owned(), ..case.clone() }
        };
        Pool { programs: functions(text).iter().map(case).collect() }
    }

    fn add(&mut self, units: &[Unit]) {
        self.programs.extend(units.iter().map(Case::new));
    }

    /// Returns the input with this number, usually a mutated program that depends only on the programs, the
    /// seed and the number.
    pub fn input(&self, seed: u64, index: u64) -> Option<Case> {
        let mut random = Random::new(seed, index);
        let mut case = random.choose(&self.programs)?.clone();
        let other = random.choose(&self.programs)?.source.clone();
        if !case.folders.is_empty() && random.once_in(3) {
            case = case.preprocessed().unwrap_or(case);
        }
        if !random.once_in(16) {
            case.source = mutate(&case.source, &other, &mut random).into();
        }
        change_options(&mut case, &mut random);
        Some(case)
    }
}

/// Changes the entry point, the profile and the options, each with a low probability.
fn change_options(case: &mut Case, random: &mut Random) {
    if random.once_in(24)
        && let Some(entry) = random.choose(&functions(&case.source))
    {
        case.entry.clone_from(entry);
    }
    if random.once_in(30)
        && let Some(profile) = random.choose(&PROFILES)
    {
        case.profile = (*profile).to_owned();
    }
    for option in [&mut case.row_major, &mut case.backwards_compatible, &mut case.strict] {
        *option ^= random.once_in(24);
    }
}

/// Returns the names outside braces that follow another name and precede a parenthesis.
fn functions(text: &str) -> Vec<String> {
    let mut functions = Vec::new();
    let mut depth = 0_i32;
    let pieces: Vec<_> = pieces(text).into_iter().filter(|piece| !piece.trim().is_empty()).collect();
    for window in pieces.windows(3) {
        match window[0] {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        let [result, name, "("] = window else { continue };
        if depth == 0 && is_word(result) && is_word(name) {
            functions.push((*name).to_owned());
        }
    }
    functions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_found() {
        let text = "float f(int a) { g(a); return h(a); }\n[numthreads(1, 1, 1)] void main() {}\n";
        assert_eq!(functions(text), ["f", "main"]);
        let pool = Pool::of_text("a", text);
        assert_eq!(pool.programs.iter().map(|case| &*case.entry).collect::<Vec<_>>(), ["f", "main"]);
    }

    #[test]
    fn the_project_has_programs() {
        let pool = Pool::of_project().unwrap();
        assert!(pool.programs.len() > 30, "{}", pool.programs.len());
        assert_eq!(pool.input(1, 7), pool.input(1, 7));
        assert_ne!(pool.input(1, 7), pool.input(1, 8));
    }
}
