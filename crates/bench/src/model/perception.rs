// SPDX-License-Identifier: MIT OR Apache-2.0
//! What differences a person notices: the only place where the bench says so, and its sources.
//!
//! * Below 30 s people do not notice that a wait has become longer or shorter by less than 18 %;
//!   the rule of thumb of those who build software is a fifth (S. Seow, *Designing and Engineering
//!   Time*, Addison-Wesley 2008, on studies of time perception).
//! * What follows an act within a tenth of a second follows at once (R. Miller, *Response time in
//!   man-computer conversational transactions*, AFIPS 1968; S. Card, G. Robertson and J. Mackinlay,
//!   *The information visualizer*, CHI 1991). So no difference below that is noticed either.
//!
//! A single read is not noticed. What people notice is how long a program takes to answer, and for
//! that it reads many times, one read after the other. The smallest answer of which there is a
//! recording is the start of a shell. A difference in how long reads take is noticed if it makes a
//! tenth of a second over that.

/// Waits that differ by less than this factor are alike to a person.
pub const NOTICED_TIMES: f64 = 1.2;

/// Waits that differ by less than this are alike to a person, s.
pub const NOTICED_S: f64 = 0.1;

/// How often the shell of `jobs/start-ups` waits for the disk until it is ready.
pub const WAITS_OF_AN_ANSWER: f64 = 116.0;

/// Of how many waits one is among the worst, which are the 99th percentile.
const ONE_IS_WORST_OF: f64 = 100.0;

/// From which difference on a person notices how long each wait for the disk takes, ms.
pub const NOTICED_WAIT_MS: f64 = NOTICED_S * 1e3 / WAITS_OF_AN_ANSWER;

/// From which difference on a person notices how long the worst of a hundred waits takes, ms.
pub const NOTICED_WORST_WAIT_MS: f64 = NOTICED_S * 1e3 / (WAITS_OF_AN_ANSWER / ONE_IS_WORST_OF);
