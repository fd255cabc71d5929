// SPDX-License-Identifier: MIT OR Apache-2.0
//! Looks at a run from inside, for what is to be drawn of it.

use crate::figures::{Figures, ProcessFigures};
use base::SECTOR_BYTES;
use bfq::Time;
use bfq::why::{Decision, Observer};
use blk::{IoError, Tag};
use explain::{Cast, TimelineRecorder};
use report::timeline::Timeline;
use runner::{Runner, token_parts};
use sim::RunObserver;
use std::cell::RefCell;
use std::rc::Rc;

/// Looks at a run. Clones look at the same.
#[derive(Clone, Debug)]
pub(crate) struct Live {
    timeline: TimelineRecorder,
    figures: Rc<RefCell<Figures>>,
}

impl Live {
    pub(crate) fn new(cast: Cast) -> Live {
        let figures = Figures::new(cast.process_names().len());
        Live { timeline: TimelineRecorder::of_all(cast), figures: Rc::new(RefCell::new(figures)) }
    }

    /// What there is to draw since it was last taken.
    pub(crate) fn take(&self, now_ns: u64) -> (Option<Timeline>, Vec<ProcessFigures>) {
        (self.timeline.take(now_ns), self.figures.borrow_mut().take())
    }
}

impl Observer for Live {
    fn decided(&mut self, now: Time, decision: &Decision) {
        self.timeline.decided(now, decision);
    }
}

impl RunObserver for Live {
    fn ends(&mut self, now_ns: u64, tag: Tag, result: Result<(), IoError>, runner: &Runner) {
        let mut figures = self.figures.borrow_mut();
        for journey in runner.layer().journeys(tag).filter(|journey| journey.last) {
            let (process, _) = token_parts(journey.bio.token);
            let bytes = u64::from(journey.bio.sectors) * SECTOR_BYTES;
            figures.ended(process, bytes, now_ns - journey.submitted_ns);
        }
        RunObserver::ends(&mut self.timeline, now_ns, tag, result, runner);
    }
}
