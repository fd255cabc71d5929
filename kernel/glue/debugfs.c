// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * The recording: what the core is told, answers and decides, as a file to read,
 * /sys/kernel/debug/bfq/DEVICE/decisions. crates/recording says what is in it.
 *
 * While the file is open (one at a time) the core writes records to a ring and
 * read() takes them out; what finds no room is lost, and counted in the stream.
 * A reader that has read all waits, as no task shall be woken in the path of a
 * request: it looks again every few milliseconds. The file ends when the
 * elevator is detached. With record_from_attach the ring is filled from the
 * start of an elevator on, so that it can be replayed; the first
 * reader gets it.
 *
 * Whatever is locked here may be wanted by the detaching of an elevator, whose
 * queue is frozen: no task may wait for I/O meanwhile. So memory is allocated
 * without I/O, and users' memory is touched under a lock of the readers' own. The
 * lock of the directory itself is the exception: who lists it may wait for memory,
 * as in the directories that the block layer makes for a queue meanwhile.
 */
#include "bfq.h"

#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/kref.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

/* How long after it has read everything a reader looks again. */
#define BFQ_RECORDING_POLL_MS	10

static uint recording_kib = 4096;
module_param(recording_kib, uint, 0644);
MODULE_PARM_DESC(recording_kib, "size of the ring of a recording, KiB (16 to 1048576)");

static bool record_from_attach;
module_param(record_from_attach, bool, 0644);
MODULE_PARM_DESC(record_from_attach, "record from the attaching of the elevator on");

static struct dentry *bfq_debugfs;

/* The directory of a device and each open file of it hold a reference. */
struct bfq_recording {
	struct kref references;
	struct dentry *directory;
	char device[BFQ_DEVICE_NAME];
	/* Guards what follows. Inside of it: the lock of the device. */
	struct mutex state;
	struct bfq_data *bfqd;		/* NULL: detached */
	struct bfq_ring ring;		/* no bytes: nothing is recorded */
	bool open;
	/* One read() after the other; the state may be locked inside of it. */
	struct mutex reading;
	/* Taken from the ring and not read yet. */
	size_t chunk_first;
	size_t chunk_length;
	u8 chunk[2048];
};

static void bfq_recording_free(struct kref *references)
{
	struct bfq_recording *recording =
		container_of(references, struct bfq_recording, references);

	vfree(recording->ring.bytes);
	kfree(recording);
}

static void *bfq_allocate_ring(size_t *size)
{
	unsigned int flags = memalloc_noio_save();
	void *bytes;

	*size = (size_t)clamp(READ_ONCE(recording_kib), 16U, 1U << 20) << 10;
	bytes = vmalloc(*size);
	memalloc_noio_restore(flags);
	return bytes;
}

/*
 * Takes the ring's memory over. The state is locked, or not known to others
 * yet.
 */
static int bfq_begin_recording(struct bfq_recording *recording, u64 now,
			       bool at_attach, void *bytes, size_t size)
{
	struct bfq_data *bfqd = recording->bfqd;
	unsigned long flags;
	int error;

	recording->ring = (struct bfq_ring) { .bytes = bytes, .size = size };
	bfq_lock(bfqd, flags);
	error = bfq_core_record(bfqd->core, now, &recording->ring,
				recording->device, at_attach);
	bfq_unlock(bfqd, flags);
	if (error)
		recording->ring.bytes = NULL;
	return error;
}

/* A recording that begins late: who are those that the core knows already? */
static void bfq_introduce_all(struct bfq_data *bfqd)
{
	struct request_queue *q = bfqd->queue;
	struct bfq_process *process;
	unsigned long flags, inner;

	spin_lock_irqsave(&q->queue_lock, flags);
	bfq_introduce_groups(bfqd);
	bfq_lock(bfqd, inner);
	list_for_each_entry(process, &q->icq_list, icq.q_node)
		if (bfq_process_id(process) != BFQ_NONE)
			bfq_core_record_process(bfqd->core, bfq_process_id(process),
						process->group, &process->facts);
	bfq_unlock(bfqd, inner);
	spin_unlock_irqrestore(&q->queue_lock, flags);
}

static int bfq_open_recording(struct bfq_recording *recording, void **bytes,
			      size_t size)
{
	int error;

	if (!recording->bfqd)
		return -ENODEV;
	if (recording->open)
		return -EBUSY;
	/* One from attach on waits to be read. */
	if (!recording->ring.bytes) {
		error = bfq_begin_recording(recording, ktime_get_ns(), false,
					    *bytes, size);
		if (error)
			return error;
		*bytes = NULL;
		bfq_introduce_all(recording->bfqd);
	}
	recording->open = true;
	kref_get(&recording->references);
	return 0;
}

static int bfq_decisions_open(struct inode *inode, struct file *file)
{
	struct bfq_recording *recording = inode->i_private;
	size_t size;
	void *bytes = bfq_allocate_ring(&size);
	int error;

	if (!bytes)
		return -ENOMEM;
	mutex_lock(&recording->state);
	error = bfq_open_recording(recording, &bytes, size);
	mutex_unlock(&recording->state);
	vfree(bytes);
	if (error)
		return error;
	file->private_data = recording;
	return nonseekable_open(inode, file);
}

/* The core lets go of the ring. The state is locked. */
static void bfq_end_recording(struct bfq_recording *recording)
{
	struct bfq_data *bfqd = recording->bfqd;
	unsigned long flags;

	if (!bfqd)
		return;
	bfq_lock(bfqd, flags);
	bfq_core_end_record(bfqd->core);
	bfq_unlock(bfqd, flags);
}

