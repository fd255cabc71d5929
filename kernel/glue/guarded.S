/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The functions of the core as the glue calls them. The core's own have unguarded_
 * before their names (scripts/link-core); only these call them.
 *
 * Each function here keeps what a caller wants to find unchanged, says so in the
 * processor's bfq_guard and calls the core's. Up to six arguments pass through in
 * their registers; a seventh would lie on the stack, where it is not found any more:
 * a test of kernel/core counts them. What each processor does for that is in
 * guarded_x86_64.h and guarded_arm64.h.
 */
#include <linux/linkage.h>

#include "guard.h"

/* The name of a function, as a guard has it. */
.macro NAME name
	.pushsection .rodata.str1.1, "aMS", %progbits, 1
.Lname_\name:
	.asciz "\name"
	.popsection
.endm

#ifdef CONFIG_X86_64
#include "guarded_x86_64.h"
#else
#include "guarded_arm64.h"
#endif

/*
 * A spinlock of a PREEMPT_RT kernel does not keep others from this processor. Pins who
 * holds one; what \host does is done again, as its outcome is lost.
 */
.macro PIN_UNDER_LOCK host:vararg
#ifdef CONFIG_PREEMPT_RT
	PIN
	\host
#endif
.endm

.macro UNPIN_UNDER_LOCK
#ifdef CONFIG_PREEMPT_RT
	UNPIN
#endif
.endm

/*
 * A function of a device's core, called with the device's lock held, which keeps
 * interrupts off. A core that has failed is not entered.
 */
.macro GUARDED name, failure, core=FIRST, kind=BFQ_GUARD_OWNS
NAME \name
SYM_FUNC_START(\name)
	HOST_OF \core
	BRANCH_IF_FAILED .Lfailed_\name
	PIN_UNDER_LOCK HOST_OF \core
	CALL_GUARDED \name, \failure, \kind
	UNPIN_UNDER_LOCK
	RETURN
.Lfailed_\name:
	ANSWER \failure
	RETURN
SYM_FUNC_END(\name)
.endm

/* A function that has to do with no device, called under a lock of the kernel's. */
.macro GUARDED_ALONE name, failure
NAME \name
SYM_FUNC_START(\name)
	PIN_UNDER_LOCK
	NO_HOST
	CALL_GUARDED \name, \failure, 0
	UNPIN_UNDER_LOCK
	RETURN
SYM_FUNC_END(\name)
.endm

/* A function whose callers may sleep; the host is \host, or there is none. */
.macro GUARDED_SLEEPING name, failure, host=NOBODY, kind=0
NAME \name
SYM_FUNC_START(\name)
	PIN
	HOST_IS \host
	CALL_GUARDED \name, \failure, (\kind | BFQ_GUARD_SLEEPS)
	UNPIN
	RETURN
SYM_FUNC_END(\name)
.endm

/*
 * Answers in place of the core when it fails: what is 0 or false is "no", what is a
 * number is BFQ_NONE.
 */
#define NO		0
#define NONE		-1
#define NO_MEMORY	-12	/* -ENOMEM */
#define FAILED		-5	/* -EIO */
#define ALL_REQUESTS	-1	/* of the pool may be used */
#define USUAL_WEIGHT	100

GUARDED_SLEEPING bfq_core_new, NO, host=THIRD, kind=BFQ_GUARD_OWNS
GUARDED bfq_core_set_nr_requests, FAILED

GUARDED bfq_core_reserve_requests, NO_MEMORY
GUARDED bfq_core_next_pieces, NO
GUARDED bfq_core_request_pieces, NO
GUARDED bfq_core_statistic, NO
GUARDED bfq_core_add_process, NONE
GUARDED bfq_core_set_process, NO
GUARDED bfq_core_move_process, NO
GUARDED bfq_core_exit_process, NO
GUARDED bfq_core_root_group, NO
GUARDED bfq_core_add_group, NONE
GUARDED bfq_core_set_group_weight, NO
GUARDED bfq_core_remove_group, NO

GUARDED bfq_core_insert, NO
GUARDED bfq_core_merge_candidates, NONE
GUARDED bfq_core_insertion_merge_candidate, NONE
GUARDED bfq_core_allows_merge, NO
GUARDED bfq_core_neighbour, NONE
GUARDED bfq_core_merged, NO
GUARDED bfq_core_coalesced, NO
GUARDED bfq_core_complete, NO
GUARDED bfq_core_requeue, NO
GUARDED bfq_core_on_timer, NO
GUARDED bfq_core_dispatch, NONE
GUARDED bfq_core_allowed_requests, ALL_REQUESTS

GUARDED bfq_core_write_tunable, FAILED
GUARDED bfq_core_read_tunable, NO

GUARDED bfq_core_record, FAILED
GUARDED bfq_core_end_record, NO
GUARDED bfq_core_is_recorded, NO
GUARDED bfq_core_record_group, NO
GUARDED bfq_core_record_process, NO

GUARDED bfq_core_set_detailed_statistics, NO
GUARDED bfq_core_reset_group_statistics, NO
GUARDED bfq_core_group_figure, NO

/* The figures are their reader's, not the core's. */
GUARDED bfq_figures_add, NO, core=SECOND, kind=0
GUARDED_SLEEPING bfq_figures_new, NO
GUARDED_SLEEPING bfq_figures_free, NO
GUARDED_SLEEPING bfq_figures_show, NO

GUARDED_SLEEPING bfq_weights_new, NO
GUARDED_SLEEPING bfq_weights_free, NO
GUARDED_SLEEPING bfq_weights_parse, FAILED
GUARDED_ALONE bfq_weights_room_for, NONE
GUARDED_SLEEPING bfq_override_room_new, NO
GUARDED_SLEEPING bfq_override_room_free, NO
GUARDED_ALONE bfq_weights_apply, FAILED
GUARDED_ALONE bfq_weights_forget, NO
GUARDED_ALONE bfq_weights_effective, USUAL_WEIGHT
GUARDED_ALONE bfq_weights_show, NO

/*
 * What the core calls when it panics. The C function has returned when the stack is
 * cut: all frames that go are the core's and this one, which leave nothing behind
 * elsewhere (no lock, no marks of a sanitizer).
 */
SYM_FUNC_START(bfq_panic)
	PANIC
SYM_FUNC_END(bfq_panic)

SYM_FUNC_START_LOCAL(bfq_guard_return)
	GUARD_RETURN
SYM_FUNC_END(bfq_guard_return)
#ifdef CONFIG_X86_64
STACK_FRAME_NON_STANDARD bfq_guard_return
#endif
