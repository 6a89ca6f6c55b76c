//! The picture check before the measurement. Both sides draw every variant visibly, and the pictures must be
//! identical.

use std::fmt;

use onze::Error as OnzeError;
use onze_benches::backend::Backend;
use onze_benches::error::Error;
use onze_benches::wgpu_side;
use onze_benches::workload::{TARGET, Variant, Workload};

use crate::args::{Args, BackendChoice};
use crate::frames::{Context, Frames, OnzeDevice, WgpuDevice};

/// Number of draws per picture. It is smaller than in the measurement, so that each triangle is large enough
/// to be visible.
const DRAWS: u32 = 1024;

const TIMES: u32 = 2;

/// The result of the picture check, or the reason why it was skipped.
#[derive(Debug)]
pub(crate) enum Checked {
    /// The number of pairs of pictures that are bit-identical, and the adapter's name.
    Equal(usize, String),
    /// The check was skipped because no adapter can draw, for this reason.
    NoAdapter(String),
    /// The check was skipped because wgpu has no counterpart of the null driver.
    NoOtherSide,
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Equal(pairs, adapter) => write!(f, "{pairs} pairs of pictures are equal, on {adapter}"),
            Self::NoAdapter(reason) => write!(f, "left out, as no adapter can draw ({reason})"),
            Self::NoOtherSide => f.write_str("left out, as the null driver draws nothing"),
        }
    }
}

impl Checked {
    /// Returns a remark for the end of the output if the check was skipped.
    pub(crate) fn missing(&self) -> Option<String> {
        match self {
            Self::Equal(..) => None,
            Self::NoAdapter(_) | Self::NoOtherSide => Some(format!("the comparison of pictures: {self}")),
        }
    }
}

/// Compares the pictures of the measured rows. Fails if any pair differs.
pub(crate) fn run(args: &Args) -> Result<Checked, Error> {
    if args.backend == BackendChoice::Null {
        return Ok(Checked::NoOtherSide);
    }
    let work = || Workload::new(DRAWS, true);
    let mut onze = match OnzeDevice::new(Backend::Default, args.workers(), work()) {
        Err(Error::Graphics(OnzeError::NotFound(reason))) => return Ok(Checked::NoAdapter(reason)),
        made => made?,
    };
    let Some(wgpu) = WgpuDevice::new(Backend::Default, &onze.device, work())? else {
        return Ok(Checked::NoOtherSide);
    };
    let most = args.thread_counts().into_iter().max().unwrap_or(2);
    let (mut pairs, mut seen) = (0, Vec::new());
    for context in [Context::Immediate, Context::Deferred(most), Context::Replay] {
        let is_drawn = |variant: &Variant| context != Context::Replay || variant.is_replayed();
        for variant in Variant::ALL.into_iter().filter(is_drawn) {
            let name = format!("{}/{}", context.name(), variant.name());
            // All variants are drawn on the immediate context, because `check_sight` compares their pictures
            // with each other.
            if context != Context::Immediate && !args.wants(&name) {
                continue;
            }
            onze.frames(context, variant, DRAWS, TIMES)?.frame()?;
            let ours = onze.immediate.read_texture_2d(onze.objects.picture(), 0)?;
            for form in wgpu.forms(context, variant) {
                wgpu.frames(context, (variant, form), DRAWS, TIMES)?.frame()?;
                compare(&format!("{name} ({})", form.name()), &ours, &read(&wgpu.objects)?)?;
                pairs += 1;
            }
            if context == Context::Immediate {
                seen.push((variant, ours));
            }
        }
    }
    check_sight(&seen)?;
    Ok(Checked::Equal(pairs, onze.device.adapter().name.clone()))
}

