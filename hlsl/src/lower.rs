//! The lowering, from the typed tree to a naga module with one entry point.
//!
//! Each function is lowered when it is called, once for each combination of objects in its arguments. Objects
//! are therefore never passed at run time.
//!
//! HLSL types become the following naga types:
//!
//! | HLSL | naga |
//! | --- | --- |
//! | `float`, `half`, `min16float`, `min10float` | `f32` |
//! | `int`, `min16int`, `min12int` / `uint`, `min16uint` | `i32` / `u32` |
//! | `bool` | `bool` |
//! | a vector such as `float3` / a vector with one component | a vector / a scalar |
//! | a matrix such as `float3x4` | an array of its rows, `array<vec4<f32>, 3>` |
//! | an array or a structure | the same without objects |
//! | an object | no value, because each use refers to a global variable |

mod atomics;
mod buffers;
mod builder;
mod composites;
mod constant_buffers;
mod constants;
mod conversions;
mod discards;
mod elements;
mod entry;
mod expressions;
mod function_facts;
mod functions;
mod globals;
mod inheritance;
mod intrinsics;
mod jumps;
mod known;
mod known_objects;
mod known_variables;
mod long_chains;
mod lowerer;
mod methods;
mod named_parts;
mod object_facts;
mod objects;
mod operators;
mod places;
mod resources;
mod result;
mod statements;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod textures;
mod types;
mod unroll;
mod writes;

pub use self::textures::RENDER_TARGET_SAMPLE_COUNT;
pub(crate) use self::{
    entry::EntryPoint,
    lowerer::{Lowerer, WrittenComponents},
    object_facts::ObjectFacts,
};
