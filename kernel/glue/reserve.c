// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Pieces of memory for the core, allocated before it asks for them.
 *
 * The core's tables grow when a process or group comes, under the device's
 * lock, where kmalloc() gives nothing large and the caller may not wait. What
 * they will need is known long before: when a table is half full the core names
 * the size, and if that is large a worker allocates the piece. If it comes too
 * late, kmalloc() is asked for up to 64 KiB all the same; otherwise the core
 * copes without.
 */
#include "bfq.h"
#include "memory.h"

#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

/* What is ready, of all devices. The lock is inside of those of the devices. */
static LIST_HEAD(bfq_ready);
static DEFINE_SPINLOCK(bfq_ready_lock);

/* Lies at the beginning of the piece itself. */
struct bfq_piece {
	struct list_head node;
	const struct bfq_data *owner;
	size_t size;
};

/* A piece of that size; NULL: none is ready. */
void *bfq_reserve_take(size_t size)
{
	struct bfq_piece *piece;
	unsigned long flags;
	void *found = NULL;

	spin_lock_irqsave(&bfq_ready_lock, flags);
	list_for_each_entry(piece, &bfq_ready, node)
		if (piece->size == bfq_piece_size(size)) {
			list_del(&piece->node);
			found = piece;
			break;
		}
	spin_unlock_irqrestore(&bfq_ready_lock, flags);
	return found;
}

static u32 bfq_count_ready(const struct bfq_data *bfqd, size_t size)
{
	struct bfq_piece *piece;
	unsigned long flags;
	u32 count = 0;

	spin_lock_irqsave(&bfq_ready_lock, flags);
	list_for_each_entry(piece, &bfq_ready, node)
		count += piece->owner == bfqd &&
			 piece->size == bfq_piece_size(size);
	spin_unlock_irqrestore(&bfq_ready_lock, flags);
	return count;
}

/*
 * Sees to it that so many pieces of a size are ready for a device; false: there is no
 * memory. May sleep, but waits for no I/O: it might be that of the device.
 */
bool bfq_reserve_fill(struct bfq_data *bfqd, size_t size, u32 count)
{
	unsigned int noio = memalloc_noio_save();
	struct bfq_piece *piece;
	unsigned long flags;

	size = max(bfq_piece_size(size), sizeof(*piece));
	for (count -= min(count, bfq_count_ready(bfqd, size)); count; count--) {
		piece = kvmalloc(size, GFP_KERNEL | __GFP_NOWARN);
		if (!piece)
			break;
		piece->owner = bfqd;
		piece->size = size;
		spin_lock_irqsave(&bfq_ready_lock, flags);
		list_add(&piece->node, &bfq_ready);
		spin_unlock_irqrestore(&bfq_ready_lock, flags);
	}
	memalloc_noio_restore(noio);
	return !count;
}

/* How many of the first so many sizes are as the last of them. */
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
	LIST_HEAD(unused);

	cancel_delayed_work_sync(&bfqd->refill);
	spin_lock_irq(&bfq_ready_lock);
	list_for_each_entry_safe(piece, next, &bfq_ready, node)
		if (piece->owner == bfqd)
			list_move(&piece->node, &unused);
	spin_unlock_irq(&bfq_ready_lock);
	list_for_each_entry_safe(piece, next, &unused, node)
		kvfree(piece);
}
