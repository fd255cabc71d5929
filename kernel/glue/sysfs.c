// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The tunables: /sys/block/DISK/queue/iosched/NAME.
 *
 * Names, ranges and the parsing of what is written are the core's. The list of all is in the
 * order of its table, and each policy has those that it heeds, in its own order; a test of
 * kernel/core compares both.
 */
#include "bfq.h"

static ssize_t bfq_show(struct elevator_queue *elevator, char *page, u32 tunable)
{
	struct bfq_data *bfqd = elevator->elevator_data;
	unsigned long flags;
	u64 value;

	bfq_lock(bfqd, flags);
	value = bfq_core_read_tunable(bfqd->core, tunable);
	bfq_unlock(bfqd, flags);
	if (bfq_failed(bfqd))
		return -EIO;
	return sysfs_emit(page, "%llu\n", value);
}

static ssize_t bfq_store(struct elevator_queue *elevator, const char *page,
			 size_t count, u32 tunable)
{
	struct bfq_data *bfqd = elevator->elevator_data;
	unsigned long flags;
	int error;

	bfq_lock(bfqd, flags);
	error = bfq_core_write_tunable(bfqd->core, ktime_get_ns(), tunable,
				       page, count);
	bfq_unlock(bfqd, flags);
	return error ?: count;
}

#define BFQ_FOR_EACH_TUNABLE(X)	\
	X(0, slice_idle)	\
	X(1, slice_idle_us)	\
	X(2, strict_guarantees)	\
	X(3, low_latency)	\
	X(4, max_budget)	\
	X(5, timeout_sync)	\
	X(6, fifo_expire_sync)	\
	X(7, fifo_expire_async)	\
	X(8, back_seek_max)	\
	X(9, back_seek_penalty)	\
	X(10, strict)

#define BFQ_SHOW_AND_STORE(index, name)					\
static ssize_t bfq_##name##_show(struct elevator_queue *e, char *page)	\
{									\
	return bfq_show(e, page, index);				\
}									\
									\
static ssize_t bfq_##name##_store(struct elevator_queue *e,		\
				  const char *page, size_t count)	\
{									\
	return bfq_store(e, page, count, index);			\
}
BFQ_FOR_EACH_TUNABLE(BFQ_SHOW_AND_STORE)

#define BFQ_ATTRIBUTE(name)	\
	__ATTR(name, 0644, bfq_##name##_show, bfq_##name##_store)

struct elv_fs_entry bfq_attributes[] = {
	BFQ_ATTRIBUTE(slice_idle),
	BFQ_ATTRIBUTE(slice_idle_us),
	BFQ_ATTRIBUTE(strict_guarantees),
	BFQ_ATTRIBUTE(low_latency),
	BFQ_ATTRIBUTE(max_budget),
	BFQ_ATTRIBUTE(timeout_sync),
	BFQ_ATTRIBUTE(fifo_expire_sync),
	BFQ_ATTRIBUTE(fifo_expire_async),
	BFQ_ATTRIBUTE(back_seek_max),
	BFQ_ATTRIBUTE(back_seek_penalty),
	__ATTR_NULL
};

struct elv_fs_entry tfq_attributes[] = {
	BFQ_ATTRIBUTE(strict),
	BFQ_ATTRIBUTE(low_latency),
	BFQ_ATTRIBUTE(slice_idle),
	BFQ_ATTRIBUTE(slice_idle_us),
	__ATTR_NULL
};
