// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The elevator: what the block layer calls, handed on to the scheduler core.
 *
 * A request comes in by insert_requests, is handed out by dispatch_request and
 * reported back by completed_request (or requeue_request); each of them takes the
 * device's lock, tells the core, and does what the core then asks for: set the
 * timer, run the hardware queues. No decision is taken here. A request that the
 * core does not take (its number is beyond what there was memory for) is a
 * stray: it is served first and the core never hears of it.
 */
#include "bfq.h"
#include "memory.h"

#include <linux/module.h>
#include <linux/sched/mm.h>

static void bfq_set_timer(struct bfq_data *bfqd)
{
	u64 wanted_ns = bfqd->core->timer_ns;

	/*
	 * Too early does no harm: the timer is set anew when it fires. So it is
	 * touched only when it would be too late.
	 */
	if (wanted_ns >= bfqd->timer_ns)
		return;
	bfqd->timer_ns = wanted_ns;
	hrtimer_start(&bfqd->timer, ns_to_ktime(wanted_ns), HRTIMER_MODE_ABS);
}

/*
 * The hardware queues are run by a worker, and without a look at what they have:
 * on 6.12 blk_mq_run_hw_queues() may take queue_lock for that, which callers that
 * are told of the end of a process or group hold already.
 */
void bfq_unlock(struct bfq_data *bfqd, unsigned long flags)
{
	bool kick = bfqd->core->kick;

	bfqd->core->kick = false;
	bfq_set_timer(bfqd);
	spin_unlock_irqrestore(&bfqd->lock, flags);
	if (unlikely(kick))
		blk_mq_delay_run_hw_queues(bfqd->queue, 0);
}

static enum hrtimer_restart bfq_timer_fired(struct hrtimer *timer)
{
	struct bfq_data *bfqd = container_of(timer, struct bfq_data, timer);
	u64 now = ktime_get_ns();
	unsigned long flags;

	bfq_lock(bfqd, flags);
	bfqd->timer_ns = BFQ_NEVER;
	if (bfqd->core->timer_ns <= now)
		bfq_core_on_timer(bfqd->core, now);
	bfq_unlock(bfqd, flags);
	return HRTIMER_NORESTART;
}

/* Inserting */

static void bfq_add_stray(struct bfq_data *bfqd, struct request *rq)
{
	pr_warn_once("bfq: a request is served unscheduled: no memory to schedule it\n");
	bfq_set_place(rq, BFQ_STRAY);
	list_add_tail(&rq->queuelist, &bfqd->strays);
}

static void bfq_insert(struct bfq_data *bfqd, struct request *rq, bool at_head,
		       u64 now, struct list_head *merged)
{
	u32 id = bfq_request_id(bfqd, rq);
	struct bfq_io io = bfq_io_of_request(rq, now);

	/* Somebody else puts requeued requests in; they were charged already. */
	if (at_head)
		io.flags |= BFQ_AT_HEAD;
	else
		io.process = bfq_current_process(bfqd, now, rq->bio);
	if (bfqd->waiting && bfq_insertion_merge(bfqd, rq, &io, now, merged))
		return;
	WRITE_ONCE(bfqd->waiting, bfqd->waiting + 1);
	if (unlikely(id >= bfqd->request_ids ||
		     !bfq_core_insert(bfqd->core, now, id, &io))) {
		bfq_add_stray(bfqd, rq);
		return;
	}
	bfqd->requests[id] = rq;
	bfq_set_place(rq, BFQ_WAITING);
}

/*
 * Who flushes a plug dispatches what was in it. A request that comes without one
 * would be left to a worker: two context switches, which cost more than all of the
 * scheduling. Who submits it can dispatch it as well, as he does without an
 * elevator; unless the driver might put him to sleep.
 */
static void bfq_run_unplugged(struct blk_mq_hw_ctx *hctx)
{
	if (!current->plug && !(hctx->flags & BLK_MQ_F_BLOCKING))
		blk_mq_run_hw_queue(hctx, false);
}

static void bfq_insert_requests(struct blk_mq_hw_ctx *hctx,
				struct list_head *list, bfq_insert_flags how)
{
	struct bfq_data *bfqd = hctx->queue->elevator->elevator_data;
	struct request *rq, *next;
	u64 now = ktime_get_ns();
	unsigned long flags;
	LIST_HEAD(merged);

	bfq_lock(bfqd, flags);
	list_for_each_entry_safe(rq, next, list, queuelist) {
		list_del_init(&rq->queuelist);
		bfq_insert(bfqd, rq, bfq_at_head(how), now, &merged);
	}
	bfq_unlock(bfqd, flags);
	blk_mq_free_requests(&merged);
	bfq_run_unplugged(hctx);
}

