// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The files of cgroups: io.bfq.weight and one for the whole range of weights; of
 * version 1 blkio.bfq.weight, .weight_device and the statistics.
 */
#include "cgroup.h"

#define BFQ_WEIGHT_FILE(text, grammar)		\
	{					\
		.name = text,			\
		.private = grammar,		\
		.flags = CFTYPE_NOT_ON_ROOT,	\
		.seq_show = bfq_show_weights,	\
		.write = bfq_write_weight,	\
	}

#define BFQ_STATISTIC_FILE(text, which, show)	\
	{					\
		.name = "bfq." text,		\
		.private = which,		\
		.seq_show = show,		\
	},

#define BFQ_ALWAYS_KEPT(index, name)					\
	BFQ_STATISTIC_FILE(#name, index, bfq_show_statistic)		\
	BFQ_STATISTIC_FILE(#name "_recursive", index | BFQ_RECURSIVE,	\
			   bfq_show_statistic)
#define BFQ_DETAILED(index, name)					\
	BFQ_OF_GROUP_ALONE(index, name)					\
	BFQ_STATISTIC_FILE(#name "_recursive", index | BFQ_RECURSIVE,	\
			   bfq_show_detailed_statistic)
#define BFQ_OF_GROUP_ALONE(index, name)					\
	BFQ_STATISTIC_FILE(#name, index, bfq_show_detailed_statistic)

/*
 * Where the kernel has iocost, io.weight is its file, and what is written there
 * is known to no other module: the whole range then has a file of ours.
 */
#ifdef CONFIG_BLK_CGROUP_IOCOST
#define BFQ_GENERIC_WEIGHT_FILE "bfq.io_weight"
#else
#define BFQ_GENERIC_WEIGHT_FILE "weight"
#endif

struct cftype bfq_cgroup_files[] = {
	BFQ_WEIGHT_FILE("bfq.weight", BFQ_WEIGHT),
	BFQ_WEIGHT_FILE(BFQ_GENERIC_WEIGHT_FILE, BFQ_WEIGHT_GENERIC),
	{ }
};

struct cftype bfq_legacy_cgroup_files[] = {
	BFQ_WEIGHT_FILE("bfq.weight", BFQ_WEIGHT_PLAIN),
	BFQ_WEIGHT_FILE("bfq.weight_device", BFQ_WEIGHT),
	BFQ_FOR_EACH_STATISTIC(BFQ_ALWAYS_KEPT, BFQ_DETAILED, BFQ_OF_GROUP_ALONE)
	{ }
};
