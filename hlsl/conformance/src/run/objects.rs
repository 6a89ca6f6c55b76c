use onze::{
    BindFlags, Buffer, BufferDesc, ClearFlags, DepthStencilView, Device, Format, MiscFlags, RenderTargetView,
    ShaderResourceView, ShaderResourceViewDesc, SubresourceData, Texture1d, Texture1dDesc, Texture2d,
    Texture2dDesc, Texture3d, Texture3dDesc, UnorderedAccessView, UnorderedAccessViewDesc,
    bytemuck::cast_slice,
};

use super::{DEFAULT_TARGET, Runner};
use crate::shader_test::{Binding, Format as TestFormat, Resource, Size};

pub(super) struct Bound {
    pub(super) binding: Binding,
    pub(super) format: Format,
    pub(super) size: [u32; 2],
    pub(super) levels: u32,
    pub(super) samples: u32,
    pub(super) memory: Memory,
    pub(super) view: View,
    /// The initial value of the view's counter, or `None` after the view was bound for the first time.
    pub(super) count: Option<u32>,
}

pub(super) enum Memory {
    Buffer(Buffer),
    /// A buffer whose view has a counter, which probes read instead of the elements.
    Counter,
    Texture1d(Texture1d),
    Texture2d(Texture2d),
    Texture3d(Texture3d),
}

pub(super) enum View {
    None,
    Target(RenderTargetView),
    Depth(DepthStencilView),
    Input(ShaderResourceView),
    Output(UnorderedAccessView),
}

pub(super) fn format(format: TestFormat) -> Format {
    match format {
        TestFormat::R32G32B32A32Float => Format::R32G32B32A32_FLOAT,
        TestFormat::R32G32B32A32Sint => Format::R32G32B32A32_SINT,
        TestFormat::R32G32B32A32Uint => Format::R32G32B32A32_UINT,
        TestFormat::R32G32Float => Format::R32G32_FLOAT,
        TestFormat::R32G32Sint => Format::R32G32_SINT,
        TestFormat::R32G32Uint => Format::R32G32_UINT,
        TestFormat::R32Float | TestFormat::R32FloatShadow => Format::R32_FLOAT,
        TestFormat::R32Sint => Format::R32_SINT,
        TestFormat::R32Uint => Format::R32_UINT,
        TestFormat::R32Typeless => Format::R32_TYPELESS,
        TestFormat::D32Float => Format::D32_FLOAT,
        TestFormat::Unknown => Format::UNKNOWN,
    }
}

pub(super) fn texel(format: TestFormat) -> u32 {
    match format {
        TestFormat::R32G32B32A32Float | TestFormat::R32G32B32A32Sint | TestFormat::R32G32B32A32Uint => 16,
        TestFormat::R32G32Float | TestFormat::R32G32Sint | TestFormat::R32G32Uint => 8,
        _ => 4,
    }
}

impl Runner<'_> {
    pub(super) fn find(&self, binding: Binding) -> Result<&Bound, String> {
        let found = self.resources.iter().find(|bound| bound.binding == binding);
        found.ok_or_else(|| format!("the test has no {binding:?}"))
    }

    pub(super) fn set_resource(&mut self, resource: &Resource) -> Result<(), String> {
        self.resources.retain(|bound| bound.binding != resource.binding);
        let bound = make(&self.device, resource)
            .map_err(|error| format!("the resource cannot be created: {error}"))?;
        self.resources.push(bound);
        Ok(())
    }

    /// Creates a render target, unless a render target or a depth buffer already exists.
    pub(super) fn set_default_target(&mut self) -> Result<(), String> {
        let is_target =
            |bound: &Bound| matches!(bound.binding, Binding::RenderTarget(0) | Binding::DepthStencil);
        if self.resources.iter().any(is_target) {
            return Ok(());
        }
        let [width, height] = DEFAULT_TARGET;
        self.set_resource(&Resource {
            binding: Binding::RenderTarget(0),
            format: TestFormat::R32G32B32A32Float,
            stride: None,
            size: Some(Size::Texture2D { width, height, samples: 1, layers: 1 }),
            levels: 1,
            data: Vec::new(),
        })
    }

    pub(super) fn clear(&mut self, binding: Binding, color: [f32; 4]) -> Result<(), String> {
        let bound = self.resources.iter().find(|bound| bound.binding == binding);
        match bound.map(|bound| &bound.view) {
            Some(View::Target(view)) => self.context.clear_render_target_view(view, color),
            Some(View::Depth(view)) => {
                self.context.clear_depth_stencil_view(view, ClearFlags::DEPTH, color[0], 0);
            }
            _ => return Err(format!("the test has no {binding:?} to clear")),
        }
        Ok(())
    }

    pub(super) fn copy(&mut self, from: Binding, to: Binding) -> Result<(), String> {
        let find = |binding| {
            let found = self.resources.iter().find(|bound| bound.binding == binding);
            found.ok_or_else(|| format!("the test has no {binding:?}"))
        };
        let (from, to) = (find(from)?, find(to)?);
        match (&to.memory, &from.memory) {
            (Memory::Buffer(to), Memory::Buffer(from)) => self.context.copy_resource(to, from),
            (Memory::Texture1d(to), Memory::Texture1d(from)) => self.context.copy_resource(to, from),
            (Memory::Texture2d(to), Memory::Texture2d(from)) => self.context.copy_resource(to, from),
            (Memory::Texture3d(to), Memory::Texture3d(from)) => self.context.copy_resource(to, from),
            _ => return Err("resources of different kinds cannot be copied".to_owned()),
        }
        Ok(())
    }
}

