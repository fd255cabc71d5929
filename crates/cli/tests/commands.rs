// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scripts behind `make run` and `make test`: what they say where something is missing, old or
//! failing. Cargo and the compilers are played by small scripts.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the scripts use besides what is played.
const TOOLS: [&str; 13] = [
    "bash", "sh", "cat", "cut", "dirname", "env", "grep", "head", "mkdir", "sed", "sort", "touch",
    "test",
];

/// A copy of a script in a tree of its own, with a PATH that has nothing but tools and what is
/// played. (In its own place `scripts/test` would write over the log of those who run this test.)
struct Stage(tempfile::TempDir);

/// No program is started while another thread writes one: until the new process has its own
/// program, it holds the file open, and it could not be run ("text file busy").
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Stage {
    fn of(script: &str) -> Self {
        let stage = Self(tempfile::tempdir().unwrap());
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        fs::create_dir(stage.path("scripts")).unwrap();
        fs::create_dir(stage.path("bin")).unwrap();
        let place = format!("scripts/{script}");
        let guard = alone();
        fs::copy(root.join(&place), stage.path(&place)).unwrap();
        drop(guard);
        fs::copy(root.join("Cargo.toml"), stage.path("Cargo.toml")).unwrap();
        for tool in TOOLS {
            let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
                .map(|folder| folder.join(tool))
                .find(|path| path.is_file());
            symlink(found.expect(tool), stage.path("bin").join(tool)).unwrap();
        }
        stage.plays("id", "echo 1000");
        stage
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// `name` is a shell script of this text.
    fn plays(&self, name: &str, text: &str) -> &Self {
        let path = self.path("bin").join(name);
        let guard = alone();
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        drop(guard);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// Plays a toolchain of this version, and a C compiler.
    fn has_rust(&self, version: &str) -> &Self {
        let rustc = format!(
            "case $1 in --version) echo 'rustc {version} (abc 2026-01-01)' ;; *) echo 'host: \
                here' ;; esac"
        );
        self.plays("rustc", &rustc).plays("cargo", "echo \"cargo $*\"").plays("cc", "")
    }

    fn runs(&self, script: &str) -> Output {
        self.runs_with(script, &[], &[])
    }

    fn runs_with(&self, script: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut command = Command::new(self.path("scripts").join(script));
        command
            .args(arguments)
            .env_clear()
            .env("PATH", self.path("bin"))
            .envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let guard = alone();
        let started = command.spawn().unwrap();
        drop(guard);
        started.wait_with_output().unwrap()
    }

    /// Runs `scripts/prepare`, which must fail, and gives its one sentence.
    fn prepare_fails(&self) -> String {
        let output = self.runs("prepare");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let complaint = String::from_utf8(output.stderr).unwrap();
        assert!(complaint.starts_with("bfq: "), "{complaint}");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        complaint
    }
}

/// The `rust-version` of the workspace.
fn oldest() -> &'static str {
    env!("CARGO_PKG_RUST_VERSION")
}

#[test]
fn what_is_missing_is_said_in_a_sentence_to_who_cannot_install_it() {
    let nothing = Stage::of("prepare");
    let all = nothing.prepare_fails();
    let toolchain = format!("a Rust toolchain (cargo and rustc, {} or newer)", oldest());
    assert!(all.contains(&toolchain) && all.contains("a C compiler (cc)"), "{all}");
    assert!(all.contains("apt-get install rustc-web cargo-web"), "{all}");

    let only_rust = Stage::of("prepare");
    only_rust.has_rust("99.0.0");
    fs::remove_file(only_rust.path("bin/cc")).unwrap();
    let linker = only_rust.prepare_fails();
    assert!(linker.starts_with("bfq: a C compiler (cc) must be installed first"), "{linker}");
    assert!(!linker.contains("rustc-web"), "{linker}");
}

#[test]
fn only_make_check_needs_a_spelling_checker() {
    let stage = Stage::of("prepare");
    stage.has_rust("99.0.0");
    assert_eq!(stage.runs("prepare").status.code(), Some(0));
    let output = stage.runs_with("prepare", &["check"], &[]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let complaint = String::from_utf8(output.stderr).unwrap();
    let said = "bfq: a spelling checker (codespell) must be installed first";
    assert!(complaint.starts_with(said), "{complaint}");
    assert!(complaint.contains("`sudo apt-get install codespell`"), "{complaint}");
    stage.plays("codespell", "");
    assert_eq!(stage.runs_with("prepare", &["check"], &[]).status.code(), Some(0));
}

#[test]
fn the_least_version_of_rust_is_checked_and_said() {
    for (version, is_enough) in [
        ("1.63.0", false),
        ("1.9.0", false),
        (oldest(), true),
        ("1.200.0", true),
        ("2.0.0-nightly", true),
    ] {
        let stage = Stage::of("prepare");
        stage.has_rust(version);
        if is_enough {
            let output = stage.runs("prepare");
            assert_eq!(output.status.code(), Some(0), "{version}: {output:?}");
            assert!(output.stderr.is_empty(), "{version}: {output:?}");
        } else {
            let complaint = stage.prepare_fails();
            let said = format!("Rust {version} is too old, {} or newer is needed", oldest());
            assert!(complaint.contains(&said), "{complaint}");
        }
    }
}

#[test]
fn the_crates_of_the_lock_file_are_fetched_and_a_failure_of_that_is_one_of_the_network() {
    let stage = Stage::of("prepare");
    let output = stage.has_rust("99.0.0").runs("prepare");
    assert_eq!(output.stdout, b"cargo fetch --locked --target here\n");
    let complaint = stage.plays("cargo", "exit 101").prepare_fails();
    assert!(complaint.contains("needs a network once"), "{complaint}");
}

#[test]
fn the_oldest_rust_is_tried_wherever_it_comes_from() {
    let compiles = "check --workspace --all-targets --locked";
    // It is the usual one.
    let usual = Stage::of("msrv");
    usual.has_rust(&format!("{}.0", oldest()));
    let told = String::from_utf8(usual.runs("msrv").stdout).unwrap();
    assert_eq!(told.lines().last(), Some(&*format!("cargo {compiles}")));

    // A newer one is, and rustup has it beside that.
    let beside = Stage::of("msrv");
    beside.has_rust("99.0.0");
    let listed = format!("echo 'stable-here (active, default)'; echo {}.0-here", oldest());
    beside.plays("rustup", &listed);
    let told = String::from_utf8(beside.runs("msrv").stdout).unwrap();
    assert_eq!(told.lines().last(), Some(&*format!("cargo +{}.0-here {compiles}", oldest())));

    // There is none.
    for rustup in ["echo stable-here", "exit 1"] {
        let output = beside.plays("rustup", rustup).runs("msrv");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let complaint = String::from_utf8(output.stderr).unwrap();
        let said = format!("Rust {} is not here: rustup toolchain install", oldest());
        assert!(complaint.contains(&said), "{complaint}");
    }
}

/// Root on Debian: the packages are installed if Debian's Rust is new enough.
#[test]
fn root_on_debian_gets_what_is_missing() {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    if !release.lines().any(|line| line == "ID=debian") {
        eprintln!("this is not Debian: nothing is tested");
        return;
    }
    let stage = Stage::of("prepare");
    let bin = stage.path("bin");
    // What apt-get "installs" is there afterwards.
    let installs = format!(
        "echo \"$*\" >>{0}/../asked; [ \"$1\" = update ] || for name in rustc cargo cc; do \
         echo '#!/bin/sh\necho rustc 99.0.0 x' >{0}/$name; /bin/chmod +x {0}/$name; done",
        bin.display()
    );
    stage.plays("id", "echo 0").plays("apt-get", &installs);
    stage.plays("apt-cache", "echo '  Candidate: 1.85.0+dfsg3-1'");
    let complaint = String::from_utf8(stage.runs("prepare").stderr).unwrap();
    let old = format!("Debian's rustc-web is 1.85.0+dfsg3-1 here, and {} is needed", oldest());
    assert!(complaint.contains(&old), "{complaint}");
    stage.plays("apt-cache", "echo '  Candidate: 99.0.0+dfsg1-1~deb12u2'");
    let output = stage.runs("prepare");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let asked = fs::read_to_string(stage.path("asked")).unwrap();
    let install = asked.lines().last().unwrap();
    for package in ["rustc-web", "cargo-web", "ca-certificates", "gcc", "libc6-dev"] {
        assert!(install.contains(package), "{install}");
    }
}

/// What cargo, three programs of tests (one passes, one has a failure, one breaks off) and
/// an example print.
const PRINTED: &str = "\
   Compiling thing v0.1.0
     Running unittests src/lib.rs (target/debug/deps/thing-0123456789abcdef)

running 2 tests
test one ... ok
test two ... ignored

test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s

     Running tests/page.rs (target/debug/deps/page-0123456789abcdef)

running 2 tests
test narrow ... FAILED
test wide ... ok

failures:

---- narrow stdout ----
it is 20 pixels too wide

failures:
    narrow

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.20s

error: test failed, to rerun pass `-p bfq-cli --test page`
     Running tests/crash.rs (target/debug/deps/crash-0123456789abcdef)

running 1 test
error: test failed, to rerun pass `-p bfq-cli --test crash`

Caused by:
  process didn't exit successfully: `/x/crash-0123456789abcdef` (signal: 6, SIGABRT: process abort signal)
     Running unittests examples/small.rs (target/debug/examples/small-0123456789abcdef)

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s

   Doc-tests thing

running 1 test
test src/lib.rs - (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.30s

error: 2 targets failed:
    `-p bfq-cli --test page`
    `-p bfq-cli --test crash`
";

/// What `scripts/test` says with a cargo that says this when it runs tests, and the exit code.
/// Instructions are counted by this script, if there is one; else nothing can count them.
fn tested_and_counted(cargo: &str, counting: Option<&str>) -> (String, Option<i32>) {
    let stage = Stage::of("test");
    fs::write(stage.path("printed"), PRINTED).unwrap();
    if let Some(text) = counting {
        stage.plays("valgrind", "").plays("cost-check", text);
        fs::rename(stage.path("bin/cost-check"), stage.path("scripts/cost-check")).unwrap();
    }
    let output = stage.plays("cargo", cargo).runs("test");
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

fn tested(cargo: &str) -> (String, Option<i32>) {
    tested_and_counted(cargo, None)
}

#[test]
fn a_failure_is_shown_with_what_it_says_and_does_not_end_the_tests() {
    let (told, code) = tested("case \"$*\" in *--no-run*) ;; *) cat printed; exit 101 ;; esac");
    assert_eq!(code, Some(1), "{told}");
    for line in [
        "  thing: unit tests … 1 passed, 1 ignored (0.10 s)",
        "  tests/page.rs … 1 FAILED, 1 passed (0.20 s)",
        "    it is 20 pixels too wide",
        "    signal: 6, SIGABRT: process abort signal",
        "  examples/small.rs … 1 passed (0.10 s)",
        "  thing: examples of the documentation … 1 passed (0.30 s)",
        "What failed:",
        "  tests/page.rs: narrow (again: cargo test -p bfq-cli --test page)",
        "  tests/crash.rs: it broke off (again: cargo test -p bfq-cli --test crash)",
    ] {
        assert!(told.lines().any(|told| told == line), "{line} in\n{told}");
    }
    assert_eq!(told.lines().last(), Some("4 passed, 2 failed, 2 skipped"));
}

#[test]
fn tests_that_do_not_build_or_end_without_a_word_count_as_failed() {
    let (told, code) = tested("case \"$*\" in *--no-run*) exit 101 ;; esac");
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("they do not build: cargo test --workspace --no-run"), "{told}");
    assert_eq!(told.lines().last(), Some("0 passed, 1 failed, 1 skipped"));
    let (told, code) = tested("case \"$*\" in *--no-run*) ;; *) exit 3 ;; esac");
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("it ended with 3, see out/test.log"), "{told}");
}

#[test]
fn crates_to_test_are_named_by_their_folder_or_their_package() {
    let stage = Stage::of("test");
    fs::create_dir_all(stage.path("crates/bench")).unwrap();
    let manifest = "[package]\nname = \"bfq-bench\"\n\n[lib]\nname = \"bench\"\n";
    fs::write(stage.path("crates/bench/Cargo.toml"), manifest).unwrap();
    stage.plays("cargo", "echo \"$*\" >>asked");
    stage.runs_with("test", &[], &[("PACKAGES", "bench bfq")]);
    let asked = fs::read_to_string(stage.path("asked")).unwrap();
    assert_eq!(asked.lines().next(), Some("test --locked -p bfq-bench -p bfq --no-run --quiet"));
}

/// All tests of this cargo pass.
const PASSES: &str = "case \"$*\" in *--no-run*) ;; *) echo 'test result: ok. 7 passed; 0 failed; \
    0 ignored; 0 measured; 0 filtered out; finished in 9.00s' ;; esac";

#[test]
fn all_passing_is_a_success() {
    let (told, code) = tested_and_counted(PASSES, Some(""));
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(told.lines().last(), Some("8 passed, 0 failed, 0 skipped"));
    assert!(!told.contains("What failed"), "{told}");
}

#[test]
fn a_request_that_costs_more_instructions_is_a_failed_test() {
    let (told, code) = tested_and_counted(PASSES, Some("echo '3 % more'; exit 1"));
    assert_eq!(code, Some(1), "{told}");
    for line in
        ["    3 % more", "  scripts/cost-check: instructions of a request (again: make cost-check)"]
    {
        assert!(told.lines().any(|told| told == line), "{line} in\n{told}");
    }
    assert_eq!(told.lines().last(), Some("7 passed, 1 failed, 0 skipped"));
}

#[test]
fn where_instructions_cannot_be_counted_that_is_skipped_unless_it_is_required() {
    let (told, code) = tested(PASSES);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(told.lines().last(), Some("7 passed, 0 failed, 1 skipped"));

    let stage = Stage::of("test");
    let output =
        stage.plays("cargo", PASSES).runs_with("test", &[], &[("BFQ_VALGRIND", "required")]);
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(told.lines().last(), Some("7 passed, 1 failed, 0 skipped"));
}
