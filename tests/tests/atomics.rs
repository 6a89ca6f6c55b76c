//! Atomic operations in all memory for which Direct3D 11 defines them: structured, raw and typed buffers,
//! textures and group-shared memory. The rules are those of `imm_atomic_*` and `atomic_*` in the functional
//! specification. Operations use 32 bits and wrap around, and the `imm_atomic_*` operations return the old
//! value. Out of range, nothing is written and the returned value is 0.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{CommandPath, Harness, gpu_matrix, on_each};

const VIEWED: BindFlags = BindFlags::SHADER_RESOURCE.union(BindFlags::UNORDERED_ACCESS);

/// The smallest and largest signed and unsigned numbers, and some bit patterns.
const EDGES: [u32; 10] =
    [0, 1, 2, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, u32::MAX, 0xaaaa_5555, 0x1234_5678];

const PAIRS: u32 = (EDGES.len() * EDGES.len()) as u32;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Numbers {
    Unsigned,
    Signed,
}

impl Numbers {
    const ALL: [Self; 2] = [Self::Unsigned, Self::Signed];

    fn scalar(self) -> &'static str {
        if self == Self::Unsigned { "u32" } else { "i32" }
    }

    fn texel(self) -> &'static str {
        if self == Self::Unsigned { "r32uint" } else { "r32sint" }
    }

    fn format(self) -> Format {
        if self == Self::Unsigned { Format::R32_UINT } else { Format::R32_SINT }
    }
}

type Rule = fn(Numbers, u32, u32) -> u32;

/// The suffix of WGSL's `atomic` functions, and the rule that computes the new word from the old value and
/// the operand.
const OPERATIONS: [(&str, Rule); 8] = [
    ("Add", |_, old, operand| old.wrapping_add(operand)),
    ("Min", |numbers, old, operand| match numbers {
        Numbers::Unsigned => old.min(operand),
        Numbers::Signed => (old as i32).min(operand as i32) as u32,
    }),
    ("Max", |numbers, old, operand| match numbers {
        Numbers::Unsigned => old.max(operand),
        Numbers::Signed => (old as i32).max(operand as i32) as u32,
    }),
    ("And", |_, old, operand| old & operand),
    ("Or", |_, old, operand| old | operand),
    ("Xor", |_, old, operand| old ^ operand),
    ("Sub", |_, old, operand| old.wrapping_sub(operand)),
    ("Exchange", |_, _, operand| operand),
];

/// Number of operations at the start of [`OPERATIONS`] that WGSL has for images, and therefore for typed
/// buffers.
const OF_IMAGES: usize = 6;

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Place {
    Structured,
    Raw,
    Typed,
    Texture,
    GroupShared,
}

impl Place {
    const ALL: [Self; 5] = [Self::Structured, Self::Raw, Self::Typed, Self::Texture, Self::GroupShared];

    fn is_image(self) -> bool {
        matches!(self, Self::Typed | Self::Texture)
    }