/* Dispatching and completing */

static bool bfq_has_work(struct blk_mq_hw_ctx *hctx)
{
	struct bfq_data *bfqd = hctx->queue->elevator->elevator_data;

	return READ_ONCE(bfqd->waiting) != 0;
}

static struct request *bfq_dispatch_stray(struct bfq_data *bfqd)
{
	struct request *rq = list_first_entry(&bfqd->strays, struct request,
					      queuelist);

	list_del_init(&rq->queuelist);
	bfq_set_place(rq, BFQ_OUTSIDE);
	return rq;
}

static struct request *bfq_dispatch_scheduled(struct bfq_data *bfqd)
{
	u32 id = bfq_core_dispatch(bfqd->core, ktime_get_ns());
	struct request *rq;

	if (id == BFQ_NONE)
		return NULL;
	rq = bfqd->requests[id];
	bfq_set_place(rq, BFQ_DISPATCHED);
	bfq_forget_merges(bfqd->queue, rq);
	return rq;
}

static struct request *bfq_dispatch_request(struct blk_mq_hw_ctx *hctx)
{
	struct bfq_data *bfqd = hctx->queue->elevator->elevator_data;
	struct request *rq;
	unsigned long flags;

	bfq_lock(bfqd, flags);
	if (likely(list_empty(&bfqd->strays)))
		rq = bfq_dispatch_scheduled(bfqd);
	else
		rq = bfq_dispatch_stray(bfqd);
	if (rq) {
		WRITE_ONCE(bfqd->waiting, bfqd->waiting - 1);
		rq->rq_flags |= RQF_STARTED;
	}
	bfq_unlock(bfqd, flags);
	return rq;
}

/* A request that the core handed out has left the device. */
static void bfq_returned(struct request *rq, u64 now,
			 bool (*tell)(struct bfq_core *, u64, u32))
{
	struct bfq_data *bfqd = rq->q->elevator->elevator_data;
	unsigned long flags;

	bfq_lock(bfqd, flags);
	tell(bfqd->core, now, bfq_request_id(bfqd, rq));
	bfq_set_place(rq, BFQ_OUTSIDE);
	bfq_unlock(bfqd, flags);
}

static void bfq_completed_request(struct request *rq, u64 now)
{
	if (bfq_place(rq) == BFQ_DISPATCHED)
		bfq_returned(rq, now, bfq_core_complete);
}

/* It comes back, if at all, by insert_requests, at the head. */
static void bfq_requeue_request(struct request *rq)
{
	if (bfq_place(rq) == BFQ_DISPATCHED)
		bfq_returned(rq, ktime_get_ns(), bfq_core_requeue);
}

/* Allocating */

/*
 * A pool that all hardware queues share is resized after depth_updated. It has as
 * many numbers as can be from the start, so the core can learn late.
 */
static void bfq_follow_shared_pool(struct bfq_data *bfqd, u64 now)
{
	u32 nr_requests = bfqd->queue->nr_requests;

	if (likely(nr_requests == bfqd->nr_requests || bfqd->pool_stride))
		return;
	bfqd->nr_requests = nr_requests;
	bfq_core_set_nr_requests(bfqd->core, now, nr_requests,
				 bfqd->request_ids);
}

static void bfq_limit_depth(blk_opf_t opf, struct blk_mq_alloc_data *data)
{
	struct bfq_data *bfqd = data->q->elevator->elevator_data;
	enum bfq_operation operation = bfq_operation_of(opf);
	bool sync = op_is_sync(opf);
	u32 allowed, process;
	unsigned long flags;
	u64 now;

	if (!bfq_core_may_limit(operation, sync))
		return;
	now = ktime_get_ns();
	bfq_lock(bfqd, flags);
	bfq_follow_shared_pool(bfqd, now);
	process = bfq_known_process(data->q);
	allowed = bfq_core_allowed_requests(bfqd->core, now, process,
					    operation, sync);
	bfq_unlock(bfqd, flags);
	if (allowed < bfqd->nr_requests)
		data->shallow_depth = bfq_shallow_depth(data, allowed,
							bfqd->nr_requests);
}

static void bfq_prepare_request(struct request *rq)
{
	bfq_set_place(rq, BFQ_OUTSIDE);
	bfq_ensure_process(rq->q);
}

/*
 * Normally the request has completed, or was never inserted. It still counts as
 * dispatched if its driver ended it in a way that reports no completion.
 */
static void bfq_finish_request(struct request *rq)
{
	if (unlikely(bfq_place(rq) == BFQ_DISPATCHED))
		bfq_returned(rq, ktime_get_ns(), bfq_core_complete);
}

