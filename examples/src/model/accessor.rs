//! Reads accessors: converts a file's bytes to numbers and checks every range.
//!
//! Files are not trusted. If an index, offset, stride or count leads outside the data, the result is an error
//! that names the accessor or buffer view, not a panic or a large allocation.

use gltf::json::accessor::{Accessor, ComponentType};
use gltf::json::validation::Checked;
use gltf::json::{Index, Root, buffer};

/// Maximum number of elements in an accessor, so that a file with a larger accessor is rejected before its
/// elements are allocated.
const MAX_ELEMENTS: usize = 1 << 24;

#[derive(Debug)]
pub(super) struct Data<'a> {
    pub(super) root: &'a Root,
    pub(super) buffers: Vec<Vec<u8>>,
}

struct Packed {
    bytes: Vec<u8>,
    component: ComponentType,
    normalized: bool,
    components: usize,
}

impl Data<'_> {
    pub(super) fn view(&self, index: Index<buffer::View>) -> Result<&[u8], String> {
        let number = index.value();
        let missing = || format!("buffer view {number} does not exist");
        let view = self.root.buffer_views.get(number).ok_or_else(missing)?;
        let outside = || format!("buffer view {number} is outside its buffer");
        let buffer = self.buffers.get(view.buffer.value()).ok_or_else(outside)?;
        let offset = view.byte_offset.map_or(0, |offset| offset.0);
        let start = usize::try_from(offset).map_err(|_| outside())?;
        let length = usize::try_from(view.byte_length.0).map_err(|_| outside())?;
        let end = start.checked_add(length).ok_or_else(outside)?;
        buffer.get(start..end).ok_or_else(outside)
    }

    /// Returns the accessor's elements as floats, and the number of components per element. Fails unless that
    /// number is one of `allowed`. Normalised integers become -1..1 or 0..1, and other integers keep their
    /// value.
    pub(super) fn floats(
        &self,
        index: Index<Accessor>,
        allowed: &[usize],
    ) -> Result<(Vec<f32>, usize), String> {
        let packed = self.packed(index)?;
        if !allowed.contains(&packed.components) {
            return Err(format!(
                "accessor {} has {} components where {allowed:?} are expected",
                index.value(),
                packed.components
            ));
        }
        Ok((packed.floats(), packed.components))
    }

    pub(super) fn vectors<const N: usize>(&self, index: Index<Accessor>) -> Result<Vec<[f32; N]>, String> {
        let (floats, _) = self.floats(index, &[N])?;
        Ok(floats.as_chunks::<N>().0.to_vec())
    }

    /// Returns the accessor's elements as indices, or fails unless they are unsigned scalars.
    pub(super) fn indices(&self, index: Index<Accessor>) -> Result<Vec<u32>, String> {
        let packed = self.packed(index)?;
        let bytes = &packed.bytes;
        match (packed.component, packed.components) {
            (ComponentType::U8, 1) => Ok(bytes.iter().map(|&b| u32::from(b)).collect()),
            (ComponentType::U16, 1) => Ok(chunks(bytes).map(|b| u32::from(u16::from_le_bytes(b))).collect()),
            (ComponentType::U32, 1) => Ok(chunks(bytes).map(u32::from_le_bytes).collect()),
            _ => Err(format!("accessor {} does not hold unsigned scalar indices", index.value())),
        }
    }

    fn packed(&self, index: Index<Accessor>) -> Result<Packed, String> {
        let number = index.value();
        let missing = || format!("accessor {number} does not exist");
        let accessor = self.root.accessors.get(number).ok_or_else(missing)?;
        let (Checked::Valid(component), Checked::Valid(dimensions)) =
            (&accessor.component_type, &accessor.type_)
        else {
            return Err(format!("accessor {number} has an unknown type"));
        };
        let count = usize::try_from(accessor.count.0).unwrap_or(usize::MAX);
        if count > MAX_ELEMENTS {
            return Err(format!("accessor {number} has {count} elements, more than {MAX_ELEMENTS}"));
        }
        let components = dimensions.multiplicity();
        let size = component.0.size() * components;
        let mut bytes = Vec::new();
        match accessor.buffer_view {
            Some(view) => {
                let stride = self
                    .root
                    .buffer_views
                    .get(view.value())
                    .and_then(|view| view.byte_stride)
                    .map_or(size, |stride| stride.0);
                let source = self.view(view)?;
                let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
                bytes = gather(source, offset, stride, size, count)
                    .ok_or_else(|| format!("accessor {number} reads past the end of its buffer view"))?;
            }
            None => bytes.resize(size * count, 0),
        }
        if accessor.sparse.is_some() {
            self.apply_sparse(accessor, size, &mut bytes)
                .map_err(|reason| format!("the sparse part of accessor {number} {reason}"))?;
        }
        Ok(Packed { bytes, component: component.0, normalized: accessor.normalized, components })
    }

    fn apply_sparse(&self, accessor: &Accessor, size: usize, bytes: &mut [u8]) -> Result<(), String> {
        let Some(sparse) = &accessor.sparse else {
            return Ok(());
        };
        let past = || "reads past the end of its buffer view".to_owned();
        let count = usize::try_from(sparse.count.0).unwrap_or(usize::MAX);
        let Checked::Valid(index_type) = &sparse.indices.component_type else {
            return Err("has an unknown index type".to_owned());
        };
        let index_size = index_type.0.size();
        let source = self.view(sparse.indices.buffer_view)?;
        let offset = sparse.indices.byte_offset.0;
        let indices = gather(source, offset, index_size, index_size, count).ok_or_else(past)?;
        let source = self.view(sparse.values.buffer_view)?;
        let offset = sparse.values.byte_offset.0;
        let values = gather(source, offset, size, size, count).ok_or_else(past)?;
        for (index, value) in indices.chunks(index_size).zip(values.chunks(size)) {
            let index = index.iter().rev().fold(0, |index, &byte| index << 8 | usize::from(byte));
            let target = index
                .checked_mul(size)
                .and_then(|start| bytes.get_mut(start..start.checked_add(size)?))
                .ok_or_else(|| format!("replaces element {index}, which does not exist"))?;
            target.copy_from_slice(value);
        }
        Ok(())
    }
}

