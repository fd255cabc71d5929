// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Files of debugfs that hold a few lines about a device.
 *
 * What there is to read is put together when the file is opened. It may be read when
 * the elevator is gone, so no reader is waited for.
 */
#include "debugfs_text.h"

#include <linux/fs.h>
#include <linux/slab.h>

struct bfq_text {
	size_t length, room;
	char lines[];
};

void bfq_add_line(struct bfq_text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text->length += vscnprintf(text->lines + text->length,
				   text->room - text->length, format, arguments);
	va_end(arguments);
	text->length += scnprintf(text->lines + text->length,
				  text->room - text->length, "\n");
}

int bfq_text_open(struct inode *inode, struct file *file, size_t room,
		  void (*describe)(struct bfq_data *bfqd, struct bfq_text *text))
{
	struct bfq_text *text = kzalloc(struct_size(text, lines, room), GFP_NOIO);

	if (!text)
		return -ENOMEM;
	text->room = room;
	describe(inode->i_private, text);
	file->private_data = text;
	return nonseekable_open(inode, file);
}

int bfq_text_release(struct inode *inode, struct file *file)
{
	kfree(file->private_data);
	return 0;
}

ssize_t bfq_text_read(struct file *file, char __user *buffer, size_t count,
		      loff_t *position)
{
	struct bfq_text *text = file->private_data;

	return simple_read_from_buffer(buffer, count, position, text->lines,
				       text->length);
}
