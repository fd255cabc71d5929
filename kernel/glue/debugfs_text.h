/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Files of debugfs that hold a few lines about a device. */
#ifndef BFQ_DEBUGFS_TEXT_H
#define BFQ_DEBUGFS_TEXT_H

#include <linux/compiler_attributes.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/types.h>

struct bfq_data;
struct bfq_text;

/* What there is no room for is cut off. */
__printf(2, 3) void bfq_add_line(struct bfq_text *text, const char *format, ...);

int bfq_text_open(struct inode *inode, struct file *file, size_t room,
		  void (*describe)(struct bfq_data *bfqd, struct bfq_text *text));
int bfq_text_release(struct inode *inode, struct file *file);
ssize_t bfq_text_read(struct file *file, char __user *buffer, size_t count,
		      loff_t *position);

/*
 * Defines NAME_file, the operations of a file that describe() writes.
 * text_room: bytes of all its lines.
 */
#define BFQ_TEXT_FILE(name, text_room, describe)				\
	static int name##_open(struct inode *inode, struct file *file)		\
	{									\
		return bfq_text_open(inode, file, text_room, describe);		\
	}									\
	static const struct file_operations name##_file = {			\
		.owner = THIS_MODULE,						\
		.open = name##_open,						\
		.release = bfq_text_release,					\
		.read = bfq_text_read,						\
	}

#endif /* BFQ_DEBUGFS_TEXT_H */
