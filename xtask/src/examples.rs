//! The gallery: a table of the examples that draw, in teaching order, for all code that runs, shows or tests
//! them.

use std::path::{Path, PathBuf};

/// A program of the examples crate that draws in a window, in a browser, and into a picture.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) name: &'static str,
    /// A description of the picture and the topic, as Markdown for one table cell.
    pub(crate) about: &'static str,
    /// Options for drawing a reproducible picture, passed as `--name value` on the command line and as
    /// `?name=value` in a browser.
    pub(crate) options: &'static [(&'static str, &'static str)],
}

#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) title: &'static str,
    pub(crate) examples: &'static [Example],
}

/// An example whose picture is its first frame, because its later frames depend on the time.
const fn example(name: &'static str, about: &'static str) -> Example {
    Example { name, about, options: &[("frames", "1")] }
}

pub(crate) const GROUPS: &[Group] = &[
    Group {
        title: "First steps",
        examples: &[
            example("triangle_window", "A triangle in HLSL: the smallest program with a window."),
            example("textured_cube", "An image with mips, a depth buffer and a camera."),
            example("text", "Letters of any size, from an atlas that is filled on demand. Type some text."),
            example("sprite_batch", "A thousand sprites in one draw, with new instance data in each frame."),
            example(
                "sprites",
                "A hundred thousand sprites, streamed through one buffer by NO_OVERWRITE maps.",
            ),
        ],
    },
    Group {
        title: "In HLSL",
        examples: &[
            example("hlsl_triangle", "The first triangle of a course: a vertex buffer and its input layout."),
            example(
                "hlsl_lit_cube",
                "Two lamps, and one constant buffer of matrices that changes between draws.",
            ),
            example(
                "hlsl_textured_cube",
                "A tinted image, with three constant buffers that change at different rates.",
            ),
            example("hlsl_explosion", "A geometry shader that moves each triangle along its own normal."),
            example(
                "hlsl_nbody",
                "Two galaxies whose bodies all attract each other, with group-shared memory.",
            ),
        ],
    },
    Group {
        title: "Light",
        examples: &[
            example(
                "shadow_map",
                "A sun that moves in a circle: the scene is first drawn into a depth texture.",
            ),
            example(
                "deferred_shading",
                "First the surfaces, then hundreds of lights, each over the pixels in its range.",
            ),
            example("light_culling", "A thousand moving lights, sorted into tiles by a compute shader."),
            example("oit", "Glass in any order: one pixel shader stores surfaces, and another sorts them."),
            example("post_processing", "Bloom and tone mapping: bright things glow."),
            example(
                "model_viewer",
                "Any glTF model, physically based. Drag to rotate it, or drop a file on it.",
            ),
        ],
    },
    Group {
        title: "Geometry shaders",
        examples: &[
            example(
                "gs_sprites",
                "The rings of a planet, as points that become quads. Press I to compare with instancing.",
            ),
            example(
                "cube_shadows",
                "A lamp with a shadow cube, whose six faces are drawn in one pass by one draw.",
            ),
            example("fur", "Shells of hair, and fins on the silhouette that a geometry shader finds."),
            example(
                "so_particles",
                "A fountain by stream output: a geometry shader moves, adds and removes particles.",
            ),
        ],
    },
    Group {
        title: "Tessellation",
        examples: &[
            example(
                "terrain",
                "A flight along a river. Near ground has thousands of triangles, and distant ground few.",
            ),
            example(
                "pn_triangles",
                "A knot of 330 triangles, flat and curved. The normals alone determine the curves.",
            ),
            example("bezier", "A vase of eight Bézier patches. Press 1 to 4 to change the partitioning."),
            example(
                "hair",
                "Twenty thousand hairs, as lines that the tessellator puts between a few curves.",
            ),
        ],
    },
    Group {
        title: "Compute",
        examples: &[
            example("particles", "Fireworks: the GPU appends, consumes, counts and draws all particles."),
            example("bitonic_sort", "A million numbers sorted, and compared with the CPU's result."),
        ],
    },
    Group {
        title: "Threads and devices",
        examples: &[
            example("multithreaded", "Thousands of draws, recorded by deferred contexts on all CPU cores."),
            example("timing", "Glowing drops, and the GPU time of each pass, measured with timestamps."),
            example(
                "formats",
                "Each format, filter and address mode, next to the result that the CPU computes.",
            ),
            example(
                "device_lost",
                "Press L to lose the device. The program creates a new device and continues.",
            ),
        ],
    },
    Group {
        title: "With other libraries",
        examples: &[
            example("ui", "egui over a scene, with the device's statistics."),
            example(
                "wgpu_interop",
                "wgpu draws into a texture that Onze created, and Onze shows it on boxes.",
            ),
        ],
    },
    Group {
        title: "A game",
        examples: &[Example {
            name: "asteroids",
            about: "Rocks, shots and a score. Deferred contexts record the scene, and the input can be replayed.",
            options: &[("input", "demo"), ("frames", "250")],
        }],
    },
];

pub(crate) fn all() -> impl Iterator<Item = &'static Example> {
    GROUPS.iter().flat_map(|group| group.examples)
}

impl Example {
    pub(crate) fn args(&self) -> impl Iterator<Item = String> {
        self.options.iter().flat_map(|(name, value)| [format!("--{name}"), (*value).to_owned()])
    }

    #[cfg_attr(not(feature = "web"), allow(dead_code, reason = "used only by the build for browsers"))]
    pub(crate) fn package(&self, root: &Path) -> String {
        match root.join("examples").join(self.name).join("Cargo.toml").exists() {
            true => format!("onze-example-{}", self.name),
            false => "onze-examples".to_owned(),
        }
    }

    /// Returns the folder of the example's source: the example's own folder, or the shared folder for
    /// examples with one or two files.
    pub(crate) fn folder(&self, root: &Path) -> PathBuf {
        let examples = root.join("examples");
        let own = examples.join(self.name);
        let folders = [own.join("src"), own, examples.join("src/bin")];
        folders.into_iter().find(|folder| folder.exists()).unwrap_or_default()
    }

    /// Returns the example's source files: first the program, then its shaders and other files.
    pub(crate) fn files(&self, root: &Path) -> Vec<PathBuf> {
        let folder = self.folder(root);
        let program = folder.join(self.name).with_extension("rs");
        if program.exists() {
            let shaders = ["wgsl", "hlsl"].map(|language| program.with_extension(language));
            return std::iter::once(program)
                .chain(shaders.into_iter().filter(|file| file.exists()))
                .collect();
        }
        let mut files = Vec::new();
        find(&folder, &mut files);
        files.sort_by_key(|path| (!path.ends_with("main.rs"), path.components().count(), path.clone()));
        files
    }
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in folder.read_dir().into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, files);
        } else {
            files.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::workspace_root;

    #[test]
    fn every_example_has_a_program_a_picture_and_a_sentence() {
        let root = workspace_root();
        for example in all() {
            let files = example.files(&root);
            let text = std::fs::read_to_string(files.first().unwrap()).unwrap();
            assert!(text.contains("onze_winit::run("), "{}", example.name);
            let picture = root.join("examples/references").join(example.name).with_extension("png");
            assert!(picture.exists(), "{}", picture.display());
            assert!(example.about.ends_with('.') && !example.about.contains('|'), "{}", example.name);
        }
    }

    #[test]
    fn options_are_those_of_a_command_line() {
        let options = &[("input", "demo"), ("frames", "9")];
        let example = Example { name: "a", about: "A.", options };
        assert_eq!(example.args().collect::<Vec<_>>(), ["--input", "demo", "--frames", "9"]);
    }
}
