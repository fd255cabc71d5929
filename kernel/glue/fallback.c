// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A device whose core has failed: first in, first out.
 *
 * What the core had goes to the strays, in order of arrival, and so does from
 * then on all that comes, for the core takes nothing any more. Completions,
 * groups and processes have no effect then, and there is no timer. It lasts
 * until another elevator is chosen, or this one once more.
 */
#include "bfq.h"

#include <linux/list_sort.h>

static int bfq_compare_arrival(void *unused, const struct list_head *one,
			       const struct list_head *other)
{
	return bfq_arrival(list_entry(one, struct request, queuelist)) >
	       bfq_arrival(list_entry(other, struct request, queuelist));
}

static void bfq_take_from_core(struct bfq_data *bfqd)
{
	u32 id;

	for (id = 0; id < bfqd->request_ids; id++) {
		struct request *rq = bfqd->slots[id].request;

		if (!rq)
			continue;
		bfq_empty_slot(bfqd, id);
		bfq_set_place(rq, BFQ_STRAY);
		bfq_forget_merges(bfqd->queue, rq);
		list_add_tail(&rq->queuelist, &bfqd->strays);
	}
}

/*
 * The context that unlocks a device and finds that its core has failed comes
 * here: the call that failed is over then, and the table says what waits.
 */
void bfq_fall_back(struct bfq_data *bfqd)
{
	if (bfqd->host.fallen_back)
		return;
	bfqd->host.fallen_back = true;
	bfq_take_from_core(bfqd);
	list_sort(NULL, &bfqd->strays, bfq_compare_arrival);
	bfqd->core->timer_ns = BFQ_NEVER;
	WRITE_ONCE(bfqd->core->limits_sync_reads, false);
	WRITE_ONCE(bfqd->core->watches_bios, false);
	bfqd->core->kick = true;
}
