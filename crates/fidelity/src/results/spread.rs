// SPDX-License-Identifier: MIT OR Apache-2.0
//! A job as recorded, and as simulated in several orders of simultaneous events.

use super::comparison::Comparison;
use super::figures::{FIGURES, Figure, Figures};
use super::recording::Recording;
use base::Interval;

/// A job as recorded, and as simulated in several orders.
#[derive(Clone, Debug, PartialEq)]
pub struct SpreadComparison {
    /// What the kernel did.
    pub recorded: Recording,
    /// What the simulation did, once for each order.
    pub orders: Vec<Figures>,
    /// Whether the scenario was known to be chaotic; its mean latencies are not judged.
    pub chaotic: bool,
}

/// Where a recorded value lies, the best first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Proximity {
    /// Between the least and the greatest simulated one.
    Inside,
    /// Not between them, but as near to one of them as figures that agree are.
    Near,
    /// Neither inside nor near.
    Outside,
}

impl SpreadComparison {
    /// Puts together what was compared in each of the orders, line by line.
    pub(super) fn of_orders(orders: &[Vec<Comparison>]) -> Vec<SpreadComparison> {
        let Some(first) = orders.first() else { return Vec::new() };
        let line = |index: usize| SpreadComparison {
            recorded: first[index].recorded.clone(),
            orders: orders.iter().map(|lines| lines[index].simulated.clone()).collect(),
            chaotic: first[index].recorded.case().is_chaotic(),
        };
        (0..first.len()).map(line).collect()
    }

    /// The least, the middle (of an even number the upper of the two) and the greatest value
    /// of a figure.
    ///
    /// # Panics
    /// Without any order.
    pub fn spread(&self, figure: &Figure) -> Interval {
        let mut values: Vec<f64> = self.orders.iter().map(figure.simulated).collect();
        values.sort_by(f64::total_cmp);
        Interval {
            low: values[0],
            median: values[values.len() / 2],
            high: values[values.len() - 1],
        }
    }

    /// Where the recorded value of a figure lies.
    pub fn proximity_of(&self, figure: &Figure) -> Proximity {
        let recorded = (figure.recorded)(&self.recorded);
        let Interval { low, high, .. } = self.spread(figure);
        let tolerance = figure.tolerance(recorded);
        if (low..=high).contains(&recorded) {
            Proximity::Inside
        } else if (low - tolerance..=high + tolerance).contains(&recorded) {
            Proximity::Near
        } else {
            Proximity::Outside
        }
    }

    /// The worst place of throughput, share, mean latency and start-up, of those that count. In
    /// chaotic scenarios the mean latency does not: it hangs on which of few very long waits the
    /// end cuts off.
    pub fn proximity(&self) -> Proximity {
        let [throughput, share, latency, start_up] = &FIGURES;
        let latency = Some(latency).filter(|_| !self.chaotic);
        let judged = [throughput, share, start_up].into_iter().chain(latency);
        let judged = judged.filter(|figure| figure.is_judged(&self.recorded));
        judged.map(|figure| self.proximity_of(figure)).max().unwrap_or(Proximity::Inside)
    }
}
