/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Faults for tests, in modules built with BFQ_TESTING=y and no others.
 */
#ifndef BFQ_TESTING_H
#define BFQ_TESTING_H

#include <linux/types.h>

struct io_cq;

#ifdef BFQ_TESTING

bool bfq_testing_fails_allocation(void);
/* Asked by the core at each of its points: shall it panic here? */
bool bfq_testing_strikes(void);
/* Lets others see a new io_cq for a while before it is used. */
void bfq_testing_init_icq(struct io_cq *icq);
#define BFQ_INIT_ICQ bfq_testing_init_icq

#else

/* There is nothing to do: struct bfq_process. */
#define BFQ_INIT_ICQ NULL

static inline bool bfq_testing_fails_allocation(void)
{
	return false;
}

#endif
#endif /* BFQ_TESTING_H */
