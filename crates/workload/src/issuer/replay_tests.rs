// SPDX-License-Identifier: MIT OR Apache-2.0
//! Time lines of processes that replay a log.

use super::tests::*;
use crate::parse::{parse_with, section_tests::Imagined};

fn replay(log: &'static str, options: &str, service_ns: u64) -> Run {
    let environment = Imagined { files: [("log", log)].into(), ..Imagined::default() };
    let text = format!("[a]\ndirect=1\nread_iolog=log\n{}\n", options.replace(' ', "\n"));
    let job = parse_with(&text, "t.fio", &environment).unwrap().remove(0);
    run(&job, service_ns, 100)
}

const LOG_3: &str = "fio version 3 iolog
0 f add
100 f open
10000 f read 0 4096
60000 f read 8192 4096
60000 f write 4096 4096
70000 f datasync 0 0
170000 f sync 0 0
200000 f read 0 4096
200000 f close
";

#[test]
fn a_log_of_version_3_keeps_its_delays() {
    // As documented. fio 3.33 itself issues the second I/O at once with the first.
    let run = replay(LOG_3, "", 0);
    assert_eq!(order(&run), "0 8 w4 datasync sync 0");
    assert_eq!(times(&run), "10 60 60 70 170 200 | 200");
    assert_eq!(times(&replay(LOG_3, "replay_no_stall=1", 0)), "0 0 0 0 0 0 | 0");
    assert_eq!(times(&replay(LOG_3, "replay_time_scale=200", 0)), "5 30 30 35 85 100 | 100");
    assert_eq!(times(&replay(LOG_3, "replay_time_scale=50", 0)), "20 120 120 140 340 400 | 400");
    assert_eq!(times(&replay(LOG_3, "startdelay=1", 0)), "1010 1060 1060 1070 1170 1200 | 1200");
    assert_eq!(times(&replay(LOG_3, "runtime=100ms", 0)), "10 60 60 70 | 100");
    assert_eq!(order(&replay(LOG_3, "replay_skip=sync,write", 0)), "0 8 0");
    assert_eq!(times(&replay(LOG_3, "replay_skip=sync,write", 0)), "10 60 200 | 200");
    assert_eq!(order(&replay(LOG_3, "loops=3", 0)), "0 8 w4 datasync sync 0");
    assert_eq!(order(&replay(LOG_3, "fsync=1 end_fsync=1", 0)), "0 8 w4 datasync sync 0");
    assert_eq!(order(&replay(LOG_3, "number_ios=2", 0)), "0 8");
}

#[test]
fn a_slow_target_stretches_a_replay() {
    // With one in flight, 40 ms each: the delays count from when each I/O could be issued.
    assert_eq!(times(&replay(LOG_3, "", 40 * MS)), "10 60 100 140 240 280 | 320");
}

#[test]
fn a_log_of_version_2_waits_where_it_says() {
    let log = "fio version 2 iolog
f add
f open
f read 0 4096
f wait 50000 0
f read 4096 4096
f read 8192 4096
f wait 99 0
f read 0 4096
f wait 20000 0
f wait 30000 0
f read 12288 4096
";
    let run = replay(log, "", 0);
    assert_eq!(order(&run), "0 4 8 0 12");
    assert_eq!(times(&run), "0 50 50 50 100 | 100");
    // A wait counts from the end of the one before, so what took longer swallows it.
    assert_eq!(times(&replay(log, "", 30 * MS)), "0 50 80 110 140 | 170");
}

#[test]
fn without_completions_what_is_read_ahead_is_not_waited_for() {
    let trace = "
        8,0 0 1 0.000 10 Q R  0 + 8 [sh]
        8,0 0 2 0.010 10 Q RA 8 + 8 [sh]
        8,0 0 3 0.014 10 Q RA 16 + 8 [sh]
        8,0 0 4 0.015 10 Q R  24 + 8 [sh]
        8,0 0 5 0.020 10 Q R  32 + 8 [sh]";
    let run = |options: &str, service_ms: u64| times(&replay(trace, options, service_ms * MS));
    assert_eq!(run("replay_mode=chain", 1), "0 10 14 15 20 | 21");
    assert_eq!(run("replay_mode=chain", 40), "0 40 44 45 85 | 125");
    assert_eq!(run("replay_mode=fast", 40), "0 40 40 40 80 | 120");
    assert_eq!(run("replay_mode=timed", 40), "0 10 14 15 20 | 60");
    let deep = "replay_mode=chain ioengine=libaio iodepth=4";
    assert_eq!(run(deep, 40), "0 10 14 15 40 | 80");
}

#[test]
fn the_files_of_a_log_lie_end_to_end() {
    let log = "fio version 2 iolog
x add
y add
x open
y open
y write 1024 512
x read 4096 4096
x read 0 512
";
    assert_eq!(order(&replay(log, "", 0)), "w9 4 0");
    assert_eq!(order(&replay(log, "replay_redirect=/dev/sda", 0)), "w1 4 0");
}
