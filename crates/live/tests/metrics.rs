// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a metrics server is told: totals add up, figures are of the last interval, and each metric
//! is in docs/generated/top.md. With `BFQ_WRITE_DOCS=1` in the environment the test writes that
//! page.

use live::{DiskFigures, Figures, GroupFigures, Quantiles, Snapshot, Totals, open_metrics};
use std::path::Path;

const HEAD: &str = "\
# Metrics of bfq top

Made from what they say of themselves by `BFQ_WRITE_DOCS=1 cargo test -p bfq-live --test metrics`;
[top.md](../top.md) says what the figures mean.

";

/// An interval of two seconds, in half of which the disk was busy, for one group.
fn interval(at_s: f64, group: &str, read_bytes: u64) -> Snapshot {
    let took = Quantiles { median_ns: 1_000_000, p99_ns: 4_000_000, worst_ns: 8_000_000 };
    let figures = Figures {
        read_bytes,
        ios: read_bytes / 4096,
        time_percent: 100.0,
        queue_depth: 1.5,
        waiting: took,
        in_device: took,
        ..Figures::default()
    };
    let group = GroupFigures {
        group: group.to_owned(),
        entitled_percent: Some(25.0),
        figures: figures.clone(),
    };
    let disk = DiskFigures {
        name: "sda".to_owned(),
        busy_percent: 50.0,
        utilisation_percent: 20.0,
        all: figures,
        groups: vec![group],
        ..DiskFigures::default()
    };
    Snapshot { at_s, interval_s: 2.0, lost_events: 1, disks: vec![disk] }
}

fn text(intervals: &[Snapshot]) -> String {
    let mut totals = Totals::default();
    intervals.iter().for_each(|interval| totals.add(interval));
    open_metrics(&totals).unwrap()
}

fn expect_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|one| one == *line), "{line}\n{text}");
    }
}

#[test]
fn counters_have_all_intervals_and_gauges_the_last() {
    let text = text(&[interval(2.0, "/a", 8192), interval(4.0, "/a", 4096)]);
    expect_lines(
        &text,
        &[
            "# TYPE bfq_top_disk_transferred_bytes counter",
            "bfq_top_disk_transferred_bytes_total{disk=\"sda\",operation=\"read\"} 12288.0",
            "bfq_top_disk_ios_total{disk=\"sda\"} 3.0",
            "bfq_top_disk_busy_seconds_total{disk=\"sda\"} 2.0",
            "bfq_top_group_time_seconds_total{disk=\"sda\",group=\"/a\"} 2.0",
            "bfq_top_disk_utilisation_ratio{disk=\"sda\"} 0.2",
            "bfq_top_group_entitled_ratio{disk=\"sda\",group=\"/a\"} 0.25",
            "bfq_top_group_waiting_seconds{disk=\"sda\",group=\"/a\",quantile=\"0.99\"} 0.004",
            "bfq_top_group_depth{disk=\"sda\",group=\"/a\"} 1.5",
            "bfq_top_lost_events_total 2.0",
            "# EOF",
        ],
    );
}

#[test]
fn a_group_without_io_keeps_its_total_for_an_hour_and_is_then_forgotten() {
    let old = "bfq_top_group_ios_total{disk=\"sda\",group=\"/old\"} 2.0";
    let both = [interval(2.0, "/old", 8192), interval(3600.0, "/new", 4096)];
    expect_lines(&text(&both), &[old]);
    let later = [interval(2.0, "/old", 8192), interval(3602.0, "/new", 4096)];
    assert!(!text(&later).contains("/old"));
}

#[test]
fn names_with_quotes_stay_in_their_quotes() {
    let text = text(&[interval(2.0, "/a \"b\"\\c", 4096)]);
    let line = r#"bfq_top_group_ios_total{disk="sda",group="/a \"b\"\\c"} 1.0"#;
    expect_lines(&text, &[line]);
}

#[test]
fn metrics_in_the_documentation_are_those_of_the_code() {
    let table = web::metrics::table(&text(&[interval(2.0, "/a", 4096)]));
    let documented = format!("{HEAD}{table}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated/top.md");
    if std::env::var_os("BFQ_WRITE_DOCS").is_some() {
        std::fs::write(&path, documented).unwrap();
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap();
    assert!(there == documented, "BFQ_WRITE_DOCS=1 cargo test -p bfq-live --test metrics");
}
