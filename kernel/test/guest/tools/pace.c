// SPDX-License-Identifier: GPL-2.0 OR MIT
// pace DISK NAME=VALUE...: a process that does I/O at a pace of its own, and names itself in the
// kernel's trace. It uses no libraries or threads, so the trace shows only the I/O that it
// requests.
//
//   count=N      number of requests (100)
//   size_kib=N   of this size (64)
//   at_mib=N     from this place on (0), one after the other
//   random=SEED  or anywhere in the GiB from there
//   think_us=N   pause between a completion and the next request (0)
//   wait_us=N    pause before the first one (0)
//   depth=N      requests at a time (1): the next ones are submitted when all of them are done
//   class=N      class, as the kernel counts them: 1 real time, 2 best effort, 3 idle (2)
//   prio=LEVEL   level in it (4)
//   later=N:L    level L from request N on
//   group=NAME   what to call its group in the trace
//   write=1      direct writes; write=2: writes that no process waits for
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MOST_AT_ONCE 256
#define IOPRIO_CLASS_IDLE 3
#define IOPRIO_CLASS_SHIFT 13

struct pace {
	long count, size_kib, at_mib, random, think_us, wait_us, depth, class, prio, write;
	long later_from, later_prio;
	const char *group;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int take_long(const char *argument, const char *name, long *value)
{
	size_t len = strlen(name);

	if (strncmp(argument, name, len) || argument[len] != '=')
		return 0;
	*value = atol(argument + len + 1);
	return 1;
}

static int take(struct pace *pace, const char *argument)
{
	if (!strncmp(argument, "group=", 6)) {
		pace->group = argument + 6;
		return 1;
	}
	if (!strncmp(argument, "later=", 6))
		return sscanf(argument + 6, "%ld:%ld", &pace->later_from, &pace->later_prio) == 2;
	return take_long(argument, "count", &pace->count) ||
	       take_long(argument, "size_kib", &pace->size_kib) ||
	       take_long(argument, "at_mib", &pace->at_mib) ||
	       take_long(argument, "random", &pace->random) ||
	       take_long(argument, "think_us", &pace->think_us) ||
	       take_long(argument, "wait_us", &pace->wait_us) ||
	       take_long(argument, "depth", &pace->depth) ||
	       take_long(argument, "class", &pace->class) ||
	       take_long(argument, "prio", &pace->prio) ||
	       take_long(argument, "write", &pace->write);
}

static void set_prio(const struct pace *pace, long level)
{
	if (syscall(SYS_ioprio_set, 1, 0, pace->class << IOPRIO_CLASS_SHIFT | level))
		die("ioprio_set");
}

static void introduce(const struct pace *pace)
{
	static const char *const classes[] = { "", "rt", "be" };
	char text[100];
	int fd = open("/sys/kernel/debug/tracing/trace_marker", O_WRONLY);
	int len;

	if (pace->class == IOPRIO_CLASS_IDLE)
		len = snprintf(text, sizeof(text), "process idle %s", pace->group);
	else
		len = snprintf(text, sizeof(text), "process %s%ld %s", classes[pace->class],
			       pace->prio, pace->group);
	if (fd < 0 || write(fd, text, len) != len)
		die("trace_marker");
	close(fd);
}

static long long offset_of(const struct pace *pace, long number)
{
	long long base = (long long)pace->at_mib << 20, size = pace->size_kib << 10;
	unsigned long long mixed;

	if (!pace->random)
		return base + number * size;
	mixed = (number + pace->random * 1000003ULL) * 0x9e3779b97f4a7c15ULL;
	return base + (long long)((mixed >> 40) % ((1 << 20) / pace->size_kib)) * size;
}

// Submits a single request.
static void transfer(int disk, const struct pace *pace, char *buffer, long number)
{
	long size = pace->size_kib << 10;
	long long offset = offset_of(pace, number);
	ssize_t done;

	done = pace->write ? pwrite(disk, buffer, size, offset) : pread(disk, buffer, size, offset);
	if (done != size)
		die(pace->write ? "pwrite" : "pread");
	if (pace->write == 2 && sync_file_range(disk, offset, size, SYNC_FILE_RANGE_WRITE))
		die("sync_file_range");
}

// Submits several at once, and waits for all.
static void transfer_batch(int disk, const struct pace *pace, aio_context_t context, char *buffer,
			   long first, long many)
{
	static struct iocb blocks[MOST_AT_ONCE], *pointers[MOST_AT_ONCE];
	static struct io_event events[MOST_AT_ONCE];
	long i, done = 0;

	memset(blocks, 0, sizeof(blocks));
	for (i = 0; i < many; i++) {
		blocks[i].aio_lio_opcode = pace->write ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
		blocks[i].aio_fildes = disk;
		blocks[i].aio_buf = (unsigned long)buffer;
		blocks[i].aio_nbytes = pace->size_kib << 10;
		blocks[i].aio_offset = offset_of(pace, first + i);
		pointers[i] = &blocks[i];
	}
	if (syscall(SYS_io_submit, context, many, pointers) != many)
		die("io_submit");
	while (done < many) {
		long got = syscall(SYS_io_getevents, context, 1L, many - done, events, NULL);

		if (got < 1)
			die("io_getevents");
		done += got;
	}
}

int main(int argc, char **argv)
{
	struct pace pace = { .count = 100, .size_kib = 64, .depth = 1, .class = 2, .prio = 4,
			     .later_from = -1, .group = "-" };
	aio_context_t context = 0;
	char *buffer;
	long number, many;
	int disk, i;

	for (i = 2; i < argc; i++)
		if (!take(&pace, argv[i])) {
			fprintf(stderr, "pace: what is '%s'?\n", argv[i]);
			return 2;
		}
	if (argc < 2 || pace.depth < 1 || pace.depth > MOST_AT_ONCE || pace.size_kib < 4 ||
	    pace.class < 1 || pace.class > IOPRIO_CLASS_IDLE) {
		fprintf(stderr, "usage: pace DISK NAME=VALUE...\n");
		return 2;
	}
	disk = open(argv[1], pace.write == 2 ? O_RDWR : O_RDWR | O_DIRECT);
	if (disk < 0)
		die(argv[1]);
	if (posix_memalign((void **)&buffer, 4096, pace.size_kib << 10))
		die("memory");
	memset(buffer, 0, pace.size_kib << 10);
	if (pace.depth > 1 && syscall(SYS_io_setup, pace.depth, &context))
		die("io_setup");
	set_prio(&pace, pace.prio);
	introduce(&pace);
	if (pace.wait_us)
		usleep(pace.wait_us);
	for (number = 0; number < pace.count; number += many) {
		if (number && pace.think_us)
			usleep(pace.think_us);
		if (pace.later_from >= 0 && number >= pace.later_from) {
			set_prio(&pace, pace.later_prio);
			pace.later_from = -1;
		}
		many = pace.depth < pace.count - number ? pace.depth : pace.count - number;
		if (context)
			transfer_batch(disk, &pace, context, buffer, number, many);
		else
			transfer(disk, &pace, buffer, number);
	}
	return 0;
}
