/* SPDX-License-Identifier: MIT */
/* The files of the device for those who look past libibverbs; all others are as they are. */
#undef _FORTIFY_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "counters.h"
#include "preload/preload.h"
#include "verbs_app.h"

#define DEVICE	    "/sys/class/infiniband/uroce0"
#define UVERBS_NAME "uverbs_uroce0"
#define UVERBS	    "/dev/infiniband/" UVERBS_NAME
#define NOT_OURS    "/proc/self/comm"

int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size);
int __open_2(const char *path, int flags);
int __openat64_2(int dir, const char *path, int flags);
int __xstat(int version, const char *path, struct stat *st);
int __fxstatat64(int version, int dir, const char *path, struct stat64 *st, int flags);

/* preload/fork_exit.c does this for all of the device. */
int fork_install(void)
{
	static bool done;

	if (!done && pthread_atfork(tree_before_fork, tree_after_fork, tree_forget) != 0)
		return -1;
	done = true;
	return 0;
}

/* The contents, through ibv_read_sysfs_file(); "" when it cannot be read. */
static const char *text(const char *file)
{
	static char buf[128];

	return ibv_read_sysfs_file(DEVICE, file, buf, sizeof buf) < 0 ? "" : buf;
}

/* A counter that is kept open goes on, as perftest reads it: by its real name, from the start
 * again. */
static void counter_again(void)
{
	static const char name[] = DEVICE "/ports/1/hw_counters/sent_pkts";
	char place[PATH_MAX], buf[8] = "";
	int fd;

	CHECK(realpath(name, place));
	CHECK_STR(place, name);
	CHECK(!realpath(DEVICE "/nothing", place) && errno == ENOENT);
	CHECK(realpath("/proc/self/../1", place));
	CHECK_STR(place, "/proc/1");
	fd = open(name, O_RDONLY);
	CHECK_INT(read(fd, buf, sizeof buf), 2);
	CHECK_STR(buf, "8\n");
	counters[CNT_SENT_PKTS] = 10;
	CHECK_INT(lseek(fd, 0, SEEK_SET), 0);
	CHECK_INT(read(fd, buf, sizeof buf), 3);
	CHECK_STR(buf, "10\n");
	counters[CNT_SENT_PKTS] = 9;
	memset(buf, 0, sizeof buf);
	CHECK_INT(pread(fd, buf, sizeof buf, 0), 2);
	CHECK_STR(buf, "9\n");
	close(fd);
}

/* The same of a counter that is opened from the directory of the port, before any was by its path.
 */
static void counter_from_directory(void)
{
	int dir = open(DEVICE "/ports/1", O_RDONLY | O_DIRECTORY), fd;
	char buf[8] = "";

	counters[CNT_SENT_PKTS] = 6;
	fd = openat(dir, "hw_counters/sent_pkts", O_RDONLY);
	CHECK_INT(read(fd, buf, sizeof buf), 2);
	CHECK_STR(buf, "6\n");
	close(fd);
	close(dir);
}

/* Where DEVICE really is, in this process. */
static void real_place(char *buf, size_t size)
{
	char link[64];
	ssize_t n;
	int fd = open(DEVICE, O_RDONLY | O_DIRECTORY);

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, buf, size - 1);
	CHECK(n > 0);
	buf[n] = '\0';
	close(fd);
}

/* Once a counter was read, a file of its file system that is none costs no look at the counters,
 * which takes the lock of the engine. */
