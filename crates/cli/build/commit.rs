// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which commit a folder with sources is of: in a repository, in an archive of one, in a package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable by which who builds can say it.
pub const VARIABLE: &str = "BFQ_COMMIT";

/// `git archive` fills in the commit here.
const FILLED_IN: &str = "commit.txt";
/// `cargo package` puts this beside the manifest.
const OF_PACKAGE: &str = ".cargo_vcs_info.json";
/// The digits that name a commit.
const DIGITS: usize = 12;

/// What follows the version: ` (commit 0123456789ab)`, or nothing if it is not known.
pub fn told(given: Option<String>, folder: &Path) -> String {
    let given = given.filter(|commit| !commit.is_empty());
    let commit = given
        .or_else(|| of_package(folder))
        .or_else(|| of_archive(folder))
        .or_else(|| of_repository(folder));
    commit.map_or_else(String::new, |commit| format!(" (commit {commit})"))
}

/// The files by which what is told can change.
pub fn depends_on(folder: &Path) -> Vec<PathBuf> {
    let mut paths = vec![folder.join("build"), folder.join(FILLED_IN)];
    if is_tracked(folder) {
        let branch = git(folder, &["symbolic-ref", "--quiet", "HEAD"]);
        for name in ["HEAD", "logs/HEAD"].map(str::to_owned).into_iter().chain(branch) {
            let path = git(folder, &["rev-parse", "--git-path", &name]);
            paths.extend(path.map(|path| folder.join(path)));
        }
        // Whether there are changes that no commit has.
        let crates = fs::read_dir(folder.join("..")).into_iter().flatten().flatten();
        paths.extend(crates.map(|entry| entry.path().join("src")));
    }
    // Cargo would run the script every time for a file that is not there.
    paths.retain(|path| path.exists());
    paths
}

fn of_package(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(OF_PACKAGE)).ok()?;
    let (_, behind) = text.split_once("\"sha1\"")?;
    let (_, behind) = behind.split_once('"')?;
    shortened(behind.split('"').next()?)
}

fn of_archive(folder: &Path) -> Option<String> {
    // Unfilled it is a word with dollar signs.
    shortened(fs::read_to_string(folder.join(FILLED_IN)).ok()?.trim())
}

fn of_repository(folder: &Path) -> Option<String> {
    if !is_tracked(folder) {
        return None;
    }
    let commit = shortened(&git(folder, &["rev-parse", "HEAD"])?)?;
    let changes = git(folder, &["status", "--porcelain", "--untracked-files=no", "--", "../.."])?;
    Some(if changes.is_empty() { commit } else { format!("{commit}, with changes") })
}

/// Whether the folder's manifest is a file of a repository: sources that were unpacked within
/// another project's repository are not of its commits.
fn is_tracked(folder: &Path) -> bool {
    git(folder, &["ls-files", "--error-unmatch", "Cargo.toml"]).is_some()
}

fn shortened(commit: &str) -> Option<String> {
    let is_name = commit.len() >= DIGITS && commit.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_name.then(|| commit[..DIGITS].to_owned())
}

/// What git says, if it is there and succeeds.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    // A user who builds trusts the sources, whoever owns them.
    let trusted = ["-c", "safe.directory=*"];
    let output = Command::new("git").args(trusted).args(arguments).current_dir(folder).output();
    let output = output.ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned())
}
