/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Where the requests that wait in the core begin and end, for those who want to know,
 * without the device's lock, whether a bio may continue one.
 *
 * Nearly no bio does where requests wait for a disk that is read at random, but each
 * would take the lock to have the core look. Sectors are hashed to buckets, which count
 * the requests that begin there, and those that end there. Who has the lock changes the
 * counts, anybody reads them. If both buckets of a bio are empty, it continues no request
 * that had been inserted when they were read; if not, the core is asked.
 */
#ifndef BFQ_BOUNDARIES_H
#define BFQ_BOUNDARIES_H

#include <linux/blk-mq.h>
#include <linux/hash.h>

/* With 64 requests that wait, one bio in eight asks the core in vain. */
#define BFQ_BOUNDARY_BITS 10

struct bfq_boundaries {
	u32 starts[1 << BFQ_BOUNDARY_BITS];	/* requests that begin in a bucket */
	u32 ends[1 << BFQ_BOUNDARY_BITS];	/* requests that end just before it */
};

/* The buckets of a request. */
struct bfq_boundary {
	u16 start;
	u16 end;
};

static inline u16 bfq_bucket_of(sector_t sector)
{
	return hash_64(sector, BFQ_BOUNDARY_BITS);
}

static inline struct bfq_boundary
bfq_enter_boundaries(struct bfq_boundaries *all, const struct request *rq)
{
	struct bfq_boundary of = {
		.start = bfq_bucket_of(blk_rq_pos(rq)),
		.end = bfq_bucket_of(blk_rq_pos(rq) + blk_rq_sectors(rq)),
	};

	WRITE_ONCE(all->starts[of.start], all->starts[of.start] + 1);
	WRITE_ONCE(all->ends[of.end], all->ends[of.end] + 1);
	return of;
}

static inline void bfq_leave_boundaries(struct bfq_boundaries *all,
					struct bfq_boundary of)
{
	WRITE_ONCE(all->starts[of.start], all->starts[of.start] - 1);
	WRITE_ONCE(all->ends[of.end], all->ends[of.end] - 1);
}

/* May a request end at this sector? */
static inline bool bfq_may_end_at(const struct bfq_boundaries *all,
				  sector_t sector)
{
	return READ_ONCE(all->ends[bfq_bucket_of(sector)]);
}

/* May a request begin at this sector? */
static inline bool bfq_may_begin_at(const struct bfq_boundaries *all,
				    sector_t sector)
{
	return READ_ONCE(all->starts[bfq_bucket_of(sector)]);
}

#endif /* BFQ_BOUNDARIES_H */
