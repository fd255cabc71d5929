// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Faults for tests. The core of a module for tests asks at certain points whether
 * it shall panic there: at the beginning and the end of each of its functions for a
 * device, and, while it is recorded, wherever it has taken a decision; and at the
 * beginning of those by which a weight is written.
 */
#include "testing.h"
#include "guard.h"

#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/spinlock.h>
#include <linux/string.h>

static uint fail_every;
module_param(fail_every, uint, 0644);
MODULE_PARM_DESC(fail_every, "every n-th allocation of the core fails (0: none)");

bool bfq_testing_fails_allocation(void)
{
	static atomic_t allocations = ATOMIC_INIT(0);
	uint n = READ_ONCE(fail_every);

	return n && atomic_inc_return(&allocations) % n == 0;
}

static uint icq_delay_ms;
module_param(icq_delay_ms, uint, 0644);
MODULE_PARM_DESC(icq_delay_ms, "how long a new io_cq is visible before it is used, ms");

void bfq_testing_init_icq(struct io_cq *icq)
{
	mdelay(READ_ONCE(icq_delay_ms));
}

/* Where the core panics next, if it does: at the n-th point of a function from now. */
static DEFINE_RAW_SPINLOCK(bfq_panic_lock);
static char bfq_panic_function[64];
static uint bfq_panic_points;	/* 0: nowhere */

bool bfq_testing_strikes(void)
{
	const struct bfq_guard *guard = this_cpu_read(bfq_guard);
	unsigned long flags;
	bool strikes = false;

	/* The guard belongs to the processor: who may be moved to another one leaves it. */
	WARN_ONCE(preemptible(), "%s is called with preemption on\n", guard->function);
	if (!READ_ONCE(bfq_panic_points))
		return false;
	raw_spin_lock_irqsave(&bfq_panic_lock, flags);
	if (bfq_panic_points && !strcmp(guard->function, bfq_panic_function))
		strikes = !--bfq_panic_points;
	raw_spin_unlock_irqrestore(&bfq_panic_lock, flags);
	return strikes;
}

static int bfq_panic_set(const char *text, const struct kernel_param *param)
{
	char function[sizeof(bfq_panic_function)];
	unsigned long flags;
	uint points;

	if (sscanf(text, "%63s %u", function, &points) != 2)
		return -EINVAL;
	raw_spin_lock_irqsave(&bfq_panic_lock, flags);
	strscpy(bfq_panic_function, function, sizeof(bfq_panic_function));
	WRITE_ONCE(bfq_panic_points, points);
	raw_spin_unlock_irqrestore(&bfq_panic_lock, flags);
	return 0;
}

static int bfq_panic_get(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%s %u\n", bfq_panic_function,
			  READ_ONCE(bfq_panic_points));
}

static const struct kernel_param_ops bfq_panic_ops = {
	.set = bfq_panic_set,
	.get = bfq_panic_get,
};
module_param_cb(panic_at, &bfq_panic_ops, NULL, 0644);
MODULE_PARM_DESC(panic_at, "FUNCTION N: the core panics at the n-th point of this function of its");
