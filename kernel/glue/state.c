// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * /sys/kernel/debug/bfq/DEVICE/state: "serving", or where and why the core failed.
 */
#include "bfq.h"
#include "debugfs_text.h"

#include <linux/debugfs.h>

/* The message of a panic, and a backtrace of some twenty lines. */
#define BFQ_STATE_ROOM	3072

static void bfq_describe_state(struct bfq_data *bfqd, struct bfq_text *text)
{
	unsigned long flags;
	char line[256];
	bool failed;
	u32 i;

	/* Under the lock a failure is noted as a whole; it does not change any more. */
	bfq_lock(bfqd, flags);
	failed = bfq_failed(bfqd);
	bfq_unlock(bfqd, flags);
	if (!failed) {
		bfq_add_line(text, "serving");
		return;
	}
	for (i = 0; bfq_failure_line(&bfqd->host, i, line, sizeof(line)); i++)
		bfq_add_line(text, "%s", line);
}

BFQ_TEXT_FILE(bfq_state, BFQ_STATE_ROOM, bfq_describe_state);

void bfq_state_attach(struct bfq_data *bfqd, struct dentry *directory)
{
	debugfs_create_file_unsafe("state", 0400, directory, bfqd,
				   &bfq_state_file);
}
