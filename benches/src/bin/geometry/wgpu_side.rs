//! The frames with wgpu alone, which draw the same without geometry shaders.

use onze::AdapterInfo;
use onze_benches::backend::Backend;
use wgpu::util::DeviceExt;

use super::{CUBE_DRAWS, DISC_VERTICES, DISCS, DRAWS, FACES, POINTS, Point, Result, SIZE, WRITTEN, points};

/// The draws of a frame.
#[derive(Copy, Clone, Debug)]
pub(crate) enum WgpuWay {
    /// One draw whose vertex shader reads the points from a storage buffer.
    Pulled,
    /// One draw of a quad for each point, as instances.
    Instances,
    /// A draw for each of the first points.
    ManyPulled,
    /// A compute shader that stores the vertices of all quads, and a draw with indices.
    Stored,
    /// The same with the vertices of discs.
    Discs,
    /// The draws to each face of a cube, in a pass for each face.
    Faces,
    /// A compute shader that writes to a buffer.
    Compute,
}

const SHADERS: &str = "
    @group(0) @binding(0) var<storage> points: array<vec4f>;
    struct O { @builtin(position) position: vec4f, @location(0) color: vec2f }
    fn corner(point_at: vec4f, k: u32) -> O {
        let to_corner = vec2f(f32(k & 1u), f32(k >> 1u)) * 2.0 - 1.0;
        return O(vec4f(point_at.xy + to_corner * 0.01, 0.5, 1.0), point_at.zw);
    }
    @vertex fn pulled(@builtin(vertex_index) n: u32) -> O {
        let k = n % 6u;
        return corner(points[n / 6u], select(k, 6u - k, k > 2u));
    }
    @vertex fn instance(@builtin(vertex_index) k: u32, @location(0) point_at: vec4f) -> O {
        return corner(point_at, k);
    }
    @vertex fn stored(@location(0) position: vec4f, @location(1) color: vec2f) -> O { return O(position, color); }
    @fragment fn ps_main(o: O) -> @location(0) vec4f { return vec4f(o.color, 0.5, 1.0); }";

const MOVED: &str = "
    @group(0) @binding(0) var<storage> points: array<vec4f>;
    @group(0) @binding(1) var<storage, read_write> moved: array<vec4f>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
        if id.x < arrayLength(&moved) { moved[id.x] = points[id.x] * 2.0 + 1.0; }
    }";

const STORE: &str = "
    struct Vertex { position: vec4f, color: vec2f }
    @group(0) @binding(0) var<storage> points: array<vec4f>;
    @group(0) @binding(1) var<storage, read_write> vertices: array<Vertex>;
    @compute @workgroup_size(64) fn quads(@builtin(global_invocation_id) id: vec3u) {
        if id.x >= POINTS { return; }
        let point_at = points[id.x];
        for (var k = 0u; k < 4u; k++) {
            let to_corner = vec2f(f32(k & 1u), f32(k >> 1u)) * 2.0 - 1.0;
            vertices[4u * id.x + k] = Vertex(vec4f(point_at.xy + to_corner * 0.01, 0.5, 1.0), point_at.zw);
        }
    }
    @compute @workgroup_size(64) fn discs(@builtin(global_invocation_id) id: vec3u) {
        if id.x >= DISCS { return; }
        let point_at = points[id.x];
        for (var k = 0u; k < 64u; k++) {
            let angle = f32(k / 2u + 1u) * 0.098 * select(1.0, -1.0, k % 2u == 1u);
            let to_corner = vec2f(cos(angle), sin(angle)) * 0.02;
            vertices[64u * id.x + k] = Vertex(vec4f(point_at.xy + to_corner, 0.5, 1.0), point_at.zw);
        }
    }";

/// Bytes of a stored vertex.
const STORED_BYTES: u64 = 32;

/// The compute pipeline that stores strips, and the index buffer that draws them.
struct Strips {
    compute: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    indices: wgpu::Buffer,
    count: u32,
    points: u32,
}

