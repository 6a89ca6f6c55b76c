//! The lowering: from the typed tree to a module of naga with one entry point.
//!
//! Each function is lowered when it is called, once for each combination of the objects that are its arguments, so no
//! object is ever passed at run time.
//!
//! How HLSL's types look in naga:
//!
//! | HLSL | naga |
//! | --- | --- |
//! | `float`, `half`, `min16float`, `min10float` | `f32` |
//! | `int`, `min16int`, `min12int` / `uint`, `min16uint` | `i32` / `u32` |
//! | `bool` | `bool` |
//! | `float3` and so on; a vector of one component | a vector; a scalar |
//! | `float3x4` | `array<vec4<f32>, 3>`: its rows |
//! | an array, a structure | the same without objects |
//! | an object | nothing: it is known where it is used |

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
pub(crate) use self::{entry::EntryPoint, lowerer::Lowerer, object_facts::ObjectFacts};
