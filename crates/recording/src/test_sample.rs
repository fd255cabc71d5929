// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random values of everything that a record holds, for tests.

use crate::{
    field::MOST_NAMES,
    record::{Actuators, Opening, Record, TunableValues},
    text::Text,
};
use bfq::{
    Allowance, Behaviour, BioMerge, Class, CpuPolicy, GroupId, HostError, IdentityError, Ioprio,
    NewRequest, Operation, OutOfMemory, ProcessAttributes, ProcessId, QueueId, RequestId, Sectors,
    Service, Side, Span, Time, Weight, WeightError,
    tunables::{TUNABLES, Tunable},
    why::{IdlingRule, InjectionRule, LoanEnd, RaiseKind, Reason, WithholdRule},
};
use core::num::NonZeroU32;

/// Where the randomness comes from: numbers, used again and again, a little different each time.
pub struct Source {
    numbers: std::vec::Vec<u64>,
    taken: usize,
}

impl Source {
    pub fn new(numbers: std::vec::Vec<u64>) -> Self {
        Source { numbers, taken: 0 }
    }

    fn number(&mut self) -> u64 {
        let number = self.numbers[self.taken % self.numbers.len()];
        self.taken += 1;
        number.rotate_left(self.taken as u32)
    }

    pub fn take<T: Sample>(&mut self) -> T {
        T::of(self)
    }
}

pub trait Sample {
    fn of(source: &mut Source) -> Self;
}

macro_rules! samples {
    ($($type:ty: |$source:ident| $value:expr;)*) => {
        $(impl Sample for $type {
            #[allow(unused_variables)]
            fn of($source: &mut Source) -> Self {
                $value
            }
        })*
    };
}

macro_rules! one_of {
    ($source:ident: $($value:expr),* $(,)?) => {{
        let all = [$($value),*];
        all[$source.number() as usize % all.len()]
    }};
}

