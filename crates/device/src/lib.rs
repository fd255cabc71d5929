//! Models of disks and their profiles.
