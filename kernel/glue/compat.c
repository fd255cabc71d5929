// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What differs between kernels and takes more than a line: how an elevator's queue is
 * made, and how kernels limit an allocation to a part of a pool.
 *
 * The latter is found out by trying:
 * shallow_depth once was a number of tags in each word of the pool's bitmap; it
 * became a number of tags of the whole pool in the middle of a stable series. No
 * version says so reliably, so a small bitmap of two words is filled at module
 * load with a limit of half a word: it takes a word's worth in all in the old
 * sense, half of that in the new one.
 */
#include "bfq.h"

static bool bfq_limits_words;

int bfq_compat_init(void)
{
	const unsigned int shift = 3, word = 1 << shift, limit = word / 2;
	struct sbitmap_queue pool;
	unsigned int taken = 0;
	int error;

	error = sbitmap_queue_init_node(&pool, 2 * word, shift, false,
					GFP_KERNEL, NUMA_NO_NODE);
	if (error)
		return error;
	sbitmap_queue_min_shallow_depth(&pool, 1);
	while (taken < 2 * word && sbitmap_queue_get_shallow(&pool, limit) >= 0)
		taken++;
	sbitmap_queue_free(&pool);
	bfq_limits_words = taken > limit;
	return 0;
}

unsigned int bfq_shallow_depth(const struct blk_mq_alloc_data *data,
			       unsigned int allowed, unsigned int all)
{
	unsigned int shift;

	if (!bfq_limits_words)
		return allowed;
	/* Which hardware queue it will be is not always known yet; all pools are alike. */
	shift = bfq_this_hctx(data->q)->sched_tags->bitmap_tags.sb.shift;
	return max(1U, (unsigned int)(((u64)allowed << shift) / all));
}

#if BFQ_KERNEL <= BFQ_6_12

int bfq_init_sched(struct request_queue *q, struct elevator_type *type)
{
	struct elevator_queue *elevator = elevator_alloc(q, type);
	int error;

	if (!elevator)
		return -ENOMEM;
	error = bfq_attach(q, elevator);
	if (error)
		kobject_put(&elevator->kobj);
	return error;
}

void bfq_depth_updated(struct blk_mq_hw_ctx *hctx)
{
	bfq_pool_updated(hctx);
}

#else

int bfq_init_sched(struct request_queue *q, struct elevator_queue *elevator)
{
	return bfq_attach(q, elevator);
}

void bfq_depth_updated(struct request_queue *q)
{
	struct blk_mq_hw_ctx *hctx;
	unsigned long i;

	queue_for_each_hw_ctx(q, hctx, i)
		bfq_pool_updated(hctx);
}

#endif
