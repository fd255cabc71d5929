// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Groups.
 */
#include "bfq.h"

int bfq_cgroup_register(void)
{
	return 0;
}

void bfq_cgroup_unregister(void)
{
}

int bfq_cgroup_attach(struct bfq_data *bfqd)
{
	bfqd->root_group = bfq_core_root_group(bfqd->core);
	return 0;
}

void bfq_cgroup_detach(struct bfq_data *bfqd)
{
}

u32 bfq_group_of_bio(struct bfq_data *bfqd, const struct bio *bio)
{
	return bfqd->root_group;
}
