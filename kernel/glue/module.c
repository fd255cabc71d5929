// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The module: loading and unloading, and what the Rust core asks of the kernel.
 */
#include <linux/blk-mq.h>
#include <linux/bug.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "block/elevator.h"
#include "block/blk-mq.h"
#include "block/blk-mq-sched.h"

bool bfq_core_try(u64 now_ns, u32 nr_requests);
void *bfq_kmalloc(size_t size);
void bfq_kfree(void *memory);
void bfq_panic(const u8 *message, size_t length);

void *bfq_kmalloc(size_t size)
{
	return kmalloc(size, GFP_ATOMIC | __GFP_NOWARN);
}

void bfq_kfree(void *memory)
{
	kfree(memory);
}

void bfq_panic(const u8 *message, size_t length)
{
	pr_emerg("bfq: %.*s\n", (int)length, message);
	/* Always so; but objtool may not see it, as Rust has code behind the call. */
	BUG_ON(message);
}

static int __init bfq_init(void)
{
	pr_info("bfq: core %s\n",
		bfq_core_try(ktime_get_ns(), 64) ? "works" : "has no memory");
	return 0;
}

static void __exit bfq_exit(void)
{
	pr_info("bfq: unloaded\n");
}

module_init(bfq_init);
module_exit(bfq_exit);

MODULE_ALIAS("bfq-iosched");
MODULE_AUTHOR("The bfq developers");
MODULE_DESCRIPTION("Budget Fair Queueing, with its core in Rust");
MODULE_LICENSE("Dual MIT/GPL");
