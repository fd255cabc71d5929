// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * What the core takes from the kernel: memory.
 *
 * The core allocates under the device's lock when it meets a new process or
 * group, and copes if there is nothing. Small pieces are cut from blocks
 * (blocks.c), what its tables grow by is allocated before (reserve.c). While a
 * device is attached no lock is held. The guard of the call tells whether there is one, and
 * whose ledger the memory belongs to. Memory from vmalloc cannot be freed with
 * interrupts off, so a worker does it.
 */
#include <linux/kernel.h>
#include <linux/llist.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "guard.h"
#include "memory.h"
#include "testing.h"

/* Only sizes that are powers of two are aligned to themselves. */
static size_t bfq_aligned_size(size_t size, size_t align)
{
	return align > ARCH_KMALLOC_MINALIGN ?
		       roundup_pow_of_two(max(size, align)) :
		       size;
}

/* Now, if the caller may not wait. */
static void *bfq_allocate_now(const struct bfq_guard *guard, size_t size)
{
	if (guard->kind & BFQ_GUARD_SLEEPS)
		return kvmalloc(size, GFP_KERNEL);
	if (size > BFQ_LARGEST_PIECE)
		return NULL;
	return kmalloc(size, GFP_NOWAIT | __GFP_NOWARN);
}

/* The same with an entry for the ledger. */
static void *bfq_allocate_with_entry(const struct bfq_guard *guard, size_t size,
				     struct bfq_ledger_entry **entry)
{
	void *memory = NULL;

	*entry = bfq_allocate_now(guard, sizeof(**entry));
	if (*entry)
		memory = bfq_allocate_now(guard, size);
	if (!memory)
		kfree(*entry);
	return memory;
}

static void *bfq_allocate_listed(const struct bfq_guard *guard, size_t size)
{
	struct bfq_host *host = guard->host;
	struct bfq_ledger_entry *entry;
	void *memory = bfq_reserve_take(&host->reserve, size, &entry);

	if (!memory)
		memory = bfq_allocate_with_entry(guard, size, &entry);
	if (memory)
		bfq_ledger_add(&host->ledger, entry, memory);
	return memory;
}

static struct bfq_blocks *bfq_blocks_of(struct bfq_host *host, size_t align)
{
	return align > BFQ_GRAIN ? &host->lines : &host->grains;
}

/* A small piece: if there is no block to be had, one that comes by itself. */
static void *bfq_allocate_cut(const struct bfq_guard *guard, size_t size,
			      size_t align)
{
	struct bfq_blocks *blocks = bfq_blocks_of(guard->host, align);
	size_t whole = bfq_piece_size(size, align);
	void *memory = bfq_blocks_take(blocks, whole), *block;

	if (memory)
		return memory;
	block = bfq_allocate_listed(guard, BFQ_BLOCK);
	if (!block)
		return bfq_allocate_listed(guard, bfq_aligned_size(whole, align));
	bfq_blocks_add(blocks, block);
	return bfq_blocks_take(blocks, whole);
}

static void *bfq_allocate_owned(const struct bfq_guard *guard, size_t size,
				size_t align)
{
	return bfq_blocks_cut(size, align) ?
		       bfq_allocate_cut(guard, size, align) :
		       bfq_allocate_listed(guard, bfq_aligned_size(size, align));
}

void *bfq_allocate(size_t size, size_t align)
{
	struct bfq_guard *guard;
	void *memory;

	if (bfq_testing_fails_allocation())
		return NULL;
	guard = bfq_guard_pause();
	if (guard->kind & BFQ_GUARD_OWNS)
		memory = bfq_allocate_owned(guard, size, align);
	else
		memory = bfq_allocate_now(guard, bfq_aligned_size(size, align));
	bfq_guard_resume(guard);
	return memory;
}

static LLIST_HEAD(bfq_to_be_freed);

static void bfq_free_later(struct work_struct *work)
{
	struct llist_node *node, *next;

	llist_for_each_safe(node, next, llist_del_all(&bfq_to_be_freed))
		vfree(node);
}

static DECLARE_WORK(bfq_freeing, bfq_free_later);

static void bfq_deallocate_for(const struct bfq_guard *guard, void *memory)
{
	if (is_vmalloc_addr(memory) && !(guard->kind & BFQ_GUARD_SLEEPS)) {
		llist_add(memory, &bfq_to_be_freed);
		schedule_work(&bfq_freeing);
	} else {
		kvfree(memory);
	}
}

static void bfq_deallocate_owned(const struct bfq_guard *guard, void *memory,
				 size_t size, size_t align)
{
	struct bfq_ledger_entry *entry;

	if (bfq_blocks_cut(size, align)) {
		bfq_blocks_put(bfq_blocks_of(guard->host, align), memory,
			       bfq_piece_size(size, align));
		return;
	}
	entry = bfq_ledger_take(&guard->host->ledger, memory);
	/* What the core never had is not freed, but left. */
	if (likely(entry))
		bfq_deallocate_for(guard, memory);
	else
		bfq_note_wrong_free(guard->host);
	kfree(entry);
}

/* size, align: as it was asked for. */
void bfq_deallocate(void *memory, size_t size, size_t align)
{
	struct bfq_guard *guard = bfq_guard_pause();

	if (guard->kind & BFQ_GUARD_OWNS)
		bfq_deallocate_owned(guard, memory, size, align);
	else
		bfq_deallocate_for(guard, memory);
	bfq_guard_resume(guard);
}

void bfq_memory_exit(void)
{
	flush_work(&bfq_freeing);
}
