// SPDX-License-Identifier: MIT OR Apache-2.0
//! Verdicts on runs that are made up.

use super::super::{Advice, Verdict, Weights, judge, judge_file};
use crate::model::{Goal, Metric, Others, ResultsFile};
use crate::statistics::Apart;
use crate::tests::made_up_runs::{TrueValues, measurements, opening};

const THREE: [&str; 3] = ["none", "mq-deadline", "bfq"];

/// A slow disk: bfq starts programs sooner and costs a little of everything else.
const SLOW: [TrueValues; 6] = [
    ("start-readers", Metric::StartUp, &[30.0, 18.0, 3.0]),
    ("start-readers", Metric::Throughput, &[100.0, 100.0, 92.0]),
    ("sequential", Metric::Throughput, &[110.0, 100.0, 80.0]),
    ("deep", Metric::Iops, &[200.0, 200.0, 198.0]),
    ("deep", Metric::CpuPerIo, &[9.0, 9.1, 9.2]),
    ("player", Metric::LateFrames, &[30.0, 12.0, 0.0]),
];

/// A disk in memory: nothing waits, and each I/O costs what its scheduler costs.
const MEMORY: [TrueValues; 5] = [
    ("start-readers", Metric::StartUp, &[0.020, 0.025, 0.030]),
    ("start-readers", Metric::Throughput, &[4000.0, 3990.0, 3980.0]),
    ("sequential", Metric::Throughput, &[4000.0, 3990.0, 3980.0]),
    ("deep", Metric::CpuPerIo, &[4.0, 5.0, 8.0]),
    ("player", Metric::LateFrames, &[0.0, 0.0, 0.0]),
];

fn verdict(table: &[TrueValues], rounds: u32, goals: &str) -> Verdict {
    let opening = opening(&THREE, table);
    let measured = measurements(&opening, table, rounds, 0.05, 3);
    let goals = match goals {
        "all" => Weights::of_all_goals(),
        one => vec![one.parse().unwrap()],
    };
    judge(&opening, &measured, &goals)
}

/// What is advised for the first goal, in a word.
fn chosen(verdict: &Verdict) -> String {
    match &verdict.goals[0].advice {
        Advice::Choose { candidate, .. } => candidate.to_string(),
        Advice::Depends { candidate, rival } => format!("{candidate} or {rival}"),
        Advice::NoDifference => "any".to_owned(),
        Advice::TooFew { rounds } => format!("too few: {rounds}"),
        Advice::Lacks(lack) => format!("{}?", lack.candidate),
        Advice::Unknown => "?".to_owned(),
    }
}

#[test]
fn what_suits_hangs_on_the_disk_the_goal_and_the_rounds() {
    let same: &[TrueValues] = &[("start-readers", Metric::StartUp, &[5.0, 5.0, 5.0])];
    for (table, rounds, goal, expected) in [
        (&SLOW[..], 10, "desktop", "bfq"),
        (&SLOW, 10, "throughput", "none"),
        (&SLOW, 10, "media", "bfq"),
        (&SLOW, 10, "throughput=1,start_up=0.01", "none"),
        (&SLOW, 4, "desktop", "too few: 4"),
        (&SLOW, 2, "desktop", "too few: 2"),
        (&MEMORY, 10, "desktop", "none"),
        (&MEMORY, 10, "throughput", "none"),
        (same, 10, "desktop", "any"),
        (same, 10, "sync_tail", "?"),
    ] {
        let verdict = verdict(table, rounds, goal);
        assert_eq!(chosen(&verdict), expected, "{goal}, {rounds} rounds\n{verdict}");
    }
}

