// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the core's own types look like as bytes: one table.

use crate::{
    field::{Body, Field, enumerations, structures},
    line::RecordLine,
    problem::Problem,
};
use bfq::{
    Allowance, Behaviour, BioMerge, Class, CpuPolicy, HostError, IOPRIO_LEVELS, IdentityError,
    Ioprio, NewRequest, Operation, ProcessAttributes, Side, WeightError,
    tunables::{TUNABLES, Tunable},
    why::{IdlingRule, InjectionRule, LoanEnd, RaiseKind, Reason, WithholdRule},
};

structures! {
    ProcessAttributes { ioprio, nice, policy }
    NewRequest { operation, sync, metadata, sector, sectors, process, allocated_at, asked_at }
    BioMerge { request, side }
    Allowance { requests, over_share }
    WeightError { weight, max }
}

enumerations! {
    Behaviour: "no known behaviour" { 0 Improved, 1 Linux6_1, 2 Linux6_12 }
    Class: "no class" { 0 RealTime, 1 BestEffort, 2 Idle }
    CpuPolicy: "no CPU policy" { 0 Normal, 1 RealTime, 2 Idle }
    Operation: "no operation" { 0 Read, 1 Write, 2 Discard }
    Side: "no side" { 0 Front, 1 Back }
    Reason: "no reason" {
        0 TooIdle, 1 BudgetTimeout, 2 BudgetExhausted, 3 NoMoreRequests, 4 Preempted,
    }
    IdlingRule: "no rule of idling" {
        0 Strict, 1 BoostsThroughput, 2 ProtectsRaised, 3 Asymmetric, 4 OnlyBusyQueue,
    }
    InjectionRule: "no rule of injection" { 0 OwnAsync, 1 Waker, 2 Woken, 3 Limit, 4 Actuator }
    WithholdRule: "no rule of withholding" {
        0 Full, 1 Unknown, 2 Expected, 3 Alone, 4 Slot, 5 BeforeSlot, 6 WriteCache, 7 OneAtATime,
        8 Visit, 9 ReadAhead,
    }
    LoanEnd: "no end of a loan" {
        0 Time, 1 Service, 2 Stream, 3 Depth, 4 Pauses, 5 Pool, 6 Write, 7 Refused,
    }
    RaiseKind: "no kind of raise" { 0 Interactive, 1 SoftRealTime, 2 Async }
    HostError: "no error of a host" {
        0 UnknownRequest(id), 1 RequestInUse(id), 2 NotWaiting(id), 3 NotDispatched(id),
        4 UnknownProcess(id), 5 BadRange(id),
    }
    IdentityError: "no error about an identity" {
        0 UnknownGroup(id), 1 RootGroup, 2 Weight(error), 3 Host(error), 4 OutOfMemory,
    }
}

impl Field for Ioprio {
    fn write(&self, line: &mut RecordLine) {
        self.class().write(line);
        line.byte(self.level());
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        let (class, level) = (Class::read(body)?, body.byte()?);
        if level >= IOPRIO_LEVELS {
            return Err(Problem::Value("no I/O priority"));
        }
        Ok(match class {
            // An idle process has the level of its nice value; asked for, it would be the lowest.
            Class::Idle => Ioprio::from_cpu(level as i8 * 5 - 20, CpuPolicy::Idle),
            _ => Ioprio::new(class, level),
        })
    }
}

impl Field for Tunable {
    fn write(&self, line: &mut RecordLine) {
        line.byte(*self as u8);
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        let place = usize::from(body.byte()?);
        TUNABLES.get(place).map(|info| info.tunable).ok_or(Problem::Value("no tunable"))
    }
}
