/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * What becomes of a device when its core finds that it is wrong.
 *
 * Every function of the core is called through a guard (guarded.S): the registers
 * that a function has to keep are on the stack, and the processor's bfq_guard says
 * where. If the core panics, its caller goes on from there with an answer that
 * does no harm, and the core is never entered again. docs/kernel-internals.md
 * ("A panic of the core") tells why that is sound.
 */
#ifndef BFQ_GUARD_H
#define BFQ_GUARD_H

/* Kinds of guards. */
#define BFQ_GUARD_SLEEPS	1	/* its callers may sleep, and memory may be waited for */
#define BFQ_GUARD_OWNS		2	/* memory goes to the ledger of the host */

/* Where guarded.S finds things; guard.c checks it. */
#define BFQ_CORE_HOST		8
#define BFQ_HOST_FAILED		0
#define BFQ_GUARD_FAILURE	32
#define BFQ_GUARD_SIZE		40

#ifndef __ASSEMBLY__

#include <linux/percpu.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "bfq_core.h"
#include "blocks.h"
#include "ledger.h"
#include "reserve.h"

/* What guarded.S pushes; the kept registers lie above, none of C's business. */
struct bfq_guard {
	struct bfq_guard *outer;	/* of who is interrupted */
	struct bfq_host *host;		/* NULL: the call is for no device */
	u64 kind;
	const char *function;		/* which one of the core is called */
	u64 failure;			/* what it answers if it fails */
};

/* The guard of the call that is going on. Interrupted or not, it cannot be preempted. */
DECLARE_PER_CPU(struct bfq_guard *, bfq_guard);

#define BFQ_FAILURE_DEPTH 24

/* Where and why a core failed. Pointers are to constants of the module. */
struct bfq_failure {
	const char *function;
	const char *file;
	const char *text;
	u32 file_length;
	u32 text_length;		/* 0: it had nothing to say */
	u32 line;
	u32 depth;
	unsigned long trace[BFQ_FAILURE_DEPTH];
};

/* What the glue keeps for a core. */
struct bfq_host {
	bool failed;			/* the core is dead: its functions do nothing */
	bool fallen_back;		/* fallback.c has seen that */
	char device[BFQ_DEVICE_NAME];
	struct bfq_failure failure;	/* if failed */
	struct bfq_ledger ledger;	/* the core's memory, blocks included */
	struct bfq_blocks grains;	/* pieces aligned to a grain */
	struct bfq_blocks lines;	/* to a cache line */
	struct bfq_reserve reserve;
	struct work_struct report;
	bool freed_wrongly;		/* what the ledger does not know */
	struct work_struct report_wrong_free;
};

void bfq_host_begin(struct bfq_host *host, const char *device);
/* The core will not be used any more. */
void bfq_host_end(struct bfq_host *host);

/*
 * The core wants something that may sleep, if its caller may: between these two it
 * is as if it were not entered.
 */
struct bfq_guard *bfq_guard_pause(void);
void bfq_guard_resume(struct bfq_guard *guard);

/* The core wanted memory freed that it never had: a message is logged, the first time. */
void bfq_note_wrong_free(struct bfq_host *host);

/* What is known of a failure, as lines of text, one a call: false behind the last. */
bool bfq_failure_line(const struct bfq_host *host, u32 line, char *text,
		      size_t size);

/* Called by guarded.S. */
void bfq_guard_pin(void);
void bfq_guard_unpin(void);
struct bfq_guard *bfq_core_panicked(const char *file, size_t file_length,
				    u32 line, const char *text,
				    size_t text_length);

/* In guarded.S: what the core calls when it panics. It does not return. */
void bfq_panic(const char *file, size_t file_length, u32 line,
	       const char *text, size_t text_length);

void bfq_guard_exit(void);

#endif /* __ASSEMBLY__ */
#endif /* BFQ_GUARD_H */