static int bfq_decisions_release(struct inode *inode, struct file *file)
{
	struct bfq_recording *recording = file->private_data;

	mutex_lock(&recording->state);
	bfq_end_recording(recording);
	vfree(recording->ring.bytes);
	recording->ring.bytes = NULL;
	recording->chunk_length = 0;
	recording->open = false;
	mutex_unlock(&recording->state);
	kref_put(&recording->references, bfq_recording_free);
	return 0;
}

/* Moves the oldest bytes of the ring, as far as they lie together. */
static size_t bfq_ring_take(struct bfq_ring *ring, void *to, size_t most)
{
	size_t length = min3(most, ring->used, ring->size - ring->first);

	memcpy(to, ring->bytes + ring->first, length);
	ring->first += length;
	if (ring->first == ring->size)
		ring->first = 0;
	ring->used -= length;
	return length;
}

/* Fills the chunk if it is used up: 1, 0 at the end, -EAGAIN if there is nothing yet. */
static int bfq_fill_chunk(struct bfq_recording *recording)
{
	struct bfq_data *bfqd;
	unsigned long flags;

	if (recording->chunk_length)
		return 1;
	mutex_lock(&recording->state);
	bfqd = recording->bfqd;
	if (bfqd)
		bfq_lock(bfqd, flags);
	recording->chunk_first = 0;
	recording->chunk_length = bfq_ring_take(&recording->ring, recording->chunk,
						sizeof(recording->chunk));
	if (bfqd)
		bfq_unlock(bfqd, flags);
	mutex_unlock(&recording->state);
	if (recording->chunk_length)
		return 1;
	return bfqd ? -EAGAIN : 0;
}

/* What does not get into the reader's memory stays in the chunk, to be read later. */
static size_t bfq_copy_chunk(struct bfq_recording *recording,
			     char __user *buffer, size_t count)
{
	size_t length = min(count, recording->chunk_length);

	length -= copy_to_user(buffer, recording->chunk + recording->chunk_first,
			       length);
	recording->chunk_first += length;
	recording->chunk_length -= length;
	return length;
}

/* Copies what there is, at least a byte if it may wait for it. */
static ssize_t bfq_copy_out(struct file *file, char __user *buffer, size_t count)
{
	struct bfq_recording *recording = file->private_data;
	size_t done = 0, copied;
	int filled;

	while (done < count) {
		filled = bfq_fill_chunk(recording);
		if (filled == -EAGAIN && !done && !(file->f_flags & O_NONBLOCK)) {
			if (msleep_interruptible(BFQ_RECORDING_POLL_MS))
				return -ERESTARTSYS;
			continue;
		}
		if (filled <= 0)
			return done ?: filled;
		copied = bfq_copy_chunk(recording, buffer + done, count - done);
		if (!copied)
			return done ?: -EFAULT;
		done += copied;
	}
	return done;
}

static ssize_t bfq_decisions_read(struct file *file, char __user *buffer,
				  size_t count, loff_t *position)
{
	struct bfq_recording *recording = file->private_data;
	ssize_t done;

	if (mutex_lock_interruptible(&recording->reading))
		return -ERESTARTSYS;
	done = bfq_copy_out(file, buffer, count);
	mutex_unlock(&recording->reading);
	return done;
}

static const struct file_operations bfq_decisions = {
	.owner = THIS_MODULE,
	.open = bfq_decisions_open,
	.release = bfq_decisions_release,
	.read = bfq_decisions_read,
};

static void bfq_record_from_attach(struct bfq_recording *recording, u64 now)
{
	size_t size;
	void *bytes;

	if (!READ_ONCE(record_from_attach))
		return;
	bytes = bfq_allocate_ring(&size);
	if (bytes && !bfq_begin_recording(recording, now, true, bytes, size))
		return;
	vfree(bytes);
	pr_warn("bfq: no memory to record %s from attach on\n", recording->device);
}

/*
 * The core of a device was created at this time and has not been used yet. There
 * is no file if there is no memory for one: that is no reason to fail.
 */
void bfq_recording_attach(struct bfq_data *bfqd, u64 now)
{
	struct bfq_recording *recording = kzalloc(sizeof(*recording), GFP_NOIO);

	bfqd->recording = recording;
	if (!recording)
		return;
	kref_init(&recording->references);
	mutex_init(&recording->state);
	mutex_init(&recording->reading);
	recording->bfqd = bfqd;
	strscpy(recording->device, bfqd->queue->disk->disk_name,
		sizeof(recording->device));
	bfq_record_from_attach(recording, now);
	recording->directory = debugfs_create_dir(recording->device, bfq_debugfs);
	/* The file may be read when the directory is gone: it looks after itself. */
	debugfs_create_file_unsafe("decisions", 0400, recording->directory,
				   recording, &bfq_decisions);
	bfq_state_attach(bfqd, recording->directory);
	bfq_fallbacks_attach(bfqd, recording->directory);
	bfq_policy_statistics_attach(bfqd, recording->directory);
	bfq_lock_figures_attach(bfqd, recording->directory);
}

/* The core of a device is about to be freed. What is in the ring can still be read. */
void bfq_recording_detach(struct bfq_data *bfqd)
{
	struct bfq_recording *recording = bfqd->recording;

	if (!recording)
		return;
	debugfs_remove_recursive(recording->directory);
	mutex_lock(&recording->state);
	bfq_end_recording(recording);
	recording->bfqd = NULL;
	mutex_unlock(&recording->state);
	kref_put(&recording->references, bfq_recording_free);
}

void bfq_recording_init(void)
{
	bfq_debugfs = debugfs_create_dir("bfq", NULL);
}

void bfq_recording_exit(void)
{
	debugfs_remove_recursive(bfq_debugfs);
}
