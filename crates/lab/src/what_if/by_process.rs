// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace that was read process by process, and the simulations of it.

use super::error::WhatIfError;
use super::nearest::{Nearest, check_fits, nearest};
use super::split::{Split, split};
use crate::devices;
use crate::error::LabError;
use crate::files::{Files, check_known};
use crate::simulations::{SimulationOptions, Simulations};
use crate::work::Work;
use std::fs::File;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use workload::Environment;

/// A trace with the I/O of each process apart, in a temporary folder that goes with this value.
#[derive(Debug)]
pub struct TraceByProcess {
    name: String,
    split: Split,
    /// Where the files of `split` are.
    _folder: TempDir,
}

impl TraceByProcess {
    /// Reads a trace, twice; one that can be read only once, as from a pipe, is copied before.
    ///
    /// # Errors
    /// If the trace is missing or wrong, or nothing can be written to a temporary folder.
    pub fn read<F>(trace: &Path, files: &Files<F>) -> Result<Self, WhatIfError>
    where
        F: Fn(&Path) -> io::Result<Box<dyn BufRead>>,
    {
        check_known(trace)?;
        let name = trace.display().to_string();
        let folder = tempfile::tempdir().map_err(WhatIfError::NoPlace)?;
        let copied = match files.can_be_read_twice(trace) {
            true => None,
            false => Some(copy(trace, files, folder.path())?),
        };
        let readable = copied.as_deref().unwrap_or(trace);
        let split = split(|| files.open_any(readable), &name, folder.path())?;
        Ok(TraceByProcess { name, split, _folder: folder })
    }

    /// What of the trace is not replayed as it was, in sentences.
    pub fn notes(&self) -> &[String] {
        &self.split.notes
    }

    /// The built-in model of a real disk in which the requests take nearest to the time that they
    /// took.
    ///
    /// # Errors
    /// [`WhatIfError::NoTimes`]: the trace does not say how long anything took.
    /// [`WhatIfError::LargerThanAnyDisk`]: no modelled disk can be as large as the recorded one.
    pub fn nearest(&self) -> Result<Nearest, WhatIfError> {
        nearest(&self.name, self.split.times.clone(), self.split.end_bytes)
    }

    /// Plans the simulations. The plan has all that it needs of the trace.
    ///
    /// # Errors
    /// [`WhatIfError::Lab`]: a device or scheduler is wrong. [`WhatIfError::BeyondDevice`] or
    /// [`WhatIfError::LargerThanAnyDisk`]: the trace does not fit a device.
    pub fn plan<F>(
        &self,
        options: SimulationOptions,
        files: &Files<F>,
    ) -> Result<Simulations, WhatIfError>
    where
        F: Fn(&Path) -> io::Result<Box<dyn BufRead>>,
    {
        let profiles = devices::parse(&options.devices).map_err(LabError::from)?;
        check_fits(&self.name, &profiles, self.split.end_bytes)?;
        let plan = Simulations::plan(&Work::of([&self.split.job_file]), options, files)?;
        Ok(plan.presented_as(&self.name))
    }
}

