// SPDX-License-Identifier: MIT OR Apache-2.0
//! The model of a disk for io.cost, of what was measured and nothing else.

use super::comment::comment;
use super::form::EmitError;
use crate::model::Metric;
use crate::verdict::Verdict;
use host::Disk;

/// What a disk can do, each figure none if it was not measured. The names are the kernel's
/// (Documentation/admin-guide/cgroup-v2.rst, io.cost.model).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// Bytes read in a second, in sequence.
    pub rbps: Option<u64>,
    /// Reads of 4 KiB in a second, in sequence.
    pub rseqiops: Option<u64>,
    /// Reads of 4 KiB in a second, here and there.
    pub rrandiops: Option<u64>,
    /// Bytes written in a second, in sequence.
    pub wbps: Option<u64>,
    /// Writes of 4 KiB in a second, in sequence.
    pub wseqiops: Option<u64>,
    /// Writes of 4 KiB in a second, here and there.
    pub wrandiops: Option<u64>,
}

impl Measured {
    /// What a comparison tells: under the best candidate the disk did at least this.
    pub fn by(verdict: &Verdict) -> Self {
        let most = |scenario: &str, metric: Metric, unit: f64| {
            let is = |row: &&crate::verdict::Figure| {
                (row.scenario.as_str(), row.metric) == (scenario, metric)
            };
            let values = verdict.figures.iter().find(is)?.values.iter().flatten();
            let most = values.map(|estimate| estimate.median()).reduce(f64::max)?;
            (most > 0.0).then_some((most * unit) as u64)
        };
        Measured {
            rbps: most("sequential", Metric::Throughput, 1e6),
            rrandiops: most("deep", Metric::Iops, 1.0),
            ..Measured::default()
        }
    }

    fn table(&self) -> [(&'static str, Option<u64>); 6] {
        [
            ("rbps", self.rbps),
            ("rseqiops", self.rseqiops),
            ("rrandiops", self.rrandiops),
            ("wbps", self.wbps),
            ("wseqiops", self.wseqiops),
            ("wrandiops", self.wrandiops),
        ]
    }
}

/// The commands that give io.cost the model.
///
/// # Errors
/// [`EmitError::NothingMeasured`].
pub fn rule(measured: &Measured, disk: &Disk) -> Result<String, EmitError> {
    let table = measured.table();
    let (known, unknown): (Vec<_>, Vec<_>) = table.iter().partition(|(_, value)| value.is_some());
    if known.is_empty() {
        return Err(EmitError::NothingMeasured);
    }
    let mut head = vec![
        format!("What bfq bench measured of {}, for the controller io.cost.", disk.name),
        "Run this as root at each boot, for instance as a service of systemd. It takes cgroup \
         version 2. Groups then share the disk by io.weight, whatever its scheduler; under bfq, \
         which shares by io.bfq.weight itself, leave it out."
            .to_owned(),
    ];
    if !unknown.is_empty() {
        let names: Vec<&str> = unknown.iter().map(|(name, _)| *name).collect();
        head.push(format!(
            "Not measured, and left at what the kernel takes for such disks: {}.",
            names.join(", ")
        ));
    }
    let mut text = comment(&head);
    let values: Vec<String> = known
        .iter()
        .filter_map(|(name, value)| value.map(|value| format!("{name}={value}")))
        .collect();
    let device = disk.device;
    text += &format!(
        "echo '{device} ctrl=user model=linear {}' >/sys/fs/cgroup/io.cost.model\n\
         echo '{device} enable=1 ctrl=auto' >/sys/fs/cgroup/io.cost.qos\n",
        values.join(" ")
    );
    Ok(text)
}
