//! The WGSL functions of stream output: they run the shaders for each input primitive, count the output primitives, and
//! write those for which the buffers have room.

use std::fmt::Write as _;

use onze_ddi::{
    GeometryProgram, OutputRegister, OutputValue, STREAM_OUTPUT_SLOTS, ShaderStage, StreamOutputEntry,
};

use crate::objects::shader::{
    passes::geometry::text::{PRIMITIVE_ID, index_function, is_missing, load_primitive, position},
    specialization::{
        geometry::{Expansion, ExpansionForm, program},
        pull::{PullSpace, VertexPull},
        streams::{STREAM, StreamDispatch, StreamOutput, StreamStage},
    },
};

/// The components of a stream's vertices that are written to buffers.
pub(super) struct Captured<'s> {
    pub(super) stream: usize,
    /// Number of vertices of a primitive.
    pub(super) corners: u32,
    /// Number of vertices of the strip that are kept: all of a primitive, or one if each vertex is written at once.
    pub(super) kept: u32,
    entries: Vec<&'s StreamOutputEntry>,
    strides: [u32; STREAM_OUTPUT_SLOTS],
}

impl<'s> Captured<'s> {
    pub(super) fn new(stage: &'s StreamStage, stream: usize) -> Self {
        let entries = stage.output.entries.iter().filter(|entry| entry.stream as usize == stream);
        let corners = match stage.dispatch {
            // The vertices of a pattern are stored one by one.
            StreamDispatch::Store(Expansion { form: ExpansionForm::Pattern, .. }) => 1,
            _ => stage.output.corners(stream, stage.input),
        };
        let is_list = matches!(stage.dispatch, StreamDispatch::Write { .. })
            && stage.output.copies_primitives(stage.input);
        let kept = if is_list { 1 } else { corners };
        Self { stream, corners, kept, entries: entries.collect(), strides: stage.output.strides }
    }

    /// Returns the number of components.
    pub(super) fn words(&self) -> u32 {
        self.entries.iter().map(|entry| entry.component_count).sum()
    }

    /// Returns the components in the order in which they are kept.
    pub(super) fn components(&self) -> impl Iterator<Item = (OutputRegister, u32)> {
        self.entries.iter().flat_map(|entry| {
            (0..entry.component_count).map(|component| (entry.register, entry.first_component + component))
        })
    }

    /// Returns the functions that count and write the stream.
    fn text(&self, stage: &StreamStage) -> String {
        let Self { stream, corners, kept, .. } = *self;
        let words = self.words();
        let mut text = format!(
            "
            // Counts a vertex, and returns the place of its words, or NO_INDEX if it has no effect.
            fn begin_vertex{stream}() -> u32 {{
                if appended >= MOST_VERTICES {{ return NO_INDEX; }}
                appended += 1u;
                return in_strip % {kept}u * {words}u;
            }}"
        );
        let count = format!("produced[{stream}] += 1u;");
        let finish = match stage.dispatch {
            StreamDispatch::Count => count,
            // The last vertex is that of a list, in which primitives do not share vertices.
            StreamDispatch::Write { .. } if kept < corners => {
                self.write_store(&mut text);
                let _ = write!(
                    text,
                    "
                    fn finish_vertex{stream}() {{
                        if produced[{stream}] < stream.written[{stream}] {{ store{stream}(in_strip, 0u); }}
                        in_strip += 1u;
                        if in_strip == {corners}u {{ {count} }}
                    }}"
                );
                return text;
            }
            StreamDispatch::Write { .. } => {
                self.write_store(&mut text);
                let stores = self.stores();
                format!("if produced[{stream}] < stream.written[{stream}] {{ {stores} }} {count}")
            }
            StreamDispatch::Store(_) => {
                self.write_store(&mut text);
                format!("if {} {{ return; }} {} {count}", self.is_culled(stage), self.stores())
            }
        };
        let _ = write!(
            text,
            "
            // Counts the primitive that ends with the last vertex, if there is one.
            fn finish_vertex{stream}() {{
                in_strip += 1u;
                if in_strip < {corners}u {{ return; }}
                {finish}
            }}"
        );
        text
    }

