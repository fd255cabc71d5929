/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* How often and for how long the lock of a device is held, for those who measure that. */
#ifndef BFQ_LOCK_FIGURES_H
#define BFQ_LOCK_FIGURES_H

#include <linux/jump_label.h>
#include <linux/types.h>

/* Counted while this is on: module parameter count_lock. */
DECLARE_STATIC_KEY_FALSE(bfq_counts_lock);

/* Of a device, under its lock. */
struct bfq_lock_figures {
	u64 acquisitions;
	u64 held_ns;
	u64 longest_ns;
	u64 vain_dispatches;	/* the core was asked for a request, and had none to give */
	u64 since_ns;		/* when the lock was last taken while it was counted */
};

#endif /* BFQ_LOCK_FIGURES_H */
