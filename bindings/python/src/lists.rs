// SPDX-License-Identifier: MIT OR Apache-2.0
//! What there is to choose from, as `bfq list` tells it.

use crate::errors::{of_profile, usage};
use crate::files::GivenFiles;
use ::device::{Figure, Profile, Tolerance};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use workload::Header;

/// The schedulers: name, and what it is.
#[pyfunction]
pub(crate) fn schedulers() -> Vec<(&'static str, &'static str)> {
    elevators::schedulers().iter().map(|scheduler| (scheduler.name, scheduler.doc)).collect()
}

/// The names of the built-in devices.
#[pyfunction]
pub(crate) fn devices() -> Vec<&'static str> {
    Profile::builtin_names().collect()
}

/// A tunable: name, default, values, unit, what it does.
type Tunable = (&'static str, String, String, &'static str, &'static str);

/// The tunables of a scheduler.
#[pyfunction]
pub(crate) fn tunables(scheduler: &str) -> PyResult<Vec<Tunable>> {
    let tunables = elevators::tunables(scheduler).map_err(usage)?;
    let row = |tunable: blk::Tunable| {
        let values = tunable.values.to_string();
        (tunable.name, tunable.default, values, tunable.unit, tunable.doc)
    };
    Ok(tunables.into_iter().map(row).collect())
}

/// The built-in job files: name, and the first sentence of each.
#[pyfunction]
pub(crate) fn scenarios() -> Vec<(String, String)> {
    let files = ::scenarios::files().filter(|file| file.is_job_file());
    files.map(|file| (file.name(), Header::parse(file.text()).title().to_owned())).collect()
}

/// The text of a built-in job file.
#[pyfunction]
pub(crate) fn scenario(name: &str) -> PyResult<&'static str> {
    let file = ::scenarios::find(Path::new(name)).map_err(usage)?;
    match file.is_job_file() {
        true => Ok(file.text()),
        false => Err(usage(format!("{name} is a recording: read_trace reads it"))),
    }
}

/// A value of a device: name, number, unit, tolerance in percent, source, what it means.
type Value = (&'static str, String, String, u64, String, &'static str);

/// A device, built in or in a file, perhaps with values to override.
#[derive(IntoPyObject)]
pub(crate) struct DeviceDescription {
    name: String,
    description: String,
    model: &'static str,
    depth: u32,
    rotational: bool,
    capacity_bytes: u64,
    values: Vec<Value>,
}

/// Reads a device as `--device` names it, from a file or from one of the texts.
#[pyfunction]
pub(crate) fn device(
    argument: OsString,
    texts: Vec<(PathBuf, String)>,
) -> PyResult<DeviceDescription> {
    let profile = lab::devices::one_with(&argument, &GivenFiles::new(&texts));
    let profile = profile.map_err(|error| of_profile(&error))?;
    let value = |figure: &Figure| {
        let percent = match figure.tolerance {
            Tolerance::Exact => 0,
            Tolerance::Percent(percent) => percent.into(),
        };
        let (text, unit) = (figure.text.clone(), figure.unit.clone());
        (figure.row.name, text, unit, percent, figure.source.clone(), figure.row.doc())
    };
    Ok(DeviceDescription {
        name: profile.name().to_owned(),
        description: profile.description().to_owned(),
        model: profile.model().name(),
        depth: profile.depth(),
        rotational: profile.rotational(),
        capacity_bytes: profile.capacity_sectors() * base::SECTOR_BYTES,
        values: profile.values().iter().map(value).collect(),
    })
}
