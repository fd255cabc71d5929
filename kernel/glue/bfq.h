/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the files of the glue share: the state of a device under bfq, and of a
 * process on it.
 *
 * There is one lock a device, and it guards everything below that is not said to
 * be constant, the core first of all. It is taken with interrupts off: requests
 * complete and the timer fires in interrupt context. The block layer's
 * queue_lock, io_context and blkcg locks are outside of it. Under it nothing is
 * called that is not the module's own, but for the few functions that
 * docs/kernel-internals.md lists ("Under the lock").
 */
#ifndef BFQ_H
#define BFQ_H

#include "compat.h"
#include "bfq_core.h"
#include "boundaries.h"
#include "guard.h"
#include "lock_figures.h"

#include <linux/hrtimer.h>
#include <linux/llist.h>
#include <linux/ratelimit_types.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

/* What the glue keeps for each number that the core knows requests by. */
struct bfq_slot {
	struct request *request;	/* that the core has, and has not handed out */
	struct bfq_boundary boundary;	/* of that request */
	struct llist_node completed;	/* in bfq_data.completed */
	u64 completed_ns;
};

/*
 * Requests chosen ahead at most: a power of two. With interrupts off it takes about as
 * long as the insertion of as many.
 */
#define BFQ_MOST_AHEAD 16

struct bfq_data {
	spinlock_t lock;
	struct bfq_core *core;
	struct bfq_host host;
	struct request_queue *queue;	/* constant */
	struct bfq_slot *slots;
	u32 request_ids;		/* length of slots */
	/* Requests that have completed without the core's knowledge: completions.c. */
	struct llist_head completed;
	u32 untold;			/* about how many these are; kept without a lock */
	u32 pool_stride;		/* what separates the numbers of two hardware queues */
	u32 nr_requests;		/* size of a pool */
	u32 known_requests;		/* the same, as the core knows it */
	/* Requests that the core would not take: served in turn with those that it has. */
	struct list_head strays;
	s64 arrivals;
	bool stray_was_last;
	u64 strayed;			/* strays so far whose number there was no memory for */
	u64 refused;			/* and those that the core should have taken */
	/* Requests for lack of memory, and refused ones, when last told of. */
	u64 told_fallbacks;
	u64 told_refused;
	struct ratelimit_state fallback_messages;	/* has a lock of its own */
	/* Waiting in the core or among the strays; read without the lock. */
	u32 waiting;
	/* The core has just been asked in vain; dispatch.c. Written without the lock, too. */
	bool vain;
	u32 in_flight;			/* handed out by the core, and not told of as complete */
	/* Those of them that were not fetched yet, a ring; dispatch.c. */
	struct request *ahead[BFQ_MOST_AHEAD];
	u32 ahead_first;		/* changed without the lock */
	u32 ahead_end;
	/* Of the requests in slots; read without the lock. */
	struct bfq_boundaries boundaries;
	/* What is being merged now, and since when. */
	struct bfq_io merging;
	u64 merging_ns;
	struct hrtimer timer;
	u64 timer_ns;			/* when it is set to, or BFQ_NEVER */
	struct bfq_recording *recording;	/* constant; NULL: no memory */
	struct delayed_work refill;	/* in reserve.c */
	u64 planned_pieces;		/* core->large_pieces that it is to have ready */
	struct bfq_lock_figures lock_figures;
	u32 root_group;
	struct list_head attached;	/* in cgroup_statistics.c */
};

/* Where a request is; kept in rq->elv.priv[0]. */
enum bfq_place {
	BFQ_OUTSIDE,		/* the core does not know it */
	BFQ_WAITING,		/* in the core */
	BFQ_STRAY,		/* among the strays */
	BFQ_DISPATCHED,		/* handed out by the core */
};

static inline enum bfq_place bfq_place(const struct request *rq)
{
	return (uintptr_t)rq->elv.priv[0];
}

static inline void bfq_set_place(struct request *rq, enum bfq_place place)
{
	rq->elv.priv[0] = (void *)(uintptr_t)place;
}

/* Its turn among all that arrived, if the core fails; those at the head are below 0. */
static inline s64 bfq_arrival(const struct request *rq)
{
	return (long)rq->elv.priv[1];
}

static inline void bfq_arrives(struct bfq_data *bfqd, struct request *rq,
			       bool at_head)
{
	s64 arrival = ++bfqd->arrivals;

	rq->elv.priv[1] = (void *)(long)(at_head ? -arrival : arrival);
}

