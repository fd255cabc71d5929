/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * How x86-64 enters the core: what the functions of guarded.S are made of.
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

/* The host, which CALL_GUARDED finds in rax. */
.macro HOST_OF core
	movq	BFQ_CORE_HOST(\core), %rax
.endm

.macro HOST_IS argument
	movq	\argument, %rax
.endm

.macro NO_HOST
	xorl	%eax, %eax
.endm

.macro BRANCH_IF_FAILED label
	cmpb	$0, BFQ_HOST_FAILED(%rax)
	jne	\label
.endm

.macro ANSWER value
	movq	$\value, %rax
.endm

.macro RETURN
	RET
.endm

/*
 * Calls the core under a guard; the host is in rax. From here to its end only
 * interrupts run on this processor besides.
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
	RETURN
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
	RETURN
.endm
