// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Dispatching: the block layer fetches the requests that the core chooses.
 *
 * It fetches one at a time: after each insertion, and when the device has room again,
 * until there is no room or the core gives none. Each fetch would take the lock. So who
 * inserts requests, and has the lock, lets the core choose as many as it has inserted,
 * ahead of the fetches that follow at once. They are put in a ring, from which they are
 * fetched without the lock, in order; for the core they are handed out. If the core gives
 * none, that is noted (bfq_data.vain), and the next fetch need not ask again, unless
 * the lock was taken meanwhile, or something has completed.
 *
 * The core is not to choose much earlier than it would be asked. So nothing is chosen
 * ahead unless the block layer fetches next, and the driver is likely to take it:
 *
 *   the driver has no limit of its own (get_budget), as disks of SCSI have;
 *   its tags are not shared with other devices;
 *   fewer requests of the core are in flight than one hardware queue has tags;
 *   it has refused nothing of late (dispatch_busy, dispatch), and is not stopped.
 *
 * A driver that refuses a request all the same gets it, and those in the ring, later; the
 * block layer, too, keeps what was refused ahead of what is fetched anew.
 */
#include "bfq.h"

/* The ring: who has the lock puts in, anybody takes out. */

static void bfq_put_ahead(struct bfq_data *bfqd, struct request *rq)
{
	WRITE_ONCE(bfqd->ahead[bfqd->ahead_end % BFQ_MOST_AHEAD], rq);
	/* Pairs with that of bfq_fetch_ahead(): who sees the end sees the request. */
	smp_store_release(&bfqd->ahead_end, bfqd->ahead_end + 1);
}

static struct request *bfq_fetch_ahead(struct bfq_data *bfqd)
{
	struct request *rq;
	u32 first;

	/*
	 * An end from before `first` would let an empty ring look full: who sees that
	 * another one has fetched sees the end that this one saw. A place is not used
	 * anew before `first` has passed it.
	 */
	do {
		first = smp_load_acquire(&bfqd->ahead_first);
		if (first == smp_load_acquire(&bfqd->ahead_end))
			return NULL;
		rq = READ_ONCE(bfqd->ahead[first % BFQ_MOST_AHEAD]);
	} while (cmpxchg(&bfqd->ahead_first, first, first + 1) != first);
	return rq;
}

/* Choosing, with the lock held */

static __always_inline struct request *bfq_choose(struct bfq_data *bfqd, u64 now)
{
	u32 id = bfq_core_dispatch(bfqd->core, now);
	struct request *rq;

	if (id == BFQ_NONE)
		return NULL;
	rq = bfq_empty_slot(bfqd, id);
	bfqd->in_flight++;
	bfq_set_place(rq, BFQ_DISPATCHED);
	bfq_forget_merges(bfqd->queue, rq);
	return rq;
}

static struct request *bfq_choose_stray(struct bfq_data *bfqd)
{
	struct request *rq = list_first_entry(&bfqd->strays, struct request,
					      queuelist);

	list_del_init(&rq->queuelist);
	bfq_set_place(rq, BFQ_OUTSIDE);
	return rq;
}

/* A stray is not ahead of the others, nor is it kept waiting by them. */
static struct request *bfq_choose_in_turn(struct bfq_data *bfqd, u64 now)
{
	struct request *rq = NULL;

	if (bfqd->stray_was_last)
		rq = bfq_choose(bfqd, now);
	bfqd->stray_was_last = !rq;
	return rq ?: bfq_choose_stray(bfqd);
}

static void bfq_leaves(struct bfq_data *bfqd, struct request *rq)
{
	WRITE_ONCE(bfqd->waiting, bfqd->waiting - 1);
	rq->rq_flags |= RQF_STARTED;
}

/*
 * How many more requests the driver is likely to take at once. What the block layer
 * writes meanwhile is read as it comes: what is chosen ahead in vain waits in the ring.
 */
static u32 bfq_room(const struct bfq_data *bfqd, struct blk_mq_hw_ctx *hctx)
{
	const struct request_queue *q = bfqd->queue;
	const struct blk_mq_tag_set *set = q->tag_set;
	u32 depth = set->queue_depth - set->reserved_tags;

	if (q->mq_ops->get_budget || hctx->flags & BLK_MQ_F_TAG_QUEUE_SHARED ||
	    data_race(hctx->dispatch_busy) ||
	    !data_race(list_empty_careful(&hctx->dispatch)) ||
	    blk_mq_hctx_stopped(hctx) || blk_queue_quiesced(bfqd->queue))
		return 0;
	return depth > bfqd->in_flight ? depth - bfqd->in_flight : 0;
}

/* Chooses as many requests at most, for the fetches that follow. */
void bfq_choose_ahead(struct bfq_data *bfqd, struct blk_mq_hw_ctx *hctx,
		      u64 now, u32 most)
{
	u32 ahead = bfqd->ahead_end - READ_ONCE(bfqd->ahead_first);
	struct request *rq;

	if (unlikely(!list_empty(&bfqd->strays)))
		return;
	most = min3(most, bfq_room(bfqd, hctx), BFQ_MOST_AHEAD - ahead);
	for (; most; most--) {
		rq = bfq_choose(bfqd, now);
		if (!rq) {
			bfq_note_vain_dispatch(bfqd);
			WRITE_ONCE(bfqd->vain, true);
			return;
		}
		bfq_leaves(bfqd, rq);
		bfq_put_ahead(bfqd, rq);
	}
}

/* Fetching */

bool bfq_has_work(struct blk_mq_hw_ctx *hctx)
{
	return bfq_has_waiting(hctx->queue->elevator->elevator_data);
}

static struct request *bfq_choose_now(struct bfq_data *bfqd)
{
	struct request *rq;
	unsigned long flags;

	bfq_lock(bfqd, flags);
	if (likely(list_empty(&bfqd->strays)))
		rq = bfq_choose(bfqd, ktime_get_ns());
	else
		rq = bfq_choose_in_turn(bfqd, ktime_get_ns());
	if (rq)
		bfq_leaves(bfqd, rq);
	else
		bfq_note_vain_dispatch(bfqd);
	bfq_unlock(bfqd, flags);
	return rq;
}

struct request *bfq_dispatch_request(struct blk_mq_hw_ctx *hctx)
{
	struct bfq_data *bfqd = hctx->queue->elevator->elevator_data;
	struct request *rq = bfq_fetch_ahead(bfqd);

	if (rq)
		return rq;
	/*
	 * Who has completed a request may have left it to this fetch to tell the core
	 * (bfq_is_run_soon()). Then the core is asked.
	 */
	if (READ_ONCE(bfqd->vain) && llist_empty(&bfqd->completed) &&
	    xchg(&bfqd->vain, false))
		return NULL;
	return bfq_choose_now(bfqd);
}