/* The number of a request: its tag among those of all hardware queues. */
static inline u32 bfq_request_id(const struct bfq_data *bfqd,
				 const struct request *rq)
{
	return rq->mq_hctx->queue_num * bfqd->pool_stride + rq->internal_tag;
}

/* A request comes to wait in the core. */
static inline void bfq_fill_slot(struct bfq_data *bfqd, u32 id,
				 struct request *rq)
{
	struct bfq_slot *slot = &bfqd->slots[id];

	slot->request = rq;
	slot->boundary = bfq_enter_boundaries(&bfqd->boundaries, rq);
}

/* A request waits in the core no more. */
static inline struct request *bfq_empty_slot(struct bfq_data *bfqd, u32 id)
{
	struct bfq_slot *slot = &bfqd->slots[id];
	struct request *rq = slot->request;

	slot->request = NULL;
	bfq_leave_boundaries(&bfqd->boundaries, slot->boundary);
	return rq;
}

/* lock.c: the context that releases the lock does what the core asks for after a call */
unsigned long bfq_lock_irqsave(struct bfq_data *bfqd, u64 now);
bool bfq_trylock(struct bfq_data *bfqd, unsigned long *flags);
void bfq_unlock(struct bfq_data *bfqd, unsigned long flags);
#define bfq_lock_at(bfqd, now, flags) ((flags) = bfq_lock_irqsave(bfqd, now))
#define bfq_lock(bfqd, flags) bfq_lock_at(bfqd, 0, flags)

/* completions.c */
void bfq_complete(struct bfq_data *bfqd, const struct request *rq, u64 now);
void bfq_tell_completions(struct bfq_data *bfqd, u64 now);

/* request.c */
enum hrtimer_restart bfq_timer_fired(struct hrtimer *timer);
void bfq_limit_depth(blk_opf_t opf, struct blk_mq_alloc_data *data);
void bfq_prepare_request(struct request *rq);
void bfq_insert_requests(struct blk_mq_hw_ctx *hctx, struct list_head *list,
			 bfq_insert_flags how);
void bfq_completed_request(struct request *rq, u64 now);
void bfq_requeue_request(struct request *rq);
void bfq_finish_request(struct request *rq);

/* dispatch.c */
void bfq_choose_ahead(struct bfq_data *bfqd, struct blk_mq_hw_ctx *hctx,
		      u64 now, u32 most);
bool bfq_has_work(struct blk_mq_hw_ctx *hctx);
struct request *bfq_dispatch_request(struct blk_mq_hw_ctx *hctx);

/* Has the core requests to hand out, or handed out ones that were not fetched? */
static inline bool bfq_has_waiting(const struct bfq_data *bfqd)
{
	return READ_ONCE(bfqd->waiting) != 0 ||
	       READ_ONCE(bfqd->ahead_first) != READ_ONCE(bfqd->ahead_end);
}

/* process.c */
/*
 * All 0 at first. Threads that share an io_context find a new io_cq by RCU before the
 * block layer would have called init_icq, so nothing is left for that to do: 0 is right.
 */
struct bfq_process {
	struct io_cq icq;
	u32 id_plus_1;			/* bfq_process_id() reads it; 0: none */
	u32 group;			/* where it is, and what its priority is, */
	u16 ioprio;			/* as the core was told */
	bool exited;
	struct bfq_process_facts facts;	/* when the core heard of it */
};

/* The number that the core knows it by; BFQ_NONE before its first request. */
static inline u32 bfq_process_id(const struct bfq_process *process)
{
	BUILD_BUG_ON(0 - 1U != BFQ_NONE);
	return READ_ONCE(process->id_plus_1) - 1;
}

static inline void bfq_set_process_id(struct bfq_process *process, u32 id)
{
	WRITE_ONCE(process->id_plus_1, id + 1);
}

void bfq_exit_icq(struct io_cq *icq);
void bfq_ensure_process(struct request_queue *q);

/* merge.c */
bool bfq_bio_merge(struct request_queue *q, struct bio *bio,
		   unsigned int nr_segs);
int bfq_request_merge(struct request_queue *q, struct request **rq,
		      struct bio *bio);
bool bfq_allow_merge(struct request_queue *q, struct request *rq,
		     struct bio *bio);
void bfq_request_merged(struct request_queue *q, struct request *rq,
			enum elv_merge type);