    /// Returns the statements that store the last primitive of the strip.
    fn stores(&self) -> String {
        let Self { stream, corners, .. } = *self;
        let [second, third] = match corners {
            3 => ["select(1u, 2u, is_reversed)", "select(2u, 1u, is_reversed)"],
            _ => ["1u", "2u"],
        };
        let first = format!("store{stream}(0u, first);");
        let second = format!("store{stream}(1u, first + {second});");
        let third = format!("store{stream}(2u, first + {third});");
        let stores = [first, second, third];
        let stores = stores.get(..corners as usize).unwrap_or_default().concat();
        format!(
            "let first = in_strip - {corners}u;
            // Odd triangles have their last two vertices in reverse order.
            let is_reversed = first % 2u == 1u;
            {stores}"
        )
    }

    /// Returns the condition that a cull distance is negative at all vertices of the primitive in the ring.
    fn is_culled(&self, stage: &StreamStage) -> String {
        let Self { stream, corners, .. } = *self;
        let words = self.words();
        let distances = stage.output.code.reflection.system_outputs.iter().filter(|output| {
            matches!(output.value, OutputValue::CullDistance(_)) && output.stream as usize == stream
        });
        let mut condition = String::from("false");
        for output in distances {
            let register = OutputRegister::Location(output.location);
            let Some(word) = stage.output.word(register, output.component) else { continue };
            condition.push_str(" || (true");
            for corner in 0..corners {
                let _ = write!(condition, " && bitcast<f32>(ring{stream}[{}u]) < 0.0", corner * words + word);
            }
            condition.push(')');
        }
        condition
    }

    /// Returns the function that fills the places of an invocation's missing vertices, so that no primitive has them.
    fn fill(&self, expansion: Expansion, stage: &StreamStage) -> String {
        let Self { stream, corners, .. } = *self;
        let stride = stage.output.strides.first().map_or(0, |stride| stride / 4);
        let position = stage.output.word(OutputRegister::Position, 0).unwrap_or_default();
        let (places, missing) = match expansion.form {
            ExpansionForm::List => (expansion.primitives, String::new()),
            // Vertices after the last one repeat it, so their triangles have no area.
            ExpansionForm::Pattern => (
                expansion.invocation_vertices(),
                format!(
                    "if in_strip < {}u {{ produced[{stream}] = first; }}
                    else {{
                        for (; produced[{stream}] < end; produced[{stream}] += 1u) {{ store{stream}(0u, 0u); }}
                    }}",
                    expansion.corners
                ),
            ),
        };
        format!(
            "
            const PLACES = {places}u;
            // Fills the rest of the places, with positions outside of the clip volume.
            fn fill(first: u32) {{
                let end = first + PLACES;
                {missing}
                for (; produced[{stream}] < end; produced[{stream}] += 1u) {{
                    for (var corner = 0u; corner < {corners}u; corner += 1u) {{
                        let to = (produced[{stream}] * {corners}u + corner) * {stride}u + {position}u;
                        // The bits of -2.0 and 1.0.
                        target0[to] = 0xc0000000u;
                        target0[to + 1u] = 0xc0000000u;
                        target0[to + 2u] = 0xc0000000u;
                        target0[to + 3u] = 0x3f800000u;
                    }}
                }}
            }}"
        )
    }

