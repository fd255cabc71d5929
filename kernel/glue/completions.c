// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Completions: reported without the device's lock, and told to the core by whoever
 * takes it next, before anything else.
 *
 * A request that has completed is put on a list of the device that needs no lock,
 * with the time at which it did. bfq_lock() empties that list first, in order, so
 * every decision of the core is taken with the knowledge of all completions that
 * were there when the lock was taken, as if each had been told at once.
 *
 * No completion is forgotten. While nothing waits in the scheduler a completion has no
 * effect that anybody could see: nothing is held back that it might release, and a
 * timer would find nothing to release. Whatever comes then takes the lock. While
 * something waits (bfq_data.waiting), a completion must be told soon:
 *
 *   who completes                       who has the lock
 *     adds to the list                    changes `waiting`
 *     (barrier: llist_add)                unlocks; if something waits:
 *     if something waits:                 (barrier)
 *       tries to take the lock            if the list is not empty:
 *                                           tries to take the lock
 *
 * Of two who do this at once, at least one sees what the other one has done. If who
 * completes fails to get the lock, its holder sees the list when it has unlocked; if
 * it sees that nothing waits, but something came to wait just then, the one who
 * inserted that sees the list. Who fails to get the lock after unlocking leaves the
 * list to the new holder, for whom the same holds.
 *
 * If the device had no room for all that the block layer has fetched, the block layer
 * has marked the hardware queue (BLK_MQ_S_SCHED_RESTART): the next request to be freed
 * takes the mark away and has a worker run the queue. That run fetches from the
 * scheduler, and so takes the lock. Who completes and, having added to the list, finds
 * the mark, or the worker asked for, leaves it to that run, which begins later.
 *
 * What is on the list is a part of the table by numbers (bfq_slot), not the request,
 * which may be freed meanwhile. Its number may be another request's by then; but
 * that one can complete only after it was inserted and dispatched, both under the
 * lock, and so when the list was emptied. The table is exchanged when the device is
 * frozen, under the lock, and so with an empty list; it is freed with the elevator,
 * and who is on the list then need not be told of any more.
 *
 * If nothing comes for long, and many complete, one of them takes the lock, so that
 * whoever comes next has not too much to tell; if it is not free then, the next one.
 *
 * The core's timer may be one that a completion on the list would have set. It is
 * told of that in its place among the completions, at the time for which it was.
 */
#include "bfq.h"

/*
 * How many completions are told of at once, not to keep interrupts off for longer than
 * the insertion of a full plug does, which has 32 requests.
 */
#define BFQ_MOST_UNTOLD 32

/*
 * Is the block layer about to run the queue? A run that waits for a delay to be over, or
 * is just being put off until then, is pending, too, but not queued with a worker.
 */
static bool bfq_is_run_soon(const struct blk_mq_hw_ctx *hctx)
{
	return test_bit(BLK_MQ_S_SCHED_RESTART, &hctx->state) ||
	       atomic_long_read(&hctx->run_work.work.data) & WORK_STRUCT_PWQ;
}

/* Who has the lock tells of all that have completed. */
static noinline void bfq_try_to_tell(struct bfq_data *bfqd)
{
	unsigned long flags;

	if (bfq_trylock(bfqd, &flags))
		bfq_unlock(bfqd, flags);
}

/* The core is done with a request that it handed out. Called without the lock. */
void bfq_complete(struct bfq_data *bfqd, const struct request *rq, u64 now)
{
	u32 id = bfq_request_id(bfqd, rq);
	struct bfq_slot *slot = &bfqd->slots[id];
	u32 untold;

	/* A core that has failed is told of nothing. */
	if (bfq_failed(bfqd))
		return;
	slot->completed_ns = now;
	/* Its exchange is a full barrier, which pairs with that of bfq_unlock(). */
	llist_add(&slot->completed, &bfqd->completed);
	/* Of two at once one may not be counted: the next one will be. */
	untold = READ_ONCE(bfqd->untold) + 1;
	WRITE_ONCE(bfqd->untold, untold);
	if (untold < BFQ_MOST_UNTOLD &&
	    (!READ_ONCE(bfqd->waiting) || bfq_is_run_soon(rq->mq_hctx)))
		return;
	bfq_try_to_tell(bfqd);
}

/* The timer that the core wants is told of in time, if that has come. */
static void bfq_pass_time(struct bfq_data *bfqd, u64 until_ns)
{
	u64 wanted_ns = bfqd->core->timer_ns;

	if (unlikely(wanted_ns <= until_ns))
		bfq_core_on_timer(bfqd->core, wanted_ns);
}

/* The lock has just been taken. `now` is the time, or 0 if it is not known. */
void bfq_tell_completions(struct bfq_data *bfqd, u64 now)
{
	struct llist_node *list = llist_del_all(&bfqd->completed);
	struct bfq_slot *slot;

	WRITE_ONCE(bfqd->untold, 0);
	list = llist_reverse_order(list);
	llist_for_each_entry(slot, list, completed) {
		bfq_pass_time(bfqd, slot->completed_ns);
		bfq_core_complete(bfqd->core, slot->completed_ns,
				  slot - bfqd->slots);
		bfqd->in_flight--;
	}
	/* The last of them may want the timer at a time that has passed. */
	if (bfqd->core->timer_ns < bfqd->timer_ns)
		bfq_pass_time(bfqd, now ?: ktime_get_ns());
}
