// SPDX-License-Identifier: GPL-2.0 OR MIT
// churn ROOT DISK ROUNDS: makes a group below ROOT (a mounted cgroup2 hierarchy), lets a process in
// it read from DISK, moves the process to another group between two reads, removes the group;
// ROUNDS times. It is a program because a shell would take a tenth of a second for each.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

// The calling process joins the group.
static void join(const char *group)
{
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "0", 1) != 1)
		die(path);
	close(fd);
}

static void read_some(int disk, int seed)
{
	static char buffer[4096] __attribute__((aligned(4096)));
	int i;

	for (i = 0; i < 4; i++)
		if (pread(disk, buffer, sizeof(buffer), (seed * 7 + i * 31) % 4096 * 4096L) < 0)
			die("pread");
}

static void set_weight(const char *group, int weight)
{
	char path[300], text[16];
	int fd;

	snprintf(path, sizeof(path), "%s/io.bfq.weight", group);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		die(path);
	snprintf(text, sizeof(text), "%d", weight);
	if (write(fd, text, strlen(text)) < 0)
		die("weight");
	close(fd);
}

// Runs a process that starts in its own group and ends in the neighbouring one.
static void live(const char *disk_path, const char *group, const char *neighbour, int round)
{
	int disk = open(disk_path, O_RDONLY | O_DIRECT);

	if (disk < 0)
		die(disk_path);
	join(group);
	read_some(disk, round);
	join(neighbour);
	read_some(disk, round + 1);
	exit(0);
}

int main(int argc, char **argv)
{
	char group[200], neighbour[200];
	int round, status;

	if (argc != 4) {
		fprintf(stderr, "usage: churn ROOT DISK ROUNDS\n");
		return 2;
	}
	snprintf(neighbour, sizeof(neighbour), "%s/churn-%d", argv[1], getpid());
	if (mkdir(neighbour, 0755))
		die(neighbour);
	for (round = 0; round < atoi(argv[3]); round++) {
		snprintf(group, sizeof(group), "%s/churn-%d-%d", argv[1], getpid(), round);
		if (mkdir(group, 0755))
			die(group);
		set_weight(group, round % 1000 + 1);
		if (fork() == 0)
			live(argv[2], group, neighbour, round);
		if (wait(&status) < 0 || status != 0)
			return 1;
		if (rmdir(group))
			die(group);
	}
	if (rmdir(neighbour))
		die(neighbour);
	return 0;
}
