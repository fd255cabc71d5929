// SPDX-License-Identifier: GPL-2.0 OR MIT
//! What Rust needs of the kernel: memory, and the last resort when the program is wrong.

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;

unsafe extern "C" {
    /// Memory of `size` bytes, aligned to the power of two that is not below `size` (up to a page),
    /// or null.
    fn bfq_kmalloc(size: usize) -> *mut u8;
    /// Gives back what [`bfq_kmalloc`] gave.
    fn bfq_kfree(memory: *mut u8);
    /// Says `message` and stops. It is declared as returning, so that objtool sees no dead end.
    fn bfq_panic(message: *const u8, length: usize);
}

/// The allocator of the kernel.
struct Kmalloc;

// SAFETY: kmalloc gives memory of at least the size asked for, nobody else has it until kfree, and
// a size rounded up to a power of two is aligned to that power.
unsafe impl GlobalAlloc for Kmalloc {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let size = layout.size().max(layout.align());
        let size = if layout.align() > 8 { size.next_power_of_two() } else { size };
        // SAFETY: any size may be asked for.
        unsafe { bfq_kmalloc(size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, _: Layout) {
        // SAFETY: the caller has it from `alloc`.
        unsafe { bfq_kfree(memory) }
    }
}

#[global_allocator]
static ALLOCATOR: Kmalloc = Kmalloc;

#[panic_handler]
fn panic(info: &PanicInfo) -> ! {
    let message = info.message().as_str().unwrap_or("the scheduler core failed");
    // SAFETY: the message is a slice of that length.
    unsafe { bfq_panic(message.as_ptr(), message.len()) };
    loop {}
}
