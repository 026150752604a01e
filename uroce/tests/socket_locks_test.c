// SPDX-License-Identifier: MIT
/* Locks of the port's sockets: who has one keeps nobody out who does not need it. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "checks.h"
#include "group_own.h"
#include "netns.h"
#include "own_directories.h"
#include "worker.h"

#define ANY4 "0.0.0.0"

/* A process that is stopped while it has the lock of its network delays nobody in another network;
 * but what its network has left behind stays until the lock is free. */
static void test_lock_of_another_network(void)
{
	struct worker there, here, late;
	char path[64], left[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	struct stat st;
	int fd;

	clear_tmp();
	worker_start(&there, 0);
	worker_ask(&there, "network");
	worker_ask(&there, "join");
	CHECK_INT(worker_number(&there, "slot"), 1);
	CHECK_STR(worker_ask(&there, "lock-names"), "0");
	worker_stop(&there);
	joins(&here, 0, 1);
	worker_ask(&here, "claim 106 7471 " ANY4);
	CHECK_INT(worker_number(&here, "port"), 7471);

	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)there.pid);
	CHECK_INT(stat(path, &st), 0);
	snprintf(left, sizeof(left), "/tmp/uroce-0/%llu.svc.left", (unsigned long long)st.st_ino);
	strcpy(un.sun_path, left);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	CHECK_INT(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	close(fd);
	joins(&late, 0, 2);
	CHECK_INT(access(left, F_OK), 0);
	worker_end(&late);
	worker_kill(&there, SIGKILL);
	joins(&late, 0, 2);
	CHECK(access(left, F_OK) != 0 && errno == ENOENT);
	worker_end(&late);
	worker_end(&here);
}

/* The kernel knows by the lock on a socket who has a slot: the same lock on a file of another
 * device, which has the inode of that socket, is somebody else's. */
static void test_locks_of_files(void)
{
	static const char forged[] = "/tmp/locks";
	FILE *from, *to;
	unsigned device, minor, found = 0;
	unsigned long long inode;
	pid_t pids[SLOTS];
	struct worker a;
	char line[200];

	clear_tmp();
	joins(&a, 0, 1);
	sockets_slot_pids(pids);
	CHECK_INT(pids[1], a.pid);
	from = fopen("/proc/locks", "re");
	to = fopen(forged, "we");
	CHECK(from && to);
	while (fgets(line, sizeof(line), from)) {
		int pid;

		fputs(line, to);
		if (sscanf(line, "%*u: POSIX %*s WRITE %d %x:%x:%llu 1 1", &pid, &device, &minor,
			   &inode) != 4 ||
		    pid != a.pid)
			continue;
		found++;
		fprintf(to, "99: POSIX  ADVISORY  WRITE %d %02x:%02x:%llu 2 2\n", (int)getpid(),
			device, minor + 1, inode);
	}
	CHECK_INT(found, 1);
	CHECK_INT(fclose(to), 0);
	fclose(from);
	CHECK_INT(mount(forged, "/proc/locks", NULL, MS_BIND, NULL), 0);
	sockets_slot_pids(pids);
	CHECK_INT(pids[1], a.pid);
	CHECK_INT(pids[2], 0);
	CHECK_INT(umount("/proc/locks"), 0);
	worker_end(&a);
}

int main(void)
{
	netns_enter();
	own_directories();
	test_lock_of_another_network();
	test_locks_of_files();
	return checks_end();
}
