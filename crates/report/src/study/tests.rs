// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results in order, and the words for them.

use super::*;
use crate::summary::LatencySummary;
use crate::tests::samples::{JobSample, run, source};

const KIB: u64 = 1024;

/// A start of `command` beside two readers: `start_ms` long.
fn start_up(scheduler: &str, start_ms: u64) -> Run {
    let command = JobSample {
        name: "command",
        cgroup: "/",
        options: &[("number_ios", "2")],
        ios: vec![(start_ms / 2, 1000, 4 * KIB), (start_ms, 1000, 4 * KIB)],
    };
    let readers = [("reader-1", 512), ("reader-2", 512)]
        .map(|(name, kib)| JobSample::steady(name, &[("bs", "256k")], 50_000, kib * KIB));
    let [one, two] = readers;
    run(scheduler, &[one, two, command], &[])
}

#[test]
fn scenarios_and_devices_become_chapters_and_stages() {
    let mut on_flash = start_up("bfq", 400);
    on_flash.device.profile = Some("flash".into());
    let sources = [
        source("start", vec![start_up("bfq", 400), start_up("none", 8000), on_flash]),
        source("start", vec![start_up("kyber", 8000)]),
        source("other", vec![start_up("bfq", 400)]),
    ];
    let study = Study::of(&sources);
    let shape: Vec<_> = study
        .stages()
        .map(|(chapter, stage)| {
            let labels: Vec<_> = stage.columns.iter().map(|column| column.label.as_str()).collect();
            (chapter.title(), stage.id.as_str(), labels.join(" "))
        })
        .collect();
    assert_eq!(
        shape,
        [
            ("About start", "start-disk", "bfq none kyber".to_owned()),
            ("About start", "start-flash", "bfq".to_owned()),
            ("About other", "other-disk", "bfq".to_owned()),
        ]
    );
    assert_eq!(study.runs(), 5);
    assert_eq!(study.schedulers(), ["bfq", "none", "kyber"]);
    assert_eq!(study.chapters[0].commands, ["bfq sim jobs/start.fio"]);
}

#[test]
fn results_that_know_no_scenario_are_named_after_their_file() {
    let mut source = source("start", vec![start_up("bfq", 400)]);
    source.results.runs[0].scenario = None;
    assert_eq!(Study::of(&[source]).chapters[0].title(), "start");
}

#[test]
fn scenarios_of_today_stand_before_those_of_former_years() {
    let of = |file: &str| {
        let mut source = source("any", vec![start_up("bfq", 400)]);
        source.results.runs[0].scenario.as_mut().unwrap().files = vec![file.to_owned()];
        source
    };
    let files =
        ["jobs/2008-page/b.fio", "jobs/2010-announcement/c.fio", "jobs/z.fio", "20081/a.fio"];
    let sources = files.map(of);
    let study = Study::of(&sources);
    let order: Vec<_> = study.chapters.iter().map(|of| (of.name.as_str(), of.year)).collect();
    assert_eq!(order, [("z", None), ("a", None), ("c", Some(2010)), ("b", Some(2008))]);
}

#[test]
fn runs_of_other_jobs_do_not_stand_side_by_side() {
    let other = run("none", &[JobSample::steady("else", &[], 1000, KIB)], &[]);
    let sources = [source("start", vec![start_up("bfq", 400), other])];
    let study = Study::of(&sources);
    let names: Vec<_> = study.chapters.iter().map(|one| (&*one.name, &*one.heading)).collect();
    assert_eq!(
        names,
        [
            ("jobs/start", "About start (jobs/start)"),
            ("jobs/start (2)", "About start (jobs/start (2))")
        ]
    );
}

#[test]
fn scenarios_are_the_same_if_their_titles_and_jobs_are() {
    let of = |file: &str, title: &str, bs: &str| {
        let reader = JobSample::steady("reader", &[("bs", "4k")], 1000, KIB);
        let mut source = source("any", vec![run("bfq", &[reader], &[])]);
        let run = &mut source.results.runs[0];
        run.summary.jobs[0].options.insert("bs", bs.to_owned());
        let scenario = run.scenario.as_mut().unwrap();
        (scenario.files, scenario.title) = (vec![file.to_owned()], title.to_owned());
        source
    };
    let names = |sources: &[NamedResults]| -> Vec<String> {
        Study::of(sources).chapters.into_iter().map(|chapter| chapter.name).collect()
    };
    let two = of("jobs/two.fio", "Two groups.", "4k");
    let built_in = of("@two", "Two groups.", "4k");
    assert_eq!(names(&[two.clone(), built_in.clone()]), ["two"]);
    assert_eq!(names(&[built_in.clone(), two.clone()]), ["@two"]);
    let bigger = of("other/two.fio", "Two groups.", "8k");
    assert_eq!(names(&[two.clone(), bigger, built_in]), ["jobs/two", "other/two"]);
    let retitled = of("jobs/two.fio", "Two other groups.", "4k");
    assert_eq!(names(&[two, retitled]), ["jobs/two", "jobs/two (2)"]);
}