impl Packed {
    fn floats(&self) -> Vec<f32> {
        let bytes = &self.bytes;
        let scale = |most: f32| if self.normalized { most.recip() } else { 1.0 };
        match self.component {
            ComponentType::F32 => chunks(bytes).map(f32::from_le_bytes).collect(),
            ComponentType::U8 => {
                let scale = scale(255.0);
                bytes.iter().map(|&b| f32::from(b) * scale).collect()
            }
            ComponentType::I8 => {
                let (scale, least) = (scale(127.0), self.least());
                let value = |&b: &u8| (f32::from(b.cast_signed()) * scale).max(least);
                bytes.iter().map(value).collect()
            }
            ComponentType::U16 => {
                let scale = scale(65535.0);
                let value = |b| f32::from(u16::from_le_bytes(b)) * scale;
                chunks(bytes).map(value).collect()
            }
            ComponentType::I16 => {
                let (scale, least) = (scale(32767.0), self.least());
                let value = |b| (f32::from(i16::from_le_bytes(b)) * scale).max(least);
                chunks(bytes).map(value).collect()
            }
            ComponentType::U32 => chunks(bytes).map(|b| u32::from_le_bytes(b) as f32).collect(),
        }
    }

    /// Minimum value of a signed component, clamped to -1 when normalised because the smallest stored integer
    /// would give a smaller result.
    fn least(&self) -> f32 {
        if self.normalized { -1.0 } else { f32::MIN }
    }
}

fn chunks<const N: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; N]> {
    bytes.as_chunks::<N>().0.iter().copied()
}

/// Copies `count` elements of `size` bytes that are `stride` bytes apart, starting at `offset`, or returns
/// `None` if an element is not within `source`.
fn gather(source: &[u8], offset: u64, stride: usize, size: usize, count: usize) -> Option<Vec<u8>> {
    let Some(last) = count.checked_sub(1) else {
        return Some(Vec::new());
    };
    let offset = usize::try_from(offset).ok()?;
    let end = last.checked_mul(stride)?.checked_add(size)?.checked_add(offset)?;
    if stride == 0 {
        return None;
    }
    let elements = source.get(offset..end)?.chunks(stride);
    let mut bytes = Vec::with_capacity(size.checked_mul(count)?);
    for element in elements {
        bytes.extend_from_slice(element.get(..size)?);
    }
    Some(bytes)
}
