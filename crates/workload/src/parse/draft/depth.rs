// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the options on queue depth, calls and flows add up to.

use super::{Calls, Draft, Latency};
use crate::error::JobError;
use crate::job::{Batches, LatencyTarget, Reap};
use crate::parse::lines::Origin;

impl Draft {
    pub(super) fn finish_latency(&mut self, section: &Origin) -> Result<(), JobError> {
        let Latency { target_ns, window_ns, percentile, goes_on } = self.latency;
        if target_ns == 0 {
            self.note_extras(
                section,
                &["latency_window", "latency_percentile", "latency_run"],
                "latency_target",
            );
            return Ok(());
        }
        if window_ns == 0 {
            return Err(self
                .origin_of("latency_target", section)
                .wrong("latency_target without latency_window", "latency_window=TIME with it"));
        }
        let percentile = percentile.unwrap_or(100.0);
        self.job.latency_target = Some(LatencyTarget { target_ns, window_ns, percentile, goes_on });
        Ok(())
    }

    /// As under fio, a call takes no fewer than it waits for, 0 submitted means `iodepth`, and
    /// numbers above that count as it.
    pub(super) fn finish_calls(&mut self, section: &Origin) {
        let depth = self.job.iodepth;
        let Calls { submit, reap_least, reap_most, low } = self.calls;
        let has_effect = self.note_calls_without_effect(section);
        let mut at_most_depth = |name: &str, number: Option<u32>| {
            if number.is_some_and(|number| number > depth) && has_effect {
                let origin = self.origin_of(name, section).clone();
                let text = format!("option \"{name}\" counts as {depth}, which iodepth is");
                self.note(&origin, text);
            }
            number.map(|number| number.min(depth))
        };
        let submit = at_most_depth("iodepth_batch", submit);
        let reap_least = at_most_depth("iodepth_batch_complete_min", reap_least);
        let low = at_most_depth("iodepth_low", low);
        let least = reap_least.unwrap_or(1).max(1);
        let is_any = reap_least.or(reap_most).or(low).is_some();
        self.job.batches = Batches {
            submit: submit.map(|submit| if submit == 0 { depth } else { submit }),
            reap: is_any.then(|| Reap {
                least,
                most: reap_most.unwrap_or(least).max(least),
                low: low.filter(|&low| low > 0).unwrap_or(depth),
            }),
        };
    }

    /// Notes the first of these options that is given to a job in which they mean nothing. Whether
    /// they mean something.
    fn note_calls_without_effect(&mut self, section: &Origin) -> bool {
        let why = match (self.job.buffered, self.job.written_depth()) {
            (true, _) => "buffered I/O is reaped as it comes",
            (false, 1) => "the queue depth is 1",
            (false, _) => return true,
        };
        let options = [
            "iodepth_batch",
            "iodepth_batch_complete_min",
            "iodepth_batch_complete_max",
            "iodepth_low",
        ];
        if let Some(option) = options.into_iter().find(|option| self.is_set(option)) {
            let origin = self.origin_of(option, section).clone();
            self.note(&origin, format!("option \"{option}\" has no effect: {why}"));
        }
        false
    }

    pub(super) fn finish_flow(&mut self, section: &Origin) {
        self.job.flow = (self.flow.weight > 0).then_some(self.flow);
        if self.job.flow.is_none() {
            self.note_extras(section, &["flow_id", "flow_sleep"], "flow");
        }
    }

    /// Notes the first of these options that is given, if it means nothing without another.
    fn note_extras(&mut self, section: &Origin, extras: &[&str], without: &str) {
        if let Some(extra) = extras.iter().find(|extra| self.is_set(extra)) {
            let origin = self.origin_of(extra, section).clone();
            self.note(&origin, format!("option \"{extra}\" has no effect without {without}"));
        }
    }
}
