// SPDX-License-Identifier: MIT OR Apache-2.0
//! Each rule of peers.md §4.1 to §4.3 as a time line, and the depths of §4.4.

use base::Op;
use blk::{Bio, BlockLayer, Command, Elevator, Submission};

use super::Domain::{Discard, Other, Read, Write};
use super::*;

const MS: u64 = 1_000_000;

/// A scheduler whose requests are named by their tags.
struct Line(Kyber);

impl Line {
    fn new() -> Line {
        Line(Kyber::new(&DeviceLimits::new(128, false)))
    }

    fn arrive(&mut self, domain: Domain, tags: std::ops::Range<u32>) {
        tags.for_each(|tag| self.0.enter(Tag(tag), domain, false));
    }

    fn next(&mut self) -> Option<u32> {
        self.0.dispatch_one().map(|tag| tag.0)
    }

    fn next_ones(&mut self, count: usize) -> Vec<u32> {
        (0..count).map_while(|_| self.next()).collect()
    }

    /// The domains of the next requests, as letters; requests of a domain are in its hundred.
    fn turns(&mut self, count: usize) -> String {
        self.next_ones(count).iter().map(|tag| ['r', 'w', 'd', 'o'][(tag / 100) as usize]).collect()
    }

    fn depth(&self, domain: Domain) -> u32 {
        self.0.queues[domain as usize].tokens.depth()
    }

    /// `total` and `device`: latencies as multiples of the target.
    fn complete(&mut self, domain: Domain, times: u32, total: u64, device: u64) {
        let target_ns = self.0.tunables.target_ns(domain).expect("a target");
        let (total_ns, device_ns) = (total * target_ns, device * target_ns);
        for _ in 0..times {
            self.0.control.completed(0, domain, target_ns, total_ns, device_ns);
        }
    }

    fn statistic(&self, name: &str) -> u64 {
        let all = self.0.statistics();
        all.iter().find(|statistic| statistic.name == name).expect(name).value
    }
}

#[test]
fn operations_and_their_domains() {
    let of = [Op::Read, Op::Write, Op::Discard, Op::Flush].map(Domain::of);
    assert_eq!(of, Domain::ALL);
    assert_eq!(Domain::ALL.map(Domain::next), [Write, Discard, Other, Read]);
    assert_eq!(Domain::ALL.map(Domain::max_depth), [256, 128, 64, 16]);
    assert_eq!(Domain::ALL.map(Domain::batch), [16, 8, 1, 1]);
    let targets_ms = Domain::ALL
        .map(|domain| Tunables::default().target_ns(domain).map(|target_ns| target_ns / MS));
    assert_eq!(targets_ms, [Some(2), Some(10), Some(5000), None]);
}

#[test]
fn a_domain_is_served_in_order_of_arrival() {
    let mut line = Line::new();
    line.arrive(Read, 0..3);
    assert_eq!(line.next_ones(9), [0, 1, 2]);
    assert_eq!(line.next(), None);
    assert!(!line.0.has_work());
}

#[test]
fn batches_go_round_the_domains() {
    let mut line = Line::new();
    line.arrive(Read, 0..40);
    line.arrive(Write, 100..120);
    line.arrive(Discard, 200..204);
    line.arrive(Other, 300..304);
    let batch = |letter: &str, length| letter.repeat(length);
    let round = batch("r", 16) + &batch("w", 8) + "do";
    assert_eq!(line.turns(26), round);
    assert_eq!(line.turns(26), round);
    assert_eq!(line.turns(14), batch("r", 8) + &batch("w", 4) + "do", "shorter of what is left");
    assert_eq!(line.turns(9), "do");
    assert_eq!(line.statistic("batches"), 13, "the first of all was under way");
}

#[test]
fn a_domain_alone_has_batch_after_batch() {
    let mut line = Line::new();
    line.arrive(Write, 100..120);
    assert_eq!(line.turns(20), "w".repeat(20));
    assert_eq!(line.statistic("batches"), 3);
    line.arrive(Read, 0..2);
    line.arrive(Write, 120..125);
    assert_eq!(line.turns(9), "wwwwrrw", "the third batch ends with its eighth request");
}

