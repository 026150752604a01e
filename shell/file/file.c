/* SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc.h"
#include "file/file.h"
#include "language/interp.h"
#include "language/script.h"
#include "session.h"

/* Opens the directory of that canonical path. A link in it was put there later, perhaps by another
 * user, and may lead anywhere. */
static int open_root(const char *root)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS };

	return (int)syscall(SYS_openat2, AT_FDCWD, root, &how, sizeof how);
}

/* Opens the absolute path if it is below root. -EXDEV: it is not. */
static int open_beneath(const char *root, const char *path, int flags, unsigned mode)
{
	struct open_how how = { .flags = (uint64_t)flags,
				.mode = flags & O_CREAT ? mode : 0,
				.resolve = RESOLVE_BENEATH };
	size_t len = root[1] ? strlen(root) : 0; /* "/" ends with its slash */
	int dir, fd;

	if (strncmp(path, root, len) != 0 || path[len] != '/')
		return -EXDEV;
	path += len + strspn(path + len, "/");
	dir = open_root(root);
	if (dir < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, dir, *path ? path : ".", &how, sizeof how);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

/* Refuses a file with further hard links: they may be outside of the directory. -1 with s->fail
 * filled. */
static int may_write(struct session *s, int fd, const char *path, bool truncate)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 1) {
		fail(s, "open", "EMLINK", "%s has %ju names (hard links), perhaps elsewhere", path,
		     (uintmax_t)st.st_nlink);
		return fail_row(s, "note", "a script may write only files without other names");
	}
	if (truncate && S_ISREG(st.st_mode) && ftruncate(fd, 0))
		return fail_call(s, errno, "ftruncate", "%s", path);
	return 0;
}

static int open_gated(struct session *s, const char *root, const char *path, const char *full,
		      int flags, unsigned mode)
{
	const char **others = s->domain->refused ? NULL
						 : s->opt.allow_dirs; /* none for a hand-in */
	bool writes = (flags & O_ACCMODE) != O_RDONLY;
	int fd = -EXDEV;

	if (!*root)
		return fail(s, "open", "EACCES",
			    "%s: a remote method that was not defined in a file may not use files",
			    path);
	fd = open_beneath(root, full, writes ? flags & ~O_TRUNC : flags, mode);
	for (; fd == -EXDEV && others && *others; others++)
		fd = open_beneath(*others, full, writes ? flags & ~O_TRUNC : flags, mode);
	if (fd == -EXDEV) {
		fail(s, "open", "EXDEV", "%s is outside the script's directory %s", path, root);
		return fail_next(s, "rdmash --allow-dir DIR ... lets scripts use files below DIR");
	}
	if (fd < 0)
		return fail_call(s, -fd, "open", "%s", path);
	if (writes && may_write(s, fd, path, flags & O_TRUNC)) {
		close(fd);
		return -1;
	}
	return fd;
}

const char *file_gate(const struct session *s)
{
	return s->domain->root;
}

/* The directory for relative paths: that of the running script or, when another domain runs code of
 * this one, that of the domain. NULL: the current directory. */
static const char *relative_base(const struct session *s)
{
	return s->script && s->script->domain == s->domain ? s->script->dir : s->domain->root;
}

