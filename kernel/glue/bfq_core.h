/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The scheduler core as C sees it: opaque handles and the functions of
 * kernel/core, the crate that exposes crates/bfq.
 *
 * Every function that takes a struct bfq_core must be called with its device's
 * lock held and interrupts off, but for bfq_core_new(), which may sleep. What is
 * called here are the guards of the core's functions (guarded.S): if the core fails,
 * they answer in its place. Times are nanoseconds of the monotonic clock. After each call the
 * published fields of struct bfq_core say what the host has to do next.
 *
 * kernel/core/src/abi.rs has the same declarations in Rust; a test of that crate
 * compares the two.
 */
#ifndef BFQ_CORE_H
#define BFQ_CORE_H

#include <linux/types.h>

/* No process, no group, no request: in place of a number. */
#define BFQ_NONE		U32_MAX
/* No timer wanted. */
#define BFQ_NEVER		U64_MAX
/* Most independent actuators that the core knows. */
#define BFQ_MAX_ACTUATORS	8
/* Room for the name of a device, and of a group. */
#define BFQ_DEVICE_NAME		32
#define BFQ_GROUP_NAME		96
/* Most pieces of memory that bfq_core_next_pieces() tells of. */
#define BFQ_PIECES		12
/* Pieces that tables grow by are allocated before if they are larger than this. */
#define BFQ_SMALL_PIECE		(8 << 10)
/* Sizes that bfq_core_request_pieces() tells. */
#define BFQ_REQUEST_PIECES	4

struct bfq_host;

/*
 * The policies of the core that there is an elevator for, by name and in the order of
 * crates/bfq's table.
 */
#define BFQ_FOR_EACH_POLICY(X)	\
	X(BFQ_POLICY_BFQ, bfq)	\
	X(BFQ_POLICY_TFQ, tfq)

#define BFQ_NAME_POLICY(number, name) number,
enum bfq_policy_number {
	BFQ_FOR_EACH_POLICY(BFQ_NAME_POLICY)
	BFQ_POLICIES
};

/* What the core publishes; the rest of it is none of C's business. */
struct bfq_core {
	u64 timer_ns;		/* call bfq_core_on_timer() then, or BFQ_NEVER */
	struct bfq_host *host;	/* as it was given to bfq_core_new() */
	u64 shared;		/* requests of processes in the queue that is shared */
	u64 nobody;		/* requests of BFQ_NONE that went there */
	u64 large_pieces;	/* another number: bfq_core_next_pieces() tells others */
	bool kick;		/* run the hardware queues; the host clears it */
	bool limits_sync_reads;	/* else the host need not ask for them; read without lock */
	bool watches_bios;	/* else only bios that continue a request matter; the same */
};

struct bfq_device {
	u64 actuator_ends[BFQ_MAX_ACTUATORS];	/* where each range of sectors ends */
	u32 actuators;		/* number of these */
	u32 nr_requests;	/* size of a request pool */
	u32 request_ids;	/* request numbers are below this: all pools together */
	u32 hz;			/* ticks a second */
	bool rotational;
};

/* Scheduling class of a process, as in linux/ioprio.h. */
enum bfq_class {
	BFQ_CLASS_NONE,		/* it did not choose one: its nice value counts */
	BFQ_CLASS_RT,
	BFQ_CLASS_BE,
	BFQ_CLASS_IDLE,
};

enum bfq_cpu_policy {
	BFQ_CPU_NORMAL,
	BFQ_CPU_RT,
	BFQ_CPU_IDLE,
};

/* What is known of a process. */
struct bfq_process_facts {
	u8 class;		/* enum bfq_class */
	u8 level;		/* 0 to 7 */
	s8 nice;
	u8 cpu_policy;		/* enum bfq_cpu_policy */
	u32 pid;		/* for people who read the recorded decisions */
	char name[16];
};

enum bfq_operation {
	BFQ_READ,
	BFQ_WRITE,
	BFQ_DISCARD,
};

#define BFQ_SYNC		(1 << 0)	/* a process waits for it */
#define BFQ_METADATA		(1 << 1)
#define BFQ_AT_HEAD		(1 << 2)	/* before all others */

struct bfq_io {
	u64 sector;
	u64 allocated_ns;	/* when it got its place in the pool */
	u64 asked_ns;		/* when the process asked for it */
	u32 sectors;
	u32 process;		/* or BFQ_NONE: served from the queue that is shared */
	u8 operation;		/* enum bfq_operation */
	u8 flags;
};

