// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Groups: the cgroups that do I/O on a device, as the core knows them.
 *
 * The block layer keeps a blkg for each pair of a cgroup and a device, and a tree
 * of them that is always complete towards the root; we are a policy of blk-cgroup
 * and hang a struct bfq_group on each. It calls back with queue_lock and the lock
 * of the cgroup's blkcg held and interrupts off; the device's lock is inside of
 * these. Parents come before their children and go after them.
 *
 * A blkg may outlive its group by far (bios refer to it, and on 6.1 what we hung on
 * it is freed by a worker at its very end); such a group does not know a device
 * any more, and its bios belong to the nearest ancestor that is in the core. So do
 * those of a group that there was no memory for.
 */
#include "cgroup.h"

#include <linux/cgroup.h>
#include <linux/limits.h>

/* Groups that are not freed yet, whether in use or not. */
static atomic_t bfq_groups = ATOMIC_INIT(0);

/* The nearest group that is in the core, from a blkg towards the root. */
static u32 bfq_nearest_group(const struct bfq_data *bfqd, struct blkcg_gq *blkg)
{
	for (; blkg; blkg = blkg->parent) {
		struct bfq_group *group = bfq_group_of(blkg);

		if (likely(group && group->bfqd == bfqd))
			return group->id;
	}
	return bfqd->root_group;
}

/* Runs for every request, under the device's lock; the bio holds the blkg. */
u32 bfq_group_of_bio(struct bfq_data *bfqd, const struct bio *bio)
{
	return bfq_nearest_group(bfqd, bio->bi_blkg);
}

/* Cgroups */

static struct blkcg_policy_data *bfq_alloc_cgroup(gfp_t gfp)
{
	struct bfq_cgroup *cgroup = kzalloc(sizeof(*cgroup), gfp);

	if (!cgroup)
		return NULL;
	cgroup->weights = bfq_weights_new();
	if (cgroup->weights)
		return &cgroup->cpd;
	kfree(cgroup);
	return NULL;
}

static void bfq_free_cgroup(struct blkcg_policy_data *cpd)
{
	struct bfq_cgroup *cgroup = container_of(cpd, struct bfq_cgroup, cpd);

	bfq_weights_free(cgroup->weights);
	kfree(cgroup);
}

/* Groups */

static struct blkg_policy_data *bfq_alloc_group(BFQ_ALLOC_GROUP_ARGUMENTS)
{
	struct bfq_group *group = kzalloc(sizeof(*group), gfp);

	if (!group)
		return NULL;
	atomic_inc(&bfq_groups);
	return &group->pd;
}

/*
 * The device may be gone long since, or have another scheduler. On 6.1 a worker calls
 * this, and may be preempted behind the decrement, when the module may be unloaded:
 * bfq_cgroup_unregister() waits for RCU readers. Only the return, which comes after
 * rcu_read_unlock(), is not waited for.
 */
static void bfq_free_group(struct blkg_policy_data *pd)
{
	kfree(container_of(pd, struct bfq_group, pd));
	rcu_read_lock();
	if (atomic_dec_and_test(&bfq_groups))
		wake_up_var(&bfq_groups);
	rcu_read_unlock();
}

/* The weight of the cgroup has changed, or the group is new. */
void bfq_update_group_weight(struct bfq_group *group)
{
	struct bfq_data *bfqd = group->bfqd;
	struct bfq_cgroup *cgroup;
	unsigned long flags;
	dev_t device;
	u32 weight;

	if (!bfqd || group->id == bfqd->root_group)
		return;
	cgroup = bfq_cgroup_of(group->pd.blkg->blkcg);
	device = bfq_device_of(bfqd->queue);
	weight = bfq_weights_effective(cgroup->weights, MAJOR(device),
				       MINOR(device));
	bfq_lock(bfqd, flags);
	bfq_core_set_group_weight(bfqd->core, ktime_get_ns(), group->id, weight);
	bfq_unlock(bfqd, flags);
}

/*
 * Writes a cgroup's path to the end of BFQ_GROUP_NAME bytes, or its end if it is longer;
 * returns how many bytes that are. It goes upwards, so no path is too long for it.
 */
static size_t bfq_end_of_path(struct cgroup *cgroup, char *bytes)
{
	size_t free = BFQ_GROUP_NAME, length, taken;
	struct cgroup *parent;
	char name[NAME_MAX + 2];	/* "/NAME" */

	while (free && (parent = cgroup_parent(cgroup))) {
		name[0] = '\0';
		kernfs_path_from_node(cgroup->kn, parent->kn, name, sizeof(name));
		length = strnlen(name, sizeof(name));
		taken = min(length, free);
		free -= taken;
		memcpy(bytes + free, name + length - taken, taken);
		cgroup = parent;
	}
	/* The root, whose path is a slash. */
	if (free == BFQ_GROUP_NAME)
		bytes[--free] = '/';
	return BFQ_GROUP_NAME - free;
}

