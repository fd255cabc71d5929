/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The block layer's private interface to elevators, and all differences between
 * the kernels that we support: 6.1, 6.12, 7.2 and 7.3. No other file asks for a
 * version.
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
#define BFQ_7_2 (KERNEL_VERSION(7, 2, 0) >> 8)
#define BFQ_7_3 (KERNEL_VERSION(7, 3, 0) >> 8)
#if BFQ_KERNEL != BFQ_6_1 && BFQ_KERNEL != BFQ_6_12 && \
	BFQ_KERNEL != BFQ_7_2 && BFQ_KERNEL != BFQ_7_3
#error "bfq: this kernel is none of 6.1, 6.12, 7.2 and 7.3: no other is supported"
#endif
/* Before, a policy was activated without the locks that its groups are read under. */
#if BFQ_KERNEL == BFQ_6_1 && LINUX_VERSION_SUBLEVEL < 176
#error "bfq: of Linux 6.1 only 6.1.176 and newer are supported"
#endif
#ifdef CONFIG_IOSCHED_BFQ
#error "bfq: this kernel has its own bfq built in, which no module can replace"
#endif
#ifndef CONFIG_BLK_CGROUP
#error "bfq: kernels without block cgroups are not supported"
#endif

/* Where requests are put. */

#if BFQ_KERNEL == BFQ_6_1

#include "block/blk-mq-tag.h"

typedef bool bfq_insert_flags;

static inline bool bfq_at_head(bfq_insert_flags flags)
{
	return flags;
}

/*
 * Takes passthrough commands out of what is inserted. They wait for no others, as newer
 * kernels see to themselves; 6.1 does for all but those that come by a plug. Whoever
 * inserts them runs the hardware queue after that.
 */
static inline void bfq_pass_commands_through(struct blk_mq_hw_ctx *hctx,
					     struct list_head *list)
{
	struct request *rq, *next;
	LIST_HEAD(commands);

	list_for_each_entry_safe(rq, next, list, queuelist)
		if (blk_rq_is_passthrough(rq))
			list_move_tail(&rq->queuelist, &commands);
	if (likely(list_empty(&commands)))
		return;
	spin_lock(&hctx->lock);
	list_splice_tail(&commands, &hctx->dispatch);
	spin_unlock(&hctx->lock);
}

#else

typedef blk_insert_t bfq_insert_flags;

static inline bool bfq_at_head(bfq_insert_flags flags)
{
	return flags & BLK_MQ_INSERT_AT_HEAD;
}

static inline void bfq_pass_commands_through(struct blk_mq_hw_ctx *hctx,
					     struct list_head *list)
{
}

#endif

/* Writeback throttling would throttle what bfq has to see. */

#if BFQ_KERNEL == BFQ_6_1

static inline void bfq_disable_wbt(struct request_queue *q)
{
	wbt_disable_default(q);
}

static inline void bfq_enable_wbt(struct request_queue *q)
{
	wbt_enable_default(q);
}

#else

static inline void bfq_disable_wbt(struct request_queue *q)
{
#if BFQ_KERNEL == BFQ_6_12
	set_bit(ELEVATOR_FLAG_DISABLE_WBT, &q->elevator->flags);
#else
	blk_queue_flag_set(QUEUE_FLAG_DISABLE_WBT_DEF, q);
#endif
	wbt_disable_default(q->disk);
}

static inline void bfq_enable_wbt(struct request_queue *q)
{
#if BFQ_KERNEL == BFQ_6_12
	clear_bit(ELEVATOR_FLAG_DISABLE_WBT, &q->elevator->flags);
#else
	blk_queue_flag_clear(QUEUE_FLAG_DISABLE_WBT_DEF, q);
#endif
	wbt_enable_default(q->disk);
}

#endif

/* Groups: how memory for one is allocated, and how a policy comes and goes. */

#if BFQ_KERNEL == BFQ_6_1

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

#else

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

#endif

/*
 * The group of a cgroup on the device that a line names, made there if need be, with
 * the queue_lock held. Ended by bfq_conf_end() only if it succeeds.
 */

#if BFQ_KERNEL == BFQ_6_1

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

#elif BFQ_KERNEL == BFQ_6_12

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

#else

