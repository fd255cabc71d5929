// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The way of a request: what the block layer says of it, handed on to the core.
 *
 * A request comes in by insert_requests, is handed out by dispatch_request
 * (dispatch.c) and reported back by completed_request (completions.c) or
 * requeue_request. Who has something to tell the core takes the device's lock and
 * does what the core then asks for (lock.c). No decision is taken here. A request that
 * the core does not take (its number is beyond what there was memory for, or it
 * has no sectors: a zone is reset; anything else is a fault of ours) is a stray: the
 * core does not have it, and it has its turn with those that the core hands out. All
 * are, once the core has failed (fallback.c).
 */
#include "io.h"
#include "process.h"

enum hrtimer_restart bfq_timer_fired(struct hrtimer *timer)
{
	struct bfq_data *bfqd = container_of(timer, struct bfq_data, timer);
	u64 now = ktime_get_ns();
	unsigned long flags;

	bfq_lock_at(bfqd, now, flags);
	bfqd->timer_ns = BFQ_NEVER;
	if (bfqd->core->timer_ns <= now)
		bfq_core_on_timer(bfqd->core, now);
	bfq_unlock(bfqd, flags);
	return HRTIMER_NORESTART;
}

/* Inserting */

static void bfq_add_stray(struct bfq_data *bfqd, struct request *rq)
{
	bfq_set_place(rq, BFQ_STRAY);
	if (bfq_failed(bfqd) && bfq_arrival(rq) < 0)
		list_add(&rq->queuelist, &bfqd->strays);
	else
		list_add_tail(&rq->queuelist, &bfqd->strays);
}

/* Whether the core takes it, as it should if its number is known and it has sectors. */
static bool bfq_hand_to_core(struct bfq_data *bfqd, u32 id,
			     const struct bfq_io *io, u64 now)
{
	if (unlikely(id >= bfqd->request_ids)) {
		bfqd->strayed += io->sectors && !bfq_failed(bfqd);
		return false;
	}
	if (likely(bfq_core_insert(bfqd->core, now, id, io)))
		return true;
	bfqd->refused += io->sectors && !bfq_failed(bfqd);
	return false;
}

/*
 * Whether a flush that goes before it held it back, so that a worker puts it in and
 * not who submitted it. Only its bios still tell: the request's own flag is gone. One
 * that the block layer only follows by a flush, because the disk has a cache and
 * cannot write past it, comes at once, as any other.
 */
static bool bfq_was_held_back(const struct request *rq)
{
	return rq->rq_flags & RQF_FLUSH_SEQ && rq->bio &&
	       rq->bio->bi_opf & REQ_PREFLUSH;
}

/* Whether the core has it now: else it was merged, or is a stray. */
static bool bfq_insert(struct bfq_data *bfqd, struct request *rq,
		       const struct bfq_submitter *submitter, u64 now,
		       struct list_head *merged)
{
	u32 id = bfq_request_id(bfqd, rq);
	struct bfq_io io = bfq_io_of_request(rq, now);

	/*
	 * The block layer inserts requeued requests; they were charged already.
	 * What a flush held back has waited enough, and is the worker's by now.
	 */
	if (!submitter || bfq_was_held_back(rq))
		io.flags |= BFQ_AT_HEAD;
	else
		io.process = bfq_introduce(bfqd, now, submitter, rq->bio);
	if (bfqd->waiting && bfq_insertion_merge(bfqd, rq, &io, now, merged))
		return false;
	bfq_arrives(bfqd, rq, !submitter);
	WRITE_ONCE(bfqd->waiting, bfqd->waiting + 1);
	if (unlikely(!bfq_hand_to_core(bfqd, id, &io, now))) {
		bfq_add_stray(bfqd, rq);
		return false;
	}
	bfq_fill_slot(bfqd, id, rq);
	bfq_set_place(rq, BFQ_WAITING);
	return true;
}

/* Whether new requests are not scheduled as they should be, and why. The lock is held. */
static enum bfq_fallback bfq_new_fallback(struct bfq_data *bfqd)
{
	const struct bfq_core *core = bfqd->core;
	u64 fallbacks = core->shared + core->nobody + bfqd->strayed;
	enum bfq_fallback fallback = BFQ_NO_FALLBACK;

	if (unlikely(fallbacks != bfqd->told_fallbacks))
		fallback = BFQ_NO_MEMORY;
	if (unlikely(bfqd->refused != bfqd->told_refused))
		fallback = BFQ_REFUSED;
	bfqd->told_fallbacks = fallbacks;
	bfqd->told_refused = bfqd->refused;
	return fallback;
}

/*
 * Who flushes a plug dispatches what was in it. A request that comes without one
 * would be left to a worker: two context switches, which cost more than all of the
 * scheduling. Who submits it can dispatch it as well, as it does without an
 * elevator; unless the driver might put it to sleep.
 */
static void bfq_run_unplugged(struct blk_mq_hw_ctx *hctx)
{
	if (!current->plug && !(hctx->flags & BLK_MQ_F_BLOCKING))
		blk_mq_run_hw_queue(hctx, false);
}

void bfq_insert_requests(struct blk_mq_hw_ctx *hctx,
				struct list_head *list, bfq_insert_flags how)
{
	struct bfq_data *bfqd = hctx->queue->elevator->elevator_data;
	struct bfq_submitter submitter;
	struct request *rq, *next;
	bool at_head = bfq_at_head(how);
	unsigned long flags;
	LIST_HEAD(merged);
	u32 inserted = 0;
	enum bfq_fallback fallback;
	u64 now;

