/* SPDX-License-Identifier: MIT */
/* The functions of libibverbs by which librdmacm and perftest read sysfs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "export.h"

/* Not in the public headers. */
int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size);
const char *ibv_get_sysfs_path(void);

EXPORT const char *ibv_get_sysfs_path(void)
{
	const char *path = getenv("SYSFS_PATH");

	return path && *path ? path : "/sys";
}

/* Reads at most size - 1 bytes and takes a newline off the end; the length, or -1 with errno. */
EXPORT int ibv_read_sysfs_file(const char *dir, const char *file, char *buf, size_t size)
{
	char path[512];
	ssize_t n;
	int fd;

	if (size == 0 || (size_t)snprintf(path, sizeof path, "%s/%s", dir, file) >= sizeof path)
		return fail(EINVAL);
	/* librdmacm starts with this, for its rsockets too */
	if (strcmp(file, "class/misc/rdma_cm/abi_version") == 0)
		return snprintf(buf, size, "%d", RDMA_CM_ABI);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -1;
	if (n > 0 && buf[n - 1] == '\n')
		n--;
	buf[n] = '\0';
	return (int)n;
}
