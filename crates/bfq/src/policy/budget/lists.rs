// SPDX-License-Identifier: MIT OR Apache-2.0
//! The lists that a queue can be in, besides its owner's: see
//! [`Hooked`](crate::store::list::Hooked).

/// Of queues with the same waker.
pub(crate) const WOKEN: usize = 0;
/// Of queues of the present burst of creations.
pub(crate) const BURST: usize = 1;
