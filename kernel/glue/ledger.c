// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What memory a core has.
 *
 * A core is never taken apart by its own code: when its device is detached all
 * that is in its ledger is freed. It does not matter then whether it is alive, or
 * died half-way through a change. The entries lie beside what they are about, not
 * in front of it, for the tables of the core have the sizes that are allocated best.
 */
#include "ledger.h"

#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/slab.h>

static struct hlist_head *bfq_ledger_head(struct bfq_ledger *ledger,
					  const void *memory)
{
	return &ledger->heads[hash_ptr(memory, BFQ_LEDGER_BITS)];
}

void bfq_ledger_init(struct bfq_ledger *ledger)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ledger->heads); i++)
		INIT_HLIST_HEAD(&ledger->heads[i]);
}

void bfq_ledger_add(struct bfq_ledger *ledger, struct bfq_ledger_entry *entry,
		    void *memory)
{
	entry->memory = memory;
	hlist_add_head(&entry->node, bfq_ledger_head(ledger, memory));
}

struct bfq_ledger_entry *bfq_ledger_take(struct bfq_ledger *ledger,
					 const void *memory)
{
	struct bfq_ledger_entry *entry;

	hlist_for_each_entry(entry, bfq_ledger_head(ledger, memory), node)
		if (entry->memory == memory) {
			hlist_del(&entry->node);
			return entry;
		}
	return NULL;
}

void bfq_ledger_free_all(struct bfq_ledger *ledger)
{
	struct bfq_ledger_entry *entry;
	struct hlist_node *next;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ledger->heads); i++)
		hlist_for_each_entry_safe(entry, next, &ledger->heads[i], node) {
			hlist_del(&entry->node);
			kvfree(entry->memory);
			kfree(entry);
		}
}