impl Strips {
    fn new(
        device: &wgpu::Device,
        name: &str,
        points: u32,
        vertices: u32,
        buffers: [&wgpu::Buffer; 2],
    ) -> Self {
        let text = STORE.replace("POINTS", &format!("{POINTS}u")).replace("DISCS", &format!("{DISCS}u"));
        let source = wgpu::ShaderSource::Wgsl(text.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let compute = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some(name),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let entries: Vec<_> = (0..)
            .zip(buffers)
            .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &compute.get_bind_group_layout(0),
            entries: &entries,
        });
        let strip = |point: u32| {
            let first = point * vertices;
            (0..vertices - 2).flat_map(move |n| {
                let [second, third] = if n % 2 == 0 { [1, 2] } else { [2, 1] };
                [first + n, first + n + second, first + n + third]
            })
        };
        let contents: Vec<u32> = (0..points).flat_map(strip).collect();
        let indices = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: bytemuck::cast_slice(&contents),
            usage: wgpu::BufferUsages::INDEX,
        });
        Self { compute, group, indices, count: contents.len() as u32, points }
    }
}

pub(crate) struct WgpuSide {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pulled: wgpu::RenderPipeline,
    instance: wgpu::RenderPipeline,
    points: wgpu::Buffer,
    group: wgpu::BindGroup,
    target: wgpu::Texture,
    view: wgpu::TextureView,
    faces: Vec<wgpu::TextureView>,
    moved: wgpu::ComputePipeline,
    moved_group: wgpu::BindGroup,
    stored: wgpu::RenderPipeline,
    vertices: wgpu::Buffer,
    quads: Strips,
    discs: Strips,
    written: wgpu::Buffer,
}

