// SPDX-License-Identifier: GPL-2.0 OR MIT
// faulting_reader: copies standard input to standard output, by reads of which two in three go
// wrong: the memory that they read to ends too early. What such a read does not return, the next
// one has to.
#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096

int main(void)
{
	/* Room in front of the end of the memory, or behind it. */
	static const int places[] = { 4096, 700, 0 };
	char *memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned int i;
	ssize_t length;

	if (memory == MAP_FAILED || munmap(memory + PAGE, PAGE)) {
		perror("mmap");
		return 1;
	}
	for (i = 0;; i++) {
		int room = places[i % 3];
		char *place = memory + PAGE - room;

		length = read(0, place, 3000);
		if (length == 0)
			return 0;
		if (length < 0 && errno == EFAULT && room < 3000)
			continue;
		if (length < 0 || write(1, place, length) != length) {
			perror("faulting_reader");
			return 1;
		}
	}
}
