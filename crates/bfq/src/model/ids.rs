// SPDX-License-Identifier: MIT OR Apache-2.0
//! The names of what there is.

use crate::store::arena::host_key;

host_key!(
    /// Names a request: the host's tag, below the size of its request pool.
    RequestId
);
host_key!(
    /// Names a queue until it is freed; the number may name another one then.
    QueueId
);
host_key!(
    /// Names a process (or any I/O context that deserves a share of its own).
    ProcessId
);
host_key!(
    /// Names a group until it is removed; the number may name another one then.
    GroupId
);
