// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Pieces of memory for the core, allocated before it asks for them.
 *
 * The core's tables grow when a process or group comes, under the device's lock,
 * where the caller may not wait. What they will need is known long before: when a
 * table is half full the core names the size, and a worker allocates the piece,
 * with its entry in the ledger. If the worker comes too late, kmalloc() is asked
 * for up to 64 KiB all the same; otherwise the core copes without.
 */
#include "bfq.h"
#include "memory.h"

#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

/* Lies at the beginning of the piece itself. */
struct bfq_piece {
	struct list_head node;
	struct bfq_ledger_entry *entry;
	size_t size;
};

void bfq_reserve_init(struct bfq_reserve *reserve)
{
	INIT_LIST_HEAD(&reserve->pieces);
}

/* What is allocated for a piece of such a size. */
static size_t bfq_reserve_size(size_t size)
{
	return ALIGN(max(size, sizeof(struct bfq_piece)), BFQ_GRAIN);
}

void *bfq_reserve_take(struct bfq_reserve *reserve, size_t size,
		       struct bfq_ledger_entry **entry)
{
	struct bfq_piece *piece;

	list_for_each_entry(piece, &reserve->pieces, node)
		if (piece->size == bfq_reserve_size(size)) {
			list_del(&piece->node);
			*entry = piece->entry;
			return piece;
		}
	return NULL;
}

static u32 bfq_count_ready(struct bfq_data *bfqd, size_t size)
{
	struct bfq_piece *piece;
	unsigned long flags;
	u32 count = 0;

	bfq_lock(bfqd, flags);
	list_for_each_entry(piece, &bfqd->host.reserve.pieces, node)
		count += piece->size == size;
	bfq_unlock(bfqd, flags);
	return count;
}

static struct bfq_piece *bfq_new_piece(size_t size)
{
	struct bfq_piece *piece = kvmalloc(size, GFP_KERNEL | __GFP_NOWARN);

	if (!piece)
		return NULL;
	piece->size = size;
	piece->entry = kmalloc(sizeof(*piece->entry), GFP_KERNEL | __GFP_NOWARN);
	if (piece->entry)
		return piece;
	kvfree(piece);
	return NULL;
}

/*
 * Sees to it that `count` pieces of a size are ready for a device; false: there is no
 * memory. May sleep, but waits for no I/O: it might be that of the device.
 */
bool bfq_reserve_fill(struct bfq_data *bfqd, size_t size, u32 count)
{
	unsigned int noio = memalloc_noio_save();
	struct bfq_piece *piece;
	unsigned long flags;

	size = bfq_reserve_size(size);
	for (count -= min(count, bfq_count_ready(bfqd, size)); count; count--) {
		piece = bfq_new_piece(size);
		if (!piece)
			break;
		bfq_lock(bfqd, flags);
		list_add(&piece->node, &bfqd->host.reserve.pieces);
		bfq_unlock(bfqd, flags);
	}
	memalloc_noio_restore(noio);
	return !count;
}

/* How many of the first `count` sizes are as the last of them. */
static u32 bfq_count_equal(const size_t *sizes, u32 count)
{
	u32 i, equal = 0;

	for (i = 0; i < count; i++)
		equal += sizes[i] == sizes[count - 1];
	return equal;
}

static void bfq_refill(struct work_struct *work)
{
	struct bfq_data *bfqd =
		container_of(work, struct bfq_data, refill.work);
	bool all = true;
	size_t sizes[BFQ_PIECES];
	unsigned long flags;
	u32 count, i;

	bfq_lock(bfqd, flags);
	count = bfq_core_next_pieces(bfqd->core, sizes, BFQ_PIECES);
	bfq_unlock(bfqd, flags);
	for (i = 0; i < count; i++)
		if (sizes[i] > BFQ_SMALL_PIECE)
			all &= bfq_reserve_fill(bfqd, sizes[i],
						bfq_count_equal(sizes, i + 1));
	if (all)
		return;
	/* When the next process or group comes it is tried again. */
	bfq_lock(bfqd, flags);
	bfqd->planned_pieces = 0;
	bfqd->core->large_pieces = 0;
	bfq_unlock(bfqd, flags);
}

void bfq_reserve_attach(struct bfq_data *bfqd)
{
	INIT_DELAYED_WORK(&bfqd->refill, bfq_refill);
}

/* The core is not called any more. */
void bfq_reserve_detach(struct bfq_data *bfqd)
{
	struct bfq_piece *piece, *next;

	cancel_delayed_work_sync(&bfqd->refill);
	list_for_each_entry_safe(piece, next, &bfqd->host.reserve.pieces, node) {
		kfree(piece->entry);
		kvfree(piece);
	}
	bfq_reserve_init(&bfqd->host.reserve);
}
