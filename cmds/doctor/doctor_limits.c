// SPDX-License-Identifier: MIT
/* What the process may use: locked memory, descriptors, the rdma controller of its cgroup. */
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "doctor.h"

#define ENOUGH (64ul << 20) /* bytes of locked memory: some buffers of a few MiB */

/* CAP_IPC_LOCK lifts the limit. */
static bool may_lock_all(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = { 0 };

	return syscall(SYS_capget, &header, caps) == 0 && caps[0].effective & 1u << CAP_IPC_LOCK;
}

static const char *memlock_cure(void)
{
	return doctor_contained()
		       ? "run the container with --ulimit memlock=-1 --cap-add IPC_LOCK"
		       : "ulimit -l unlimited; for good: '* - memlock unlimited' in "
			 "/etc/security/limits.d/rdma.conf, LimitMEMLOCK=infinity in a service";
}

static void check_memlock(struct checkup *c)
{
	struct rlimit lock;

	if (getrlimit(RLIMIT_MEMLOCK, &lock))
		return;
	if (lock.rlim_cur == RLIM_INFINITY)
		doctor_ok(c, "memlock", "unlimited");
	else if (may_lock_all())
		doctor_ok(c, "memlock", "%llu KiB, which CAP_IPC_LOCK lifts",
			  (unsigned long long)lock.rlim_cur / 1024);
	else if (lock.rlim_cur < ENOUGH)
		doctor_bad(c, "memlock", memlock_cure(),
			   "%llu KiB may be registered: ibv_reg_mr and ibv_create_* say ENOMEM",
			   (unsigned long long)lock.rlim_cur / 1024);
	else
		doctor_ok(c, "memlock", "%llu MiB", (unsigned long long)lock.rlim_cur >> 20);
}

static void check_descriptors(struct checkup *c)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files))
		return;
	if (files.rlim_cur < 256)
		doctor_bad(c, "files", "ulimit -n 1024",
			   "%llu descriptors: each device and channel needs some",
			   (unsigned long long)files.rlim_cur);
	else
		doctor_ok(c, "files", "%llu descriptors", (unsigned long long)files.rlim_cur);
}

/* "mlx5_0 hca_handle=2 hca_object=2000": a limit; "max" is none. Version 2 of cgroups. */
static void check_cgroup(struct checkup *c)
{
	char path[512], line[512], file[600];
	FILE *f = fopen("/proc/self/cgroup", "re");

	*path = 0;
	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "0::%511[^\n]", path) == 1)
			break;
	if (f)
		fclose(f);
	if (!*path)
		return;
	snprintf(file, sizeof file, REAL_SYS "/fs/cgroup%s/rdma.max", path);
	f = fopen(file, "re");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = 0;
		if (strstr(line, "hca_handle=max") && strstr(line, "hca_object=max"))
			continue;
		doctor_bad(c, "cgroup", "raise rdma.max of the cgroup", "limits objects: %s", line);
	}
	if (f)
		fclose(f);
}

void check_limits(struct checkup *c)
{
	check_memlock(c);
	check_descriptors(c);
	check_cgroup(c);
}
