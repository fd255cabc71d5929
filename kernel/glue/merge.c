// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Merging: bios and requests that continue waiting requests.
 *
 * The block layer knows the limits of the device and does the work
 * (blk_mq_sched_try_merge); it asks back, through the elevator's operations, which
 * requests there are and whether they may grow. The core knows both. All of it
 * happens under the device's lock, inside bfq_bio_merge or an insertion, but for the
 * question whether a bio may continue any (boundaries.h); what is being merged is kept
 * in bfqd->merging meanwhile.
 *
 * The block layer keeps a table of requests by their ends, too, and enters merged
 * ones. We enter none ourselves: the core finds them.
 */
#include "io.h"
#include "process.h"

static struct request *bfq_request(const struct bfq_data *bfqd, u32 id)
{
	return id == BFQ_NONE ? NULL : bfqd->slots[id].request;
}

/*
 * A waiting request is not any more where it was. The side that stays is never seen to be
 * empty meanwhile.
 */
static void bfq_move_boundary(struct bfq_data *bfqd, const struct request *rq)
{
	struct bfq_slot *slot = &bfqd->slots[bfq_request_id(bfqd, rq)];
	struct bfq_boundary old = slot->boundary;

	slot->boundary = bfq_enter_boundaries(&bfqd->boundaries, rq);
	bfq_leave_boundaries(&bfqd->boundaries, old);
}

static noinline bool bfq_bio_merge_waiting(struct bfq_data *bfqd,
					   struct bio *bio,
					   unsigned int nr_segs)
{
	struct request_queue *q = bfqd->queue;
	struct bfq_submitter submitter;
	struct request *absorbed = NULL;
	unsigned long flags;
	bool merged;
	u64 now;

	rcu_read_lock();
	bfq_find_submitter(&submitter, q);
	rcu_read_unlock();
	bfq_find_facts(&submitter, bio);
	now = ktime_get_ns();
	bfq_lock_at(bfqd, now, flags);
	bfqd->merging_ns = now;
	bfqd->merging = bfq_io_of_bio(bio, now);
	bfqd->merging.process = bfq_introduce(bfqd, now, &submitter, bio);
	merged = blk_mq_sched_try_merge(q, bio, nr_segs, &absorbed);
	bfq_unlock(bfqd, flags);
	if (absorbed)
		blk_mq_free_request(absorbed);
	return merged;
}

/*
 * Does the core have to be asked for a bio? On disks other than flash that takes several
 * requests at once it decides by each bio whether queues are to be merged.
 */
static bool bfq_may_merge(const struct bfq_data *bfqd, const struct bio *bio)
{
	const struct bfq_boundaries *waiting = &bfqd->boundaries;

	return READ_ONCE(bfqd->core->watches_bios) ||
	       bfq_may_end_at(waiting, bio->bi_iter.bi_sector) ||
	       bfq_may_begin_at(waiting, bio_end_sector(bio));
}

bool bfq_bio_merge(struct request_queue *q, struct bio *bio,
		   unsigned int nr_segs)
{
	struct bfq_data *bfqd = q->elevator->elevator_data;

	return READ_ONCE(bfqd->waiting) && bfq_may_merge(bfqd, bio) &&
	       bfq_bio_merge_waiting(bfqd, bio, nr_segs);
}

/*
 * Finds a request that the bio continues. Discards of devices that take several
 * ranges at once are left alone: they would merge wherever they are, and the core
 * would not hear of it.
 */
int bfq_request_merge(struct request_queue *q, struct request **rq,
		      struct bio *bio)
{
	struct bfq_data *bfqd = q->elevator->elevator_data;
	struct bfq_candidates found;
	struct request *back, *front;

