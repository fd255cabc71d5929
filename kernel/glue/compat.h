/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The block layer's private interface to elevators, and all differences between
 * the kernels that we support: 6.1 and 6.12. No other file asks for a version.
 */
#ifndef BFQ_COMPAT_H
#define BFQ_COMPAT_H

#include <linux/version.h>
#include <linux/blkdev.h>
#include <linux/blk-mq.h>
#include <linux/sbitmap.h>

#include "block/elevator.h"
#include "block/blk.h"
#include "block/blk-mq.h"
#include "block/blk-mq-sched.h"
#include "block/blk-wbt.h"
#include "block/blk-cgroup.h"

#define BFQ_KERNEL (LINUX_VERSION_CODE >> 8)
#define BFQ_6_1 (KERNEL_VERSION(6, 1, 0) >> 8)
#define BFQ_6_12 (KERNEL_VERSION(6, 12, 0) >> 8)
#if BFQ_KERNEL != BFQ_6_1 && BFQ_KERNEL != BFQ_6_12
#error "bfq: this kernel is neither 6.1 nor 6.12: no other is supported"
#endif
#ifdef CONFIG_PREEMPT_RT
#error "bfq: kernels with PREEMPT_RT are not supported"
#endif
#ifndef CONFIG_BLK_CGROUP
#error "bfq: kernels without block cgroups are not supported"
#endif

#if BFQ_KERNEL == BFQ_6_1

#include "block/blk-mq-tag.h"

typedef bool bfq_insert_flags;

static inline bool bfq_at_head(bfq_insert_flags flags)
{
	return flags;
}

/* Writeback throttling would throttle what bfq has to see. */
static inline void bfq_disable_wbt(struct request_queue *q)
{
	wbt_disable_default(q);
}

static inline void bfq_enable_wbt(struct request_queue *q)
{
	wbt_enable_default(q);
}

/* How blk-cgroup has memory for a group allocated. */
#define BFQ_ALLOC_GROUP_ARGUMENTS \
	gfp_t gfp, struct request_queue *q, struct blkcg *blkcg

static inline int bfq_activate_policy(struct request_queue *q,
				      const struct blkcg_policy *policy)
{
	return blkcg_activate_policy(q, policy);
}

static inline void bfq_deactivate_policy(struct request_queue *q,
					 const struct blkcg_policy *policy)
{
	blkcg_deactivate_policy(q, policy);
}

static inline int bfq_conf_begin(struct blkcg *blkcg,
				 const struct blkcg_policy *policy,
				 char *device, struct blkg_conf_ctx *conf)
{
	return blkg_conf_prep(blkcg, policy, device, conf);
}

static inline void bfq_conf_end(struct blkg_conf_ctx *conf)
{
	blkg_conf_finish(conf);
}

#else /* 6.12 */

typedef blk_insert_t bfq_insert_flags;

static inline bool bfq_at_head(bfq_insert_flags flags)
{
	return flags & BLK_MQ_INSERT_AT_HEAD;
}

static inline void bfq_disable_wbt(struct request_queue *q)
{
	set_bit(ELEVATOR_FLAG_DISABLE_WBT, &q->elevator->flags);
	wbt_disable_default(q->disk);
}

static inline void bfq_enable_wbt(struct request_queue *q)
{
	clear_bit(ELEVATOR_FLAG_DISABLE_WBT, &q->elevator->flags);
	wbt_enable_default(q->disk);
}

#define BFQ_ALLOC_GROUP_ARGUMENTS \
	struct gendisk *disk, struct blkcg *blkcg, gfp_t gfp

static inline int bfq_activate_policy(struct request_queue *q,
				      const struct blkcg_policy *policy)
{
	return blkcg_activate_policy(q->disk, policy);
}

static inline void bfq_deactivate_policy(struct request_queue *q,
					 const struct blkcg_policy *policy)
{
	blkcg_deactivate_policy(q->disk, policy);
}

/* Ended by bfq_conf_end() only if it succeeds. */
static inline int bfq_conf_begin(struct blkcg *blkcg,
				 const struct blkcg_policy *policy,
				 char *device, struct blkg_conf_ctx *conf)
{
	int error;

	blkg_conf_init(conf, device);
	error = blkg_conf_prep(blkcg, policy, conf);
	if (error)
		blkg_conf_exit(conf);
	return error;
}

static inline void bfq_conf_end(struct blkg_conf_ctx *conf)
{
	blkg_conf_exit(conf);
}

#endif

/* When a bio was requested, from the 51 bits that are kept of that time. */
static inline u64 bfq_asked_ns(struct bio *bio, u64 now)
{
	if (bio && bio->bi_issue.value)
		return now - ((now - bio_issue_time(&bio->bi_issue)) &
			      BIO_ISSUE_TIME_MASK);
	return now;
}

/* compat.c */
int bfq_compat_init(void);
unsigned int bfq_shallow_depth(const struct blk_mq_alloc_data *data,
			       unsigned int allowed, unsigned int all);

#endif /* BFQ_COMPAT_H */
