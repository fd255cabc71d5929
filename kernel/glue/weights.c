// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Weights of cgroups, as users write and read them.
 *
 * What is written is understood by the core. If it is for one device, the block
 * layer finds that, says whether it is one of ours, and makes the group there if
 * need be. The weights of a cgroup are changed, and told to its groups, under the
 * lock of its blkcg, under which groups come and go; so a group misses no change.
 * Memory for one more override is allocated before, and again if another writer has
 * used the room up meanwhile. No lock is held until then: on 6.1 finding a device
 * waits as long as it hangs, and other writers must not wait for that, too.
 */
#include "cgroup.h"

int bfq_show_weights(struct seq_file *file, void *unused)
{
	struct blkcg *blkcg = css_to_blkcg(seq_css(file));
	char *buffer;
	size_t size = seq_get_buf(file, &buffer), length;

	if (!size)
		return 0;
	spin_lock_irq(&blkcg->lock);
	length = bfq_weights_show(bfq_cgroup_of(blkcg)->weights,
				  seq_cft(file)->private, buffer, size);
	spin_unlock_irq(&blkcg->lock);
	seq_commit(file, length < size ? length : -1);
	return 0;
}

/* -EAGAIN: there is no room any more. The lock of the blkcg is held. */
static int bfq_apply_change(struct blkcg *blkcg,
			    const struct bfq_weight_change *change,
			    struct bfq_override_room *room)
{
	int error = bfq_weights_apply(bfq_cgroup_of(blkcg)->weights, change, room);

	return error == -ENOMEM ? -EAGAIN : error;
}

/* For all devices but those with an override. */
static int bfq_change_default(struct blkcg *blkcg,
			      const struct bfq_weight_change *change,
			      struct bfq_override_room *room)
{
	struct blkcg_gq *blkg;
	int error;

	spin_lock_irq(&blkcg->lock);
	error = bfq_apply_change(blkcg, change, room);
	hlist_for_each_entry(blkg, &blkcg->blkg_list, blkcg_node) {
		struct bfq_group *group = bfq_group_of(blkg);

		if (group)
			bfq_update_group_weight(group);
	}
	spin_unlock_irq(&blkcg->lock);
	return error;
}

static int bfq_change_override(struct blkcg *blkcg,
			       const struct bfq_weight_change *change,
			       struct bfq_override_room *room)
{
	dev_t device = MKDEV(change->major, change->minor);
	struct blkg_conf_ctx conf;
	char name[24];
	int error;

	if (MAJOR(device) != change->major || MINOR(device) != change->minor)
		return -ENODEV;
	snprintf(name, sizeof(name), "%u:%u ", change->major, change->minor);
	error = bfq_conf_begin(blkcg, &bfq_policy, name, &conf);
	if (error)
		return error;
	spin_lock(&blkcg->lock);
	error = bfq_apply_change(blkcg, change, room);
	bfq_update_group_weight(bfq_group_of(conf.blkg));
	spin_unlock(&blkcg->lock);
	bfq_conf_end(&conf);
	return error;
}

/* -EIO: the core has failed, so no room it could name would be enough. */
static struct bfq_override_room *
bfq_make_room(struct blkcg *blkcg, const struct bfq_weight_change *change)
{
	u32 overrides;

	spin_lock_irq(&blkcg->lock);
	overrides = bfq_weights_room_for(bfq_cgroup_of(blkcg)->weights, change);
	spin_unlock_irq(&blkcg->lock);
	if (overrides == BFQ_NONE)
		return ERR_PTR(-EIO);
	return bfq_override_room_new(overrides) ?: ERR_PTR(-ENOMEM);
}

static int bfq_try_change(struct blkcg *blkcg,
			  const struct bfq_weight_change *change)
{
	struct bfq_override_room *room = bfq_make_room(blkcg, change);
	int error;

	if (IS_ERR(room))
		return PTR_ERR(room);
	if (change->kind == BFQ_DEFAULT_WEIGHT)
		error = bfq_change_default(blkcg, change, room);
	else
		error = bfq_change_override(blkcg, change, room);
	bfq_override_room_free(room);
	return error;
}

ssize_t bfq_write_weight(struct kernfs_open_file *of, char *text, size_t length,
			 loff_t offset)
{
	struct bfq_weight_change change;
	int error;

	error = bfq_weights_parse(of_cft(of)->private, text, length, &change);
	if (error)
		return error;
	/* Each time there is no room, another writer has added an override. */
	do {
		error = bfq_try_change(css_to_blkcg(of_css(of)), &change);
	} while (error == -EAGAIN);
	return error ?: length;
}
