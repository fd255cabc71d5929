// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * "fifo": an elevator that does nothing, to measure what any elevator costs: it inserts at the tail
 * and dispatches from the head, under one lock. No merging, no priorities. Only `make kernel-bench`
 * uses it.
 */
#include <linux/module.h>

#include "compat.h"

struct fifo {
	spinlock_t lock;
	struct list_head requests;
};

static struct fifo *fifo_of(struct blk_mq_hw_ctx *hctx)
{
	return hctx->queue->elevator->elevator_data;
}

static void fifo_insert(struct blk_mq_hw_ctx *hctx, struct list_head *list,
			bfq_insert_flags flags)
{
	struct fifo *fifo = fifo_of(hctx);

	spin_lock(&fifo->lock);
	if (bfq_at_head(flags))
		list_splice_init(list, &fifo->requests);
	else
		list_splice_tail_init(list, &fifo->requests);
	spin_unlock(&fifo->lock);
}

static struct request *fifo_dispatch(struct blk_mq_hw_ctx *hctx)
{
	struct fifo *fifo = fifo_of(hctx);
	struct request *rq;

	spin_lock(&fifo->lock);
	rq = list_first_entry_or_null(&fifo->requests, struct request, queuelist);
	if (rq)
		list_del_init(&rq->queuelist);
	spin_unlock(&fifo->lock);
	return rq;
}

/* The block layer insists on them. */
static void fifo_prepare(struct request *rq)
{
}

static void fifo_finish(struct request *rq)
{
}

static bool fifo_has_work(struct blk_mq_hw_ctx *hctx)
{
	return !list_empty_careful(&fifo_of(hctx)->requests);
}

static int fifo_init_sched(struct request_queue *q, struct elevator_type *type)
{
	struct elevator_queue *elevator = elevator_alloc(q, type);
	struct fifo *fifo;

	if (!elevator)
		return -ENOMEM;
	fifo = kzalloc_node(sizeof(*fifo), GFP_KERNEL, q->node);
	if (!fifo) {
		kobject_put(&elevator->kobj);
		return -ENOMEM;
	}
	spin_lock_init(&fifo->lock);
	INIT_LIST_HEAD(&fifo->requests);
	elevator->elevator_data = fifo;
	blk_queue_flag_set(QUEUE_FLAG_SQ_SCHED, q);
	q->elevator = elevator;
	return 0;
}

static void fifo_exit_sched(struct elevator_queue *elevator)
{
	struct fifo *fifo = elevator->elevator_data;

	WARN_ON_ONCE(!list_empty(&fifo->requests));
	kfree(fifo);
}

static struct elevator_type fifo_elevator = {
	.ops = {
		.init_sched		= fifo_init_sched,
		.exit_sched		= fifo_exit_sched,
		.prepare_request	= fifo_prepare,
		.finish_request		= fifo_finish,
		.insert_requests	= fifo_insert,
		.dispatch_request	= fifo_dispatch,
		.has_work		= fifo_has_work,
	},
	.elevator_name	= "fifo",
	.elevator_owner	= THIS_MODULE,
};

static int __init fifo_init(void)
{
	return elv_register(&fifo_elevator);
}

static void __exit fifo_exit(void)
{
	elv_unregister(&fifo_elevator);
}

module_init(fifo_init);
module_exit(fifo_exit);

MODULE_DESCRIPTION("An I/O scheduler without any scheduling");
MODULE_LICENSE("Dual MIT/GPL");