static inline int bfq_conf_begin(struct blkcg *blkcg,
				 const struct blkcg_policy *policy,
				 char *device, struct blkg_conf_ctx *conf)
{
	int error;

	blkg_conf_init(conf, device);
	error = blkg_conf_open_bdev(conf);
	if (error)
		return error;
	error = blkg_conf_prep(blkcg, policy, conf);
	if (error)
		blkg_conf_close_bdev(conf);
	return error;
}

static inline void bfq_conf_end(struct blkg_conf_ctx *conf)
{
	blkg_conf_unprep(conf);
	blkg_conf_close_bdev(conf);
}

#endif

/* The timer: its clock is the monotonic one, what it is set to is an instant. */
static inline void bfq_timer_setup(struct hrtimer *timer,
				   enum hrtimer_restart (*fired)(struct hrtimer *))
{
#if BFQ_KERNEL <= BFQ_6_12
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	timer->function = fired;
#else
	hrtimer_setup(timer, fired, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
#endif
}

static inline bool bfq_is_rotational(struct request_queue *q)
{
#if BFQ_KERNEL <= BFQ_6_12
	return !blk_queue_nonrot(q);
#else
	return blk_queue_rot(q);
#endif
}

/* The hardware queue of this processor. */
static inline struct blk_mq_hw_ctx *bfq_this_hctx(struct request_queue *q)
{
#if BFQ_KERNEL <= BFQ_6_12
	return blk_mq_map_queue(q, 0, blk_mq_get_ctx(q));
#else
	return blk_mq_map_queue(0, blk_mq_get_ctx(q));
#endif
}

/* When a bio was requested. */

#if BFQ_KERNEL <= BFQ_6_12

static inline void bfq_note_bio_times(struct request_queue *q)
{
}

/* 51 bits are kept of that time. */
static inline u64 bfq_asked_ns(struct bio *bio, u64 now)
{
	if (bio && bio->bi_issue.value)
		return now - ((now - bio_issue_time(&bio->bi_issue)) &
			      BIO_ISSUE_TIME_MASK);
	return now;
}

#else

/* Stays as it is when the elevator goes: others may want the times, too. */
static inline void bfq_note_bio_times(struct request_queue *q)
{
	blk_queue_flag_set(QUEUE_FLAG_BIO_ISSUE_TIME, q);
}

static inline u64 bfq_asked_ns(struct bio *bio, u64 now)
{
	if (bio && bio->issue_time_ns)
		return min(now, bio->issue_time_ns);
	return now;
}

#endif

/*
 * How many requests may be allocated for what is no synchronous read. Users may change
 * that from 7.0 on: what they write changes what the core allows in proportion to three
 * quarters of the pool, which is what they find, and is never exceeded.
 */

#if BFQ_KERNEL <= BFQ_6_12

static inline void bfq_offer_async_depth(struct request_queue *q)
{
}

static inline u32 bfq_follow_async_depth(const struct request_queue *q,
					 u32 allowed, u32 all)
{
	return allowed;
}

#else

static inline u32 bfq_usual_async_depth(u32 all)
{
	return max(all * 3 / 4, 1U);
}

static inline void bfq_offer_async_depth(struct request_queue *q)
{
	q->async_depth = bfq_usual_async_depth(q->nr_requests);
}

static inline u32 bfq_follow_async_depth(const struct request_queue *q,
					 u32 allowed, u32 all)
{
	u32 usual = bfq_usual_async_depth(all);
	u32 depth = READ_ONCE(q->async_depth);

	if (likely(depth == usual))
		return allowed;
	return clamp((u32)((u64)allowed * depth / usual), 1U, max(depth, 1U));
}

#endif

/*
 * Who makes an elevator's queue: on old kernels the elevator itself, on new ones the
 * block layer, which tells of a pool's new size once, not for each hardware queue.
 */

#if BFQ_KERNEL <= BFQ_6_12

int bfq_init_sched(struct request_queue *q, struct elevator_type *type);
void bfq_depth_updated(struct blk_mq_hw_ctx *hctx);

#else

int bfq_init_sched(struct request_queue *q, struct elevator_queue *elevator);
void bfq_depth_updated(struct request_queue *q);

#endif

/* compat.c */
int bfq_compat_init(void);
unsigned int bfq_shallow_depth(const struct blk_mq_alloc_data *data,
			       unsigned int allowed, unsigned int all);

#endif /* BFQ_COMPAT_H */
