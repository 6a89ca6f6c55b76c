//! Solid objects: one map, one write and one draw for each rock, ship, saucer and gift.

use glam::{Mat4, Quat, Vec2, Vec3, Vec4};
use onze::prelude::*;

use super::mesh::{Corner, Mesh, MeshBuffers};
use super::{Pass, Picture, Scene};
use crate::effects;
use crate::game::Phase;
use crate::numbers::{blinks, radians};
use crate::rules::TURN_RATE;
use crate::world::{FORMS, HALF, Rock, SHIP_RADIUS, Size};

const SHADER: &str = concat!(include_str!("scene.wgsl"), include_str!("objects.wgsl"));

#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "onze::bytemuck")]
#[repr(C)]
struct Object {
    to_world: Mat4,
    tint: Vec4,
    rock: Vec4,
}

pub(super) struct ObjectPass {
    scene: ConstantBuffer<Scene>,
    object: ConstantBuffer<Object>,
    vs: VertexShader,
    ps: PixelShader,
    layout: InputLayout,
    solid: RasterizerState,
    /// For each form, a mesh for large rocks and a mesh with fewer triangles for all other rocks.
    rocks: Vec<[MeshBuffers; 2]>,
    ship: MeshBuffers,
    saucer: MeshBuffers,
    crystal: MeshBuffers,
}

impl ObjectPass {
    pub(super) fn new(device: &Device, scene: &ConstantBuffer<Scene>) -> Result<Self, onze::Error> {
        let vs = device.create_vertex_shader(ShaderSource::wgsl(SHADER, "vs_main"))?;
        let rock = |form| Ok([Mesh::rock(form, 4).buffers(device)?, Mesh::rock(form, 3).buffers(device)?]);
        let zero = Object { to_world: Mat4::ZERO, tint: Vec4::ZERO, rock: Vec4::ZERO };
        Ok(Self {
            scene: scene.clone(),
            object: device.create_constant_buffer(&zero)?,
            ps: device.create_pixel_shader(ShaderSource::wgsl(SHADER, "ps_main"))?,
            layout: device.create_input_layout_of::<Corner>(&vs)?,
            vs,
            solid: device.create_rasterizer_state(&RasterizerDesc::counter_clockwise())?,
            rocks: (0..FORMS).map(rock).collect::<Result<_, onze::Error>>()?,
            ship: Mesh::ship().buffers(device)?,
            saucer: Mesh::saucer().buffers(device)?,
            crystal: Mesh::crystal().buffers(device)?,
        })
    }

    /// Draws an object, with copies at the opposite edges if it crosses edges of the arena.
    fn draw(
        &self,
        context: &mut DeviceContext,
        mesh: &MeshBuffers,
        radius: f32,
        object: Object,
    ) -> Result<(), onze::Error> {
        context.ia_set_vertex_buffers(0, &mesh.corners);
        context.ia_set_indices(&mesh.indices);
        let position = object.to_world.w_axis.truncate().truncate();
        for copy in copies(position, radius) {
            let to_world = Mat4::from_translation(copy.extend(0.0)) * object.to_world;
            context.update(&self.object, &Object { to_world, ..object })?;
            context.draw_indexed(mesh.indices.len(), 0, 0);
        }
        Ok(())
    }
}

/// Returns the offsets at which an object is drawn: zero, and an offset for each copy if the object crosses
/// edges of the arena.
fn copies(position: Vec2, radius: f32) -> impl Iterator<Item = Vec2> {
    let over = move |axis: f32, half: f32| {
        let other = (axis.abs() + radius * 1.3 > half).then_some(-2.0 * half * axis.signum());
        std::iter::once(0.0).chain(other)
    };
    over(position.x, HALF.x).flat_map(move |x| over(position.y, HALF.y).map(move |y| Vec2::new(x, y)))
}

fn rock_object(rock: &Rock, picture: &Picture<'_>) -> Object {
    let part = |shift: u32| (rock.look >> shift & 0xFF) as f32 / 127.5 - 1.0;
    let axis = Vec3::new(part(8), part(16), part(24) + 0.01).normalize();
    let spin = (rock.spin as i32) as f32 * picture.view.ahead;
    let angle = radians(rock.angle) + spin / 65_536.0 * std::f32::consts::TAU;
    let place = picture.ahead(rock.position, rock.velocity);
    let turn = Quat::from_axis_angle(axis, angle);
    Object {
        to_world: Mat4::from_scale_rotation_translation(Vec3::splat(rock.size.radius()), turn, place),
        tint: Vec4::ONE,
        rock: Vec4::new(1.0, part(4) * 40.0 + 60.0, 0.0, 0.0),
    }
}

impl Pass for ObjectPass {
    fn record(&mut self, context: &mut DeviceContext, picture: &Picture<'_>) -> Result<(), onze::Error> {
        let game = picture.view.game;
        let world = &game.world;
        context.ia_set_primitive_topology(PrimitiveTopology::TriangleList);
        context.ia_set_input_layout(&self.layout);
        context.rs_set_state(&self.solid);
        context.vs_set_shader(&self.vs);
        context.vs_set_constant_buffers(0, [&*self.scene, &*self.object]);
        context.ps_set_shader(&self.ps);
        context.ps_set_constant_buffers(0, [&*self.scene, &*self.object]);
        for rock in &world.rocks {
            let meshes = &self.rocks[(rock.look % FORMS) as usize];
            let mesh = &meshes[usize::from(rock.size != Size::Large)];
            self.draw(context, mesh, rock.size.radius(), rock_object(rock, picture))?;
        }
        let plain = |to_world: Mat4, color: Vec3, shine: f32| Object {
            to_world,
            tint: color.extend(shine),
            rock: Vec4::ZERO,
        };
        let age = picture.view.effects.age as f32 + picture.view.ahead;
        for gift in &world.gifts {
            let place = picture.ahead(gift.position, gift.velocity) + Vec3::Z * 0.3;
            let turn = Quat::from_rotation_x(0.5) * Quat::from_rotation_z(age * 0.05);
            let color = effects::color(gift.power);
            self.draw(
                context,
                &self.crystal,
                0.6,
                plain(Mat4::from_rotation_translation(turn, place), color, 1.0),
            )?;
        }
        if let Some(saucer) = &world.saucer {
            let place = picture.ahead(saucer.position, saucer.velocity);
            let tilt = Quat::from_rotation_x(0.12 * (age * 0.07).sin()) * Quat::from_rotation_z(age * 0.04);
            let to_world = Mat4::from_rotation_translation(tilt, place);
            self.draw(
                context,
                &self.saucer,
                1.0,
                plain(to_world, Vec3::ONE, 0.8 + 0.25 * (age * 0.3).sin()),
            )?;
        }
        let ship = &world.ship;
        let is_hidden = ship.safe > 0 && !blinks(ship.safe, 6) && game.phase == Phase::Play;
        if game.phase != Phase::Title && ship.away == 0 && !is_hidden {
            let turned = (ship.turns * TURN_RATE as i32) as f32 * picture.view.ahead / 65_536.0;
            let heading = radians(ship.heading) + turned * std::f32::consts::TAU;
            let bank = Quat::from_rotation_x(-0.5 * ship.turns as f32);
            let turn = Quat::from_rotation_z(heading) * bank;
            let to_world = Mat4::from_rotation_translation(turn, picture.ahead(ship.position, ship.velocity));
            let shine = 0.6 + 0.6 * ship.burns as f32;
            self.draw(context, &self.ship, SHIP_RADIUS * 2.2, plain(to_world, Vec3::ONE, shine))?;
        }
        Ok(())
    }
}