/* The sizes of things */

/*
 * How requests are numbered: by their tag if all hardware queues share a pool of
 * them, else by hardware queue and tag. Returns how many numbers that needs.
 */
static u32 bfq_number_requests(struct bfq_data *bfqd, u32 nr_requests)
{
	struct request_queue *q = bfqd->queue;
	bool shared = blk_mq_is_shared_tags(q->tag_set->flags);

	bfqd->nr_requests = nr_requests;
	bfqd->pool_stride = shared ? 0 : nr_requests;
	return shared ? MAX_SCHED_RQ : nr_requests * q->nr_hw_queues;
}

/* Changes the size of the pools. The core must know of no request. */
static int bfq_resize(struct bfq_data *bfqd, u32 nr_requests)
{
	struct request **requests, **old;
	unsigned long flags;
	int error = -ENOMEM;
	u32 ids;

	bfq_lock(bfqd, flags);
	ids = bfq_number_requests(bfqd, nr_requests);
	bfq_unlock(bfqd, flags);

	requests = kvcalloc(ids, sizeof(*requests), GFP_KERNEL);
	if (!requests)
		return error;
	bfq_lock(bfqd, flags);
	error = bfq_core_set_nr_requests(bfqd->core, ktime_get_ns(),
					 nr_requests, ids);
	old = requests;
	if (!error) {
		old = bfqd->requests;
		bfqd->requests = requests;
		bfqd->request_ids = ids;
	}
	bfq_unlock(bfqd, flags);
	kvfree(old);
	return error;
}

/* Called for each hardware queue, with the device frozen. */
static void bfq_depth_updated(struct blk_mq_hw_ctx *hctx)
{
	struct bfq_data *bfqd = hctx->queue->elevator->elevator_data;
	struct blk_mq_tags *tags = hctx->sched_tags;
	u32 nr_requests = tags->nr_reserved_tags + tags->bitmap_tags.sb.depth;
	unsigned int noio;
	int error;

	/* An allocation may be confined to a single request of the pool. */
	sbitmap_queue_min_shallow_depth(&tags->bitmap_tags, 1);
	if (nr_requests == bfqd->nr_requests)
		return;
	noio = memalloc_noio_save();
	error = bfq_resize(bfqd, nr_requests);
	memalloc_noio_restore(noio);
	if (error)
		pr_warn("bfq: no memory for %u requests in each pool: some will be served unscheduled\n",
			nr_requests);
}

static int bfq_init_hctx(struct blk_mq_hw_ctx *hctx, unsigned int index)
{
	bfq_depth_updated(hctx);
	return 0;
}

/* Attaching and detaching */

static void bfq_describe_actuators(const struct gendisk *disk,
				   struct bfq_device *device)
{
	struct blk_independent_access_ranges *ranges = disk->ia_ranges;
	u32 i;

	if (!ranges || ranges->nr_ia_ranges > BFQ_MAX_ACTUATORS)
		return;
	device->actuators = ranges->nr_ia_ranges;
	for (i = 0; i < device->actuators; i++)
		device->actuator_ends[i] = ranges->ia_range[i].sector +
					   ranges->ia_range[i].nr_sectors;
}

static int bfq_create_core(struct bfq_data *bfqd)
{
	struct request_queue *q = bfqd->queue;
	struct bfq_device device = {
		.nr_requests = q->nr_requests,
		.request_ids = bfq_number_requests(bfqd, q->nr_requests),
		.hz = HZ,
		.rotational = !blk_queue_nonrot(q),
	};
	u64 now = ktime_get_ns();

	bfq_describe_actuators(q->disk, &device);
	bfqd->requests = kvcalloc(device.request_ids, sizeof(*bfqd->requests),
				  GFP_KERNEL);
	if (!bfqd->requests)
		return -ENOMEM;
	bfqd->request_ids = device.request_ids;
	bfqd->core = bfq_core_new(now, &device);
	if (!bfqd->core) {
		kvfree(bfqd->requests);
		return -ENOMEM;
	}
	bfq_recording_attach(bfqd, now);
	return 0;
}

static struct bfq_data *bfq_create(struct request_queue *q)
{
	struct bfq_data *bfqd = kzalloc_node(sizeof(*bfqd), GFP_KERNEL, q->node);