static void other_file(void)
{
	char place[PATH_MAX], buf[8];
	unsigned before;
	int fd;

	real_place(place, sizeof place);
	CHECK(strlen(place) + sizeof "/other" < sizeof place);
	strcat(place, "/other");
	fd = open(place, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	CHECK(fd >= 0 && write(fd, "other", 5) == 5);
	before = rig_locks;
	for (unsigned i = 0; i < 100; i++)
		CHECK_INT(pread(fd, buf, sizeof buf, 0), 5);
	CHECK_INT(rig_locks, before);
	close(fd);
	CHECK_INT(unlink(place), 0);
}

static void contents(void)
{
	char guid[20];

	CHECK_STR(text("ports/1/gids/0"), "0000:0000:0000:0000:0000:ffff:c000:0201");
	counter_from_directory();
	CHECK_STR(text("ports/1/gids/2"), "0000:0000:0000:0000:0000:0000:0000:0000");
	CHECK_STR(text("ports/1/gids/63"), "0000:0000:0000:0000:0000:0000:0000:0000");
	CHECK_STR(text("ports/1/gids/64"), "");
	CHECK_STR(text("ports/1/gid_attrs/types/0"), "RoCE v2");
	CHECK_STR(text("ports/1/gid_attrs/ndevs/1"), "lo");
	CHECK_STR(text("ports/1/gid_attrs/types/2"), "");
	CHECK_STR(text("ports/1/link_layer"), "Ethernet");
	CHECK_STR(text("ports/1/state"), "4: ACTIVE");
	CHECK_STR(text("device/numa_node"), "-1");
	snprintf(guid, sizeof guid, "%s", text("node_guid"));
	CHECK_INT(strncmp(guid, "0200:c0ff:fe", 12), 0);
	CHECK_INT(strlen(guid), 19);
	CHECK_INT(ibv_read_sysfs_file("/sys/class/infiniband_verbs/" UVERBS_NAME, "ibdev", guid,
				      sizeof guid),
		  6);
	CHECK_STR(guid, "uroce0");
	/* librdmacm asks for this one, which the kernel may not have */
	CHECK_INT(ibv_read_sysfs_file("/sys", "class/misc/rdma_cm/abi_version", guid, sizeof guid),
		  1);
	CHECK_STR(guid, "4");

	/* what changes is read anew */
	counters[CNT_SENT_PKTS] = 7;
	CHECK_STR(text("ports/1/hw_counters/sent_pkts"), "7");
	counters[CNT_SENT_PKTS] = 8;
	CHECK_STR(text("ports/1/hw_counters/sent_pkts"), "8");
	counter_again();
	other_file();
	app_addresses(false);
	CHECK_STR(text("ports/1/state"), "1: DOWN");
	CHECK_STR(text("ports/1/gid_attrs/types/0"), "");
	app_addresses(true);
	CHECK_STR(text("ports/1/gid_attrs/types/0"), "RoCE v2");
}

/* Each function finds a file of ours, and one that is not. */
static void functions(void)
{
	static const char *const paths[] = { DEVICE "/node_type", NOT_OURS };
	struct stat st;
	struct stat64 st64;
	struct statx stx;
	char buf[64];
	FILE *f;

	for (unsigned i = 0; i < 2; i++) {
		const char *p = paths[i];
		const int fds[] = { open(p, O_RDONLY),
				    open64(p, O_RDONLY),
				    openat(AT_FDCWD, p, O_RDONLY),
				    openat64(AT_FDCWD, p, O_RDONLY),
				    __open_2(p, O_RDONLY),
				    __openat64_2(AT_FDCWD, p, O_RDONLY) };

		for (unsigned k = 0; k < sizeof fds / sizeof *fds; k++) {
			CHECK(read(fds[k], buf, sizeof buf) > 0);
			close(fds[k]);
		}
		f = fopen(p, "r");
		CHECK(f && fclose(f) == 0);
		f = fopen64(p, "r");
		CHECK(f && fclose(f) == 0);
		CHECK(access(p, R_OK) == 0 && faccessat(AT_FDCWD, p, R_OK, 0) == 0);
		CHECK(stat(p, &st) == 0 && S_ISREG(st.st_mode));
		CHECK(lstat(p, &st) == 0 && S_ISREG(st.st_mode));
		CHECK(stat64(p, &st64) == 0 && S_ISREG(st64.st_mode));
		CHECK(lstat64(p, &st64) == 0 && S_ISREG(st64.st_mode));
		CHECK(fstatat(AT_FDCWD, p, &st, 0) == 0 && S_ISREG(st.st_mode));
		CHECK(fstatat64(AT_FDCWD, p, &st64, 0) == 0 && S_ISREG(st64.st_mode));
		CHECK(statx(AT_FDCWD, p, 0, STATX_TYPE, &stx) == 0 && S_ISREG(stx.stx_mode));
		CHECK(__xstat(1, p, &st) == 0 && S_ISREG(st.st_mode));
		CHECK(__fxstatat64(1, AT_FDCWD, p, &st64, 0) == 0 && S_ISREG(st64.st_mode));
	}
	CHECK(readlink("/sys/class/infiniband_verbs/" UVERBS_NAME "/device", buf, sizeof buf) > 0);
	CHECK(readlinkat(AT_FDCWD, "/proc/self/exe", buf, sizeof buf) > 0);

	/* neighbours with a longer name are not ours, and errors are the C library's */
	CHECK(open("/sys/class/infiniband/uroce01/node_type", O_RDONLY) == -1 && errno == ENOENT);
	CHECK(open(DEVICE "/nothing", O_RDONLY) == -1 && errno == ENOENT);
	CHECK(access("relative/path", F_OK) == -1 && errno == ENOENT);
	CHECK(stat(UVERBS, &st) == 0 && S_ISCHR(st.st_mode));
	CHECK(access(UVERBS, R_OK | W_OK) == 0);
}

/* Is that all there is in /sys/class/infiniband? */
static bool is_only(const char *name)
{
	unsigned found = 0;
	const struct dirent *e;
	DIR *d = opendir("/sys/class/infiniband/");

	while (d && (e = readdir(d)))
		found += e->d_name[0] == '.' ? 0 : strcmp(e->d_name, name) == 0 ? 1 : 100;
	if (d)
		closedir(d);
	return found == 1;
}

static void directories(void)
{
	const struct dirent *e;
	unsigned found = 0;
	DIR *d = opendir(DEVICE "/device/net");

	CHECK(d);
	while ((e = readdir(d)))
		found += strcmp(e->d_name, "eth0") == 0 || strcmp(e->d_name, "lo") == 0;
	closedir(d);
	CHECK_INT(found, 2);
	d = opendir("/proc/self");
	CHECK(d && closedir(d) == 0);

	/* the device is the only one; what the kernel has besides is not hidden from those who
	 * know its name */
	CHECK(is_only(UROCE_DEVICE));
	CHECK(access("/sys/class/infiniband_verbs", R_OK) == 0);
}

/* By another name the device is found in all places, and not by its usual one. */
static void renamed(void)
{
	const char *tail = strrchr(DEVICE, '/') + 1;
	char is[64] = "";
	int status;
	pid_t child = fork(); /* which has no tree yet */

	if (child == 0) {
		struct ibv_device saved = devices[0].v;
		bool ok;

		snprintf(devices[0].v.name, sizeof devices[0].v.name, "rxe_0");
		snprintf(devices[0].v.ibdev_path, sizeof devices[0].v.ibdev_path, "%.*srxe_0",
			 (int)(tail - DEVICE), DEVICE);
		ok = ibv_read_sysfs_file(devices[0].v.ibdev_path, "ports/1/link_layer", is,
					 sizeof is) > 0 &&
		     strcmp(is, "Ethernet") == 0 &&
		     ibv_read_sysfs_file(saved.dev_path, "ibdev", is, sizeof is) > 0 &&
		     strcmp(is, "rxe_0") == 0 && access(DEVICE, F_OK) != 0 && is_only("rxe_0");
		exit(!ok);
	}
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK_INT(status, 0);
}

/* A mode given to open() arrives. */
static void modes(void)
{
	char path[] = "/tmp/uroce-modes-XXXXXX";
	struct stat st;
	int fd = mkstemp(path);

	close(fd);
	unlink(path);
	umask(0);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0641);
	CHECK(fd >= 0 && fstat(fd, &st) == 0);
	CHECK_INT(st.st_mode & 0777, 0641);
	close(fd);
	unlink(path);
}

