// SPDX-License-Identifier: MIT OR Apache-2.0
//! Axes: where a value lies, and the ticks that people can read it by.

use base::text::time;

/// A tick: its place in percent of the axis, and what stands there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub percent: f64,
    pub text: String,
    pub rank: Rank,
}

/// Which texts stand at an axis: fewer where it is short, so that they never run into each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rank {
    /// The text stands on every axis, also the shortest.
    Always,
    /// Not on the shortest.
    Usual,
    /// Only on a long one.
    Fine,
}

/// Gives the texts of evenly spread ticks their ranks: the ends and 0 stand always, each second of
/// the others only where there is room.
fn rank_evenly(ticks: &mut [Tick]) {
    let spoken: Vec<usize> = (0..ticks.len()).filter(|&at| !ticks[at].text.is_empty()).collect();
    let last = spoken.len().saturating_sub(1);
    for (place, &at) in spoken.iter().enumerate() {
        let is_zero = ticks[at].text.parse() == Ok(0.0);
        ticks[at].rank = match place {
            _ if place == 0 || place == last || is_zero => Rank::Always,
            _ if place % 2 == 0 => Rank::Usual,
            _ => Rank::Fine,
        };
    }
}

/// An axis with its ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Axis {
    from: f64,
    until: f64,
    logarithmic: bool,
    pub ticks: Vec<Tick>,
}

impl Axis {
    /// From 0 to a little more than `most`, in steps of 1, 2 or 5 times a power of ten.
    pub fn linear(most: f64, show: impl Fn(f64) -> String) -> Self {
        let most = if most > 0.0 { most } else { 1.0 };
        let step = step(most, 4.0);
        let until = (most / step).ceil() * step;
        let count = (until / step).round() as u32;
        let tick = |number| Tick {
            percent: f64::from(number) * 100.0 / f64::from(count),
            text: show(f64::from(number) * step),
            rank: Rank::Always,
        };
        let mut ticks: Vec<Tick> = (0..=count).map(tick).collect();
        rank_evenly(&mut ticks);
        Self { from: 0.0, until, logarithmic: false, ticks }
    }

    /// A part of a linear axis, exactly from `from` to `until`.
    pub fn span(from: f64, until: f64, show: impl Fn(f64, f64) -> String) -> Self {
        let until = if until > from { until } else { from + 1.0 };
        let step = step(until - from, 5.0);
        let mut axis = Self { from, until, logarithmic: false, ticks: Vec::new() };
        let first = (from / step).ceil();
        let ticks = (0..16).map(|number| (first + f64::from(number)) * step);
        axis.ticks = ticks
            .take_while(|value| *value <= until)
            .map(|value| Tick {
                percent: axis.percent(value),
                text: show(value, step),
                rank: Rank::Always,
            })
            .collect();
        rank_evenly(&mut axis.ticks);
        axis
    }

    /// Latencies in ns, a tick for each power of ten, at least one decade.
    pub fn latencies(least_ns: u64, most_ns: u64) -> Self {
        let from = (least_ns.max(1) as f64).log10().floor();
        let until = (most_ns.max(2) as f64).log10().ceil().max(from + 1.0);
        let decades = (until - from) as u32;
        // Each has a line; where there are many, only each second or third has a text.
        let spoken = decades.div_ceil(4);
        let tick = |number: u32| Tick {
            percent: f64::from(number) * 100.0 / f64::from(decades),
            text: match number % spoken {
                0 => whole(10_u64.saturating_pow(from as u32 + number)),
                _ => String::new(),
            },
            rank: Rank::Always,
        };
        let mut ticks: Vec<Tick> = (0..=decades).map(tick).collect();
        rank_evenly(&mut ticks);
        Self { from: 10_f64.powf(from), until: 10_f64.powf(until), logarithmic: true, ticks }
    }

    /// Ratios, to a logarithmic scale on which at least 1/2, 1 and 2 are; a tick at 1, 2 and 5
    /// times each power of ten. If those are many only powers of ten have a text, or every
    /// second or third.
    pub fn ratios(least: f64, most: f64) -> Self {
        const MOST_TICKS: usize = 6;
        const MOST_TEXTS: usize = 4;
        let all = (-9..=9).flat_map(|power| [1.0, 2.0, 5.0].map(|one| one * 10_f64.powi(power)));
        let from = all.clone().filter(|tick| *tick <= least.clamp(1e-9, 0.5)).fold(1e-9, f64::max);
        let until = all.clone().filter(|tick| *tick >= most.clamp(2.0, 1e9)).fold(1e9, f64::min);
        let mut axis = Self { from, until, logarithmic: true, ticks: Vec::new() };
        let inside: Vec<f64> = all.filter(|tick| (from..=until).contains(tick)).collect();
        let power_of = |value: &f64| {
            let power = value.log10().round();
            ((value.log10() - power).abs() < 1e-9).then_some(power as i32)
        };
        let powers = inside.iter().filter_map(power_of).count();
        let each = powers.div_ceil(MOST_TEXTS) as i32;
        let many = inside.len() > MOST_TICKS;
        let is_spoken =
            |value: &f64| !many || power_of(value).is_some_and(|power| power % each == 0);
        let tick = |value: f64| Tick {
            percent: axis.percent(value),
            text: match is_spoken(&value) {
                false => String::new(),
                true if value >= 1.0 => number(value),
                true => format!("1/{}", number(1.0 / value)),
            },
            rank: match power_of(&value) {
                Some(0) => Rank::Always,
                Some(_) => Rank::Usual,
                None => Rank::Fine,
            },
        };
        axis.ticks = inside.into_iter().map(tick).collect();
        axis
    }