/// bfq does three times as many operations, which outweighs what it costs of the throughput; but
/// the goal is named after that.
#[test]
fn nobody_is_recommended_who_is_worse_in_what_the_goal_is_named_after() {
    let table: &[TrueValues] = &[
        ("sequential", Metric::Throughput, &[100.0, 100.0, 72.0]),
        ("deep", Metric::Iops, &[100.0, 100.0, 900.0]),
    ];
    let verdict = verdict(table, 10, "throughput");
    assert_eq!(chosen(&verdict), "bfq or mq-deadline", "{verdict}");
    let text = verdict.to_string();
    let told = "For pure throughput it depends, on bfq or mq-deadline: bfq does 9.";
    assert!(text.starts_with(told) && text.contains(" less (sequential) (beside mq-d"), "{text}");
    assert_eq!(verdict.recommended(), None);
    // The weights say what a loss is worth.
    let own = judge(
        &verdict.opening,
        &measurements(&verdict.opening, table, 10, 0.05, 3),
        &["throughput=4,iops=2".parse().unwrap()],
    );
    assert_eq!(chosen(&own), "bfq");
}

#[test]
fn what_leads_is_the_largest_difference() {
    for (costs_us, throughput, leads) in [
        ([4.0, 4.0, 4.4], [928.0, 928.0, 408.0], "none; moves 2."),
        ([4.0, 4.0, 9.0], [928.0, 928.0, 850.0], "none; takes 5"),
    ] {
        let table: &[TrueValues] = &[
            ("sequential", Metric::Throughput, &throughput),
            ("deep", Metric::CpuPerIo, &costs_us),
        ];
        for goal in ["throughput", "server"] {
            let mut opening = opening(&THREE, table);
            opening.current = Some("bfq".to_owned());
            let measured = measurements(&opening, table, 10, 0.02, 3);
            let text = judge(&opening, &measured, &[goal.parse().unwrap()]).to_string();
            assert!(text.contains(leads), "{goal}: {text}");
        }
    }
}

#[test]
fn a_cost_that_is_larger_than_all_gains_comes_first() {
    let table: &[TrueValues] = &[
        ("start-readers", Metric::StartUp, &[3.0, 3.0, 2.0]),
        ("start-readers", Metric::Throughput, &[928.0, 928.0, 408.0]),
    ];
    let text = verdict(table, 10, "desktop").to_string();
    assert!(text.starts_with("For desktop use: bfq; moves 5"), "{text}");
    assert!(text.contains(" less (start-readers), but starts 1."), "{text}");
}

/// Each is beaten by another: none starts programs late, bfq moves less, and mq-deadline, between
/// them in what is no difference that counts, costs more than none. What weighs most decides.
#[test]
fn in_a_circle_the_one_that_beats_the_others_most_is_chosen() {
    let circle: &[TrueValues] = &[
        ("start-readers", Metric::StartUp, &[0.16, 0.12, 0.05]),
        ("start-readers", Metric::Throughput, &[100.0, 100.0, 70.0]),
        ("deep", Metric::CpuPerIo, &[4.0, 5.6, 5.6]),
    ];
    let verdict = verdict(circle, 10, "desktop");
    assert_eq!(chosen(&verdict), "bfq", "{verdict}");
    let first = verdict.to_string().lines().next().unwrap().to_owned();
    assert!(first.contains("beside none") && !first.contains("no difference"), "{first}");
}

#[test]
fn a_person_does_not_notice_what_a_server_does() {
    let waits = |metric, waits_ms: &'static [f64]| -> [TrueValues<'static>; 2] {
        [("client", metric, waits_ms), ("deep", Metric::CpuPerIo, &[4.0, 5.0, 5.6])]
    };
    let worst = Metric::LatencyTail;
    let usual = Metric::LatencyMedian;
    for (metric, waits_ms, goal, expected) in [
        (worst, &[60.0, 60.0, 6.0], "desktop", "none"),
        (worst, &[60.0, 60.0, 6.0], "server", "bfq"),
        (worst, &[190.0, 190.0, 30.0], "desktop", "bfq"),
        (usual, &[0.9, 0.9, 0.1], "desktop", "none"),
        (usual, &[1.9, 2.0, 0.3], "desktop", "bfq"),
        (usual, &[19.0, 19.0, 16.6], "desktop", "none"),
    ] {
        let verdict = verdict(&waits(metric, waits_ms), 10, goal);
        assert_eq!(chosen(&verdict), expected, "{goal}: {verdict}");
    }
}

#[test]
fn a_verdict_is_a_function_of_the_measurements() {
    assert_eq!(verdict(&SLOW, 10, "all"), verdict(&SLOW, 10, "all"));
}