#[test]
fn a_batch_ends_when_its_domain_runs_empty() {
    let mut line = Line::new();
    line.arrive(Read, 0..2);
    line.arrive(Write, 100..101);
    assert_eq!(line.turns(3), "rrw");
    line.arrive(Read, 2..20);
    line.arrive(Write, 101..110);
    assert_eq!(line.turns(8), "wwwwwwwr", "the batch of writes goes on: seven more");
    line.arrive(Discard, 200..201);
    assert_eq!(line.turns(18), "r".repeat(15) + "wwd");
}

#[test]
fn no_domain_at_all_ends_the_batch_but_keeps_the_turn() {
    let mut line = Line::new();
    line.arrive(Read, 0..3);
    assert_eq!(line.turns(3), "rrr");
    assert_eq!(line.next(), None);
    line.arrive(Read, 3..40);
    line.arrive(Write, 100..101);
    assert_eq!(line.turns(18), "r".repeat(16) + "wr");
}

#[test]
fn requests_hold_tokens_until_they_end() {
    for domain in Domain::ALL {
        let mut line = Line::new();
        let depth = domain.max_depth();
        line.arrive(domain, 0..depth + 2);
        assert_eq!(line.next_ones(1000).len(), depth as usize, "{domain:?}");
        assert!(line.0.has_work());
        assert!(line.statistic("token_waits") > 0);
        line.0.return_token(domain);
        assert_eq!(line.next_ones(9), [depth]);
    }
}

#[test]
fn a_domain_without_tokens_is_passed_over() {
    let mut line = Line::new();
    line.0.queues[Read as usize].tokens.set_depth(1);
    line.arrive(Read, 0..3);
    line.arrive(Write, 100..110);
    assert_eq!(line.turns(10), "r".to_owned() + &"w".repeat(9), "two batches of writes in a row");
    line.0.return_token(Read);
    line.arrive(Write, 110..120);
    assert_eq!(line.turns(9), "wwwwwww".to_owned() + "rw", "with a token, reads have their turn");
}

#[test]
fn who_waited_for_a_token_asks_for_a_run_when_one_is_free() {
    let mut line = Line::new();
    line.0.queues[Discard as usize].tokens.set_depth(1);
    line.arrive(Discard, 200..203);
    assert_eq!(line.next(), Some(200));
    line.0.return_token(Discard);
    assert!(!line.0.take_kick(), "no request has tried");
    assert_eq!(line.next_ones(9), [201]);
    line.0.return_token(Discard);
    assert!(line.0.take_kick());
    assert!(!line.0.take_kick());
}

#[test]
fn what_arrives_while_requests_are_staged_comes_after_them() {
    let mut line = Line::new();
    line.arrive(Read, 0..3);
    assert_eq!(line.next(), Some(0));
    line.0.enter(Tag(9), Read, true);
    line.arrive(Read, 3..4);
    assert_eq!(line.next_ones(9), [1, 2, 9, 3], "at head: of those that are not staged");
}

#[test]
fn bad_latencies_double_a_depth_and_good_ones_quarter_it() {
    let mut line = Line::new();
    let evaluate = |line: &mut Line, writes: u64, device: u64| {
        line.complete(Write, 500, writes, 1);
        line.complete(Read, 500, 1, device);
        line.0.adjust_depths(0);
        [line.depth(Read), line.depth(Write), line.depth(Discard)]
    };
    // Of reads, the total latency is the target: bucket 3, factor 4/4.
    assert_eq!(evaluate(&mut line, 0, 1), [256, 128, 64], "calm");
    for depth in [32, 8, 2, 1, 1] {
        assert_eq!(evaluate(&mut line, 0, 9), [256, depth, 64], "congested: 1/4, at least 1");
    }
    assert_eq!(
        evaluate(&mut line, 0, 1),
        [256, 1, 64],
        "calm again: good latencies change nothing"
    );
    for depth in [2, 4, 8, 16, 32, 64, 128, 128] {
        assert_eq!(evaluate(&mut line, 9, 1), [256, depth, 64], "bad: twice, at most 128");
    }
    assert_eq!((line.statistic("depths_lowered"), line.statistic("depths_raised")), (4, 7));
    assert_eq!((line.statistic("evaluations"), line.statistic("congested")), (15, 5));
    assert_eq!(line.statistic("write_depth"), 128);
}

