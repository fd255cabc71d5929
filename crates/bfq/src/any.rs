// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of all policies, and what is made from it: [`PolicyName`], by which users choose one,
//! and [`AnyScheduler`], a scheduler whose policy is chosen when it is attached.

use crate::{
    calls::{Calls, with_calls},
    model::ids::RequestId,
    policy::{budget::Budget, time::TimeFair},
    scheduler::{Config, Inspection, Policy, Scheduler},
    statistics::StatisticInfo,
    store::arena::OutOfMemory,
    units::Time,
    why::{Observer, Silent},
};

/// From the rows: the type of a policy, and what it is, in a line.
macro_rules! define_policies {
    (($d:tt) $($policy:ident: $about:literal;)*) => {
        /// The policies of this crate.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum PolicyName {
            $(
                #[doc = concat!("[`", stringify!($policy), "`]: ", $about, ".")]
                $policy,
            )*
        }

        impl PolicyName {
            /// All of them, the default first.
            pub const ALL: &'static [PolicyName] = &[$(PolicyName::$policy),*];

            /// The name by which users choose it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(PolicyName::$policy => <$policy as Policy>::NAME,)*
                }
            }

            /// Whether it has several behaviours to choose from when it is attached.
            pub const fn has_behaviours(self) -> bool {
                match self {
                    $(PolicyName::$policy => <$policy as Inspection>::HAS_BEHAVIOURS,)*
                }
            }

            /// What it is, in a line.
            pub const fn about(self) -> &'static str {
                match self {
                    $(PolicyName::$policy => $about,)*
                }
            }
        }

        /// A scheduler by any of the policies: one arm each, chosen when it is attached. A call
        /// costs a comparison more than that of a [`Scheduler`], whose methods it has by [`Calls`].
        #[derive(Debug)]
        #[allow(
            clippy::large_enum_variant,
            reason = "a device has one, and a call of a boxed one would cost more than the room"
        )]
        pub enum AnyScheduler<O: Observer = Silent> {
            $(
                #[doc = concat!("By [`", stringify!($policy), "`].")]
                $policy(Scheduler<O, $policy>),
            )*
        }

        impl<O: Observer> AnyScheduler<O> {
            /// Attaches a scheduler by a policy to a device; `observer` is told every decision.
            ///
            /// # Errors
            /// [`OutOfMemory`].
            pub fn attach(
                policy: PolicyName,
                now: Time,
                config: Config<'_>,
                observer: O,
            ) -> Result<Self, OutOfMemory> {
                Ok(match policy {
                    $(PolicyName::$policy => {
                        AnyScheduler::$policy(Scheduler::attach(now, config, observer)?)
                    })*
                })
            }

            fn each_statistic(&self) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
                let all = core::iter::empty();
                $(let all = all.chain(
                    match self {
                        AnyScheduler::$policy(scheduler) => Some(scheduler),
                        #[allow(unreachable_patterns, reason = "there may be one policy only")]
                        _ => None,
                    }
                    .into_iter()
                    .flat_map(Scheduler::statistics),
                );)*
                all
            }
        }

        /// Does the same with the scheduler, whichever policy it has.
        macro_rules! whichever {
            ($d any:expr, $d scheduler:ident => $d with:expr) => {
                match $d any {
                    $(AnyScheduler::$policy($d scheduler) => $d with,)*
                }
            };
        }
    };
}

// All policies. A new one is a new row; users see them in this order.
define_policies! {
    ($)
    Budget: "shares of bandwidth by weight, classes and groups; low latency for interactive loads";
    TimeFair: "shares of the device's time by weight, classes and groups; under construction \
        (docs/tfq.md)";
}

impl Default for PolicyName {
    /// The first of the table.
    fn default() -> Self {
        PolicyName::ALL[0]
    }
}

impl PolicyName {
    /// The policy of a name.
    pub fn from_name(name: &str) -> Option<PolicyName> {
        PolicyName::ALL.iter().copied().find(|policy| policy.name() == name)
    }
}

/// [`Scheduler::dispatch`], out of line. Inlined into a match over policies, each call would save
/// the registers that any of the policies needs, also those that find nothing to dispatch.
#[inline(never)]
fn dispatch<O: Observer, P: Policy>(
    scheduler: &mut Scheduler<O, P>,
    now: Time,
) -> Option<RequestId> {
    scheduler.dispatch(now)
}

/// A call of a scheduler whose policy is known: of its method, but for [`dispatch`].
macro_rules! call {
    ($scheduler:ident.dispatch($now:expr $(,)?)) => {
        dispatch($scheduler, $now)
    };
    ($scheduler:ident.$method:ident($($argument:expr),* $(,)?)) => {
        $scheduler.$method($($argument),*)
    };
}

macro_rules! define_calls {
    (
        calls {$($number:literal $variant:ident = $method:ident(
            $($now:ident)?; $($argument:ident: $(@ $by:tt)? $type:ty),*
        ) -> $answer:ty;)*}
        looks {$($look:ident($($what:ident: $what_type:ty),*) -> $seen:ty;)*}
    ) => {
        impl<O: Observer> Calls for AnyScheduler<O> {
            type Observer = O;

            $(
                #[inline]
                fn $method(
                    &mut self, $($now: Time,)? $($argument: $($by)? $type),*
                ) -> $answer {
                    whichever!(self, scheduler => {
                        call!(scheduler.$method($($now,)? $($argument),*))
                    })
                }
            )*
            $(
                #[inline]
                fn $look(&self, $($what: $what_type),*) -> $seen {
                    whichever!(self, scheduler => scheduler.$look($($what),*))
                }
            )*

            #[inline]
            fn take_kick(&mut self) -> bool {
                whichever!(self, scheduler => scheduler.take_kick())
            }

            fn statistics(&self) -> impl Iterator<Item = (&'static StatisticInfo, u64)> {
                self.each_statistic()
            }

            #[inline]
            fn observer(&self) -> &O {
                whichever!(self, scheduler => scheduler.observer())
            }

            #[inline]
            fn observer_mut(&mut self) -> &mut O {
                whichever!(self, scheduler => scheduler.observer_mut())
            }

            fn exchange_observer(&mut self, observer: O) -> O {
                whichever!(self, scheduler => scheduler.exchange_observer(observer))
            }
        }
    };
}
with_calls!(define_calls);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_policy_is_attached_by_its_name() {
        for &policy in PolicyName::ALL {
            assert_eq!(PolicyName::from_name(policy.name()), Some(policy));
            let attached = AnyScheduler::attach(policy, Time::ZERO, Config::new(true, 8), Silent);
            let scheduler = attached.expect("memory");
            assert_eq!(scheduler.policy_name(), policy.name());
            assert_eq!(scheduler.chosen_behaviour().is_some(), policy.has_behaviours());
            scheduler.check();
        }
        assert_eq!(PolicyName::from_name("none"), None);
    }
}
