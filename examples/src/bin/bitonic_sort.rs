//! Sorts a million numbers with compute shaders in two structured buffers, and compares the result with a
//! sort on the CPU.
//!
//! The picture shows how 512 numbers are sorted: unsorted at the top, sorted at the bottom, with one line per
//! step in between. The window sorts new numbers every six seconds, and Escape closes it.

#![cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "a browser draws the picture only"))]

use onze::prelude::*;
use onze_winit::{Frame, WindowDesc, winit::keyboard::KeyCode};

const SHADER: &str = include_str!("bitonic_sort.wgsl");
/// Base-2 logarithm of the number of values that a thread group sorts (the shader's `BITS`).
const GROUP_BITS: u32 = 9;
const GROUP: u32 = 1 << GROUP_BITS;
/// Width and height of the tile that a thread group transposes (the shader's `TILE`).
const TILE: u32 = 16;
/// Number of lines in the picture: one for the unsorted numbers, and one for each step, where level n has n
/// steps.
const LINES: u32 = 1 + GROUP_BITS * (GROUP_BITS + 1) / 2;

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Levels {
    bits: u32,
    rotation: u32,
    first_level: u32,
    last_level: u32,
}

type Numbers = StructuredBuffer<u32>;

fn zeros(device: &Device, count: u32) -> Result<Numbers, onze::Error> {
    device.create_empty_structured_buffer(count as usize, BufferUavFlags::empty())
}

fn random_numbers(count: u32, seed: u32) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
    let next = |_| {
        // Marsaglia's xorshift, followed by a multiplication that mixes the bits.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state.wrapping_mul(0x85EB_CA6B)
    };
    (0..count).map(next).collect()
}

/// The shaders that sort 2^n numbers, for n of at least 9.
struct Sorter {
    sort: ComputeShader,
    transpose: ComputeShader,
    levels: ConstantBuffer<Levels>,
    matrix: ConstantBuffer<[u32; 2]>,
}

impl Sorter {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let zero = Levels { bits: 0, rotation: 0, first_level: 0, last_level: 0 };
        Ok(Self {
            sort: device.create_compute_shader(ShaderSource::wgsl(SHADER, "sort_main"))?,
            transpose: device.create_compute_shader(ShaderSource::wgsl(SHADER, "transpose_main"))?,
            levels: device.create_constant_buffer(&zero)?,
            matrix: device.create_constant_buffer(&[0; 2])?,
        })
    }

    /// Sorts the 2^`bits` numbers in the first buffer, with the second buffer as scratch space of the same
    /// size.
    fn sort(
        &self,
        context: &mut DeviceContext,
        buffers: &[Numbers; 2],
        bits: u32,
    ) -> Result<(), onze::Error> {
        let (width, height) = (GROUP, 1 << (bits - GROUP_BITS));
        let all = Levels { bits, rotation: 0, first_level: 1, last_level: GROUP_BITS };
        self.do_levels(context, &buffers[0], all)?;
        for level in GROUP_BITS + 1..=bits {
            // Transpose until pairs at the largest distance share a group, and run those steps. Then undo the
            // transpositions one by one, and after each of them, run the steps whose pairs now share a group.
            // Every transposition reads one buffer and writes the other.
            let rotations = (level - 1) / GROUP_BITS;
            for n in 0..rotations {
                self.do_transpose(context, buffers, n, [width, height])?;
            }
            for n in (0..=rotations).rev() {
                let one = Levels { bits, rotation: n * GROUP_BITS, first_level: level, last_level: level };
                self.do_levels(context, &buffers[n as usize % 2], one)?;
                if n > 0 {
                    self.do_transpose(context, buffers, n, [height, width])?;
                }
            }
        }
        Ok(())
    }

    /// Runs those steps of a range of levels whose pairs are within one group.
    fn do_levels(
        &self,
        context: &mut DeviceContext,
        buffer: &Numbers,
        levels: Levels,
    ) -> Result<(), onze::Error> {
        context.update(&self.levels, &levels)?;
        context.cs_set_shader(&self.sort);
        context.cs_set_constant_buffers(0, &self.levels);
        context.cs_set_unordered_access_views(0, &buffer.unordered_access_view);
        context.dispatch(1 << (levels.bits - GROUP_BITS), 1, 1);
        Ok(())
    }

    /// Transposes a matrix of the given width and height from buffer `from` into the other buffer.
    fn do_transpose(
        &self,
        context: &mut DeviceContext,
        buffers: &[Numbers; 2],
        index: u32,
        matrix: [u32; 2],
    ) -> Result<(), onze::Error> {
        let (src, dst) = (&buffers[index as usize % 2], &buffers[(index as usize + 1) % 2]);
        context.update(&self.matrix, &matrix)?;
        context.cs_set_shader(&self.transpose);
        context.cs_set_constant_buffers(1, &self.matrix);
        context.cs_set_unordered_access_views(0, &dst.unordered_access_view);
        context.cs_set_shader_resources(0, &src.shader_resource_view);
        context.dispatch(matrix[0].div_ceil(TILE), matrix[1].div_ceil(TILE), 1);
        // Unbind the buffer, because the next dispatch cannot write to a buffer that is bound for reading.
        context.cs_set_shader_resources(0, None);
        Ok(())
    }
}

fn compare(sorted: &[u32], expected: &[u32]) -> Result<(), String> {
    let count = expected.len();
    if sorted.len() != count {
        return Err(format!("{} numbers came back of {count}", sorted.len()));
    }
    match (0..count).find(|n| sorted[*n] != expected[*n]) {
        None => Ok(()),
        Some(n) => Err(format!(
            "the sort of {count} numbers is wrong: number {n} is {} and should be {}",
            sorted[n], expected[n]
        )),
    }
}

