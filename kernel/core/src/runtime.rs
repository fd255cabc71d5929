// SPDX-License-Identifier: GPL-2.0 OR MIT
//! What Rust needs of the kernel: memory, and a way out when the program is wrong. The C side is
//! `glue/memory.c` and `glue/guarded.S`.

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;

unsafe extern "C" {
    /// Memory of at least `size` bytes, aligned to `align`, a power of two; or null.
    fn bfq_allocate(size: usize, align: usize) -> *mut u8;
    /// Gives back what [`bfq_allocate`] gave for the same size and alignment.
    fn bfq_deallocate(memory: *mut u8, size: usize, align: usize);
    /// Says where and why the program found itself wrong, and goes on with whoever called it: all
    /// frames from there to here are gone, nothing in them is dropped. It is declared as returning,
    /// so that objtool sees no dead end behind it.
    fn bfq_panic(
        file: *const u8,
        file_length: usize,
        line: u32,
        text: *const u8,
        text_length: usize,
    );
}

/// The allocator of the kernel.
struct Kernel;

// SAFETY: what the kernel allocates is as large and as aligned as asked for, and is not
// shared until it is given back.
unsafe impl GlobalAlloc for Kernel {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: any size may be asked for.
        unsafe { bfq_allocate(layout.size(), layout.align()) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller has it from `alloc`, with that layout.
        unsafe { bfq_deallocate(memory, layout.size(), layout.align()) }
    }
}

#[global_allocator]
static ALLOCATOR: Kernel = Kernel;

/// The place is told, and why if that is a constant: to format a message would take more code
/// than the scheduler.
#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    let (file, line) = info.location().map_or(("?", 0), |at| (at.file(), at.line()));
    let text = info.message().as_str().unwrap_or("");
    // SAFETY: both are strings of these lengths, and constants. No frame that goes holds anything
    // but memory that the host keeps account of: the locks are those of the caller, who goes on.
    unsafe { bfq_panic(file.as_ptr(), file.len(), line, text.as_ptr(), text.len()) };
    loop {}
}