#[test]
fn a_verdict_reads_like_advice() {
    let text = verdict(&SLOW, 10, "desktop").to_string();
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("For desktop use: bfq; starts 5.9 ["), "{text}");
    assert!(first.contains(" times faster (start-readers) and "), "{text}");
    assert!(first.contains(", but moves ") && first.contains(" less (start-readers)"), "{text}");
    assert!(first.ends_with("(beside mq-deadline, which is set now)."), "{text}");
    for part in [
        "Beside none, bfq\n",
        "points fewer late frames: a film of 50 frames",
        "How sure: 10 rounds.",
        "Not tested:\n  start-idle: a shell starts on the idle disk (--level normal).",
        "as most programs do: all that was measured bypasses it.",
        "nearly full, or worn",
        "start-readers: start of an application, s  ",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let memory = verdict(&MEMORY, 10, "desktop").to_string();
    let first = memory.lines().next().unwrap();
    assert!(first.starts_with("For desktop use: none; takes 2"), "{memory}");
    assert!(first.contains("less processor time for an I/O (deep)"), "{memory}");
    let all = verdict(&SLOW, 10, "all").to_string();
    assert!(all.contains("\nFor a server and pure throughput: none; moves "), "{all}");
    assert!(
        all.contains("\nFor a database no difference was found that counts, and most"),
        "{all}"
    );
    let few = verdict(&SLOW, 2, "desktop").to_string();
    let told =
        "For desktop use: 2 rounds are too few to tell; with 3 candidates it takes at least 7.";
    assert!(few.starts_with(told), "{few}");
    assert!(few.contains("How sure: not at all. 2 of 7 rounds"), "{few}");
    assert!(!few.contains('['), "few rounds have no interval: {few}");
}

#[test]
fn comparisons_can_be_turned_round() {
    let verdict = verdict(&SLOW, 10, "desktop");
    let [none, _, bfq] = &verdict.opening.candidates[..] else { unreachable!() };
    let (there, back) = (verdict.compared(bfq, none), verdict.compared(none, bfq));
    assert!(!there.is_empty() && there.len() == back.len());
    for (one, other) in there.iter().zip(&back) {
        let (one_way, other_way) = (one.difference.finding, other.difference.finding);
        let (effect, turned) = (one_way.interval().unwrap(), other_way.interval().unwrap());
        let opposite = match one.metric {
            Metric::LateFrames => (effect.low + turned.high).abs(),
            _ => (effect.low * turned.high - 1.0).abs(),
        };
        assert!(opposite < 1e-9, "{one:?} {other:?}");
        let directions = [one_way, other_way].map(|of| of.apart().map(Apart::direction));
        assert!(directions == [None, None] || directions[0] != directions[1], "{one:?} {other:?}");
    }
}

#[test]
fn what_is_missing_is_said() {
    let opening = opening(&THREE, &SLOW);
    let mut measured = measurements(&opening, &SLOW, 8, 0.05, 3);
    measured.retain(|one| one.candidate.scheduler != "none");
    measured[3].remarks.push("another process used the disk".to_owned());
    let verdict = judge(&opening, &measured, &[Weights::of(Goal::Desktop)]);
    let text = verdict.to_string();
    assert!(text.contains("\n  none was not measured."), "{text}");
    assert!(text.contains("1 of 64 measurements have remarks, the first: another"), "{text}");
    assert_eq!(verdict.recommended().map(ToString::to_string), Some("bfq".to_owned()));
    assert_eq!(verdict.rounds, 8);
    measured.pop();
    assert_eq!(judge(&opening, &measured, &[Weights::of(Goal::Desktop)]).rounds, 7);
}

/// Which candidates make no sync in a round before the time is over.
type Lacking = fn(u32) -> &'static [&'static str];

