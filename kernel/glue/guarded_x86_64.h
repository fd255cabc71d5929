/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * How x86-64 enters the core: the macros of guarded.S.
 *
 * Arguments are in rdi, rsi, rdx, rcx, r8 and r9, the answer is in rax, or in rax and
 * rdx; rbx, rbp and r12 to r15 are kept.
 */
#include <linux/objtool.h>
#include <asm/asm.h>
#include <asm/frame.h>
#include <asm/percpu.h>

/* A core or host that is an argument, by the argument's number. */
#define FIRST	%rdi
#define SECOND	%rsi
#define THIRD	%rdx
#define NOBODY	$0

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
.macro GUARDED name, failure, core=FIRST, kind=BFQ_GUARD_OWNS
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
.macro GUARDED_SLEEPING name, failure, host=NOBODY, kind=0
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
 * Tells of the panic, and goes back to the caller of the function whose guard that
 * answers with.
 */
.macro PANIC
	FRAME_BEGIN
	call	bfq_core_panicked
	movq	%rax, %rdi
	call	bfq_guard_return
	FRAME_END
	RET
.endm

/* Goes back to the caller of the function whose guard is in rdi. */
.macro GUARD_RETURN
	movq	BFQ_GUARD_FAILURE(%rdi), %rax
	leaq	BFQ_GUARD_SIZE(%rdi), %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	RET
.endm
