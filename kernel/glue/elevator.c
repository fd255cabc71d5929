// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The elevators: attaching one to a device and detaching it, the sizes of its pools
 * of requests, and the module. Which elevators there are is in policies.c.
 */
#include "bfq.h"
#include "memory.h"

#include <linux/module.h>
#include <linux/sched/mm.h>

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

/* Numbers of requests that the core makes room for at once, under the lock. */
#define BFQ_NUMBERS_AT_ONCE 64

/*
 * Allocates what the core needs for its next numbers. Requests are cut from blocks,
 * and so may the others be.
 */
static void bfq_reserve_numbers(struct bfq_data *bfqd)
{
	size_t sizes[BFQ_REQUEST_PIECES] = {};
	unsigned long flags;
	size_t small;
	int piece;

	bfq_lock(bfqd, flags);
	bfq_core_request_pieces(bfqd->core, BFQ_NUMBERS_AT_ONCE, sizes);
	bfq_unlock(bfqd, flags);
	small = BFQ_NUMBERS_AT_ONCE * bfq_piece_size(sizes[0], BFQ_LINE);
	for (piece = 1; piece < BFQ_REQUEST_PIECES; piece++)
		if (sizes[piece] > BFQ_LARGEST_CUT)
			bfq_reserve_fill(bfqd, sizes[piece], 1);
		else
			small += bfq_piece_size(sizes[piece], BFQ_GRAIN);
	/* One more, for blocks are of two kinds, by what their pieces are aligned to. */
	bfq_reserve_fill(bfqd, BFQ_BLOCK, DIV_ROUND_UP(small, BFQ_BLOCK) + 1);
}

/*
 * The core makes room for more numbers, a few at a time, with memory that is
 * allocated before the lock is taken.
 */
static int bfq_grow(struct bfq_data *bfqd, u32 from, u32 to)
{
	unsigned long flags;
	int error = 0;

	while (!error && from < to) {
		from = min_t(u32, from + BFQ_NUMBERS_AT_ONCE, to);
		bfq_reserve_numbers(bfqd);
		bfq_lock(bfqd, flags);
		error = bfq_core_reserve_requests(bfqd->core, from);
		bfq_unlock(bfqd, flags);
	}
	return error;
}

/* Changes the size of the pools. The core must know of no request. */
static int bfq_resize(struct bfq_data *bfqd, u32 nr_requests)
{
	struct bfq_slot *slots, *old;
	unsigned long flags;
	int error = -ENOMEM;
	u32 ids;

	bfq_lock(bfqd, flags);
	ids = bfq_number_requests(bfqd, nr_requests);
	bfq_unlock(bfqd, flags);

	slots = kvcalloc(ids, sizeof(*slots), GFP_KERNEL);
	if (!slots)
		return error;
	error = bfq_grow(bfqd, bfqd->request_ids, ids);
	bfq_lock(bfqd, flags);
	if (!error)
		error = bfq_core_set_nr_requests(bfqd->core, ktime_get_ns(),
						 nr_requests, ids);
	old = slots;
	if (!error) {
		old = bfqd->slots;
		bfqd->slots = slots;
		bfqd->request_ids = ids;
		bfqd->known_requests = nr_requests;
	}
	bfq_unlock(bfqd, flags);
	kvfree(old);
	return error;
}

/* The pool of a hardware queue may have another size; the device is frozen. */
void bfq_pool_updated(struct blk_mq_hw_ctx *hctx)
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
	if (error && !bfq_failed(bfqd))
		pr_warn("bfq: no memory for %u requests in each pool: some will be served unscheduled\n",
			nr_requests);
}

