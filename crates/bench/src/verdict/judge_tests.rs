//! Verdicts on runs that are made up.

use super::super::simulated::{TrueValues, measurements, opening};
use super::super::{Advice, Sureness, Verdict, Weights, judge};
use crate::model::{Goal, Metric, Others};
use crate::statistics::Finding;

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

fn chosen(verdict: &Verdict) -> (String, Sureness) {
    let goal = &verdict.goals[0];
    let name = match &goal.advice {
        Advice::Choose { candidate, .. } => candidate.to_string(),
        Advice::DoesNotMatter => "any".to_owned(),
        Advice::Unknown => "?".to_owned(),
    };
    (name, goal.sureness)
}

#[test]
fn what_suits_hangs_on_the_disk_the_goal_and_the_rounds() {
    use Sureness::{Hint, Sure, TooFew};
    let same: &[TrueValues] = &[("start-readers", Metric::StartUp, &[5.0, 5.0, 5.0])];
    for (table, rounds, goal, expected) in [
        (&SLOW[..], 10, "desktop", ("bfq", Sure)),
        (&SLOW, 10, "throughput", ("none", Sure)),
        (&SLOW, 10, "media", ("bfq", Sure)),
        (&SLOW, 10, "throughput=1,start_up=0.01", ("none", Sure)),
        (&SLOW, 4, "desktop", ("bfq", Hint)),
        (&SLOW, 2, "desktop", ("any", TooFew)),
        (&MEMORY, 10, "desktop", ("none", Sure)),
        (&MEMORY, 10, "throughput", ("none", Sure)),
        (same, 10, "desktop", ("any", Sure)),
        (same, 10, "sync_tail", ("?", TooFew)),
    ] {
        let verdict = verdict(table, rounds, goal);
        let (name, sureness) = chosen(&verdict);
        assert_eq!((name.as_str(), sureness), expected, "{goal}, {rounds} rounds\n{verdict}");
    }
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
    assert_eq!(chosen(&verdict), ("bfq".to_owned(), Sureness::Sure), "{verdict}");
    let first = verdict.to_string().lines().next().unwrap().to_owned();
    assert!(first.contains("beside none") && !first.contains("not told apart"), "{first}");
}

#[test]
fn a_person_does_not_notice_half_a_millisecond_but_a_server_does() {
    let waits = |worst_ms: &'static [f64]| -> [TrueValues<'static>; 2] {
        [("client", Metric::LatencyTail, worst_ms), ("deep", Metric::CpuPerIo, &[4.0, 5.0, 5.6])]
    };
    for (worst_ms, goal, expected) in [
        (&[0.94, 0.93, 0.51], "desktop", "none"),
        (&[0.94, 0.93, 0.51], "server", "bfq"),
        (&[1.9, 2.0, 0.3], "desktop", "bfq"),
    ] {
        let verdict = verdict(&waits(worst_ms), 10, goal);
        assert_eq!(chosen(&verdict).0, expected, "{goal}: {verdict}");
    }
}

#[test]
fn a_verdict_is_a_function_of_the_measurements() {
    assert_eq!(verdict(&SLOW, 10, "all"), verdict(&SLOW, 10, "all"));
    let text = serde_json::to_string(&verdict(&SLOW, 10, "all")).unwrap();
    let read: Verdict = serde_json::from_str(&text).unwrap();
    assert_eq!(read.goals, verdict(&SLOW, 10, "all").goals);
}

#[test]
fn a_verdict_reads_like_advice() {
    let text = verdict(&SLOW, 10, "desktop").to_string();
    let first = text.lines().next().unwrap();
    assert!(first.starts_with("For desktop use: bfq; starts 5.9 ["), "{text}");
    assert!(first.contains(" times faster (start-readers), "), "{text}");
    assert!(
        first.contains("and costs ") && first.contains(" throughput (start-readers)"),
        "{text}"
    );
    assert!(first.ends_with("(beside mq-deadline, which is set now)."), "{text}");
    for part in [
        "Beside none it\n",
        "points fewer late frames: a film of 50 frames",
        "How sure: 10 rounds.",
        "Not tested:\n  start-idle: a shell starts on the idle disk (--level normal).",
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
    assert!(all.contains("\nFor a database it does not matter"), "{all}");
    let few = verdict(&SLOW, 2, "desktop").to_string();
    let told =
        "For desktop use: 2 rounds are too few to tell; with 3 candidates it takes at least 7.";
    assert!(few.starts_with(told), "{few}");
    let hint = verdict(&SLOW, 4, "desktop").to_string();
    assert!(hint.starts_with("For desktop use it seems to be bfq; starts "), "{hint}");
    assert!(hint.contains("How sure: not at all. 4 of 7 rounds"), "{hint}");
}

#[test]
fn comparisons_can_be_turned_round() {
    let verdict = verdict(&SLOW, 10, "desktop");
    let [none, _, bfq] = &verdict.opening.candidates[..] else { unreachable!() };
    let (there, back) = (verdict.compared(bfq, none), verdict.compared(none, bfq));
    assert!(!there.is_empty() && there.len() == back.len());
    for (one, other) in there.iter().zip(&back) {
        let (effect, turned) = (one.difference.effect, other.difference.effect);
        let opposite = match one.metric {
            Metric::LateFrames => (effect.low + turned.high).abs(),
            _ => (effect.low * turned.high - 1.0).abs(),
        };
        assert!(opposite < 1e-9, "{one:?} {other:?}");
        let findings = (one.difference.finding, other.difference.finding);
        use Finding::{Better, None, Worse};
        assert!([(Better, Worse), (Worse, Better), (None, None)].contains(&findings));
    }
}

#[test]
fn what_is_missing_is_said() {
    let opening = opening(&THREE, &SLOW);
    let mut measured = measurements(&opening, &SLOW, 8, 0.05, 3);
    measured.retain(|one| one.candidate.scheduler != "none");
    measured[3].remarks.push("somebody else used the disk".to_owned());
    let verdict = judge(&opening, &measured, &[Weights::of(Goal::Desktop)]);
    let text = verdict.to_string();
    assert!(text.contains("\n  none was not measured."), "{text}");
    assert!(text.contains("1 of 64 measurements have remarks, the first: somebody else"), "{text}");
    assert_eq!(verdict.recommended().map(ToString::to_string), Some("bfq".to_owned()));
    assert_eq!(verdict.rounds, 8);
    measured.pop();
    assert_eq!(judge(&opening, &measured, &[Weights::of(Goal::Desktop)]).rounds, 7);
}

#[test]
fn noise_is_not_taken_for_equality() {
    let same: &[TrueValues] = &[("start-readers", Metric::StartUp, &[5.0, 5.0, 5.0])];
    let opening = opening(&THREE, same);
    for (noise, said) in [(0.05, "it does not matter"), (0.8, "no difference could be told; but")] {
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
