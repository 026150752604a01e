// SPDX-License-Identifier: MIT
#include "save.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "file.h"
#include "session.h"

int save_file(struct session *s, const char *call, const char *path, const Tcl_DString *d)
{
	int fd = file_open(s, path, O_WRONLY | O_CREAT | O_TRUNC, 0644), rc;

	if (fd < 0)
		return -1;
	rc = file_put(s, fd, path, Tcl_DStringValue(d), (size_t)Tcl_DStringLength(d));
	if (close(fd) && rc == 0)
		rc = fail_call(s, errno, call, "%s", path);
	return rc;
}