    /// Where a value lies, 0 to 100; what is beyond an end lies at that end.
    pub fn percent(&self, value: f64) -> f64 {
        let place = match self.logarithmic {
            true => (value.max(f64::MIN_POSITIVE) / self.from).ln() / (self.until / self.from).ln(),
            false => (value - self.from) / (self.until - self.from),
        };
        (place * 100.0).clamp(0.0, 100.0)
    }

    /// Whether a value is beyond an end.
    pub fn cuts(&self, value: f64) -> bool {
        let slack = (self.until - self.from).abs() * 1e-9;
        value < self.from - slack || value > self.until + slack
    }

    /// The value at the far end.
    pub fn until(&self) -> f64 {
        self.until
    }
}

/// 1, 2 or 5 times a power of ten, so that `span` has about `count` of it.
fn step(span: f64, count: f64) -> f64 {
    let raw = span / count;
    let power = 10_f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= raw);
    factor.unwrap_or(10.0) * power
}

/// A time that is a power of ten, without decimals.
fn whole(ns: u64) -> String {
    let text = time(ns);
    match text.split_once(' ') {
        Some((number, unit)) => {
            let number = number.split_once('.').map_or(number, |(number, _)| number);
            format!("{number} {unit}")
        }
        None => text,
    }
}

/// A number as attributes have it: at most two decimals, none if they are 0.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A number with the decimals that steps of `step` need.
pub(super) fn with_step(value: f64, step: f64) -> String {
    let decimals = (-step.log10().floor()).clamp(0.0, 9.0) as usize;
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(axis: &Axis) -> Vec<(String, String)> {
        axis.ticks.iter().map(|tick| (number(tick.percent), tick.text.clone())).collect()
    }

    fn expected(ticks: &[(&str, &str)]) -> Vec<(String, String)> {
        ticks.iter().map(|(percent, text)| ((*percent).into(), (*text).into())).collect()
    }

    #[test]
    fn linear_axes_have_round_ticks() {
        let axis = Axis::linear(277.0, number);
        assert_eq!(
            ticks(&axis),
            expected(&[("0", "0"), ("33.33", "100"), ("66.67", "200"), ("100", "300")])
        );
        assert_eq!(number(axis.percent(150.0)), "50");
        assert_eq!(axis.percent(400.0), 100.0);
        assert_eq!(Axis::linear(0.0, number).ticks.len(), 3, "nothing to show is shown");
    }

    #[test]
    fn short_axes_keep_their_ends_and_zero() {
        let kept = |axis: &Axis, ranks: &[Rank]| -> String {
            let ticks = axis.ticks.iter().filter(|tick| ranks.contains(&tick.rank));
            ticks.map(|tick| tick.text.as_str()).collect::<Vec<_>>().join(" ")
        };
        let usual = [Rank::Always, Rank::Usual];
        for (axis, short, shortest) in [
            (Axis::linear(390.0, number), "0 200 400", "0 400"),
            (Axis::linear(60.0, number), "0 40 60", "0 60"),
            (Axis::span(-27.0, 27.0, with_step), "-20 0 20", "-20 0 20"),
            (Axis::latencies(10_000, 100_000_000), "10 µs 1 ms 100 ms", "10 µs 100 ms"),
            (Axis::ratios(0.12, 3.0), "1/10 1", "1"),
        ] {
            assert_eq!(kept(&axis, &usual), short);
            assert_eq!(kept(&axis, &[Rank::Always]), shortest);
        }
    }

    #[test]
    fn spans_have_ticks_inside() {
        let axis = Axis::span(1.93, 3.1, with_step);
        let texts: Vec<_> = axis.ticks.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(texts, ["2.0", "2.5", "3.0"]);
        assert_eq!(number(axis.ticks[0].percent), "5.98");
    }

    #[test]
    fn ratios_have_one_in_the_middle_of_like_factors() {
        let axis = Axis::ratios(0.9, 1.2);
        assert_eq!(ticks(&axis), expected(&[("0", "1/2"), ("50", "1"), ("100", "2")]));
        // Texts that are nearer to each other than a sixth of the axis run into each other.
        for (least, most, expected) in [
            (0.12, 3.0, &["1/10", "1/5", "1/2", "1", "2", "5"][..]),
            (0.07, 3.0, &["1/10", "1"]),
            (0.04, 3.0, &["1/10", "1"]),
            (0.01, 3.0, &["1/100", "1/10", "1"]),
            (0.001, 1000.0, &["1/100", "1", "100"]),
        ] {
            let axis = Axis::ratios(least, most);
            let texts = axis.ticks.iter().map(|tick| tick.text.as_str());
            let spoken: Vec<_> = texts.filter(|text| !text.is_empty()).collect();
            assert_eq!(spoken, expected, "{least} to {most}");
        }
        assert_eq!(Axis::ratios(0.0, f64::INFINITY).ticks.len(), 55);
    }

    #[test]
    fn latencies_are_logarithmic() {
        let axis = Axis::latencies(89_600, 38_900_000);
        assert_eq!(
            ticks(&axis),
            expected(&[
                ("0", "10 µs"),
                ("25", "100 µs"),
                ("50", "1 ms"),
                ("75", "10 ms"),
                ("100", "100 ms")
            ])
        );
        assert_eq!(number(axis.percent(1e6)), "50");
        assert_eq!(axis.percent(0.0), 0.0);
        assert_eq!(Axis::latencies(0, 0).ticks.len(), 2);
    }
}
