// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Weights of cgroups, as users write and read them.
 *
 * What is written is understood by the core. If it is for one device, the block
 * layer finds that, says whether it is one of ours, and makes the group there if
 * need be. The weights of a cgroup are changed, and told to its groups, under the
 * lock of its blkcg, under which groups come and go; so a group misses no change.
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

/* For all devices but those with an override. */
static int bfq_change_default(struct blkcg *blkcg,
			      const struct bfq_weight_change *change)
{
	struct blkcg_gq *blkg;
	int error;

	spin_lock_irq(&blkcg->lock);
	error = bfq_weights_apply(bfq_cgroup_of(blkcg)->weights, change);
	hlist_for_each_entry(blkg, &blkcg->blkg_list, blkcg_node) {
		struct bfq_group *group = bfq_group_of(blkg);

		if (group)
			bfq_update_group_weight(group);
	}
	spin_unlock_irq(&blkcg->lock);
	return error;
}

static int bfq_change_override(struct blkcg *blkcg,
			       const struct bfq_weight_change *change)
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
	error = bfq_weights_apply(bfq_cgroup_of(blkcg)->weights, change);
	bfq_update_group_weight(bfq_group_of(conf.blkg));
	spin_unlock(&blkcg->lock);
	bfq_conf_end(&conf);
	return error;
}

ssize_t bfq_write_weight(struct kernfs_open_file *of, char *text, size_t length,
			 loff_t offset)
{
	struct blkcg *blkcg = css_to_blkcg(of_css(of));
	struct bfq_weight_change change;
	int error;

	error = bfq_weights_parse(of_cft(of)->private, text, length, &change);
	if (error)
		return error;
	if (change.kind == BFQ_DEFAULT_WEIGHT)
		error = bfq_change_default(blkcg, &change);
	else
		error = bfq_change_override(blkcg, &change);
	return error ?: length;
}
