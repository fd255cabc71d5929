/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * How arm64 enters the core: what the functions of guarded.S are made of.
 *
 * Arguments are in x0 to x5, the answer is in x0, or in x0 and x1; x19 to x29 are
 * kept. The stack pointer is a multiple of 16, so a word lies above a guard.
 */
#include <asm/assembler.h>

/* A core or host that is an argument, by the argument's number. */
#define FIRST	x0
#define SECOND	x1
#define THIRD	x2
#define NOBODY	xzr

/* The host, which CALL_GUARDED finds in x9. */
.macro HOST_OF core
	ldr	x9, [\core, #BFQ_CORE_HOST]
.endm

.macro HOST_IS argument
	mov	x9, \argument
.endm

.macro NO_HOST
	mov	x9, xzr
.endm

.macro BRANCH_IF_FAILED label
	ldrb	w10, [x9, #BFQ_HOST_FAILED]
	cbnz	w10, \label
.endm

.macro ANSWER value
	mov	x0, #\value
.endm

.macro RETURN
	ret
.endm

/* Bytes of the stack for a guard, and for the registers that are kept. */
#define GUARD_ROOM	48
#define KEPT_ROOM	96

.macro RESTORE_KEPT
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	x29, x30, [sp], #KEPT_ROOM
.endm

/*
 * Calls the core under a guard; the host is in x9. From here to its end only
 * interrupts run on this processor besides.
 */
.macro CALL_GUARDED name, failure, kind
	stp	x29, x30, [sp, #-KEPT_ROOM]!
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	/* struct bfq_guard */
	sub	sp, sp, #GUARD_ROOM
	adr_this_cpu x10, bfq_guard, x11
	ldr	x11, [x10]
	stp	x11, x9, [sp]
	mov	x11, #(\kind)
	adrp	x12, .Lname_\name
	add	x12, x12, :lo12:.Lname_\name
	stp	x11, x12, [sp, #16]
	mov	x11, #\failure
	str	x11, [sp, #BFQ_GUARD_FAILURE]
	mov	x11, sp
	str	x11, [x10]
	bl	unguarded_\name
	adr_this_cpu x10, bfq_guard, x11
	ldr	x11, [sp]
	str	x11, [x10]
	add	sp, sp, #GUARD_ROOM
	RESTORE_KEPT
.endm

/* Keeps the caller on its processor, alone; the arguments stay where they are. */
.macro PIN
	stp	x29, x30, [sp, #-64]!
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	bl	bfq_guard_pin
	ldp	x4, x5, [sp, #48]
	ldp	x2, x3, [sp, #32]
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #64
.endm

/* The end of that; the answer stays where it is. */
.macro UNPIN
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	stp	x0, x1, [sp, #16]
	bl	bfq_guard_unpin
	ldp	x0, x1, [sp, #16]
	ldp	x29, x30, [sp], #32
.endm

/*
 * Tells of the panic, and goes back to the caller of the function whose guard that
 * answers with.
 */
.macro PANIC
	stp	x29, x30, [sp, #-16]!
	mov	x29, sp
	bl	bfq_core_panicked
	b	bfq_guard_return
.endm

/*
 * Goes back to the caller of the function whose guard is in x0. What is below the
 * stack pointer an interrupt may overwrite, so the answer is read before it is moved.
 */
.macro GUARD_RETURN
	add	x9, x0, #GUARD_ROOM
	ldr	x0, [x0, #BFQ_GUARD_FAILURE]
	mov	sp, x9
	RESTORE_KEPT
	RETURN
.endm
