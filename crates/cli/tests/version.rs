// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq --version` names the commit, wherever the sources come from.

#[path = "../build/commit.rs"]
mod commit;

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs git with a name of its own and without anybody's settings.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(arguments)
        .current_dir(folder)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
        .output()
        .ok()?;
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    Some(String::from_utf8(output.stdout).unwrap().trim().to_owned())
}

/// A repository with the command's folder in it and one commit, whose name is given too; none
/// where git is not installed.
fn repository() -> Option<(tempfile::TempDir, String)> {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join("crates/cli");
    fs::create_dir_all(&folder).unwrap();
    for file in ["Cargo.toml", "commit.txt", ".gitattributes"] {
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(file), folder.join(file)).unwrap();
    }
    if git(root.path(), &["init", "--quiet"]).is_none() {
        eprintln!("git is not installed: nothing is tested");
        return None;
    }
    git(root.path(), &["add", "."]);
    git(root.path(), &["commit", "--quiet", "-m", "first"]);
    let name = git(root.path(), &["rev-parse", "HEAD"])?;
    Some((root, name[..12].to_owned()))
}

#[test]
fn the_command_tells_its_version_and_the_commit_it_is_built_from() {
    let output = Command::new(env!("CARGO_BIN_EXE_bfq")).arg("--version").output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    // What the build script found out: by now there may be another commit.
    let built = env!("BFQ_BUILD");
    assert_eq!(told, format!("bfq {}{built}\n", env!("CARGO_PKG_VERSION")));
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let is_known = !commit::told(std::env::var(commit::VARIABLE).ok(), here).is_empty();
    assert_eq!(built.starts_with(" (commit "), is_known, "{built}");
}

#[test]
fn a_repository_knows_its_commit_and_whether_there_are_changes() {
    let Some((root, name)) = repository() else { return };
    let folder = root.path().join("crates/cli");
    assert_eq!(commit::told(None, &folder), format!(" (commit {name})"));
    fs::write(root.path().join("not-tracked"), "").unwrap();
    assert_eq!(commit::told(None, &folder), format!(" (commit {name})"));
    fs::write(folder.join("Cargo.toml"), "changed").unwrap();
    assert_eq!(commit::told(None, &folder), format!(" (commit {name}, with changes)"));
    let depends_on = commit::depends_on(&folder);
    assert!(depends_on.iter().any(|path| path.ends_with(".git/HEAD")), "{depends_on:?}");
}

#[test]
fn an_archive_of_a_repository_knows_its_commit() {
    let Some((root, name)) = repository() else { return };
    git(root.path(), &["archive", "--output", "all.tar", "HEAD"]);
    let unpacked = tempfile::tempdir().unwrap();
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(root.path().join("all.tar")).current_dir(unpacked.path());
    assert!(tar.status().unwrap().success());
    let folder = unpacked.path().join("crates/cli");
    assert_eq!(commit::told(None, &folder), format!(" (commit {name})"));
}

#[test]
fn a_package_knows_its_commit() {
    let folder = tempfile::tempdir().unwrap();
    let written =
        "{\n  \"git\": {\n    \"sha1\": \"0123456789abcdef0123456789abcdef01234567\"\n  }\n}";
    fs::write(folder.path().join(".cargo_vcs_info.json"), written).unwrap();
    assert_eq!(commit::told(None, folder.path()), " (commit 0123456789ab)");
}

#[test]
fn sources_that_nobody_knows_a_commit_of_have_a_version_all_the_same() {
    let Some((root, _)) = repository() else { return };
    // Unpacked within another repository, whose commits are not ours.
    let unpacked = root.path().join("vendor/cli");
    fs::create_dir_all(&unpacked).unwrap();
    for file in ["Cargo.toml", "commit.txt"] {
        fs::copy(root.path().join("crates/cli").join(file), unpacked.join(file)).unwrap();
    }
    assert_eq!(commit::told(None, &unpacked), "");
    assert_eq!(commit::told(Some(String::new()), &unpacked), "");
    assert_eq!(commit::told(Some("of-a-packager".into()), &unpacked), " (commit of-a-packager)");
}
