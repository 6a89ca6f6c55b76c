// The buffer with the numbers of a draw and what the driver's own dispatches need of an indirect draw.
struct Numbers {
    stream: Stream,
    // The arguments of an indirect dispatch, and the number of vertices.
    groups: vec4<u32>,
}
