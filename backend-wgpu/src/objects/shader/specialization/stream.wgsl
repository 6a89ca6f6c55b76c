// The numbers of a draw whose shaders run in compute shaders.
struct Stream {
    // The number of input primitives of an instance, and the number of invocations for all instances.
    primitives: u32,
    invocations: u32,
    // The number of invocations of each thread, and the number of threads.
    of_thread: u32,
    threads: u32,
    // For each slot, the position in bytes of the first vertex.
    bases: vec4<u32>,
    // For each stream, the number of primitives for which the buffers have room. Where vertices or patches are stored
    // instead, the number of the first invocation, and for an indirect draw that of all invocations.
    written: vec4<u32>,
}
