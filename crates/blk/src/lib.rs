//! A user-space block layer: request pool, merging, plugging, dispatch loop, elevator switch.
