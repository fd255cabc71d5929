// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * /sys/kernel/debug/bfq/DEVICE/lock: how often and for how long the lock was held while
 * the module parameter count_lock was on.
 *
 *   acquisitions      how often it was taken
 *   held_ns           for how long in all, with the reading of a clock each time
 *   longest_ns        for how long at most since the file was opened before this
 *   vain_dispatches   how often a request was asked for and the core had none to give
 *
 * While it is not counted, it costs three instructions an acquisition that do nothing.
 */
#include "bfq.h"
#include "debugfs_text.h"

#include <linux/debugfs.h>
#include <linux/module.h>

/* Four lines of a name and a number of at most twenty digits. */
#define BFQ_LOCK_FIGURES_ROOM	160

DEFINE_STATIC_KEY_FALSE(bfq_counts_lock);

/* When the counting began last: a hold that began before is not counted. */
static u64 bfq_counted_since_ns;

void bfq_count_hold_begin(struct bfq_lock_figures *figures)
{
	figures->acquisitions++;
	figures->since_ns = ktime_get_ns();
}

void bfq_count_hold_end(struct bfq_lock_figures *figures)
{
	u64 held_ns;

	if (figures->since_ns < READ_ONCE(bfq_counted_since_ns))
		return;
	held_ns = ktime_get_ns() - figures->since_ns;
	figures->held_ns += held_ns;
	figures->longest_ns = max(figures->longest_ns, held_ns);
}

static void bfq_describe_lock(struct bfq_data *bfqd, struct bfq_text *text)
{
	struct bfq_lock_figures figures;
	unsigned long flags;

	bfq_lock(bfqd, flags);
	figures = bfqd->lock_figures;
	bfqd->lock_figures.longest_ns = 0;
	bfq_unlock(bfqd, flags);
	bfq_add_line(text, "acquisitions %llu", figures.acquisitions);
	bfq_add_line(text, "held_ns %llu", figures.held_ns);
	bfq_add_line(text, "longest_ns %llu", figures.longest_ns);
	bfq_add_line(text, "vain_dispatches %llu", figures.vain_dispatches);
}

BFQ_TEXT_FILE(bfq_lock_figures, BFQ_LOCK_FIGURES_ROOM, bfq_describe_lock);

void bfq_lock_figures_attach(struct bfq_data *bfqd, struct dentry *directory)
{
	debugfs_create_file_unsafe("lock", 0400, directory, bfqd,
				   &bfq_lock_figures_file);
}

static int bfq_count_lock_set(const char *text, const struct kernel_param *param)
{
	bool on;
	int error = kstrtobool(text, &on);

	if (error)
		return error;
	if (on) {
		WRITE_ONCE(bfq_counted_since_ns, ktime_get_ns());
		static_branch_enable(&bfq_counts_lock);
	} else {
		static_branch_disable(&bfq_counts_lock);
	}
	return 0;
}

static int bfq_count_lock_get(char *text, const struct kernel_param *param)
{
	return sysfs_emit(text, "%c\n",
			  static_key_enabled(&bfq_counts_lock) ? 'Y' : 'N');
}

static const struct kernel_param_ops bfq_count_lock_ops = {
	.set = bfq_count_lock_set,
	.get = bfq_count_lock_get,
};
module_param_cb(count_lock, &bfq_count_lock_ops, NULL, 0644);
MODULE_PARM_DESC(count_lock, "count how often and for how long the lock of a device is held");