fn make(device: &Device, resource: &Resource) -> Result<Bound, onze::Error> {
    let mut bound = match resource.size {
        None | Some(Size::Buffer | Size::RawBuffer | Size::CounterBuffer) => buffer(device, resource)?,
        Some(Size::Texture2D { width, height, samples, layers }) => {
            texture_2d(device, resource, [width, height], samples, layers, MiscFlags::empty())?
        }
        Some(Size::Cube { width, count }) => {
            texture_2d(device, resource, [width; 2], 1, 6 * count, MiscFlags::TEXTURECUBE)?
        }
        Some(Size::Texture1D { width, layers }) => texture_1d(device, resource, width, layers)?,
        Some(Size::Texture3D { width, height, depth }) => {
            texture_3d(device, resource, [width, height, depth])?
        }
    };
    let shadow = resource.format == TestFormat::R32FloatShadow;
    let desc = shadow.then(|| ShaderResourceViewDesc::format(Format::R32_FLOAT));
    if matches!(bound.view, View::None) {
        let binding = resource.binding;
        bound.view = match &bound.memory {
            Memory::Texture1d(texture) => view(device, texture, binding, None)?,
            Memory::Texture2d(texture) => view(device, texture, binding, desc.as_ref())?,
            Memory::Texture3d(texture) => view(device, texture, binding, None)?,
            Memory::Buffer(_) | Memory::Counter => View::None,
        };
    }
    Ok(bound)
}

fn view(
    device: &Device,
    resource: &impl onze::Resource,
    binding: Binding,
    desc: Option<&ShaderResourceViewDesc>,
) -> Result<View, onze::Error> {
    Ok(match binding {
        Binding::RenderTarget(_) => View::Target(device.create_render_target_view(resource, None)?),
        Binding::DepthStencil => View::Depth(device.create_depth_stencil_view(resource, None)?),
        Binding::ShaderResource(_) => View::Input(device.create_shader_resource_view(resource, desc)?),
        Binding::UnorderedAccess(_) => View::Output(device.create_unordered_access_view(resource, None)?),
        Binding::VertexBuffer(_) => View::None,
    })
}

fn bind_flags(resource: &Resource) -> BindFlags {
    match resource.binding {
        Binding::RenderTarget(_) => BindFlags::RENDER_TARGET,
        Binding::DepthStencil => BindFlags::DEPTH_STENCIL,
        // Comparison samplers require a texture with a depth format.
        Binding::ShaderResource(_) if resource.format == TestFormat::R32FloatShadow => {
            BindFlags::SHADER_RESOURCE | BindFlags::DEPTH_STENCIL
        }
        Binding::ShaderResource(_) => BindFlags::SHADER_RESOURCE,
        Binding::UnorderedAccess(_) => BindFlags::UNORDERED_ACCESS,
        Binding::VertexBuffer(_) => BindFlags::VERTEX_BUFFER,
    }
}

fn buffer(device: &Device, resource: &Resource) -> Result<Bound, onze::Error> {
    let mut data = resource.data.clone();
    if data.is_empty() {
        data.resize(4, 0);
    }
    let bytes: &[u8] = cast_slice(&data);
    let width = bytes.len() as u32;
    let flags = bind_flags(resource);
    let raw = resource.size == Some(Size::RawBuffer);
    let counter = resource.size == Some(Size::CounterBuffer);
    let desc = match resource.stride {
        _ if raw => BufferDesc::raw(width, flags),
        Some(stride) if stride > 0 => BufferDesc::structured(stride, width / stride, flags),
        _ => BufferDesc::new(width, flags),
    };
    let buffer = device.create_buffer(&desc, Some(&bytes[..desc.byte_width as usize]))?;
    let (kind, count) = (format(resource.format), width / texel(resource.format));
    let view = match resource.binding {
        Binding::ShaderResource(_) => {
            let desc = match resource.stride {
                _ if raw => ShaderResourceViewDesc::raw_buffer(0, u32::MAX),
                Some(_) => ShaderResourceViewDesc::buffer(0, u32::MAX),
                None => ShaderResourceViewDesc::typed_buffer(kind, 0, count),
            };
            View::Input(device.create_shader_resource_view(&buffer, &desc)?)
        }
        Binding::UnorderedAccess(_) => {
            let desc = match resource.stride {
                _ if raw => UnorderedAccessViewDesc::raw_buffer(0, u32::MAX),
                _ if counter => UnorderedAccessViewDesc::counted_buffer(0, u32::MAX),
                Some(_) => UnorderedAccessViewDesc::buffer(0, u32::MAX),
                None => UnorderedAccessViewDesc::typed_buffer(kind, 0, count),
            };
            View::Output(device.create_unordered_access_view(&buffer, &desc)?)
        }
        _ => View::None,
    };
    Ok(Bound {
        binding: resource.binding,
        format: kind,
        size: [width, 1],
        levels: 1,
        samples: 1,
        count: counter.then(|| resource.data.first().copied().unwrap_or_default()),
        memory: if counter { Memory::Counter } else { Memory::Buffer(buffer) },
        view,
    })
}