	bfq_pass_commands_through(hctx, list);
	/*
	 * What waits may be dispatched as soon as the lock is released, and what is
	 * chosen ahead even before, and complete, and the elevator be taken off the
	 * device: bfq_exit_sched() waits for who is in here.
	 */
	rcu_read_lock();
	if (!at_head) {
		bfq_find_submitter(&submitter, hctx->queue);
		list_for_each_entry(rq, list, queuelist)
			bfq_find_facts(&submitter, rq->bio);
	}
	now = ktime_get_ns();
	bfq_lock_at(bfqd, now, flags);
	list_for_each_entry_safe(rq, next, list, queuelist) {
		list_del_init(&rq->queuelist);
		inserted += bfq_insert(bfqd, rq, at_head ? NULL : &submitter,
				       now, &merged);
	}
	bfq_choose_ahead(bfqd, hctx, now, inserted);
	fallback = bfq_new_fallback(bfqd);
	bfq_unlock(bfqd, flags);
	if (unlikely(fallback))
		bfq_tell_fallback(bfqd, fallback);
	rcu_read_unlock();
	blk_mq_free_requests(&merged);
	bfq_run_unplugged(hctx);
}

/* Completing */

/* A request that the core handed out is complete. */
static void bfq_has_completed(struct request *rq, u64 now)
{
	struct bfq_data *bfqd = rq->q->elevator->elevator_data;

	bfq_set_place(rq, BFQ_OUTSIDE);
	bfq_complete(bfqd, rq, now);
}

void bfq_completed_request(struct request *rq, u64 now)
{
	if (bfq_place(rq) == BFQ_DISPATCHED)
		bfq_has_completed(rq, now);
}

/* It comes back, if at all, by insert_requests, at the head. */
void bfq_requeue_request(struct request *rq)
{
	struct bfq_data *bfqd = rq->q->elevator->elevator_data;
	unsigned long flags;

	if (bfq_place(rq) != BFQ_DISPATCHED)
		return;
	bfq_lock(bfqd, flags);
	bfq_core_requeue(bfqd->core, ktime_get_ns(), bfq_request_id(bfqd, rq));
	bfqd->in_flight--;
	bfq_set_place(rq, BFQ_OUTSIDE);
	bfq_unlock(bfqd, flags);
}

/* Allocating */

/*
 * A pool that all hardware queues share is resized after depth_updated. It has as
 * many numbers as can be from the start, so the core can learn late. Here, read
 * without the lock: is there something that it does not know yet?
 */
static bool bfq_shared_pool_changed(const struct bfq_data *bfqd)
{
	return unlikely(!bfqd->pool_stride &&
			READ_ONCE(bfqd->queue->nr_requests) !=
				READ_ONCE(bfqd->nr_requests));
}

/* Before each request, the device locked: nothing else tells the core of the change. */
static void bfq_follow_shared_pool(struct bfq_data *bfqd, u64 now)
{
	u32 nr_requests = READ_ONCE(bfqd->queue->nr_requests);

	if (!bfq_shared_pool_changed(bfqd))
		return;
	WRITE_ONCE(bfqd->nr_requests, nr_requests);
	bfqd->known_requests = nr_requests;
	bfq_core_set_nr_requests(bfqd->core, now, nr_requests,
				 bfqd->request_ids);
}

/*
 * What the core allows is a part of the pool that it knows. If there was no memory for
 * a larger one, the same part of that is allowed.
 */
static u32 bfq_of_present_pool(const struct bfq_data *bfqd, u32 allowed)
{
	u32 all = bfqd->nr_requests, known = bfqd->known_requests;

	if (likely(all == known))
		return allowed;
	if (allowed >= known)
		return all;
	return max(1U, (u32)((u64)allowed * all / known));
}

static noinline void bfq_ask_for_depth(struct bfq_data *bfqd, blk_opf_t opf,
				       struct blk_mq_alloc_data *data)
{
	struct bfq_process *process;
	enum bfq_operation operation = bfq_operation_of(opf);
	bool sync = op_is_sync(opf);
	u64 now = ktime_get_ns();
	unsigned long flags;
	u32 allowed, all;

	rcu_read_lock();
	process = bfq_find_process(data->q);
	rcu_read_unlock();
	bfq_lock_at(bfqd, now, flags);
	bfq_follow_shared_pool(bfqd, now);
	all = bfqd->nr_requests;
	allowed = bfq_core_allowed_requests(bfqd->core, now,
					    process ? bfq_process_id(process) :
						      BFQ_NONE,
					    operation, sync);
	allowed = bfq_of_present_pool(bfqd, allowed);
	bfq_unlock(bfqd, flags);
	if (operation != BFQ_READ || !sync)
		allowed = bfq_follow_async_depth(data->q, allowed, all);
	if (allowed < all)
		data->shallow_depth = bfq_shallow_depth(data, allowed, all);
}

void bfq_limit_depth(blk_opf_t opf, struct blk_mq_alloc_data *data)
{
	struct bfq_data *bfqd = data->q->elevator->elevator_data;

	if ((opf & REQ_OP_MASK) != REQ_OP_READ || !op_is_sync(opf) ||
	    READ_ONCE(bfqd->core->limits_sync_reads) ||
	    bfq_shared_pool_changed(bfqd))
		bfq_ask_for_depth(bfqd, opf, data);
}

void bfq_prepare_request(struct request *rq)
{
	bfq_set_place(rq, BFQ_OUTSIDE);
	bfq_ensure_process(rq->q);
}

/*
 * Normally the request has completed, or was never inserted. It still counts as
 * dispatched if its driver ended it in a way that reports no completion.
 */
void bfq_finish_request(struct request *rq)
{
	if (unlikely(bfq_place(rq) == BFQ_DISPATCHED))
		bfq_has_completed(rq, ktime_get_ns());
}
