//! The driver's own pipelines, which the encoding threads of a device share.
//!
//! They replace features that wgpu lacks, and each is compiled when it is first used. A pipeline that the
//! adapter cannot have is `None`, and its caller reports the command that is lost.

pub(crate) mod tessellator;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, OnceLock},
};

use crate::{
    objects::shader::STREAM,
    services::{error_scope::scoped, gpu::Gpu, sync::lock},
};

use self::tessellator::{StoredTessellator, TessellatorKey};
use super::compiler::Compilers;

/// Defines the driver's compute pipelines, each with its WGSL source and its entry point.
macro_rules! own_compute {
    ($($(#[$doc:meta])* $name:ident = $source:expr, $entry_point:literal;)*) => {
        #[derive(Copy, Clone, Debug, PartialEq, Eq)]
        pub(crate) enum OwnCompute {
            $($(#[$doc])* $name,)*
        }

        impl OwnCompute {
            const COUNT: usize = [$(Self::$name),*].len();

            fn source(self) -> (String, &'static str) {
                match self {
                    $(Self::$name => (String::from($source), $entry_point),)*
                }
            }
        }
    };
}
own_compute! {
    /// Merges bytes into the words of another buffer, for copies at any offset.
    MergeBytes = include_str!("own_pipelines/merge.wgsl"), "main";
    /// Writes one value to all elements of a buffer.
    Fill = include_str!("own_pipelines/fill.wgsl"), "main";
    /// Gathers the indices of lists and line strips with adjacency.
    GatherIndices = include_str!("own_pipelines/adjacency.wgsl"), "main";
    /// Gathers the indices of triangle strips with adjacency.
    GatherTriangleStrip = include_str!("own_pipelines/adjacency.wgsl"), "triangle_strip";
    /// Gathers the primitives of indexed strips for a geometry shader.
    GatherStrips = include_str!("own_pipelines/strips.wgsl"), "main";
    /// Expands the arguments of indirect draws with a geometry shader.
    ExpandArguments = include_str!("own_pipelines/expand.wgsl"), "main";
    /// Assigns the room in buffers to the primitives of stream output.
    AssignStreams = streams(), "assign";
    /// Finds the numbers of an indirect draw with stream output.
    FindStreamNumbers = streams(), "find_numbers";
    /// Finds the arguments of an automatic draw.
    FindAutoArguments = streams(), "draw_auto";
    SumSamples = sample_sums("texture_2d<f32>"), "main";
    SumMultisampled = sample_sums("texture_multisampled_2d<f32>"), "main";
    /// Widens packed texels into a format that wgpu has.
    WidenTexels = include_str!("own_pipelines/repack.wgsl"), "widen";
    /// Narrows texels into the packed format of Direct3D 11.
    NarrowTexels = include_str!("own_pipelines/repack.wgsl"), "narrow";
    /// Packs depth and stencil into the memory layout of Direct3D 11.
    PackDepth = include_str!("own_pipelines/depth_copy.wgsl"), "pack";
    /// Unpacks stencil from that layout into bytes, which wgpu can copy into a texture.
    UnpackStencil = include_str!("own_pipelines/depth_copy.wgsl"), "unpack_stencil";
}

fn streams() -> String {
    [STREAM, include_str!("own_pipelines/stream_numbers.wgsl"), include_str!("own_pipelines/streams.wgsl")]
        .concat()
}

fn sample_sums(texture: &str) -> String {
    include_str!("own_pipelines/sample_counts.wgsl").replace("TEXTURE", texture)
}

impl OwnCompute {
    fn compile(self, gpu: &Gpu) -> Option<wgpu::ComputePipeline> {
        let (source, entry_point) = self.source();
        scoped(&gpu.device, || {
            let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(entry_point),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
            gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry_point),
                layout: None,
                module: &module,
                entry_point: Some(entry_point),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: gpu.pipeline_cache.load().as_deref(),
            })
        })
        .ok()
    }
}

/// A render pipeline of the driver's own, whose single triangle covers the target.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum CoverPipeline {
    /// Averages a mip level into the next smaller one.
    Mip { format: wgpu::TextureFormat, is_3d: bool },
    /// Averages the samples of each pixel.
    Resolve { format: wgpu::TextureFormat },
    /// Copies every sample of a rectangle, because wgpu copies only whole multisampled textures.
    Samples { format: wgpu::TextureFormat, samples: u32 },
    /// Writes depth values from a buffer, because wgpu cannot copy them.
    Depth { format: wgpu::TextureFormat },
    /// Writes stencil into a colour target that shaders can read.
    Stencil { format: wgpu::TextureFormat },
}

impl CoverPipeline {
    /// Returns the WGSL source and the entry point of the pixel shader.
    fn source(self) -> (String, &'static str) {
        match self {
            Self::Mip { is_3d: false, .. } => (include_str!("own_pipelines/mips.wgsl").into(), "halve"),
            Self::Mip { is_3d: true, .. } => (include_str!("own_pipelines/mips_3d.wgsl").into(), "halve"),
            Self::Resolve { .. } => (include_str!("own_pipelines/resolve.wgsl").into(), "average"),
            Self::Samples { format, .. } => (samples_source(format), "copy"),
            Self::Depth { .. } => (include_str!("own_pipelines/depth_copy.wgsl").into(), "unpack_depth"),
            Self::Stencil { .. } => (include_str!("own_pipelines/casts.wgsl").into(), "stencil"),
        }
    }