    fn operations(self) -> &'static [(&'static str, Rule)] {
        if self.is_image() { &OPERATIONS[..OF_IMAGES] } else { &OPERATIONS }
    }

    /// Returns the declaration of the memory under test: `u0`, or group-shared memory with the given number
    /// of words.
    fn declaration(self, numbers: Numbers, words: u32) -> String {
        let (scalar, texel) = (numbers.scalar(), numbers.texel());
        match self {
            Self::Structured | Self::Raw => {
                format!("@group(3) @binding(0) var<storage, read_write> place: array<atomic<{scalar}>>;")
            }
            Self::Typed => {
                format!("@group(3) @binding(0) var place: texture_storage_1d<{texel}, atomic>;")
            }
            Self::Texture => {
                format!("@group(3) @binding(0) var place: texture_storage_2d<{texel}, atomic>;")
            }
            Self::GroupShared => format!(
                "@group(3) @binding(0) var<storage, read_write> outside: array<{scalar}>;
                var<workgroup> place: array<atomic<{scalar}>, {words}>;"
            ),
        }
    }

    /// Returns the call of an operation on element `x` of row `y`, with `width` elements per row.
    fn call(self, operation: &str, (x, y): (&str, &str), width: u32, operand: &str) -> String {
        match self {
            Self::Structured | Self::Raw | Self::GroupShared => {
                format!("atomic{operation}(&place[{y} * {width}u + {x}], {operand})")
            }
            Self::Typed => format!("textureAtomic{operation}(place, {y} * {width}u + {x}, {operand})"),
            Self::Texture => format!("textureAtomic{operation}(place, vec2u({x}, {y}), {operand})"),
        }
    }

    /// Creates the resource and its view, with `width` words per row.
    fn create(self, h: &Harness, numbers: Numbers, width: u32, words: &[u32]) -> Destination {
        let bytes: &[u8] = bytemuck::cast_slice(words);
        let count = words.len() as u32;
        let buffer = |desc: &BufferDesc| h.device.create_buffer(desc, Some(bytes)).unwrap();
        let with_view = |buffer: Buffer, desc: UnorderedAccessViewDesc| {
            let view = h.device.create_unordered_access_view(&buffer, Some(&desc)).unwrap();
            Destination { resource: Memory::Buffer(buffer), view }
        };
        match self {
            Self::Structured | Self::GroupShared => with_view(
                buffer(&BufferDesc::structured(4, count, VIEWED)),
                UnorderedAccessViewDesc::buffer(0, count),
            ),
            Self::Raw => with_view(
                buffer(&BufferDesc::raw(4 * count, VIEWED)),
                UnorderedAccessViewDesc::raw_buffer(0, count),
            ),
            Self::Typed => with_view(
                buffer(&BufferDesc::new(4 * count, VIEWED)),
                UnorderedAccessViewDesc::typed_buffer(numbers.format(), 0, count),
            ),
            Self::Texture => {
                let desc = Texture2dDesc {
                    mip_levels: 1,
                    bind_flags: VIEWED,
                    ..Texture2dDesc::new(numbers.format(), width, count / width)
                };
                let data = SubresourceData { bytes, row_pitch: 4 * width, depth_pitch: 0 };
                let texture = h.device.create_texture_2d(&desc, Some(&[data])).unwrap();
                let view = h.device.create_unordered_access_view(&texture, None).unwrap();
                Destination { resource: Memory::Texture(texture), view }
            }
        }
    }
}

enum Memory {
    Buffer(Buffer),
    Texture(Texture2d),
}

struct Destination {
    resource: Memory,
    view: UnorderedAccessView,
}

impl Destination {
    fn read(&self, h: &mut Harness) -> Vec<u32> {
        match &self.resource {
            Memory::Buffer(buffer) => h.immediate.read_buffer(buffer).unwrap(),
            Memory::Texture(texture) => h.read_u32(texture, 0),
        }
    }
}

/// Compiles a shader, or returns `None` if the adapter has no atomics in textures.
fn shader(h: &Harness, place: Place, text: &str) -> Option<ComputeShader> {
    match h.device.create_compute_shader(ShaderSource::wgsl(text, "main")) {
        Err(error) if place == Place::Texture && error.to_string().contains("TEXTURE_ATOMIC") => {
            println!("skipped: the adapter has no atomics in textures ({})", h.config);
            h.take_errors();
            None
        }
        created => Some(created.unwrap()),
    }
}

fn structured(h: &Harness, words: &[u32]) -> Buffer {
    let desc = BufferDesc::structured(4, words.len() as u32, VIEWED);
    h.device.create_buffer(&desc, Some(bytemuck::cast_slice(words))).unwrap()
}

/// Returns a shader that applies every operation to every pair of edges, with one thread per pair that writes
/// only its own words. With `returns`, the shader uses the returned values (`imm_atomic_*`), and otherwise it
/// ignores them (`atomic_*`).
fn of_pairs(place: Place, numbers: Numbers, returns: bool) -> String {
    let (scalar, rows) = (numbers.scalar(), place.operations().len());
    let words = PAIRS * rows as u32;
    let mut body = String::new();
    for (row, (operation, _)) in place.operations().iter().enumerate() {
        let call = place.call(operation, ("n", &format!("{row}u")), PAIRS, "operands[n]");
        let call =
            if returns { format!("returned[{row}u * {PAIRS}u + n] = {call};") } else { format!("{call};") };
        body.push_str(&call);
    }
    let (mut before, mut after) = ("", "");
    if place == Place::GroupShared {
        before = "for (var row = 0u; row < ROWS; row++) { atomicStore(&place[row * PAIRS + n], outside[row * PAIRS + n]); }
            workgroupBarrier();";
        after = "workgroupBarrier();
            for (var row = 0u; row < ROWS; row++) { outside[row * PAIRS + n] = atomicLoad(&place[row * PAIRS + n]); }";
    }
    format!(
        "const PAIRS = {PAIRS}u;
        const ROWS = {rows}u;
        {}
        @group(1) @binding(0) var<storage> operands: array<{scalar}>;
        @group(3) @binding(1) var<storage, read_write> returned: array<{scalar}>;
        @compute @workgroup_size({PAIRS}) fn main(@builtin(local_invocation_index) n: u32) {{
            {before} {body} {after}
        }}",
        place.declaration(numbers, words)
    )
}

