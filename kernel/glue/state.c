// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * /sys/kernel/debug/bfq/DEVICE/state: "serving", or where and why the core failed.
 *
 * What there is to read is put together when the file is opened. It may be read when
 * the elevator is gone, so nobody who reads is waited for.
 */
#include "bfq.h"

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/slab.h>

struct bfq_state {
	size_t length;
	char text[3072];
};

static void bfq_add_line(struct bfq_state *state, const char *line)
{
	state->length += scnprintf(state->text + state->length,
				   sizeof(state->text) - state->length, "%s\n",
				   line);
}

static void bfq_describe(struct bfq_data *bfqd, struct bfq_state *state)
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
		bfq_add_line(state, "serving");
		return;
	}
	for (i = 0; bfq_failure_line(&bfqd->host, i, line, sizeof(line)); i++)
		bfq_add_line(state, line);
}

static int bfq_state_open(struct inode *inode, struct file *file)
{
	struct bfq_state *state = kzalloc(sizeof(*state), GFP_NOIO);

	if (!state)
		return -ENOMEM;
	bfq_describe(inode->i_private, state);
	file->private_data = state;
	return nonseekable_open(inode, file);
}

static int bfq_state_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

static ssize_t bfq_state_read(struct file *file, char __user *buffer,
			      size_t count, loff_t *position)
{
	struct bfq_state *state = file->private_data;

	return simple_read_from_buffer(buffer, count, position, state->text,
				       state->length);
}

static const struct file_operations bfq_state_file = {
	.owner = THIS_MODULE,
	.open = bfq_state_open,
	.release = bfq_state_release,
	.read = bfq_state_read,
};

void bfq_state_attach(struct bfq_data *bfqd, struct dentry *directory)
{
	debugfs_create_file_unsafe("state", 0400, directory, bfqd,
				   &bfq_state_file);
}
