//! Budget Fair Queueing: the scheduler core, no_std and without dependencies.