#[test]
fn variants_are_told_apart() {
    let variant = |text: Option<&str>, slice_idle: u64| {
        let mut run = start_up("bfq", 400);
        run.variant = text.map(str::to_owned);
        run.tunables = [("slice_idle", slice_idle.into())].into_iter().collect();
        run
    };
    for (runs, expected) in [
        ([variant(None, 8), variant(Some("bfq:slice_idle=0"), 0)], ["bfq", "bfq:slice_idle=0"]),
        ([variant(None, 8), variant(None, 0)], ["bfq:slice_idle=8", "bfq:slice_idle=0"]),
        ([variant(None, 8), variant(None, 8)], ["bfq", "bfq (2)"]),
    ] {
        assert_eq!(labels(&runs.iter().collect::<Vec<_>>()), expected);
    }
}

#[test]
fn jobs_of_a_series_are_one_part() {
    let sources = [source("start", vec![start_up("bfq", 400)])];
    let study = Study::of(&sources);
    let parts = &study.chapters[0].stages[0].parts;
    let names: Vec<_> = parts.iter().map(|part| part.name.as_str()).collect();
    assert_eq!(names, ["reader ×2", "command"]);
    let run = study.chapters[0].stages[0].columns[0].run;
    let reads = &parts[0].distributions(run)[0];
    assert!(reads.approximate);
    assert_eq!((reads.summary.n, reads.summary.max), (20, 50_000_000));
    let off = reads.summary.p50.abs_diff(50_000_000);
    assert!(off < 10_000_000, "within its bin: {}", reads.summary.p50);
}

/// The sentences about runs of one scenario.
fn verdict(runs: Vec<Run>) -> Vec<String> {
    let sources = [source("any", runs)];
    Study::of(&sources).chapters[0].stages[0].verdict.clone()
}

#[test]
fn a_start_is_judged_by_its_length() {
    let runs = [("bfq", 400), ("none", 8000), ("kyber", 8010), ("cfq", 1000)];
    assert_eq!(
        verdict(runs.map(|(scheduler, ms)| start_up(scheduler, ms)).to_vec())[0],
        "The start of “command” takes 400 ms under bfq; 1.00 s (2.5 ×) under cfq; about 8.00 s \
         (20 ×) under none and kyber."
    );
    assert_eq!(
        verdict(vec![start_up("bfq", 400)])[0],
        "The start of “command” takes 400 ms under bfq."
    );
}

/// Whole milliseconds made a factor of two of these.
#[test]
fn starts_of_a_few_milliseconds_are_not_cut_to_whole_ones() {
    let start = |scheduler: &str, us: u64| {
        let mut run = start_up(scheduler, 400);
        let command = &mut run.summary.jobs[2];
        (command.runtime, command.runtime_ns) = (us / 1000, Some(us * 1000));
        run
    };
    assert_eq!(
        verdict(vec![start("bfq", 1996), start("none", 2032)])[0],
        "The start of “command” takes about 2.00 ms under every scheduler."
    );
}

#[test]
fn somebody_who_waits_is_judged_by_latency() {
    // What the job does, and whether it counts as one that a user waits for.
    for (options, waits) in [
        (&[("thinktime", "100ms")][..], true),
        (&[("rate_iops", "25")], true),
        (&[("fsync", "1")], true),
        (&[("bs", "4k")], true),
        (&[("bs", "4k"), ("iodepth", "64")], false),
        (&[("thinktime", "0")], true),
        (&[("bs", "256k")], false),
    ] {
        let runs = [("bfq", 1_000), ("none", 30_000)].map(|(scheduler, latency_us)| {
            let busy = JobSample::steady("busy", &[("bs", "256k")], 50_000, 512 * KIB);
            run(scheduler, &[JobSample::steady("job", options, latency_us, 4 * KIB), busy], &[])
        });
        let first = &verdict(runs.to_vec())[0];
        let expected = "99 of 100 reads of “job” take at most 1.00 ms under bfq; 30.0 ms (30 ×) \
                        under none.";
        assert_eq!(first == expected, waits, "{options:?}: {first}");
    }
}

