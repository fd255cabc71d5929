// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * verified DISK ROUND JOB...: writes blocks of 4 KiB and reads them back, each job in a process of
 * its own, all at once; fails if a block is not what was written to it in this round. It repeats
 * until its standard input ends, and prints how many blocks were written and read in all.
 *
 * A job is FIRST:BLOCKS:DEPTH:BATCH:PAUSE_MS[:GROUP...]: from block FIRST on, DEPTH of them in
 * flight at a time, BATCH with each call, with a pause before each block; of each four the third
 * comes before the second. Submitted one by one, the second joins two that wait. With one call, the
 * kernel joins it and the fourth to the third, and what comes of that continues the first, which
 * waits when it is inserted. The job moves to the next group, a folder, for each block, and does no
 * other I/O to a disk.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define BLOCK 4096
#define MOST_GROUPS 4
#define MOST_DEPTH 64
#define MOST_BATCH 4

struct job {
	unsigned first, blocks, depth, batch, pause_ms, groups;
	int group[MOST_GROUPS];		/* their cgroup.procs */
};

static int disk;
static uint64_t round_number;
static unsigned long *blocks;		/* shared by all jobs */
static aio_context_t context;
static char buffers[MOST_DEPTH][BLOCK] __attribute__((aligned(BLOCK)));

static void fail(const char *what, unsigned block)
{
	fprintf(stderr, "verified: block %u: %s: %s\n", block, what, strerror(errno));
	exit(1);
}

/* What a block holds: each word tells which one it is, of what round. */
static uint64_t word(unsigned block, unsigned at)
{
	return round_number << 40 | (uint64_t)block << 12 | at;
}

static void fill(uint64_t *words, unsigned block)
{
	for (unsigned at = 0; at < BLOCK / sizeof(*words); at++)
		words[at] = word(block, at);
}

static void check(const uint64_t *words, unsigned block)
{
	for (unsigned at = 0; at < BLOCK / sizeof(*words); at++)
		if (words[at] != word(block, at)) {
			fprintf(stderr, "verified: block %u, word %u: %#lx instead of %#lx\n", block,
				at, words[at], word(block, at));
			exit(1);
		}
}

/* Of each four the second and the third change places. */
static unsigned nth_block(const struct job *job, unsigned n)
{
	unsigned exchanged = (n & ~3u) | (n & 1) << 1 | (n & 2) >> 1;

	return job->first + (exchanged < job->blocks ? exchanged : n);
}

/* The NUMBERth block of the job as a request, in a buffer of its own. */
static struct iocb prepared(const struct job *job, unsigned number, unsigned slot, int operation)
{
	unsigned block = nth_block(job, number);

	if (job->groups && write(job->group[number % job->groups], "0", 1) != 1)
		fail("its group", block);
	usleep(job->pause_ms * 1000);
	if (operation == IOCB_CMD_PWRITE)
		fill((uint64_t *)buffers[slot], block);
	return (struct iocb){
		.aio_data = (uint64_t)number << 32 | slot,
		.aio_lio_opcode = operation,
		.aio_fildes = disk,
		.aio_buf = (uintptr_t)buffers[slot],
		.aio_nbytes = BLOCK,
		.aio_offset = (int64_t)block * BLOCK,
	};
}

static void submit(struct iocb *batch, unsigned count)
{
	struct iocb *requests[MOST_BATCH];
	unsigned done = 0;
	long got;

	for (unsigned i = 0; i < count; i++)
		requests[i] = &batch[i];
	while (done < count) {
		got = syscall(SYS_io_submit, context, count - done, requests + done);
		if (got < 1)
			fail("submit", batch[done].aio_offset / BLOCK);
		done += got;
	}
}

/* Waits for one block and returns the slot that is free then. */
static unsigned wait_for_one(const struct job *job, int operation)
{
	struct io_event event;
	unsigned slot, block;
	long got;

	do
		got = syscall(SYS_io_getevents, context, 1, 1, &event, NULL);
	while (got < 0 && errno == EINTR);
	slot = event.data & UINT32_MAX;
	block = nth_block(job, event.data >> 32);
	if (got != 1 || event.res != BLOCK)
		fail(operation == IOCB_CMD_PREAD ? "read" : "write", block);
	if (operation == IOCB_CMD_PREAD)
		check((uint64_t *)buffers[slot], block);
	return slot;
}

static void pass(const struct job *job, int operation)
{
	struct iocb batch[MOST_BATCH];
	unsigned slot, number, count = 0;

	for (number = 0; number < job->blocks; number++) {
		slot = number < job->depth ? number : wait_for_one(job, operation);
		batch[count++] = prepared(job, number, slot, operation);
		if (count == job->batch || number + 1 == job->blocks) {
			submit(batch, count);
			count = 0;
		}
	}
	for (number = 0; number < job->depth && number < job->blocks; number++)
		wait_for_one(job, operation);
}

static int is_over(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };

	return poll(&input, 1, 0) != 0;
}

static int run(struct job *job)
{
	if (job->depth > MOST_DEPTH || job->batch > MOST_BATCH || job->batch > job->depth ||
	    job->batch == 0 || syscall(SYS_io_setup, MOST_DEPTH, &context) < 0)
		fail("setup", job->first);
	do {
		pass(job, IOCB_CMD_PWRITE);
		pass(job, IOCB_CMD_PREAD);
		__sync_fetch_and_add(blocks, job->blocks);
	} while (!is_over());
	return 0;
}

static struct job parse(char *text)
{
	struct job job = {0};
	char path[256], *folder;
	int used;

	if (sscanf(text, "%u:%u:%u:%u:%u%n", &job.first, &job.blocks, &job.depth, &job.batch,
		   &job.pause_ms, &used) != 5)
		fail(text, 0);
	for (folder = strtok(text + used, ":"); folder; folder = strtok(NULL, ":")) {
		snprintf(path, sizeof(path), "%s/cgroup.procs", folder);
		if (job.groups == MOST_GROUPS)
			fail("too many groups", job.first);
		job.group[job.groups] = open(path, O_WRONLY);
		if (job.group[job.groups++] < 0)
			fail(path, job.first);
	}
	return job;
}

int main(int argc, char **argv)
{
	int status, failed = 0;

	if (argc < 4)
		return 2;
	disk = open(argv[1], O_RDWR | O_DIRECT);
	round_number = strtoull(argv[2], NULL, 10);
	blocks = mmap(NULL, sizeof(*blocks), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (disk < 0 || blocks == MAP_FAILED)
		fail(argv[1], 0);
	for (int i = 3; i < argc; i++) {
		struct job job = parse(argv[i]);

		if (!fork())
			_exit(run(&job));
	}
	while (wait(&status) > 0)
		failed |= status;
	printf("%lu\n", *blocks);
	return failed != 0;
}