	if (bfqd->merging.process == BFQ_NONE)
		return ELEVATOR_NO_MERGE;
	found = bfq_core_merge_candidates(bfqd->core, bfqd->merging_ns,
					  &bfqd->merging);
	back = bfq_request(bfqd, found.back);
	if (back && !blk_discard_mergable(back) && elv_bio_merge_ok(back, bio)) {
		*rq = back;
		return ELEVATOR_BACK_MERGE;
	}
	front = bfq_request(bfqd, found.front);
	if (front && !blk_discard_mergable(front) &&
	    elv_bio_merge_ok(front, bio)) {
		*rq = front;
		return ELEVATOR_FRONT_MERGE;
	}
	return ELEVATOR_NO_MERGE;
}

bool bfq_allow_merge(struct request_queue *q, struct request *rq,
		     struct bio *bio)
{
	struct bfq_data *bfqd = q->elevator->elevator_data;

	return bfq_place(rq) == BFQ_WAITING &&
	       bfq_core_allows_merge(bfqd->core, bfqd->merging_ns,
				     &bfqd->merging, bfq_request_id(bfqd, rq));
}

/* A waiting request has grown. */
void bfq_request_merged(struct request_queue *q, struct request *rq,
			enum elv_merge type)
{
	struct bfq_data *bfqd = q->elevator->elevator_data;
	enum bfq_side side = type == ELEVATOR_FRONT_MERGE ? BFQ_FRONT : BFQ_BACK;

	bfq_core_merged(bfqd->core, bfqd->merging_ns, bfq_request_id(bfqd, rq),
			side, blk_rq_pos(rq), blk_rq_sectors(rq));
	bfq_move_boundary(bfqd, rq);
}

/*
 * A waiting request has absorbed the one behind it: another waiting one, or one
 * that is just being inserted.
 */
void bfq_requests_merged(struct request_queue *q, struct request *rq,
			 struct request *next)
{
	struct bfq_data *bfqd = q->elevator->elevator_data;

	if (bfq_place(next) != BFQ_WAITING) {
		bfq_request_merged(q, rq, ELEVATOR_BACK_MERGE);
		return;
	}
	bfq_core_coalesced(bfqd->core, bfqd->merging_ns,
			   bfq_request_id(bfqd, rq), bfq_request_id(bfqd, next),
			   blk_rq_sectors(rq));
	bfq_move_boundary(bfqd, rq);
	bfq_empty_slot(bfqd, bfq_request_id(bfqd, next));
	bfq_set_place(next, BFQ_OUTSIDE);
	WRITE_ONCE(bfqd->waiting, bfqd->waiting - 1);
	bfq_forget_merges(q, next);
}

static struct request *bfq_neighbour(struct request_queue *q,
				     const struct request *rq,
				     enum bfq_side side)
{
	struct bfq_data *bfqd = q->elevator->elevator_data;

	return bfq_request(bfqd, bfq_core_neighbour(bfqd->core,
						    bfq_request_id(bfqd, rq),
						    side));
}

struct request *bfq_former_request(struct request_queue *q, struct request *rq)
{
	return bfq_neighbour(q, rq, BFQ_FRONT);
}

struct request *bfq_next_request(struct request_queue *q, struct request *rq)
{
	return bfq_neighbour(q, rq, BFQ_BACK);
}

/*
 * Appends a request that is being inserted to a waiting one that ends where it
 * starts. True if it did: the request is on the list of those to be freed then.
 */
bool bfq_insertion_merge(struct bfq_data *bfqd, struct request *rq,
			 const struct bfq_io *io, u64 now,
			 struct list_head *merged)
{
	struct request_queue *q = bfqd->queue;
	struct request *before;

	if (io->process == BFQ_NONE || blk_discard_mergable(rq) ||
	    !bfq_may_end_at(&bfqd->boundaries, io->sector))
		return false;
	before = bfq_request(bfqd,
			     bfq_core_insertion_merge_candidate(bfqd->core, io));
	if (!before || blk_discard_mergable(before))
		return false;
	bfqd->merging_ns = now;
	/* The block layer tries the one that it merged into last first. */
	q->last_merge = before;
	return blk_mq_sched_try_insert_merge(q, rq, merged);
}
