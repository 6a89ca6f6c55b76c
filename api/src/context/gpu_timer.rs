//! Measurement of the GPU time of passes, with timestamp queries for several frames in flight.

use onze_ddi::{Features, TimestampDisjoint};

use super::ImmediateContext;
use crate::{
    objects::{Device, TypedQuery},
    report::Error,
};

/// Maximum number of frames whose results may be pending. Usually three are pending, and if all sets are in
/// use, a frame is not measured.
const SETS: usize = 4;

/// Weight of the newest frame in an average, because with 0.1, an average settles within about 20 frames.
const NEW: f32 = 0.1;

/// Measures the GPU time of each pass of a frame, averaged over several frames, without waiting for the GPU.
///
/// The timer uses a ring of timestamp queries (`D3D11_QUERY_TIMESTAMP` and `D3D11_QUERY_TIMESTAMP_DISJOINT`).
/// The results are a few frames old, because the GPU runs later than the application, and they are moving
/// averages, because single frames vary. A frame during which the clock frequency was not stable is ignored.
/// Without [`Features::TIMESTAMPS`] the timer measures nothing and [`times`](Self::times) stays empty.
///
/// ```
/// # use onze::{GpuTimer, prelude::*};
/// # fn main() -> Result<(), onze::Error> {
/// # let (device, mut context) = create_device(&DeviceDesc { driver_type: DriverType::Null, ..Default::default() })?;
/// let mut timer = GpuTimer::new(&device);
/// # for _ in 0..3 {
/// // In each frame:
/// timer.begin(&mut context)?;
/// // ... draws the shadow map, and then:
/// timer.end_pass(&mut context, "shadows")?;
/// // ... draws the scene, and then:
/// timer.end_pass(&mut context, "scene")?;
/// timer.end(&mut context);
///
/// for time in timer.times() {
///     println!("{}: {:.2} ms", time.name, time.milliseconds);
/// }
/// # context.flush();
/// # }
/// # assert_eq!(timer.times().len(), 2);
/// # Ok(())
/// # }
/// ```
#[doc(alias = "D3D11_QUERY_TIMESTAMP")]
#[doc(alias = "D3D11_QUERY_TIMESTAMP_DISJOINT")]
#[derive(Debug)]
pub struct GpuTimer {
    /// The device, or `None` if it has no timestamps.
    device: Option<Device>,
    sets: Vec<QuerySet>,
    /// The set that measures the frame between `begin` and `end`.
    open: Option<usize>,
    /// The oldest set in flight, which is tried first for the next frame.
    next: usize,
    times: Vec<GpuTime>,
}

/// The average GPU time that a named pass takes.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct GpuTime {
    /// The name that was passed to [`GpuTimer::end_pass`].
    pub name: &'static str,
    /// Milliseconds, as a moving average over frames.
    pub milliseconds: f32,
}

#[derive(Debug)]
struct QuerySet {
    disjoint: TypedQuery<TimestampDisjoint>,
    /// One timestamp before the first pass and one after each pass, enough for the frame with the most passes
    /// so far.
    stamps: Vec<TypedQuery<u64>>,
    /// Names of the frame's passes, for which the queries `stamps[..=names.len()]` were ended.
    names: Vec<&'static str>,
    /// True if the queries were ended and their results are still unread.
    in_flight: bool,
}

impl QuerySet {
    fn new(device: &Device) -> Result<Self, Error> {
        let disjoint = device.create_timestamp_disjoint_query()?;
        let stamps = vec![device.create_timestamp_query()?];
        Ok(Self { disjoint, stamps, names: Vec::new(), in_flight: false })
    }

    /// Returns the time of each pass, `None` if the results are pending, or an empty list if the clock
    /// frequency was not stable.
    fn read(&mut self, context: &mut ImmediateContext) -> Result<Option<Vec<GpuTime>>, Error> {
        let Some(clock) = context.get_data(&self.disjoint, true)? else { return Ok(None) };
        let mut ticks = Vec::with_capacity(self.stamps.len());
        for stamp in self.stamps.iter().take(self.names.len() + 1) {
            let Some(at) = context.get_data(stamp, true)? else { return Ok(None) };
            ticks.push(at);
        }
        self.in_flight = false;
        if clock.disjoint || clock.frequency == 0 {
            return Ok(Some(Vec::new()));
        }
        let pairs = ticks.windows(2).zip(&self.names);
        Ok(Some(pairs.map(|(pair, name)| pass_time(name, pair, clock.frequency)).collect()))
    }
}

/// Returns the time between two timestamps, or 0 if the counter wrapped around.
fn pass_time(name: &'static str, ticks: &[u64], frequency: u64) -> GpuTime {
    let elapsed = match *ticks {
        [from, to] => to.saturating_sub(from),
        _ => 0,
    };
    GpuTime { name, milliseconds: (elapsed as f64 * 1e3 / frequency as f64) as f32 }
}

