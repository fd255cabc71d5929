// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * readers DISK COUNT: COUNT threads, each with an I/O context of its own, read once, one starting
 * after the other without a pause, and remain until a signal ends all. Once all have read, prints
 * how long reads took, in ns: the longest, the median, nine of ten, 99 of 100.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SIZE 4096
#define BLOCKS 16000

static int disk;
static atomic_long done, failed;
static long *took_ns;

static long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void *read_once(void *number)
{
	static _Alignas(SIZE) char buffer[SIZE];	/* not looked at */
	off_t place = (off_t)((long)number * 997 % BLOCKS) * SIZE;
	long began_ns = now_ns();

	if (pread(disk, buffer, SIZE, place) != SIZE)
		failed++;
	took_ns[(long)number] = now_ns() - began_ns;
	done++;
	for (;;)
		pause();
	return NULL;
}

static int compare(const void *a, const void *b)
{
	long first = *(const long *)a, second = *(const long *)b;

	return (first > second) - (first < second);
}

int main(int argc, char **argv)
{
	pthread_attr_t attributes;
	pthread_t thread;
	long count, i;

	if (argc != 3)
		return 2;
	disk = open(argv[1], O_RDONLY | O_DIRECT);
	if (disk < 0) {
		perror(argv[1]);
		return 1;
	}
	count = atol(argv[2]);
	took_ns = calloc(count, sizeof(*took_ns));
	if (count < 1 || !took_ns)
		return 2;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 16384);
	for (i = 0; i < count; i++)
		if (pthread_create(&thread, &attributes, read_once, (void *)i)) {
			fprintf(stderr, "no more than %ld threads\n", i);
			return 1;
		}
	while (done < count)
		usleep(10000);
	if (failed) {
		fprintf(stderr, "%ld reads failed\n", failed);
		return 1;
	}
	qsort(took_ns, count, sizeof(*took_ns), compare);
	printf("%ld %ld %ld %ld\n", took_ns[count - 1], took_ns[count / 2],
	       took_ns[count * 9 / 10], took_ns[count * 99 / 100]);
	fflush(stdout);
	for (;;)
		pause();
}
