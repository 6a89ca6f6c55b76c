//! Shaders, and input layouts that match the vertex shaders.

use onze::*;
use onze_tests::Random;

use crate::{
    shaders,
    world::{World, any, keep, odd, query_desc},
};

impl World {
    pub(crate) fn create_vertex_shader(&mut self, r: &mut Random) {
        let source = ShaderSource::wgsl(r.pick::<&str>(shaders::VERTEX), "main");
        self.say(format_args!("vertex shader {source:?}"));
        let made = self.maker(r).create_vertex_shader(source).ok();
        let needs =
            made.as_ref().and_then(VertexShader::reflection).is_some_and(|shader| !shader.inputs.is_empty());
        if !needs {
            keep(r, &mut self.fed, made.clone().map(|shader| (shader, None)));
        }
        keep(r, &mut self.vertex, made);
    }

    pub(crate) fn create_pixel_shader(&mut self, r: &mut Random) {
        let source = ShaderSource::wgsl(r.pick::<&str>(shaders::PIXEL), "main");
        self.say(format_args!("pixel shader {source:?}"));
        let made = self.maker(r).create_pixel_shader(source).ok();
        keep(r, &mut self.pixel, made);
    }

    pub(crate) fn create_layout(&mut self, r: &mut Random) {
        let Some(shader) = any(r, &self.vertex).cloned() else { return };
        let elements = elements(r, &shader);
        self.say(format_args!("layout {elements:?}"));
        let made = self.maker(r).create_input_layout(&elements, &shader).ok();
        keep(r, &mut self.fed, made.clone().map(|layout| (shader, Some(layout))));
        keep(r, &mut self.layouts, made);
        if r.one_in(4) {
            let desc = query_desc(r);
            let query = self.maker(r).create_query(desc).ok();
            keep(r, &mut self.queries, query);
        }
    }
}

fn elements(r: &mut Random, shader: &VertexShader) -> Vec<InputElementDesc> {
    let float = [
        Format::R32G32B32A32_FLOAT,
        Format::R32G32B32_FLOAT,
        Format::R32G32_FLOAT,
        Format::R16G16_FLOAT,
        Format::R8G8B8A8_UNORM,
        Format::R16_FLOAT,
        Format::R8_UNORM,
        Format::R10G10B10A2_UNORM,
        Format::R16G16_SNORM,
        Format::R11G11B10_FLOAT,
        Format::B5G6R5_UNORM,
    ];
    let uint = [Format::R8G8B8A8_UINT, Format::R32G32B32A32_UINT, Format::R16_UINT, Format::R10G10B10A2_UINT];
    let sint = [Format::R8G8_SINT, Format::R32G32_SINT, Format::R16G16B16A16_SINT];
    let Some(reflection) = shader.reflection() else { return Vec::new() };
    let mut list = Vec::new();
    let rate = if r.one_in(3) { *r.pick(&[0, 2, 3, 1 << 31]) } else { 1 };
    for input in &reflection.inputs {
        let formats: &[Format] = match format!("{:?}", input.kind).as_str() {
            "Uint" => &uint,
            "Sint" => &sint,
            _ => &float,
        };
        let format = if r.one_in(30) { *r.pick(Format::ALL) } else { *r.pick(formats) };
        let mut element = InputElementDesc::new("x", 0, format).at_location(input.location);
        element.input_slot = if r.one_in(60) { odd(r, 40) } else { r.below(3) };
        if r.one_in(5) {
            element.aligned_byte_offset = r.below(20) * if r.one_in(10) { 1 } else { 4 };
        }
        if element.input_slot == 2 {
            // The elements of a slot usually have the same step rate.
            element = element.step_rate(if r.one_in(9) { r.below(4) } else { rate });
        }
        list.push(element);
    }
    if r.one_in(5) {
        list.push(InputElementDesc::new("UNUSED", r.below(3), *r.pick(&float)).slot(r.below(4)));
    }
    list
}