/// A verdict for a database on a disk whose candidates differ only in what an I/O costs.
fn database(costs_us: &[f64], lacking: Lacking) -> Verdict {
    let table: [TrueValues; 3] = [
        ("commits", Metric::SyncTail, &[20.0; 3]),
        ("commits", Metric::Iops, &[90.0; 3]),
        ("deep", Metric::CpuPerIo, costs_us),
    ];
    let mut opening = opening(&THREE, &table);
    opening.current = Some("none".to_owned());
    let mut measured = measurements(&opening, &table, 8, 0.01, 3);
    for one in &mut measured {
        if lacking(one.round).contains(&one.candidate.scheduler.as_str()) {
            one.values.remove(&Metric::SyncTail);
        }
    }
    judge(&opening, &measured, &["database".parse().unwrap()])
}

#[test]
fn nothing_is_recommended_that_lacks_figures_which_others_have() {
    const NONE: Lacking = |_| &["none"];
    const ONCE: Lacking = |round| if round == 0 { &["none"] } else { &[] };
    const BY_TURNS: Lacking =
        |round| if round % 2 == 0 { &["none"] } else { &["bfq", "mq-deadline"] };
    for (costs_us, lacking, expected) in [
        ([4.0, 8.0, 8.0], NONE, "none?"),
        ([4.0, 4.0, 4.0], NONE, "none?"),
        ([8.0, 4.0, 8.0], NONE, "mq-deadline"),
        ([4.0, 8.0, 8.0], ONCE, "none"),
        ([4.0, 8.0, 8.0], BY_TURNS, "none"),
        ([4.0, 4.0, 8.0], |_| &["mq-deadline"], "none"),
    ] {
        let verdict = database(&costs_us, lacking);
        assert_eq!(chosen(&verdict), expected, "{costs_us:?}: {verdict}");
    }
    let told = "worst fsync (commits) has no figure under none in 8 of 8 rounds in which it has \
                one under ";
    let text = database(&[4.0; 3], NONE).to_string();
    assert!(text.starts_with(&format!("For a database it cannot be told: {told}")), "{text}");
    assert!(!text.contains("leave it at"), "{text}");
    let text = database(&[8.0, 4.0, 8.0], NONE).to_string();
    assert!(text.contains(&format!("\n  {told}")), "{text}");
    // What lacks a figure is not as good either.
    let text = database(&[4.0, 4.0, 8.0], |_| &["mq-deadline"]).to_string();
    assert!(!text.contains("no difference that counts was found to"), "{text}");
}

/// The one figure that there is.
#[test]
fn what_one_alone_has_a_figure_of_cannot_be_told() {
    let table: [TrueValues; 1] = [("commits", Metric::SyncTail, &[20.0; 3])];
    let opening = opening(&THREE, &table);
    let mut measured = measurements(&opening, &table, 8, 0.01, 3);
    for one in measured.iter_mut().filter(|one| one.candidate.scheduler != "bfq") {
        one.values.clear();
    }
    let verdict = judge(&opening, &measured, &["database".parse().unwrap()]);
    assert_eq!(chosen(&verdict), "none?", "{verdict}");
}

#[test]
fn noise_is_not_taken_for_equality() {
    let same: &[TrueValues] = &[("start-readers", Metric::StartUp, &[5.0, 5.0, 5.0])];
    let opening = opening(&THREE, same);
    for (noise, said) in [
        (0.05, "no difference was found that counts, and most intervals leave no room"),
        (0.8, "no difference was found that counts; but most measurements scatter"),
    ] {
        let measured = measurements(&opening, same, 8, noise, 5);
        let text = judge(&opening, &measured, &[Weights::of(Goal::Desktop)]).to_string();
        assert!(text.starts_with(&format!("For desktop use {said}")), "{noise}: {text}");
        assert!(text.contains("; leave it at mq-deadline."), "{text}");
    }
}

/// The same scheduler under four names, through all of it.
#[test]
fn four_times_the_same_scheduler_does_not_matter() {
    let table = SLOW.map(|(name, metric, values)| (name, metric, vec![values[0]; 4]));
    let table: Vec<TrueValues> =
        table.iter().map(|(name, metric, values)| (*name, *metric, &values[..])).collect();
    let names = ["none", "mq-deadline", "kyber", "bfq"];
    let opening = opening(&names, &table);
    const RUNS: u64 = 1000;
    let matters = |seed: &u64| {
        let measured = measurements(&opening, &table, 10, 0.2, *seed);
        let verdict = judge(&opening, &measured, &Weights::of_all_goals());
        verdict.goals.iter().any(|goal| matches!(goal.advice, Advice::Choose { .. }))
    };
    let matters = (0..RUNS).filter(matters).count() as u64;
    println!("{matters} of {RUNS} runs recommend one of four equals");
    assert!(matters <= RUNS / 20, "{matters} of {RUNS} runs recommend one of four equals");
}

