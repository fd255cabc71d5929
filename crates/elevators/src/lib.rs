//! The schedulers behind the block layer's Elevator trait: bfq and its peers.