    /// Writes the function that stores a vertex of the strip as a corner of the next primitive.
    fn write_store(&self, text: &mut String) {
        let Self { stream, corners, kept, .. } = *self;
        let words = self.words();
        // A constant index lets compilers keep the words of a point in registers.
        let first_word = if kept == 1 { "0u".into() } else { format!("vertex % {kept}u * {words}u") };
        let _ = write!(
            text,
            "
            // The words of the last vertices of the strip.
            var<private> ring{stream}: array<u32, {}>;
            fn store{stream}(corner: u32, vertex: u32) {{
                let first_word = {first_word};
                let number = produced[{stream}] * {corners}u + corner;",
            kept * words
        );
        let mut from = 0;
        for (slot, stride) in self.strides.iter().enumerate() {
            let of_slot = |entry: &&&StreamOutputEntry| entry.slot as usize == slot;
            if self.entries.iter().any(|entry| of_slot(&entry)) {
                let _ = write!(
                    text,
                    "
                    let to{slot} = (stream.bases[{slot}] + number * {stride}u) / 4u;"
                );
            }
        }
        for entry in &self.entries {
            for component in 0..entry.component_count {
                let (slot, to) = (entry.slot, entry.offset / 4 + component);
                let _ = write!(
                    text,
                    "
                    target{slot}[to{slot} + {to}u] = ring{stream}[first_word + {from}u];"
                );
                from += 1;
            }
        }
        text.push_str("\n}");
    }
}

const COUNTS: &str = "
    // For each stream and each thread, the number of its primitives or of those before them.
    @group(3) @binding(1) var<storage, read_write> counts: array<u32>;";

/// Returns the function that finds a stored control point of the patch.
fn point_function(points: &StreamOutput) -> String {
    let count = program(&points.code).map_or(1, |program| program.instance_count);
    format!(
        "
        // The place of the patch, of all whose points are stored.
        var<private> patch_place: u32;
        fn word_of_point(index: u32) -> u32 {{
            return (patch_place * {count}u + min(index, {last}u)) * {words}u;
        }}",
        last = count - 1,
        words = points.vertex_words(),
    )
}

/// The declarations of the records of draws that share a dispatch, and of the parts that each thread copies.
const RECORDS: &str = "
        struct Record {
            pulled: Pulled,
            stream: Stream,
            // The number of the draw's first thread, the place of its first invocation, and the number of its constants.
            place: vec4<u32>,
        }
        @group(3) @binding(0) var<storage> records: array<Record>;
        var<private> stream: Stream;
        var<private> first_stored: u32;

        fn load_constants(at: u32) {}";

/// The statements that find the record of a thread: the last one that does not begin after it.
const BEGIN_THREAD: &str = "
            var at = 0u;
            var end = arrayLength(&records);
            loop {
                if end - at <= 1u { break; }
                let middle = (at + end) / 2u;
                if records[middle].place.x <= number { at = middle; } else { end = middle; }
            }
            pulled = records[at].pulled;
            stream = records[at].stream;
            first_stored = records[at].place.y;
            load_constants(records[at].place.z);
            let thread = number - records[at].place.x;";

/// Returns the functions for a draw. The pass replaces the bodies of `load_vertex`, `run_geometry` and `load_constants`.
pub(super) fn text(stage: &StreamStage, program: Option<&GeometryProgram>, pull: &VertexPull) -> String {
    let StreamStage { assembly, input, dispatch, output, .. } = stage;
    let vertices = input.vertex_count();
    let (instances, most) =
        program.map_or((1, vertices), |program| (program.instance_count, program.max_vertex_count));
    let captured: Vec<_> = output.counted_streams().map(|stream| Captured::new(stage, stream)).collect();
    let mut targets = String::new();
    for slot in (0..STREAM_OUTPUT_SLOTS).filter(|slot| output.uses_slot(*slot)) {
        let _ = write!(
            targets,
            "
            @group(3) @binding({}) var<storage, read_write> target{slot}: array<u32>;",
            2 + slot
        );
    }
    let (mut read_counts, mut write_counts) = (String::new(), String::new());
    for (place, captured) in captured.iter().enumerate() {
        let at = format!("counts[{place}u * stream.threads + thread]");
        let _ = match dispatch {
            StreamDispatch::Count => writeln!(write_counts, "{at} = produced[{}];", captured.stream),
            StreamDispatch::Write { is_counted: true } => {
                writeln!(read_counts, "produced[{}] = {at};", captured.stream)
            }
            StreamDispatch::Write { is_counted: false } => {
                writeln!(read_counts, "produced[{}] = thread * stream.of_thread;", captured.stream)
            }
            StreamDispatch::Store(_) => Ok(()),
        };
    }
    let mut streams: String = captured.iter().map(|captured| captured.text(stage)).collect();
    let has_records = pull.space == PullSpace::Record;
    // The place of an invocation, of all that the dispatch stores.
    let stored = if has_records { "(place + first_stored)" } else { "place" };
    let (mut begin, mut end, mut invocation) = (String::new(), String::new(), "place");
    let (counts, begin_patch) = match &output.points {
        Some(points) => (point_function(points), format!("patch_place = {stored};")),
        None => (COUNTS.into(), String::new()),
    };
    if let (StreamDispatch::Store(expansion), Some(captured)) = (*dispatch, captured.first()) {
        if output.code.reflection.stage == ShaderStage::Hull {
            // Each invocation stores a vertex.
            begin = format!("produced[0] = {stored};");
        } else {
            streams.push_str(&captured.fill(expansion, stage));
            (begin, end) = (format!("produced[0] = {stored} * PLACES;"), format!("fill({stored} * PLACES);"));
        }
        // The patches of a draw may be stored in parts.
        invocation = "place + stream.written.x";
    }
    let (numbers, begin_thread) = match has_records {
        true => (RECORDS.into(), BEGIN_THREAD),
        false => (
            format!("@group(3) @binding(0) var<{}> stream: Stream;", pull.space.name()),
            "let thread = number;",
        ),
    };
    let run = match stage.has_loop {
        true => {
            "
            let first = thread * stream.of_thread;
            let count = min(stream.of_thread, stream.invocations - first);
            for (var at = 0u; at < count; at += 1u) { run_invocation(first + at); }"
        }
        false => "run_invocation(thread);",
    };
    // The other points of the patch are not read.
    let load = match output.reads_own_point {
        true => format!(
            "let own = min(invocation % {instances}u, {}u);
            load_vertex(own, number(position(primitive, own)), instance);",
            vertices.saturating_sub(1)
        ),
        false => load_primitive(*input),
    };
    let locate = match stage.has_instances {
        true => format!(
            "
            let of_instance = stream.primitives * {instances}u;
            let instance = invocation / of_instance;
            let primitive = invocation % of_instance / {instances}u;"
        ),
        // Divisions by numbers that are known here are cheaper.
        false => format!("let instance = 0u; let primitive = invocation / {instances}u;"),
    };
    format!(
        "
        {pulled}
        {STREAM}
        {numbers}
        {counts}
        {targets}
        const NO_INDEX = 0xffffffffu;
        const MOST_VERTICES = {most}u;

        // The number of vertices that the invocation has appended, in all streams and in the current strip.
        var<private> appended: u32;
        var<private> in_strip: u32;
        // The number of the next primitive of each stream.
        var<private> produced: array<u32, 4>;

        {index}

        // Returns the position of a vertex of an input primitive in the draw.
        fn position(primitive: u32, vertex: u32) -> u32 {{
            {position}
        }}

        {PRIMITIVE_ID}
        fn load_vertex(at: u32, number: u32, instance: u32) {{}}
        fn run_geometry(primitive: u32, instance: u32) {{}}

        // Counts a vertex of a stream that is not written.
        fn skip_vertex() {{ appended += 1u; }}

        fn restart_strip() {{ in_strip = 0u; }}

        {streams}

        fn run_invocation(place: u32) {{
            let invocation = {invocation};
            {locate}
            appended = 0u;
            in_strip = 0u;
            {begin}
            {begin_patch}
            if !({is_missing}) {{
                {load}
                run_geometry(primitive_id(primitive, position(primitive, 0u)), invocation % {instances}u);
            }}
            {end}
        }}

        fn run_thread(number: u32) {{
            {begin_thread}
            if thread >= stream.threads {{ return; }}
            {read_counts}
            {run}
            {write_counts}
        }}
        ",
        pulled = pull.space.declaration(pull.slots.len()),
        index = index_function(assembly),
        position = position(assembly.topology, *input),
        is_missing = is_missing(assembly),
    )
}