void bfq_requests_merged(struct request_queue *q, struct request *rq,
			 struct request *next);
struct request *bfq_former_request(struct request_queue *q, struct request *rq);
struct request *bfq_next_request(struct request_queue *q, struct request *rq);
bool bfq_insertion_merge(struct bfq_data *bfqd, struct request *rq,
			 const struct bfq_io *io, u64 now,
			 struct list_head *merged);

/* A request leaves the core: the block layer must not merge into it any more. */
static inline void bfq_forget_merges(struct request_queue *q, struct request *rq)
{
	elv_rqhash_del(q, rq);
	if (q->last_merge == rq)
		q->last_merge = NULL;
}

/* debugfs.c */
void bfq_recording_init(void);
void bfq_recording_exit(void);
void bfq_recording_attach(struct bfq_data *bfqd, u64 now);
void bfq_recording_detach(struct bfq_data *bfqd);

/* fallback.c */
void bfq_fall_back(struct bfq_data *bfqd);

/* The core has failed. */
static inline bool bfq_failed(const struct bfq_data *bfqd)
{
	return unlikely(READ_ONCE(bfqd->host.failed));
}

/* state.c */
void bfq_state_attach(struct bfq_data *bfqd, struct dentry *directory);
/* reserve.c */
void bfq_reserve_attach(struct bfq_data *bfqd);
void bfq_reserve_detach(struct bfq_data *bfqd);
bool bfq_reserve_fill(struct bfq_data *bfqd, size_t size, u32 count);

/* fallbacks.c: why new requests are not scheduled as they should be */
enum bfq_fallback {
	BFQ_NO_FALLBACK,
	BFQ_NO_MEMORY,
	BFQ_REFUSED,
};

void bfq_fallbacks_attach(struct bfq_data *bfqd, struct dentry *directory);
void bfq_limit_fallback_messages(struct bfq_data *bfqd);
void bfq_tell_fallback(struct bfq_data *bfqd, enum bfq_fallback fallback);

/* policy_statistics.c */
void bfq_policy_statistics_attach(struct bfq_data *bfqd, struct dentry *directory);

/* lock_figures.c */
void bfq_lock_figures_attach(struct bfq_data *bfqd, struct dentry *directory);
void bfq_count_hold_begin(struct bfq_lock_figures *figures);
void bfq_count_hold_end(struct bfq_lock_figures *figures);

/* The lock has just been taken, or is about to be released. */
static inline void bfq_begin_hold(struct bfq_data *bfqd)
{
	if (static_branch_unlikely(&bfq_counts_lock))
		bfq_count_hold_begin(&bfqd->lock_figures);
}

static inline void bfq_end_hold(struct bfq_data *bfqd)
{
	if (static_branch_unlikely(&bfq_counts_lock))
		bfq_count_hold_end(&bfqd->lock_figures);
}

/* A request was asked for, and there was none. The lock is held. */
static inline void bfq_note_vain_dispatch(struct bfq_data *bfqd)
{
	if (static_branch_unlikely(&bfq_counts_lock))
		bfqd->lock_figures.vain_dispatches++;
}

/* sysfs.c: the files of each policy */
#define BFQ_DECLARE_ATTRIBUTES(number, name)	\
	extern struct elv_fs_entry name##_attributes[];
BFQ_FOR_EACH_POLICY(BFQ_DECLARE_ATTRIBUTES)

/* elevator.c; the rest of what the block layer calls is in compat.c */
int bfq_attach(struct request_queue *q, struct elevator_queue *elevator);
void bfq_exit_sched(struct elevator_queue *elevator);
int bfq_init_hctx(struct blk_mq_hw_ctx *hctx, unsigned int index);
void bfq_pool_updated(struct blk_mq_hw_ctx *hctx);

/* policies.c */
enum bfq_policy_number bfq_policy_of(const struct elevator_type *type);
int bfq_register_elevators(void);
void bfq_unregister_elevators(void);

/* cgroup.c */
int bfq_cgroup_register(void);
void bfq_cgroup_unregister(void);
int bfq_cgroup_attach(struct bfq_data *bfqd);
void bfq_cgroup_detach(struct bfq_data *bfqd);
void bfq_introduce_groups(struct bfq_data *bfqd);
u32 bfq_group_of_bio(struct bfq_data *bfqd, const struct bio *bio);

#endif /* BFQ_H */