#[test]
fn depths_are_rounded_down() {
    let mut line = Line::new();
    line.0.queues[Read as usize].tokens.set_depth(5);
    for _ in 0..500 {
        // Three quarters of 2 ms: bucket 2, factor 3/4.
        line.0.control.completed(0, Read, 2 * MS, 3 * MS / 2, 9 * MS);
    }
    line.0.adjust_depths(0);
    assert_eq!(line.depth(Read), 3, "15/4");
}

#[test]
fn asynchronous_requests_may_use_three_quarters_of_the_pool() {
    let mut kyber = Kyber::new(&DeviceLimits::new(32, false));
    let allowed = |kyber: &mut Kyber, sync| kyber.allowed_requests(0, None, Op::Write, sync);
    assert_eq!((allowed(&mut kyber, true), allowed(&mut kyber, false)), (u32::MAX, 48));
    kyber.pool_resized(0, 7, 64);
    assert_eq!((allowed(&mut kyber, true), allowed(&mut kyber, false)), (u32::MAX, 5));
}

#[test]
fn the_table_of_tunables() {
    let mut kyber = Kyber::new(&DeviceLimits::new(32, false));
    let max = u64::MAX.to_string();
    for (index, (name, default)) in
        [("read_lat_nsec", "2000000"), ("write_lat_nsec", "10000000")].into_iter().enumerate()
    {
        let tunable = kyber.tunables().swap_remove(index);
        assert_eq!(
            (tunable.name, &tunable.value[..], &tunable.default[..]),
            (name, default, default)
        );
        for written in ["0", "5000\n", &max] {
            kyber.set_tunable(0, name, written).expect(written);
            assert_eq!(kyber.tunables()[index].value, written.trim(), "{name}={written}");
        }
        for (written, errno) in [("", 22), ("0x10", 22), ("-1", 22), ("18446744073709551616", 34)] {
            let error = kyber.set_tunable(0, name, written).expect_err(written);
            assert_eq!(error.errno(), errno, "{name}={written}");
        }
    }
    assert_eq!(kyber.tunables().len(), 2);
    assert_eq!(kyber.set_tunable(0, "async_depth", "1").expect_err("unknown").errno(), 2);
}

/// Kyber in the layer over a device, for what needs requests with times and merging.
struct World {
    layer: BlockLayer,
    next_token: u64,
}

impl World {
    fn new(depth: u32, tunables: &[(&str, &str)]) -> World {
        let limits = DeviceLimits::new(depth, false);
        let settings = QueueSettings { nr_requests: Some(1000), ..QueueSettings::default() };
        let mut layer = BlockLayer::new(settings, limits, Box::new(Kyber::new(&limits)));
        for (name, value) in tunables {
            layer.set_tunable(0, name, value).expect(name);
        }
        World { layer, next_token: 0 }
    }

    fn submit(&mut self, now_ns: u64, op: Op, sectors: &[u64]) {
        for &sector in sectors {
            self.next_token += 1;
            let (token, sync, metadata, read_ahead) = (self.next_token, true, false, false);
            let (sectors, process) = (8, None);
            let bio = Bio { token, op, sync, metadata, read_ahead, sector, sectors, process };
            assert_eq!(self.layer.submit(now_ns, bio), Submission::Queued);
            self.layer.check();
        }
    }

    fn issue(&mut self, now_ns: u64) -> Vec<Command> {
        let commands = std::iter::from_fn(|| self.layer.next_command(now_ns)).collect();
        self.layer.check();
        commands
    }

    fn complete(&mut self, now_ns: u64, commands: &[Command]) {
        for command in commands {
            self.layer.complete(now_ns, command.tag, Ok(()));
            self.layer.check();
        }
    }

    fn order(&mut self) -> Vec<(u64, u32)> {
        self.issue(0).iter().map(|command| (command.sector, command.sectors)).collect()
    }

    fn statistic(&self, name: &str) -> u64 {
        let all = self.layer.elevator().statistics();
        all.iter().find(|statistic| statistic.name == name).expect(name).value
    }
}

