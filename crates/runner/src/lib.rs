//! The processes of a job file at work on the block layer.
