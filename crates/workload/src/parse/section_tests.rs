// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sections, comments, variables, includes: what a job file as a whole comes to.

use std::collections::BTreeMap;
use std::env::VarError;
use std::io::{self, BufRead};
use std::path::Path;

use super::{load_all, parse, parse_with};
use crate::job::{Extent, Job, notes};
use crate::parse::environment::Environment;

/// Files and variables in memory.
#[derive(Default)]
pub(crate) struct Imagined {
    pub(crate) files: BTreeMap<&'static str, &'static str>,
    pub(crate) variables: BTreeMap<&'static str, &'static str>,
}

impl Environment for Imagined {
    fn open(&self, path: &Path) -> io::Result<Box<dyn BufRead + '_>> {
        let text = path.to_str().and_then(|path| self.files.get(path));
        let text = text.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no such file"))?;
        Ok(Box::new(text.as_bytes()))
    }

    fn variable(&self, name: &str) -> Result<String, VarError> {
        self.variables.get(name).map(ToString::to_string).ok_or(VarError::NotPresent)
    }
}

fn sizes(jobs: &[Job]) -> Vec<(&str, Option<Extent>)> {
    jobs.iter().map(|job| (job.name.as_str(), job.size)).collect()
}

#[test]
fn a_global_section_holds_for_the_jobs_below_it() {
    let text = "
[global]
size=1k
rw=write

[first]
[second]
size=2k

[global]
size=3k
[third]
";
    let jobs = parse(text, "t.fio").unwrap();
    let bytes = |bytes| Some(Extent::Bytes(bytes));
    assert_eq!(
        sizes(&jobs),
        [("first", bytes(1024)), ("second", bytes(2048)), ("third", bytes(3072))]
    );
    assert!(jobs.iter().all(|job| job.rw.writes()));
    let lines: Vec<u32> = jobs.iter().map(|job| job.line).collect();
    assert_eq!(lines, [6, 7, 12]);
    let indices: Vec<u32> = jobs.iter().map(|job| job.index).collect();
    assert_eq!(indices, [0, 1, 2]);
}

#[test]
fn options_are_kept_as_written_apart_for_job_and_globals() {
    let text = "
[global]
size=1k
direct=1
[a]
rw = randread
stonewall
time_based=0
size=2k
rw=write
[global]
size=4k
[b]
";
    let jobs = parse(text, "t.fio").unwrap();
    let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
    // A flag without a value is not listed, and a repeated option is listed once, as fio has it.
    assert_eq!(jobs[0].options, [pair("rw", "write"), pair("time_based", "0"), pair("size", "2k")]);
    assert_eq!(jobs[0].global_options, [pair("size", "1k"), pair("direct", "1")]);
    assert_eq!(jobs[1].options, []);
    assert_eq!(jobs[1].global_options, [pair("size", "4k"), pair("direct", "1")]);
}

#[test]
fn comments_and_blanks_do_not_matter() {
    let text = "# a comment\n; another\n  [ a b ]  # of a section\n\tsize\t=\t4k ; of an option\n\n\
                description= one # two\n";
    let job = parse(text, "t.fio").unwrap().remove(0);
    assert_eq!((job.name.as_str(), job.size), ("a b", Some(Extent::Bytes(4096))));
    assert_eq!(job.description.as_deref(), Some("one"));
    let windows = parse("[a]\r\nsize=4k\r\n", "t.fio").unwrap().remove(0);
    assert_eq!(windows.size, Some(Extent::Bytes(4096)));
    let marked = parse("\u{feff}[a]\nsize=4k\n", "t.fio").unwrap().remove(0);
    assert_eq!(marked.size, Some(Extent::Bytes(4096)));
}

#[test]
fn stonewalls_and_new_groups_count_reporting_groups() {
    let text = "[a]\nstonewall\n[b]\n[c]\nstonewall\nnumjobs=2\n[d]\nnew_group\n[e]\n";
    let groups: Vec<u32> = parse(text, "t.fio").unwrap().iter().map(|job| job.group_id).collect();
    assert_eq!(groups, [0, 0, 1, 2, 2]);
    let text = "[global]\nstonewall\n[x]\n[y]\n[z]\n[w]\nstonewall=0\n";
    let groups: Vec<u32> = parse(text, "t.fio").unwrap().iter().map(|job| job.group_id).collect();
    assert_eq!(groups, [0, 1, 2, 2]);
}

#[test]
fn only_its_own_section_names_a_job() {
    let jobs = parse("[global]\nname=x\n[a]\n[b]\nname=c\n", "t.fio").unwrap();
    let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
    assert_eq!(names, ["a", "c"]);
}

