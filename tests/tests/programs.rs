//! Random programs of maps, updates, copies and lists, compared with a sequential model.
//!
//! The model follows Direct3D 11. Commands take effect in order, and the commands of a list, including its
//! maps, take effect when the list is executed.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on ends with a panic")]

use onze::prelude::*;
use onze_tests::{Harness, Random, matrix, on_each};

const SIZE: usize = 48;
/// Number of dynamic buffers, which come before all buffers with default usage. Each of the two groups
/// contains a constant buffer.
const DYNAMIC: usize = 3;
/// Number of buffers of [`SIZE`] bytes.
const BUFFERS: usize = 6;
/// Number of textures, with 4 x 3 texels of one byte. The first texture is dynamic, and all other textures
/// have default usage.
const TEXTURES: usize = 3;
const WIDTH: usize = 4;
const TEXELS: usize = 12;

#[derive(Clone, Debug)]
enum Command {
    Discard(usize, Vec<u8>),
    NoOverwrite(usize, usize, Vec<u8>),
    Update(usize, Vec<u8>),
    UpdateBox(usize, usize, Vec<u8>),
    Copy(usize, usize),
    CopyRegion { to: usize, at: usize, from: usize, start: usize, end: usize },
    DiscardTexture(Vec<u8>),
    UpdateTexture { texture: usize, left: usize, top: usize, right: usize, bottom: usize, data: Vec<u8> },
    CopyTexture(usize, usize),
    CopyTextureRegion { to: usize, at: (usize, usize), from: usize, rect: (usize, usize, usize, usize) },
    Execute(usize, bool),
}

#[derive(Clone, Debug, PartialEq)]
struct Memory {
    buffers: Vec<Vec<u8>>,
    textures: Vec<Vec<u8>>,
}

impl Memory {
    fn run(&mut self, command: &Command, lists: &[Vec<Command>]) {
        match command {
            Command::Discard(buffer, data) | Command::Update(buffer, data) => {
                self.buffers[*buffer].copy_from_slice(data);
            }
            Command::NoOverwrite(buffer, at, data) | Command::UpdateBox(buffer, at, data) => {
                self.buffers[*buffer][*at..*at + data.len()].copy_from_slice(data);
            }
            Command::Copy(to, from) => self.buffers[*to] = self.buffers[*from].clone(),
            Command::CopyRegion { to, at, from, start, end } => {
                let data = self.buffers[*from][*start..*end].to_vec();
                self.buffers[*to][*at..*at + data.len()].copy_from_slice(&data);
            }
            Command::DiscardTexture(data) => self.textures[0].copy_from_slice(data),
            Command::UpdateTexture { texture, left, top, right, bottom, data } => {
                self.write((*texture, *left, *top), right - left, bottom - top, data);
            }
            Command::CopyTexture(to, from) => self.textures[*to] = self.textures[*from].clone(),
            Command::CopyTextureRegion { to, at, from, rect: (left, top, right, bottom) } => {
                let rows =
                    (*top..*bottom).map(|y| &self.textures[*from][y * WIDTH + left..y * WIDTH + right]);
                let data = rows.collect::<Vec<_>>().concat();
                self.write((*to, at.0, at.1), right - left, bottom - top, &data);
            }
            Command::Execute(list, _) => lists[*list].iter().for_each(|c| self.run(c, lists)),
        }
    }

    fn write(&mut self, (texture, x, y): (usize, usize, usize), width: usize, height: usize, data: &[u8]) {
        for row in 0..height {
            let at = (y + row) * WIDTH + x;
            self.textures[texture][at..at + width].copy_from_slice(&data[row * width..(row + 1) * width]);
        }
    }
}

struct Resources {
    buffers: Vec<Buffer>,
    textures: Vec<Texture2d>,
}

impl Resources {
    fn new(device: &Device) -> Self {
        use BindFlags as B;
        let flags = [B::VERTEX_BUFFER, B::CONSTANT_BUFFER, B::INDEX_BUFFER];
        let buffer = |i: usize| {
            let make = if i < DYNAMIC { BufferDesc::dynamic } else { BufferDesc::new };
            device.create_buffer(&make(SIZE as u32, flags[i % 3]), None).unwrap()
        };
        let texture = |i| {
            let mut desc = Texture2dDesc { mip_levels: 1, ..Texture2dDesc::new(Format::R8_UNORM, 4, 3) };
            if i == 0 {
                (desc.usage, desc.cpu_access_flags) = (Usage::Dynamic, CpuAccessFlags::WRITE);
            }
            device.create_texture_2d(&desc, None).unwrap()
        };
        Self { buffers: (0..BUFFERS).map(buffer).collect(), textures: (0..TEXTURES).map(texture).collect() }
    }

