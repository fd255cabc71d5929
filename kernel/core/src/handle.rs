// SPDX-License-Identifier: GPL-2.0 OR MIT
//! Objects that C holds by a pointer: made and freed here, as `Box::new` would panic for
//! want of memory.

use alloc::alloc::{Layout, alloc, dealloc};

/// Gives an object to C; null, and the object is dropped, if there is no memory.
#[inline]
pub fn give<T>(object: T) -> *mut T {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: it is not of size zero.
    let place = unsafe { alloc(Layout::new::<T>()) }.cast::<T>();
    if !place.is_null() {
        // SAFETY: there is room for it, aligned, and it is ours.
        unsafe { place.write(object) };
    }
    place
}

/// Drops what [`give`] gave.
///
/// # Safety
/// `object` comes from there, and is not used any more.
#[inline]
pub unsafe fn take_back<T>(object: *mut T) {
    // SAFETY: it was written by `give`, into memory of this layout.
    unsafe {
        object.drop_in_place();
        dealloc(object.cast(), Layout::new::<T>());
    }
}
