// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Small pieces of memory of a core, cut from blocks.
 *
 * A core has thousands of them, some for each process, and asks for them under its
 * device's lock. The kernel's allocator is usually quick, but a caller that needs a
 * single page waits now and then while it fetches a thousand of them. Of pieces of
 * two pages, such as a block, it fetches few at a time. A block is needed for many
 * pieces only, and it is one entry in the ledger. A piece that the core gives back
 * waits for the next request of its size; the kernel gets the blocks back when the
 * core itself is freed.
 */
#include "blocks.h"

/* size: a multiple of a grain, at least one. */
static void **bfq_blocks_list(struct bfq_blocks *blocks, size_t size)
{
	return &blocks->free[size / BFQ_GRAIN - 1];
}

void *bfq_blocks_take(struct bfq_blocks *blocks, size_t size)
{
	void **list = bfq_blocks_list(blocks, size);
	void *piece = *list;

	if (piece) {
		*list = *(void **)piece;
		return piece;
	}
	if (blocks->rest_size < size)
		return NULL;
	piece = blocks->rest;
	blocks->rest += size;
	blocks->rest_size -= size;
	return piece;
}

void bfq_blocks_put(struct bfq_blocks *blocks, void *memory, size_t size)
{
	void **list = bfq_blocks_list(blocks, size);

	*(void **)memory = *list;
	*list = memory;
}

void bfq_blocks_add(struct bfq_blocks *blocks, void *block)
{
	/* What was left of the last one is smaller than the piece that is wanted. */
	if (blocks->rest_size)
		bfq_blocks_put(blocks, blocks->rest, blocks->rest_size);
	blocks->rest = block;
	blocks->rest_size = BFQ_BLOCK;
}
