use std::fmt::Debug;

use onze::{BindFlags, Buffer, BufferDesc, Format, Texture2d, Texture2dDesc};

use super::{
    Runner,
    compare::f32_is_near,
    objects::{Memory, View},
};
use crate::{
    shader_test::{Area, Binding, Expected},
    shown::RECORD,
};

#[derive(Clone, Debug)]
pub(super) struct Texels {
    bytes: Vec<u8>,
    pitch: usize,
}

impl Texels {
    /// Returns the `count` words of a texel.
    fn words(&self, x: u32, y: u32, count: usize) -> Option<Vec<u32>> {
        let at = y as usize * self.pitch + x as usize * count * 4;
        let bytes = self.bytes.get(at..at + count * 4)?;
        Some(
            bytes
                .chunks_exact(4)
                .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect(),
        )
    }
}

impl Runner<'_> {
    pub(super) fn probe(
        &mut self,
        from: Binding,
        area: Area,
        expected: &Expected,
        ulps: u32,
    ) -> Result<(), String> {
        if !matches!(&self.read, Some((binding, layer, _)) if (*binding, *layer) == (from, area.layer)) {
            let texels = self.read(from, area.layer)?;
            self.read = Some((from, area.layer, texels));
        }
        let Some((_, _, texels)) = &self.read else { return Ok(()) };
        match expected {
            Expected::F32(values) => {
                let read = |words: &[u32]| words.iter().map(|word| f32::from_bits(*word)).collect::<Vec<_>>();
                check(texels, area, values, read, |a, b| f32_is_near(*a, *b, ulps))
            }
            Expected::U32(values) => check(texels, area, values, <[u32]>::to_vec, u32::eq),
            Expected::I32(values) => {
                let read = |words: &[u32]| words.iter().map(|word| *word as i32).collect::<Vec<_>>();
                check(texels, area, values, read, i32::eq)
            }
            Expected::Shown(shown) => {
                let record = texels.words(area.left, 0, RECORD);
                record.map_or_else(
                    || Err("the buffer has no such record".to_owned()),
                    |record| shown.check(&record),
                )
            }
            Expected::F64(_) | Expected::I64(_) | Expected::U64(_) => {
                Err("comparing 64-bit values is not supported".to_owned())
            }
        }
    }

    fn read(&mut self, from: Binding, layer: u32) -> Result<Texels, String> {
        let bound = self.find(from)?;
        let text = |error: onze::Error| format!("onze: {error}");
        let (size, levels, samples, format) = (bound.size, bound.levels, bound.samples, bound.format);
        let bytes = match (&bound.memory, &bound.view) {
            (Memory::Buffer(buffer), _) => {
                let buffer = buffer.clone();
                self.context.read_buffer(&buffer).map_err(text)?
            }
            (Memory::Counter, View::Output(view)) => {
                let view = view.clone();
                let copy = self.counter_copy()?;
                self.context.copy_structure_count(&copy, 0, &view);
                self.context.read_buffer(&copy).map_err(text)?
            }
            (Memory::Counter, _) => return Err("the counter has no view".to_owned()),
            (Memory::Texture1d(texture), _) => {
                let texture = texture.clone();
                self.context.read_texture_1d(&texture, layer * levels).map_err(text)?
            }
            (Memory::Texture2d(texture), _) if samples > 1 => {
                let texture = texture.clone();
                let resolved = self.resolve(&texture, size, format)?;
                self.context.read_texture_2d(&resolved, 0).map_err(text)?
            }
            (Memory::Texture2d(texture), _) => {
                let texture = texture.clone();
                self.context.read_texture_2d(&texture, layer * levels).map_err(text)?
            }
            (Memory::Texture3d(texture), _) => {
                let texture = texture.clone();
                self.context.read_texture_3d(&texture, 0).map_err(text)?
            }
        };
        let pitch = match format {
            Format::R32G32B32A32_FLOAT | Format::R32G32B32A32_SINT | Format::R32G32B32A32_UINT => 16,
            Format::R32G32_FLOAT | Format::R32G32_SINT | Format::R32G32_UINT => 8,
            _ => 4,
        };
        self.complaints()?;
        Ok(Texels { bytes, pitch: pitch * size[0] as usize })
    }

    fn counter_copy(&self) -> Result<Buffer, String> {
        let desc = BufferDesc::new(4, BindFlags::VERTEX_BUFFER);
        self.device.create_buffer(&desc, None).map_err(|error| format!("onze: {error}"))
    }

    fn resolve(
        &mut self,
        texture: &Texture2d,
        [width, height]: [u32; 2],
        format: Format,
    ) -> Result<Texture2d, String> {
        let desc = Texture2dDesc::render_target(format, width, height);
        let resolved =
            self.device.create_texture_2d(&desc, None).map_err(|error| format!("onze: {error}"))?;
        self.context.resolve_subresource(&resolved, 0, texture, 0, format);
        Ok(resolved)
    }
}

fn check<T: Debug>(
    texels: &Texels,
    area: Area,
    expected: &[T],
    read: impl Fn(&[u32]) -> Vec<T>,
    equal: impl Fn(&T, &T) -> bool,
) -> Result<(), String> {
    for y in area.top..area.bottom {
        for x in area.left..area.right {
            let Some(words) = texels.words(x, y, expected.len()) else {
                return Err(format!("({x}, {y}) is out of range"));
            };
            let found = read(&words);
            if !found.iter().zip(expected).all(|(found, expected)| equal(found, expected)) {
                return Err(format!("wrong: ({x}, {y}) is {found:?}, not {expected:?}"));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_texels_of_an_area_are_compared() {
        let words: [u32; 8] = [1, 2, 3, 4, 5, 6, 7, 8];
        let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let texels = Texels { bytes, pitch: 16 };
        let area = |left, top, right, bottom| Area { left, top, right, bottom, layer: 0 };
        let check = |area, expected: &[u32]| check(&texels, area, expected, <[u32]>::to_vec, u32::eq);
        assert_eq!(check(area(1, 1, 2, 2), &[6]), Ok(()));
        assert_eq!(check(area(1, 0, 2, 1), &[3, 4]), Ok(()));
        assert_eq!(check(area(0, 0, 2, 1), &[1]), Err("wrong: (1, 0) is [2], not [1]".to_owned()));
        assert!(check(area(0, 2, 1, 3), &[1]).is_err());
    }
}
