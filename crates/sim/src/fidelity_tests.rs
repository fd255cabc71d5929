//! Reading recordings and judging differences.

use super::*;

const HEAD: &str = "scenario,disk,depth,scheduler,job,processes,ios,mb_per_s,share,\
process_min_mb_per_s,process_max_mb_per_s,latency_mean_us,latency_p50_us,latency_p95_us,\
latency_p99_us,latency_max_us,elapsed_ms\n";

fn recording(job: &str, mb_per_s: f64, share: f64) -> Recording {
    let line = format!("s,hdd,32,bfq-ll0,{job},1,9,{mb_per_s},{share},1,1,1,1,1,1,1,2000");
    read_recordings(&format!("{HEAD}{line}\n")).unwrap().remove(0)
}

fn comparison(recorded: (f64, f64), simulated: (f64, f64)) -> Comparison {
    Comparison {
        recorded: recording("a", recorded.0, recorded.1),
        simulated: Figures {
            mb_per_s: simulated.0,
            share: simulated.1,
            elapsed_ms: 10_000.0,
            ..Figures::default()
        },
    }
}

#[test]
fn lines_become_cases() {
    let recordings = [recording("a", 1.0, 0.5), recording("b", 1.0, 0.5)];
    let cases = cases(&recordings);
    assert_eq!(cases.len(), 1);
    assert_eq!((cases[0].disk.as_str(), cases[0].depth), ("hdd", 32));
    assert_eq!(cases[0].elevator(), "bfq:behaviour=linux-6.1,low_latency=0");
}

#[test]
fn a_missing_column_is_named() {
    let error = read_recordings("scenario,disk\nx,y\n").unwrap_err().to_string();
    assert!(error.contains("depth"), "{error}");
}

#[test]
fn verdicts() {
    use Verdict::{Agrees, Differs, WithinSlot};
    for (recorded, simulated, verdict) in [
        ((100.0, 0.50), (102.9, 0.509), Agrees),
        ((100.0, 0.50), (102.9, 0.511), Differs),
        ((20.0, 0.20), (21.2, 0.205), WithinSlot), // 12 MB in 10 s
        ((20.0, 0.20), (21.3, 0.205), Differs),
        ((0.0, 0.0), (0.026, 0.0), Agrees), // one I/O of 256 KiB in 10 s
    ] {
        assert_eq!(
            comparison(recorded, simulated).verdict(),
            verdict,
            "{recorded:?} {simulated:?}"
        );
    }
    let mut fifo = comparison((20.0, 0.20), (21.2, 0.205));
    fifo.recorded.scheduler = "none".into();
    assert_eq!(fifo.verdict(), Differs, "none has no slots");
}

#[test]
fn a_start_up_is_judged_by_its_time() {
    let mut start_up = comparison((1.0, 0.5), (9.0, 0.5));
    start_up.recorded.job = "cmd".into();
    start_up.simulated.elapsed_ms = 2050.0;
    assert_eq!(start_up.verdict(), Verdict::Agrees);
    start_up.simulated.elapsed_ms = 2070.0;
    assert_eq!(start_up.verdict(), Verdict::Differs);
}

#[test]
fn parts_of_a_job_are_summed() {
    let jobs = workload::parse("[a.0]\nrw=read\nsize=1m\n[a.1]\nrw=read\nsize=1m\n", "t").unwrap();
    let case =
        Case { scenario: "s".into(), disk: "flat".into(), depth: 32, scheduler: "none".into() };
    let summaries = run_case(&case, &jobs, SimultaneousOrder::AsCreated).unwrap();
    let both = figures("a", &summaries).unwrap();
    assert_eq!(both.share, 1.0);
    assert_eq!(figures("a.1", &summaries).unwrap().share, 0.5);
    assert_eq!(figures("b", &summaries), None);
}
