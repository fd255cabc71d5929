// SPDX-License-Identifier: GPL-2.0 OR MIT
//! Points at which the host can make the core panic, in a module that is built for tests
//! (`glue/testing.c`); in any other they are nothing.

/// Panics if the host wants that.
#[inline]
pub fn point() {
    #[cfg(all(feature = "testing", target_os = "none"))]
    {
        unsafe extern "C" {
            fn bfq_testing_strikes() -> bool;
        }
        // SAFETY: it may be called wherever the core is.
        assert!(!unsafe { bfq_testing_strikes() }, "a test wanted it");
    }
}
