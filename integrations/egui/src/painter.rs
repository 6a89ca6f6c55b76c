//! The painter, which turns egui's primitives into draws.

use egui::{
    ClippedPrimitive, TextureId, TextureOptions, TexturesDelta,
    epaint::{Mesh, PaintCallback, Primitive, Vertex},
};
use onze::{
    BlendDesc, BlendState, ConstantBuffer, CullMode, Device, DeviceContext, Error, Format, IndexBuffer,
    InputElementDesc, InputLayout, MapType, PixelShader, PrimitiveTopology, RasterizerDesc, RasterizerState,
    Rect, RenderTargetBlendDesc, RenderTargetView, Severity, ShaderResourceView, ShaderSource, VertexBuffer,
    VertexShader, Viewport,
};

use crate::{
    Callback, CallbackInfo, is_linear,
    textures::{self, Textures},
};

const SHADER: &str = include_str!("egui.wgsl");

/// Initial capacity in vertices, enough for an interface with a few windows.
const VERTICES: usize = 1 << 13;

/// Initial capacity in indices, enough for the same interface.
const INDICES: usize = 1 << 15;

/// Constants of a frame, in register `b0` of both shaders.
#[derive(Clone, Copy, Debug, bytemuck::NoUninit)]
#[repr(C)]
struct FrameConstants {
    size: [f32; 2],
    linear_target: u32,
    dithering: u32,
}

/// Draws egui's output, with one painter for each [`egui::Context`].
///
/// A painter belongs to one device, and may be moved to the thread of a deferred context. Execute the command
/// lists in recording order, because a list may write textures that later lists show.
#[derive(Debug)]
pub struct Painter {
    device: Device,
    vs: VertexShader,
    ps_gamma_image: PixelShader,
    ps_linear_image: PixelShader,
    layout: InputLayout,
    blend: BlendState,
    rasterizer: RasterizerState,
    constants: ConstantBuffer<FrameConstants>,
    vertices: VertexBuffer<Vertex>,
    indices: IndexBuffer<u32>,
    textures: Textures,
    dithering: bool,
}

struct Target<'a> {
    view: &'a RenderTargetView,
    size: [u32; 2],
    linear: bool,
    pixels_per_point: f32,
}

impl Painter {
    /// Creates a painter for targets of any format.
    ///
    /// # Errors
    /// Returns [`Error::DeviceRemoved`] or [`Error::OutOfMemory`] if an object cannot be created.
    pub fn new(device: &Device) -> Result<Self, Error> {
        let device = device.labelled("egui");
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let pixel = |name| device.create_pixel_shader(ShaderSource::wgsl(SHADER, name));
        let elements = [
            InputElementDesc::new("POSITION", 0, Format::R32G32_FLOAT),
            InputElementDesc::new("TEXCOORD", 0, Format::R32G32_FLOAT),
            InputElementDesc::new("COLOR", 0, Format::R8G8B8A8_UNORM),
        ];
        let premultiplied = RenderTargetBlendDesc::premultiplied_alpha();
        // egui's triangles have both windings, so culling is disabled.
        let rasterizer =
            RasterizerDesc { cull_mode: CullMode::None, scissor_enable: true, ..Default::default() };
        let constants = FrameConstants { size: [1.0; 2], linear_target: 0, dithering: 0 };
        Ok(Self {
            ps_gamma_image: pixel("ps_gamma_image")?,
            ps_linear_image: pixel("ps_linear_image")?,
            layout: device.create_input_layout(&elements, &vs)?,
            vs,
            blend: device.create_blend_state(&BlendDesc::all(premultiplied))?,
            rasterizer: device.create_rasterizer_state(&rasterizer)?,
            constants: device.create_constant_buffer(&constants)?,
            vertices: device.create_dynamic_vertex_buffer(VERTICES)?,
            indices: device.create_dynamic_index_buffer(INDICES)?,
            textures: Textures::default(),
            dithering: true,
            device,
        })
    }

