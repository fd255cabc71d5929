// SPDX-License-Identifier: MIT OR Apache-2.0
//! An allocator that counts, and that runs out of memory when a test wants it to.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

/// The system's allocator, watched.
pub struct Watched;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// Allocations that still succeed; none: all do.
    static LEFT: Cell<Option<u64>> = const { Cell::new(None) };
    static REFUSED: Cell<u64> = const { Cell::new(0) };
}

/// Counts an allocation; whether it may succeed.
fn admit() -> bool {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
    let admitted = match LEFT.get() {
        None => true,
        Some(0) => false,
        Some(left) => {
            LEFT.set(Some(left - 1));
            true
        }
    };
    REFUSED.set(REFUSED.get() + u64::from(!admitted));
    admitted
}

// SAFETY: each method hands its arguments on to `System`, which keeps the contract, or gives null,
// which the contract allows for "no memory". The counters are `Cell`s of the current thread that
// need neither allocation nor destruction, so using them here neither recurses nor races.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that `System` asks for.
        if admit() { unsafe { System.alloc(layout) } } else { std::ptr::null_mut() }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: `memory` came from `System` above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: `memory` came from `System` above, and the caller's promises are handed on.
        if admit() { unsafe { System.realloc(memory, layout, size) } } else { std::ptr::null_mut() }
    }
}

/// Runs `call`, which must not allocate.
pub fn without_allocating<T>(call: impl FnOnce() -> T) -> T {
    let before = ALLOCATIONS.get();
    let result = call();
    assert_eq!(ALLOCATIONS.get(), before, "this call must not allocate");
    result
}

/// Runs `call` with memory for `allocations` allocations; all later ones fail. Returns how
/// many did, too.
pub fn with_memory_for<T>(allocations: Option<u64>, call: impl FnOnce() -> T) -> (T, u64) {
    let before = REFUSED.get();
    LEFT.set(allocations);
    let result = call();
    LEFT.set(None);
    (result, REFUSED.get() - before)
}
