/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Faults for tests, in modules built with BFQ_TESTING=y and no others.
 */
#ifndef BFQ_TESTING_H
#define BFQ_TESTING_H

#include <linux/types.h>

#ifdef BFQ_TESTING

bool bfq_testing_fails_allocation(void);
/* Asked by the core at each of its points: shall it panic here? */
bool bfq_testing_strikes(void);

#else

static inline bool bfq_testing_fails_allocation(void)
{
	return false;
}

#endif
#endif /* BFQ_TESTING_H */