samples! {
    (): |s| ();
    bool: |s| s.number() & 1 == 0;
    u8: |s| s.number() as u8;
    // Small ones and large ones.
    u32: |s| (s.number() as u32) >> (s.number() % 32);
    u64: |s| s.number() >> (s.number() % 64);
    i8: |s| s.number() as i8;
    Service: |s| {
        let amount = Service::of(s.take());
        if s.take() { amount } else { Service::of(0) - amount }
    };
    Time: |s| Time::from_ns(s.take());
    Span: |s| Span::from_ms(s.take::<u32>().into());
    Sectors: |s| Sectors::of(s.take());
    NonZeroU32: |s| NonZeroU32::MIN.saturating_add(s.take());
    Weight: |s| Weight::from(s.take::<NonZeroU32>());
    GroupId: |s| GroupId::from_index((s.take::<u32>() % MOST_NAMES) as usize);
    ProcessId: |s| ProcessId::from_index((s.take::<u32>() % MOST_NAMES) as usize);
    QueueId: |s| QueueId::from_index((s.take::<u32>() % MOST_NAMES) as usize);
    RequestId: |s| RequestId::from_index((s.take::<u32>() % MOST_NAMES) as usize);
    OutOfMemory: |s| OutOfMemory;
    Behaviour: |s| one_of!(s: Behaviour::Improved, Behaviour::Linux6_1, Behaviour::Linux6_12);
    Class: |s| one_of!(s: Class::RealTime, Class::BestEffort, Class::Idle);
    CpuPolicy: |s| one_of!(s: CpuPolicy::Normal, CpuPolicy::RealTime, CpuPolicy::Idle);
    Operation: |s| one_of!(s: Operation::Read, Operation::Write, Operation::Discard);
    Side: |s| one_of!(s: Side::Front, Side::Back);
    Reason: |s| Reason::ALL[s.number() as usize % Reason::ALL.len()];
    IdlingRule: |s| one_of!(
        s: IdlingRule::Strict, IdlingRule::BoostsThroughput, IdlingRule::ProtectsRaised,
        IdlingRule::Asymmetric, IdlingRule::OnlyBusyQueue,
    );
    InjectionRule: |s| one_of!(
        s: InjectionRule::OwnAsync, InjectionRule::Waker, InjectionRule::Woken,
        InjectionRule::Limit, InjectionRule::Actuator,
    );
    WithholdRule: |s| WithholdRule::ALL[s.number() as usize % WithholdRule::ALL.len()];
    LoanEnd: |s| LoanEnd::ALL[s.number() as usize % LoanEnd::ALL.len()];
    RaiseKind: |s| one_of!(s: RaiseKind::Interactive, RaiseKind::SoftRealTime, RaiseKind::Async);
    Tunable: |s| TUNABLES[s.number() as usize % TUNABLES.len()].tunable;
    Ioprio: |s| match s.take() {
        true => Ioprio::new(s.take(), s.take()),
        false => Ioprio::from_cpu(s.take(), s.take()),
    };
    ProcessAttributes: |s| ProcessAttributes { ioprio: s.take(), nice: s.take(), policy: s.take() };
    NewRequest: |s| NewRequest {
        operation: s.take(), sync: s.take(), metadata: s.take(), sector: s.take(),
        sectors: s.take(), process: s.take(), allocated_at: s.take(), asked_at: s.take(),
    };
    BioMerge: |s| BioMerge { request: s.take(), side: s.take() };
    Allowance: |s| Allowance { requests: s.take(), over_share: s.take() };
    WeightError: |s| WeightError { weight: s.take(), max: s.take() };
    HostError: |s| one_of!(
        s: HostError::UnknownRequest(s.take()), HostError::RequestInUse(s.take()),
        HostError::NotWaiting(s.take()), HostError::NotDispatched(s.take()),
        HostError::UnknownProcess(s.take()),
        HostError::BadRange(s.take()),
    );
    IdentityError: |s| one_of!(
        s: IdentityError::UnknownGroup(s.take()), IdentityError::RootGroup,
        IdentityError::Weight(s.take()), IdentityError::Host(s.take()),
        IdentityError::OutOfMemory,
    );
    Actuators: |s| {
        let ends = [s.take(), s.take(), s.take(), s.take(), s.take(), s.take(), s.take(), u64::MAX];
        Actuators::new(&ends[..s.number() as usize % (ends.len() + 1)])
    };
    TunableValues: |s| TunableValues(TUNABLES.map(|_| s.take()));
    Opening: |s| Opening {
        device: s.take(), policy: s.take(), from_attach: s.take(), rotational: s.take(), nr_requests: s.take(),
        hz: s.take(), actuators: s.take(), behaviour: s.take(), tunables: s.take(),
        detailed_statistics: s.take(),
    };
}

impl<const ROOM: usize> Sample for Text<ROOM> {
    fn of(source: &mut Source) -> Self {
        let mut bytes = [0; ROOM];
        let len = source.number() as usize % (ROOM + 1);
        bytes[..len].iter_mut().for_each(|byte| *byte = source.take());
        Text::new(&bytes)
    }
}

impl<T: Sample> Sample for Option<T> {
    fn of(source: &mut Source) -> Self {
        source.take::<bool>().then(|| source.take())
    }
}

impl<T: Sample, E: Sample> Sample for Result<T, E> {
    fn of(source: &mut Source) -> Self {
        if source.take() { Ok(source.take()) } else { Err(source.take()) }
    }
}

impl<T: Sample> Sample for [T; 2] {
    fn of(source: &mut Source) -> Self {
        [source.take(), source.take()]
    }
}

/// A record of each kind, and of each call, answer and decision.
pub fn records(source: &mut Source) -> std::vec::Vec<Record> {
    let mut records = std::vec![
        Record::Opening(source.take()),
        Record::Process {
            process: source.take(),
            group: source.take(),
            pid: source.take(),
            comm: source.take(),
        },
        Record::Group { group: source.take(), name: source.take() },
        Record::Lost { records: source.take() },
    ];
    records.extend(crate::call::Call::samples(source).into_iter().map(Record::Call));
    records.extend(crate::call::Answer::samples(source).into_iter().map(Record::Answer));
    records.extend(crate::decision::samples(source).into_iter().map(Record::Decision));
    records
}
