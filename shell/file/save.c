/* SPDX-License-Identifier: MIT */
/* Files that commands write, whole or growing; and text save, text load. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "command/cmd.h"
#include "file/file.h"
#include "out.h"
#include "output/print.h"
#include "session.h"

/* A name in an open directory: renaming a parent meanwhile cannot redirect the write. */
struct save_place {
	int dir;
	char *name;
	bool there; /* it exists: st describes the file, or the target of a link */
	struct stat st;
};

enum { REPLACED, WRITTEN_THROUGH };

static bool incomplete;

/* ---------------------------------------------------------------------- existing files -- */

static int refuse_existing(struct session *s, const char *path)
{
	fail(s, "save", "EEXIST", "%s: the file exists already: not written", path);
	return fail_next(s, "-force replaces it");
}

static int open_place(struct session *s, const char *path, struct save_place *p)
{
	const char *slash = strrchr(path, '/');

	p->dir = file_open_folder(s, path);
	if (p->dir < 0)
		return -1;
	p->name = xstrdup(slash ? slash + 1 : path);
	if (*p->name && strcmp(p->name, ".") != 0 && strcmp(p->name, "..") != 0) {
		p->there = fstatat(p->dir, p->name, &p->st, AT_SYMLINK_NOFOLLOW) == 0;
		return 0;
	}
	close(p->dir);
	free(p->name);
	return fail_call(s, EISDIR, "save", "%s", path);
}

static void close_place(struct save_place *p)
{
	close(p->dir);
	free(p->name);
}

/* Is it standard output or standard error of this program? Sets *to. */
static bool is_own_stream(const struct stat *st, enum print_to *to)
{
	struct stat own;

	for (*to = PRINT_OUT; *to <= PRINT_ERR; ++*to)
		if (fstat(*to == PRINT_OUT ? STDOUT_FILENO : STDERR_FILENO, &own) == 0 &&
		    own.st_dev == st->st_dev && own.st_ino == st->st_ino)
			return true;
	return false;
}

/* Opens a device, a pipe or this process's own output for writing, also through a link such as
 * /dev/fd/1. -1 with s->fail filled: not possible. */
static int way_to_write(struct session *s, const char *path, struct save_place *p)
{
	bool is_link = p->there && S_ISLNK(p->st.st_mode);
	enum print_to stream;

	if (is_link && fstatat(p->dir, p->name, &p->st, 0))
		p->st = (struct stat){ .st_mode = S_IFREG }; /* a dangling link */
	if (!p->there || (S_ISREG(p->st.st_mode) && !is_link))
		return REPLACED;
	if (S_ISDIR(p->st.st_mode))
		return fail_call(s, EISDIR, "save", "%s", path);
	if (!S_ISREG(p->st.st_mode) || is_own_stream(&p->st, &stream))
		return WRITTEN_THROUGH;
	fail(s, "save", "EEXIST", "%s: this is a symbolic link: not written", path);
	return fail_next(s, "use the name of the file that it points to");
}

/* --------------------------------------------------------------------- errors -- */

static void add_limits(struct session *s, int err)
{
	struct rlimit most;

	if (err == EFBIG && getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY)
		fail_row(s, "likely", "the limit for the size of a file is %llu bytes: ulimit -f",
			 (unsigned long long)most.rlim_cur);
}

/* Fails with an errno, and with what became of the file. */
static int not_written(struct session *s, int err, const char *call, const char *path,
		       const char *left)
{
	fail_call(s, err, call, "%s", path);
	add_limits(s, err);
	return fail_row(s, "written", "%s", left);
}

/* ------------------------------------------------------------------------ whole files -- */

/* A random name beside name; the caller frees it. */
static char *random_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
	unsigned char r[6];
	char *beside;

	if (getentropy(r, sizeof r))
		memset(r, 0, sizeof r);
	beside = xasprintf(".%.*s.xxxxxx", NAME_MAX - 8, name);
	for (size_t i = 0, at = strlen(beside) - sizeof r; i < sizeof r; i++)
		beside[at + i] = letters[r[i] % 32];
	return beside;
}

