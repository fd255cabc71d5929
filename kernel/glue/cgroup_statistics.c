// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Statistics of cgroups: the blkio.bfq.* files of version 1, and a part of io.stat.
 *
 * Bytes and requests are always counted. The other figures cost a little for each
 * request and are kept while the module's parameter detailed_statistics is set,
 * which can be changed at any time. The files of these are empty otherwise.
 */
#include "cgroup.h"

#include <linux/module.h>

static bool detailed_statistics;

/* The devices under bfq; the mutex keeps the parameter, too. */
static LIST_HEAD(bfq_devices);
static DEFINE_MUTEX(bfq_devices_mutex);

static void bfq_set_detailed_statistics(struct bfq_data *bfqd)
{
	unsigned long flags;

	bfq_lock(bfqd, flags);
	bfq_core_set_detailed_statistics(bfqd->core, ktime_get_ns(),
					 detailed_statistics);
	bfq_unlock(bfqd, flags);
}

static int bfq_param_set(const char *text, const struct kernel_param *param)
{
	struct bfq_data *bfqd;
	int error;

	mutex_lock(&bfq_devices_mutex);
	error = param_set_bool(text, param);
	list_for_each_entry(bfqd, &bfq_devices, attached)
		bfq_set_detailed_statistics(bfqd);
	mutex_unlock(&bfq_devices_mutex);
	return error;
}

static const struct kernel_param_ops bfq_param_ops = {
	.flags	= KERNEL_PARAM_OPS_FL_NOARG,
	.set	= bfq_param_set,
	.get	= param_get_bool,
};
module_param_cb(detailed_statistics, &bfq_param_ops, &detailed_statistics, 0644);
MODULE_PARM_DESC(detailed_statistics, "keep all statistics of cgroups, not only bytes and requests");

void bfq_statistics_attach(struct bfq_data *bfqd)
{
	mutex_lock(&bfq_devices_mutex);
	list_add(&bfqd->attached, &bfq_devices);
	bfq_set_detailed_statistics(bfqd);
	mutex_unlock(&bfq_devices_mutex);
}

void bfq_statistics_detach(struct bfq_data *bfqd)
{
	mutex_lock(&bfq_devices_mutex);
	list_del(&bfqd->attached);
	mutex_unlock(&bfq_devices_mutex);
}

static int bfq_add_figure(struct bfq_figures *figures, struct bfq_group *group)
{
	struct bfq_data *bfqd = group->bfqd;
	dev_t device = bfq_device_of(bfqd->queue);
	unsigned long flags;
	int error;

	bfq_lock(bfqd, flags);
	error = bfq_figures_add(figures, bfqd->core, group->id, MAJOR(device),
				MINOR(device));
	bfq_unlock(bfqd, flags);
	return error;
}

static int bfq_collect_figures(struct bfq_figures *figures, struct blkcg *blkcg)
{
	struct blkcg_gq *blkg;
	int error = 0;

	spin_lock_irq(&blkcg->lock);
	hlist_for_each_entry(blkg, &blkcg->blkg_list, blkcg_node) {
		struct bfq_group *group = bfq_group_of(blkg);

		if (group && group->bfqd)
			error = bfq_add_figure(figures, group);
		if (error)
			break;
	}
	spin_unlock_irq(&blkcg->lock);
	return error;
}

/* -ENOSPC: there are more devices. */
static int bfq_show_figures(struct seq_file *file, u32 devices)
{
	unsigned long which = seq_cft(file)->private;
	struct bfq_figures *figures = bfq_figures_new(which & ~BFQ_RECURSIVE,
						      which & BFQ_RECURSIVE,
						      devices);
	char *buffer;
	size_t size = seq_get_buf(file, &buffer), length;
	int error;

	if (!figures)
		return -ENOMEM;
	error = bfq_collect_figures(figures, css_to_blkcg(seq_css(file)));
	if (!error && size) {
		length = bfq_figures_show(figures, buffer, size);
		seq_commit(file, length < size ? length : -1);
	}
	bfq_figures_free(figures);
	return error;
}

/* The memory is allocated before the locks are taken, and more of it if need be. */
int bfq_show_statistic(struct seq_file *file, void *unused)
{
	u32 devices = 8;
	int error;

	while ((error = bfq_show_figures(file, devices)) == -ENOSPC)
		devices *= 2;
	return error;
}

int bfq_show_detailed_statistic(struct seq_file *file, void *unused)
{
	return READ_ONCE(detailed_statistics) ? bfq_show_statistic(file, unused) : 0;
}

/* A process wrote to blkio.reset_stats; the lock of the blkcg is held. */
void bfq_reset_group_statistics(struct blkg_policy_data *pd)
{
	struct bfq_group *group = container_of(pd, struct bfq_group, pd);
	struct bfq_data *bfqd = group->bfqd;
	unsigned long flags;

	if (!bfqd)
		return;
	bfq_lock(bfqd, flags);
	bfq_core_reset_group_statistics(bfqd->core, ktime_get_ns(), group->id);
	bfq_unlock(bfqd, flags);
}

#define BFQ_NO_KEY(index, name)
#define BFQ_KEY(index, name) [index] = " bfq." #name "=%llu",

/* Its part of the device's line in io.stat; the blkcg's lock or queue_lock is held. */
void bfq_show_group_statistics(struct blkg_policy_data *pd,
			       struct seq_file *file)
{
	static const char * const formats[BFQ_STATISTICS] = {
		BFQ_FOR_EACH_STATISTIC(BFQ_NO_KEY, BFQ_KEY, BFQ_KEY)
	};
	struct bfq_group *group = container_of(pd, struct bfq_group, pd);
	struct bfq_data *bfqd = group->bfqd;
	u64 figures[BFQ_STATISTICS];
	unsigned long flags;
	bool failed;
	u32 i;

	if (!bfqd || !READ_ONCE(detailed_statistics))
		return;
	bfq_lock(bfqd, flags);
	for (i = 0; i < BFQ_STATISTICS; i++)
		figures[i] = bfq_core_group_figure(bfqd->core, group->id, i);
	failed = bfq_failed(bfqd);
	bfq_unlock(bfqd, flags);
	/* A core that has failed answers nothing but zeros. */
	if (failed)
		return;
	for (i = 0; i < BFQ_STATISTICS; i++)
		if (formats[i])
			seq_printf(file, formats[i], figures[i]);
}