#[test]
fn one_alone_is_compared_with_nothing() {
    let opening = opening(&["bfq"], &[("start-readers", Metric::StartUp, &[3.0])]);
    let table: [TrueValues; 1] = [("start-readers", Metric::StartUp, &[3.0])];
    let measured = measurements(&opening, &table, 3, 0.05, 3);
    let text = judge(&opening, &measured, &["desktop".parse().unwrap()]).to_string();
    for part in ["there is nothing to compare bfq with", "\n3 rounds of one scheduler.\n"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn it_is_told_how_many_rounds_were_disturbed() {
    let opening = opening(&THREE, &SLOW);
    let mut measured = measurements(&opening, &SLOW, 8, 0.05, 3);
    let told = |measured: &[_]| judge(&opening, measured, &Weights::of_all_goals()).to_string();
    assert!(!told(&measured).contains("Others"));
    let load = |io_percent, processors_percent| Some(Others { io_percent, processors_percent });
    for (round, others) in [(2, load(30, 0)), (2, load(6, 12)), (5, load(9, 3))] {
        let mut cells = measured.iter_mut().filter(|cell| cell.round == round);
        cells.find(|cell| cell.others.is_none()).unwrap().others = others;
    }
    let expected =
        "Others were at work in 2 rounds (3 measurements), with up to 30 % of the I/O and 12 %";
    assert!(told(&measured).contains(expected), "{}", told(&measured));
}

#[test]
fn the_rounds_that_a_plan_aims_at_suffice_for_large_differences() {
    let four = SLOW.map(|(name, metric, of)| (name, metric, [of[0], of[1], of[1], of[2]]));
    let table: Vec<TrueValues> =
        four.iter().map(|(name, metric, values)| (*name, *metric, &values[..])).collect();
    let opening = opening(&["none", "mq-deadline", "kyber", "bfq"], &table);
    let rounds = crate::plan::needed(opening.candidates.len());
    const RUNS: u64 = 50;
    let is_told = |seed: &u64| {
        let measured = measurements(&opening, &table, rounds, 0.3, *seed);
        let verdict = judge(&opening, &measured, &["desktop".parse().unwrap()]);
        verdict.recommended() == opening.candidates.last()
    };
    let told = (0..RUNS).filter(is_told).count() as u64;
    println!("{told} of {RUNS} runs of {rounds} rounds recommend the best");
    assert!(told * 10 >= RUNS * 9, "{told} of {RUNS} runs of {rounds} rounds recommend the best");
}

#[test]
fn a_run_that_was_kept_is_judged_as_it_was_when_it_was_measured() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results");
    let opening = opening(&THREE, &SLOW);
    let mut file = ResultsFile::create(&path, &opening).unwrap();
    let measured = measurements(&opening, &SLOW, 10, 0.05, 3);
    measured.iter().for_each(|measurement| file.add(measurement).unwrap());
    let verdict = judge_file(&path, &Weights::of_all_goals()).unwrap();
    assert_eq!(verdict.goals, self::verdict(&SLOW, 10, "all").goals);
    assert!(judge_file(&folder.path().join("none"), &[]).is_err());
}

#[test]
fn only_the_ratios_of_weights_count() {
    let advice = |goals: &str| format!("{:?}", verdict(&SLOW, 10, goals).goals[0].advice);
    let usual = advice("start_up=2,throughput=1");
    assert!(usual.starts_with("Choose"), "{usual}");
    for scale in [1e-300, 1e-12, 1e5] {
        assert_eq!(advice(&format!("start_up={},throughput={scale}", 2.0 * scale)), usual);
    }
}