enum bfq_side {
	BFQ_FRONT,
	BFQ_BACK,
};

/* Waiting requests that a bio continues, or BFQ_NONE. */
struct bfq_candidates {
	u32 back;
	u32 front;
};

/* Bytes of a recording that were written and not read yet. */
struct bfq_ring {
	u8 *bytes;
	size_t size;		/* how many there is room for */
	size_t first;		/* where the oldest byte is */
	size_t used;		/* how many are to be read */
};

/* A statistic of a device's policy. The texts are constants, without a zero at their end. */
struct bfq_statistic {
	const char *name;
	const char *unit;
	u32 name_length;
	u32 unit_length;
	u64 value;
};

/* The most of them that a policy has. */
#define BFQ_POLICY_STATISTICS	30

/* Identities. */
/* The core is freed with its host. */
struct bfq_core *bfq_core_new(u64 now, const struct bfq_device *device,
			      struct bfq_host *host,
			      enum bfq_policy_number policy);
/* -ENOMEM leaves the old sizes in force. */
int bfq_core_set_nr_requests(struct bfq_core *core, u64 now, u32 nr_requests,
			     u32 request_ids);
/* Makes room for numbers below request_ids: 0, or -ENOMEM. */
int bfq_core_reserve_requests(struct bfq_core *core, u32 request_ids);
/*
 * The sizes of the pieces of memory that tables take when they grow next, as far as
 * that is near; returns how many.
 */
u32 bfq_core_next_pieces(const struct bfq_core *core, size_t *bytes, u32 most);
/* The sizes of what `more` new numbers take: each of them, and two pieces, or 0. */
void bfq_core_request_pieces(const struct bfq_core *core, u32 more,
			     size_t bytes[BFQ_REQUEST_PIECES]);
/* The policy's statistic number index; false: it has fewer. */
bool bfq_core_statistic(const struct bfq_core *core, u32 index,
			struct bfq_statistic *statistic);
u32 bfq_core_add_process(struct bfq_core *core, u64 now, u32 group,
			 const struct bfq_process_facts *facts);
void bfq_core_set_process(struct bfq_core *core, u32 process,
			  const struct bfq_process_facts *facts);
void bfq_core_move_process(struct bfq_core *core, u32 process, u32 group);
void bfq_core_exit_process(struct bfq_core *core, u64 now, u32 process);
u32 bfq_core_root_group(const struct bfq_core *core);
u32 bfq_core_add_group(struct bfq_core *core, u64 now, u32 parent);
void bfq_core_set_group_weight(struct bfq_core *core, u64 now, u32 group,
			       u32 weight);
void bfq_core_remove_group(struct bfq_core *core, u64 now, u32 group);

/* Inputs. False: the core does not know what the host speaks of; nothing changed. */
bool bfq_core_insert(struct bfq_core *core, u64 now, u32 request,
		     const struct bfq_io *io);
struct bfq_candidates bfq_core_merge_candidates(struct bfq_core *core, u64 now,
						const struct bfq_io *bio);
u32 bfq_core_insertion_merge_candidate(const struct bfq_core *core,
				       const struct bfq_io *io);
bool bfq_core_allows_merge(struct bfq_core *core, u64 now,
			   const struct bfq_io *bio, u32 request);
u32 bfq_core_neighbour(const struct bfq_core *core, u32 request,
		       enum bfq_side side);
bool bfq_core_merged(struct bfq_core *core, u64 now, u32 request,
		     enum bfq_side side, u64 sector, u32 sectors);
bool bfq_core_coalesced(struct bfq_core *core, u64 now, u32 survivor,
			u32 absorbed, u32 sectors);
bool bfq_core_complete(struct bfq_core *core, u64 now, u32 request);
bool bfq_core_requeue(struct bfq_core *core, u64 now, u32 request);
void bfq_core_on_timer(struct bfq_core *core, u64 now);

/* Outputs. */
u32 bfq_core_dispatch(struct bfq_core *core, u64 now);
/* How many requests of the pool a new one may use, at least 1. */
u32 bfq_core_allowed_requests(struct bfq_core *core, u64 now, u32 process,
			      enum bfq_operation operation, bool sync);