#[test]
fn variables_are_filled_into_values() {
    let variables = [("SIZE", "12"), ("UNIT", "k"), ("NOTHING", "")].into();
    let environment = Imagined { variables, ..Imagined::default() };
    let text = "[a]\nsize=${SIZE}${UNIT}\nbs=${NOTHING}8k\ndescription=$HOME ${SIZE}!\n";
    let job = parse_with(text, "t.fio", &environment).unwrap().remove(0);
    assert_eq!(job.size, Some(Extent::Bytes(12 << 10)));
    assert_eq!(job.max_block_bytes(), 8192);
    assert_eq!(job.description.as_deref(), Some("$HOME 12!"));
}

#[test]
fn included_options_belong_to_the_section_that_includes_them() {
    let files = [
        ("sub/common.fio", "size=1k # from common\ninclude deeper.fio\n"),
        ("sub/deeper.fio", "loops=7\n"),
        ("job.fio", "numjobs=3\n"),
    ]
    .into();
    let environment = Imagined { files, ..Imagined::default() };
    let text = "[a]\ninclude common.fio\n[b]\ninclude job.fio\ninclude   common.fio\nsize=2k\n";
    let jobs = parse_with(text, "sub/main.fio", &environment).unwrap();
    assert_eq!((jobs[0].size, jobs[0].loops), (Some(Extent::Bytes(1024)), 7));
    assert_eq!((jobs[1].size, jobs[1].loops), (Some(Extent::Bytes(2048)), 7));
    assert_eq!((jobs[0].numjobs, jobs[1].numjobs), (1, 3));
    let pair = |name: &str, value: &str| (name.to_string(), value.to_string());
    assert_eq!(jobs[0].options, [pair("size", "1k"), pair("loops", "7")]);
}

#[test]
fn job_files_given_together_are_phases_with_globals_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let first = folder.path().join("first.fio");
    let second = folder.path().join("second.fio");
    std::fs::write(&first, "[global]\nsize=1k\n[a]\n[b]\n").unwrap();
    std::fs::write(&second, "[c]\n[d]\n").unwrap();
    let jobs = load_all(&[&first, &second]).unwrap();
    let seen: Vec<_> = jobs
        .iter()
        .map(|job| (job.name.as_str(), job.index, job.stonewall, job.group_id, job.size))
        .collect();
    let size = Some(Extent::Bytes(1024));
    assert_eq!(
        seen,
        [
            ("a", 0, false, 0, size),
            ("b", 1, false, 0, size),
            ("c", 2, true, 1, None),
            ("d", 3, false, 1, None),
        ]
    );
}

#[test]
fn a_note_on_a_global_line_is_given_once() {
    let jobs = parse("[global]\ndirect=1\nthread\n[a]\n[b]\niodepth=2\n", "t.fio").unwrap();
    let lines: Vec<u32> = notes(&jobs).iter().map(|note| note.line).collect();
    assert_eq!(lines, [3, 6]);
}

#[test]
fn what_a_replay_passes_over_leaves_notes() {
    let files = [("x.log", "fio version 2 iolog\n/dev/x add\n/dev/x open\n/dev/x read 0 4096\n")];
    let environment = Imagined { files: files.into(), ..Imagined::default() };
    let text = "[global]\ndirect=1\nbs=8k\n[a]\nread_iolog=x.log\nloops=3\nruntime=5\n\
                time_based\nfsync=1\nsize=1m\nthinktime=1ms\nend_fsync=0\n[b]\nsize=1m\nloops=2\n";
    let jobs = parse_with(text, "t.fio", &environment).unwrap();
    let mut found: Vec<_> = notes(&jobs).iter().map(|note| (note.line, &*note.text)).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            (6, "option \"loops\" has no effect with read_iolog"),
            (8, "option \"time_based\" has no effect with read_iolog"),
            (9, "option \"fsync\" has no effect with read_iolog"),
            (10, "option \"size\" has no effect with read_iolog"),
        ]
    );
}

#[test]
fn a_terminal_obeys_no_value_of_a_job_file() {
    let error = parse("[a]\nrw=re\u{1b}[5mad\n", "t.fio").unwrap_err().to_string();
    assert!(error.contains("\"re?[5mad\"") && !error.contains('\u{1b}'), "{error}");
}

/// Its lines are of a job file that nobody has; another record was in line 2 of the trace.
#[test]
fn a_note_on_a_trace_in_the_place_of_a_job_file_has_no_line_and_one_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd#name.log");
    let trim = "fio version 2 iolog\nx add\nx open\nx read 0 4096\nx trim 0 4096\n";
    std::fs::write(&path, trim).unwrap();
    let jobs = load_all(&[&path]).unwrap();
    let said: Vec<String> = notes(&jobs).iter().map(ToString::to_string).collect();
    let discards = "discards, which cannot be replayed and are left out: 1";
    assert_eq!(said, [format!("{}: {discards}", path.display())]);
}
