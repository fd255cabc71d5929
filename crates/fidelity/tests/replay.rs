// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random sequences of calls of a scheduler, recorded and replayed: the same answers and decisions,
//! names of groups, processes, queues and requests among them.

use base::{Class, Ioprio, Operation};
use bfq::{
    Behaviour, Calls, Config, CpuPolicy, GroupId, NewRequest, PolicyName, ProcessAttributes,
    ProcessId, RequestId, Side, Span, Time, tunables::TUNABLES,
};
use fidelity::decisions::{LogPosition, ReplayError, replay_recording};
use proptest::prelude::*;
use recording::{
    AnyRecordable, Call, DeviceName, GroupName, Opening, PolicyText, Record, Recordable, Recorded,
    Recorder, RecordingReader, Sink,
};

const REQUESTS: u32 = 16;

/// A sink that takes everything.
struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn write(&mut self, bytes: &[u8]) -> bool {
        self.0.extend_from_slice(bytes);
        true
    }
}

/// One step of a host that does not care what it did before: names are drawn, known or not.
#[derive(Clone, Copy, Debug)]
struct Step {
    what: u8,
    who: u8,
    which: u8,
    number: u32,
    pause_us: u32,
    /// How long ago the host has read its clock.
    lag_us: u32,
}

fn step() -> impl Strategy<Value = Step> {
    let pause_us = prop_oneof![2 => Just(0), 4 => 1..500_u32, 1 => 1_000..60_000_u32];
    let lag_us = prop_oneof![4 => Just(0), 1 => 1..300_u32];
    (any::<u8>(), 0..12_u8, 0..18_u8, any::<u32>(), pause_us, lag_us).prop_map(
        |(what, who, which, number, pause_us, lag_us)| Step {
            what,
            who,
            which,
            number,
            pause_us,
            lag_us,
        },
    )
}

fn config(rotational: bool, behaviour: Behaviour) -> Config<'static> {
    let actuator_ends: &[u64] = if rotational { &[] } else { &[1 << 20, u64::MAX] };
    Config { hz: 250, behaviour, actuator_ends, ..Config::new(rotational, REQUESTS) }
}

fn attributes(number: u32) -> ProcessAttributes {
    let class = Class::ALL[number as usize % 3];
    ProcessAttributes {
        ioprio: (number & 3 > 0).then(|| Ioprio::new(class, (number >> 8) as u8 % 8)),
        nice: (number >> 16) as i8 % 20,
        policy: [CpuPolicy::Normal, CpuPolicy::RealTime, CpuPolicy::Idle][number as usize % 3],
    }
}

fn take(s: &mut AnyRecordable<Bytes>, device: &mut Vec<RequestId>, step: Step, now: Time) {
    let Step { who, which, number, .. } = step;
    let group = GroupId::from_index(usize::from(who % 5));
    let process = ProcessId::from_index(usize::from(who));
    let request = RequestId::from_index(usize::from(which));
    let other = RequestId::from_index(number as usize % 18);
    let sync = number & 1 == 0;
    let new = NewRequest {
        operation: [Operation::Read, Operation::Write, Operation::Discard][who as usize % 3],
        sync,
        metadata: number & 6 == 0,
        sector: u64::from(which) << 17 | u64::from(number % 64 * 8),
        sectors: 8 + number % 5 * 8,
        process: (who > 0).then_some(process),
        allocated_at: now,
        asked_at: now - Span::from_us(1),
    };
    // The answers are of no interest but to the recording.
    match step.what {
        0..=1 => _ = s.add_group(now, group),
        2..=7 => _ = s.set_group_weight(now, group, number % 1200),
        8..=9 => _ = s.remove_group(now, group),
        10..=14 => _ = s.add_process(now, group, attributes(number)),
        15..=23 => _ = s.set_attributes(process, attributes(number)),
        24..=27 => _ = s.move_process(process, group),
        28 => _ = s.exit_process(now, process),
        29..=31 => _ = s.set_nr_requests(now, REQUESTS - number % 4),
        32..=34 => {
            s.set_tunable(now, TUNABLES[which as usize % TUNABLES.len()].tunable, number.into())
        }
        35 => s.set_detailed_statistics(now, sync),
        36..=49 => _ = s.merge_candidates(now, &new),
        50..=54 => _ = s.allows_merge(now, &new, request),
        55..=59 => {
            let side = if sync { Side::Back } else { Side::Front };
            _ = s.merged(now, request, side, new.sector, new.sectors);
        }
        60..=63 => _ = s.coalesced(now, request, other, 64),
        64..=65 => _ = s.remove(now, request),
        66..=79 => _ = s.allowed_requests(now, new.process, new.operation, sync),
        80..=149 => _ = s.insert(now, request, &new, number & 15 == 0),
        150..=204 => device.extend(s.dispatch(now)),
        205..=234 => {
            if let Some(request) = device.pop() {
                s.complete(now, request).expect("it was dispatched");
            }
        }
        235..=239 => {
            if s.complete(now, request).is_ok() {
                device.retain(|&other| other != request);
            }
        }
        240..=243 => {
            if s.requeue(now, request).is_ok() {
                device.retain(|&other| other != request);
            }
        }
        244 => _ = s.reserve_requests(REQUESTS + u32::from(which % 2)),
        _ => s.on_timer(now),
    }
    s.note(|| Record::Group { group, name: GroupName::new(b"/") });
    _ = s.take_kick();
}

