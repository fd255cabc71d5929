// SPDX-License-Identifier: MIT OR Apache-2.0
//! `bfq bench --import` and `bfq report` on results that exist: what is said, drawn, refused.

use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};
use tempfile::TempDir;

fn bfq(folder: &TempDir, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bfq"));
    command.args(arguments).current_dir(folder.path()).output().unwrap()
}

fn stdout(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What a refusal says.
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A file of results in which bfq starts programs four times as fast as none.
fn results(folder: &Path, rounds: u32) {
    let mut text = String::from(
        "{\"opening\":{\"version\":\"0.1.0\",\"kernel\":\"6.18.0\",\"target\":\"/missing\",\
         \"disk\":\"a disk\",\"candidates\":[\"none\",\"bfq\"],\"scenarios\":[\"start-readers\"],\
         \"rounds\":8,\"seed\":1}}\n",
    );
    for round in 0..rounds {
        for (candidate, start_up_s) in [("none", 8.0), ("bfq", 2.0)] {
            let start_up_s = start_up_s + 0.1 * f64::from(round % 3);
            let _ = writeln!(
                text,
                "{{\"measurement\":{{\"candidate\":\"{candidate}\",\"scenario\":\"start-readers\",\
                 \"round\":{round},\"began_s\":0.0,\"values\":{{\"start_up\":{start_up_s}}}}}}}"
            );
        }
    }
    std::fs::write(folder.join("disk.jsonl"), text).unwrap();
}

/// An output of fio with this rate of reads.
fn fio(folder: &Path, name: &str, iops: u32) {
    let text = format!(
        "{{\"fio version\": \"fio-3.33\", \"jobs\": [{{\"jobname\": \"reads\", \
         \"job options\": {{\"filename\": \"/missing\"}}, \"read\": {{\"iops\": {iops}, \
         \"bw_bytes\": {}, \"total_ios\": {iops}}}}}]}}",
        iops * 4096
    );
    std::fs::write(folder.join(name), text).unwrap();
}

#[test]
fn results_are_judged_for_goals() {
    let folder = tempfile::tempdir().unwrap();
    results(folder.path(), 8);
    let all = stdout(&bfq(&folder, &["bench", "--import", "disk.jsonl"]));
    assert!(all.starts_with("For desktop use: bfq; starts 3.9 ["), "{all}");
    assert!(
        all.contains("playing media and pure throughput: nothing was measured that tells."),
        "{all}"
    );
    let one = stdout(&bfq(&folder, &["bench", "--import", "disk.jsonl", "--goal", "start_up=2"]));
    assert!(one.starts_with("For start_up=2: bfq; starts 3.9 ["), "{one}");
    let wrong = bfq(&folder, &["bench", "--import", "disk.jsonl", "--goal", "gaming"]);
    assert!(refused(&wrong).contains("There are the goals desktop, server"));
}

#[test]
fn a_rule_needs_a_disk_and_a_recommendation() {
    let folder = tempfile::tempdir().unwrap();
    results(folder.path(), 8);
    let rule = bfq(&folder, &["bench", "--import", "disk.jsonl", "--emit", "udev"]);
    assert!(refused(&rule).contains("/missing"));
    let rule = bfq(&folder, &["bench", "--import", "disk.jsonl", "--emit", "cron"]);
    assert!(refused(&rule).contains("udev, systemd, tuned, sysctl-like, io.cost"));
}

#[test]
fn runs_of_fio_are_judged_kept_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    for round in 0..6 {
        fio(folder.path(), &format!("none-{round}.json"), 2000 + 10 * round);
        fio(folder.path(), &format!("run{round}"), 1000 + round);
    }
    let mut arguments = vec!["bench", "--output", "kept.jsonl", "--goal", "throughput"];
    let named: Vec<String> =
        (0..6).map(|round| format!("--as=bfq:slice_idle=0=run{round}")).collect();
    arguments.extend(named.iter().map(String::as_str));
    let files: Vec<String> = (0..6).map(|round| format!("none-{round}.json")).collect();
    arguments.push("--import");
    arguments.extend(files.iter().map(String::as_str));
    let verdict = stdout(&bfq(&folder, &arguments));
    assert!(verdict.starts_with("For pure throughput: none; moves 2.0 ["), "{verdict}");
    assert!(verdict.contains("(beside bfq:slice_idle=0)"), "{verdict}");

    stdout(&bfq(&folder, &["report", "kept.jsonl", "-o", "report.html"]));
    let page = std::fs::read_to_string(folder.path().join("report.html")).unwrap();
    assert!(page.contains("Schedulers of the kernel on /missing"), "{page}");
    assert!(page.contains("<svg class=\"effect\"") && page.contains("×, better</title>"), "{page}");
    let markdown = stdout(&bfq(&folder, &["report", "kept.jsonl", "--format", "md"]));
    assert!(markdown.contains("- For pure throughput: none; moves 2.0 "), "{markdown}");
    let text = stdout(&bfq(&folder, &["report", "kept.jsonl"]));
    assert!(text.contains("For pure throughput: none; moves 2.0 ["), "{text}");
    let refusal = refused(&bfq(&folder, &["report", "kept.jsonl", "--format", "csv"]));
    assert!(refusal.contains("expected --output-format text, html or md"), "{refusal}");
}

/// A client that thinks beside a load: guessed, or named.
#[test]
fn the_foreground_of_fio_is_guessed_aloud_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let jobs: Vec<String> = [("reader", "\"thinktime\": \"5ms\""), ("load", "\"iodepth\": \"8\"")]
        .map(|(name, option)| {
            format!(
                "{{\"jobname\": \"{name}\", \"job options\": {{{option}}}, \"read\": {{\
                 \"iops\": 9, \"bw_bytes\": 9, \"total_ios\": 9, \"clat_ns\": {{\"percentile\": \
                 {{\"50.000000\": 900, \"99.000000\": 900}}}}}}}}"
            )
        })
        .to_vec();
    let text = format!("{{\"fio version\": \"fio-3.33\", \"jobs\": [{}]}}", jobs.join(", "));
    std::fs::write(folder.path().join("none.json"), text).unwrap();
    let guessed = bfq(&folder, &["bench", "--import", "none.json"]);
    let said = String::from_utf8_lossy(&guessed.stderr).into_owned();
    assert!(said.contains("note: the job `reader` is taken for the foreground"), "{said}");
    let verdict = stdout(&guessed);
    assert!(verdict.contains("load, in the background: throughput, MB/s"), "{verdict}");
    assert!(verdict.contains("taken for the foreground, as it alone has thinktime"), "{verdict}");
    let named = bfq(&folder, &["bench", "--import", "none.json", "--foreground", "load"]);
    assert!(named.stderr.is_empty());
    assert!(stdout(&named).contains("reader, in the background: throughput"));
    let missing = bfq(&folder, &["bench", "--import", "none.json", "--foreground", "nobody"]);
    assert!(refused(&missing).contains("--foreground; its jobs are reader, load"));
    results(folder.path(), 8);
    let ours = bfq(&folder, &["bench", "--import", "disk.jsonl", "--foreground", "load"]);
    assert!(refused(&ours).contains("expected files of fio with it"));
}

#[test]
fn what_cannot_be_imported_is_said() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bfq.json"), "read: IOPS=900\n").unwrap();
    let refusal = refused(&bfq(&folder, &["bench", "--import", "bfq.json"]));
    assert!(refusal.contains("bfq.json: expected what fio 3 writes"), "{refusal}");
    let refusal = refused(&bfq(&folder, &["bench", "--import", "my run.json"]));
    assert!(refusal.contains("--as NAME=FILE"), "{refusal}");
}
