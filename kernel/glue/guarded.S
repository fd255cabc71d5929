/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The functions of the core as the glue calls them. The core's own have unguarded_
 * before their names (scripts/link-core); nobody else calls these.
 *
 * Each function here keeps what a caller wants to find unchanged, says so in the
 * processor's bfq_guard and calls the core's. Up to six arguments pass through in
 * their registers; a seventh would lie on the stack, where it is not found any more:
 * a test of kernel/core counts them.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>
#include <asm/frame.h>
#include <asm/percpu.h>

#include "guard.h"

/*
 * Calls the core under a guard; the host is in rax. From here to its end nobody
 * else runs on this processor but interrupts.
 */
.macro CALL_GUARDED name, failure, kind
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	/* struct bfq_guard, from its end */
	pushq	$\failure
	pushq	$.Lname_\name
	pushq	$\kind
	pushq	%rax
	pushq	PER_CPU_VAR(bfq_guard)
	movq	%rsp, PER_CPU_VAR(bfq_guard)
	call	unguarded_\name
	popq	PER_CPU_VAR(bfq_guard)
	addq	$(BFQ_GUARD_SIZE - 8), %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
.endm

.macro NAME name
	.pushsection .rodata.str1.1, "aMS", @progbits, 1
.Lname_\name:
	.asciz "\name"
	.popsection
.endm

/* Keeps the caller on its processor, alone; the arguments stay where they are. */
.macro PIN
	FRAME_BEGIN
	pushq	%rdi
	pushq	%rsi
	pushq	%rdx
	pushq	%rcx
	pushq	%r8
	pushq	%r9
	call	bfq_guard_pin
	popq	%r9
	popq	%r8
	popq	%rcx
	popq	%rdx
	popq	%rsi
	popq	%rdi
	FRAME_END
.endm

/* The end of that; the answer stays where it is, or both halves of it. */
.macro UNPIN
	FRAME_BEGIN
	pushq	%rax
	pushq	%rdx
	call	bfq_guard_unpin
	popq	%rdx
	popq	%rax
	FRAME_END
.endm

/* A spinlock of a PREEMPT_RT kernel does not keep others from this processor. */
.macro PIN_UNDER_LOCK
#ifdef CONFIG_PREEMPT_RT
	PIN
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
.macro GUARDED name, failure, core=%rdi, kind=BFQ_GUARD_OWNS
NAME \name
SYM_FUNC_START(\name)
	movq	BFQ_CORE_HOST(\core), %rax
	cmpb	$0, BFQ_HOST_FAILED(%rax)
	jne	.Lfailed_\name
	PIN_UNDER_LOCK
#ifdef CONFIG_PREEMPT_RT
	movq	BFQ_CORE_HOST(\core), %rax
#endif
	CALL_GUARDED \name, \failure, \kind
	UNPIN_UNDER_LOCK
	RET
.Lfailed_\name:
	movq	$\failure, %rax
	RET
SYM_FUNC_END(\name)
.endm

/* A function that has to do with no device, called under a lock of the kernel's. */
.macro GUARDED_ALONE name, failure
NAME \name
SYM_FUNC_START(\name)
	PIN_UNDER_LOCK
	xorl	%eax, %eax
	CALL_GUARDED \name, \failure, 0
	UNPIN_UNDER_LOCK
	RET
SYM_FUNC_END(\name)
.endm

/* A function whose callers may sleep; the host is \host, or 0. */
.macro GUARDED_SLEEPING name, failure, host=$0, kind=0
NAME \name
SYM_FUNC_START(\name)
	PIN
	movq	\host, %rax
	CALL_GUARDED \name, \failure, (\kind | BFQ_GUARD_SLEEPS)
	UNPIN
	RET
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

GUARDED_SLEEPING bfq_core_new, NO, host=%rdx, kind=BFQ_GUARD_OWNS
GUARDED bfq_core_set_nr_requests, FAILED

GUARDED bfq_core_reserve_requests, NO_MEMORY
GUARDED bfq_core_next_pieces, NO
GUARDED bfq_core_request_pieces, NO
GUARDED bfq_core_requests_of_nobody, NO
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
GUARDED bfq_figures_add, NO, core=%rsi, kind=0
GUARDED_SLEEPING bfq_figures_new, NO
GUARDED_SLEEPING bfq_figures_free, NO
GUARDED_SLEEPING bfq_figures_show, NO

GUARDED_SLEEPING bfq_weights_new, NO
GUARDED_SLEEPING bfq_weights_free, NO
GUARDED_SLEEPING bfq_weights_parse, FAILED
GUARDED_ALONE bfq_weights_room_for, NO
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
	FRAME_BEGIN
	call	bfq_core_panicked
	movq	%rax, %rdi
	call	bfq_guard_return
	FRAME_END
	RET
SYM_FUNC_END(bfq_panic)

/* Goes back to the caller of the function whose guard is in rdi. */
SYM_FUNC_START_LOCAL(bfq_guard_return)
	movq	BFQ_GUARD_FAILURE(%rdi), %rax
	leaq	BFQ_GUARD_SIZE(%rdi), %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	RET
SYM_FUNC_END(bfq_guard_return)
STACK_FRAME_NON_STANDARD bfq_guard_return
