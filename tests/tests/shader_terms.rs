//! Messages about a shader must use the terms of its source language.
//!
//! Each mistake is made once with an HLSL shader and once with a WGSL shader, and the messages must contain
//! the row's words and no term of the other language.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

#[path = "shader_terms/creation.rs"]
mod creation;
#[path = "shader_terms/drawing.rs"]
mod drawing;

use onze::prelude::*;
use onze_tests::{Config, Harness, on_each};

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Language {
    Hlsl,
    Wgsl,
}

impl Language {
    /// Returns terms that occur only in this language or only in messages about it.
    const fn words(self) -> &'static [&'static str] {
        match self {
            Self::Hlsl => &[
                "HLSL",
                "SV_",
                "float2",
                "float3",
                "float4",
                "uint4",
                "int4",
                "Texture2D<",
                "TextureCube<",
                "SamplerState",
                "SamplerComparisonState",
                "StructuredBuffer",
                "ByteAddressBuffer",
                "RWBuffer",
                "RWTexture",
                "cbuffer",
                "register",
                "numthreads",
                "groupshared",
                "SampleCmp",
                "entrypoint",
            ],
            Self::Wgsl => &[
                "WGSL",
                "wgsl",
                "@location",
                "@group",
                "@binding",
                "@builtin",
                "@workgroup_size",
                "@vertex",
                "texture_",
                "vec2",
                "vec3",
                "vec4",
                "f32",
                "i32",
                "array<",
                "atomic<",
                "var<",
                "`sampler`",
                "sampler_comparison",
                "_count",
                "storage",
                "location",
            ],
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::Hlsl => Self::Wgsl,
            Self::Wgsl => Self::Hlsl,
        }
    }
}

/// A shader's source in both languages, with the entry point `main`.
#[derive(Copy, Clone)]
struct Text {
    hlsl: &'static str,
    wgsl: &'static str,
}

struct Bench<'a> {
    language: Language,
    device: &'a Device,
    cx: &'a mut DeviceContext,
}

struct Mistake {
    name: &'static str,
    hlsl: &'static [&'static str],
    wgsl: &'static [&'static str],
    make: fn(&mut Bench<'_>) -> Result<(), onze::Error>,
}

const PLAIN_VERTEX: Text = Text {
    hlsl: "float4 main(uint i : SV_VertexID) : SV_Position { return float4(i, i, 0, 1); }",
    wgsl: "@vertex fn main(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return vec4f(f32(i)); }",
};

const PLAIN_PIXEL: Text = Text {
    hlsl: "float4 main() : SV_Target { return 1; }",
    wgsl: "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }",
};

impl Bench<'_> {
    const fn source(&self, text: Text) -> ShaderSource<'static> {
        self.source_of(text, "main")
    }

    const fn source_of(&self, text: Text, entry_point: &'static str) -> ShaderSource<'static> {
        match self.language {
            Language::Hlsl => ShaderSource::hlsl(text.hlsl, entry_point),
            Language::Wgsl => ShaderSource::wgsl(text.wgsl, entry_point),
        }
    }

    fn target(&self, format: Format) -> RenderTargetView {
        let desc = Texture2dDesc::render_target(format, 8, 8).label("target");
        self.device.create_texture_2d(&desc, None).unwrap().create_render_target_view().unwrap()
    }

    fn bind_target(&mut self) {
        let target = self.target(Format::R8G8B8A8_UNORM);
        self.cx.om_set_render_targets(&target, None);
        self.cx.rs_set_viewports(Viewport::sized(8.0, 8.0));
        self.cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
    }

    /// Draws with a pixel shader, whose inputs the caller must already have bound.
    fn draw_pixel(&mut self, text: Text) -> Result<(), onze::Error> {
        let vs = self.device.labelled("vs").create_vertex_shader(self.source(PLAIN_VERTEX))?;
        let ps = self.device.labelled("ps").create_pixel_shader(self.source(text))?;
        if self.cx.rs_get_viewports().is_empty() {
            self.bind_target();
        }
        self.cx.vs_set_shader(&vs);
        self.cx.ps_set_shader(&ps);
        self.cx.draw(3, 0);
        Ok(())
    }

    fn dispatch(&mut self, text: Text) -> Result<(), onze::Error> {
        let cs = self.device.labelled("cs").create_compute_shader(self.source(text))?;
        self.cx.cs_set_shader(&cs);
        self.cx.dispatch(1, 1, 1);
        Ok(())
    }

    fn texture(&self, desc: Texture2dDesc) -> Texture2d {
        self.device.create_texture_2d(&desc.label("picture"), None).unwrap()
    }

    fn sampler(&self, desc: SamplerDesc) -> SamplerState {
        self.device.create_sampler_state(&desc).unwrap()
    }

    fn written(&self, desc: &BufferDesc, view: Option<&UnorderedAccessViewDesc>) -> UnorderedAccessView {
        let buffer = self.device.labelled("items").create_buffer(desc, None).unwrap();
        self.device.create_unordered_access_view(&buffer, view).unwrap()
    }
}

/// Returns all messages that a mistake causes, from the queue and from the returned error.
fn said(h: &mut Harness, language: Language, mistake: &Mistake) -> Vec<String> {
    h.immediate.clear_state();
    let device = h.device.clone();
    device.info_queue().clear();
    let result = (mistake.make)(&mut Bench { language, device: &device, cx: &mut h.immediate });
    h.immediate.clear_state();
    h.immediate.flush();
    let mut said: Vec<_> =
        device.info_queue().take().into_iter().map(|message| message.description).collect();
    said.extend(result.err().map(|error| error.to_string()));
    said
}

/// Checks the messages that a mistake caused, and returns a description of the first fault, or `None` if the
/// messages are as expected.
fn judge(mistake: &Mistake, language: Language, said: &[String]) -> Option<String> {
    let words = if language == Language::Hlsl { mistake.hlsl } else { mistake.wgsl };
    if !said.iter().any(|message| words.iter().all(|word| message.contains(word))) {
        return Some(format!("no message has all of {words:?}"));
    }
    let foreign = |message: &String| {
        language.other().words().iter().find(|word| {
            // Words that the row itself requires are allowed, even if they belong to the other language.
            message.contains(**word) && !words.iter().any(|wanted| wanted.contains(**word))
        })
    };
    said.iter().find_map(foreign).map(|word| format!("{word:?} is a word of the other language"))
}

fn check(mistakes: &[Mistake]) {
    on_each(&[Config::NULL, Config::GPU], |h| {
        // The tables compare the messages, so the watch must allow all of them.
        h.watch.allow_all();
        let mut failures = Vec::new();
        for mistake in mistakes {
            for language in [Language::Hlsl, Language::Wgsl] {
                let said = said(h, language, mistake);
                if std::env::var_os("ONZE_MISTAKES_PRINT").is_some() {
                    println!("* {} {language:?}\n  {}", mistake.name, said.join("\n  "));
                }
                if let Some(why) = judge(mistake, language, &said) {
                    failures.push(format!("{} ({language:?}): {why}:\n{}", mistake.name, said.join("\n")));
                }
            }
        }
        assert!(failures.is_empty(), "{} mistakes:\n{}", failures.len(), failures.join("\n\n"));
    });
}

#[test]
fn drawing_mistakes_use_the_language_of_the_shader() {
    check(drawing::MISTAKES);
}

#[test]
fn creation_mistakes_use_the_language_of_the_shader() {
    check(creation::MISTAKES);
}
