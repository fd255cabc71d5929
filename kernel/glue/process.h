/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Who submits: what each request needs, which nearly always is that nothing is new.
 * process.c has the rest, and says what is kept of a process.
 */
#ifndef BFQ_PROCESS_H
#define BFQ_PROCESS_H

#include "bfq.h"

#include <linux/iocontext.h>

/* Who submits, as found out before the lock is taken. */
struct bfq_submitter {
	struct bfq_process *process;	/* NULL: none */
	bool has_facts;			/* only if the core is to hear of them */
	struct bfq_process_facts facts;	/* class and level are each bio's */
};

/* process.c */
struct io_cq *bfq_look_up(const struct request_queue *q);
void bfq_find_new_facts(struct bfq_submitter *submitter);
u32 bfq_tell_news(struct bfq_data *bfqd, u64 now,
		  const struct bfq_submitter *submitter, const struct bio *bio,
		  u32 group);

/*
 * The io_cq that the block layer used last for the current task, if it is one of this
 * device: else it may be freed. Called by RCU readers.
 */
static inline struct io_cq *bfq_hinted(const struct request_queue *q)
{
	struct io_context *ioc = current->io_context;
	struct io_cq *icq = likely(ioc) ? rcu_dereference(ioc->icq_hint) : NULL;

	return likely(icq && icq->q == q) ? icq : NULL;
}

/* The current task's state on a device. Called by RCU readers without the device's lock. */
static inline struct bfq_process *bfq_find_process(const struct request_queue *q)
{
	struct io_cq *icq = bfq_hinted(q) ?: bfq_look_up(q);

	return icq ? container_of(icq, struct bfq_process, icq) : NULL;
}

/* The facts are left open. Called by RCU readers without the device's lock. */
static inline void bfq_find_submitter(struct bfq_submitter *submitter,
				      const struct request_queue *q)
{
	submitter->process = bfq_find_process(q);
	submitter->has_facts = false;
}

/*
 * Whether the core has not heard of the process, or not of its priority. Threads that
 * share an io_context may be told of meanwhile; then facts are found in vain, or the
 * next request brings them.
 */
static inline bool bfq_is_news(const struct bfq_process *process,
			       const struct bio *bio)
{
	return bfq_process_id(process) == BFQ_NONE ||
	       READ_ONCE(process->ioprio) != bio->bi_ioprio;
}

/*
 * Finds out what is known of who submits a bio, but for its priority, which is that of
 * each bio; only if the core is to hear of it. Called without the device's lock.
 */
static inline void bfq_find_facts(struct bfq_submitter *submitter,
				  const struct bio *bio)
{
	if (likely(submitter->process && bio) && !submitter->has_facts &&
	    unlikely(bfq_is_news(submitter->process, bio)))
		bfq_find_new_facts(submitter);
}

/*
 * The number of who submits a bio; the core is told what is new about it. BFQ_NONE
 * if there was no memory for it. Called with the device's lock held.
 */
static inline u32 bfq_introduce(struct bfq_data *bfqd, u64 now,
				const struct bfq_submitter *submitter,
				const struct bio *bio)
{
	struct bfq_process *process = submitter->process;
	u32 group;

	if (unlikely(!process || process->exited || !bio))
		return BFQ_NONE;
	group = bfq_group_of_bio(bfqd, bio);
	if (unlikely(bfq_is_news(process, bio) || process->group != group))
		return bfq_tell_news(bfqd, now, submitter, bio, group);
	return bfq_process_id(process);
}

#endif /* BFQ_PROCESS_H */