    /// Draws a frame of egui on top of the target's contents.
    ///
    /// `pixels_per_point` and `textures_delta` come from [`egui::FullOutput`], and `primitives` come from
    /// [`egui::Context::tessellate`]. Pass every `TexturesDelta`, even for frames that are not shown, whose
    /// primitives may be omitted. Textures that egui frees are freed after the draws.
    ///
    /// The previous state is not restored. After the call, these objects stay bound:
    ///
    /// | stage | state |
    /// | --- | --- |
    /// | input assembler | the painter's input layout, vertex buffer 0, index buffer, triangle lists |
    /// | vertex shader | the painter's shader, `b0` |
    /// | rasterizer | the painter's state, a viewport of the whole target, a scissor rectangle |
    /// | pixel shader | the painter's shader, `b0`, `s0`; `t0` is empty |
    /// | output merger | the target without depth, the painter's blend state, default depth-stencil state |
    ///
    /// State that [callbacks](Callback) have bound in other slots also stays bound. If a mesh's texture was
    /// never registered or has been freed, the mesh is skipped and the debug layer reports it.
    ///
    /// # Errors
    /// Returns
    ///
    /// * [`Error::NotFound`] for an update of a missing texture, which means that an earlier `TexturesDelta`
    ///   was not passed,
    /// * the first error of a callback,
    /// * [`Error::InvalidArg`] if the target belongs to another device or `pixels_per_point` is not above 0,
    /// * [`Error::DeviceRemoved`] or [`Error::OutOfMemory`].
    pub fn paint(
        &mut self,
        context: &mut DeviceContext,
        target: &RenderTargetView,
        pixels_per_point: f32,
        mut textures_delta: TexturesDelta,
        primitives: &[ClippedPrimitive],
    ) -> Result<(), Error> {
        let result = self.set_textures(context, &textures_delta).and_then(|()| {
            if target.device() != self.device {
                return Err(Error::InvalidArg("the target belongs to another device".to_owned()));
            }
            let target = Target::new(target, pixels_per_point)?;
            self.draw(context, &target, primitives)
        });
        for id in &textures_delta.free {
            self.textures.free(*id);
        }
        // egui panics if a non-empty delta is dropped.
        textures_delta.clear();
        result
    }

    /// Registers a texture of the application with egui, and returns an id for [`egui::Image`],
    /// [`egui::Painter::image`] and similar functions.
    ///
    /// The application may draw into the texture between frames, because a mesh shows the texture's contents
    /// at the time of the mesh's draw. Views of sRGB and floating-point formats are read as linear light and
    /// then sRGB-encoded. Views of other formats are shown unchanged. Alpha is premultiplied.
    ///
    /// `options` select the sampling, usually [`TextureOptions::LINEAR`]. Mip levels are used only if
    /// `mipmap_mode` is set.
    ///
    /// # Errors
    /// Returns [`Error::InvalidArg`] for a view of a buffer, or an error of
    /// [`create_sampler_state`](Device::create_sampler_state).
    pub fn register_texture(
        &mut self,
        view: &ShaderResourceView,
        options: TextureOptions,
    ) -> Result<TextureId, Error> {
        self.textures.register(&self.device, view, options)
    }

    /// Assigns another view to an id from [`register_texture`](Self::register_texture), for example after a
    /// resize. An id that [`free_texture`](Self::free_texture) has freed becomes valid again.
    ///
    /// # Errors
    /// Returns the same errors as [`register_texture`](Self::register_texture).
    pub fn update_texture(
        &mut self,
        id: TextureId,
        view: &ShaderResourceView,
        options: TextureOptions,
    ) -> Result<(), Error> {
        self.textures.insert(&self.device, id, view.clone(), options)
    }

    /// Removes a registered texture, so that meshes which use it are skipped.
    pub fn free_texture(&mut self, id: TextureId) {
        self.textures.free(id);
    }

    /// Returns the view of a registered texture or of one of egui's own textures, for use in other draws.
    pub fn texture(&self, id: TextureId) -> Option<&ShaderResourceView> {
        self.textures.get(id).map(|texture| &texture.view)
    }