fn live(policy: PolicyName, config: Config<'_>, steps: &[Step]) -> Vec<u8> {
    let mut now_us = 5_000_000;
    let device = DeviceName::new(b"sda");
    let start = Time::from_ns(now_us * 1000);
    let attached = AnyRecordable::attach_by(policy, start, config, device, Bytes(Vec::new()));
    let mut s = attached.expect("memory");
    let root = s.root_group();
    for number in 0..10 {
        let group = if number < 5 { root } else { s.add_group(start, root).expect("memory") };
        s.add_process(start, group, attributes(number)).expect("memory");
    }
    let mut device = Vec::new();
    for &step in steps {
        now_us += u64::from(step.pause_us);
        take(&mut s, &mut device, step, Time::from_ns((now_us - u64::from(step.lag_us)) * 1000));
        s.check();
    }
    bytes_of(s)
}

/// What was recorded.
fn bytes_of<T: Calls<Observer = Option<Recorder<Bytes>>>>(mut s: Recordable<T>) -> Vec<u8> {
    let mut recorder = s.end().expect("it is recorded");
    core::mem::take(&mut recorder.sink_mut().0)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn a_recorded_life_can_be_lived_again(
        policy in prop::sample::select(PolicyName::ALL),
        rotational in any::<bool>(),
        behaviour in prop::sample::select(
            &[Behaviour::Improved, Behaviour::Linux6_1, Behaviour::Linux6_12][..]
        ),
        steps in prop::collection::vec(step(), 1..400),
    ) {
        let bytes = live(policy, config(rotational, behaviour), &steps);
        let outcome = replay_recording("test", &bytes).expect("a recording from attach on");
        prop_assert_eq!(outcome.differ, 0, "{:#?}", outcome.first.first());
        let effects = RecordingReader::new(&bytes).expect("a recording").filter(|timed| {
            let record = timed.expect("well-formed").record;
            matches!(record, Record::Decision(_) | Record::Answer(_))
        });
        prop_assert_eq!(outcome.decisions, effects.count());
    }
}

/// A disk that some processes want to read from, 2 ms after it came.
fn readers(count: u64) -> Recorded<Bytes> {
    let at_ms = |ms: u64| Time::from_ns(ms * 1_000_000);
    let device = DeviceName::new(b"sda");
    let mut s =
        Recorded::attach(at_ms(0), Config::new(true, 8), device, Bytes(Vec::new())).unwrap();
    let root = s.root_group();
    for who in 0..count {
        let process = s.add_process(at_ms(1), root, ProcessAttributes::default()).unwrap();
        let read = NewRequest::read(process, 1000 * who, 8, at_ms(2));
        s.insert(at_ms(2), RequestId::from_index(who as usize), &read, false).unwrap();
    }
    s
}

/// Two readers on a disk, and the bytes of their recording.
fn two_readers() -> Vec<u8> {
    let at_ms = |ms: u64| Time::from_ns(ms * 1_000_000);
    let mut s = readers(2);
    for ms in [3, 4] {
        let served = s.dispatch(at_ms(ms));
        if let Some(served) = served {
            s.complete(at_ms(ms), served).unwrap();
        }
    }
    bytes_of(s)
}

/// Writes a recording again with other records in the place of some.
fn rewritten(bytes: &[u8], change: impl Fn(Record) -> Record) -> Vec<u8> {
    let mut records = RecordingReader::new(bytes).unwrap().map(Result::unwrap);
    let first = records.next().unwrap();
    let Record::Opening(opening) = change(first.record) else { panic!("{first:?}") };
    let mut recorder = Recorder::begin(Bytes(Vec::new()), first.at, &opening).ok().unwrap();
    records.for_each(|timed| recorder.record(timed.at, &change(timed.record)));
    core::mem::take(&mut recorder.sink_mut().0)
}

