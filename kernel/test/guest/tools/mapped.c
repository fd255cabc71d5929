// SPDX-License-Identifier: GPL-2.0 OR MIT
// mapped create NAME SECTORS:TYPE:PARAMETERS...: makes a device of device mapper from targets, one
// behind the other, and prints its name in /dev. mapped remove NAME: removes it.
#include <fcntl.h>
#include <linux/dm-ioctl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

// The argument of an ioctl of device mapper: the device, and the table.
struct command {
	struct dm_ioctl head;
	char table[4096];
};

static int control(unsigned long request, const char *name, struct command *command)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/dev/mapper/control", O_RDWR);
	command->head.version[0] = DM_VERSION_MAJOR;
	command->head.data_size = sizeof(*command);
	command->head.data_start = sizeof(command->head);
	snprintf(command->head.name, sizeof(command->head.name), "%s", name);
	if (ioctl(fd, request, command) == 0)
		return 0;
	perror(name);
	return 1;
}

// Each target is a struct dm_target_spec with its parameters as text behind it.
static int fill_table(struct command *command, int targets, char **given)
{
	unsigned long long sectors, mapped = 0;
	size_t used = 0;
	int i, parameters;

	for (i = 0; i < targets; i++) {
		struct dm_target_spec *target = (void *)(command->table + used);

		if (used + sizeof(*target) + strlen(given[i]) + 8 > sizeof(command->table) ||
		    sscanf(given[i], "%llu:%15[^:]:%n", &sectors, target->target_type,
			   &parameters) != 2) {
			fprintf(stderr, "mapped: what is '%s'?\n", given[i]);
			return 1;
		}
		target->sector_start = mapped;
		target->length = sectors;
		strcpy((char *)(target + 1), given[i] + parameters);
		// The next one begins at a multiple of eight bytes.
		target->next = sizeof(*target) +
			       ((strlen(given[i] + parameters) + 8) & ~7ul);
		used += target->next;
		mapped += sectors;
	}
	command->head.target_count = targets;
	return 0;
}

static int create(const char *name, int targets, char **given)
{
	struct command made = { 0 }, table = { 0 }, resume = { 0 };

	if (control(DM_DEV_CREATE, name, &made) || fill_table(&table, targets, given) ||
	    control(DM_TABLE_LOAD, name, &table) || control(DM_DEV_SUSPEND, name, &resume))
		return 1;
	printf("dm-%u\n", minor(made.head.dev));
	return 0;
}

int main(int argc, char **argv)
{
	struct command removed = { 0 };

	if (argc > 3 && !strcmp(argv[1], "create"))
		return create(argv[2], argc - 3, argv + 3);
	if (argc == 3 && !strcmp(argv[1], "remove"))
		return control(DM_DEV_REMOVE, argv[2], &removed);
	fprintf(stderr, "usage: mapped create NAME SECTORS:TYPE:PARAMETERS... | mapped remove NAME\n");
	return 2;
}