    fn compile(self, gpu: &Gpu) -> Option<wgpu::RenderPipeline> {
        let (source, pixel_entry) = self.source();
        let (Self::Mip { format, .. }
        | Self::Resolve { format }
        | Self::Samples { format, .. }
        | Self::Depth { format }
        | Self::Stencil { format }) = self;
        let samples = if let Self::Samples { samples, .. } = self { samples } else { 1 };
        scoped(&gpu.device, || {
            let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(pixel_entry),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
            let cover =
                Cover { module: &module, vertex_entry: "cover", pixel_entry, layout: None, format, samples };
            cover.pipeline(gpu)
        })
        .ok()
    }
}

/// A render pipeline whose single triangle covers the target.
#[derive(Debug)]
pub(crate) struct Cover<'a> {
    pub(crate) module: &'a wgpu::ShaderModule,
    pub(crate) vertex_entry: &'a str,
    pub(crate) pixel_entry: &'a str,
    /// The pipeline layout, or `None` to derive it from the shaders.
    pub(crate) layout: Option<&'a wgpu::PipelineLayout>,
    /// Format of the only target. The shader writes a colour, or depth if this is a depth-stencil format.
    pub(crate) format: wgpu::TextureFormat,
    pub(crate) samples: u32,
}

impl Cover<'_> {
    pub(crate) fn pipeline(&self, gpu: &Gpu) -> wgpu::RenderPipeline {
        let is_depth = self.format.is_depth_stencil_format();
        let color = (!is_depth).then(|| wgpu::ColorTargetState::from(self.format));
        gpu.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(self.pixel_entry),
            layout: self.layout,
            vertex: wgpu::VertexState {
                module: self.module,
                entry_point: Some(self.vertex_entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: &[],
            },
            primitive: wgpu::PrimitiveState::default(),
            depth_stencil: is_depth.then(|| wgpu::DepthStencilState {
                format: self.format,
                depth_write_enabled: Some(true),
                depth_compare: Some(wgpu::CompareFunction::Always),
                stencil: wgpu::StencilState::default(),
                bias: wgpu::DepthBiasState::default(),
            }),
            multisample: wgpu::MultisampleState { count: self.samples, ..wgpu::MultisampleState::default() },
            fragment: Some(wgpu::FragmentState {
                module: self.module,
                entry_point: Some(self.pixel_entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: if is_depth { &[] } else { std::slice::from_ref(&color) },
            }),
            multiview_mask: None,
            cache: gpu.pipeline_cache.load().as_deref(),
        })
    }
}

/// Returns the WGSL source that copies samples of a format.
fn samples_source(format: wgpu::TextureFormat) -> String {
    let [texture, output, value] = match format.sample_type(None, None) {
        Some(wgpu::TextureSampleType::Depth) => {
            ["texture_depth_multisampled_2d", "@builtin(frag_depth)", "f32"]
        }
        Some(wgpu::TextureSampleType::Uint) => ["texture_multisampled_2d<u32>", "@location(0)", "vec4<u32>"],
        Some(wgpu::TextureSampleType::Sint) => ["texture_multisampled_2d<i32>", "@location(0)", "vec4<i32>"],
        _ => ["texture_multisampled_2d<f32>", "@location(0)", "vec4<f32>"],
    };
    let source = include_str!("own_pipelines/samples.wgsl");
    source.replace("TEXTURE", texture).replace("OUTPUT", output).replace("VALUE", value)
}

/// A pipeline that its first user compiles, or `None` if the compilation failed.
type Lazy<P> = OnceLock<Option<P>>;

#[derive(Debug, Default)]
pub(crate) struct OwnPipelines {
    compute: [Lazy<wgpu::ComputePipeline>; OwnCompute::COUNT],
    /// The lock is held to find an entry, never while a pipeline is compiled.
    cover: Mutex<HashMap<CoverPipeline, Arc<Lazy<wgpu::RenderPipeline>>>>,
    /// The same applies to this lock.
    tessellators: Mutex<HashMap<TessellatorKey, Arc<StoredTessellator>>>,
}

impl OwnPipelines {
    pub(crate) fn compute(&self, compilers: &Compilers, which: OwnCompute) -> Option<&wgpu::ComputePipeline> {
        let lazy = self.compute.get(which as usize)?;
        lazy.get_or_init(|| compilers.make(move |gpu| which.compile(gpu))).as_ref()
    }

    pub(crate) fn cover(&self, compilers: &Compilers, which: CoverPipeline) -> Option<wgpu::RenderPipeline> {
        let lazy = lock(&self.cover).entry(which).or_default().clone();
        lazy.get_or_init(|| compilers.make(move |gpu| which.compile(gpu))).clone()
    }

    /// Returns the pipelines of a tessellator, and whether they are new, in which case the caller must compile them.
    pub(crate) fn tessellator(&self, key: TessellatorKey) -> (Arc<StoredTessellator>, bool) {
        let mut tessellators = lock(&self.tessellators);
        if let Some(found) = tessellators.get(&key) {
            return (found.clone(), false);
        }
        let new = Arc::new(StoredTessellator::new(key));
        tessellators.insert(key, new.clone());
        (new, true)
    }

    /// Holds the locks, so that a test can see which threads wait for one.
    #[cfg(test)]
    pub(crate) fn hold_lock(&self) -> impl Sized {
        (lock(&self.cover), lock(&self.tessellators))
    }
}
