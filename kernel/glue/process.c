// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Processes: who does I/O, and what the core has to know of it.
 *
 * The block layer keeps an io_cq for each pair of an I/O context (a process, or
 * threads that share one) and a device; ours holds the number that the core
 * knows the process by. It is looked up twice for each request, when the
 * request is allocated and when it is inserted, both times by the process
 * itself; so nothing needs to be counted: a task's own io_cq of a device that
 * it is submitting to stays. The core is told of a process at its first
 * request, of a change of its group or priority at the first request behind it,
 * and of its end by exit_icq.
 *
 * What the rest of the kernel knows of a task is asked before the device's lock
 * is taken: a lock of the task's own inside of one that interrupts take could
 * be held by a context that such an interrupt stops.
 */
#include "process.h"

#include <linux/ioprio.h>
#include <linux/sched.h>

/*
 * Sees to it that the current task has an io_cq and that it is hinted at. Without
 * one the task is no process to the core.
 */
void bfq_ensure_process(struct request_queue *q)
{
	struct io_cq *icq;

	rcu_read_lock();
	icq = bfq_hinted(q);
	rcu_read_unlock();
	if (likely(icq))
		return;
	icq = ioc_find_get_icq(q);
	if (icq)
		put_io_context(icq->ioc);
}

/* Another one than the hinted one. Called by RCU readers. */
struct io_cq *bfq_look_up(const struct request_queue *q)
{
	struct io_context *ioc = current->io_context;
	struct io_cq *icq = ioc ? radix_tree_lookup(&ioc->icq_tree, q->id) : NULL;

	return icq && icq->q == q ? icq : NULL;
}

void bfq_exit_icq(struct io_cq *icq)
{
	struct bfq_process *process = container_of(icq, struct bfq_process, icq);
	struct bfq_data *bfqd = icq->q->elevator->elevator_data;
	unsigned long flags;

	bfq_lock(bfqd, flags);
	process->exited = true;
	if (bfq_process_id(process) != BFQ_NONE)
		bfq_core_exit_process(bfqd->core, ktime_get_ns(),
				      bfq_process_id(process));
	bfq_set_process_id(process, BFQ_NONE);
	bfq_unlock(bfqd, flags);
}

static enum bfq_cpu_policy bfq_cpu_policy_of(struct task_struct *task)
{
	switch (task_nice_ioclass(task)) {
	case IOPRIO_CLASS_RT:
		return BFQ_CPU_RT;
	case IOPRIO_CLASS_IDLE:
		return BFQ_CPU_IDLE;
	default:
		return BFQ_CPU_NORMAL;
	}
}

/* For people, who don't know the workers of io_uring but the program they work for. */
static struct task_struct *bfq_shown_task(void)
{
	return current->flags & PF_IO_WORKER ? current->group_leader : current;
}

/*
 * Finds out what the core is to hear of who submits. The name may be half of an old and
 * half of a new one if it changes at this moment, which does not matter.
 */
void bfq_find_new_facts(struct bfq_submitter *submitter)
{
	struct bfq_process_facts *facts = &submitter->facts;
	struct task_struct *shown = bfq_shown_task();

	facts->nice = task_nice(current);
	facts->cpu_policy = bfq_cpu_policy_of(current);
	facts->pid = task_pid_nr(shown);
	BUILD_BUG_ON(sizeof(facts->name) != sizeof(shown->comm));
	strscpy_pad(facts->name, shown->comm, sizeof(facts->name));
	submitter->has_facts = true;
}

/*
 * The priority is that of the bio: what the process asked for by ioprio_set(), or
 * for this very I/O, or what its cgroup's io.prio.class made of that.
 */
static struct bfq_process_facts bfq_facts(const struct bfq_submitter *submitter,
					  u16 ioprio)
{
	struct bfq_process_facts facts = submitter->facts;

	facts.class = IOPRIO_PRIO_CLASS(ioprio);
	facts.level = IOPRIO_PRIO_LEVEL(ioprio);
	return facts;
}

static void bfq_add_process(struct bfq_data *bfqd, u64 now,
			    const struct bfq_submitter *submitter, u32 group,
			    u16 ioprio)
{
	struct bfq_process *process = submitter->process;

	process->facts = bfq_facts(submitter, ioprio);
	bfq_set_process_id(process, bfq_core_add_process(bfqd->core, now, group,
							 &process->facts));
	process->group = group;
	WRITE_ONCE(process->ioprio, ioprio);
}

static void bfq_set_ioprio(struct bfq_data *bfqd,
			   const struct bfq_submitter *submitter, u16 ioprio)
{
	struct bfq_process_facts facts = bfq_facts(submitter, ioprio);

	bfq_core_set_process(bfqd->core, bfq_process_id(submitter->process),
			     &facts);
	WRITE_ONCE(submitter->process->ioprio, ioprio);
}

/* Tells the core what is new about a process. */
u32 bfq_tell_news(struct bfq_data *bfqd, u64 now,
		  const struct bfq_submitter *submitter, const struct bio *bio,
		  u32 group)
{
	struct bfq_process *process = submitter->process;

	if (bfq_process_id(process) == BFQ_NONE) {
		if (submitter->has_facts)
			bfq_add_process(bfqd, now, submitter, group,
					bio->bi_ioprio);
		return bfq_process_id(process);
	}
	if (process->group != group) {
		bfq_core_move_process(bfqd->core, bfq_process_id(process), group);
		process->group = group;
	}
	/* Without facts: threads that share an io_context have just changed it. */
	if (process->ioprio != bio->bi_ioprio && submitter->has_facts)
		bfq_set_ioprio(bfqd, submitter, bio->bi_ioprio);
	return bfq_process_id(process);
}
