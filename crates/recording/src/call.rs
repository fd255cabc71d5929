// SPDX-License-Identifier: MIT OR Apache-2.0
//! The calls of the scheduler that may change its state, from the core's table of them
//! ([`bfq::Calls`]), and their answers, from a table here.

use crate::{
    field::{Body, Field},
    line::RecordLine,
    problem::Problem,
};
use bfq::{
    Allowance, BioMerge, Calls, GroupId, HostError, IdentityError, OutOfMemory, ProcessId,
    RequestId, Time,
};

macro_rules! define_calls {
    (
        calls {$($number:literal $variant:ident = $method:ident(
            $($now:ident)?; $($argument:ident: $(@ $by:tt)? $type:ty),*
        ) -> $answer:ty;)*}
        looks $looks:tt
    ) => {
        /// A call of a method of [`bfq::Scheduler`] that may change its state, with its arguments.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "see the methods, which have the same names")]
        pub enum Call {
            $(
                #[doc = concat!("[`bfq::Scheduler::", stringify!($method), "`].")]
                $variant { $($argument: $type),* },
            )*
        }

        impl Call {
            /// Calls the scheduler. Methods that take no time see that of the call before.
            pub fn perform(&self, at: Time, scheduler: &mut impl Calls) -> Answer {
                match *self {
                    $(Call::$variant { $($argument),* } => {
                        $(let $now = at;)?
                        scheduler.$method($($now,)? $($($by)? $argument),*).into()
                    })*
                }
            }

            /// Appends the number of the call, and its arguments.
            pub(crate) fn write(&self, line: &mut RecordLine) {
                match self {
                    $(Call::$variant { $($argument),* } => {
                        line.byte($number);
                        $($argument.write(line);)*
                    })*
                }
            }

            /// Reads the call of a number; none if no call has it.
            pub(crate) fn read(number: u8, body: &mut Body<'_>) -> Result<Option<Self>, Problem> {
                Ok(Some(match number {
                    $($number => Call::$variant { $($argument: Field::read(body)?),* },)*
                    _ => return Ok(None),
                }))
            }

            /// One call of each kind.
            #[cfg(test)]
            pub(crate) fn samples(source: &mut crate::test_sample::Source) -> std::vec::Vec<Self> {
                std::vec![$(Call::$variant { $($argument: source.take()),* }),*]
            }
        }
    };
}
bfq::with_calls!(define_calls);

macro_rules! define_answers {
    ($($number:literal $variant:ident($type:ty): [$($plain:pat)?];)*) => {
        /// What a call answered.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "see the methods that answer so")]
        pub enum Answer {
            $($variant($type)),*
        }

        $(impl From<$type> for Answer {
            fn from(answer: $type) -> Self {
                Answer::$variant(answer)
            }
        })*

        impl Answer {
            /// Whether it goes without saying: a call without a recorded answer answered this.
            pub fn is_plain(&self) -> bool {
                match self {
                    $($(Answer::$variant($plain) => true,)?)*
                    _ => false,
                }
            }

            /// Appends the number of the answer's type, and the answer.
            pub(crate) fn write(&self, line: &mut RecordLine) {
                match self {
                    $(Answer::$variant(answer) => {
                        line.byte($number);
                        answer.write(line);
                    })*
                }
            }

            /// Reads the answer of a type's number; none if no type has it.
            pub(crate) fn read(number: u8, body: &mut Body<'_>) -> Result<Option<Self>, Problem> {
                Ok(Some(match number {
                    $($number => Answer::$variant(Field::read(body)?),)*
                    _ => return Ok(None),
                }))
            }

            /// One answer of each type.
            #[cfg(test)]
            pub(crate) fn samples(source: &mut crate::test_sample::Source) -> std::vec::Vec<Self> {
                std::vec![$(Answer::$variant(source.take())),*]
            }
        }
    };
}

// A row: the number in records, the variant, its type, and the answers that go without saying.
define_answers! {
    40 Done(()): [()];
    41 Group(Result<GroupId, IdentityError>): [];
    42 Identity(Result<(), IdentityError>): [Ok(())];
    43 Process(Result<ProcessId, IdentityError>): [];
    44 Host(Result<(), HostError>): [Ok(())];
    45 Memory(Result<(), OutOfMemory>): [Ok(())];
    46 Candidates([Option<BioMerge>; 2]): [[None, None]];
    47 Yes(bool): [false];
    48 Allowance(Allowance): [];
    49 Request(Option<RequestId>): [None];
}
