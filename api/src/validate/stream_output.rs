//! Validation of stream-output declarations, and matching of their entries with a shader's outputs.

use std::borrow::Cow;

use onze_ddi::{OutputRegister, STREAM_COUNT, STREAM_OUTPUT_SLOTS, StreamOutputDesc, StreamOutputEntry};

use crate::{report::Error, shader::StreamElement};

/// Maximum number of components that a stream writes for each vertex, including gaps (D3D11:
/// `D3D11_SO_OUTPUT_COMPONENT_COUNT`).
const MAX_COMPONENTS: u32 = 128;
/// Maximum number of entries of all streams.
const MAX_ENTRIES: usize = MAX_COMPONENTS as usize * STREAM_COUNT;
/// Maximum distance between vertices in bytes (D3D11: `D3D11_SO_BUFFER_MAX_STRIDE_IN_BYTES`).
const MAX_STRIDE: u32 = 2048;

/// Components of an output that stream output writes to a buffer (D3D11: `D3D11_SO_DECLARATION_ENTRY`).
///
/// The entries of a slot are written one after the other, in the order of the declaration.
///
/// ```
/// use onze::SoDeclarationEntry;
///
/// let entries = [
///     SoDeclarationEntry::new("SV_Position", 0, 4),
///     // `float2 uv : TEXCOORD1` in HLSL, or an output named `texcoord1` in other languages.
///     SoDeclarationEntry::new("TEXCOORD", 1, 2),
///     // Eight bytes that stay as they are.
///     SoDeclarationEntry::gap(2),
///     // `@location(3)` in WGSL, in another buffer.
///     SoDeclarationEntry::at_location(3, 1).slot(1),
/// ];
/// ```
#[doc(alias = "D3D11_SO_DECLARATION_ENTRY")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SoDeclarationEntry {
    /// The stream of the geometry shader, from 0 to 3, and 0 for a vertex or domain shader.
    pub stream: u32,
    /// The case-insensitive name of the output's semantic, or `None` for a gap. In HLSL, this is the semantic without
    /// its index. In other languages, it is the name of the output without digits at the end, or `SV_Position` for the
    /// position.
    pub semantic_name: Option<Cow<'static, str>>,
    /// The index of the semantic, which distinguishes outputs with the same name.
    pub semantic_index: u32,
    /// The first component of the output to write, from 0 (x) to 3 (w).
    pub start_component: u8,
    /// Number of components to write, from 1 to 4. A gap may have more.
    pub component_count: u8,
    /// The slot of the buffer, from 0 to 3. Each slot receives the vertices of one stream.
    pub output_slot: u8,
    /// If given, selects the output by its location instead of its semantic: `@location` in WGSL, or
    /// `layout(location)` in GLSL.
    pub location: Option<u32>,
}

impl SoDeclarationEntry {
    /// Describes the first components of the output with a semantic, in stream 0 and slot 0.
    pub fn new(
        semantic_name: impl Into<Cow<'static, str>>,
        semantic_index: u32,
        component_count: u8,
    ) -> Self {
        Self { semantic_name: Some(semantic_name.into()), semantic_index, ..Self::gap(component_count) }
    }

    /// Describes the first components of the output at a location, in stream 0 and slot 0: `@location(location)` in
    /// WGSL.
    pub fn at_location(location: u32, component_count: u8) -> Self {
        Self { location: Some(location), ..Self::gap(component_count) }
    }

    /// Describes a gap, which leaves as many words of the buffer unchanged, in stream 0 and slot 0 (D3D11: an entry
    /// without a semantic name).
    pub fn gap(component_count: u8) -> Self {
        Self {
            stream: 0,
            semantic_name: None,
            semantic_index: 0,
            start_component: 0,
            component_count,
            output_slot: 0,
            location: None,
        }
    }

    /// Sets the stream of the geometry shader.
    pub fn stream(mut self, stream: u32) -> Self {
        self.stream = stream;
        self
    }

    /// Sets the slot of the buffer.
    pub fn slot(mut self, output_slot: u8) -> Self {
        self.output_slot = output_slot;
        self
    }

    /// Sets the first component of the output to write.
    pub fn start_component(mut self, start_component: u8) -> Self {
        self.start_component = start_component;
        self
    }

    const fn is_gap(&self) -> bool {
        self.semantic_name.is_none() && self.location.is_none()
    }

    /// Returns the semantic, such as `TEXCOORD1`, or the call that replaces it.
    fn name(&self) -> String {
        match (&self.semantic_name, self.location) {
            (_, Some(location)) => format!("`at_location({location})`"),
            (Some(name), None) => format!("{name}{}", self.semantic_index),
            (None, None) => "a gap".to_owned(),
        }
    }
}

