/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the core is told of an I/O: bios and requests of the block layer in its words.
 * Who submits it is left open (process.h).
 */
#ifndef BFQ_IO_H
#define BFQ_IO_H

#include "compat.h"
#include "bfq_core.h"

/* Discards apart, whatever is no read counts as a write: zeroes, zone appends. */
static inline enum bfq_operation bfq_operation_of(blk_opf_t opf)
{
	switch (opf & REQ_OP_MASK) {
	case REQ_OP_READ:
		return BFQ_READ;
	case REQ_OP_DISCARD:
	case REQ_OP_SECURE_ERASE:
		return BFQ_DISCARD;
	default:
		return BFQ_WRITE;
	}
}

static inline u8 bfq_flags_of(blk_opf_t opf)
{
	return (op_is_sync(opf) ? BFQ_SYNC : 0) |
	       (opf & REQ_META ? BFQ_METADATA : 0);
}

static inline struct bfq_io bfq_io_of_bio(const struct bio *bio, u64 now)
{
	return (struct bfq_io) {
		.sector = bio->bi_iter.bi_sector,
		.sectors = bio_sectors(bio),
		.allocated_ns = now,
		.asked_ns = now,
		.process = BFQ_NONE,
		.operation = bfq_operation_of(bio->bi_opf),
		.flags = bfq_flags_of(bio->bi_opf),
	};
}

static inline struct bfq_io bfq_io_of_request(const struct request *rq, u64 now)
{
	return (struct bfq_io) {
		.sector = blk_rq_pos(rq),
		.sectors = blk_rq_sectors(rq),
		.allocated_ns = rq->start_time_ns,
		.asked_ns = bfq_asked_ns(rq->bio, now),
		.process = BFQ_NONE,
		.operation = bfq_operation_of(rq->cmd_flags),
		.flags = bfq_flags_of(rq->cmd_flags),
	};
}

#endif /* BFQ_IO_H */