/// Returns all combinations of memory, signedness and whether the old value is used. Images are combined only
/// with an unused old value, because image atomics in WGSL and naga return nothing.
fn combinations() -> impl Iterator<Item = (Place, Numbers, bool)> {
    let numbers = Place::ALL.into_iter().flat_map(|place| Numbers::ALL.map(|numbers| (place, numbers)));
    let all = numbers.flat_map(|(place, numbers)| [false, true].map(|returns| (place, numbers, returns)));
    all.filter(|(place, _, returns)| !(place.is_image() && *returns))
}

/// Covers every operation in all memory, signed and unsigned, with every pair of edges, with and without the
/// old value.
#[test]
fn every_atomic_operation_follows_its_rule_at_the_edges() {
    on_each(&gpu_matrix(), |h| {
        let olds: Vec<u32> = EDGES.iter().flat_map(|old| [*old; EDGES.len()]).collect();
        let operands = EDGES.repeat(EDGES.len());
        let given = structured(h, &operands).create_shader_resource_view().unwrap();
        for (place, numbers, returns) in combinations() {
            let Some(cs) = shader(h, place, &of_pairs(place, numbers, returns)) else { continue };
            let rows = place.operations();
            let destination = place.create(h, numbers, PAIRS, &olds.repeat(rows.len()));
            let returned = structured(h, &vec![77; olds.len() * rows.len()]);
            let returned_view = returned.create_unordered_access_view().unwrap();
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_shader_resources(0, &given);
                cx.cs_set_unordered_access_views(0, [&destination.view, &returned_view]);
                cx.dispatch(1, 1, 1);
            });
            let (found, returned) = (destination.read(h), h.immediate.read_buffer::<u32>(&returned).unwrap());
            for (row, (name, rule)) in rows.iter().enumerate() {
                for (n, (old, operand)) in olds.iter().zip(&operands).enumerate() {
                    let at = row * olds.len() + n;
                    let what = format!("{name} of {old:#x} and {operand:#x}, {place:?}, {numbers:?}");
                    assert_eq!(found[at], rule(numbers, *old, *operand), "{what}");
                    assert_eq!(returned[at], if returns { *old } else { 77 }, "returned values: {what}");
                }
            }
            h.assert_silent();
        }
    });
}

/// Returns all memory except images, because only operations on images do not return the old value.
fn with_old_values() -> impl Iterator<Item = (Place, Numbers)> {
    combinations().filter(|(.., returns)| *returns).map(|(place, numbers, _)| (place, numbers))
}