fn pipeline(
    device: &wgpu::Device,
    module: &wgpu::ShaderModule,
    layout: &wgpu::PipelineLayout,
    name: &str,
    topology: wgpu::PrimitiveTopology,
    buffers: &[Option<wgpu::VertexBufferLayout<'_>>],
) -> wgpu::RenderPipeline {
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(layout),
        vertex: wgpu::VertexState {
            module,
            entry_point: Some(name),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers,
        },
        primitive: wgpu::PrimitiveState { topology, ..wgpu::PrimitiveState::default() },
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module,
            entry_point: Some("ps_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(wgpu::TextureFormat::Rgba8Unorm.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}

impl WgpuSide {
    pub(crate) fn new(backend: Backend, adapter: &AdapterInfo) -> Result<Self> {
        let (device, queue) = backend.wgpu_device(adapter)?.ok_or("the null driver has no wgpu side")?;
        let source = wgpu::ShaderSource::Wgsl(SHADERS.into());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let point_buffer = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: bytemuck::cast_slice(&points(POINTS)),
            usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::STORAGE,
        });
        let source = wgpu::ShaderSource::Wgsl(MOVED.into());
        let compute = device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source });
        let moved = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &compute,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let many_points = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: bytemuck::cast_slice(&points(WRITTEN)),
            usage: wgpu::BufferUsages::STORAGE,
        });
        let written = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: size_of::<Point>() as u64 * u64::from(WRITTEN),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        let moved_group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &moved.get_bind_group_layout(0),
            entries: &[
                wgpu::BindGroupEntry { binding: 0, resource: many_points.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: written.as_entire_binding() },
            ],
        });
        let groups = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::VERTEX,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: true },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &groups,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: point_buffer.as_entire_binding() }],
        });
        let layout = |groups: &[Option<&wgpu::BindGroupLayout>]| {
            device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: groups,
                immediate_size: 0,
            })
        };
        let texture = |layers| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: None,
                size: wgpu::Extent3d { width: SIZE, height: SIZE, depth_or_array_layers: layers },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format: wgpu::TextureFormat::Rgba8Unorm,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
                view_formats: &[],
            })
        };
        let (target, cube) = (texture(1), texture(FACES));
        let face = |face| {
            cube.create_view(&wgpu::TextureViewDescriptor {
                base_array_layer: face,
                array_layer_count: Some(1),
                dimension: Some(wgpu::TextureViewDimension::D2),
                ..wgpu::TextureViewDescriptor::default()
            })
        };
        let of_instance = wgpu::VertexBufferLayout {
            array_stride: size_of::<Point>() as u64,
            step_mode: wgpu::VertexStepMode::Instance,
            attributes: &wgpu::vertex_attr_array![0 => Float32x4],
        };
        let vertices = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: STORED_BYTES * u64::from((4 * POINTS).max(DISC_VERTICES * DISCS)),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::VERTEX,
            mapped_at_creation: false,
        });
        let of_vertex = wgpu::VertexBufferLayout {
            array_stride: STORED_BYTES,
            step_mode: wgpu::VertexStepMode::Vertex,
            attributes: &wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x2],
        };
        use wgpu::PrimitiveTopology as T;
        Ok(Self {
            quads: Strips::new(&device, "quads", POINTS, 4, [&point_buffer, &vertices]),
            discs: Strips::new(&device, "discs", DISCS, DISC_VERTICES, [&point_buffer, &vertices]),
            stored: pipeline(&device, &module, &layout(&[]), "stored", T::TriangleList, &[Some(of_vertex)]),
            vertices,
            pulled: pipeline(&device, &module, &layout(&[Some(&groups)]), "pulled", T::TriangleList, &[]),
            instance: pipeline(
                &device,
                &module,
                &layout(&[]),
                "instance",
                T::TriangleStrip,
                &[Some(of_instance)],
            ),
            view: target.create_view(&wgpu::TextureViewDescriptor::default()),
            faces: (0..FACES).map(face).collect(),
            group,
            points: point_buffer,
            target,
            moved,
            moved_group,
            written,
            device,
            queue,
        })
    }

    /// Draws a frame, and waits until the GPU has drawn it.
    pub(crate) fn frame(&mut self, way: WgpuWay) -> Result<()> {
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if let WgpuWay::Compute = way {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&self.moved);
            pass.set_bind_group(0, &self.moved_group, &[]);
            pass.dispatch_workgroups(WRITTEN.div_ceil(64), 1, 1);
            drop(pass);
            return self.finish(encoder);
        }
        let strips = match way {
            WgpuWay::Stored => Some(&self.quads),
            WgpuWay::Discs => Some(&self.discs),
            _ => None,
        };
        if let Some(strips) = strips {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&strips.compute);
            pass.set_bind_group(0, &strips.group, &[]);
            pass.dispatch_workgroups(strips.points.div_ceil(64), 1, 1);
        }
        let one = std::slice::from_ref(&self.view);
        for view in if matches!(way, WgpuWay::Faces) { &self.faces[..] } else { one } {
            let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..wgpu::RenderPassDescriptor::default()
            });
            if let WgpuWay::Instances = way {
                pass.set_pipeline(&self.instance);
                pass.set_vertex_buffer(0, self.points.slice(..));
                pass.draw(0..4, 0..POINTS);
                continue;
            }
            if let Some(strips) = strips {
                pass.set_pipeline(&self.stored);
                pass.set_vertex_buffer(0, self.vertices.slice(..));
                pass.set_index_buffer(strips.indices.slice(..), wgpu::IndexFormat::Uint32);
                pass.draw_indexed(0..strips.count, 0, 0..1);
                continue;
            }
            pass.set_pipeline(&self.pulled);
            pass.set_bind_group(0, &self.group, &[]);
            match way {
                WgpuWay::Pulled
                | WgpuWay::Instances
                | WgpuWay::Compute
                | WgpuWay::Stored
                | WgpuWay::Discs => pass.draw(0..6 * POINTS, 0..1),
                WgpuWay::ManyPulled => (0..DRAWS).for_each(|n| pass.draw(6 * n..6 * n + 6, 0..1)),
                WgpuWay::Faces => (0..CUBE_DRAWS).for_each(|n| pass.draw(6 * n..6 * n + 6, 0..1)),
            }
        }
        self.finish(encoder)
    }

    fn finish(&self, encoder: wgpu::CommandEncoder) -> Result<()> {
        self.queue.submit([encoder.finish()]);
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(())
    }

    /// Returns the texels of the target, or the bytes of the buffer.
    pub(crate) fn result(&self, way: WgpuWay) -> Result<Vec<u8>> {
        let is_buffer = matches!(way, WgpuWay::Compute);
        let size = if is_buffer { self.written.size() } else { u64::from(SIZE * SIZE * 4) };
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let layout =
            wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(4 * SIZE), rows_per_image: None };
        if is_buffer {
            encoder.copy_buffer_to_buffer(&self.written, 0, &buffer, 0, size);
        } else {
            encoder.copy_texture_to_buffer(
                self.target.as_image_copy(),
                wgpu::TexelCopyBufferInfo { buffer: &buffer, layout },
                self.target.size(),
            );
        }
        self.queue.submit([encoder.finish()]);
        buffer.map_async(wgpu::MapMode::Read, .., drop);
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        Ok(buffer.get_mapped_range(..)?.to_vec())
    }
}
