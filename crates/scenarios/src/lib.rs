// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scenarios of `jobs/` and the recordings that they replay, built into the program.
//!
//! A name begins with `@` and goes on with the place in `jobs/`; a job file's ending can be left
//! out: `@2008-page/streams`, `@start-ups/bash.blkparse.gz`. Within a scenario, names are as
//! written in `jobs/`: beside the file, never in the current folder.
//!
//! ```
//! use std::path::Path;
//!
//! let streams = scenarios::find(Path::new("@2008-page/streams"))?;
//! assert_eq!(streams.path, "2008-page/streams.fio");
//! let scenario = Path::new("@2008-page/streams");
//! let replayed = scenarios::beside(scenario, "../start-ups/bash.blkparse.gz");
//! assert_eq!(replayed, Path::new("@start-ups/bash.blkparse.gz"));
//! # Ok::<(), scenarios::Unknown>(())
//! ```

use base::suggest::{did_you_mean_one_of, most_alike};
use std::path::{Component, Path, PathBuf};

/// What the names of built-in files begin with.
const MARK: &str = "@";
/// What the name of a job file ends with.
const ENDING: &str = ".fio";
/// The most names that are offered for one that there is not.
const OFFERED: usize = 3;

/// A file that is built in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    /// Its place in `jobs/`.
    pub path: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
}

static FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// There is no built-in file of that name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name}: there is no such scenario{}",
    match &nearest[..] {
        [] => "; bfq list scenarios has all".to_owned(),
        nearest => did_you_mean_one_of(nearest),
    }
)]
pub struct Unknown {
    /// The name without the `@`, such as `2008-page/streams`.
    pub name: String,
    /// Those that come nearest, the nearest first; none if none is like it.
    pub nearest: Vec<String>,
}

impl File {
    /// What it is called: `@2008-page/streams`.
    pub fn name(&self) -> String {
        format!("{MARK}{}", self.path.strip_suffix(ENDING).unwrap_or(self.path))
    }

    /// Whether it is a job file, not a recording.
    pub fn is_job_file(&self) -> bool {
        self.path.ends_with(ENDING)
    }

    /// The text of a job file.
    ///
    /// # Panics
    /// If it is a recording.
    pub fn text(&self) -> &'static str {
        std::str::from_utf8(self.bytes).expect("job files are text")
    }
}

/// All files that are built in: those of `jobs/` itself, then those of its folders, by name.
pub fn files() -> impl Iterator<Item = &'static File> {
    let is_in_folder = |file: &&File| file.path.contains('/');
    let top = FILES.iter().filter(move |file| !is_in_folder(file));
    top.chain(FILES.iter().filter(is_in_folder))
}

/// Whether this names a built-in file, rather than one on disk.
pub fn is_name(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.starts_with(MARK))
}

/// The built-in file of a name.
///
/// # Errors
/// If there is none.
pub fn find(name: &Path) -> Result<&'static File, Unknown> {
    let place = place(name);
    let is_meant =
        |file: &&File| file.path == place || file.path.strip_suffix(ENDING) == Some(place.as_str());
    FILES.iter().find(is_meant).ok_or_else(|| Unknown {
        name: name.display().to_string(),
        nearest: nearest(place.strip_suffix(ENDING).unwrap_or(&place)),
    })
}

/// The job files of a folder and of those in it, for `@` and the folder's name; none if there is
/// no such folder.
pub fn in_folder(name: &Path) -> Vec<&'static File> {
    let mut folder = place(name);
    if !folder.is_empty() {
        folder.push('/');
    }
    files().filter(|file| file.is_job_file() && file.path.starts_with(&folder)).collect()
}

/// The name of a file to which the built-in file `from` refers as `path`.
pub fn beside(from: &Path, path: &str) -> PathBuf {
    if path.starts_with(MARK) {
        return PathBuf::from(path);
    }
    let from = place(from);
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    PathBuf::from(format!("{MARK}{}", place(&Path::new(folder).join(path))))
}