/// `imm_atomic_cmp_exch` and `atomic_cmp_store` write the new value only if the old value equals the
/// comparand.
#[test]
fn a_compare_exchange_writes_only_where_old_and_comparand_agree() {
    on_each(&gpu_matrix(), |h| {
        let olds: Vec<u32> = EDGES.iter().flat_map(|old| [*old; EDGES.len()]).collect();
        let comparands = EDGES.repeat(EDGES.len());
        let given = structured(h, &comparands).create_shader_resource_view().unwrap();
        for (place, numbers) in with_old_values() {
            let scalar = numbers.scalar();
            let (mut before, mut after) = ("", "");
            if place == Place::GroupShared {
                (before, after) =
                    ("atomicStore(&place[n], outside[n]);", "outside[n] = atomicLoad(&place[n]);");
            }
            // A WGSL exchange may fail spuriously and a Direct3D 11 exchange may not, so the shader retries
            // in a loop.
            let text = format!(
                "{}
                @group(1) @binding(0) var<storage> comparands: array<{scalar}>;
                @group(3) @binding(1) var<storage, read_write> returned: array<{scalar}>;
                @compute @workgroup_size({PAIRS}) fn main(@builtin(local_invocation_index) n: u32) {{
                    {before}
                    var found = atomicCompareExchangeWeak(&place[n], comparands[n], {scalar}(0x5eed));
                    while !found.exchanged && found.old_value == comparands[n] {{
                        found = atomicCompareExchangeWeak(&place[n], comparands[n], {scalar}(0x5eed));
                    }}
                    returned[n] = found.old_value;
                    {after}
                }}",
                place.declaration(numbers, PAIRS)
            );
            let Some(cs) = shader(h, place, &text) else { continue };
            let destination = place.create(h, numbers, PAIRS, &olds);
            let returned = structured(h, &[77; PAIRS as usize]);
            let returned_view = returned.create_unordered_access_view().unwrap();
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_shader_resources(0, &given);
                cx.cs_set_unordered_access_views(0, [&destination.view, &returned_view]);
                cx.dispatch(1, 1, 1);
            });
            let expected: Vec<_> = olds
                .iter()
                .zip(&comparands)
                .map(|(old, comparand)| if old == comparand { 0x5eed } else { *old })
                .collect();
            assert_eq!(destination.read(h), expected, "{place:?}, {numbers:?}");
            assert_eq!(h.immediate.read_buffer::<u32>(&returned).unwrap(), olds, "{place:?}, {numbers:?}");
        }
    });
}

/// Threads of several groups use the same word and no operation is lost. No two threads get the same old
/// value, and at most one of the threads that exchange zero for a new value succeeds.
#[test]
fn concurrent_atomics_lose_no_operation() {
    const THREADS: u32 = 256;
    const START: u32 = u32::MAX - 99;
    on_each(&gpu_matrix(), |h| {
        for place in [Place::Structured, Place::Raw, Place::GroupShared] {
            let words = 4;
            let shared = place == Place::GroupShared;
            // Each group has its own group-shared memory, so this case uses only one group.
            let (groups, size) = if shared { (1, THREADS) } else { (8, THREADS / 8) };
            let (before, after) = if shared {
                (
                    "if n < 4u { atomicStore(&place[n], outside[n]); } workgroupBarrier();",
                    "workgroupBarrier(); if n < 4u { outside[n] = atomicLoad(&place[n]); }",
                )
            } else {
                ("", "")
            };
            let text = format!(
                "{}
                @group(3) @binding(1) var<storage, read_write> returned: array<u32>;
                @compute @workgroup_size({size}) fn main(@builtin(global_invocation_id) id: vec3u) {{
                    let n = id.x;
                    {before}
                    returned[n] = atomicAdd(&place[0], 3u);
                    returned[{THREADS}u + n] = atomicExchange(&place[1], n + 1u);
                    let found = atomicCompareExchangeWeak(&place[2], 0u, n + 1u);
                    returned[2u * {THREADS}u + n] = u32(found.exchanged);
                    atomicXor(&place[3], 1u << (n % 32u));
                    {after}
                }}",
                place.declaration(Numbers::Unsigned, words)
            );
            let cs = shader(h, place, &text).unwrap();
            let destination = place.create(h, Numbers::Unsigned, words, &[START, 0, 0, 0x5a5a_5a5a]);
            let returned = structured(h, &[77; 3 * THREADS as usize]);
            let returned_view = returned.create_unordered_access_view().unwrap();
            h.record(CommandPath::Immediate, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_unordered_access_views(0, [&destination.view, &returned_view]);
                cx.dispatch(groups, 1, 1);
            });
            let found = destination.read(h);
            let returned = h.immediate.read_buffer::<u32>(&returned).unwrap();
            let [sums, exchanged, won] = [0, 1, 2].map(|part| {
                let part: &[u32] = &returned[part * THREADS as usize..][..THREADS as usize];
                part
            });
            let mut sums: Vec<_> = sums.iter().map(|sum| sum.wrapping_sub(START)).collect();
            sums.sort_unstable();
            assert!(sums.into_iter().eq((0..THREADS).map(|n| 3 * n)), "{place:?}: sums");
            assert_eq!(found[0], START.wrapping_add(3 * THREADS), "{place:?}: it wraps around");
            let mut all: Vec<_> = exchanged.iter().copied().chain([found[1]]).collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..=THREADS), "{place:?}: each value is found once");
            // Only a thread that reads zero may exchange it, but no thread has to succeed, because a WGSL
            // exchange may fail spuriously.
            let winners: Vec<_> = (1..).zip(won).filter(|(_, won)| **won == 1).map(|(n, _)| n).collect();
            match winners[..] {
                [] => assert_eq!(found[2], 0, "{place:?}"),
                [winner] => assert_eq!(found[2], winner, "{place:?}"),
                _ => panic!("{place:?}: {winners:?} have exchanged one value"),
            }
            assert_eq!(found[3], 0x5a5a_5a5a, "{place:?}: 8 times each bit");
        }
    });
}

