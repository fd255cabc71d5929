// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * A panic of the core: what is noted of it, who is told, and where the caller goes
 * on.
 *
 * All of it happens wherever the core was called, under the device's lock and in
 * interrupts. So nothing is printed there, but by a worker.
 */
#include "guard.h"

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

DEFINE_PER_CPU(struct bfq_guard *, bfq_guard);

static_assert(offsetof(struct bfq_core, host) == BFQ_CORE_HOST);
static_assert(offsetof(struct bfq_host, failed) == BFQ_HOST_FAILED);
static_assert(offsetof(struct bfq_guard, failure) == BFQ_GUARD_FAILURE);
static_assert(sizeof(struct bfq_guard) == BFQ_GUARD_SIZE);

/* Telling */

bool bfq_failure_line(const struct bfq_host *host, u32 line, char *text,
		      size_t size)
{
	const struct bfq_failure *failure = &host->failure;

	if (line > failure->depth)
		return false;
	if (line)
		scnprintf(text, size, "  %pB",
			  (void *)failure->trace[line - 1]);
	else
		scnprintf(text, size, "failed: panic in %s at %.*s:%u%s%.*s",
			  failure->function, (int)failure->file_length,
			  failure->file, failure->line,
			  failure->text_length ? ": " : "",
			  (int)failure->text_length, failure->text);
	return true;
}

static void bfq_report(struct work_struct *work);

/* What the core does for cgroups, devices apart; the first failure is told. */
static struct bfq_host bfq_deviceless = {
	.device = "cgroups",
	.report = __WORK_INITIALIZER(bfq_deviceless.report, bfq_report),
};

static void bfq_report(struct work_struct *work)
{
	struct bfq_host *host = container_of(work, struct bfq_host, report);
	char text[256];
	u32 line;

	for (line = 0; bfq_failure_line(host, line, text, sizeof(text)); line++)
		pr_err("bfq: %s: %s\n", host->device, text);
	if (host != &bfq_deviceless)
		pr_err("bfq: %s: from now on first in, first out; choose the elevator again to have it scheduled\n",
		       host->device);
}

static void bfq_tell_wrong_free(struct work_struct *work)
{
	const struct bfq_host *host =
		container_of(work, struct bfq_host, report_wrong_free);

	pr_err("bfq: %s: the core freed memory that it never had; it is left as it is\n",
	       host->device);
}

void bfq_note_wrong_free(struct bfq_host *host)
{
	if (!xchg(&host->freed_wrongly, true))
		schedule_work(&host->report_wrong_free);
}

void bfq_host_begin(struct bfq_host *host, const char *device)
{
	strscpy(host->device, device, sizeof(host->device));
	INIT_WORK(&host->report, bfq_report);
	INIT_WORK(&host->report_wrong_free, bfq_tell_wrong_free);
	bfq_ledger_init(&host->ledger);
	bfq_reserve_init(&host->reserve);
}

void bfq_host_end(struct bfq_host *host)
{
	flush_work(&host->report);
	flush_work(&host->report_wrong_free);
	bfq_ledger_free_all(&host->ledger);
}

/* Before the module goes. */
void bfq_guard_exit(void)
{
	flush_work(&bfq_deviceless.report);
}

/* Guards */

void bfq_guard_pin(void)
{
	preempt_disable();
}

void bfq_guard_unpin(void)
{
	preempt_enable();
}

/*
 * Whether guarded.S has pinned the caller to its processor. A lock of a PREEMPT_RT
 * kernel leaves it where it was, but others may run there meanwhile.
 */
static bool bfq_guard_has_pinned(const struct bfq_guard *guard)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) || guard->kind & BFQ_GUARD_SLEEPS;
}

struct bfq_guard *bfq_guard_pause(void)
{
	struct bfq_guard *guard = this_cpu_read(bfq_guard);

	if (bfq_guard_has_pinned(guard)) {
		this_cpu_write(bfq_guard, guard->outer);
		preempt_enable();
	}
	return guard;
}

void bfq_guard_resume(struct bfq_guard *guard)
{
	if (bfq_guard_has_pinned(guard)) {
		preempt_disable();
		this_cpu_write(bfq_guard, guard);
	}
}

/*
 * The core found itself in a state that it knows to be impossible. Returns the
 * guard that guarded.S goes back to: when this function has ended there are only
 * the core's own frames above it.
 */
struct bfq_guard *bfq_core_panicked(const char *file, size_t file_length,
				    u32 line, const char *text,
				    size_t text_length)
{
	struct bfq_guard *guard = this_cpu_read(bfq_guard);
	struct bfq_host *host;

	/* There is no way into the core but by guards. */
	BUG_ON(!guard);
	host = guard->host ?: &bfq_deviceless;
	if (!xchg(&host->failed, true)) {
		host->failure = (struct bfq_failure) {
			.function = guard->function,
			.file = file,
			.text = text,
			.file_length = file_length,
			.text_length = text_length,
			.line = line,
		};
#ifdef CONFIG_STACKTRACE
		host->failure.depth = stack_trace_save(host->failure.trace,
						       BFQ_FAILURE_DEPTH, 1);
#endif
		schedule_work(&host->report);
	}
	this_cpu_write(bfq_guard, guard->outer);
	if (bfq_guard_has_pinned(guard))
		preempt_enable();
	return guard;
}
