// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a recording consists of.

use crate::{
    call::{Answer, Call},
    decision,
    field::{Body, Field},
    format::VERSION_WITHOUT_POLICY,
    line::RecordLine,
    problem::Problem,
    text::Text,
};
use bfq::{
    Behaviour, Budget, Config, GroupId, MAX_ACTUATORS, Policy, ProcessId,
    tunables::{TUNABLES, Ticks, Tunable, Tunables},
    why::Decision,
};

/// The name of a device.
pub type DeviceName = Text<32>;
/// The name of a policy; kernels take no longer ones for elevators.
pub type PolicyText = Text<15>;
/// The name of a program.
pub type Comm = Text<16>;
/// The path of a group; of a long one, hosts give the end.
pub type GroupName = Text<96>;

/// One record of the stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Record {
    /// The first record of a recording: the device and its scheduler.
    Opening(Opening),
    /// The scheduler was called.
    Call(Call),
    /// What the last call answered. There is none for what goes
    /// without saying ([`Answer::is_plain`]).
    Answer(Answer),
    /// What was decided during the last call.
    Decision(Decision),
    /// How the host calls a process. Of a recording that does not start at attach, it is the first
    /// that is recorded of the processes that existed already.
    Process {
        /// Identifier of the process.
        process: ProcessId,
        /// The group that it belongs to.
        group: GroupId,
        /// Its number on the host.
        pid: u32,
        /// Name of its program.
        comm: Comm,
    },
    /// How the host calls a group; likewise.
    Group {
        /// Identifier of the group.
        group: GroupId,
        /// Path of the group.
        name: GroupName,
    },
    /// The number of records for which there was no room here.
    Lost {
        /// Number of lost records.
        records: u64,
    },
}

/// The device and its scheduler when the recording began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    /// Name of the device.
    pub device: DeviceName,
    /// Name of the scheduler's policy.
    pub policy: PolicyText,
    /// The scheduler was attached at this moment, so that the recording has all its calls.
    pub from_attach: bool,
    /// The same as [`Config::rotational`].
    pub rotational: bool,
    /// The same as [`Config::nr_requests`].
    pub nr_requests: u32,
    /// The same as [`Config::hz`].
    pub hz: u32,
    /// The same as [`Config::actuator_ends`].
    pub actuators: Actuators,
    /// The same as [`Config::behaviour`].
    pub behaviour: Behaviour,
    /// The values of the tunables, in the order of [`TUNABLES`].
    pub tunables: TunableValues,
    /// Whether detailed statistics are kept.
    pub detailed_statistics: bool,
}

impl Opening {
    /// The opening of a recording that begins when a scheduler by `policy` is attached.
    pub fn at_attach(policy: &str, device: DeviceName, config: &Config<'_>) -> Self {
        let ticks = Ticks::of_hz(config.hz);
        Opening {
            device,
            policy: PolicyText::new(policy.as_bytes()),
            from_attach: true,
            rotational: config.rotational,
            nr_requests: config.nr_requests,
            hz: config.hz,
            actuators: Actuators::new(config.actuator_ends),
            behaviour: config.behaviour,
            tunables: TunableValues(TUNABLES.map(|info| Tunables::default_of(info.tunable, ticks))),
            detailed_statistics: false,
        }
    }

    /// The opening of a recording that begins in the middle of the work of a scheduler by `policy`
    /// that was attached with `config`.
    pub fn in_life(
        policy: &str,
        device: DeviceName,
        config: &Config<'_>,
        tunables: &Tunables,
        detailed_statistics: bool,
    ) -> Self {
        Opening {
            from_attach: false,
            tunables: TunableValues(TUNABLES.map(|info| tunables.get(info.tunable))),
            detailed_statistics,
            ..Opening::at_attach(policy, device, config)
        }
    }

    /// What the scheduler was attached with.
    pub fn config(&self) -> Config<'_> {
        Config {
            rotational: self.rotational,
            nr_requests: self.nr_requests,
            hz: self.hz,
            actuator_ends: self.actuators.ends(),
            behaviour: self.behaviour,
        }
    }
}

/// Where the ranges of a device's actuators end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Actuators {
    ends: [u64; MAX_ACTUATORS],
    count: u8,
}