/// Nothing is written and the old value is 0 after the view's end, in an empty slot, and in the buffer's
/// words next to the view.
#[test]
fn atomics_out_of_range_write_nothing_and_return_zero() {
    on_each(&gpu_matrix(), |h| {
        h.watch.expect(&[MessageId::DispatchUnorderedAccessNotSet]);
        for (place, numbers, returns) in combinations().filter(|(place, ..)| *place != Place::GroupShared) {
            let scalar = numbers.scalar();
            let mut body = String::new();
            for (operation, _) in place.operations() {
                let call = place.call(operation, ("x", "y"), 8, &format!("{scalar}(0x7abcdef1)"));
                let call = if returns { format!("sum |= u32({call});") } else { format!("{call};") };
                body.push_str(&call);
            }
            if !place.is_image() {
                body.push_str(&format!(
                    "sum |= u32(atomicCompareExchangeWeak(&place[x], {scalar}(0), {scalar}(7)).old_value);"
                ));
            }
            let text = format!(
                "{}
                @group(1) @binding(0) var<storage> places: array<vec2u>;
                @group(3) @binding(1) var<storage, read_write> returned: array<u32>;
                @compute @workgroup_size(1) fn main() {{
                    var sum = 0u;
                    for (var i = 0u; i < arrayLength(&places); i++) {{
                        let x = places[i].x;
                        let y = places[i].y;
                        {body}
                    }}
                    returned[0] = sum + 1u;
                }}",
                place.declaration(numbers, 0)
            );
            let Some(cs) = shader(h, place, &text) else { continue };
            // The view covers 8 of the buffer's 16 words, or all 8 texels of the texture.
            let all = place.create(
                h,
                numbers,
                4,
                &[0x0102_0304; 16][..if place == Place::Texture { 8 } else { 16 }],
            );
            let desc = match place {
                Place::Raw => Some(UnorderedAccessViewDesc::raw_buffer(4, 8)),
                Place::Typed => Some(UnorderedAccessViewDesc::typed_buffer(numbers.format(), 3, 8)),
                Place::Structured | Place::GroupShared => Some(UnorderedAccessViewDesc::buffer(3, 8)),
                Place::Texture => None,
            };
            let view = match (&all.resource, desc) {
                (Memory::Buffer(buffer), Some(desc)) => {
                    h.device.create_unordered_access_view(buffer, Some(&desc)).unwrap()
                }
                _ => all.view.clone(),
            };
            let beyond: &[[u32; 2]] = match place {
                Place::Texture => {
                    &[[4, 0], [0, 2], [3, 1000], [1 << 30, 1 << 30], [u32::MAX, 0], [0, u32::MAX]]
                }
                // The last index is just below the view's first word. Elements whose byte offset wraps around
                // into the view are left out, because llvmpipe accesses the view for them.
                _ => &[[8, 0], [9, 0], [12, 0], [13, 0], [1000, 0], [0x3fff_ffff, 0], [u32::MAX, 0]],
            };
            let places = BufferDesc::structured(8, beyond.len() as u32, VIEWED);
            let places = h.device.create_buffer(&places, Some(bytemuck::cast_slice(beyond))).unwrap();
            let places = places.create_shader_resource_view().unwrap();
            let returned = structured(h, &[77]);
            let returned_view = returned.create_unordered_access_view().unwrap();
            for view in [Some(&view), None] {
                h.record(CommandPath::Immediate, |cx| {
                    cx.cs_set_shader(&cs);
                    cx.cs_set_shader_resources(0, &places);
                    cx.cs_set_unordered_access_views(0, [view, Some(&returned_view)]);
                    cx.dispatch(1, 1, 1);
                });
                let row = format!("{place:?}, {numbers:?}, returns {returns}, bound {}", view.is_some());
                let found = all.read(h);
                assert!(found.iter().all(|word| *word == 0x0102_0304), "{row}: {found:x?}");
                assert_eq!(h.immediate.read_buffer::<u32>(&returned).unwrap(), [1], "{row}");
            }
        }
    });
}

