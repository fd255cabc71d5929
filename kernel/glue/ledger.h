/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/* What memory a core has, so that it can be freed without asking the core. */
#ifndef BFQ_LEDGER_H
#define BFQ_LEDGER_H

#include <linux/rbtree.h>

/* Guarded by the lock of the device; it is not shared before and after that. */
struct bfq_ledger {
	struct rb_root entries;		/* by address */
};

struct bfq_ledger_entry {
	struct rb_node node;
	void *memory;
};

void bfq_ledger_init(struct bfq_ledger *ledger);
void bfq_ledger_add(struct bfq_ledger *ledger, struct bfq_ledger_entry *entry,
		    void *memory);
/* The entry of some memory, which is taken out; NULL: it is not in the ledger. */
struct bfq_ledger_entry *bfq_ledger_take(struct bfq_ledger *ledger,
					 const void *memory);
/* May sleep. */
void bfq_ledger_free_all(struct bfq_ledger *ledger);

#endif /* BFQ_LEDGER_H */
