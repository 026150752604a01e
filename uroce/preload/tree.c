/* SPDX-License-Identifier: MIT */
/*
 * Some programs look past libibverbs at /sys/class/infiniband and /dev/infiniband: UCX for the
 * kind of a GID and the device file, pyverbs for the interface, perftest for attributes. They
 * get files with what the kernel would write there. All are made when the first is asked for, and
 * what has changed is written again when one is asked for later.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "engine.h"
#include "file_limit.h"
#include "gid.h"
#include "preload/preload.h"
#include "uroce.h"

#define COUNTERS_MAX 128
#define CLASS	     "class/infiniband"
#define VERBS_CLASS  "class/infiniband_verbs"

/* A device's part of the tree. */
static struct device_tree {
	char ib[20]; /* "devices/uroce0": a link of the device's name leads there */
	char verbs[48], uverbs[12], dev_file[40];
	struct gid_entry gid[GID_ENTRIES]; /* as it was written; nothing in a child of fork() */
	bool active;
} trees[DEVICES_MAX];

__attribute__((constructor)) static void name_trees(void)
{
	for (unsigned i = 0; i < DEVICES_MAX; i++) {
		struct device_tree *t = &trees[i];

		snprintf(t->ib, sizeof t->ib, "devices/uroce%u", i);
		snprintf(t->verbs, sizeof t->verbs, VERBS_CLASS "/uverbs_uroce%u", i);
		snprintf(t->uverbs, sizeof t->uverbs, "uverbs%u", i);
		snprintf(t->dev_file, sizeof t->dev_file, "/dev/infiniband/uverbs_uroce%u", i);
	}
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
_Atomic bool tree_followed;
static char root[128]; /* "": not made */
static dev_t root_dev;
static ino_t counter_files[DEVICES_MAX * COUNTERS_MAX]; /* of hw_counters, on root_dev */
static unsigned ncounter_files;
static pid_t owner; /* the process that made it, and removes it */

/* Is path the one that is given, or below it? Then *rest is what follows. above is empty before the
 * constructors have run. */
static bool is_below(const char *path, const char *above, const char **rest)
{
	const size_t n = strlen(above);

	*rest = path + n;
	return n && strncmp(path, above, n) == 0 && (path[n] == '/' || !path[n]);
}

const char *tree_place(const char *path, const char **rest)
{
	if (!path || path[0] != '/' || (path[1] != 's' && path[1] != 'd'))
		return NULL;
	for (unsigned i = 0; i < device_count(); i++) {
		if (is_below(path, devices[i].v.ibdev_path, rest))
			return trees[i].ib;
		if (is_below(path, devices[i].v.dev_path, rest))
			return trees[i].verbs;
		if (is_below(path, trees[i].dev_file, rest))
			return trees[i].uverbs;
	}
	/* the directory itself; the files in it have been looked for, or belong to other devices */
	if (is_below(path, "/sys/" CLASS, rest) && (!**rest || !(*rest)[1]))
		return CLASS;
	if (is_below(path, "/sys/" VERBS_CLASS, rest) && (!**rest || !(*rest)[1]))
		return VERBS_CLASS;
	return NULL;
}

/* -- writing files: the place of a device, and what is in it -- */

static bool in_root(char *buf, size_t size, const char *place, const char *name)
{
	return (size_t)snprintf(buf, size, "%s/%s%s", root, place, name) < size;
}

/* Makes the directories above a file. Call this only if one is missing: most of the time mkdir(2)
 * would only fail with EEXIST. */
static void make_above(char *path)
{
	for (char *p = path + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0700);
		*p = '/';
	}
}

static void remove_file(const char *place, const char *name)
{
	char path[384];

	if (in_root(path, sizeof path, place, name))
		unlink(path);
}

static int open_file(const char *place, const char *name)
{
	char path[384];
	int fd;

	if (!in_root(path, sizeof path, place, name))
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd >= 0 || errno != ENOENT)
		return fd;
	make_above(path);
	return open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
}

__attribute__((format(printf, 3, 4))) static void put_file(const char *place, const char *name,
							   const char *fmt, ...)
{
	sigset_t before;
	va_list ap;
	int fd = open_file(place, name), n;

	if (fd < 0)
		return;
	before = file_limit_begin();
	va_start(ap, fmt);
	n = vdprintf(fd, fmt, ap);
	va_end(ap);
	if (n < 0 ||
	    ftruncate(fd, n) != 0) /* a full disk: an empty file is better than half a file */
		remove_file(place, name);
	file_limit_end(before);
	close(fd);
}

static void put_link(const char *place, const char *name, const char *target)
{
	char path[384];

	if (!in_root(path, sizeof path, place, name) || symlink(target, path) == 0 ||
	    errno != ENOENT)
		return;
	make_above(path);
	if (symlink(target, path) != 0)
		return; /* no room: the file stays missing */
}