/*
 * Recordings call a group by its path, of a long one by the end. queue_lock is
 * held, so the group stays, but not the device's lock.
 */
static void bfq_name_group(const struct bfq_group *group)
{
	struct bfq_data *bfqd = group->bfqd;
	char bytes[BFQ_GROUP_NAME];
	unsigned long flags;
	size_t length;

	length = bfq_end_of_path(group->pd.blkg->blkcg->css.cgroup, bytes);
	bfq_lock(bfqd, flags);
	bfq_core_record_group(bfqd->core, group->id,
			      bytes + sizeof(bytes) - length, length);
	bfq_unlock(bfqd, flags);
}

/*
 * A recording that begins late: what are the groups called? queue_lock is held. The
 * device's list has blkgs whose cgroup is gone, too. A worker frees their groups without
 * that lock, and takes them off the list later; but their cgroup's list they leave under
 * that lock, before.
 */
void bfq_introduce_groups(struct bfq_data *bfqd)
{
	struct blkcg_gq *blkg;

	list_for_each_entry(blkg, &bfqd->queue->blkg_list, q_node) {
		struct bfq_group *group;

		if (hlist_unhashed(&blkg->blkcg_node))
			continue;
		group = bfq_group_of(blkg);
		if (group && group->bfqd == bfqd)
			bfq_name_group(group);
	}
}

static void bfq_online_group(struct blkg_policy_data *pd)
{
	struct bfq_group *group = container_of(pd, struct bfq_group, pd);
	struct blkcg_gq *blkg = pd->blkg;
	struct bfq_data *bfqd = blkg->q->elevator->elevator_data;
	unsigned long flags;
	bool recorded;

	bfq_lock(bfqd, flags);
	if (blkg->parent)
		group->id = bfq_core_add_group(bfqd->core, ktime_get_ns(),
					       bfq_nearest_group(bfqd,
								 blkg->parent));
	else
		group->id = bfqd->root_group;
	if (group->id != BFQ_NONE)
		group->bfqd = bfqd;
	recorded = bfq_core_is_recorded(bfqd->core);
	bfq_unlock(bfqd, flags);
	if (unlikely(recorded && group->bfqd))
		bfq_name_group(group);
	bfq_update_group_weight(group);
}

/*
 * Also when another scheduler is chosen: what was written for this device alone is
 * forgotten then, as no device that gets its number later shall inherit it.
 */
static void bfq_offline_group(struct blkg_policy_data *pd)
{
	struct bfq_group *group = container_of(pd, struct bfq_group, pd);
	struct bfq_cgroup *cgroup = bfq_cgroup_of(pd->blkg->blkcg);
	dev_t device = bfq_device_of(pd->blkg->q);
	struct bfq_data *bfqd = group->bfqd;
	unsigned long flags;

	bfq_weights_forget(cgroup->weights, MAJOR(device), MINOR(device));
	/* There was no memory for it in the core. */
	if (!bfqd)
		return;
	bfq_lock(bfqd, flags);
	if (group->id != bfqd->root_group)
		bfq_core_remove_group(bfqd->core, ktime_get_ns(), group->id);
	group->bfqd = NULL;
	bfq_unlock(bfqd, flags);
}

struct blkcg_policy bfq_policy = {
	.dfl_cftypes		= bfq_cgroup_files,
	.legacy_cftypes		= bfq_legacy_cgroup_files,
	.cpd_alloc_fn		= bfq_alloc_cgroup,
	.cpd_free_fn		= bfq_free_cgroup,
	.pd_alloc_fn		= bfq_alloc_group,
	.pd_online_fn		= bfq_online_group,
	.pd_offline_fn		= bfq_offline_group,
	.pd_free_fn		= bfq_free_group,
	.pd_reset_stats_fn	= bfq_reset_group_statistics,
	.pd_stat_fn		= bfq_show_group_statistics,
};

int bfq_cgroup_register(void)
{
	return blkcg_policy_register(&bfq_policy);
}

/*
 * No device is attached any more. But on 6.1 a blkg whose cgroup went before may
 * still be waited for by I/O, and would call into this module when it goes.
 */
void bfq_cgroup_unregister(void)
{
	wait_var_event(&bfq_groups, !atomic_read(&bfq_groups));
	/* Who has freed the last one may still be in bfq_free_group(). */
	synchronize_rcu();
	blkcg_policy_unregister(&bfq_policy);
}

int bfq_cgroup_attach(struct bfq_data *bfqd)
{
	unsigned long flags;
	int error;

	bfq_lock(bfqd, flags);
	bfqd->root_group = bfq_core_root_group(bfqd->core);
	bfq_unlock(bfqd, flags);
	error = bfq_activate_policy(bfqd->queue, &bfq_policy);
	if (!error)
		bfq_statistics_attach(bfqd);
	return error;
}

void bfq_cgroup_detach(struct bfq_data *bfqd)
{
	bfq_statistics_detach(bfqd);
	bfq_deactivate_policy(bfqd->queue, &bfq_policy);
}
