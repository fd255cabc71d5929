// SPDX-License-Identifier: MIT OR Apache-2.0
//! Measured values as OpenMetrics text, for Prometheus and its kin.
//!
//! Names and units follow Prometheus' conventions: base units, counters that only rise. Written by
//! the client library of the Prometheus project.

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use std::fmt;

pub use prometheus_client::registry::Unit;

/// The media type of [`text`].
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What has values that are measured.
pub trait Measured: fmt::Debug + Send + Sync + 'static {
    /// Tells them, one family after the other.
    ///
    /// # Errors
    /// Those of [`Families::family`].
    fn families(&self, families: &mut Families<'_>) -> fmt::Result;
}

/// The measured values as text.
///
/// # Errors
/// They cannot be written, which does not happen to text.
pub fn text(measured: impl Measured) -> Result<String, fmt::Error> {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Collected(measured)));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

#[derive(Debug)]
struct Collected<T>(T);

impl<T: Measured> Collector for Collected<T> {
    fn encode(&self, encoder: DescriptorEncoder) -> fmt::Result {
        self.0.families(&mut Families(encoder))
    }
}

/// What is measured: its name without the unit, the unit, and a sentence without its full stop.
pub type About = (&'static str, Option<Unit>, &'static str);

/// A value, which rises or goes up and down.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// It only rises, from 0 when the program begins.
    Rises(f64),
    /// It is what it is now.
    Is(f64),
}

/// Labels of a sample: names and values.
pub type Labels<'a> = Vec<(&'static str, &'a str)>;

/// The unit of a part of a whole.
pub fn ratio() -> Option<Unit> {
    Some(Unit::Other("ratio".to_owned()))
}

/// A time in the unit that Prometheus wants.
pub fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

/// Takes the values of a page of metrics, family by family.
#[derive(Debug)]
pub struct Families<'a>(DescriptorEncoder<'a>);

impl Families<'_> {
    /// A family of samples of one kind; nothing if there are none.
    ///
    /// # Errors
    /// They cannot be written, which does not happen to text.
    pub fn family<'s>(
        &mut self,
        (name, unit, help): About,
        samples: impl Iterator<Item = (Labels<'s>, Value)>,
    ) -> fmt::Result {
        let mut samples = samples.peekable();
        let kind = match samples.peek() {
            None => return Ok(()),
            Some((_, Value::Rises(_))) => MetricType::Counter,
            Some((_, Value::Is(_))) => MetricType::Gauge,
        };
        let mut family = self.0.encode_descriptor(name, help, unit.as_ref(), kind)?;
        for (labels, value) in samples {
            let sample = family.encode_family(&labels)?;
            match value {
                Value::Rises(value) => ConstCounter::new(value).encode(sample)?,
                Value::Is(value) => ConstGauge::new(value).encode(sample)?,
            }
        }
        Ok(())
    }

    /// A value of the program as a whole.
    ///
    /// # Errors
    /// As [`Families::family`].
    pub fn one(&mut self, about: About, value: Value) -> fmt::Result {
        self.family(about, std::iter::once((Labels::new(), value)))
    }
}

/// The metrics of a text as a table of Markdown, from what they say of themselves: for documents.
pub fn table(text: &str) -> String {
    let mut rows = String::from("| Metric | Kind | |\n|---|---|---|\n");
    let described = |start| text.lines().filter_map(move |line| line.strip_prefix(start));
    let helps: Vec<_> = described("# HELP ").collect();
    for (name, kind) in described("# TYPE ").filter_map(|line| line.split_once(' ')) {
        let help = helps.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        let help = help.unwrap_or_default().trim_end_matches('.');
        let sample = if kind == "counter" { format!("{name}_total") } else { name.to_owned() };
        let labels = match labels(text, &sample) {
            labels if labels.is_empty() => String::new(),
            labels => format!(", by {}", labels.join(", ")),
        };
        rows += &format!("| `{sample}` | {kind} | {help}{labels} |\n");
    }
    rows
}

/// Names of the labels of the first sample.
fn labels<'a>(text: &'a str, sample: &str) -> Vec<&'a str> {
    let after = text.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix('{'));
    let labels = after.and_then(|rest| rest.rsplit_once('}')).map_or("", |(labels, _)| labels);
    labels.split("\",").filter_map(|label| label.split_once('=')).map(|(name, _)| name).collect()
}
