// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * /sys/kernel/debug/bfq/DEVICE/fallbacks: what was not scheduled as it should be.
 *
 *   shared   requests that went to the queue that is shared, as there was no memory
 *            for one of their process's own
 *   nobody   requests that went there because their process could not be told of
 *   strays   requests that the core did not take: there was no memory for their
 *            number. (A request without sectors, as of a zone that is reset, is none.)
 *
 * What there is to read is put together when the file is opened. It may be read when
 * the elevator is gone, so nobody who reads is waited for.
 */
#include "bfq.h"

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>

struct bfq_fallbacks {
	size_t length;
	char text[96];
};

static int bfq_fallbacks_open(struct inode *inode, struct file *file)
{
	struct bfq_data *bfqd = inode->i_private;
	struct bfq_fallbacks *shown = kzalloc(sizeof(*shown), GFP_NOIO);
	u64 shared, nobody, strays;
	unsigned long flags;

	if (!shown)
		return -ENOMEM;
	bfq_lock(bfqd, flags);
	nobody = bfq_core_requests_of_nobody(bfqd->core);
	shared = bfqd->core->shared - nobody;
	strays = bfqd->strayed;
	bfq_unlock(bfqd, flags);
	shown->length = scnprintf(shown->text, sizeof(shown->text),
				  "shared %llu\nnobody %llu\nstrays %llu\n",
				  shared, nobody, strays);
	file->private_data = shown;
	return nonseekable_open(inode, file);
}

static int bfq_fallbacks_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static ssize_t bfq_fallbacks_read(struct file *file, char __user *buffer,
				  size_t count, loff_t *position)
{
	struct bfq_fallbacks *shown = file->private_data;

	return simple_read_from_buffer(buffer, count, position, shown->text,
				       shown->length);
}

static const struct file_operations bfq_fallbacks_file = {
	.owner = THIS_MODULE,
	.open = bfq_fallbacks_open,
	.release = bfq_fallbacks_release,
	.read = bfq_fallbacks_read,
};

void bfq_fallbacks_attach(struct bfq_data *bfqd, struct dentry *directory)
{
	debugfs_create_file_unsafe("fallbacks", 0400, directory, bfqd,
				   &bfq_fallbacks_file);
}

/* Called without the lock. */
void bfq_tell_fallback(const struct bfq_data *bfqd)
{
	const char *device = bfqd->queue->disk->disk_name;

	pr_warn_ratelimited("bfq: %s: no memory to schedule some requests as they should be; how many is in debugfs, bfq/%s/fallbacks\n",
			    device, device);
}
