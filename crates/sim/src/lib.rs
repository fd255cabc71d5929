//! Virtual time: a job file's processes, the block layer and a device model.