static void put_directory(const char *place, const char *name)
{
	char path[384];

	if (!in_root(path, sizeof path - 1, place, name))
		return;
	strcat(path, "/");
	make_above(path);
}

/* -- what is in it -- */

/* Groups of four hexadecimal digits with colons between them: 5 bytes of text for each. */
static void print_groups(char *text, const uint8_t *raw, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		snprintf(text + 5 * i, 6, "%02x%02x:", raw[2 * i], raw[2 * i + 1]);
	text[5 * n - 1] = '\0';
}

#define PORT "/ports/1"

/* Of each device. */
static const struct {
	const char *name, *text;
} constants[] = {
	{ "/node_type", "1: CA" },
	{ "/node_desc", "uroce, a RoCEv2 device in user space" },
	{ "/fw_ver", UROCE_VERSION },
	{ "/device/vendor", "0x0000" },
	{ "/device/device", "0x0000" },
	{ "/device/subsystem_vendor", "0x0000" },
	{ "/device/subsystem_device", "0x0000" },
	{ "/device/numa_node", "-1" },
	{ PORT "/lid", "0x0" },
	{ PORT "/lid_mask_count", "0" },
	{ PORT "/sm_lid", "0x0" },
	{ PORT "/sm_sl", "0" },
	{ PORT "/cap_mask", "0x04010000" },
	{ PORT "/rate", "2.5 Gb/sec (1X SDR)" },
	{ PORT "/link_layer", "Ethernet" },
	{ PORT "/hw_counters/lifespan", "0" }, /* ms that a value may be old */
	{ PORT "/pkeys/0", "0xffff" },
};

static void put_guid(const struct device_tree *t, const char *name, unsigned device)
{
	const __be64 guid = device_guid(device);
	char text[21];

	print_groups(text, (const uint8_t *)&guid, 4);
	put_file(t->ib, name, "%s\n", text);
}

static void put_attribute(const struct device_tree *t, const char *kind, unsigned i,
			  const char *text)
{
	char name[80];

	snprintf(name, sizeof name, PORT "/gid_attrs/%s/%u", kind, i);
	if (text)
		put_file(t->ib, name, "%s\n", text);
	else
		remove_file(t->ib, name);
}

/* The kernel has attributes of empty entries that cannot be read; here they do not exist. */
static void put_gid(const struct device_tree *t, unsigned i, const struct gid_entry *e)
{
	static const union ibv_gid none;
	char name[80], text[41];

	print_groups(text, e ? e->gid.raw : none.raw, 8);
	snprintf(name, sizeof name, PORT "/gids/%u", i);
	put_file(t->ib, name, "%s\n", text);
	put_attribute(t, "types", i, e ? "RoCE v2" : NULL);
	put_attribute(t, "ndevs", i, e ? e->ifname : NULL);
	if (e) {
		snprintf(name, sizeof name, "/device/net/%s", e->ifname);
		put_directory(t->ib, name);
	}
}

/* With the lock of the engine. all: not only what has changed. */
static void put_device_gids(unsigned device, bool all)
{
	static const struct gid_entry none;
	struct device_tree *t = &trees[device];
	const bool active = gid_port_is_up(device);

	for (unsigned i = 0; i < GID_ENTRIES; i++) {
		const struct gid_entry *e = gid_at(gid_position(device, i));

		if (!all && memcmp(&t->gid[i], e ? e : &none, sizeof none) == 0)
			continue;
		t->gid[i] = e ? *e : none;
		put_gid(t, i, e);
	}
	if (!all && t->active == active)
		return;
	t->active = active;
	put_file(t->ib, PORT "/state", active ? "4: ACTIVE\n" : "1: DOWN\n");
	put_file(t->ib, PORT "/phys_state", active ? "5: LinkUp\n" : "3: Disabled\n");
}

static void put_gids(bool all)
{
	engine_lock();
	if (gid_count() == 0) /* the device is not open: nobody has looked yet */
		gid_refresh();
	for (unsigned i = 0; i < device_count(); i++)
		put_device_gids(i, all);
	engine_unlock();
}

/* They count the packets of all devices of the process. */
static void put_counters(bool all)
{
	static uint64_t written[COUNTERS_MAX];
	struct uroce_counter c[COUNTERS_MAX];
	unsigned n = uroce_counters(c, COUNTERS_MAX);

	for (unsigned i = 0; i < n && i < COUNTERS_MAX; i++) {
		char name[128];

		if (!all && written[i] == c[i].value)
			continue;
		written[i] = c[i].value;
		snprintf(name, sizeof name, PORT "/hw_counters/%s", c[i].name);
		for (unsigned k = 0; k < device_count(); k++)
			put_file(trees[k].ib, name, "%llu\n", (unsigned long long)c[i].value);
	}
}

