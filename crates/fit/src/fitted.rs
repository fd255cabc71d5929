// SPDX-License-Identifier: MIT OR Apache-2.0
//! What comes out: the profile as a file, and what it plays beside what was measured.

use super::characterise::{Characteristics, Measured};
use super::draft::{Draft, Line};
use super::error::FitError;
use super::facts::Facts;
use super::figure::simulated;
use super::knobs::{knobs, rounded};
use super::trials::AccessPattern;
use base::text::{iops, megabytes, time};
use device::measure::Measurement;
use device::{ModelKind, Quantity, Tolerance};
use std::fmt;

/// No figure is said to be known better than this, in percent.
const LEAST_TOLERANCE_PERCENT: f64 = 2.0;
/// A miss that the table points out, in percent.
const MISS_PERCENT: f64 = 10.0;

/// A figure of the real disk and of the simulated one.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The figure as measured on the real disk.
    pub measured: Measured,
    /// What the profile plays: bytes or operations a second.
    pub simulated: f64,
}

impl Compared {
    /// The simulated figure divided by the measured one; 1 is a perfect fit.
    pub fn ratio(&self) -> f64 {
        self.simulated / self.measured.value
    }
}

/// A profile that was fitted.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The text of the profile.
    pub text: String,
    /// The built-in profile from which came what cannot be measured.
    pub nearest: String,
    /// Which model was chosen.
    pub model: ModelKind,
    /// All figures, measured and simulated.
    pub compared: Vec<Compared>,
    /// Whether the search was ended before its end, so that a nearer profile may be found.
    pub ended_early: bool,
}

impl Fitted {
    pub(super) fn new(
        facts: &Facts,
        measured: &Characteristics,
        draft: &Draft,
        model: ModelKind,
        nearest: &str,
    ) -> Result<Fitted, FitError> {
        let profile = draft.profile(nearest)?;
        let compared = measured.figures.iter().map(|figure| {
            let simulated = simulated(&profile, measured.span_bytes, figure)?;
            Ok(Compared { measured: figure.clone(), simulated })
        });
        let compared = compared.collect::<Result<Vec<_>, FitError>>()?;
        let mut draft = draft.clone();
        draft.description = facts.description.clone();
        draft.remarks = remarks(facts, measured, nearest);
        explain(&mut draft, facts, measured, model, &compared);
        draft.expectations = expectations(facts, measured, model);
        draft.profile(nearest)?;
        let (text, nearest) = (draft.to_string(), nearest.to_owned());
        Ok(Fitted { text, nearest, model, compared, ended_early: false })
    }

    /// The root of the mean square of the misses: 0.1 is off by 10 % on the average.
    pub fn error(&self) -> f64 {
        let squares: f64 = self.compared.iter().map(|row| row.ratio().ln().powi(2)).sum();
        (squares / self.compared.len().max(1) as f64).sqrt()
    }
}

fn remarks(facts: &Facts, measured: &Characteristics, nearest: &str) -> Vec<String> {
    let Characteristics { span_bytes, knee, rounds, .. } = measured;
    let percent = 100.0 * *span_bytes as f64 / facts.capacity_bytes.max(1) as f64;
    let mut remarks: Vec<String> = measured.doubt().into_iter().collect();
    remarks.extend([
        format!("Made by bfq bench --fit on {}, from {rounds} rounds.", facts.date),
        format!(
            "Measured on {:.1} GB, {percent:.1} % of the disk. What the host itself costs for each \
             request is part of all figures.",
            *span_bytes as f64 / 1e9
        ),
        format!("What could not be measured is as in {nearest}."),
        format!(
            "Random reads: nine tenths of the most, {:.0} a second, at {} in flight.",
            knee.most_per_second, knee.depth
        ),
    ]);
    if let Some(steady) = measured.steady {
        let (bytes_gb, first, last) = (steady.bytes as f64 / 1e9, steady.first, steady.last);
        let fell = match steady.fell_after_bytes {
            Some(bytes) => format!("fell for good after {:.2} GB", bytes as f64 / 1e9),
            None => "did not fall for good; what comes later was not seen".to_owned(),
        };
        remarks.push(format!(
            "Writing {bytes_gb:.2} GB in a row: {:.0} MB/s at first, {:.0} MB/s at last; it \
                {fell}.",
            first / 1e6,
            last / 1e6
        ));
    }
    remarks
}

