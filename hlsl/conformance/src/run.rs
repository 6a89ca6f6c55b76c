//! Runs vkd3d's tests with Onze, in the same way as vkd3d's runner for Direct3D 11.
//!
//! Core tests are those that do not use compiled shaders, doubles, or rasterizer ordered views.

mod compare;
mod draw;
mod objects;
mod probe;
mod summary;

use std::collections::BTreeMap;

use onze::{Device, DeviceDesc, DriverType, ImmediateContext, Severity, create_device};
use onze_hlsl::{Compiled, reflection::Reflection};

use crate::{
    compiler,
    engine::guarded,
    shader_test::{
        Binding, Command, Comparison, Content, InputElement, Model, Outcome, Sampler, Shader, ShaderTest,
        Stage, Step,
    },
    unit::Unit,
    vkd3d::{self, Limits, MODELS},
};

use objects::Bound;

pub use summary::{summary, totals};

const DEFAULT_TARGET: [u32; 2] = [640, 480];

/// The capabilities of a device that core tests may require.
const CAPABILITIES: [&str; 3] = ["geometry-shader", "tessellation-shader", "rt-vp-array-index"];

const UNSET: u32 = 0x7f7f_7f7f;

/// The results of a file: the number of successful draws and probes, and the failures.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FileResult {
    /// The number of successful core draws and dispatches, and the number of all of them.
    pub draws: (usize, usize),
    /// The number of core probes that read the expected values, and the number of all of them.
    pub probes: (usize, usize),
    /// The failures, each with the line of its block or command and a message.
    pub failures: Vec<(u32, String)>,
}

/// A function that compiles a shader to a module, replaced in tests of the runner.
type Compile = fn(&Unit) -> Result<Program, String>;

#[derive(Clone)]
struct Program {
    module: naga::Module,
    /// The default values of `$Globals`, if it is constant buffer 0, with [`UNSET`] for words without a
    /// default value.
    defaults: Vec<u32>,
}

/// Runs a file on a new device, and reports a panic as a failure.
pub fn run(name: &str, test: &ShaderTest) -> FileResult {
    run_with(name, test, compile)
}

fn run_with(name: &str, test: &ShaderTest, compile: Compile) -> FileResult {
    let mut result = FileResult::default();
    let ended = guarded(|| match Runner::new(name, compile) {
        Ok(mut runner) => runner.file(test, &mut result),
        Err(error) => result.failures.push((0, error)),
    });
    if let Err(panic) = ended {
        result.failures.push((0, panic));
        // The remaining draws and probes of the file did not run, so they count as failed.
        let (draws, probes) = count(test);
        result.draws.1 = result.draws.1.max(draws);
        result.probes.1 = result.probes.1.max(probes);
    }
    result
}

fn count(test: &ShaderTest) -> (usize, usize) {
    let steps = test.blocks.iter().filter_map(|block| match &block.content {
        Content::Test(steps) => Some(steps),
        _ => None,
    });
    steps.flatten().fold((0, 0), |(draws, probes), step| match step.command {
        Command::DrawQuad | Command::Draw { .. } | Command::Dispatch(_) => (draws + 1, probes),
        Command::Probe { .. } => (draws, probes + 1),
        _ => (draws, probes),
    })
}

/// A program or its compile error, or `None` until the program is compiled on first use.
type LazyProgram = Option<Result<Program, String>>;

struct Runner<'a> {
    name: &'a str,
    compile: Compile,
    device: Device,
    context: ImmediateContext,
    limits: Limits,
    model: Option<Model>,
    /// Whether Microsoft's compiler accepts the last shader and test blocks are therefore run.
    runs: bool,
    shaders: BTreeMap<u8, (u32, Shader, LazyProgram)>,
    resources: Vec<Bound>,
    samplers: BTreeMap<u32, Sampler>,
    layout: Vec<InputElement>,
    uniforms: Vec<u32>,
    viewports: BTreeMap<u32, [f32; 4]>,
    depth: Comparison,
    sample_mask: u32,
    failed: Option<String>,
    /// The texels of the last probed resource, discarded whenever a command may change a resource.
    read: Option<(Binding, u32, probe::Texels)>,
}

