// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each process has got so far: I/Os, bytes, and how long they took.

use serde::Serialize;

/// The figures of a process; what is "since" is since they were last taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ProcessFigures {
    /// I/Os that have ended.
    pub ios: u64,
    /// Bytes that those I/Os moved.
    pub bytes: u64,
    /// I/Os that have ended since.
    pub ios_since: u64,
    /// All latencies of `ios_since` together, ns.
    pub latency_since_ns: u64,
    /// Within which 99 % of all its I/Os have ended, ns, to within an eighth; 0: none has.
    pub p99_ns: u64,
}

/// Classes of latencies in an octave.
const IN_OCTAVE: u64 = 8;

/// The figures of all processes.
#[derive(Debug)]
pub(crate) struct Figures(Vec<Counted>);

#[derive(Clone, Debug)]
struct Counted {
    figures: ProcessFigures,
    /// I/Os by the class of their latency.
    classes: Vec<u64>,
}

impl Figures {
    pub(crate) fn new(processes: usize) -> Figures {
        let none = Counted { figures: ProcessFigures::default(), classes: Vec::new() };
        Figures(vec![none; processes])
    }

    /// An I/O of a process has ended.
    pub(crate) fn ended(&mut self, process: usize, bytes: u64, latency_ns: u64) {
        let Some(Counted { figures, classes }) = self.0.get_mut(process) else { return };
        figures.ios += 1;
        figures.bytes += bytes;
        figures.ios_since += 1;
        figures.latency_since_ns += latency_ns;
        let class = class(latency_ns);
        if classes.len() <= class {
            classes.resize(class + 1, 0);
        }
        classes[class] += 1;
    }

    /// The figures of all processes, in their order.
    pub(crate) fn take(&mut self) -> Vec<ProcessFigures> {
        let taken = |counted: &mut Counted| {
            let figures = ProcessFigures { p99_ns: counted.p99_ns(), ..counted.figures };
            let ProcessFigures { ios, bytes, .. } = figures;
            counted.figures = ProcessFigures { ios, bytes, ..ProcessFigures::default() };
            figures
        };
        self.0.iter_mut().map(taken).collect()
    }
}

impl Counted {
    fn p99_ns(&self) -> u64 {
        let mut above = self.figures.ios / 100;
        for (class, &ios) in self.classes.iter().enumerate().rev() {
            if ios > above {
                return end_ns(class);
            }
            above -= ios;
        }
        0
    }
}

/// The class of a latency: an octave has [`IN_OCTAVE`] of the same width.
fn class(latency_ns: u64) -> usize {
    let latency_ns = latency_ns.max(IN_OCTAVE);
    let octave = u64::from(latency_ns.ilog2() - IN_OCTAVE.ilog2());
    (octave * IN_OCTAVE + (latency_ns >> octave) - IN_OCTAVE) as usize
}

/// Where a class ends, ns.
fn end_ns(class: usize) -> u64 {
    let (octave, part) = (class as u64 / IN_OCTAVE, class as u64 % IN_OCTAVE);
    (IN_OCTAVE + part + 1).saturating_mul(1 << octave) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_ends_within_an_eighth_of_what_is_in_it() {
        for latency_ns in [8, 9, 100, 1_000, 81_234, 5_000_000, 123_456_789, 99_999_999_999] {
            let end_ns = end_ns(class(latency_ns));
            assert!(end_ns >= latency_ns && end_ns - latency_ns <= latency_ns / 8, "{latency_ns}");
            assert_eq!(class(end_ns), class(latency_ns));
            assert_eq!(class(end_ns + 1), class(latency_ns) + 1);
        }
    }

    #[test]
    fn figures_are_of_all_time_and_since_they_were_taken() {
        let mut figures = Figures::new(2);
        (0..200).for_each(|_| figures.ended(1, 4096, 1_000_000));
        figures.ended(1, 4096, 50_000_000);
        let first = figures.take();
        assert_eq!(first[0], ProcessFigures::default());
        assert_eq!((first[1].ios, first[1].ios_since), (201, 201));
        assert!((1_000_000..1_125_000).contains(&first[1].p99_ns), "{first:?}");
        figures.ended(1, 4096, 2_000_000);
        let second = figures.take()[1];
        assert_eq!((second.ios, second.bytes, second.ios_since), (202, 202 * 4096, 1));
        assert_eq!(second.latency_since_ns, 2_000_000);
    }
}
