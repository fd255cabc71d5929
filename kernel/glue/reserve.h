/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* Pieces of memory for a core, allocated before it asks for them: how they are taken. */
#ifndef BFQ_RESERVE_H
#define BFQ_RESERVE_H

#include <linux/list.h>
#include <linux/types.h>

#include "ledger.h"

/* Guarded by the lock of the device; it is not shared before and after that. */
struct bfq_reserve {
	struct list_head pieces;
};

void bfq_reserve_init(struct bfq_reserve *reserve);
/* A piece of that size, and its entry for the ledger; NULL: none is ready. */
void *bfq_reserve_take(struct bfq_reserve *reserve, size_t size,
		       struct bfq_ledger_entry **entry);

#endif /* BFQ_RESERVE_H */
