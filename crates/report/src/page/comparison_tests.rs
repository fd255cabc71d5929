// SPDX-License-Identifier: MIT OR Apache-2.0
//! Comparisons on the page and in Markdown.

use crate::comparison::{ComparedMetric, Comparison, Effect, Shade};
use crate::study::Study;
use crate::{markdown, page};

fn metric(by_ratio: bool, effects: Vec<Option<Effect>>) -> ComparedMetric {
    ComparedMetric {
        scenario: "start-readers".into(),
        what_happens: "a shell starts beside <ten> readers".into(),
        metric: "start of an application".into(),
        unit: "s".into(),
        by_ratio,
        values: vec![Some("30.0 [28.0–33.5]".into()), Some("5.00 (4.50–5.50)".into()), None],
        effects,
    }
}

fn comparison() -> Comparison {
    let effect = |median, interval, shade, words: &str| {
        Some(Effect { median, interval, shade, words: words.to_owned() })
    };
    let six = effect(6.0, Some([5.0, 8.0]), Shade::Better, "6.0 [5.0–8.0] ×");
    let open = effect(-3.0, Some([-5.0, 1.0]), Shade::Open, "−3.0 [−5.0 to 1.0] points");
    let few = effect(0.5, None, Shade::TooFew, "0.50 ×, too few rounds");
    Comparison {
        title: "Schedulers on /srv".into(),
        about: vec!["sda & co.".into(), "10 rounds.".into()],
        advice: vec!["For desktop use: bfq.".into()],
        sureness: "How sure: 10 rounds.".into(),
        untested: vec!["kyber was not measured.".into()],
        candidates: vec!["none".into(), "bfq".into(), "kyber".into()],
        reference: 0,
        metrics: vec![
            metric(true, vec![None, six, None]),
            metric(false, vec![None, open, None]),
            metric(true, vec![None, None, few]),
            metric(true, vec![None, None, None]),
        ],
    }
}

fn study() -> Study<'static> {
    Study::of(&[]).with(vec![comparison()])
}

#[test]
fn intervals_are_drawn_where_they_are_and_called_what_they_are() {
    let page = page(&study());
    assert_eq!(page.matches("<figure class=\"bars effects\">").count(), 3);
    assert_eq!(page.matches("<svg class=\"effect\"").count(), 3);
    for part in [
        "<title>bfq: 6.0 [5.0–8.0] ×, better</title>",
        "<title>bfq: −3.0 [−5.0 to 1.0] points, no difference found</title>",
        "<title>kyber: 0.50 ×, too few rounds, too few rounds to tell</title>",
        "class=\"interval s7\"",
        "a shell starts beside &lt;ten&gt; readers",
        "<p>For desktop use: bfq.</p>",
        "sda &amp; co. 10 rounds.",
        "<li>kyber was not measured.</li>",
        "<td>30.0 [28.0–33.5]</td><td>5.00 (4.50–5.50)</td><td>–</td>",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    // From 1/2 to 10: 1 lies at ln 2 of ln 20, and the interval from 5 to 8.
    assert!(page.contains("<line class=\"even\" x1=\"23.14%\" x2=\"23.14%\""), "{page}");
    assert!(page.contains("class=\"interval s3\" x1=\"76.86%\" x2=\"92.55%\""), "{page}");
}

#[test]
fn a_page_of_comparisons_alone_says_so() {
    let page = page(&study());
    assert!(page.contains("<p class=\"lead\">1 comparison on real disks.</p>"), "{page}");
    assert!(!page.contains("id=\"overview\"") && !page.contains("0 scenarios"));
}

#[test]
fn in_markdown() {
    let text = markdown(&study());
    for part in [
        "\n## Schedulers on /srv\n",
        "\n- For desktop use: bfq.\n",
        "| start-readers | start of an application, s | 30.0 \\[28.0–33.5\\] | \
         5.00 (4.50–5.50)<br>6.0 \\[5.0–8.0\\] ×: better | – |",
        "\n- kyber was not measured.\n",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}