	if (!bfqd)
		return NULL;
	spin_lock_init(&bfqd->lock);
	INIT_LIST_HEAD(&bfqd->strays);
	bfqd->queue = q;
	bfqd->timer_ns = BFQ_NEVER;
	hrtimer_init(&bfqd->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	bfqd->timer.function = bfq_timer_fired;
	if (!bfq_create_core(bfqd))
		return bfqd;
	kfree(bfqd);
	return NULL;
}

static void bfq_destroy(struct bfq_data *bfqd)
{
	hrtimer_cancel(&bfqd->timer);
	bfq_recording_detach(bfqd);
	bfq_core_free(bfqd->core);
	kvfree(bfqd->requests);
	kfree(bfqd);
}

static int bfq_attach(struct request_queue *q, struct elevator_type *type)
{
	struct elevator_queue *elevator = elevator_alloc(q, type);
	struct bfq_data *bfqd;
	int error = -ENOMEM;

	if (!elevator)
		return error;
	bfqd = bfq_create(q);
	if (!bfqd)
		goto no_data;
	elevator->elevator_data = bfqd;
	spin_lock_irq(&q->queue_lock);
	q->elevator = elevator;
	spin_unlock_irq(&q->queue_lock);
	error = bfq_cgroup_attach(bfqd);
	if (error)
		goto no_groups;

	bfq_disable_wbt(q);
	/* One core serves all hardware queues: the order is its to choose. */
	blk_queue_flag_set(QUEUE_FLAG_SQ_SCHED, q);
	return 0;

no_groups:
	spin_lock_irq(&q->queue_lock);
	q->elevator = NULL;
	spin_unlock_irq(&q->queue_lock);
	bfq_destroy(bfqd);
no_data:
	kobject_put(&elevator->kobj);
	return error;
}

/* The queue is frozen: memory must not be had by writing to this very device. */
static int bfq_init_sched(struct request_queue *q, struct elevator_type *type)
{
	unsigned int noio = memalloc_noio_save();
	int error = bfq_attach(q, type);

	memalloc_noio_restore(noio);
	return error;
}

static void bfq_exit_sched(struct elevator_queue *elevator)
{
	struct bfq_data *bfqd = elevator->elevator_data;
	struct request_queue *q = bfqd->queue;

	WARN_ON_ONCE(bfqd->waiting);
	hrtimer_cancel(&bfqd->timer);
	bfq_cgroup_detach(bfqd);
	blk_queue_flag_clear(QUEUE_FLAG_SQ_SCHED, q);
	bfq_enable_wbt(q);
	bfq_destroy(bfqd);
}

static struct elevator_type bfq_elevator = {
	.ops = {
		.init_sched		= bfq_init_sched,
		.exit_sched		= bfq_exit_sched,
		.init_hctx		= bfq_init_hctx,
		.depth_updated		= bfq_depth_updated,
		.init_icq		= bfq_init_icq,
		.exit_icq		= bfq_exit_icq,
		.limit_depth		= bfq_limit_depth,
		.prepare_request	= bfq_prepare_request,
		.finish_request		= bfq_finish_request,
		.bio_merge		= bfq_bio_merge,
		.request_merge		= bfq_request_merge,
		.request_merged		= bfq_request_merged,
		.requests_merged	= bfq_requests_merged,
		.allow_merge		= bfq_allow_merge,
		.former_request		= bfq_former_request,
		.next_request		= bfq_next_request,
		.insert_requests	= bfq_insert_requests,
		.has_work		= bfq_has_work,
		.dispatch_request	= bfq_dispatch_request,
		.completed_request	= bfq_completed_request,
		.requeue_request	= bfq_requeue_request,
	},
	.icq_size	= sizeof(struct bfq_process),
	.icq_align	= __alignof__(struct bfq_process),
	.elevator_attrs	= bfq_attributes,
	.elevator_name	= "bfq",
	.elevator_owner	= THIS_MODULE,
};

static int __init bfq_init(void)
{
	int error;

	error = bfq_compat_init();
	if (error)
		return error;
	bfq_recording_init();
	/* First: if the kernel's own bfq is there, the files of cgroups are its. */
	error = elv_register(&bfq_elevator);
	if (error)
		goto no_elevator;
	error = bfq_cgroup_register();
	if (error)
		goto no_groups;
	return 0;

no_groups:
	elv_unregister(&bfq_elevator);
no_elevator:
	bfq_recording_exit();
	return error;
}

static void __exit bfq_exit(void)
{
	elv_unregister(&bfq_elevator);
	bfq_recording_exit();
	bfq_cgroup_unregister();
	bfq_memory_exit();
}

module_init(bfq_init);
module_exit(bfq_exit);

MODULE_DESCRIPTION("Budget Fair Queueing I/O scheduler, with its core in Rust");
MODULE_AUTHOR("The bfq developers");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_VERSION(BFQ_VERSION);
MODULE_ALIAS("bfq-iosched");