/// An atomic operation on one member of a structure leaves the other members unchanged.
#[test]
fn an_atomic_on_a_member_keeps_its_neighbours() {
    const SHADER: &str = "
        struct Item { before: u32, number: atomic<i32>, after: vec2u }
        @group(3) @binding(0) var<storage, read_write> items: array<Item>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
            atomicMin(&items[id.x % 5u].number, -i32(id.x));
            if id.x < 5u { items[id.x].after.y = 9u; }
        }";
    on_each(&gpu_matrix(), |h| {
        let cs = h.device.create_compute_shader(ShaderSource::wgsl(SHADER, "main")).unwrap();
        for how in CommandPath::ALL {
            let desc = BufferDesc::structured(16, 7, VIEWED);
            let items = [[3_u32, 100, 5, 6]; 7];
            let items = h.device.create_buffer(&desc, Some(bytemuck::cast_slice(&items))).unwrap();
            let view = UnorderedAccessViewDesc::buffer(1, 5);
            let view = h.device.create_unordered_access_view(&items, Some(&view)).unwrap();
            h.record(how, |cx| {
                cx.cs_set_shader(&cs);
                cx.cs_set_unordered_access_views(0, &view);
                cx.dispatch(2, 1, 1);
            });
            let found: Vec<[i32; 4]> = h.immediate.read_buffer(&items).unwrap();
            let least = [125, 126, 127, 123, 124].map(|n: i32| [3, -n, 5, 9]);
            let unseen = [[3, 100, 5, 6]];
            assert_eq!(found, [&unseen[..], &least, &unseen].concat(), "{how:?}");
        }
    });
}

/// Covers all memory except group-shared memory, with each pixel taking part once in each draw.
#[test]
fn pixel_shaders_have_atomic_operations() {
    const PIXELS: u32 = 8;
    on_each(&gpu_matrix(), |h| {
        for place in [Place::Structured, Place::Raw, Place::Typed, Place::Texture] {
            let numbers = Numbers::Unsigned;
            let call = |operation, x, operand| place.call(operation, (x, "0u"), 4, operand);
            let text = format!(
                "{}
                @vertex fn vs(@builtin(vertex_index) n: u32) -> @builtin(position) vec4f {{
                    return vec4f(f32(n >> 1u) * 4.0 - 1.0, f32(n & 1u) * 4.0 - 1.0, 0.5, 1.0);
                }}
                @fragment fn main(@builtin(position) at: vec4f) {{
                    let n = u32(at.y) * {PIXELS}u + u32(at.x);
                    {};
                    {};
                    {};
                    {};
                }}",
                place.declaration(numbers, 0),
                call("Add", "0u", "n"),
                call("Max", "1u", "n"),
                call("Xor", "2u", "1u << (n % 32u)"),
                call("Min", "3u", "n + 5u"),
            );
            let ps = match h.device.create_pixel_shader(ShaderSource::wgsl(&text, "main")) {
                Err(error) if place == Place::Texture && error.to_string().contains("TEXTURE_ATOMIC") => {
                    println!("skipped: the adapter has no atomics in textures ({})", h.config);
                    h.take_errors();
                    continue;
                }
                created => created.unwrap(),
            };
            let vs = h.device.create_vertex_shader(ShaderSource::wgsl(&text, "vs")).unwrap();
            for how in CommandPath::ALL {
                let destination = place.create(h, numbers, 4, &[u32::MAX - 999, 0, 0xf0, u32::MAX]);
                h.record(how, |cx| {
                    cx.vs_set_shader(&vs);
                    cx.ps_set_shader(&ps);
                    cx.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
                    cx.rs_set_viewports(Viewport::sized(PIXELS as f32, PIXELS as f32));
                    cx.om_set_unordered_access_views(0, &destination.view);
                    cx.draw(3, 0);
                    cx.draw(3, 0);
                });
                // Two draws cover the target, so the sum of 0 to 63 is added twice, and in each draw the 64
                // pixels flip each of the 32 bits twice.
                let expected = [(u32::MAX - 999).wrapping_add(2 * 2016), 63, 0xf0, 5];
                assert_eq!(destination.read(h), expected, "{place:?}, {how:?}");
            }
        }
    });
}