/// Says of each fitted value which figure tells about it, and how far that can be trusted.
fn explain(
    draft: &mut Draft,
    facts: &Facts,
    measured: &Characteristics,
    model: ModelKind,
    compared: &[Compared],
) {
    let date = &facts.date;
    for knob in knobs(model, measured) {
        let Some(row) = compared.iter().find(|row| row.measured.trial.name == knob.told_by) else {
            continue;
        };
        let miss_percent = 100.0 * (row.ratio() - 1.0).abs();
        let tolerance = tolerance(row.measured.spread_percent().max(miss_percent));
        let source = format!("fitted to {}, measured by bfq bench on {date}", knob.told_by);
        for name in knob.values {
            draft.explain(name, &source, tolerance);
        }
    }
    if measured.figure("sequential_read_inner").is_none() {
        let source = "assumed; the outer rate, less by as much as in the profile begun with";
        draft.explain("media_rate_inner", source, Tolerance::Percent(100));
    }
    if model == ModelKind::Flash && measured.figure("synced_write_depth_1").is_some() {
        let source = format!("derived: time of a flush, measured by bfq bench on {date}");
        draft.explain("power_loss_protection", &source, Tolerance::Exact);
    }
}

fn tolerance(percent: f64) -> Tolerance {
    Tolerance::Percent(percent.max(LEAST_TOLERANCE_PERCENT).ceil() as u32)
}

/// What `device::measure` can check the profile by. Random figures of an arm that stayed on a small
/// part of the disk are none of the whole disk.
fn expectations(facts: &Facts, measured: &Characteristics, model: ModelKind) -> Vec<Line> {
    let is_whole = measured.span_bytes >= facts.capacity_bytes;
    let place = if is_whole { "" } else { " in a part of the disk" };
    let source = format!("measured by bfq bench on {}{place}", facts.date);
    let mut lines = Vec::new();
    for figure in &measured.figures {
        let is_random = figure.trial.place == AccessPattern::Random;
        let Some(measurement) = Measurement::named(figure.trial.name) else { continue };
        if is_random && model == ModelKind::HardDisk && !is_whole {
            continue;
        }
        let row = *measurement.row();
        let tolerance = tolerance(figure.spread_percent());
        let value = rounded(figure.value).clamp(row.least, row.greatest);
        lines.push(Line { row, value, source: source.clone(), tolerance });
    }
    lines
}

impl fmt::Display for Fitted {
    /// A line for each figure.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<24} {:>14} {:>7} {:>14} {:>7}   {:>10} {:>10}",
            "", "measured", "spread", "simulated", "ratio", "half in", "99 % in"
        )?;
        for row in &self.compared {
            let measured = &row.measured;
            let miss = 100.0 * (row.ratio() - 1.0).abs();
            let mark = if miss > MISS_PERCENT.max(measured.spread_percent()) { " !" } else { "  " };
            writeln!(
                f,
                "{:<24} {:>14} {:>5.1} % {:>14} {:>7.2}{mark} {:>10} {:>10}",
                measured.trial.name,
                shown(measured.trial.quantity(), measured.value),
                measured.spread_percent(),
                shown(measured.trial.quantity(), row.simulated),
                row.ratio(),
                time(measured.latency_ns),
                time(measured.latency_99_ns),
            )?;
        }
        let off =
            self.compared.iter().filter(|row| (row.ratio() - 1.0).abs() * 100.0 > MISS_PERCENT);
        writeln!(
            f,
            "model {}, begun with {}: {} of {} figures are off by more than {MISS_PERCENT} %, \
             {:.1} % on the average",
            self.model.name(),
            self.nearest,
            off.count(),
            self.compared.len(),
            100.0 * self.error(),
        )
    }
}

fn shown(quantity: Quantity, value: f64) -> String {
    match quantity {
        Quantity::Rate => format!("{} MB/s", megabytes(value as u64)),
        _ => format!("{} IOPS", iops(value)),
    }
}