/// The outputs of a shader whose vertices are written to buffers.
pub(crate) struct StreamShader {
    /// The elements of all streams.
    pub(crate) elements: Vec<StreamElement>,
    /// Number of streams of a geometry shader, or `None` for a vertex or domain shader, which has stream 0 only.
    pub(crate) geometry_streams: Option<usize>,
}

/// The state of a slot after the entries that have been processed so far.
#[derive(Copy, Clone, Default)]
struct StreamSlot {
    /// The stream of the entries in this slot, if there are any.
    stream: Option<u32>,
    /// Whether an entry is not a gap.
    has_output: bool,
    /// End of the previous entry, in bytes.
    end: u32,
}

/// Checks a declaration and replaces its semantics with registers.
///
/// Entries of a stream whose vertices the shader never appends are checked, but are not part of the result.
pub(crate) fn stream_output(
    entries: &[SoDeclarationEntry],
    strides: &[u32],
    rasterized_stream: Option<u32>,
    shader: &StreamShader,
) -> Result<StreamOutputDesc, Error> {
    if entries.is_empty() && shader.geometry_streams.is_none() {
        return invalid!(
            "the stream-output declaration of a vertex or domain shader has no entry; add one for each output to write"
        );
    }
    if entries.len() > MAX_ENTRIES {
        return invalid!(
            "a stream-output declaration has at most {MAX_ENTRIES} entries, found {}",
            entries.len()
        );
    }
    if let Some(stream) = rasterized_stream
        && stream as usize >= STREAM_COUNT
    {
        return invalid!(
            "rasterized_stream is Some({stream}); streams are 0 to 3; pass None to rasterize nothing"
        );
    }
    // A stream that the shader lacks has no primitives.
    let rasterized_stream = rasterized_stream.filter(|stream| (*stream as usize) < shader.streams());
    let mut slots = [StreamSlot::default(); STREAM_OUTPUT_SLOTS];
    let mut components = [0; STREAM_COUNT];
    let mut captured: Vec<(StreamOutputEntry, bool)> = Vec::with_capacity(entries.len());
    for (i, entry) in entries.iter().enumerate() {
        let about = |e: Error| e.about(format_args!("stream output, entry {i} ({})", entry.name()));
        let output = capture(entry, shader).map_err(about)?;
        let offset = place(entry, &mut slots, &mut components).map_err(about)?;
        let Some(mut output) = output else { continue };
        output.0.offset = offset;
        if let Some(other) = captured.iter().position(|other| overlaps(&output.0, &other.0)) {
            let other = entries.iter().filter(|entry| !entry.is_gap()).nth(other);
            return Err(about(Error::InvalidArg(format!(
                "a component is already written by the entry {}; write each component of a stream once",
                other.map(SoDeclarationEntry::name).unwrap_or_default()
            ))));
        }
        captured.push(output);
    }
    let strides = resolve_strides(&slots, strides)?;
    let entries =
        captured.into_iter().filter(|(_, is_written)| *is_written).map(|(entry, _)| entry).collect();
    Ok(StreamOutputDesc { entries, strides, rasterized_stream })
}

impl StreamShader {
    /// Returns the number of streams.
    pub(crate) fn streams(&self) -> usize {
        self.geometry_streams.unwrap_or(1)
    }
}

fn streams_of(shader: &StreamShader) -> String {
    match shader.streams() {
        1 => "the shader has only stream 0".to_owned(),
        count => format!("the shader has the streams 0 to {}", count - 1),
    }
}

/// Finds the output of an entry, and returns the entry without its offset and whether the shader writes it. Returns
/// `None` for a gap.
fn capture(
    entry: &SoDeclarationEntry,
    shader: &StreamShader,
) -> Result<Option<(StreamOutputEntry, bool)>, Error> {
    let (start, count) = (u32::from(entry.start_component), u32::from(entry.component_count));
    if entry.stream as usize >= shader.streams() {
        return invalid!("stream is {}, but {}", entry.stream, streams_of(shader));
    }
    if count == 0 {
        return invalid!("component_count is 0; write at least one component, or leave the entry out");
    }
    if entry.is_gap() {
        return match (start, entry.semantic_index) {
            (0, 0) => Ok(None),
            _ => invalid!(
                "a gap has a start_component of 0 and a semantic_index of 0, found {start} and {}; use \
                 `SoDeclarationEntry::gap`",
                entry.semantic_index
            ),
        };
    }
    if start > 3 || count > 4 || start + count > 4 {
        return invalid!("an output has 4 components, found {count} from component {start} on");
    }
    let is_found = |element: &&StreamElement| {
        element.stream == entry.stream
            && match (entry.location, &entry.semantic_name) {
                (Some(location), _) => element.is_whole(location),
                (None, Some(name)) => element.has_semantic(name, entry.semantic_index),
                (None, None) => false,
            }
    };
    let Some(element) = shader.elements.iter().find(is_found) else {
        return invalid!(
            "stream {} of the shader has no such output; its outputs are: {}",
            entry.stream,
            outputs_of(shader, entry.stream)
        );
    };
    if start + count > element.components {
        return invalid!(
            "the output has {} components, found {count} from component {start} on",
            element.components
        );
    }
    let output = StreamOutputEntry {
        stream: entry.stream,
        slot: entry.output_slot.into(),
        register: element.register,
        first_component: element.first_component + start,
        component_count: count,
        offset: 0,
    };
    Ok(Some((output, element.is_written)))
}

