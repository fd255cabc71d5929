/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Small pieces of memory of a core, cut from blocks. */
#ifndef BFQ_BLOCKS_H
#define BFQ_BLOCKS_H

#include <linux/align.h>
#include <linux/types.h>

/* What is cut into pieces at a time. */
#define BFQ_BLOCK		8192
/* Pieces are multiples of this, and aligned to it. */
#define BFQ_GRAIN		16
/* Some are multiples of this, and aligned to it: cache lines. */
#define BFQ_LINE		64
/* Larger ones are not cut from blocks. */
#define BFQ_LARGEST_CUT		512

/*
 * Blocks whose pieces are all aligned alike. Guarded by the lock of the device; not
 * shared before and after that.
 */
struct bfq_blocks {
	/* Free pieces of each size: one grain, two, ...; linked by their first words. */
	void *free[BFQ_LARGEST_CUT / BFQ_GRAIN];
	void *rest;			/* of the block that is being cut */
	size_t rest_size;
};

/* What a piece of such a size takes up, which must not be 0. */
static inline size_t bfq_piece_size(size_t size, size_t align)
{
	return ALIGN(size, align > BFQ_GRAIN ? BFQ_LINE : BFQ_GRAIN);
}

/* Is it one of these pieces? */
static inline bool bfq_blocks_cut(size_t size, size_t align)
{
	return size <= BFQ_LARGEST_CUT && align <= BFQ_LINE;
}

/* Sizes are those of bfq_piece_size(). NULL: another block is wanted. */
void *bfq_blocks_take(struct bfq_blocks *blocks, size_t size);
/* It is free from now on. */
void bfq_blocks_put(struct bfq_blocks *blocks, void *memory, size_t size);
/* Memory of BFQ_BLOCK bytes, aligned to a line, which the blocks do not free. */
void bfq_blocks_add(struct bfq_blocks *blocks, void *block);

#endif /* BFQ_BLOCKS_H */
