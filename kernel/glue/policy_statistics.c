// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * /sys/kernel/debug/bfq/DEVICE/statistics: what the policy of a device has counted, and
 * what it has learnt of the device, a line each: NAME VALUE UNIT.
 * docs/generated/statistics.md says what they mean.
 */
#include "bfq.h"
#include "debugfs_text.h"

#include <linux/debugfs.h>

/* Two names of at most 32 bytes and a number of at most twenty digits each. */
#define BFQ_STATISTICS_ROOM	(BFQ_POLICY_STATISTICS * 88)

static bool bfq_find_statistic(struct bfq_data *bfqd, u32 index,
			       struct bfq_statistic *statistic)
{
	unsigned long flags;
	bool found;

	bfq_lock(bfqd, flags);
	found = bfq_core_statistic(bfqd->core, index, statistic);
	bfq_unlock(bfqd, flags);
	return found;
}

/* The lock is taken for each of them: no text is made while it is held. */
static void bfq_describe_statistics(struct bfq_data *bfqd, struct bfq_text *text)
{
	struct bfq_statistic found;
	u32 i;

	for (i = 0; bfq_find_statistic(bfqd, i, &found); i++)
		bfq_add_line(text, "%.*s %llu %.*s", (int)found.name_length,
			     found.name, found.value, (int)found.unit_length,
			     found.unit);
}

BFQ_TEXT_FILE(bfq_policy_statistics, BFQ_STATISTICS_ROOM, bfq_describe_statistics);

void bfq_policy_statistics_attach(struct bfq_data *bfqd, struct dentry *directory)
{
	debugfs_create_file_unsafe("statistics", 0400, directory, bfqd,
				   &bfq_policy_statistics_file);
}
