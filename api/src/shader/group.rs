//! The limits of a compute shader's thread group: the number of threads and the size of shared memory.

use onze_ddi::ShaderCode;

use super::ShaderError;

/// Maximum number of threads in each dimension of a group (D3D11: `D3D11_CS_THREAD_GROUP_MAX_X`, `_Y` and
/// `_Z`).
const MOST_THREADS: [u32; 3] = [1024, 1024, 64];

/// Maximum number of threads in a group (D3D11: `D3D11_CS_THREAD_GROUP_MAX_THREADS_PER_GROUP`).
const MOST_THREADS_OF_ALL: u32 = 1024;

/// Maximum size of a group's shared memory, in bytes (D3D11: `D3D11_CS_TGSM_REGISTER_COUNT`, in registers of 4 bytes).
const MOST_SHARED_BYTES: u32 = 4 * 8192;

/// Rejects a group with too many threads or too much shared memory, because neither naga nor wgpu checks
/// Direct3D 11's limits.
pub(super) fn check_group(code: &ShaderCode) -> Result<(), ShaderError> {
    let [x, y, z] = code.reflection.workgroup_size;
    let is_long = [x, y, z].iter().zip(MOST_THREADS).any(|(size, most)| *size > most);
    // The product of three sizes within the limits cannot overflow.
    if is_long || x * y * z > MOST_THREADS_OF_ALL {
        return Err(ShaderError::GroupTooLarge { x, y, z });
    }
    let bytes = code.group_shared_bytes();
    if bytes > MOST_SHARED_BYTES {
        return Err(ShaderError::GroupMemoryTooLarge { bytes, most: MOST_SHARED_BYTES });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot continue panics")]

    use onze_ddi::ShaderStage;

    use crate::shader::{ShaderError, ShaderSource, compile};

    use super::*;

    fn compute(text: &str) -> Result<ShaderCode, ShaderError> {
        compile(ShaderSource::wgsl(text, "main"), ShaderStage::Compute)
    }

    #[test]
    fn a_group_has_at_most_1024_by_1024_by_64_threads_and_1024() {
        let sizes = [1_u32, 2, 3, 16, 31, 63, 64, 65, 128, 512, 1023, 1024, 1025, 4096, 16384];
        for x in sizes {
            for y in sizes {
                for z in sizes {
                    let threads = u64::from(x) * u64::from(y) * u64::from(z);
                    let expected = x <= 1024 && y <= 1024 && z <= 64 && threads <= 1024;
                    let found = compute(&format!("@compute @workgroup_size({x}, {y}, {z}) fn main() {{}}"));
                    assert_eq!(found.is_ok(), expected, "{x} {y} {z}");
                    if let Err(error) = found {
                        assert_eq!(
                            error.to_string(),
                            format!(
                                "a group has {x} x {y} x {z} threads; the limits are 1024 x 1024 x 64, and 1024 in \
                             total, so make @workgroup_size smaller and dispatch more groups"
                            )
                        );
                    }
                }
            }
        }
        for text in ["0", "1, 0", "1, 1, 0", "16385"] {
            let found = compute(&format!("@compute @workgroup_size({text}) fn main() {{}}"));
            assert!(
                matches!(found, Err(ShaderError::Invalid { .. } | ShaderError::Parse { .. })),
                "{text}: {found:?}"
            );
        }
    }

    /// Variables that the entry point does not use are not counted.
    #[test]
    fn a_group_shares_at_most_32_kib_of_memory() {
        for (declarations, bytes) in [
            ("var<workgroup> a: array<u32, 8192>;", 32768),
            ("var<workgroup> a: array<u32, 8193>;", 32772),
            ("var<workgroup> a: array<vec4f, 2048>;", 32768),
            ("var<workgroup> a: array<vec3f, 2049>;", 32784),
            ("var<workgroup> a: array<atomic<i32>, 4096>; var<workgroup> b: array<mat4x4f, 256>;", 32768),
            ("var<workgroup> a: array<u32, 8191>; var<workgroup> b: bool;", 32768),
            ("var<workgroup> a: array<u32, 8192>; var<workgroup> b: bool;", 32772),
            ("var<workgroup> a: array<u32, 4>; var<workgroup> unused: array<u32, 100000>;", 16),
            ("var<workgroup> a: array<array<u32, 100000>, 1000>;", 400_000_000),
        ] {
            let uses = |name: &str| {
                let use_of = format!("let p_{name} = &{name};");
                if declarations.contains(&format!("> {name}:")) { use_of } else { String::new() }
            };
            let text = format!(
                "{declarations} @compute @workgroup_size(1) fn main() {{ {} {} workgroupBarrier(); }}",
                uses("a"),
                uses("b")
            );
            match compute(&text) {
                Ok(code) => {
                    assert_eq!((code.group_shared_bytes(), bytes <= 32768), (bytes, true), "{declarations}");
                }
                Err(error) => {
                    assert!(bytes > 32768, "{declarations}: {error}");
                    assert_eq!(
                        error.to_string(),
                        format!(
                            "the `var<workgroup>` variables take {bytes} bytes; a group can share at most 32768, so make \
                         them smaller, or use a buffer"
                        )
                    );
                }
            }
        }
    }
}
