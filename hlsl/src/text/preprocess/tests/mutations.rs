//! Tests with randomly changed sources, for which preprocessing the output again must produce the same
//! tokens.

use super::*;

const SEEDS: [&str; 8] = [
    "#define A(x, y) x ## y + #x\n#define B A(p, q)\nB A(1, 2)(3) A((a, b), [c]) A(A(1, 2), B)\n",
    "#if defined(A) && !defined B || (1 + 2 * 3 == 7 ? 0x10 : 010u) > ~0 << 3\nx\n#elif 1 / 0 % 3\ny\n#else\nz\n#endif\n",
    "#include \"a\"\n#include <b>\nM(x\n#include \"c\"\ny)\n__LINE__ __FILE__\n",
    "#pragma pack_matrix(row_major)\n#pragma warning(disable: 1519 3; error: 4)\n#pragma once\n#pragma message(\"m\")\nz\n",
    "float4 f(float a : A::B) { return a.xxxx * 1.5h + 1.#INF - .5e-3f; } \"s\\\"t\nu\" 'c' /* x */ // y \\\nz\n",
    "#line 7 \"b.hlsl\"\n#define N\\\n (M)\n#undef N\n#define M(a) N a M\nM(N) M (M(1)) M\n(2)\n# 12 \"c\"\n__LINE__\n",
    "#ifdef A\n#ifndef B\n# else\n#endif\n#else\n#define E\n#define ::s::t(u::v) u::v ::s\n::s::t(w) E x\n#endif\n",
    "#define C(a,b,c) a##b##c #a #b\n#define H #\nH define C(,,) C(x,,y) C(\"a b\", / , /) C(\\ ,.,0)\n#error no\n",
];

/// A pseudorandom sequence that is the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

const PIECES: [&str; 36] = [
    "#",
    "##",
    "\n",
    "\\\n",
    "\\",
    "\"",
    "'",
    "(",
    ")",
    ",",
    "[",
    "}",
    "/*",
    "*/",
    "//",
    "::",
    "#if ",
    "#else\n",
    "#endif\n",
    "#define ",
    "#include ",
    "#line ",
    "#pragma ",
    "defined ",
    "A",
    "M",
    "x",
    "B",
    "0",
    "1.",
    ".",
    "e+",
    " ",
    "\t",
    "\r\n",
    "\u{e4}",
];

fn mutate(seed: &str, random: &mut Random) -> String {
    let mut text: Vec<char> = seed.chars().collect();
    for _ in 0..=random.below(6) {
        let at = random.below(text.len() + 1);
        let end = (at + random.below(8)).min(text.len());
        match random.below(4) {
            0 => drop(text.drain(at..end)),
            1 => drop(text.splice(at..at, PIECES[random.below(PIECES.len())].chars())),
            2 => {
                let other: Vec<char> = SEEDS[random.below(SEEDS.len())].chars().collect();
                let from = random.below(other.len());
                let to = (from + random.below(24)).min(other.len());
                text.splice(at..at, other[from..to].iter().copied());
            }
            _ => {
                let piece = text[at..end].to_vec();
                let to = random.below(text.len() + 1);
                text.splice(to..to, piece);
            }
        }
    }
    text.into_iter().collect()
}

#[test]
fn changed_texts_end_and_their_output_has_the_same_tokens() {
    let files = TextIncludes::new()
        .with_text("a", "#define M(x) [x]\n#ifdef A\n")
        .with_text("b", "#pragma once\n#include \"a\"\nb M(")
        .with_text("c", "#include \"main.hlsl\"\n#include \"c\"\n\"");
    let options = PreprocessOptions { include: Some(&files), ..PreprocessOptions::default() };
    let mut random = Random(11);
    let mut accepted = 0;
    for index in 0..4000 {
        let text = mutate(SEEDS[index % SEEDS.len()], &mut random);
        let Ok(result) = preprocess(&text, "main.hlsl", &options) else { continue };
        accepted += 1;
        let (once, _) = tokens(&text, &options);
        if once.iter().any(|token| token == "#") {
            continue;
        }
        let (twice, session) = tokens(&result.text, &PreprocessOptions::default());
        assert!(
            !session.diagnostics.has_errors(),
            "{text}\n---\n{}\n---\n{}",
            result.text,
            session.diagnostics
        );
        assert_eq!(once, twice, "{text}\n---\n{}", result.text);
    }
    assert!(accepted > 1000, "{accepted}");
}