    /// Sets whether gradients are dithered to avoid bands (default: `true`).
    pub fn set_dithering(&mut self, dithering: bool) {
        self.dithering = dithering;
    }

    fn set_textures(&mut self, context: &mut DeviceContext, delta: &TexturesDelta) -> Result<(), Error> {
        for (id, changes) in &delta.set {
            for change in changes {
                self.textures.set(&self.device, context, *id, change)?;
            }
        }
        Ok(())
    }

    fn draw(
        &mut self,
        context: &mut DeviceContext,
        target: &Target<'_>,
        primitives: &[ClippedPrimitive],
    ) -> Result<(), Error> {
        let visible: Vec<(Rect, &Primitive)> = primitives
            .iter()
            .filter_map(|clipped| Some((target.scissor(clipped.clip_rect)?, &clipped.primitive)))
            .collect();
        self.write_buffers(context, &visible)?;
        let [width, height] = target.size.map(|pixels| pixels as f32);
        let constants = FrameConstants {
            size: [width / target.pixels_per_point, height / target.pixels_per_point],
            linear_target: target.linear.into(),
            dithering: self.dithering.into(),
        };
        context.update(&self.constants, &constants)?;
        self.bind(context, target);
        let (mut first_index, mut base_vertex, mut bound) = (0, 0, None);
        for (scissor, primitive) in visible {
            context.rs_set_scissor_rects(scissor);
            match primitive {
                Primitive::Mesh(mesh) => {
                    let indices = mesh.indices.len() as u32;
                    let id = mesh.texture_id;
                    if indices != 0 && (bound == Some(id) || self.bind_texture(context, id)) {
                        bound = Some(id);
                        context.draw_indexed(indices, first_index, base_vertex);
                    }
                    first_index += indices;
                    base_vertex += mesh.vertices.len() as i32;
                }
                Primitive::Callback(callback) => {
                    call(context, target, scissor, callback)?;
                    self.bind(context, target);
                    bound = None;
                }
            }
        }
        // If the texture stayed bound, the debug layer would warn when the application binds it as a render
        // target.
        context.ps_set_shader_resources(0, None);
        Ok(())
    }

    fn write_buffers(
        &mut self,
        context: &mut DeviceContext,
        primitives: &[(Rect, &Primitive)],
    ) -> Result<(), Error> {
        let meshes = || primitives.iter().filter_map(|(_, primitive)| mesh(primitive));
        let vertices: usize = meshes().map(|mesh| mesh.vertices.len()).sum();
        let indices: usize = meshes().map(|mesh| mesh.indices.len()).sum();
        if vertices == 0 || indices == 0 {
            return Ok(());
        }
        if vertices > self.vertices.len() as usize {
            self.vertices = self.device.create_dynamic_vertex_buffer(vertices.next_power_of_two())?;
        }
        if indices > self.indices.len() as usize {
            self.indices = self.device.create_dynamic_index_buffer(indices.next_power_of_two())?;
        }
        let (mut memory, mut offset) = (context.map(&self.vertices, 0, MapType::WriteDiscard)?, 0);
        for mesh in meshes() {
            memory.write_slice(offset, &mesh.vertices);
            offset += size_of_val(&*mesh.vertices);
        }
        drop(memory);
        let (mut memory, mut offset) = (context.map(&self.indices, 0, MapType::WriteDiscard)?, 0);
        for mesh in meshes() {
            memory.write_slice(offset, &mesh.indices);
            offset += size_of_val(&*mesh.indices);
        }
        Ok(())
    }

