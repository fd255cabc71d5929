// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scheduler behind the layer: wiring, not policy.

use super::*;
use base::{Class, IoprioValue};
use blk::{BlockLayer, QueueSettings, Submission};

const KB4: u32 = 8;

fn layer(spec: &str) -> BlockLayer {
    let limits = DeviceLimits::new(1, true);
    let elevator = crate::build(spec, 0, &limits).expect("built");
    let settings = QueueSettings { nr_requests: Some(64), ..QueueSettings::default() };
    BlockLayer::new(settings, limits, elevator)
}

fn process(layer: &mut BlockLayer, group: GroupId, ioprio: IoprioValue) -> ProcessId {
    let name = "reader".to_owned();
    layer.add_process(0, ProcessSpec { group, ioprio, name }).expect("added")
}

fn read(layer: &mut BlockLayer, now_ns: u64, process: ProcessId, sector: u64) {
    let process = Some(process);
    let (op, sync, metadata, read_ahead) = (Op::Read, true, false, false);
    let bio = Bio { token: sector, op, sync, metadata, read_ahead, sector, sectors: KB4, process };
    assert_eq!(layer.submit(now_ns, bio), Submission::Queued);
}

/// Serves everything that waits, one request at a time, 1 ms each; returns the first sectors.
fn serve_all(layer: &mut BlockLayer, from_ns: u64) -> Vec<u64> {
    let mut now_ns = from_ns;
    let mut order = Vec::new();
    while !layer.idle() {
        if let Some(timer_ns) = layer.next_timer_ns().filter(|&timer_ns| timer_ns <= now_ns) {
            layer.on_timer(timer_ns.max(now_ns));
        }
        let commands: Vec<_> = std::iter::from_fn(|| layer.next_command(now_ns)).collect();
        now_ns += 1_000_000;
        for command in commands {
            order.push(command.sector);
            layer.complete(now_ns, command.tag, Ok(()));
        }
        while layer.take_completed().is_some() {}
        layer.check();
        assert!(order.len() <= 1000 && now_ns < 60_000_000_000, "nothing moves any more");
    }
    order
}

#[test]
fn real_time_goes_before_best_effort_and_idle() {
    let mut layer = layer("bfq:low_latency=0");
    let classes = [Some(Class::Idle), Some(Class::BestEffort), Some(Class::RealTime)];
    for (at, class) in classes.into_iter().enumerate() {
        let reader = process(&mut layer, GroupId::ROOT, IoprioValue { class, level: 4 });
        for n in 0..3 {
            read(&mut layer, 0, reader, 1_000_000 * at as u64 + 1000 * n);
        }
    }
    let order = serve_all(&mut layer, 0);
    let classes: Vec<u64> = order.iter().map(|sector| sector / 1_000_000).collect();
    assert_eq!(classes, [2, 2, 2, 1, 1, 1, 0, 0, 0]);
}

#[test]
fn continuing_reads_become_one_request() {
    let mut layer = layer("bfq");
    let reader = process(&mut layer, GroupId::ROOT, IoprioValue::default());
    for sector in [0, 800, 816, 808, 792] {
        read(&mut layer, 0, reader, sector);
    }
    assert_eq!(serve_all(&mut layer, 0), [0, 792]);
}

/// Two readers that always have four requests waiting; returns how many of each were served.
fn contest(layer: &mut BlockLayer, readers: [ProcessId; 2]) -> [u64; 2] {
    let mut next = [0u64, 50_000_000];
    let mut submit = |layer: &mut BlockLayer, now_ns, at: usize| {
        read(layer, now_ns, readers[at], next[at]);
        next[at] += 16; // no request continues another
    };
    (0..8).for_each(|n| submit(layer, 0, n % 2));
    let mut served = [0; 2];
    for now_ms in 1..=4000 {
        let now_ns = now_ms * 1_000_000;
        let commands: Vec<_> = std::iter::from_fn(|| layer.next_command(now_ns)).collect();
        for command in commands {
            let at = usize::from(command.sector >= 50_000_000);
            served[at] += 1;
            layer.complete(now_ns, command.tag, Ok(()));
            submit(layer, now_ns, at);
        }
        while layer.take_completed().is_some() {}
    }
    layer.check();
    served
}