#[test]
fn groups_are_judged_by_their_weights() {
    let shared = |scheduler: &str, light_kib: u64, heavy_kib: u64| {
        let job = |name, cgroup, kib: u64| JobSample {
            cgroup,
            ..JobSample::steady(name, &[("bs", "256k")], 50_000, kib * KIB)
        };
        let jobs = [job("a", "/light", light_kib), job("b", "/heavy", heavy_kib)];
        run(scheduler, &jobs, &[("/light", 100), ("/heavy", 300)])
    };
    let runs = vec![shared("bfq", 100, 300), shared("none", 200, 200)];
    assert_eq!(
        verdict(runs),
        [
            "Shares are off their weights by 0.0 points under bfq; 25.0 points under none.",
            "Throughput is 0.41 MB/s under every scheduler."
        ]
    );
}

#[test]
fn throughput_is_all_that_is_left() {
    let reads = |scheduler: &str, kib: u64| {
        run(scheduler, &[JobSample::steady("reader", &[("bs", "1m")], 1000, kib * KIB)], &[])
    };
    assert_eq!(
        verdict(vec![reads("bfq", 10_000), reads("none", 5_000), reads("kyber", 9_900)]),
        ["Throughput is about 10.24 MB/s under bfq and kyber; 5.12 MB/s (50 %) under none."]
    );
}

#[test]
fn a_scenario_can_say_what_it_is_about() {
    let about = |measure: &str| {
        let mut sources = [source("start", vec![start_up("bfq", 400), start_up("none", 500)])];
        for run in &mut sources[0].results.runs {
            run.scenario.as_mut().unwrap().notes.insert("Measure", measure.to_owned());
        }
        Study::of(&sources).chapters[0].stages[0].verdict.clone()
    };
    let verdict = about("share of reader; throughput of reader");
    assert_eq!(verdict[0], "“reader ×2” gets 99.9 % under every scheduler.");
    assert_eq!(verdict[1], "“reader ×2” moves 1.05 MB/s under every scheduler.");
    assert_eq!(
        verdict[2],
        "The start of “command” takes 400 ms under bfq; 500 ms (1.2 ×) under none."
    );
    assert!(about("throughput")[0].starts_with("Throughput is"));
    let verdict = about("start of command");
    assert!(verdict[0].starts_with("The start of “command” takes 400 ms"));
    assert!(verdict[1].starts_with("Throughput is"), "it is not told twice");
}

#[test]
fn jobs_that_are_reported_together_keep_their_options() {
    let reads = |scheduler: &str| {
        let greedy = |name| JobSample::steady(name, &[("bs", "256k")], 9_000, 512 * KIB);
        let jobs = [greedy("greedy-a"), greedy("greedy-b")];
        let mut run = run(scheduler, &jobs, &[]);
        run.fio.jobs.truncate(1); // as under group_reporting
        run
    };
    assert!(verdict(vec![reads("bfq"), reads("none")])[0].starts_with("Throughput is"));
}

#[test]
fn judged_runs_are_measured_by_how_fairly_they_shared() {
    let of = |scheduler, judged: Option<(f64, f64)>| {
        let mut run = start_up(scheduler, 400);
        run.fairness = judged.map(|(worst, useful)| crate::fairness::Fairness {
            worst: Some(worst),
            useful,
            ..crate::fairness::Fairness::default()
        });
        run
    };
    let runs =
        || vec![of("bfq", Some((0.98, 1.0))), of("none", Some((0.5, 1.3))), of("kyber", None)];
    let sources = [source("start", runs())];
    let study = Study::of(&sources);
    let stage = &study.chapters[0].stages[0];
    let kinds: Vec<MeasureKind> = stage.measures.iter().map(|measure| measure.kind).collect();
    assert_eq!(
        kinds,
        [MeasureKind::StartUp, MeasureKind::Throughput, MeasureKind::Fairness, MeasureKind::Useful]
    );
    assert_eq!(stage.measures[2].values, [Some(0.98), Some(0.5), None]);
    assert!(
        stage
            .verdict
            .contains(&"The worst R of a process is 0.98 under bfq; 0.50 under none.".to_owned())
    );

    // The scenario may say that it is about that; more than is due is no better than what is due.
    let mut about = source("start", runs());
    for run in &mut about.results.runs {
        run.scenario.as_mut().unwrap().notes =
            [("Measure", "fairness".to_owned())].into_iter().collect();
    }
    about.results.runs[1].fairness.as_mut().unwrap().worst = Some(1.4);
    let sources = [about];
    let study = Study::of(&sources);
    let stage = &study.chapters[0].stages[0];
    assert_eq!(stage.measures[0].kind, MeasureKind::Fairness);
    assert_eq!(Standing::of(stage).unwrap().outcome, StandingOutcome::Level);

    let sources = [source("start", vec![of("bfq", None)])];
    let study = Study::of(&sources);
    let measures = &study.chapters[0].stages[0].measures;
    assert!(
        measures.iter().all(|one| !matches!(one.kind, MeasureKind::Fairness | MeasureKind::Useful))
    );
}

