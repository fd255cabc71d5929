// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the core takes from the kernel: memory, and the last resort.
 *
 * The core allocates under the device's lock when it meets a new process or
 * group, and copes if there is nothing; it allocates its large tables when a
 * device is attached, without the lock. Interrupts tell which of the two it is.
 * Memory from vmalloc cannot be freed with interrupts off, so a worker does it.
 */
#include <linux/kernel.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "bfq_core.h"
#include "memory.h"

static uint fail_every;
module_param(fail_every, uint, 0644);
MODULE_PARM_DESC(fail_every, "for tests: every n-th allocation of the core fails (0: none)");

static bool bfq_allocation_shall_fail(void)
{
	static atomic_t allocations = ATOMIC_INIT(0);
	uint n = READ_ONCE(fail_every);

	return unlikely(n) && atomic_inc_return(&allocations) % n == 0;
}

void *bfq_allocate(size_t size, size_t align)
{
	if (bfq_allocation_shall_fail())
		return NULL;
	/* Only sizes that are powers of two are aligned to themselves. */
	if (align > ARCH_KMALLOC_MINALIGN)
		size = roundup_pow_of_two(max(size, align));
	if (irqs_disabled())
		return kmalloc(size, GFP_ATOMIC | __GFP_NOWARN);
	return kvmalloc(size, GFP_KERNEL);
}

static LLIST_HEAD(bfq_to_be_freed);

static void bfq_free_later(struct work_struct *work)
{
	struct llist_node *node, *next;

	llist_for_each_safe(node, next, llist_del_all(&bfq_to_be_freed))
		vfree(node);
}

static DECLARE_WORK(bfq_freeing, bfq_free_later);

void bfq_deallocate(void *memory)
{
	if (is_vmalloc_addr(memory) && irqs_disabled()) {
		llist_add(memory, &bfq_to_be_freed);
		schedule_work(&bfq_freeing);
	} else {
		kvfree(memory);
	}
}

void bfq_memory_exit(void)
{
	flush_work(&bfq_freeing);
}

/*
 * The core found itself in a state that it knows to be impossible. Going on
 * could lose data, so the task stops here, as it would at any BUG of the kernel.
 */
void bfq_panic(const char *file, size_t length, u32 line)
{
	pr_emerg("bfq: the scheduler core panicked at %.*s:%u\n", (int)length,
		 file, line);
	/* Always so; but objtool may not see it, for Rust has code behind the call. */
	BUG_ON(file);
}

/* For tests: what a panic of the core looks like in the log. */
static int bfq_provoke_panic(const char *value, const struct kernel_param *param)
{
	/* There is no such tunable. */
	bfq_core_provoke_panic(BFQ_TUNABLES);
	return 0;
}

static const struct kernel_param_ops bfq_provoke_panic_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = bfq_provoke_panic,
};
module_param_cb(provoke_panic, &bfq_provoke_panic_ops, NULL, 0200);
MODULE_PARM_DESC(provoke_panic, "for tests: writing makes the core panic, as if it were wrong");