fn compare(name: &str, ours: &[u8], theirs: &[u8]) -> Result<(), Error> {
    let texels = ours.chunks_exact(4).zip(theirs.chunks_exact(4));
    let different = texels.clone().filter(|(a, b)| a != b).count();
    if ours.len() == theirs.len() && different == 0 {
        return Ok(());
    }
    let first = texels.enumerate().find(|(_, (a, b))| a != b);
    let place = first.map_or_else(
        || format!("{} and {} bytes", ours.len(), theirs.len()),
        |(at, (ours, theirs))| {
            let (x, y) = (at % TARGET as usize, at / TARGET as usize);
            format!("{different} texels; first ({x}, {y}): Onze has {ours:?}, wgpu {theirs:?}")
        },
    );
    Err(Error::PicturesDiffer(format!("{name}, {place}")))
}

/// Checks that the work of each variant is visible. Each variant must draw something, and its picture must
/// differ from the pictures of other variants. Exceptions are variants that only pass constants differently
/// or draw in a different order.
fn check_sight(seen: &[(Variant, Vec<u8>)]) -> Result<(), Error> {
    // Maps each variant to the first variant that draws the same picture.
    let picture_of = |variant| match variant {
        Variant::V4 | Variant::V5 | Variant::V6 | Variant::V7 => Variant::V1,
        Variant::V2Sorted => Variant::V2,
        Variant::BoxesSorted => Variant::Boxes,
        other => other,
    };
    for (number, (variant, picture)) in seen.iter().enumerate() {
        let name = variant.name();
        if picture.iter().all(|byte| *byte == 0) {
            return Err(Error::BlindCheck(format!("{name} draws nothing")));
        }
        for (other, other_picture) in &seen[..number] {
            let should = picture_of(*variant) == picture_of(*other);
            if (picture == other_picture) != should {
                let what = if should { "does not draw" } else { "draws" };
                return Err(Error::BlindCheck(format!("{name} {what} what {} draws", other.name())));
            }
        }
    }
    Ok(())
}

fn read(objects: &wgpu_side::Objects) -> Result<Vec<u8>, Error> {
    let wgpu_error = |error: String| Error::Wgpu(error);
    let device = objects.device();
    // A row is 1024 bytes, which is a valid row pitch for copies.
    let row = TARGET * 4;
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: u64::from(row * TARGET),
        usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let layout = wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None };
    encoder.copy_texture_to_buffer(
        objects.picture().as_image_copy(),
        wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
        objects.picture().size(),
    );
    objects.queue().submit([encoder.finish()]);
    // `get_mapped_range` returns an error if the mapping failed.
    buffer.map_async(wgpu::MapMode::Read, .., |_| {});
    device.poll(wgpu::PollType::wait_indefinitely()).map_err(|error| wgpu_error(error.to_string()))?;
    let texels = buffer.get_mapped_range(..).map_err(|error| wgpu_error(error.to_string()))?;
    Ok(texels.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_different_texel_is_found() {
        let ours = vec![7; (TARGET * TARGET * 4) as usize];
        let mut theirs = ours.clone();
        compare("same", &ours, &theirs).unwrap();
        theirs[(TARGET * 4 + 8) as usize] = 8;
        let error = compare("immediate/v1", &ours, &theirs).unwrap_err().to_string();
        assert!(error.contains("immediate/v1, 1 texels; first (2, 1)"), "{error}");
        assert!(compare("short", &ours, &ours[4..]).is_err());
    }

    #[test]
    fn variants_that_draw_the_same_are_found() {
        let picture = |byte| vec![byte; 8];
        let seen = |v2| vec![(Variant::V0, picture(1)), (Variant::V1, picture(2)), (Variant::V2, v2)];
        check_sight(&seen(picture(3))).unwrap();
        assert!(check_sight(&seen(picture(2))).is_err());
        assert!(check_sight(&seen(picture(0))).is_err());
        check_sight(&[(Variant::V1, picture(1)), (Variant::V4, picture(1))]).unwrap();
        assert!(check_sight(&[(Variant::V1, picture(1)), (Variant::V5, picture(2))]).is_err());
    }
}
