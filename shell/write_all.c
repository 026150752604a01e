/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <unistd.h>

#include "write_all.h"

int write_all(int fd, const void *data, size_t len)
{
	const char *from = data;

	while (len) {
		ssize_t n = write(fd, from, len);

		if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			from += n;
			len -= (size_t)n;
		}
	}
	return 0;
}
