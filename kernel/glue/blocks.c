// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Small pieces of memory of a core, cut from blocks.
 *
 * A core has thousands of them, one for each process and queue, and asks for them
 * under its device's lock. The kernel's allocator is quick but for now and then, when
 * it fetches pages; of blocks it is asked more rarely, and needs no entry in the
 * ledger for each piece. A piece that the core gives back waits for another of its
 * size. None goes back to the kernel before the core does: tables keep their entries.
 */
#include "blocks.h"

#include <linux/align.h>
#include <linux/minmax.h>

static void **bfq_blocks_list(struct bfq_blocks *blocks, size_t grains)
{
	return &blocks->free[grains - 1];
}

static size_t bfq_blocks_grains(size_t size)
{
	return max_t(size_t, ALIGN(size, BFQ_GRAIN) / BFQ_GRAIN, 1);
}

void *bfq_blocks_take(struct bfq_blocks *blocks, size_t size)
{
	size_t grains = bfq_blocks_grains(size);
	void **list = bfq_blocks_list(blocks, grains);
	void *piece = *list;

	if (piece) {
		*list = *(void **)piece;
		return piece;
	}
	if (blocks->rest_size < grains * BFQ_GRAIN)
		return NULL;
	piece = blocks->rest;
	blocks->rest += grains * BFQ_GRAIN;
	blocks->rest_size -= grains * BFQ_GRAIN;
	return piece;
}

void bfq_blocks_put(struct bfq_blocks *blocks, void *memory, size_t size)
{
	void **list = bfq_blocks_list(blocks, bfq_blocks_grains(size));

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
