// SPDX-License-Identifier: GPL-2.0 OR MIT
// worked COMMAND...: runs it and prints for how long the only CPU did anything but idle meanwhile,
// in nanoseconds; in deterministic mode that is the number of instructions. `busy` leaves out what
// interrupts do while all processes sleep. Here none of that is lost: a process of the lowest
// priority counts as long as there is nothing else to do, and only that is taken off. What else the
// kernel does meanwhile, its ticks and the switches to that process, is work as well.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A turn of counting, and its instructions.
#ifdef __aarch64__
#define TURN "1: ldr x1, [%0]; add x1, x1, 1; str x1, [%0]; b 1b"
#define CLOBBERED "x1", "memory"
#define TURN_NS 4
#else
#define TURN "1: incq (%0); jmp 1b"
#define CLOBBERED "memory"
#define TURN_NS 2
#endif

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void count_for_ever(volatile long long *turns)
{
	__asm__ volatile(TURN : : "r"(turns) : CLOBBERED);
}

// Begins to count, in a process of its own; -1 if that cannot be.
static pid_t start_counting(volatile long long *turns)
{
	const struct sched_param none = { 0 };
	pid_t counter = fork();

	if (counter == 0) {
		if (sched_setscheduler(0, SCHED_IDLE, &none))
			_exit(1);
		count_for_ever(turns);
	}
	return counter;
}

// Whether the command ran, and ended well.
static int run(char **command)
{
	int status = 1;
	pid_t child = fork();

	if (child == 0) {
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

int main(int argc, char **argv)
{
	long long began_ns, took_ns, turns;
	volatile long long *counted;
	pid_t counter;
	int ran;

	if (argc < 2) {
		fprintf(stderr, "usage: worked COMMAND...\n");
		return 2;
	}
	counted = mmap(NULL, sizeof(*counted), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counted == MAP_FAILED || (counter = start_counting(counted)) < 0) {
		perror("worked");
		return 1;
	}
	began_ns = now_ns();
	turns = *counted;
	ran = run(argv + 1);
	took_ns = now_ns() - began_ns;
	turns = *counted - turns;
	kill(counter, SIGKILL);
	if (!ran || turns == 0) {
		fprintf(stderr, "worked: %s\n", ran ? "nothing was counted" :
						      "the command failed");
		return 1;
	}
	printf("%lld\n", took_ns - turns * TURN_NS);
	return 0;
}
