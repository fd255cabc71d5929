// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The elevators: one for each policy of BFQ_FOR_EACH_POLICY (bfq_core.h), by its name.
 * They differ in the policy that the core is made with, and in the files of sysfs.
 */
#include "bfq.h"
#include "testing.h"

#include <linux/module.h>

#define BFQ_OPS {						\
	.init_sched		= bfq_init_sched,		\
	.exit_sched		= bfq_exit_sched,		\
	.init_hctx		= bfq_init_hctx,		\
	.depth_updated		= bfq_depth_updated,		\
	.init_icq		= BFQ_INIT_ICQ,			\
	.exit_icq		= bfq_exit_icq,			\
	.limit_depth		= bfq_limit_depth,		\
	.prepare_request	= bfq_prepare_request,		\
	.finish_request		= bfq_finish_request,		\
	.bio_merge		= bfq_bio_merge,		\
	.request_merge		= bfq_request_merge,		\
	.request_merged		= bfq_request_merged,		\
	.requests_merged	= bfq_requests_merged,		\
	.allow_merge		= bfq_allow_merge,		\
	.former_request		= bfq_former_request,		\
	.next_request		= bfq_next_request,		\
	.insert_requests	= bfq_insert_requests,		\
	.has_work		= bfq_has_work,			\
	.dispatch_request	= bfq_dispatch_request,		\
	.completed_request	= bfq_completed_request,	\
	.requeue_request	= bfq_requeue_request,		\
}

#define BFQ_ELEVATOR(number, name)				\
	[number] = {						\
		.ops		= BFQ_OPS,			\
		.icq_size	= sizeof(struct bfq_process),	\
		.icq_align	= __alignof__(struct bfq_process), \
		.elevator_attrs	= name##_attributes,		\
		.elevator_name	= #name,			\
		.elevator_owner	= THIS_MODULE,			\
	},

static struct elevator_type bfq_elevators[] = {
	BFQ_FOR_EACH_POLICY(BFQ_ELEVATOR)
};

/* What the kernel asks for when a user wants an elevator that is not there. */
#define BFQ_ALIAS(number, name) MODULE_ALIAS(#name "-iosched");
BFQ_FOR_EACH_POLICY(BFQ_ALIAS)

/* The policy of an elevator. */
enum bfq_policy_number bfq_policy_of(const struct elevator_type *type)
{
	return type - bfq_elevators;
}

/* How many of them are registered, from the first one on. */
static unsigned int bfq_registered;

/*
 * As soon as one is registered a disk may have it, so it is not taken back if a later one
 * cannot be registered: that one is missing, and the kernel log says so.
 */
int bfq_register_elevators(void)
{
	struct elevator_type *type;
	int error;

	while (bfq_registered < BFQ_POLICIES) {
		type = &bfq_elevators[bfq_registered];
		error = elv_register(type);
		if (error && !bfq_registered)
			return error;
		if (error) {
			pr_warn("bfq: there is no elevator %s: error %d\n",
				type->elevator_name, error);
			return 0;
		}
		bfq_registered++;
	}
	return 0;
}

void bfq_unregister_elevators(void)
{
	while (bfq_registered)
		elv_unregister(&bfq_elevators[--bfq_registered]);
}