/* Tunables, by their place in the table of all policies: 0, -EINVAL, -ERANGE. */
int bfq_core_write_tunable(struct bfq_core *core, u64 now, u32 tunable,
			   const char *text, size_t length);
u64 bfq_core_read_tunable(const struct bfq_core *core, u32 tunable);

/*
 * Recording. Until it ends the ring is used by the core, whenever the device's lock
 * is held. At attach: the core was created at this time and has not been used.
 * -ENOMEM: the ring is too small.
 */
int bfq_core_record(struct bfq_core *core, u64 now, struct bfq_ring *ring,
		    const char *device_name, bool at_attach);
void bfq_core_end_record(struct bfq_core *core);
bool bfq_core_is_recorded(const struct bfq_core *core);
/* What is the group called? */
void bfq_core_record_group(struct bfq_core *core, u32 group, const char *name,
			   size_t length);
/* Who is the process? For a recording that did not see it come. */
void bfq_core_record_process(struct bfq_core *core, u32 process, u32 group,
			     const struct bfq_process_facts *facts);

/* Statistics of groups, in the order of crates/bfq's table. */
#define BFQ_STATISTICS		13

void bfq_core_set_detailed_statistics(struct bfq_core *core, u64 now, bool on);
void bfq_core_reset_group_statistics(struct bfq_core *core, u64 now, u32 group);
u64 bfq_core_group_figure(const struct bfq_core *core, u32 group, u32 statistic);

/*
 * A statistic of a cgroup, put together device by device, for up to `devices`;
 * needs no lock.
 */
struct bfq_figures;
struct bfq_figures *bfq_figures_new(u32 statistic, bool recursive, u32 devices);
void bfq_figures_free(struct bfq_figures *figures);
/* With the lock of core's device held. -ENOSPC: there are more devices; or 0. */
int bfq_figures_add(struct bfq_figures *figures, const struct bfq_core *core,
		    u32 group, u32 major, u32 minor);
/* Returns the length of what it wrote, or size if that is too little. */
size_t bfq_figures_show(const struct bfq_figures *figures, char *buffer,
			size_t size);

/*
 * The weights of a cgroup: its default, and those of single devices. They
 * belong to no device; the caller ensures that nothing else changes them
 * meanwhile.
 */
struct bfq_weights;

enum bfq_weight_file {
	BFQ_WEIGHT,		/* 1 to 1000, with overrides */
	BFQ_WEIGHT_PLAIN,	/* 1 to 1000, a plain number */
	BFQ_WEIGHT_GENERIC,	/* 1 to 10,000, with overrides */
};

enum bfq_weight_kind {
	BFQ_DEFAULT_WEIGHT,	/* for the devices without an override */
	BFQ_OVERRIDE,		/* for one device */
	BFQ_NO_OVERRIDE,	/* none for that device any more */
};

struct bfq_weight_change {
	u32 kind;		/* enum bfq_weight_kind */
	u32 major;		/* the device, */
	u32 minor;		/* if it is for one */
	u32 weight;
};

struct bfq_weights *bfq_weights_new(void);
void bfq_weights_free(struct bfq_weights *weights);
/* Understands what a user wrote: 0, -EINVAL, -ERANGE. */
int bfq_weights_parse(enum bfq_weight_file file, const char *text,
		      size_t length, struct bfq_weight_change *change);
/*
 * Room for the overrides of `count` devices, allocated before it is needed: how many
 * a change takes, or 0, is to be asked first; BFQ_NONE if the core failed.
 */
struct bfq_override_room;
u32 bfq_weights_room_for(const struct bfq_weights *weights,
			 const struct bfq_weight_change *change);
struct bfq_override_room *bfq_override_room_new(u32 count);
void bfq_override_room_free(struct bfq_override_room *room);
/* 0, or -ENOMEM with nothing changed: there was too little room. */
int bfq_weights_apply(struct bfq_weights *weights,
		      const struct bfq_weight_change *change,
		      struct bfq_override_room *room);
void bfq_weights_forget(struct bfq_weights *weights, u32 major, u32 minor);
u32 bfq_weights_effective(const struct bfq_weights *weights, u32 major,
			  u32 minor);
/* Returns the length of what it wrote, or size if that is too little. */
size_t bfq_weights_show(const struct bfq_weights *weights,
			enum bfq_weight_file file, char *buffer, size_t size);

#endif /* BFQ_CORE_H */