    fn bind(&self, context: &mut DeviceContext, target: &Target<'_>) {
        let [width, height] = target.size.map(|pixels| pixels as f32);
        context.om_set_render_targets(target.view, None);
        context.om_set_blend(&self.blend);
        context.om_set_depth_stencil(None);
        context.rs_set_state(&self.rasterizer);
        context.rs_set_viewports(Viewport::sized(width, height));
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.ia_set_input_layout(&self.layout);
        context.ia_set_vertex_buffers(0, &self.vertices);
        context.ia_set_indices(&self.indices);
        context.vs_set_shader(&self.vs);
        context.vs_set_constant_buffers(0, &self.constants);
        context.ps_set_constant_buffers(0, &self.constants);
    }

    /// Binds a texture with its sampler and shader, or returns false if the texture does not exist.
    fn bind_texture(&self, context: &mut DeviceContext, id: TextureId) -> bool {
        let Some(texture) = self.textures.get(id) else {
            let text =
                format!("{} is freed or was never registered; its meshes are not drawn", textures::name(id));
            self.device.info_queue().add_application_message(Severity::Warning, &text);
            return false;
        };
        context.ps_set_shader(if texture.linear { &self.ps_linear_image } else { &self.ps_gamma_image });
        context.ps_set_shader_resources(0, &texture.view);
        context.ps_set_samplers(0, &texture.sampler);
        true
    }
}

impl<'a> Target<'a> {
    fn new(view: &'a RenderTargetView, pixels_per_point: f32) -> Result<Self, Error> {
        let (Some(texture), Some(desc)) = (view.texture_2d(), view.desc().and_then(|desc| desc.texture()))
        else {
            return Err(Error::InvalidArg("a user interface is drawn into a texture".to_owned()));
        };
        if !(pixels_per_point > 0.0 && pixels_per_point.is_finite()) {
            return Err(Error::InvalidArg(format!(
                "`pixels_per_point` is {pixels_per_point}, but must be finite and above 0"
            )));
        }
        let (width, height) = texture.desc().mip_size(desc.range.first_mip);
        Ok(Self { view, size: [width, height], linear: is_linear(desc.format), pixels_per_point })
    }

    fn in_pixels(&self, rect: egui::Rect) -> Rect {
        // The casts saturate, so infinite rectangles get the largest possible size.
        let [left, top, right, bottom] = [rect.min.x, rect.min.y, rect.max.x, rect.max.y]
            .map(|points| (points * self.pixels_per_point).round() as i32);
        Rect { left, top, right, bottom }
    }

    /// Returns the visible part of a rectangle, if any.
    fn scissor(&self, clip: egui::Rect) -> Option<Rect> {
        let [width, height] = self.size.map(|pixels| pixels as i32);
        let clip = self.in_pixels(clip);
        let scissor = Rect {
            left: clip.left.max(0),
            top: clip.top.max(0),
            right: clip.right.min(width),
            bottom: clip.bottom.min(height),
        };
        (scissor.left < scissor.right && scissor.top < scissor.bottom).then_some(scissor)
    }
}

fn mesh(primitive: &Primitive) -> Option<&Mesh> {
    match primitive {
        Primitive::Mesh(mesh) => Some(mesh),
        Primitive::Callback(_) => None,
    }
}

fn call(
    context: &mut DeviceContext,
    target: &Target<'_>,
    scissor: Rect,
    callback: &PaintCallback,
) -> Result<(), Error> {
    let Some(draw) = callback.callback.downcast_ref::<Callback>() else {
        let text = "egui: a paint callback is none of `onze_egui::Callback`, and is not called";
        context.device().info_queue().add_application_message(Severity::Warning, text);
        return Ok(());
    };
    let Rect { left, top, right, bottom } = target.in_pixels(callback.rect);
    let (width, height) = (right.saturating_sub(left), bottom.saturating_sub(top));
    if width <= 0 || height <= 0 {
        return Ok(());
    }
    let viewport = Viewport {
        top_left_x: left as f32,
        top_left_y: top as f32,
        ..Viewport::sized(width as f32, height as f32)
    };
    context.rs_set_viewports(viewport);
    let info = CallbackInfo {
        target: target.view,
        target_size: target.size,
        viewport,
        scissor,
        pixels_per_point: target.pixels_per_point,
    };
    draw.call(context, &info)
}