#[test]
fn a_job_that_no_run_has_is_answered_with_those_that_there_are() {
    let sources = [source("start", vec![start_up("bfq", 400), start_up("none", 8000)])];
    let results = || sources.iter().map(|source| &source.results);
    assert_eq!(check_job(results(), "command"), Ok(()));
    let error = check_job(results(), "reader-3").unwrap_err();
    let expected = "no job `reader-3`; did you mean `reader-1`?";
    assert_eq!(error.to_string(), expected);
}

#[test]
fn shares_that_count_as_equal_are_told_from_the_least_to_the_greatest() {
    let shared = |scheduler: &str, light: u64, heavy: u64| {
        let job = |name, cgroup, bytes: u64| JobSample {
            cgroup,
            ..JobSample::steady(name, &[("bs", "256k")], 50_000, bytes)
        };
        let jobs = [job("a", "/light", light), job("b", "/heavy", heavy)];
        run(scheduler, &jobs, &[("/light", 100), ("/heavy", 100)])
    };
    let runs = vec![shared("tfq", 503_000, 497_000), shared("bfq", 501_000, 499_000)];
    assert_eq!(
        verdict(runs)[0],
        "Shares are off their weights by 0.1 to 0.3 points under every scheduler."
    );
}

#[test]
fn runs_that_only_a_number_tells_apart_have_origins() {
    let of = |file: &str, schedulers: &[&str]| {
        let runs = schedulers.iter().map(|scheduler| start_up(scheduler, 400)).collect();
        NamedResults { name: file.to_owned(), ..source("start", runs) }
    };
    let told = |sources: &[NamedResults]| -> Vec<String> {
        let study = Study::of(sources);
        let origins = study.chapters[0].stages[0].origins.iter();
        origins.map(|origin| format!("{}: {}", origin.labels, origin.result)).collect()
    };
    let both = ["bfq", "none"];
    assert_eq!(told(&[of("a.json", &both)]), [""; 0]);
    assert_eq!(told(&[of("a.json", &["bfq", "bfq"])]), [""; 0], "all are from one");
    assert_eq!(
        told(&[of("a.json", &both), of("b.json", &both), of("c.json", &["kyber"])]),
        ["bfq, none: a.json", "bfq (2), none (2): b.json"]
    );
}

/// A start that its runtime cut off was once told as done, and as the shortest.
#[test]
fn a_start_that_was_not_done_is_not_ranked() {
    let runs = |done: [(&str, u64, bool); 3]| {
        done.map(|(scheduler, ms, is_done)| {
            let mut run = start_up(scheduler, ms);
            run.summary.jobs[2].unfinished = !is_done;
            run
        })
    };
    let cut_off = runs([("bfq", 4000, true), ("none", 3000, false), ("kyber", 3010, false)]);
    let sources = [source("start", cut_off.to_vec())];
    let study = Study::of(&sources);
    let stage = &study.chapters[0].stages[0];
    let start = &stage.measures[0];
    assert_eq!(start.values, [Some(4e9), None, None]);
    assert_eq!(start.shown(1).as_deref(), Some("not done after 3.00 s"));
    assert_eq!(
        stage.verdict[0],
        "The start of “command” takes 4.00 s under bfq; not done after about 3.01 s under kyber \
         and none."
    );
    assert_eq!(Standing::of(stage), None);
    let none_done = [("bfq", 3000, false), ("none", 3000, false), ("kyber", 1000, false)];
    assert_eq!(
        verdict(runs(none_done).to_vec())[0],
        "The start of “command” is not done after 3.00 s under bfq and none; not done after 1.00 s \
         under kyber."
    );
}