/// The place in `jobs/` that a name stands for, without `.` and `..`.
fn place(name: &Path) -> String {
    let text = name.to_string_lossy();
    let mut parts: Vec<&str> = Vec::new();
    for part in Path::new(text.strip_prefix(MARK).unwrap_or(&text)).components() {
        match part {
            Component::Normal(part) => parts.push(part.to_str().expect("it comes from a text")),
            Component::ParentDir => drop(parts.pop()),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    parts.join("/")
}

/// The names that are most like what was written.
fn nearest(written: &str) -> Vec<String> {
    let paths = FILES.iter().map(|file| file.path.strip_suffix(ENDING).unwrap_or(file.path));
    let alike = most_alike(written, paths, OFFERED);
    alike.into_iter().map(|path| format!("{MARK}{path}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Option<&'static str> {
        find(Path::new(name)).ok().map(|file| file.path)
    }

    #[test]
    fn a_file_is_found_with_and_without_its_ending_and_by_any_way_to_it() {
        for name in [
            "@tenants/container-tree",
            "@tenants/container-tree.fio",
            "@s-suite/../tenants/./container-tree",
            "@/tenants/container-tree",
        ] {
            assert_eq!(found(name), Some("tenants/container-tree.fio"), "{name}");
        }
        for name in ["@", "@tenants", "@tenants/container", "@start-ups/README.md"] {
            assert_eq!(found(name), None, "{name}");
        }
    }

    #[test]
    fn everything_of_the_folder_is_built_in_as_it_is() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("jobs");
        for file in files() {
            assert_eq!(std::fs::read(root.join(file.path)).unwrap(), file.bytes, "{}", file.path);
        }
        assert_eq!(files().count(), FILES.len());
        assert!(files().filter(|file| file.is_job_file()).all(|file| !file.text().is_empty()));
    }

    #[test]
    fn what_a_scenario_refers_to_is_beside_it() {
        for (from, path, expected) in [
            ("@s-suite/x", "../start-ups/a.gz", "@start-ups/a.gz"),
            ("@s-suite/x", "part.fio", "@s-suite/part.fio"),
            ("@x", "../../etc/passwd", "@etc/passwd"),
            ("@s-suite/x", "/etc/passwd", "@etc/passwd"),
            ("@s-suite/x", "@start-ups/a.gz", "@start-ups/a.gz"),
        ] {
            assert_eq!(beside(Path::new(from), path), Path::new(expected), "{from} {path}");
        }
    }

    #[test]
    fn folders() {
        assert_eq!(in_folder(Path::new("@tenants")).len(), 4);
        assert_eq!(in_folder(Path::new("@tenants/")), in_folder(Path::new("@tenants")));
        assert_eq!(
            in_folder(Path::new("@")).len(),
            files().filter(|file| file.is_job_file()).count()
        );
        for none in ["@ten", "@start-ups", "@tenants/container-tree"] {
            assert_eq!(in_folder(Path::new(none)), Vec::<&File>::new(), "{none}");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_come_nearest() {
        for (written, nearest) in [
            ("@2008-page/steams", "@2008-page/streams"),
            ("@streams", "@2008-page/streams"),
            ("@shared_disk", "@shared-disk"),
            ("@start-ups/bash", "@start-ups/bash.blkparse.gz"),
        ] {
            let unknown = find(Path::new(written)).unwrap_err();
            assert!(unknown.nearest.iter().any(|name| name == nearest), "{unknown}");
        }
        let said = |name: &str| find(Path::new(name)).unwrap_err().to_string();
        let unlike = "@zzz: there is no such scenario; bfq list scenarios has all";
        assert_eq!(said("@zzz"), unlike);
        let like =
            "@2008-page/steams: there is no such scenario; did you mean `@2008-page/streams`";
        assert!(said("@2008-page/steams").starts_with(like));
    }
}