/// Copies a trace into a folder.
fn copy<F>(trace: &Path, files: &Files<F>, folder: &Path) -> Result<PathBuf, WhatIfError>
where
    F: Fn(&Path) -> io::Result<Box<dyn BufRead>>,
{
    let unreadable = |source| WhatIfError::Unreadable { name: trace.display().to_string(), source };
    let mut source = files.open_any(trace).map_err(unreadable)?;
    let path = folder.join("whole");
    let mut copy = File::create(&path).map_err(WhatIfError::NoPlace)?;
    io::copy(&mut source, &mut copy).map_err(unreadable)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::io::BufReader;

    /// Ten reads of one process, a millisecond each, in fio's format of an I/O log.
    fn iolog() -> String {
        let read = |number: u64| format!("{number} /dev/x read {} 4096\n", number * 8192);
        let reads: String = (0..10).map(read).collect();
        format!("fio version 3 iolog\n0 /dev/x add\n0 /dev/x open\n{reads}10 /dev/x close\n")
    }

    fn options() -> SimulationOptions {
        let devices = vec!["ssd-sata".into()];
        SimulationOptions { devices, schedulers: "none".into(), ..SimulationOptions::default() }
    }

    #[test]
    fn what_can_be_read_once_is_read_once_and_simulated_when_its_folder_is_gone() {
        let opened = Cell::new(0);
        let files = Files::opened_by(|path: &Path| -> io::Result<Box<dyn BufRead>> {
            if path != Path::new("a-pipe") {
                return Ok(Box::new(BufReader::new(File::open(path)?)));
            }
            opened.set(opened.get() + 1);
            Ok(Box::new(io::Cursor::new(iolog())))
        });
        let trace = TraceByProcess::read(Path::new("a-pipe"), &files).unwrap();
        assert_eq!(opened.get(), 1);
        assert!(trace.notes().is_empty());
        let folder = trace._folder.path().to_owned();
        let plan = trace.plan(options(), &files).unwrap();
        drop(trace);
        assert!(!folder.exists());
        let results = plan.run_all(&mut ()).unwrap().results;
        assert_eq!(results.runs[0].fio.jobs[0].read.total_ios, 10);
    }

    #[test]
    fn results_name_the_trace_and_no_file_of_the_temporary_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        std::fs::write(&path, iolog()).unwrap();
        let results = || {
            let trace = TraceByProcess::read(&path, &Files::plain()).unwrap();
            let temporary = trace._folder.path().display().to_string();
            let plan = trace.plan(options(), &Files::plain()).unwrap();
            let mut results = plan.run_all(&mut ()).unwrap().results;
            // The date differs by itself.
            results.runs.iter_mut().for_each(|run| run.fio.timestamp = 0);
            let json = results.to_json();
            assert!(!json.contains(&temporary), "{json}");
            json
        };
        let json = results();
        assert!(json.contains(&format!("\"read_iolog\": \"{}\"", path.display())), "{json}");
        assert_eq!(json, results());
    }

    /// The disks of a process lay end to end, so that the second began where no device is, after
    /// the trace had been found to fit.
    #[test]
    fn several_disks_are_replayed_on_one_by_the_same_sectors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("far.txt");
        let read = |number: u32, disk: u32, pid: u32| {
            format!("8,{disk} 0 {number} 0.00{number} {pid} Q R 1800000000 + 8 [p{pid}]\n")
        };
        let text = [read(1, 0, 7), read(2, 16, 7), read(3, 16, 8)].concat();
        std::fs::write(&path, text).unwrap();
        let files = Files::plain();
        let trace = TraceByProcess::read(&path, &files).unwrap();
        assert_eq!(trace.split.end_bytes, 1_800_000_008 * 512);
        assert!(trace.notes()[0].contains("I/O of 2 disks (8,0 8,16)"), "{:?}", trace.notes());
        let jobs = workload::load(&trace.split.job_file).unwrap();
        let files_of = |job: &workload::Job| job.trace.as_ref().unwrap().files.clone();
        assert_eq!(files_of(&jobs[0]), files_of(&jobs[1]));
        let results = trace.plan(options(), &files).unwrap().run_all(&mut ()).unwrap().results;
        let reads = results.runs[0].fio.jobs.iter().map(|job| job.read.total_ios);
        assert_eq!(reads.collect::<Vec<_>>(), [2, 1]);
    }

    #[test]
    fn what_is_wrong_with_the_options_is_told_from_what_is_wrong_with_the_trace() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        std::fs::write(&path, iolog()).unwrap();
        let files = Files::plain();
        let trace = TraceByProcess::read(&path, &files).unwrap();
        assert!(matches!(trace.nearest().unwrap_err(), WhatIfError::NoTimes { .. }));
        let unknown = SimulationOptions { schedulers: "fastest".into(), ..options() };
        let error = trace.plan(unknown, &files).unwrap_err();
        assert!(matches!(error, WhatIfError::Lab(_)) && error.is_usage(), "{error}");
        let missing = TraceByProcess::read(&folder.path().join("none"), &files).unwrap_err();
        assert!(matches!(missing, WhatIfError::Unreadable { .. }), "{missing}");
        let unknown = TraceByProcess::read(Path::new("@none/such"), &files).unwrap_err();
        assert!(matches!(unknown, WhatIfError::Lab(_)) && unknown.is_usage(), "{unknown}");
    }
}