int bfq_init_hctx(struct blk_mq_hw_ctx *hctx, unsigned int index)
{
	bfq_pool_updated(hctx);
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

static int bfq_create_core(struct bfq_data *bfqd, enum bfq_policy_number policy)
{
	struct request_queue *q = bfqd->queue;
	struct bfq_device device = {
		.nr_requests = q->nr_requests,
		.request_ids = bfq_number_requests(bfqd, q->nr_requests),
		.hz = HZ,
		.rotational = bfq_is_rotational(q),
	};
	u64 now = ktime_get_ns();

	bfq_describe_actuators(q->disk, &device);
	bfqd->slots = kvcalloc(device.request_ids, sizeof(*bfqd->slots),
			       GFP_KERNEL);
	if (!bfqd->slots)
		return -ENOMEM;
	bfqd->request_ids = device.request_ids;
	bfqd->known_requests = device.nr_requests;
	bfqd->core = bfq_core_new(now, &device, &bfqd->host, policy);
	if (!bfqd->core) {
		kvfree(bfqd->slots);
		return -ENOMEM;
	}
	bfq_recording_attach(bfqd, now);
	return 0;
}

static struct bfq_data *bfq_create(struct request_queue *q,
				   enum bfq_policy_number policy)
{
	struct bfq_data *bfqd = kzalloc_node(sizeof(*bfqd), GFP_KERNEL, q->node);

	if (!bfqd)
		return NULL;
	spin_lock_init(&bfqd->lock);
	INIT_LIST_HEAD(&bfqd->strays);
	bfq_limit_fallback_messages(bfqd);
	init_llist_head(&bfqd->completed);
	bfq_host_begin(&bfqd->host, q->disk->disk_name);
	bfqd->queue = q;
	bfqd->timer_ns = BFQ_NEVER;
	bfq_timer_setup(&bfqd->timer, bfq_timer_fired);
	bfq_reserve_attach(bfqd);
	if (!bfq_create_core(bfqd, policy))
		return bfqd;
	bfq_host_end(&bfqd->host);
	kfree(bfqd);
	return NULL;
}

static void bfq_destroy(struct bfq_data *bfqd)
{
	hrtimer_cancel(&bfqd->timer);
	bfq_recording_detach(bfqd);
	bfq_reserve_detach(bfqd);
	bfq_host_end(&bfqd->host);
	kvfree(bfqd->slots);
	kfree(bfqd);
}

static int bfq_attach_data(struct request_queue *q,
			   struct elevator_queue *elevator)
{
	struct bfq_data *bfqd = bfq_create(q, bfq_policy_of(elevator->type));
	int error;

	if (!bfqd)
		return -ENOMEM;
	elevator->elevator_data = bfqd;
	spin_lock_irq(&q->queue_lock);
	q->elevator = elevator;
	spin_unlock_irq(&q->queue_lock);
	error = bfq_cgroup_attach(bfqd);
	if (error)
		goto no_groups;

	bfq_disable_wbt(q);
	bfq_note_bio_times(q);
	bfq_offer_async_depth(q);
	/* One core serves all hardware queues: the order is its to choose. */
	blk_queue_flag_set(QUEUE_FLAG_SQ_SCHED, q);
	return 0;

no_groups:
	spin_lock_irq(&q->queue_lock);
	q->elevator = NULL;
	spin_unlock_irq(&q->queue_lock);
	bfq_destroy(bfqd);
	return error;
}

/* The queue is frozen: memory must not be had by writing to this very device. */
int bfq_attach(struct request_queue *q, struct elevator_queue *elevator)
{
	unsigned int noio = memalloc_noio_save();
	int error = bfq_attach_data(q, elevator);

	memalloc_noio_restore(noio);
	return error;
}

void bfq_exit_sched(struct elevator_queue *elevator)
{
	struct bfq_data *bfqd = elevator->elevator_data;
	struct request_queue *q = bfqd->queue;

	WARN_ON_ONCE(bfq_has_waiting(bfqd));
	WARN_ON_ONCE(memchr_inv(&bfqd->boundaries, 0, sizeof(bfqd->boundaries)));
	/* Who inserted the last request may be behind the lock, not out of bfq_unlock(). */
	synchronize_rcu();
	hrtimer_cancel(&bfqd->timer);
	bfq_cgroup_detach(bfqd);
	blk_queue_flag_clear(QUEUE_FLAG_SQ_SCHED, q);
	bfq_enable_wbt(q);
	bfq_destroy(bfqd);
}

static int __init bfq_init(void)
{
	int error;

	error = bfq_compat_init();
	if (error)
		return error;
	bfq_recording_init();
	error = bfq_cgroup_register();
	if (error)
		goto no_groups;
	/* Last: who finds an elevator may choose it at once, while we are still here. */
	error = bfq_register_elevators();
	if (error)
		goto no_elevators;
	return 0;

no_elevators:
	bfq_cgroup_unregister();
no_groups:
	bfq_recording_exit();
	bfq_memory_exit();
	bfq_guard_exit();
	return error;
}

static void __exit bfq_exit(void)
{
	bfq_unregister_elevators();
	bfq_recording_exit();
	bfq_cgroup_unregister();
	bfq_memory_exit();
	bfq_guard_exit();
}

module_init(bfq_init);
module_exit(bfq_exit);

MODULE_DESCRIPTION("Budget Fair Queueing I/O scheduler, with its core in Rust");
MODULE_AUTHOR("The bfq developers");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_VERSION(BFQ_VERSION);
