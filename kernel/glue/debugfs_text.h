/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Files of debugfs that hold a few lines about a device. */
#ifndef BFQ_DEBUGFS_TEXT_H
#define BFQ_DEBUGFS_TEXT_H

#include <linux/compiler_attributes.h>
#include <linux/types.h>

struct bfq_data;
struct bfq_text;
struct file;
struct inode;

/* What there is no room for is cut off. */
__printf(2, 3) void bfq_add_line(struct bfq_text *text, const char *format, ...);

/* To be called by a file's open(); room: bytes of all lines. */
int bfq_text_open(struct inode *inode, struct file *file, size_t room,
		  void (*describe)(struct bfq_data *bfqd, struct bfq_text *text));
int bfq_text_release(struct inode *inode, struct file *file);
ssize_t bfq_text_read(struct file *file, char __user *buffer, size_t count,
		      loff_t *position);

#endif /* BFQ_DEBUGFS_TEXT_H */
