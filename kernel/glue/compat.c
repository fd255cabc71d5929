// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * How kernels limit an allocation to a part of a pool: found out by trying.
 *
 * shallow_depth once was a number of tags in each word of the pool's bitmap; it
 * became a number of tags of the whole pool in the middle of a stable series. No
 * version says so reliably, so a small bitmap of two words is filled at module
 * load with a limit of half a word: it takes a word's worth in all in the old
 * sense, half of that in the new one.
 */
#include "compat.h"

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
	unsigned int shift = data->hctx->sched_tags->bitmap_tags.sb.shift;

	if (!bfq_limits_words)
		return allowed;
	return max(1U, (unsigned int)(((u64)allowed << shift) / all));
}