/// Updates the averages with the times of a frame. The average of a new pass starts with its first time, and
/// a pass that is not in the frame is removed.
fn average(times: &mut Vec<GpuTime>, frame: Vec<GpuTime>) {
    let before = std::mem::replace(times, frame);
    for time in times {
        if let Some(old) = before.iter().find(|old| old.name == time.name) {
            time.milliseconds = (1.0 - NEW) * old.milliseconds + NEW * time.milliseconds;
        }
    }
}

impl GpuTimer {
    /// Creates a timer, whose queries are created in the first frames that need them.
    pub fn new(device: &Device) -> Self {
        let has = device.check_feature_support().features.contains(Features::TIMESTAMPS);
        Self { device: has.then(|| device.clone()), sets: Vec::new(), open: None, next: 0, times: Vec::new() }
    }

    /// Begins a frame and reads the results that have arrived, after ending a previous frame that is still
    /// open.
    ///
    /// # Errors
    /// [`Error::DeviceRemoved`] if the device was removed. If the frame needs more queries, also returns the
    /// errors of [`create_query`](Device::create_query).
    pub fn begin(&mut self, context: &mut ImmediateContext) -> Result<(), Error> {
        self.end(context);
        let Some(device) = &self.device else { return Ok(()) };
        // Reads the oldest set first, so that the newest result is added to the average last.
        for offset in 0..self.sets.len() {
            let at = (self.next + offset) % self.sets.len();
            if self.sets[at].in_flight {
                match self.sets[at].read(context)? {
                    Some(frame) if !frame.is_empty() => average(&mut self.times, frame),
                    Some(_) => {}
                    None => break,
                }
            }
        }
        if self.sets.len() < SETS && self.sets.iter().all(|set| set.in_flight) {
            // The new set is used next, followed by the oldest set.
            self.sets.insert(self.next, QuerySet::new(device)?);
        }
        let set = &mut self.sets[self.next];
        if !set.in_flight {
            set.names.clear();
            context.begin(&set.disjoint);
            if let Some(stamp) = set.stamps.first() {
                context.end(stamp);
            }
            self.open = Some(self.next);
            self.next = (self.next + 1) % self.sets.len();
        }
        Ok(())
    }

    /// Ends a pass, which started at the end of the previous pass or at the beginning of the frame. Outside
    /// of a frame, the call has no effect.
    ///
    /// Each pass of a frame needs a different name.
    ///
    /// # Errors
    /// Returns the same errors as [`begin`](Self::begin).
    pub fn end_pass(&mut self, context: &mut ImmediateContext, name: &'static str) -> Result<(), Error> {
        let (Some(device), Some(open)) = (&self.device, self.open) else { return Ok(()) };
        let Some(set) = self.sets.get_mut(open) else { return Ok(()) };
        let at = set.names.len() + 1;
        if set.stamps.len() == at {
            set.stamps.push(device.create_timestamp_query()?);
        }
        context.end(&set.stamps[at]);
        set.names.push(name);
        Ok(())
    }

    /// Ends the frame, so that its results can be read later.
    pub fn end(&mut self, context: &mut ImmediateContext) {
        if let Some(set) = self.open.take().and_then(|open| self.sets.get_mut(open)) {
            context.end(&set.disjoint);
            set.in_flight = true;
        }
    }

    /// Returns the average time of each pass in the latest measured frame, in the order of the passes, or an
    /// empty result until measurements arrive.
    pub fn times(&self) -> &[GpuTime] {
        &self.times
    }

    /// Returns the average time of a pass in milliseconds, or `None` if the latest measured frame does not
    /// contain the pass.
    pub fn milliseconds(&self, name: &str) -> Option<f32> {
        self.times.iter().find(|time| time.name == name).map(|time| time.milliseconds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_follow_passes_by_name() {
        let time = |name, milliseconds| GpuTime { name, milliseconds };
        let mut times = Vec::new();
        average(&mut times, vec![time("a", 1.0), time("b", 4.0)]);
        assert_eq!(times, [time("a", 1.0), time("b", 4.0)]);
        average(&mut times, vec![time("new", 7.0), time("b", 14.0)]);
        assert_eq!(times, [time("new", 7.0), time("b", 5.0)]);
    }

    #[test]
    fn ticks_become_milliseconds() {
        let times = [([1_000, 3_500], 2.5), ([5, 5], 0.0), ([9, 2], 0.0)];
        for (ticks, milliseconds) in times {
            assert_eq!(pass_time("pass", &ticks, 1_000_000), GpuTime { name: "pass", milliseconds });
        }
    }
}