/* Adds those of a device. */
static void note_counter_files(const struct device_tree *t)
{
	struct dirent *e;
	char path[384];
	DIR *d;

	if (!in_root(path, sizeof path, t->ib, PORT "/hw_counters"))
		return;
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (e->d_type == DT_REG && ncounter_files < DEVICES_MAX * COUNTERS_MAX)
			counter_files[ncounter_files++] = e->d_ino;
	if (d)
		closedir(d);
}

static bool is_counter_file(ino_t inode)
{
	for (unsigned i = 0; i < ncounter_files; i++)
		if (counter_files[i] == inode)
			return true;
	return false;
}

/* -- making, and removing -- */

static void make_root(void)
{
	const char *tmp = secure_getenv("TMPDIR");
	const char *const where[] = { tmp && *tmp ? tmp : "/tmp", "/tmp", "/dev/shm" };
	struct stat st;

	for (unsigned i = 0; i < 3; i++)
		if ((size_t)snprintf(root, sizeof root, "%s/uroce-XXXXXX", where[i]) <
			    sizeof root &&
		    mkdtemp(root)) {
			root_dev = stat(root, &st) == 0 ? st.st_dev : 0;
			return;
		}
	root[0] = '\0';
}

static void put_device(unsigned device)
{
	/* which may be empty */
	static const char *const dirs[] = { "/device/net", PORT "/gid_attrs/types",
					    PORT "/gid_attrs/ndevs" };
	const struct device_tree *t = &trees[device];
	char name[IBV_SYSFS_NAME_MAX + 1], target[48];

	snprintf(name, sizeof name, "/%s", devices[device].v.name);
	snprintf(target, sizeof target, "../../%s", t->ib);
	put_link(CLASS, name, target);
	snprintf(target, sizeof target, "../../../%s/device", t->ib);
	put_link(t->verbs, "/device", target);
	/* programs ask whether it is a character device that may be read and written */
	put_link(t->uverbs, "", "/dev/null");
	for (unsigned i = 0; i < sizeof dirs / sizeof *dirs; i++)
		put_directory(t->ib, dirs[i]);
	for (unsigned i = 0; i < sizeof constants / sizeof *constants; i++)
		put_file(t->ib, constants[i].name, "%s\n", constants[i].text);
	put_guid(t, "/node_guid", device);
	put_guid(t, "/sys_image_guid", 0);
	put_file(t->verbs, "/abi_version", "1\n");
	put_file(t->verbs, "/ibdev", "%s\n", devices[device].v.name);
}

static void make_tree(void)
{
	owner = getpid();
	make_root();
	if (!root[0])
		return;
	for (unsigned i = 0; i < device_count(); i++)
		put_device(i);
	put_gids(true);
	put_counters(true);
	ncounter_files = 0;
	for (unsigned i = 0; i < device_count(); i++)
		note_counter_files(&trees[i]);
}

static void remove_below(int dir)
{
	DIR *d = fdopendir(dir);
	struct dirent *e;

	if (!d) {
		close(dir);
		return;
	}
	while ((e = readdir(d))) {
		int fd;

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
		    unlinkat(dir, e->d_name, 0) == 0)
			continue;
		fd = openat(dir, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue;
		remove_below(fd);
		unlinkat(dir, e->d_name, AT_REMOVEDIR);
	}
	closedir(d);
}

__attribute__((destructor)) static void remove_tree(void)
{
	int fd;

	if (!root[0] || owner != getpid())
		return;
	fd = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		remove_below(fd);
	rmdir(root);
	root[0] = '\0';
}

bool tree_file(const char *place, const char *rest, char *buf, size_t size)
{
	bool there;

	fork_install(); /* if it fails, a child may wait for the lock; the file is given all the
			   same */
	pthread_mutex_lock(&lock);
	if (!root[0] || owner != getpid()) /* a child of fork() makes its own */
		make_tree();
	else
		put_gids(false);
	if (root[0] && strstr(rest, "/hw_counters"))
		put_counters(false);
	/* a file of counters may also be opened from a directory that is open */
	atomic_store_explicit(&tree_followed, true, memory_order_relaxed);
	there = root[0] && (size_t)snprintf(buf, size, "%s/%s%s", root, place, rest) < size;
	pthread_mutex_unlock(&lock);
	return there;
}

void tree_again(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_dev != root_dev)
		return;
	if (pthread_mutex_trylock(&lock) != 0) /* it is being made, maybe by this thread */
		return;
	if (root[0] && owner == getpid() && is_counter_file(st.st_ino))
		put_counters(false); /* which takes the lock of the engine */
	pthread_mutex_unlock(&lock);
}

static __thread bool forking;

void tree_before_fork(void)
{
	forking = lock_patiently(&lock);
}

void tree_after_fork(void)
{
	if (forking)
		pthread_mutex_unlock(&lock);
	forking = false;
}

void tree_forget(void)
{
	tree_after_fork();
	pthread_mutex_init(&lock, NULL);
}
