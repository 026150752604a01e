/* SPDX-License-Identifier: MIT */
#include "export_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "file.h"
#include "program.h"
#include "session.h"
#include "xmem.h"

/* It becomes the name of the target, too. */
int export_check_name(struct session *s, const char *path, const char *end)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = strlen(name), ends = strlen(end);

	if (len <= ends || strcmp(name + len - ends, end))
		return fail(s, "export", "EINVAL", "'%s': the name ends with %s", path, end);
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("_-.", *c))
			return fail(s, "export", "EINVAL",
				    "'%s': the name has letters, digits, '_', '-' and '.'", path);
	return 0;
}

int export_put(struct session *s, int fd, const char *path, const Tcl_DString *text)
{
	if (ftruncate(fd, 0))
		return fail_call(s, errno, "export", "%s", path);
	return file_put(s, fd, path, Tcl_DStringValue(text), (size_t)Tcl_DStringLength(text));
}

/* What a user has written is not overwritten: only what export has. */
static int open_own(struct session *s, const char *path, const char *mark)
{
	char begin[64] = "";
	int fd = file_open(s, path, O_RDWR | O_CREAT, 0666);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = pread(fd, begin, strlen(mark), 0);
	if (n == 0 || strcmp(begin, mark) == 0)
		return fd;
	close(fd);
	fail(s, "export", "EEXIST", "%s is there, and was not made by export: not overwritten",
	     path);
	return fail_next(s, "export to another name");
}

int export_write(struct session *s, const char *path, const char *mark, const Tcl_DString *text)
{
	int fd = open_own(s, path, mark), rc;

	if (fd < 0)
		return -1;
	rc = export_put(s, fd, path, text);
	if (close(fd) && rc == 0)
		rc = fail_call(s, errno, "export", "%s", path);
	return rc;
}

void export_tell(const struct program *p, struct out *o)
{
	const char *line = Tcl_DStringValue(&p->warnings), *end;

	out_list(o, "warnings");
	for (; (end = strchr(line, '\n')); line = end + 1) {
		char *one = xasprintf("%.*s", (int)(end - line), line);

		out_str(o, NULL, one, "  note: %s\n", one);
		free(one);
	}
	out_end(o);
}