/* typed is the path as the user wrote it, for errors. */
static int open_typed(struct session *s, const char *path, const char *typed, int flags,
		      unsigned mode)
{
	const char *root = file_gate(s), *from = relative_base(s);
	char *full = *path != '/' && from ? xasprintf("%s/%s", from, path) : xstrdup(path);
	int fd;

	flags |= O_CLOEXEC |
		 O_NONBLOCK; /* otherwise opening a FIFO would block until its other end is open */
	fd = root ? open_gated(s, root, typed, full, flags, mode) : open(full, flags, mode);
	if (fd < 0 && !root)
		fail_call(s, errno, "open", "%s", typed);
	free(full);
	if (fd < 0)
		return -1;
	if (flags & O_WRONLY)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

int file_open(struct session *s, const char *path, int flags, unsigned mode)
{
	return open_typed(s, path, path, flags, mode);
}

int file_open_folder(struct session *s, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? xasprintf("%.*s/.", (int)(slash - path), path) : xstrdup(".");
	int fd = open_typed(s, folder, path, O_RDONLY | O_DIRECTORY, 0);

	free(folder);
	return fd;
}

/* Waits until a pipe or terminal is ready; Ctrl-C ends the wait. */
static int wait_ready(struct session *s, int fd, short events, const char *call)
{
	enum loop_end end;
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return 0;
	end = loop_wait_fd(s->loop, fd, events, LOOP_FOREVER);
	return end == LOOP_INTERRUPTED ? fail(s, call, "EINTR", "interrupted") : 0;
}

ssize_t file_take(struct session *s, int fd, const char *path, void *data, size_t room)
{
	ssize_t n;

	do {
		if (wait_ready(s, fd, POLLIN, "read"))
			return -1;
		n = read(fd, data, room);
	} while (n < 0 && errno == EAGAIN);
	return n < 0 ? fail_call(s, errno, "read", "%s", path) : n;
}

int file_put(struct session *s, int fd, const char *path, const void *data, size_t len)
{
	const char *from = data;

	/* file_open() has made this description: nobody shares its flags */
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	while (len) {
		ssize_t n = write(fd, from, len);

		if (n < 0 && errno == EAGAIN && wait_ready(s, fd, POLLOUT, "write"))
			return -1;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return fail_call(s, errno, "write", "%s", path);
		if (n > 0) {
			from += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

#define TEXT_MAX (16u << 20) /* bytes */

ssize_t file_more(struct session *s, int fd, const char *path, const char *command,
		  struct file_part *part)
{
	ssize_t n;

	if (part->room - part->len < 4096) {
		part->room = part->room ? 2 * part->room : 8192;
		part->text = xrealloc(part->text, part->room, 1);
	}
	n = file_take(s, fd, path, part->text + part->len, part->room - part->len - 1);
	if (n < 0)
		return -1;
	part->text[part->len + (size_t)n] = 0;
	if (memchr(part->text + part->len, 0, (size_t)n))
		return fail(s, command, "EILSEQ", "%s is binary: it has zero bytes", path);
	part->len += (size_t)n;
	if (part->len > TEXT_MAX)
		return fail(s, command, "EFBIG", "%s is larger than %u MiB", path, TEXT_MAX >> 20);
	return n;
}

char *file_text(struct session *s, int fd, const char *path, const char *command)
{
	struct file_part all = { 0 };
	ssize_t n;

	while ((n = file_more(s, fd, path, command, &all)) > 0)
		;
	if (n == 0)
		return all.text;
	free(all.text);
	return NULL;
}

size_t file_mark(const char *text)
{
	return strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

/* The canonical directory of the file; NULL: it has none (a pipe), or was deleted. */
static char *directory_of(int fd)
{
	char link[64], real[PATH_MAX];
	struct stat is, named;
	ssize_t n;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof real - 1);
	if (n <= 0)
		return NULL;
	real[n] = 0;
	if (*real != '/' || fstat(fd, &is) || stat(real, &named) || is.st_ino != named.st_ino ||
	    is.st_dev != named.st_dev)
		return NULL; /* the kernel's text for a file without a name: "/memfd:x (deleted)" */
	return xstrdup(dirname(real));
}

static bool is_users(const struct stat *st)
{
	return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Is this user the only one who can write the open file, and put another in its place? */
static bool only_user_writes(int fd, const char *path)
{
	char *copy = xstrdup(path);
	struct stat file, folder;
	bool yes = fstat(fd, &file) == 0 && is_users(&file) && stat(dirname(copy), &folder) == 0 &&
		   is_users(&folder);

	free(copy);
	return yes;
}

int file_read_script(struct session *s, const char *path, struct script_text *t)
{
	bool in = strcmp(path, "-") == 0;
	int fd = in ? STDIN_FILENO : file_open(s, path, O_RDONLY, 0);
	char here[PATH_MAX];

	if (fd < 0)
		return -1;
	*t = (struct script_text){ .text = file_text(s, fd, in ? "standard input" : path, "source"),
				   .dir = in ? NULL : directory_of(fd),
				   .is_users = only_user_writes(fd, path) };
	if (t->text)
		memmove(t->text, t->text + file_mark(t->text),
			strlen(t->text + file_mark(t->text)) + 1);
	if (!t->dir)
		t->dir = xstrdup(getcwd(here, sizeof here) ? here : DOMAIN_NO_FILES);
	if (!in)
		close(fd);
	if (t->text)
		return 0;
	file_free_script(t);
	return -1;
}

char *file_path_beside(const char *script, const char *path)
{
	const char *slash = script && *path != '/' ? strrchr(script, '/') : NULL;

	return slash ? xasprintf("%.*s/%s", (int)(slash - script), script, path) : xstrdup(path);
}

void file_free_script(struct script_text *t)
{
	free(t->text);
	free(t->dir);
}

char *file_xdg_path(const char *variable, const char *home, const char *name)
{
	const char *base = getenv(variable);

	if (base && *base == '/')
		return xasprintf("%s/rdmash/%s", base, name);
	base = getenv("HOME");
	return base && *base ? xasprintf("%s/%s/rdmash/%s", base, home, name) : NULL;
}

char *file_xdg_state(const char *name)
{
	return file_xdg_path("XDG_STATE_HOME", ".local/state", name);
}

bool file_own_list(const char *variable, const char *folder, const char *names, glob_t *files)
{
	static const char *const places[] = { "../share/rdmash", "../scripts", "../../scripts",
					      "../../../scripts" };
	const char *own = variable ? getenv(variable) : NULL;
	char exe[4096], pattern[8192];
	struct stat program, found;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (own) {
		snprintf(pattern, sizeof pattern, "%s/%s", own, names);
		return glob(pattern, 0, NULL, files) == 0;
	}
	if (n <= 0 || stat("/proc/self/exe", &program) != 0)
		return false;
	exe[n] = 0;
	*strrchr(exe, '/') = 0;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		snprintf(pattern, sizeof pattern, "%s/%s/%s", exe, places[i], folder);
		/* somebody else may have made it, as /tmp/scripts */
		if (stat(pattern, &found) != 0 ||
		    (found.st_uid != program.st_uid && found.st_uid != 0))
			continue;
		snprintf(pattern, sizeof pattern, "%s/%s/%s/%s", exe, places[i], folder, names);
		if (glob(pattern, 0, NULL, files) == 0)
			return true;
	}
	return false;
}

char *file_own_text(struct session *s, const char *path)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (!f || getdelim(&text, &size, 0, f) < 0) {
		fail_call(s, errno, "fopen", "%s", path);
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

char *file_own_find(struct session *s, const char *variable, const char *folder, const char *name)
{
	glob_t files = { 0 };
	char *text = NULL;

	if (file_own_list(variable, folder, name, &files))
		text = file_own_text(s, files.gl_pathv[0]);
	else
		fail(s, "open", "ENOENT", "%s/%s of the installation is not found", folder, name);
	globfree(&files);
	return text;
}

void file_make_parents(const char *path)
{
	char *copy = xstrdup(path), *slash = copy;

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
	free(copy);
}

int file_write_all(int fd, const void *data, size_t len)
{
	const char *from = data;

	while (len) {
		struct pollfd polled = { .fd = fd, .events = POLLOUT };
		ssize_t n = write(fd, from, len);

		if (n < 0 && errno == EAGAIN)
			poll(&polled, 1, -1);
		else if (n < 0 && errno != EINTR)
			return -1;
		if (n > 0) {
			from += n;
			len -= (size_t)n;
		}
	}
	return 0;
}

const char *file_load_library(const char *const names[], const struct dynamic_function functions[],
			      size_t n, void *to)
{
	void *library = NULL;

	for (size_t i = 0; names[i] && !library; i++)
		library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return dlerror();
	for (size_t i = 0; i < n; i++)
		if (!dlsym(library, functions[i].name))
			return dlerror();
	for (size_t i = 0; i < n; i++) {
		void *found = dlsym(library, functions[i].name);

		memcpy((char *)to + functions[i].offset, &found, sizeof found);
	}
	return NULL;
}
