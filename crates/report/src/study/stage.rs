// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scenario on a device: what was run there, and what came out.

use crate::results::DeviceInfo;
use crate::study::column::Column;
use crate::study::measure::Measure;
use crate::study::origin::Origin;
use crate::study::parts::Participant;

/// A scenario on a device.
#[derive(Debug)]
pub struct StudyStage<'a> {
    /// Its name in links.
    pub id: String,
    /// Facts of the device.
    pub device: &'a DeviceInfo,
    /// Whether it is a model.
    pub simulated: bool,
    /// The runs, a column each.
    pub columns: Vec<Column<'a>>,
    /// Where runs are from that only a number tells apart.
    pub origins: Vec<Origin>,
    /// Who takes part: jobs, those of a numbered series together.
    pub parts: Vec<Participant>,
    /// What this scenario is about first, and what else was measured.
    pub measures: Vec<Measure>,
    /// What came out, the main thing first: a sentence each.
    pub verdict: Vec<String>,
    /// Which jobs were stopped by errors: a sentence each. Such runs are not ranked.
    pub stopped: Vec<String>,
}