static int open_beside(const struct save_place *p, unsigned mode, char **name)
{
	int fd;

	do {
		*name = random_name(p->name);
		fd = openat(p->dir, *name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			    mode);
		if (fd < 0)
			free(*name);
	} while (fd < 0 && errno == EEXIST);
	if (fd >= 0 && p->there)
		fchmod(fd, p->st.st_mode & 07777);
	return fd;
}

/* Gives the finished file its name. Some file systems do not support RENAME_NOREPLACE; link(2) does
 * not replace a file either. */
static int rename_into_place(const struct save_place *p, const char *beside, bool force)
{
	if (force)
		return renameat(p->dir, beside, p->dir, p->name);
	if (renameat2(p->dir, beside, p->dir, p->name, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL || linkat(p->dir, beside, p->dir, p->name, 0))
		return -1;
	unlinkat(p->dir, beside, 0);
	return 0;
}

static int write_whole(struct session *s, const char *path, struct save_place *p, bool force,
		       unsigned mode, const void *data, size_t len)
{
	const char *left = p->there ? "nothing: the file is as it was"
				    : "nothing: there is no file";
	const char *call = "write";
	char *beside;
	int fd = open_beside(p, mode, &beside), err = 0;

	if (fd < 0)
		return not_written(s, errno, "open", path, left);
	if (file_write_all(fd, data, len))
		err = errno;
	if (!err && fdatasync(fd)) {
		err = errno;
		call = "fdatasync";
	}
	if (close(fd) && !err) {
		err = errno;
		call = "close";
	}
	if (!err && rename_into_place(p, beside, force)) {
		err = errno;
		call = "rename";
	}
	if (err)
		unlinkat(p->dir, beside, 0);
	free(beside);
	if (err == EEXIST)
		return refuse_existing(s, path);
	return err ? not_written(s, err, call, path, left) : 0;
}

static int write_through(struct session *s, const char *path, const struct save_place *p,
			 const void *data, size_t len)
{
	enum print_to stream;
	int rc, fd;

	if (is_own_stream(&p->st, &stream))
		return print_bytes(stream, data, len) ? fail_call(s, errno, "write", "%s", path)
						      : 0;
	fd = file_open(s, path, O_WRONLY, 0);
	if (fd < 0)
		return -1;
	rc = file_put(s, fd, path, data, len);
	if (close(fd) && !rc)
		rc = fail_call(s, errno, "close", "%s", path);
	return rc;
}

int save_file(struct session *s, const char *path, bool force, unsigned mode, const void *data,
	      size_t len)
{
	struct save_place p;
	int rc;

	if (open_place(s, path, &p))
		return -1;
	rc = way_to_write(s, path, &p);
	if (rc == WRITTEN_THROUGH)
		rc = write_through(s, path, &p, data, len);
	else if (rc == REPLACED && p.there && !force)
		rc = refuse_existing(s, path);
	else if (rc == REPLACED)
		rc = write_whole(s, path, &p, force, mode, data, len);
	close_place(&p);
	return rc;
}

/* ----------------------------------------------------------------- files that grow -- */

int save_piece(int fd, const void *data, size_t len)
{
	off_t before = lseek(fd, 0, SEEK_END);
	int err;

	if (file_write_all(fd, data, len) == 0)
		return 0;
	err = errno;
	if (before >= 0 && ftruncate(fd, before))
		return -1;
	errno = err;
	return -1;
}

int save_append(struct session *s, const char *path, bool create, unsigned mode, const void *data,
		size_t len)
{
	/* O_NOFOLLOW: what is appended to is the file of this name, not what it points to */
	int flags = O_WRONLY | O_APPEND | O_NOFOLLOW | (create ? O_CREAT : 0);
	int fd = file_open(s, path, flags, mode), rc = 0;

	if (fd < 0)
		return -1;
	if (save_piece(fd, data, len))
		rc = not_written(s, errno, "write", path, "nothing: the file is as it was");
	if (close(fd) && !rc)
		rc = fail_call(s, errno, "close", "%s", path);
	return rc;
}

int save_growing(struct session *s, const char *path, bool force, unsigned mode)
{
	struct save_place p;
	int fd = -1, way;

	if (open_place(s, path, &p))
		return -1;
	way = way_to_write(s, path, &p);
	if (way == WRITTEN_THROUGH) {
		fail(s, "save", "EINVAL", "%s is not a regular file", path);
	} else if (way == REPLACED && p.there && !force) {
		refuse_existing(s, path);
	} else if (way == REPLACED && p.there && unlinkat(p.dir, p.name, 0)) {
		fail_call(s, errno, "unlink", "%s", path);
	} else if (way == REPLACED) {
		fd = openat(p.dir, p.name,
			    O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd < 0)
			fail_call(s, errno, "open", "%s", path);
	}
	close_place(&p);
	return fd;
}

void save_ends(const char *path, int err)
{
	const char *name = strerrorname_np(err);

	incomplete = true;
	print_error("rdmash: %s is not complete: %s (%s)\n", path, strerror(err), name ? name : "");
}

bool save_incomplete(void)
{
	return incomplete;
}

/* Text files for scripts, subject to the checks of file_open(). */

struct text_args {
	const char *path, *text;
	bool append, force;
};

/* --------------------------------------------------------------------- save -- */

static const struct arg save_arg_table[] = {
	POS("file", text_args, path, kind_path, "file to write"),
	POS("text", text_args, text, kind_str, "the content; a newline is added"),
	SWITCH("append", text_args, append, "append to the file"),
	SWITCH("force", text_args, force, "replace a file that is there"),
	ARGS_END,
};

static int text_save_exec(struct session *s, const void *args, struct out *o)
{
	const struct text_args *a = args;
	char *text = xasprintf("%s\n", a->text);
	int rc;

	(void)o;
	if (a->append)
		rc = save_append(s, a->path, true, 0644, text, strlen(text));
	else
		rc = save_file(s, a->path, a->force, 0644, text, strlen(text));
	free(text);
	return rc;
}

/** An existing file is replaced only with -force. Either all of the text is written or
 * nothing. -append adds it to the end of the file. A script may write below its own
 * directory (or --allow-dir). For bytes use mem save.
 * > text save times.csv time_s,sent_mib
 * > text save times.csv 0.5,128 -append
 * > echo [text load times.csv] => 0.5,128
 * > text save times.csv x => -force replaces it */
const struct cmd cmd_text_save = {
	.name = "text save",
	.family = "scripts",
	.summary = "write a text to a file",
	.args = save_arg_table,
	.exec = text_save_exec,
};

/* --------------------------------------------------------------------- load -- */

static const struct arg load_arg_table[] = {
	POS("file", text_args, path, kind_path, "file to read"),
	ARGS_END,
};

static int text_load_exec(struct session *s, const void *args, struct out *o)
{
	const struct text_args *a = args;
	int fd = file_open(s, a->path, O_RDONLY, 0);
	size_t len;
	char *text;

	if (fd < 0)
		return -1;
	text = file_text(s, fd, a->path, "text");
	close(fd);
	if (!text)
		return strcmp(s->fail.code, "EILSEQ") == 0 ? fail_next(s, "mem load MR %s", a->path)
							   : -1;
	len = strlen(text);
	if (len && text[len - 1] == '\n')
		len--;
	out_obj(o, Tcl_NewStringObj(text, (int)len));
	out_text(o, "%.*s\n", (int)len, text);
	free(text);
	return 0;
}

/** Its value is the text without the last newline. A script may read below its own
 * directory (or --allow-dir). For bytes use mem load.
 * > text save hosts "10.0.0.1\n10.0.0.2"
 * > text load hosts => 10.0.0.2
 * > foreach host [split [text load hosts] \n] {echo peer $host} => peer 10.0.0.1 */
const struct cmd cmd_text_load = {
	.name = "text load",
	.family = "scripts",
	.summary = "read the text of a file",
	.args = load_arg_table,
	.exec = text_load_exec,
};