/// Sorts 2^10 to 2^20 numbers with shaders and on the CPU, compares the results and prints the times.
// A browser cannot block until the GPU is done, so there the program only draws the picture.
#[cfg(not(target_arch = "wasm32"))]
fn sort_and_compare(device: &Device, context: &mut ImmediateContext) -> onze_winit::Result<()> {
    use std::time::Instant;
    let sorter = Sorter::new(device)?;
    println!("numbers    shaders, with reading back          CPU");
    for bits in 10..=20 {
        let buffers = [zeros(device, 1 << bits)?, zeros(device, 1 << bits)?];
        let mut numbers = random_numbers(1 << bits, bits);
        if bits == 10 {
            // Run once before the measurement, because the first dispatches wait for their pipelines.
            sorter.sort(context, &buffers, bits)?;
        }
        context.update(&buffers[0], &numbers)?;
        // Wait here until all earlier work is done and the new buffers are cleared.
        context.read_buffer::<u32>(&buffers[0].buffer)?;
        let begin = Instant::now();
        sorter.sort(context, &buffers, bits)?;
        let sorted: Vec<u32> = context.read_buffer(&buffers[0].buffer)?;
        let by_shaders = begin.elapsed().as_secs_f64() * 1e3;

        let begin = Instant::now();
        numbers.sort_unstable();
        let by_processor = begin.elapsed().as_secs_f64() * 1e3;
        println!("{:>7} {by_shaders:>27.2} ms {by_processor:>9.2} ms", 1 << bits);
        compare(&sorted, &numbers)?;
    }
    Ok(())
}

/// The data for the picture: the numbers after each step of a sort.
struct Trace {
    input: Numbers,
    lines: Numbers,
    trace: ComputeShader,
    vs: VertexShader,
    ps: PixelShader,
    levels: ConstantBuffer<Levels>,
    picture: ConstantBuffer<[u32; 2]>,
}

impl Trace {
    fn new(device: &Device) -> Result<Self, onze::Error> {
        let levels = Levels { bits: GROUP_BITS, rotation: 0, first_level: 1, last_level: GROUP_BITS };
        Ok(Self {
            input: zeros(device, GROUP)?,
            lines: zeros(device, GROUP * LINES)?,
            trace: device.create_compute_shader(ShaderSource::wgsl(SHADER, "trace_main"))?,
            vs: device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?,
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?,
            levels: device.create_constant_buffer(&levels)?,
            picture: device.create_constant_buffer(&[0; 2])?,
        })
    }

    /// Sorts 512 numbers in a single dispatch, and writes their order after each step.
    fn sort(&self, context: &mut DeviceContext, numbers: &[u32]) -> Result<(), onze::Error> {
        context.update(&self.input, numbers)?;
        context.cs_set_shader(&self.trace);
        context.cs_set_constant_buffers(0, &self.levels);
        context.cs_set_shader_resources(0, &self.input.shader_resource_view);
        context.cs_set_unordered_access_views(0, &self.lines.unordered_access_view);
        context.dispatch(LINES, 1, 1);
        // The pixel shader reads the buffer that the dispatch wrote, so it must not stay bound for writing.
        context.cs_set_unordered_access_views(0, None);
        Ok(())
    }

    fn draw(&self, context: &mut DeviceContext, shown: u32) -> Result<(), onze::Error> {
        context.update(&self.picture, &[LINES, shown])?;
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.vs_set_shader(&self.vs);
        context.ps_set_shader(&self.ps);
        context.ps_set_constant_buffers(0, &self.picture);
        context.ps_set_shader_resources(0, &self.lines.shader_resource_view);
        context.draw(3, 0);
        context.ps_set_shader_resources(0, None);
        Ok(())
    }
}

fn main() -> onze_winit::Result<()> {
    /// Seconds per set of numbers, and seconds during which the steps appear.
    const SECONDS: (f32, f32) = (6.0, 4.0);
    onze_winit::run(WindowDesc::new("Bitonic sort", 1024, 640).with_args(), |setup| {
        #[cfg(not(target_arch = "wasm32"))]
        sort_and_compare(setup.device, setup.context)?;
        let trace = Trace::new(setup.device)?;
        let mut sorted = None;
        Ok(move |frame: &mut Frame<'_>| {
            if frame.input.key_pressed(KeyCode::Escape) {
                frame.exit();
            }
            let round = (frame.time / SECONDS.0) as u32;
            let done = frame.time % SECONDS.0 / SECONDS.1;
            // Show all steps of the first set at once, so that the first frame is the complete picture.
            let shown = if round == 0 { LINES } else { 1 + (done * LINES as f32) as u32 }.min(LINES);
            let context = frame.begin([0.0, 0.0, 0.0, 1.0]);
            if sorted != Some(round) {
                trace.sort(context, &random_numbers(GROUP, round))?;
                sorted = Some(round);
            }
            trace.draw(context, shown)?;
            Ok(())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_number_is_named() {
        assert_eq!(compare(&[1, 2, 2], &[1, 2, 2]), Ok(()));
        let wrong = compare(&[1, 3, 2], &[1, 2, 3]).unwrap_err();
        assert!(wrong.contains("number 1 is 3 and should be 2"), "{wrong}");
        assert!(compare(&[1, 2], &[1, 2, 3]).is_err());
    }
}
