// SPDX-License-Identifier: MIT OR Apache-2.0
//! The observer of the scheduler and of the run at once.

use crate::account::Io;
use crate::cast::Cast;
use crate::explained::explanation;
use crate::explanation::{About, Explanation};
use crate::follower::Follower;
use crate::slow::Slowest;
use base::Op;
use bfq::why::{Decision, Observer};
use bfq::{PolicyName, Time};
use blk::{DeviceLimits, Elevator, IoError, Tag};
use device::CommandTiming;
use elevators::BuildError;
use runner::{Runner, token_parts};
use std::cell::RefCell;
use std::rc::Rc;

/// Looks at one run. Clones look at the same.
#[derive(Debug, Clone)]
pub struct Explainer {
    follower: Rc<RefCell<Follower>>,
    /// That of the request that ends next, if the device tells.
    timing: Option<CommandTiming>,
}

/// A tunable that the scheduler does not take.
pub type UnknownTunable = BuildError;

impl Explainer {
    /// An explainer of the job that `cast` is about; it keeps the `slowest` slowest I/Os.
    pub fn new(cast: Cast, slowest: usize) -> Self {
        Self::with(Slowest::new(slowest, None), cast)
    }

    /// The same, but the I/Os it keeps are those that are under way at `at_ns`.
    pub fn at(cast: Cast, at_ns: u64) -> Self {
        Self::with(Slowest::new(usize::MAX, Some(at_ns)), cast)
    }

    fn with(slowest: Slowest, cast: Cast) -> Self {
        Self { follower: Rc::new(RefCell::new(Follower::new(cast, slowest))), timing: None }
    }

    /// A scheduler by `policy` for a device, under the eyes of this explainer, with tunables set by
    /// name.
    ///
    /// # Errors
    /// If it has no such tunable, or not with such a value.
    pub fn elevator(
        &self,
        policy: PolicyName,
        limits: &DeviceLimits,
        tunables: &[(String, String)],
    ) -> Result<Box<dyn Elevator>, UnknownTunable> {
        let written: Vec<String> =
            tunables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let spec = format!("{}:{}", policy.name(), written.join(","));
        elevators::build_observed(&spec, 0, limits, self.clone())
    }

    /// The device ends the request `tag` now; `runner` has not been told yet.
    pub fn ends(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>, runner: &Runner) {
        let timing = self.timing.take();
        let mut follower = self.follower.borrow_mut();
        let layer = runner.layer();
        let is_target = |cast: &Cast, token| cast.is_target(token_parts(token).0 as u32);
        for journey in layer.journeys(tag) {
            let bio = journey.bio;
            if !journey.last || !is_target(&follower.cast, bio.token) {
                continue;
            }
            if result.is_err() {
                follower.failed += 1;
                continue;
            }
            if bio.op == Op::Flush {
                follower.flushes += 1;
                follower.flush_latency_ns += now_ns - journey.submitted_ns;
                continue;
            }
            let issued_ns = layer.pool()[tag].dispatched_ns;
            let io = Io {
                process: token_parts(bio.token).0 as u32,
                op: bio.op,
                sector: bio.sector,
                sectors: bio.sectors,
                submitted_ns: journey.submitted_ns,
                queued_ns: journey.queued_ns,
                served_ns: issued_ns,
                issued_ns,
                ended_ns: now_ns,
                queue: None,
                order: u64::MAX,
                raised: None,
            };
            let io = follower.io(tag, io);
            follower.account(io, timing.as_ref());
        }
        follower.forget_request(tag);
        let Follower { record, cast, .. } = &mut *follower;
        record.trim(|| {
            let oldest_ns = layer.oldest_submission_ns(|bio| is_target(cast, bio.token));
            oldest_ns.unwrap_or(now_ns)
        });
    }

    /// What was found out.
    pub fn explanation(&self, about: About) -> Explanation {
        explanation(&self.follower.borrow(), about)
    }
}

impl Observer for Explainer {
    fn decided(&mut self, now: Time, decision: &Decision) {
        self.follower.borrow_mut().decided(now, decision);
    }
}

impl sim::RunObserver for Explainer {
    fn watches_device(&self) -> bool {
        true
    }

    fn timed(&mut self, _: Tag, timing: CommandTiming) {
        self.timing = Some(timing);
    }

    fn ends(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>, runner: &Runner) {
        Explainer::ends(self, now_ns, tag, result, runner);
    }
}