impl<'a> Runner<'a> {
    fn new(name: &'a str, compile: Compile) -> Result<Runner<'a>, String> {
        let desc = |driver_type| DeviceDesc { driver_type, debug: true, ..DeviceDesc::default() };
        let created = create_device(&desc(DriverType::Software))
            .or_else(|_| create_device(&desc(DriverType::Hardware)))
            .map_err(|error| format!("no device: {error}"))?;
        let (device, context) = created;
        device.info_queue().set_mute_debug_output(true);
        Ok(Runner {
            name,
            compile,
            device,
            context,
            limits: Limits::default(),
            model: Some(Model::Sm4_0),
            runs: true,
            shaders: BTreeMap::new(),
            resources: Vec::new(),
            samplers: BTreeMap::new(),
            layout: Vec::new(),
            uniforms: Vec::new(),
            viewports: BTreeMap::new(),
            depth: Comparison::Less,
            sample_mask: u32::MAX,
            failed: None,
            read: None,
        })
    }

    fn file(&mut self, test: &ShaderTest, result: &mut FileResult) {
        for block in &test.blocks {
            match &block.content {
                Content::Require(requirements) => {
                    self.limits = Limits::new(requirements);
                    self.model = MODELS.into_iter().find(|model| self.limits.allow(*model));
                }
                Content::Shader(shader) => {
                    self.runs = self.model.is_some_and(|model| shader.outcome(model) == Outcome::Success);
                    self.shaders.insert(shader.stage as u8, (block.line, shader.clone(), None));
                }
                Content::Resource(resource) if self.is_core() => {
                    if let Err(error) = self.set_resource(resource) {
                        result.failures.push((block.line, error));
                    }
                }
                Content::Sampler(sampler) => {
                    self.samplers.insert(sampler.slot, sampler.clone());
                }
                Content::InputLayout(elements) => self.layout.clone_from(elements),
                Content::Test(steps) if self.is_core() && self.runs => self.steps(steps, result),
                _ => {}
            }
        }
    }

    fn is_core(&self) -> bool {
        self.model.is_some()
            && self.limits.capabilities.iter().all(|name| CAPABILITIES.contains(&name.as_str()))
    }

    fn has(&self, stage: Stage) -> bool {
        self.shaders.contains_key(&(stage as u8))
    }

    fn steps(&mut self, steps: &[Step], result: &mut FileResult) {
        let Some(model) = self.model else { return };
        for step in steps {
            if !step.only_if.iter().all(|condition| condition.holds(model, &[])) {
                continue;
            }
            let core = self.shaders.values().all(|(_, shader, _)| shader.binary.is_none());
            let done = if core { self.step(&step.command) } else { Ok(()) };
            let counted = match &step.command {
                Command::DrawQuad | Command::Draw { .. } | Command::Dispatch(_) => Some(&mut result.draws),
                Command::Probe { .. } => Some(&mut result.probes),
                _ => None,
            };
            if let Some((passed, all)) = counted.filter(|_| core) {
                *all += 1;
                *passed += usize::from(done.is_ok());
            }
            if let Err(error) = done {
                result.failures.push((step.line, error));
            }
        }
    }

    fn step(&mut self, command: &Command) -> Result<(), String> {
        if !matches!(command, Command::Probe { .. }) {
            self.read = None;
        }
        match command {
            Command::Uniform { offset, words } => {
                let end = (*offset as usize + words.len()).next_multiple_of(4);
                if self.uniforms.len() < end {
                    self.uniforms.resize(end, UNSET);
                }
                self.uniforms[*offset as usize..][..words.len()].copy_from_slice(words);
                Ok(())
            }
            Command::ClearRenderTarget { slot, color } => {
                self.set_default_target()?;
                self.clear(Binding::RenderTarget(*slot), *color)
            }
            Command::ClearDepth(depth) => self.clear(Binding::DepthStencil, [*depth; 4]),
            Command::Depth(comparison) => {
                self.depth = *comparison;
                Ok(())
            }
            Command::SampleMask(mask) => {
                self.sample_mask = *mask;
                Ok(())
            }
            Command::Viewport { index, rectangle } => {
                self.viewports.insert(*index, *rectangle);
                Ok(())
            }
            Command::DrawQuad | Command::Draw { .. } | Command::Dispatch(_) => {
                let done = self.render(command).and_then(|()| self.complaints());
                self.failed = done.clone().err();
                done
            }
            Command::Copy { from, to } => self.copy(*from, *to).and_then(|()| self.complaints()),
            Command::Probe { from, area, expected, ulps } => match &self.failed {
                Some(_) => Err("its draw failed".to_owned()),
                None => self.probe(*from, *area, expected, *ulps),
            },
            Command::Other(text) => Err(format!("not a command of Direct3D 11: {text}")),
        }
    }

    /// Returns the first error that the runtime reported since the last call.
    fn complaints(&mut self) -> Result<(), String> {
        let messages = self.device.info_queue().take();
        let error = messages
            .iter()
            .find(|message| matches!(message.severity, Severity::Error | Severity::Corruption));
        match error {
            Some(message) => Err(format!("onze: {}", message.description)),
            None => Ok(()),
        }
    }

    fn program(&mut self, stage: Stage) -> Result<Program, String> {
        let (unit, compile) = (self.unit(stage)?, self.compile);
        let Some((.., code)) = self.shaders.get_mut(&(stage as u8)) else {
            return Err(format!("the test has no {stage:?} shader"));
        };
        let code = code.get_or_insert_with(|| guarded(|| compile(&unit)).unwrap_or_else(Err));
        code.clone()
    }

    fn unit(&self, stage: Stage) -> Result<Unit, String> {
        let (Some(model), options) = (self.model, self.limits.options) else {
            return Err("the requirements allow no model of Direct3D 11".to_owned());
        };
        let Some((line, shader, _)) = self.shaders.get(&(stage as u8)) else {
            return Err(format!("the test has no {stage:?} shader"));
        };
        Ok(vkd3d::unit(self.name, *line, shader, model, options))
    }
}

fn compile(unit: &Unit) -> Result<Program, String> {
    match compiler::compile(unit) {
        Ok(Compiled { module, reflection, .. }) => Ok(Program { module, defaults: defaults(&reflection) }),
        Err(errors) => {
            let first = errors.errors().next();
            Err(first
                .map_or_else(String::new, |error| format!("X{}: {}", error.code.number(), error.message)))
        }
    }
}

/// Returns the words of `$Globals` if it is constant buffer 0 and a variable has a default value.
fn defaults(reflection: &Reflection) -> Vec<u32> {
    const NAME: &str = "$Globals";
    let is_first = reflection.resource(NAME).is_some_and(|resource| resource.slot == 0);
    let Some(globals) = reflection.constant_buffer(NAME).filter(|_| is_first) else { return Vec::new() };
    let mut bytes: Vec<_> = (0..globals.size / 4).flat_map(|_| UNSET.to_le_bytes()).collect();
    let mut any = false;
    for variable in &globals.variables {
        let Some(value) = &variable.default_value else { continue };
        any = true;
        let offset = variable.offset as usize;
        if let Some(place) = bytes.get_mut(offset..offset + value.len()) {
            place.copy_from_slice(value);
        }
    }
    let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
    if any { words.collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests;
