// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What memory a core has.
 *
 * A core is never taken apart by its own code: when its device is detached all
 * that is in its ledger is freed. It does not matter then whether the core
 * works, or failed half-way through a change. The entries lie beside what they
 * are about, not in front of it, for the tables of the core have the sizes that
 * are allocated best.
 */
#include "ledger.h"

#include <linux/mm.h>
#include <linux/slab.h>

static struct bfq_ledger_entry *bfq_ledger_entry(const struct rb_node *node)
{
	return rb_entry(node, struct bfq_ledger_entry, node);
}

static bool bfq_ledger_less(struct rb_node *a, const struct rb_node *b)
{
	return bfq_ledger_entry(a)->memory < bfq_ledger_entry(b)->memory;
}

static int bfq_ledger_compare(const void *memory, const struct rb_node *node)
{
	const void *other = bfq_ledger_entry(node)->memory;

	return memory < other ? -1 : memory > other;
}

void bfq_ledger_init(struct bfq_ledger *ledger)
{
	ledger->entries = RB_ROOT;
}

void bfq_ledger_add(struct bfq_ledger *ledger, struct bfq_ledger_entry *entry,
		    void *memory)
{
	entry->memory = memory;
	rb_add(&entry->node, &ledger->entries, bfq_ledger_less);
}

struct bfq_ledger_entry *bfq_ledger_take(struct bfq_ledger *ledger,
					 const void *memory)
{
	struct rb_node *node =
		rb_find(memory, &ledger->entries, bfq_ledger_compare);

	if (!node)
		return NULL;
	rb_erase(node, &ledger->entries);
	return bfq_ledger_entry(node);
}

void bfq_ledger_free_all(struct bfq_ledger *ledger)
{
	struct bfq_ledger_entry *entry, *next;

	rbtree_postorder_for_each_entry_safe(entry, next, &ledger->entries,
					     node) {
		kvfree(entry->memory);
		kfree(entry);
	}
	ledger->entries = RB_ROOT;
}
