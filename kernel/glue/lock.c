// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The lock of a device. Who takes it tells the core of completions first
 * (completions.c); who unlocks it does what the core has asked for meanwhile: sets the
 * timer, runs the hardware queues.
 */
#include "bfq.h"

static void bfq_locked(struct bfq_data *bfqd, u64 now)
{
	bfq_begin_hold(bfqd);
	/* Whatever happens now, the core may answer otherwise after it. */
	WRITE_ONCE(bfqd->vain, false);
	if (!llist_empty(&bfqd->completed))
		bfq_tell_completions(bfqd, now);
}

/* `now` is the time if the caller has just read the clock, else 0. */
unsigned long bfq_lock_irqsave(struct bfq_data *bfqd, u64 now)
{
	unsigned long flags;

	spin_lock_irqsave(&bfqd->lock, flags);
	bfq_locked(bfqd, now);
	return flags;
}

bool bfq_trylock(struct bfq_data *bfqd, unsigned long *flags)
{
	if (!spin_trylock_irqsave(&bfqd->lock, *flags))
		return false;
	bfq_locked(bfqd, 0);
	return true;
}

static void bfq_set_timer(struct bfq_data *bfqd)
{
	u64 wanted_ns = bfqd->core->timer_ns;

	/*
	 * Too early does no harm: the timer is set anew when it fires. So it is
	 * touched only when it would be too late.
	 */
	if (wanted_ns >= bfqd->timer_ns)
		return;
	bfqd->timer_ns = wanted_ns;
	hrtimer_start(&bfqd->timer, ns_to_ktime(wanted_ns), HRTIMER_MODE_ABS);
}

/*
 * The core has something to hand out that it held back: a hardware queue is run,
 * whichever, for one core serves them all. If that run is pending already, as it is
 * for 3 ms, in whole ticks, after a dispatch that got nothing, it is moved to now.
 * blk_mq_delay_run_hw_queues() would leave it where it is.
 *
 * It is run by a worker, and without a look at what it has: on 6.12
 * blk_mq_run_hw_queues() may take queue_lock for that, which callers that are told
 * of the end of a process or group hold already. Queues that the driver has stopped
 * are run when it starts them again.
 */
static void bfq_kick(struct request_queue *q)
{
	struct blk_mq_hw_ctx *hctx = bfq_this_hctx(q);
	unsigned long i;

	if (likely(!blk_mq_hctx_stopped(hctx))) {
		blk_mq_delay_run_hw_queue(hctx, 0);
		return;
	}
	queue_for_each_hw_ctx(q, hctx, i)
		if (blk_mq_hw_queue_mapped(hctx))
			blk_mq_delay_run_hw_queue(hctx, 0);
}

/* Does what the core has asked for while the lock was held. */
static __always_inline void bfq_unlock_once(struct bfq_data *bfqd, unsigned long flags)
{
	bool kick, refill;

	if (bfq_failed(bfqd))
		bfq_fall_back(bfqd);
	kick = bfqd->core->kick;
	refill = bfqd->planned_pieces != bfqd->core->large_pieces;
	bfqd->planned_pieces = bfqd->core->large_pieces;
	bfqd->core->kick = false;
	/* What is kicked shall not be taken for the fetch that need not ask. */
	if (unlikely(kick))
		WRITE_ONCE(bfqd->vain, false);
	bfq_set_timer(bfqd);
	bfq_end_hold(bfqd);
	spin_unlock_irqrestore(&bfqd->lock, flags);
	/* There is time, and who has called shall not be held up. */
	if (unlikely(refill))
		schedule_delayed_work(&bfqd->refill, 1);
	if (unlikely(kick))
		bfq_kick(bfqd->queue);
}

/* Releases the lock. Has a request completed, and something waits for that? */
static __always_inline bool bfq_unlock_and_look(struct bfq_data *bfqd,
						unsigned long flags)
{
	bool waits = bfqd->waiting != 0;

	bfq_unlock_once(bfqd, flags);
	if (!waits)
		return false;
	/* Pairs with that of llist_add() in bfq_complete(). */
	smp_mb();
	return unlikely(!llist_empty(&bfqd->completed));
}

/* The lock was not free for a request that has completed: it is taken again. */
static noinline void bfq_tell_missed(struct bfq_data *bfqd)
{
	unsigned long flags;

	while (bfq_trylock(bfqd, &flags) && bfq_unlock_and_look(bfqd, flags))
		;
}

void bfq_unlock(struct bfq_data *bfqd, unsigned long flags)
{
	if (bfq_unlock_and_look(bfqd, flags))
		bfq_tell_missed(bfqd);
}
