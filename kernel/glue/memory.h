/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What the core calls; see kernel/core/src/runtime.rs. */
#ifndef BFQ_MEMORY_H
#define BFQ_MEMORY_H

#include <linux/types.h>

#include "blocks.h"

void *bfq_allocate(size_t size, size_t align);
void bfq_deallocate(void *memory, size_t size, size_t align);

/* The most that kmalloc() is asked for under a lock. */
#define BFQ_LARGEST_PIECE	(64 << 10)

/* Before the module goes: what is still to be freed. */
void bfq_memory_exit(void);

#endif /* BFQ_MEMORY_H */