#[test]
fn bios_join_the_last_eight_requests_of_their_domain() {
    for (others, merged) in [(7, true), (8, false)] {
        let mut world = World::new(32, &[]);
        world.submit(0, Op::Read, &[100]);
        for other in 1..=others {
            world.submit(0, Op::Read, &[1000 * other]);
            world.submit(0, Op::Write, &[1000 * other + 500, 1000 * other + 700]);
        }
        world.submit(0, Op::Read, &[108]);
        let first = world.order()[0];
        assert_eq!(first, (100, if merged { 16 } else { 8 }), "{others} other reads");
    }
}

#[test]
fn bios_join_neither_other_domains_nor_staged_requests() {
    let mut world = World::new(1, &[]);
    world.submit(0, Op::Read, &[100, 200, 300]);
    let first = world.issue(0);
    world.submit(0, Op::Write, &[308]);
    world.submit(0, Op::Read, &[208, 216, 308]);
    world.complete(0, &first);
    let mut order = Vec::new();
    while let Some(command) = world.layer.next_command(0) {
        order.push((command.sector, command.sectors));
        world.layer.complete(0, command.tag, Ok(()));
    }
    assert_eq!(order, [(200, 8), (300, 8), (208, 16), (308, 8), (308, 8)]);
}

#[test]
fn a_completion_starts_a_run_for_who_waits_for_a_token() {
    let mut world = World::new(100, &[]);
    let sectors: Vec<u64> = (0..70).map(|number| number * 1000).collect();
    world.submit(0, Op::Discard, &sectors);
    let issued = world.issue(0);
    assert_eq!(issued.len(), 64);
    world.complete(MS, &issued[..2]);
    assert_eq!(world.issue(MS).len(), 2, "at once, without waiting for the poll");
}

#[test]
fn what_comes_back_gives_its_token_back() {
    let mut world = World::new(100, &[]);
    let sectors: Vec<u64> = (0..65).map(|number| number * 1000).collect();
    world.submit(0, Op::Discard, &sectors);
    let issued = world.issue(0);
    for command in &issued {
        world.layer.requeue(MS, command.tag);
        world.layer.check();
    }
    assert_eq!(world.issue(MS).len(), 64, "and gets another one");
}

/// 500 requests, 100 at a time, each of which waits for the device, and is on it, for these times.
fn play_500(world: &mut World, op: Op, wait_ns: u64, device_ns: u64) {
    for hundred in 0..5 {
        let sectors: Vec<u64> = (0..100).map(|number| (100 * hundred + number) * 1000).collect();
        world.submit(0, op, &sectors);
        let commands = world.issue(wait_ns);
        assert_eq!(commands.len(), 100);
        world.complete(wait_ns + device_ns, &commands);
    }
}

fn fire_timer(world: &mut World) {
    let timer_ns = world.layer.next_timer_ns().expect("a timer");
    world.layer.on_timer(timer_ns);
}

#[test]
fn congestion_is_told_from_the_time_on_the_device() {
    for (wait_ns, device_ns, congested) in
        [(0, 2 * MS, 0), (50 * MS, 2 * MS, 0), (0, 2 * MS + 1, 1), (50 * MS, 2 * MS + 1, 1)]
    {
        let mut world = World::new(1000, &[]);
        play_500(&mut world, Op::Read, wait_ns, device_ns);
        fire_timer(&mut world);
        assert_eq!(world.statistic("evaluations"), 1);
        assert_eq!(world.statistic("congested"), congested, "{wait_ns} + {device_ns} ns");
    }
}

#[test]
fn depths_follow_the_time_since_allocation() {
    for (wait_ns, write_depth) in [(0, 32), (2 * MS, 64), (5 * MS, 96), (8 * MS, 128)] {
        let mut world = World::new(1000, &[]);
        play_500(&mut world, Op::Write, wait_ns, MS);
        play_500(&mut world, Op::Read, 0, 3 * MS);
        fire_timer(&mut world);
        assert_eq!(world.statistic("congested"), 1, "reads take 3 ms, not 2");
        // 1, 3, 6 and 9 ms of 10 are in the first, second, third and fourth quarter.
        assert_eq!(world.statistic("write_depth"), write_depth, "waiting {wait_ns} ns");
        assert_eq!(
            world.statistic("read_depth"),
            256,
            "they would like more, but that is the most"
        );
    }
}