#[test]
fn a_name_between_two_calls_does_not_move_the_second() {
    // The host names a group; a completion comes whose time was read off the clock before that.
    let at_ms = |ms: u64| Time::from_ns(ms * 1_000_000);
    let mut s = readers(1);
    let served = s.dispatch(at_ms(3)).expect("it has a request");
    let name = Record::Group { group: s.root_group(), name: GroupName::new(b"/") };
    s.recorder_mut().expect("it is recorded").record(at_ms(5), &name);
    s.complete(at_ms(4), served).expect("it was dispatched");
    assert_eq!(replay_recording("test", &bytes_of(s)).unwrap().differ, 0);
}

/// The name of the policy that a recording was made under.
fn policy_of(bytes: &[u8]) -> String {
    match RecordingReader::new(bytes).unwrap().next().unwrap().unwrap().record {
        Record::Opening(opening) => opening.policy.to_string(),
        other => panic!("{other:?} comes first"),
    }
}

#[test]
fn each_policy_replays_its_own_recordings() {
    let mut random = base::random::Random::new(15);
    let mut number = || random.next();
    let steps: Vec<Step> = (0..2000)
        .map(|_| Step {
            what: number() as u8,
            who: number() as u8 % 12,
            which: number() as u8 % 18,
            number: number() as u32,
            pause_us: number() as u32 % 500,
            lag_us: 0,
        })
        .collect();
    for &policy in PolicyName::ALL {
        let bytes = live(policy, config(false, Behaviour::Improved), &steps);
        assert_eq!(policy_of(&bytes), policy.name());
        let outcome = replay_recording("test", &bytes).unwrap();
        assert!(outcome.decisions > 500 && outcome.differ == 0, "{policy:?}: {outcome:?}");
    }
}

#[test]
fn the_policy_that_a_recording_names_replays_it() {
    let bytes = two_readers();
    assert_eq!(policy_of(&bytes), "bfq");
    let of_tfq = rewritten(&bytes, |record| match record {
        Record::Opening(opening) => {
            Record::Opening(Opening { policy: PolicyText::new(b"tfq"), ..opening })
        }
        record => record,
    });
    assert!(replay_recording("test", &of_tfq).unwrap().differ > 0, "tfq does not idle as bfq does");
}

#[test]
fn what_was_decided_otherwise_is_found() {
    let bytes = two_readers();
    let outcome = replay_recording("test", &bytes).unwrap();
    assert!(outcome.decisions > 10 && outcome.differ == 0, "{outcome:?}");

    let other_sector = rewritten(&bytes, |record| match record {
        Record::Call(Call::Insert { request, new, at_head }) if request.index() == 1 => {
            let new = NewRequest { sectors: 800, ..new };
            Record::Call(Call::Insert { request, new, at_head })
        }
        record => record,
    });
    let outcome = replay_recording("test", &other_sector).unwrap();
    assert!(outcome.differ > 0);
    let first = &outcome.first[0];
    assert!(
        matches!(first.at, LogPosition::Byte(_)) && first.expected != first.decided,
        "{first:?}"
    );
}

#[test]
fn a_recording_that_cannot_be_replayed_says_so() {
    let bytes = two_readers();
    let in_the_middle = rewritten(&bytes, |record| match record {
        Record::Opening(opening) => Record::Opening(Opening { from_attach: false, ..opening }),
        record => record,
    });
    let error = replay_recording("sda.rec", &in_the_middle).unwrap_err();
    assert!(matches!(error, ReplayError::NotFromAttach(_)), "{error}");

    let of_another = rewritten(&bytes, |record| match record {
        Record::Opening(opening) => {
            Record::Opening(Opening { policy: PolicyText::new(b"cfq"), ..opening })
        }
        record => record,
    });
    let error = replay_recording("sda.rec", &of_another).unwrap_err();
    assert!(matches!(&error, ReplayError::UnknownPolicy { name, .. } if name == "cfq"), "{error}");
    assert!(error.to_string().ends_with("is unknown; expected bfq or tfq"), "{error}");

    let with_gap = rewritten(&bytes, |record| match record {
        Record::Call(Call::Dispatch {}) => Record::Lost { records: 7 },
        record => record,
    });
    let outcome = replay_recording("sda.rec", &with_gap).unwrap();
    assert_eq!(outcome.differ, 0);
    assert!(outcome.note.is_some_and(|note| note.contains("7 records are missing")));

    let cut = &bytes[..bytes.len() - 1];
    let error = replay_recording("sda.rec", cut).unwrap_err().to_string();
    assert!(error.starts_with("sda.rec: byte ") && error.ends_with("within a record"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn whatever_is_changed_in_a_recording_it_is_replayed_or_refused(
        policy in prop::sample::select(PolicyName::ALL),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut bytes = live(policy, config(true, Behaviour::Improved), &steps);
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        _ = replay_recording("test", &bytes);
    }
}