    fn run(&self, cx: &mut DeviceContext, command: &Command, lists: &[CommandList]) {
        match command {
            Command::Discard(buffer, data) => {
                cx.map(&self.buffers[*buffer], 0, MapType::WriteDiscard).unwrap().copy_from_slice(data);
            }
            Command::NoOverwrite(buffer, at, data) => {
                let mut mapped = cx.map(&self.buffers[*buffer], 0, MapType::WriteNoOverwrite).unwrap();
                mapped.write_slice(*at, data);
            }
            Command::Update(buffer, data) => {
                cx.update_subresource(&self.buffers[*buffer], 0, None, data, 0, 0);
            }
            Command::UpdateBox(buffer, at, data) => {
                let range = Box3d::bytes(*at as u32..(*at + data.len()) as u32);
                cx.update_subresource(&self.buffers[*buffer], 0, Some(range), data, 0, 0);
            }
            Command::Copy(to, from) => cx.copy_resource(&self.buffers[*to], &self.buffers[*from]),
            Command::CopyRegion { to, at, from, start, end } => {
                let range = Box3d::bytes(*start as u32..*end as u32);
                let (to, from) = (&self.buffers[*to], &self.buffers[*from]);
                cx.copy_subresource_region(to, 0, [*at as u32, 0, 0], from, 0, Some(range));
            }
            Command::DiscardTexture(data) => {
                let mut mapped = cx.map(&self.textures[0], 0, MapType::WriteDiscard).unwrap();
                let pitch = mapped.row_pitch() as usize;
                data.chunks(WIDTH).zip(0..).for_each(|(row, y)| mapped.write_slice(y * pitch, row));
            }
            Command::UpdateTexture { texture, left, top, right, bottom, data } => {
                let rect = Box3d::rect(*left as u32, *top as u32, *right as u32, *bottom as u32);
                let pitch = (right - left) as u32;
                cx.update_subresource(&self.textures[*texture], 0, Some(rect), data, pitch, 0);
            }
            Command::CopyTexture(to, from) => cx.copy_resource(&self.textures[*to], &self.textures[*from]),
            Command::CopyTextureRegion { to, at, from, rect: (left, top, right, bottom) } => {
                let rect = Box3d::rect(*left as u32, *top as u32, *right as u32, *bottom as u32);
                let (to, from) = (&self.textures[*to], &self.textures[*from]);
                cx.copy_subresource_region(to, 0, [at.0 as u32, at.1 as u32, 0], from, 0, Some(rect));
            }
            Command::Execute(list, restore) => cx.execute_command_list(&lists[*list], *restore),
        }
    }

    fn read(&self, h: &mut Harness) -> Memory {
        Memory {
            buffers: self.buffers.iter().map(|b| h.immediate.read_buffer(b).unwrap()).collect(),
            textures: self.textures.iter().map(|t| h.read(t, 0)).collect(),
        }
    }
}

struct Author<'a> {
    random: &'a mut Random,
    deferred: bool,
    /// For each dynamic buffer that NO_OVERWRITE may map: the bytes that commands already use.
    fresh: [Option<[bool; SIZE]>; DYNAMIC],
    lists: usize,
}