#[test]
fn groups_share_by_weight() {
    let mut layer = layer("bfq:low_latency=0,max_budget=64");
    let readers = [100, 300].map(|weight| {
        let spec = GroupSpec { parent: None, weight, path: format!("g{weight}") };
        let group = layer.add_group(0, spec).expect("added");
        process(&mut layer, group, IoprioValue::default())
    });
    let [light, heavy] = contest(&mut layer, readers);
    assert!(light + heavy >= 3900, "{light} + {heavy} of 4000 ms");
    let ratio_percent = heavy * 100 / light;
    assert!((295..=305).contains(&ratio_percent), "{heavy} : {light}");
}

#[test]
fn a_weight_written_under_load_counts_from_then_on() {
    let mut layer = layer("bfq:low_latency=0,max_budget=64");
    let mut groups = Vec::new();
    let readers = [100, 300].map(|weight| {
        let spec = GroupSpec { parent: None, weight, path: format!("g{weight}") };
        groups.push(layer.add_group(0, spec).expect("added"));
        process(&mut layer, groups[groups.len() - 1], IoprioValue::default())
    });
    layer.set_group_weight(0, groups[0], 900).expect("set");
    let [first, second] = contest(&mut layer, readers);
    let ratio_percent = first * 100 / second;
    assert!((295..=305).contains(&ratio_percent), "{first} : {second}");
}

#[test]
fn tunables_are_read_back_and_errors_say_what_is_wrong() {
    let mut layer = layer("bfq:slice_idle_us=2500");
    let value = |layer: &BlockLayer, name: &str| {
        let tunables = layer.elevator().tunables();
        tunables.iter().find(|tunable| tunable.name == name).expect(name).value.clone()
    };
    assert_eq!(value(&layer, "slice_idle"), "2");
    assert_eq!(value(&layer, "low_latency"), "1");
    assert_eq!(value(&layer, "timeout_sync"), "125");
    assert_eq!(value(&layer, "behaviour"), "improved");
    assert_eq!(value(&layer, "detailed_statistics"), "0");
    let error = |layer: &mut BlockLayer, name: &str, value: &str| {
        layer.set_tunable(0, name, value).expect_err(name).to_string()
    };
    assert_eq!(
        error(&mut layer, "slice_idel", "1"),
        "bfq has no tunable `slice_idel`; did you mean `slice_idle`?"
    );
    assert_eq!(
        error(&mut layer, "max_budget", "lots"),
        "max_budget=lots: expected an unsigned decimal number"
    );
    assert_eq!(
        error(&mut layer, "low_latency", "7"),
        "low_latency=7: expected a number from 0 to 1",
        "a layer refuses what the kernel's file clamps"
    );
    assert_eq!(value(&layer, "low_latency"), "1");
}

#[test]
fn behaviour_is_chosen_before_use_only() {
    let limits = DeviceLimits::new(32, true);
    let mut elevator = crate::build("bfq:behaviour=linux-6.1,low_latency=0", 0, &limits).unwrap();
    let told = elevator.tunables().into_iter().find(|tunable| tunable.name == "behaviour").unwrap();
    assert_eq!(
        (told.value.as_str(), told.values.to_string().as_str()),
        ("linux-6.1", "improved or linux-6.1 or linux-6.12")
    );
    assert!(elevator.set_tunable(0, "behaviour", "improved").is_err());
    let error = crate::build("bfq:behaviour=linux-5.10", 0, &limits).err().expect("no such");
    assert_eq!(
        error.to_string(),
        "behaviour=linux-5.10: expected improved, linux-6.1 or linux-6.12, before the scheduler \
         is used"
    );
}
