//! `bfq list`: what there is to choose from.

use crate::failure::Failure;
use crate::output::print;
use device::{Profile, Tolerance};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use workload::Header;

/// The command line of `bfq list`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// The schedulers
    Schedulers,
    /// The built-in device profiles; with a name or file, all values of that profile
    Devices {
        /// A built-in profile or a TOML file, as for `bfq sim --device`
        profile: Option<String>,
    },
    /// The tunables of all schedulers, or of one
    Tunables {
        /// The scheduler
        scheduler: Option<String>,
    },
    /// The scenarios: job files of a folder and of those in it
    Scenarios {
        /// The folder
        #[arg(default_value = "jobs")]
        folder: PathBuf,
    },
}

/// Runs the command.
///
/// # Errors
/// With exit code 2 if a profile, scheduler or folder does not exist or is wrong.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    let text = match &arguments.what {
        What::Schedulers => schedulers(),
        What::Devices { profile: None } => devices(),
        What::Devices { profile: Some(name) } => device_values(name)?,
        What::Tunables { scheduler } => tunables(scheduler.as_deref())?,
        What::Scenarios { folder } => scenarios(folder)?,
    };
    print(&text)
}

/// Rows of cells as lines, all columns but the last as wide as their widest cell.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

fn schedulers() -> String {
    let row = |row: &elevators::Scheduler| vec![row.name.to_owned(), row.doc.to_owned()];
    aligned(&elevators::schedulers().iter().map(row).collect::<Vec<_>>())
}

fn tunables(only: Option<&str>) -> Result<String, Failure> {
    let names: Vec<&str> = match only {
        Some(name) => vec![name],
        None => elevators::names().collect(),
    };
    let head = ["scheduler", "tunable", "default", "values", "unit", "meaning"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for name in names {
        for tunable in elevators::tunables(name).map_err(Failure::usage)? {
            rows.push(vec![
                name.to_owned(),
                tunable.name.to_owned(),
                tunable.default,
                tunable.values.to_string(),
                tunable.unit.to_owned(),
                tunable.doc.to_owned(),
            ]);
        }
    }
    Ok(if rows.len() > 1 { aligned(&rows) } else { "no tunables\n".to_owned() })
}

fn devices() -> String {
    let head = ["device", "model", "depth", "kind", "capacity", "description"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for profile in Profile::builtin_names().filter_map(Profile::builtin) {
        rows.push(vec![
            profile.name().to_owned(),
            profile.model().name().to_owned(),
            profile.depth().to_string(),
            if profile.rotational() { "rotational" } else { "solid state" }.to_owned(),
            format!("{:.0} GB", (profile.capacity_sectors() * device::SECTOR_BYTES) as f64 / 1e9),
            profile.description().to_owned(),
        ]);
    }
    aligned(&rows)
}

fn device_values(argument: &str) -> Result<String, Failure> {
    let profile = Profile::parse_argument(argument).map_err(Failure::usage)?;
    let mut text = format!("{}: {}\n\n", profile.name(), profile.description());
    let head = ["value", "", "tolerance", "source"].map(str::to_owned).to_vec();
    for (title, figures) in
        [("value", profile.values()), ("expected of it", profile.expectations())]
    {
        if figures.is_empty() {
            continue;
        }
        let mut rows = vec![head.clone()];
        rows[0][0] = title.to_owned();
        for figure in figures {
            rows.push(vec![
                figure.row.name.to_owned(),
                format!("{} {}", figure.text, figure.unit).trim_end().to_owned(),
                match figure.tolerance {
                    Tolerance::Exact => "exact".to_owned(),
                    Tolerance::Percent(percent) => format!("±{percent} %"),
                },
                figure.source.clone(),
            ]);
        }
        text.push_str(&aligned(&rows));
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    Ok(text)
}

fn scenarios(folder: &Path) -> Result<String, Failure> {
    let mut rows = Vec::new();
    for path in job_files(folder)? {
        let text = std::fs::read_to_string(&path).map_err(|error| unreadable(&path, error))?;
        rows.push(vec![path.display().to_string(), Header::parse(&text).title().to_owned()]);
    }
    Ok(if rows.is_empty() {
        format!("no job files (*.fio) in {}\n", folder.display())
    } else {
        aligned(&rows)
    })
}

/// The job files of a folder in order, then those of each folder in it.
fn job_files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))? {
        let entry = entry.map_err(|error| unreadable(folder, error))?;
        let path = entry.path();
        if entry.file_type().map_err(|error| unreadable(&path, error))?.is_dir() {
            folders.push(path);
        } else if path.extension().is_some_and(|extension| extension == "fio") {
            files.push(path);
        }
    }
    files.sort();
    folders.sort();
    for folder in folders {
        files.extend(job_files(&folder)?);
    }
    Ok(files)
}

fn unreadable(path: &Path, error: std::io::Error) -> Failure {
    Failure::usage(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_lines_have_no_tail() {
        let rows = [vec!["a".into(), "bb".into()], vec!["ccc".into(), "".into()]];
        assert_eq!(aligned(&rows), "a    bb\nccc\n");
    }
}
