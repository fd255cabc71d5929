/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What the cgroup files of the glue share: a cgroup, and its group on a device.
 */
#ifndef BFQ_CGROUP_H
#define BFQ_CGROUP_H

#include "bfq.h"

extern struct blkcg_policy bfq_policy;

/* What is kept for a cgroup, devices apart. Guarded by the lock of its blkcg. */
struct bfq_cgroup {
	struct blkcg_policy_data cpd;
	struct bfq_weights *weights;
};

/*
 * A cgroup on a device. It is in the core from pd_online_fn to pd_offline_fn, if
 * there was memory for it; bfqd says whether. Both members change under queue_lock,
 * the lock of the blkcg and that of the device, so each of these is enough to read
 * them. (Up to 6.1.187 the reader of io.stat has queue_lock only.) None of them keeps
 * the memory: that is freed when the blkg has left the list of its blkcg and nothing
 * refers to it any more.
 */
struct bfq_group {
	struct blkg_policy_data pd;
	struct bfq_data *bfqd;		/* NULL: it is not in the core, */
	u32 id;				/* and this means nothing */
};

static inline struct bfq_cgroup *bfq_cgroup_of(struct blkcg *blkcg)
{
	return container_of(blkcg_to_cpd(blkcg, &bfq_policy), struct bfq_cgroup,
			    cpd);
}

/* NULL if bfq was not the device's scheduler when that blkg came or went. */
static inline struct bfq_group *bfq_group_of(struct blkcg_gq *blkg)
{
	struct blkg_policy_data *pd = blkg_to_pd(blkg, &bfq_policy);

	return pd ? container_of(pd, struct bfq_group, pd) : NULL;
}

/* The number of a device that bfq schedules. */
static inline dev_t bfq_device_of(const struct request_queue *q)
{
	return disk_devt(q->disk);
}

/* cgroup.c */
void bfq_update_group_weight(struct bfq_group *group);

/* weights.c */
int bfq_show_weights(struct seq_file *file, void *unused);
ssize_t bfq_write_weight(struct kernfs_open_file *of, char *text, size_t length,
			 loff_t offset);

/* cgroup_statistics.c */
void bfq_statistics_attach(struct bfq_data *bfqd);
void bfq_statistics_detach(struct bfq_data *bfqd);
int bfq_show_statistic(struct seq_file *file, void *unused);
int bfq_show_detailed_statistic(struct seq_file *file, void *unused);
void bfq_reset_group_statistics(struct blkg_policy_data *pd);
void bfq_show_group_statistics(struct blkg_policy_data *pd,
			       struct seq_file *file);

/* cgroup_files.c */
extern struct cftype bfq_cgroup_files[];
extern struct cftype bfq_legacy_cgroup_files[];

/* In a file's private: the figure is for all below the cgroup, too. */
#define BFQ_RECURSIVE		(1 << 8)

/*
 * The statistics, in the order of the core's table: V for those that are always
 * kept, D for those that are kept only if wanted in detail, O for those among
 * these that do not add up.
 */
#define BFQ_FOR_EACH_STATISTIC(V, D, O)	\
	V(0, io_service_bytes)		\
	V(1, io_serviced)		\
	D(2, sectors)			\
	D(3, time)			\
	D(4, io_service_time)		\
	D(5, io_wait_time)		\
	D(6, io_merged)			\
	D(7, io_queued)			\
	O(8, avg_queue_size)		\
	O(9, group_wait_time)		\
	O(10, idle_time)		\
	O(11, empty_time)		\
	O(12, dequeue)

#endif /* BFQ_CGROUP_H */