/// Returns the contents of all subresources in the order of their indices, although the file stores the
/// layers of each mip level together.
fn contents(
    resource: &Resource,
    [width, height, depth]: [u32; 3],
    layers: u32,
) -> Option<Vec<SubresourceData<'_>>> {
    if resource.data.is_empty() {
        return None;
    }
    let bytes: &[u8] = cast_slice(&resource.data);
    let mut by_index: Vec<_> = (0..layers * resource.levels).map(|_| None).collect();
    let mut at = 0;
    for level in 0..resource.levels {
        let part = |size: u32| (size >> level).max(1);
        let row_pitch = part(width) * texel(resource.format);
        let depth_pitch = row_pitch * part(height);
        for layer in 0..layers {
            let length = (depth_pitch * part(depth)) as usize;
            let bytes = bytes.get(at..at + length)?;
            at += length;
            by_index[(level + layer * resource.levels) as usize] =
                Some(SubresourceData { bytes, row_pitch, depth_pitch });
        }
    }
    by_index.into_iter().collect()
}

fn texture_1d(device: &Device, resource: &Resource, width: u32, layers: u32) -> Result<Bound, onze::Error> {
    let desc = Texture1dDesc {
        width,
        mip_levels: resource.levels,
        array_size: layers,
        format: format(resource.format),
        bind_flags: bind_flags(resource),
        ..Texture1dDesc::default()
    };
    let contents = contents(resource, [width, 1, 1], layers);
    let texture = device.create_texture_1d(&desc, contents.as_deref())?;
    Ok(Bound {
        binding: resource.binding,
        format: desc.format,
        size: [width, 1],
        levels: resource.levels,
        samples: 1,
        memory: Memory::Texture1d(texture),
        view: View::None,
        count: None,
    })
}

fn texture_2d(
    device: &Device,
    resource: &Resource,
    size: [u32; 2],
    samples: u32,
    layers: u32,
    misc_flags: MiscFlags,
) -> Result<Bound, onze::Error> {
    let [width, height] = size;
    let shadow = resource.format == TestFormat::R32FloatShadow;
    let desc = Texture2dDesc {
        width,
        height,
        mip_levels: resource.levels,
        array_size: layers,
        format: if shadow { Format::R32_TYPELESS } else { format(resource.format) },
        sample_count: samples.max(1),
        bind_flags: match resource.binding {
            // Direct3D requires that multisampled textures are render targets or depth buffers.
            Binding::ShaderResource(_) if samples > 1 => bind_flags(resource) | BindFlags::RENDER_TARGET,
            _ => bind_flags(resource),
        },
        misc_flags,
        ..Texture2dDesc::default()
    };
    let contents = contents(resource, [width, height, 1], layers);
    let texture = device.create_texture_2d(&desc, contents.as_deref())?;
    Ok(Bound {
        binding: resource.binding,
        format: desc.format,
        size,
        levels: resource.levels,
        samples: desc.sample_count,
        memory: Memory::Texture2d(texture),
        view: View::None,
        count: None,
    })
}

fn texture_3d(device: &Device, resource: &Resource, size: [u32; 3]) -> Result<Bound, onze::Error> {
    let [width, height, depth] = size;
    let desc = Texture3dDesc {
        width,
        height,
        depth,
        mip_levels: resource.levels,
        format: format(resource.format),
        bind_flags: bind_flags(resource),
        ..Texture3dDesc::default()
    };
    let contents = contents(resource, size, 1);
    let texture = device.create_texture_3d(&desc, contents.as_deref())?;
    Ok(Bound {
        binding: resource.binding,
        format: desc.format,
        size: [width, height],
        levels: resource.levels,
        samples: 1,
        memory: Memory::Texture3d(texture),
        view: View::None,
        count: None,
    })
}