impl Actuators {
    /// These ends; none if they are too many, which the scheduler takes for one actuator, too.
    pub fn new(given: &[u64]) -> Self {
        let mut ends = [0; MAX_ACTUATORS];
        let given = if given.len() > MAX_ACTUATORS { &[] } else { given };
        for (place, &end) in ends.iter_mut().zip(given) {
            *place = end;
        }
        Actuators { ends, count: given.len() as u8 }
    }

    /// Ends of the actuators' ranges.
    pub fn ends(&self) -> &[u64] {
        self.ends.get(..usize::from(self.count)).unwrap_or(&[])
    }
}

/// A value for each tunable, in the order of [`TUNABLES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TunableValues(pub [u64; TUNABLES.len()]);

/// What is written of an opening, in order.
macro_rules! opening {
    ($($field:ident),*) => {
        impl Field for Opening {
            fn write(&self, line: &mut RecordLine) {
                $(self.$field.write(line);)*
                self.policy.write(line);
            }

            fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
                $(let $field = Field::read(body)?;)*
                let policy = match body.version {
                    VERSION_WITHOUT_POLICY => PolicyText::new(Budget::NAME.as_bytes()),
                    _ => Field::read(body)?,
                };
                Ok(Opening { $($field,)* policy })
            }
        }
    };
}
opening! {
    device, from_attach, rotational, nr_requests, hz, actuators, behaviour, tunables,
    detailed_statistics
}

impl Field for Actuators {
    fn write(&self, line: &mut RecordLine) {
        line.byte(self.count);
        self.ends().iter().for_each(|end| end.write(line));
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        let count = body.byte()?;
        if usize::from(count) > MAX_ACTUATORS {
            return Err(Problem::Value("too many actuators"));
        }
        let mut ends = [0; MAX_ACTUATORS];
        for end in ends.iter_mut().take(usize::from(count)) {
            *end = body.number()?;
        }
        Ok(Actuators { ends, count })
    }
}

impl Field for TunableValues {
    fn write(&self, line: &mut RecordLine) {
        self.0.iter().for_each(|value| value.write(line));
    }

    fn read(body: &mut Body<'_>) -> Result<Self, Problem> {
        // What the first version does not have had its default.
        let ticks = Ticks::of_hz(1000);
        let mut values = TUNABLES.map(|info| Tunables::default_of(info.tunable, ticks));
        let written = match body.version {
            VERSION_WITHOUT_POLICY => Tunable::OF_BFQ.len(),
            _ => TUNABLES.len(),
        };
        for value in &mut values[..written] {
            *value = body.number()?;
        }
        Ok(TunableValues(values))
    }
}

/// The numbers of the records that are neither calls (from 1), answers (from 40) nor
/// decisions (from 64).
const OPENING: u8 = 128;
const PROCESS: u8 = 129;
const GROUP: u8 = 130;
const LOST: u8 = 131;

impl Record {
    /// Appends its number and its fields.
    pub(crate) fn write(&self, line: &mut RecordLine) {
        match self {
            Record::Call(call) => call.write(line),
            Record::Answer(answer) => answer.write(line),
            Record::Decision(decision) => decision::write(decision, line),
            Record::Opening(opening) => {
                line.byte(OPENING);
                opening.write(line);
            }
            Record::Process { process, group, pid, comm } => {
                line.byte(PROCESS);
                process.write(line);
                group.write(line);
                pid.write(line);
                comm.write(line);
            }
            Record::Group { group, name } => {
                line.byte(GROUP);
                group.write(line);
                name.write(line);
            }
            Record::Lost { records } => {
                line.byte(LOST);
                records.write(line);
            }
        }
    }

    /// Reads the record of a number.
    pub(crate) fn read(number: u8, body: &mut Body<'_>) -> Result<Self, Problem> {
        if let Some(call) = Call::read(number, body)? {
            return Ok(Record::Call(call));
        }
        if let Some(answer) = Answer::read(number, body)? {
            return Ok(Record::Answer(answer));
        }
        if let Some(decision) = decision::read(number, body)? {
            return Ok(Record::Decision(decision));
        }
        Ok(match number {
            OPENING => Record::Opening(Field::read(body)?),
            PROCESS => Record::Process {
                process: Field::read(body)?,
                group: Field::read(body)?,
                pid: Field::read(body)?,
                comm: Field::read(body)?,
            },
            GROUP => Record::Group { group: Field::read(body)?, name: Field::read(body)? },
            LOST => Record::Lost { records: Field::read(body)? },
            _ => return Err(Problem::UnknownRecord(number)),
        })
    }
}
