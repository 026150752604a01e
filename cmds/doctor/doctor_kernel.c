// SPDX-License-Identifier: MIT
/* The kernel's side: its modules, the devices it has, the files they are reached by. */
#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor.h"

/* The names in a folder, joined by blanks; "" when there are none. */
static void names_in(const char *path, char *names, size_t size)
{
	DIR *d = opendir(path);
	struct dirent *e;
	size_t at = 0;

	*names = 0;
	while (d && (e = readdir(d)))
		if (*e->d_name != '.' && at < size)
			at += (size_t)snprintf(names + at, size - at, "%s%s", at ? " " : "",
					       e->d_name);
	if (d)
		closedir(d);
}

/* Is there a module of that name for this kernel, loaded or not? */
static bool has_module(const char *name)
{
	char path[128], file[64];
	char *roots[] = { path, NULL };
	struct utsname u;
	bool found = false;
	FTSENT *e;
	FTS *t;

	if (uname(&u))
		return false;
	snprintf(path, sizeof path, "/lib/modules/%s/kernel/drivers/infiniband", u.release);
	snprintf(file, sizeof file, "%s.ko", name);
	t = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (t && !found && (e = fts_read(t)))
		found = e->fts_info == FTS_F && strncmp(e->fts_name, file, strlen(file)) == 0;
	if (t)
		fts_close(t);
	return found;
}

static void advise_device(struct checkup *c)
{
	struct utsname u;
	char cure[256];

	if (doctor_contained()) {
		doctor_bad(c, "device",
			   "on the host: rdma link add rxe0 type rxe netdev NETDEV; then run the "
			   "container with --device=/dev/infiniband",
			   "the host of this container has no RDMA device; uroce0 is used instead");
		return;
	}
	if (has_module("rdma_rxe")) {
		doctor_bad(c, "device",
			   "sudo modprobe rdma_rxe; sudo rdma link add rxe0 type rxe "
			   "netdev NETDEV (scripts/setup-rxe does it)",
			   "no RDMA device; uroce0 is used instead");
		return;
	}
	snprintf(cure, sizeof cure,
		 "sudo apt-get install linux-modules-extra-%s (Ubuntu), or a kernel with "
		 "CONFIG_RDMA_RXE",
		 uname(&u) ? "$(uname -r)" : u.release);
	doctor_bad(c, "device", cure,
		   "no RDMA device, and this kernel has no rdma_rxe; uroce0 is used instead");
}

static void check_file(struct checkup *c, const char *path)
{
	if (!doctor_exists(path))
		doctor_bad(c, "files",
			   doctor_contained() ? "run the container with --device=/dev/infiniband"
					      : "sudo modprobe ib_uverbs rdma_ucm",
			   "%s is not there", path);
	else if (access(path, R_OK | W_OK))
		doctor_bad(c, "files", "ls -l /dev/infiniband: join the group, or a udev rule",
			   "no right to open %s", path);
	else
		doctor_ok(c, "files", "%s", path);
}

static void check_providers(struct checkup *c)
{
	char names[256];

	names_in("/etc/libibverbs.d", names, sizeof names);
	if (*names)
		doctor_ok(c, "providers", "%s", names);
	else
		doctor_bad(c, "providers", "sudo apt-get install ibverbs-providers",
			   "no driver of libibverbs is installed: devices of the kernel cannot be "
			   "opened");
}

void check_kernel(struct checkup *c)
{
	char names[256];

	names_in(REAL_SYS "/class/infiniband", names, sizeof names);
	if (!*names) {
		advise_device(c);
		return;
	}
	doctor_ok(c, "device", "%s", names);
	check_providers(c);
	names_in(REAL_SYS "/class/infiniband_verbs", names, sizeof names);
	for (char *save, *name = strtok_r(names, " ", &save); name;
	     name = strtok_r(NULL, " ", &save))
		if (strncmp(name, "uverbs", 6) == 0) {
			char path[64];

			snprintf(path, sizeof path, "/dev/infiniband/%s", name);
			check_file(c, path);
		}
	check_file(c, "/dev/infiniband/rdma_cm");
}