impl Author<'_> {
    fn command(&mut self) -> Command {
        let random = &mut *self.random;
        let buffer = random.below(BUFFERS as u32) as usize;
        let default = random.range(DYNAMIC as u32..BUFFERS as u32) as usize;
        let other = (buffer + 1 + random.below(BUFFERS as u32 - 1) as usize) % BUFFERS;
        let texture = random.below(TEXTURES as u32) as usize;
        match random.below(if self.lists > 0 { 12 } else { 9 }) {
            0 => {
                let dynamic = buffer % DYNAMIC;
                self.fresh[dynamic] = Some([false; SIZE]);
                Command::Discard(dynamic, random.bytes(SIZE))
            }
            1 => self.no_overwrite(buffer % DYNAMIC),
            2 => Command::Update(default, random.bytes(SIZE)),
            // Constant buffers can only be updated as a whole.
            3 if default % 3 != 1 => {
                let (start, end) = self.span(SIZE);
                let data = self.random.bytes(end - start);
                Command::UpdateBox(default, start, data)
            }
            4 => {
                self.uses(buffer, 0..SIZE);
                self.uses(other, 0..SIZE);
                Command::Copy(buffer, other)
            }
            3 | 5 => {
                let (start, end) = self.span(SIZE);
                let at = self.random.below((SIZE - (end - start) + 1) as u32) as usize;
                self.uses(buffer, at..at + end - start);
                self.uses(other, start..end);
                Command::CopyRegion { to: buffer, at, from: other, start, end }
            }
            6 => Command::DiscardTexture(random.bytes(TEXELS)),
            7 => {
                let ((left, right), (top, bottom)) = (self.span(WIDTH), self.span(TEXELS / WIDTH));
                let data = self.random.bytes((right - left) * (bottom - top));
                Command::UpdateTexture { texture: 1 + texture % 2, left, top, right, bottom, data }
            }
            8 => {
                let from = (texture + 1) % TEXTURES;
                if self.random.one_in(3) {
                    return Command::CopyTexture(texture, from);
                }
                let ((left, right), (top, bottom)) = (self.span(WIDTH), self.span(TEXELS / WIDTH));
                let x = self.random.below((WIDTH - (right - left) + 1) as u32) as usize;
                let y = self.random.below((TEXELS / WIDTH - (bottom - top) + 1) as u32) as usize;
                Command::CopyTextureRegion { to: texture, at: (x, y), from, rect: (left, top, right, bottom) }
            }
            _ => {
                // The commands of a list are not inspected, so all bytes are assumed to be used.
                (0..DYNAMIC).for_each(|d| self.uses(d, 0..SIZE));
                Command::Execute(self.random.below(self.lists as u32) as usize, self.random.one_in(2))
            }
        }
    }

    fn span(&mut self, size: usize) -> (usize, usize) {
        let start = self.random.below(size as u32) as usize;
        (start, start + 1 + self.random.below((size - start) as u32) as usize)
    }

    fn uses(&mut self, buffer: usize, range: std::ops::Range<usize>) {
        if let Some(Some(used)) = self.fresh.get_mut(buffer) {
            used[range].fill(true);
        }
    }

    /// Writes only bytes that no earlier command uses, as Direct3D 11 requires of the application.
    fn no_overwrite(&mut self, dynamic: usize) -> Command {
        let (start, end) = self.span(SIZE);
        match self.fresh[dynamic] {
            Some(used) if !used[start..end].contains(&true) => {
                Command::NoOverwrite(dynamic, start, self.random.bytes(end - start))
            }
            _ => {
                self.fresh[dynamic] = Some([false; SIZE]);
                Command::Discard(dynamic, self.random.bytes(SIZE))
            }
        }
    }

    /// The GPU has completed all commands, so the application may write all bytes. A deferred context never
    /// knows this.
    fn synchronized(&mut self) {
        if !self.deferred {
            self.fresh = [Some([false; SIZE]); DYNAMIC];
        }
    }
}

fn run_program(h: &mut Harness, seed: u64) {
    let random = &mut Random::new(seed);
    let resources = Resources::new(&h.device);
    let mut memory =
        Memory { buffers: vec![vec![0; SIZE]; BUFFERS], textures: vec![vec![0; TEXELS]; TEXTURES] };
    let (mut lists, mut programs): (Vec<CommandList>, Vec<Vec<Command>>) = Default::default();
    let mut deferred = h.device.create_deferred_context().unwrap();
    let mut fresh = [Some([false; SIZE]); DYNAMIC];
    let mut log = Vec::new();
    for _ in 0..60 {
        if random.one_in(6) {
            let mut author = Author { random, deferred: true, fresh: [None; DYNAMIC], lists: lists.len() };
            let program: Vec<_> = (0..10).map(|_| author.command()).collect();
            program.iter().for_each(|command| resources.run(&mut deferred, command, &lists));
            lists.push(deferred.finish_command_list(random.one_in(2)).unwrap());
            log.push(format!("list {}: {program:?}", programs.len()));
            programs.push(program);
        }
        let mut author = Author { random, deferred: false, fresh, lists: lists.len() };
        let command = author.command();
        fresh = author.fresh;
        log.push(format!("{command:?}"));
        resources.run(&mut h.immediate, &command, &lists);
        memory.run(&command, &programs);
        if random.one_in(12) {
            assert_eq!(resources.read(h), memory, "seed {seed} after {:#?}", log);
            let mut author = Author { random, deferred: false, fresh, lists: 0 };
            author.synchronized();
            fresh = author.fresh;
        } else if random.one_in(10) {
            h.immediate.flush();
        }
    }
    assert_eq!(resources.read(h), memory, "seed {seed} after {:#?}", log);
    h.assert_silent();
}

#[test]
fn random_programs_match_the_model() {
    on_each(&matrix(), |h| (0..12).for_each(|seed| run_program(h, seed)));
}