fn outputs_of(shader: &StreamShader, stream: u32) -> String {
    let elements = shader.elements.iter().filter(|element| element.stream == stream && element.is_named());
    let names: Vec<_> = elements.map(StreamElement::name).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// Checks an entry against its slot and its stream, and returns its offset.
fn place(
    entry: &SoDeclarationEntry,
    slots: &mut [StreamSlot; STREAM_OUTPUT_SLOTS],
    components: &mut [u32; STREAM_COUNT],
) -> Result<u32, Error> {
    let Some(slot) = slots.get_mut(entry.output_slot as usize) else {
        return invalid!("output_slot is 0 to {}, found {}", STREAM_OUTPUT_SLOTS - 1, entry.output_slot);
    };
    match slot.stream {
        Some(other) if other != entry.stream => {
            return invalid!(
                "slot {} receives stream {other} and stream {}; use a slot for each stream",
                entry.output_slot,
                entry.stream
            );
        }
        Some(_) | None => slot.stream = Some(entry.stream),
    }
    if let Some(components) = components.get_mut(entry.stream as usize) {
        *components += u32::from(entry.component_count);
        if *components > MAX_COMPONENTS {
            return invalid!(
                "stream {} has at most {MAX_COMPONENTS} components including gaps, found {components}; skip words with \
                 a larger stride instead of a gap",
                entry.stream
            );
        }
    }
    slot.has_output |= !entry.is_gap();
    let offset = slot.end;
    slot.end += 4 * u32::from(entry.component_count);
    Ok(offset)
}

/// Whether two entries write a common component.
fn overlaps(a: &StreamOutputEntry, b: &StreamOutputEntry) -> bool {
    (a.stream, a.register) == (b.stream, b.register)
        && a.first_component < b.first_component + b.component_count
        && b.first_component < a.first_component + a.component_count
}

/// Checks the strides of the slots in use, or computes them if none are given.
fn resolve_strides(
    slots: &[StreamSlot; STREAM_OUTPUT_SLOTS],
    strides: &[u32],
) -> Result<[u32; STREAM_OUTPUT_SLOTS], Error> {
    if strides.len() > STREAM_OUTPUT_SLOTS {
        return invalid!(
            "stream output has {STREAM_OUTPUT_SLOTS} slots, found {} strides; give one for each slot",
            strides.len()
        );
    }
    let mut resolved = [0; STREAM_OUTPUT_SLOTS];
    for (slot, (state, resolved)) in slots.iter().zip(&mut resolved).enumerate() {
        if state.stream.is_none() {
            continue;
        }
        if !state.has_output {
            return invalid!(
                "stream output, slot {slot}: the declaration has only gaps there; write an output, or remove the gaps"
            );
        }
        *resolved = match strides.get(slot) {
            Some(stride) => *stride,
            None if strides.is_empty() => state.end,
            None => {
                return invalid!(
                    "stream output, slot {slot}: there are only {} strides; give one for each slot up to the last one in \
                     use, or none at all for vertices without padding",
                    strides.len()
                );
            }
        };
        if !resolved.is_multiple_of(4) || *resolved > MAX_STRIDE {
            return invalid!(
                "stream output, slot {slot}: a stride is a multiple of 4 and at most {MAX_STRIDE}, found {resolved}"
            );
        }
        if *resolved < state.end {
            return invalid!(
                "stream output, slot {slot}: the entries have {} bytes, but the stride is {resolved}; make it at least as \
                 large",
                state.end
            );
        }
    }
    Ok(resolved)
}

impl StreamElement {
    /// Returns whether this is the output at a location, instead of an HLSL parameter that may be a part of it.
    fn is_whole(&self, location: u32) -> bool {
        self.is_whole && self.register == OutputRegister::Location(location)
    }
}