/* A child has a tree of its own, and takes it away when it ends. */
static void removed(void)
{
	char mine[256], theirs[256] = "";
	struct stat st;
	int fds[2], status;
	pid_t child;

	real_place(mine, sizeof mine);
	CHECK_INT(stat(mine, &st), 0);
	CHECK_INT(st.st_mode & 077, 0); /* for nobody else */
	CHECK_INT(pipe(fds), 0);
	child = fork();
	if (child == 0) {
		real_place(theirs, sizeof theirs);
		exit(write(fds[1], theirs, sizeof theirs) != sizeof theirs);
	}
	CHECK_INT(read(fds[0], theirs, sizeof theirs), sizeof theirs);
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK_INT(status, 0);
	CHECK(strcmp(mine, theirs) != 0);
	CHECK(stat(theirs, &st) == -1 && errno == ENOENT);
	*strrchr(theirs, '/') = '\0';
	CHECK(stat(theirs, &st) == -1 && errno == ENOENT);
	CHECK_INT(stat(mine, &st), 0);
}

static void *look_often(void *stop)
{
	while (!*(_Atomic bool *)stop)
		CHECK_STR(text("ports/1/link_layer"), "Ethernet");
	return NULL;
}

/* While another thread is in the tree: its lock is nobody's in the child. */
static void forked_busy(void)
{
	_Atomic bool stop = false;
	pthread_t thread;

	CHECK_INT(pthread_create(&thread, NULL, look_often, &stop), 0);
	for (unsigned i = 0; i < 10; i++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			alarm(240);
			exit(access(UVERBS, F_OK) != 0); /* removes its tree */
		}
		CHECK_INT(waitpid(child, &status, 0), child);
		CHECK_INT(status, 0);
	}
	stop = true;
	pthread_join(thread, NULL);
}

/* A directory has its files, by its real name, too. */
static void listed(void)
{
	char place[PATH_MAX];
	unsigned n = 0;
	struct dirent *e;
	DIR *d;

	real_place(place, sizeof place);
	strcat(place, "/ports/1/gids");
	d = opendir(place);
	while (d && (e = readdir(d)))
		n += e->d_name[0] != '.';
	closedir(d);
	CHECK_INT(n, 64);
}

int main(void)
{
	app_addresses(true);
	listed();
	contents();
	functions();
	directories();
	renamed();
	modes();
	removed();
	forked_busy();
	return checks_end();
}
