// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * /sys/kernel/debug/bfq/DEVICE/fallbacks: what was not scheduled as it should be.
 *
 *   shared   requests that went to the queue that is shared, as there was no memory
 *            for one of their process's own
 *   nobody   requests that went there because their process could not be told of
 *   strays   requests that the core was not told of: there was no memory for their
 *            number. (A request without sectors, as of a zone that is reset, is none.)
 *   refused  requests that the core did not take although it should have: a fault of
 *            this module, whose rules for what it may tell the core were broken
 */
#include "bfq.h"
#include "debugfs_text.h"

#include <linux/debugfs.h>
#include <linux/ratelimit.h>

/* Four lines of a name and a number of at most twenty digits. */
#define BFQ_FALLBACKS_ROOM	128

static void bfq_describe_fallbacks(struct bfq_data *bfqd, struct bfq_text *text)
{
	u64 shared, nobody, strays, refused;
	unsigned long flags;

	bfq_lock(bfqd, flags);
	nobody = bfqd->core->nobody;
	shared = bfqd->core->shared;
	strays = bfqd->strayed;
	refused = bfqd->refused;
	bfq_unlock(bfqd, flags);
	bfq_add_line(text, "shared %llu", shared);
	bfq_add_line(text, "nobody %llu", nobody);
	bfq_add_line(text, "strays %llu", strays);
	bfq_add_line(text, "refused %llu", refused);
}

BFQ_TEXT_FILE(bfq_fallbacks, BFQ_FALLBACKS_ROOM, bfq_describe_fallbacks);

void bfq_fallbacks_attach(struct bfq_data *bfqd, struct dentry *directory)
{
	debugfs_create_file_unsafe("fallbacks", 0400, directory, bfqd,
				   &bfq_fallbacks_file);
}

/* One message a device in the kernel's usual interval of five seconds. */
void bfq_limit_fallback_messages(struct bfq_data *bfqd)
{
	ratelimit_state_init(&bfqd->fallback_messages, DEFAULT_RATELIMIT_INTERVAL, 1);
	/* How many messages were left out is not told: the counters say what happened. */
	ratelimit_set_flags(&bfqd->fallback_messages, RATELIMIT_MSG_ON_RELEASE);
}

/* Called without the lock. */
void bfq_tell_fallback(struct bfq_data *bfqd, enum bfq_fallback fallback)
{
	const char *device = bfqd->queue->disk->disk_name;

	if (__ratelimit(&bfqd->fallback_messages))
		pr_warn("bfq: %s: %s; see bfq/%s/fallbacks\n", device,
			fallback == BFQ_NO_MEMORY ?
				"no memory to schedule all requests" :
				"the core refused requests, a fault of the module",
			device);
}
