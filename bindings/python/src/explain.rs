// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where the time of a job's I/O went (docs/explain.md).

use crate::arguments::{Arguments, tellers};
use crate::errors::{of_lab, usage};
use crate::signals::Signals;
use lab::{Inquiry, InquiryOptions, PolicyName};
use pyo3::prelude::*;

/// Simulates and explains a job: the explanation as JSON, for people, and what its words mean.
#[pyfunction]
pub(crate) fn explain(
    python: Python<'_>,
    arguments: Arguments,
    job: String,
    slowest: usize,
) -> PyResult<(String, String, String)> {
    python.detach(|| {
        let Arguments { scheduler, device, vm, .. } = &arguments;
        let unknown = || usage(format!("scheduler {scheduler}: expected {}", tellers()));
        let options = InquiryOptions {
            scheduler: PolicyName::from_name(scheduler).ok_or_else(unknown)?,
            job,
            device: device.clone(),
            vm: vm.clone(),
            slowest,
        };
        let inquiry = Inquiry::plan(&arguments.work()?, &options, &arguments.files());
        let mut signals = Signals::new();
        let explained = inquiry.and_then(|inquiry| inquiry.simulated(&mut |_, _| signals.look()));
        let (explanation, _) = explained.map_err(of_lab)?;
        signals.raised()?;
        Ok((explanation.to_json(), explanation.text(false), explanation.glossary(false)))
    })
}