/// The same job's reads and writes under schedulers that serve other numbers of them.
#[test]
fn latencies_are_of_one_kind_under_all_schedulers() {
    let summary = |n, ms| LatencySummary { n, p99: ms * 1_000_000, ..LatencySummary::default() };
    let mix = |scheduler: &str, reads: [u64; 2], writes: [u64; 2], syncs: Option<[u64; 2]>| {
        let job = JobSample::steady("mix", &[("thinktime", "5ms")], 1000, KIB);
        let mut run = run(scheduler, &[job], &[]);
        let job = &mut run.summary.jobs[0];
        job.read_clat_ns = Some(summary(reads[0], reads[1]));
        job.write_clat_ns = Some(summary(writes[0], writes[1]));
        job.sync_lat_ns = syncs.map(|[n, ms]| summary(n, ms));
        run
    };
    // Number and 99 % latency, ms. Most I/Os of all are reads, and under none writes.
    let runs = vec![mix("bfq", [90, 9], [80, 1], None), mix("none", [20, 500], [25, 1], None)];
    assert_eq!(
        verdict(runs.clone())[0],
        "99 of 100 reads of “mix” take at most 9.00 ms under bfq; 500 ms (56 ×) under none."
    );
    let sources = [source("mix", runs)];
    let text = crate::glance(&Study::of(&sources), None, crate::Style::default());
    assert!(text.contains("reads of mix:") && text.contains("500 ms"), "{text}");
    // Syncs are few and waited for; what they hide is told next.
    let runs = vec![
        mix("bfq", [0, 0], [80, 300], Some([20, 2])),
        mix("none", [0, 0], [80, 30], Some([20, 2])),
    ];
    let told = verdict(runs);
    assert_eq!(told[0], "99 of 100 syncs of “mix” take at most 2.00 ms under every scheduler.");
    assert_eq!(
        told[1],
        "99 of 100 writes of “mix” take at most 30.0 ms under none; 300 ms (10 ×) under bfq."
    );
}

/// The job that an error stopped was once the fastest.
#[test]
fn a_run_with_an_error_is_told_and_not_ranked() {
    let mut failed = start_up("none", 4);
    failed.summary.jobs[2].error = 5;
    failed.summary.jobs[2].unfinished = true;
    let sources = [source("start", vec![start_up("bfq", 400), failed, start_up("kyber", 410)])];
    let study = Study::of(&sources);
    let stage = &study.chapters[0].stages[0];
    assert!(stage.measures.iter().all(|one| one.values[1].is_none() && one.shown(1).is_none()));
    assert_eq!(stage.verdict[0], "The start of “command” takes about 400 ms under bfq and kyber.");
    let told = "“command” was stopped by error 5 under none.";
    assert_eq!(stage.stopped, [told]);
    let texts = [
        crate::glance(&study, None, crate::Style::default()),
        crate::markdown(&study),
        crate::page(&study),
    ];
    for text in texts {
        assert!(text.contains(told), "{text}");
    }
}

/// Rows of a group in two phases once had one name.
#[test]
fn groups_of_several_phases_are_told_apart() {
    let job = |name, cgroup| JobSample { cgroup, ..JobSample::steady(name, &[], 1000, KIB) };
    let mut one = run("bfq", &[job("a", "/a"), job("b", "/b")], &[("/a", 100), ("/b", 300)]);
    let texts = |run: &Run| {
        let sources = [source("groups", vec![run.clone()])];
        let study = Study::of(&sources);
        let style = crate::Style::default();
        let tables = crate::tables(&sources[0].results, style);
        [tables, crate::glance(&study, None, style), crate::page(&study)]
    };
    for text in texts(&one) {
        assert!(!text.contains("phase"), "{text}");
    }
    let mut later = one.summary.groups.clone();
    later.iter_mut().for_each(|group| group.phase = 1);
    one.summary.groups.append(&mut later);
    let [tables, glance, page] = texts(&one);
    for number in [1, 2] {
        assert!(tables.contains(&format!("/a (weight 100), phase {number}")), "{tables}");
        assert!(glance.contains(&format!("a, phase {number}")), "{glance}");
        assert!(page.contains(&format!("<td>/a, phase {number}</td>")), "phase {number}");
        assert!(page.contains(&format!("Shares of groups, phase {number}")), "phase {number}");
    }
}
