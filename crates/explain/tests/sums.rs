// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts add up to the latencies that the recorder measured, for jobs of all kinds.

use bfq::PolicyName;
use device::Profile;
use explain::{About, Cast, Explainer, Explanation, Look};
use proptest::prelude::*;
use runner::SimultaneousOrder;
use sim::{Setup, limits, simulate_before};
use std::ops::ControlFlow;

/// Explains every job of a job file, and compares with the latency logs that it writes.
fn check(policy: PolicyName, text: &str, queue: &str, device: &str, seed: u64) -> Vec<Explanation> {
    let jobs = workload::parse(text, "test.fio").unwrap_or_else(|error| panic!("{error}\n{text}"));
    let profile = Profile::builtin(device).unwrap();
    let mut explanations = Vec::new();
    for job in &jobs {
        let cast = Cast::new(&jobs, &job.name).unwrap();
        let mut explainer = Explainer::new(cast, 3);
        let setup = Setup {
            jobs: &jobs,
            group_weights: &[],
            settings: blk::QueueSettings::parse(queue).unwrap(),
            page_cache: Default::default(),
            profile: &profile,
            elevator: explainer.elevator(policy, &limits(&profile), &[]).unwrap(),
            seed,
            order: SimultaneousOrder::AsCreated,
        };
        let simulated =
            simulate_before(setup, &mut |_, _| ControlFlow::Continue(()), &mut explainer);
        let simulated = simulated.unwrap_or_else(|error| panic!("{error}"));
        let about = About {
            bfq_version: String::new(),
            mode: "sim".into(),
            scheduler: policy.name().into(),
            seed: Some(seed),
            device: device.into(),
            elapsed_ns: simulated.outcome.elapsed_ns,
            note: None,
        };
        let explanation = explainer.explanation(about);
        let measured = measured(&simulated.outcome.log_files("").0, &job.name);
        assert_sums(&explanation, &measured);
        explanations.push(explanation);
    }
    explanations
}

/// The latencies of a job by its logs, ns.
fn measured(logs: &[(String, String)], job: &str) -> Vec<u64> {
    let prefix = format!("{job}_lat.");
    let of_job = logs.iter().filter(|(name, _)| name.starts_with(&prefix));
    let lines = of_job.flat_map(|(_, text)| text.lines());
    lines.map(|line| line.split(',').nth(1).unwrap().trim().parse().unwrap()).collect()
}

fn assert_sums(explanation: &Explanation, measured: &[u64]) {
    assert_eq!(explanation.ios, measured.len() as u64, "{}", explanation.job);
    assert_eq!(explanation.latency_ns, measured.iter().sum::<u64>(), "{}", explanation.job);
    assert_eq!(explanation.latency_max_ns, measured.iter().copied().max().unwrap_or(0));
    let parts: u64 = explanation.causes.iter().map(|row| row.ns).sum();
    assert_eq!(parts, explanation.latency_ns, "{}", explanation.job);

    let mut sorted = measured.to_vec();
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    let slowest: Vec<_> = explanation.slowest.iter().map(|slow| slow.latency_ns).collect();
    assert_eq!(slowest, sorted[..sorted.len().min(3)]);
    for slow in &explanation.slowest {
        let parts: u64 = slow.causes.iter().map(|row| row.ns).sum();
        assert_eq!(parts, slow.latency_ns);
        let lasting = slow.steps.iter().filter(|step| step.lasting_ns > 0);
        let end_ns = lasting.fold(0, |end_ns, step| {
            assert_eq!(step.at_ns, end_ns, "no gap before {step:?}");
            end_ns + step.lasting_ns
        });
        assert_eq!(end_ns, slow.latency_ns);
    }
    assert!(explanation.text(Look::PLAIN).contains(&explanation.sentence[..20]));
}

#[test]
fn a_small_pool_makes_its_users_wait() {
    let text = "\
[global]
ioengine=libaio
size=64m
runtime=200ms
time_based
write_lat_log=all
[writer]
rw=write
bs=64k
iodepth=64
write_lat_log=writer
[reader]
rw=randread
iodepth=2
write_lat_log=reader
";
    let explanations = check(PolicyName::Budget, text, "nr_requests=8", "reference-ssd", 1);
    let waits = |explanation: &Explanation| {
        let pool = explanation.causes.iter().filter(|row| row.cause.starts_with("pool_"));
        pool.map(|row| row.ns).sum::<u64>()
    };
    assert!(waits(&explanations[0]) > 0, "{:?}", explanations[0].causes);
    let count = explanations[0].counts.iter().find(|row| row.name == "pool_waits");
    assert!(count.is_some_and(|row| row.count > 0 && row.count <= explanations[0].ios));
}

#[derive(Debug, Clone)]
struct RandomJob {
    rw: &'static str,
    bs_kib: u32,
    depth: u32,
    clones: u32,
    group: Option<&'static str>,
    more: &'static str,
}

fn random_job() -> impl Strategy<Value = RandomJob> {
    (
        prop::sample::select(vec!["read", "write", "randread", "randwrite", "randrw"]),
        prop::sample::select(vec![4, 16, 256, 4096]),
        prop::sample::select(vec![1, 2, 8, 40]),
        1..3_u32,
        prop::sample::select(vec![None, Some("a"), Some("a/x"), Some("b")]),
        prop::sample::select(vec![
            "",
            "thinktime=5ms\nthinktime_blocks=3\n",
            "fsync=4\n",
            "startdelay=50ms\n",
            "prioclass=1\nprio=2\n",
            "prioclass=3\n",
            "offset=0\nfilename=/dev/disk\n",
        ]),
    )
        .prop_map(|(rw, bs_kib, depth, clones, group, more)| RandomJob {
            rw,
            bs_kib,
            depth,
            clones,
            group,
            more,
        })
}

fn job_file(jobs: &[RandomJob]) -> String {
    let mut text = "[global]\nioengine=libaio\nsize=64m\nruntime=300ms\ntime_based\n".to_owned();
    for (place, job) in jobs.iter().enumerate() {
        let group = job.group.map_or(String::new(), |group| format!("cgroup={group}\n"));
        text += &format!(
            "[job{place}]\nwrite_lat_log=job{place}\nrw={}\nbs={}k\niodepth={}\nnumjobs={}\n{group}{}",
            job.rw, job.bs_kib, job.depth, job.clones, job.more
        );
    }
    text
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn the_parts_add_up(
        jobs in prop::collection::vec(random_job(), 1..5),
        queue in prop::sample::select(vec!["", "nr_requests=4", "nr_requests=16,nomerges=2"]),
        device in prop::sample::select(vec![
            "hdd-desktop", "ssd-sata", "reference-hdd", "reference-flat", "reference-ssd",
        ]),
        seed in 0..1000_u64,
        policy in prop::sample::select(PolicyName::ALL),
    ) {
        check(policy, &job_file(&jobs), queue, device, seed);
    }
}
